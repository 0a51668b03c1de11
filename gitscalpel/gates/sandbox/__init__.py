"""Sandbox for programs that run code of a transaction.

What such a program finds is made for it alone: the files of the worktree, git's own folder, an empty home
and ``/tmp``. What it leaves there is thrown away; what it changed of the files is known, and refused.
"""
