"""Language servers and commands that are asked about a change."""
