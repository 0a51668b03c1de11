"""Tools of other programs that coding agents know: their calls become commands.

Each module of ``programs/`` is an adapter, and ``registry.py`` finds them. A tool (``tool.py``) is a
coroutine: it asks its caller for edits and reads, and ends with the reply. ``call_parser.py`` reads the
operations out of calls that are sent to ``apply``. Nothing here reads a disk or starts a program.
"""
