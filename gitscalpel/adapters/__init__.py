"""Tools of other programs that coding agents know: each call is translated into commands.

Each module of ``programs/`` is an adapter, and ``registry.py`` finds them. A tool (``tool.py``) is a
generator that requests edits and reads from its caller and returns the reply. ``call_parser.py`` reads
operations from calls that were sent to ``apply``. No module here reads files or starts processes.
"""
