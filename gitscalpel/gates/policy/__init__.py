"""The team's rules: paths, size, secrets, protected definitions, approval."""
