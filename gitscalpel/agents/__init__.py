"""Hooks of coding agents that check and record their edits.

Before a tool of the agent edits a file, the result is checked as an edit of gitscalpel would be. After any
tool, all changes are recorded as one step, including those of other programs.
"""
