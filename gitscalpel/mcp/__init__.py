"""MCP server: commands as tools for agents, over standard input and output or HTTP.

``connection.py`` speaks with one client in the messages of ``jsonrpc.py``. ``tools.py`` lists the tools,
``permissions.py`` decides which of them a caller may use, ``tool_calls.py`` runs a call, and ``roots.py``
finds its repository.
"""
