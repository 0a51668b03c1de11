"""Tools of other programs that coding agents know, each in a module: their calls become commands.

``registry.py`` lists the adapters. A tool (``tool.py``) is a coroutine: it asks its caller for edits and
reads, and ends with the reply. ``call_parser.py`` reads the operations out of calls that are sent to
``apply``. Nothing here reads a disk or starts a program.
"""
