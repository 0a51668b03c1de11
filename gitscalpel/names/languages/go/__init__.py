"""What imports, types and methods mean in Go."""
