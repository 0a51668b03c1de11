"""What a coding agent tells of its own tools, through hooks that it runs: judged, recorded, undone by undo.

The agent keeps its tools. Before one edits a file, what it would leave is judged as an edit of ours; after
any of them, what has changed becomes a step, whoever did it.
"""
