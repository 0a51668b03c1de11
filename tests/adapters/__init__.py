"""The tools that agents know already, called and applied as those agents do it."""
