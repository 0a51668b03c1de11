"""Tests of the tools of ``git scalpel mcp``, called as by an agent's client."""
