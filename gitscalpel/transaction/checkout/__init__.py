"""Edit the files of the checkout without moving a branch."""
