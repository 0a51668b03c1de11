"""Tests of the forking server with real processes."""
