"""What names modules that move: import statements, and uses through them."""
