"""Hooks of coding agents that check and record their edits.

The agent keeps its tools. Before one edits a file, the result is checked as an edit of gitscalpel would be.
After any of them, all changes are recorded as one step, including those of other programs.
"""
