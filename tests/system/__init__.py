"""Files, locks and processes of this machine."""
