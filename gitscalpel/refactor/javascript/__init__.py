"""Refactorings of JavaScript and TypeScript: imports follow what moves."""
