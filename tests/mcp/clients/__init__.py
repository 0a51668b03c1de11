"""The official client of the protocol, line 1 or 2, drives every tool."""
