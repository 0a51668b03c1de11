"""What names files that move: imports of every sort, and configurations."""
