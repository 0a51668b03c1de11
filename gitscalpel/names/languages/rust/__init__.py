"""Resolve names in Rust."""
