"""Hooks of coding agents: judge and record what their own tools edit.

The agent keeps its tools. Before one edits a file, what it would leave is judged as an edit of ours; after
any of them, what has changed becomes a step, whoever did it.
"""
