"""Tools of other programs that coding agents know: each call is translated into commands.

Each module of ``programs/`` is an adapter, and ``registry.py`` finds them. A call of a tool (``tool.py``) is
a generator that requests edits and reads from its caller and returns the reply. No module here reads files
or starts processes.
"""
