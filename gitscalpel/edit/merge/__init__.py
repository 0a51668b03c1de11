"""One file, changed by two who began at the same, where their lines conflict: definition by definition."""
