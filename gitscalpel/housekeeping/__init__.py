"""Keeping house: what grows is bounded, what is damaged is found, what the surroundings lack is said."""
