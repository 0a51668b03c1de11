"""Commands, grouped into modules by subject, and the table that all front ends are derived from.

The command line with its help, the completion of shells, the manual page, the MCP tools and the JSON
schemas follow from :mod:`gitscalpel.commands.table`. A command ``x`` has an ``XRequest``, an ``XAnswer``
and a ``perform_x`` in the module that the table names.
"""
