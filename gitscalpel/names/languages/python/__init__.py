"""What Python says of names: modules by path, classes and what they inherit, what calls give."""
