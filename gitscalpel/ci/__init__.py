"""Jobs of a continuous integration: gate a change and push it."""
