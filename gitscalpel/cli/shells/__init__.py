"""What completes verbs, one file per shell: each makes a script of all that can be typed."""
