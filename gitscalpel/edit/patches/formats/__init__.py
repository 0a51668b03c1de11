"""Readers of patch formats, and the model that all of them read into."""
