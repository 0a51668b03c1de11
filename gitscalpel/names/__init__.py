"""What names mean: which definition each use of a name leads to, over all files of a tree.

Pure: it reads a snapshot. What a text alone says is in ``syntax/occurrences.py``; here names are followed
from scope to scope and from file to file.
"""
