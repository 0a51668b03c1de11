"""Agents that speak MCP: the same verbs and answers as everywhere, as tools.

``connection.py`` speaks with one client, ``wire.py`` is what goes over the line, ``eras.py`` how revisions of
the protocol differ. ``tools.py`` says which tools there are, ``offered.py`` which of them whom is offered,
``calls.py`` does what a call asks for, ``roots.py`` in which repository.
"""
