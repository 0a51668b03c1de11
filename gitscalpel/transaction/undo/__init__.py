"""Landings are taken back, and made again."""
