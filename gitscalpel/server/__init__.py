"""Fork server of the command line: calls without the price of starting Python.

It has everything imported, and forks a child for each call; the child takes over the caller's streams,
arguments, environment and folder and runs the very same ``main``. Mercurial's ``chg`` does so
(https://repo.mercurial-scm.org/hg/file/tip/contrib/chg/README). Importing this package loads nothing.
"""
