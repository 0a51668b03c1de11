"""Resolve names in Kotlin."""
