"""Risk score of a change: factors, weights, and their calibration from history."""
