"""What every gate says of a change."""
