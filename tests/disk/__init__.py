"""Raw bytes of the disk before a landing, after it, after its undo and its redo, from states of any sort."""
