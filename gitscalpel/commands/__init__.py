"""What can be called, each verb once: what it takes, what it does, what it answers, and what it may do.

Every face is derived from :mod:`gitscalpel.commands.table`: the command line with its help, the completion of
shells, the manual page, the JSON schemas. Each verb has a module with
``Request``, ``Answer`` and ``perform``.
"""
