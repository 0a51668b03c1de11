"""Move a branch and a checkout together, journaled, and recover after a crash."""
