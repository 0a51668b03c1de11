"""Git behind one door: objects, refs, the operation log, and the user's checkout."""
