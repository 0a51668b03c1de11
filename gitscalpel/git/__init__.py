"""Git as a database: repository, objects, refs, index, working tree, journal, operation log."""
