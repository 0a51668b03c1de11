"""Fork server of the command line: calls without the cost of starting Python.

It has imported everything, and forks a child for each call. The child takes over the caller's streams,
arguments, environment and directory and runs the same ``main``. Mercurial's ``chg`` does so
(https://repo.mercurial-scm.org/hg/file/tip/contrib/chg/README). Importing this package loads nothing.
"""
