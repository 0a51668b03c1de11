"""What follows Rust files that move."""
