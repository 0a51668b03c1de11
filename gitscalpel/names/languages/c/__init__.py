"""What declarations, includes, classes and members mean in C and C++."""
