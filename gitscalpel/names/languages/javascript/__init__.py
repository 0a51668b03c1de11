"""Resolve names in JavaScript and TypeScript."""
