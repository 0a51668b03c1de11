"""Edits as pure functions: (snapshot, rules, operations) in, changes and a report out."""
