"""Tests of tools in the dialects of other agents, called and applied as those agents do."""
