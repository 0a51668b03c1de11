"""Refactorings of Rust code."""
