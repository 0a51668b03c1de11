"""The life of a transaction: begun, filled step by step, judged, put on its branch, taken back."""
