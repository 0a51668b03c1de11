"""A reader for each patch format, and the model that all of them read into."""
