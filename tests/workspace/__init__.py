"""Tests of the workspace: an opened repository and its refusal log."""
