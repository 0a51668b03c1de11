"""The server that forks: a call of the command line without the price of its start.

It has everything imported, and forks a child for each call; the child takes over the caller's streams,
arguments, environment and folder and runs the very same ``main``. Mercurial's ``chg`` does so
(https://repo.mercurial-scm.org/hg/file/tip/contrib/chg/README). Importing this package loads nothing.
"""
