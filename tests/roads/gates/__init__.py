"""Goals of each gate, in a module of its name."""
