"""What people who review a change elsewhere are told of it, and where a pull request is opened."""
