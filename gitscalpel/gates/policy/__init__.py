"""What an edit may touch, one module for each kind of rule; ``judge.py`` asks them all."""
