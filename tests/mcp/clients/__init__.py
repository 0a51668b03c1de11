"""Run every tool with the official client of the protocol, line 1 or 2."""
