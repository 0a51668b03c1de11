"""What constants, methods and variables mean in Ruby."""
