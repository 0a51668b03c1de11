"""The tools of ``git scalpel mcp``, called as an agent's program calls them."""
