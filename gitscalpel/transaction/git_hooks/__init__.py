"""Answer the hooks of git that gitscalpel installs."""
