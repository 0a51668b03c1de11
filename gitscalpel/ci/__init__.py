"""What a job of a continuous integration does with a change that it is handed: gate it, and push it."""
