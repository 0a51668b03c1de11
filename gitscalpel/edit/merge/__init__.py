"""One file, changed by two who began at the same: first by lines, then, where lines conflict, by symbols."""
