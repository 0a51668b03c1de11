"""Commands by noun; the table lists all of them, and every front end is derived from it.

The command line with its help, the completion of shells, the manual page, the MCP tools and the JSON
schemas follow from :mod:`gitscalpel.commands.table`. A command ``x`` has an ``XRequest``, an ``XAnswer``
and a ``perform_x`` in the module that the table names.
"""
