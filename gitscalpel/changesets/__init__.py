"""Requests and answers: operations, changesets, paths, rules, configuration."""
