"""What packages, classes and members mean in Kotlin."""
