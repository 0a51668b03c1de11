"""What git asks in its hooks: each file answers for one of them."""
