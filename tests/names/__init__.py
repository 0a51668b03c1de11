"""Tests of references and edits by name."""
