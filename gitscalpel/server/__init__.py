"""Fork server of the command line: calls without the cost of starting Python.

It has imported everything, and forks a child for each call, which takes over the caller's streams, arguments,
environment and directory, as Mercurial's ``chg`` does
(https://repo.mercurial-scm.org/hg/file/tip/contrib/chg/README).
"""
