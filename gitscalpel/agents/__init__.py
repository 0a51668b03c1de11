"""Hooks of coding agents that check and record the edits of the agents' own tools.

The agent keeps its tools. Before one edits a file, the result is checked as an edit of gitscalpel would be.
After any of them, all changes are recorded as one step, including those of other programs.
"""
