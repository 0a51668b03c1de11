"""Tests of the diagnostics gate and its fixes."""
