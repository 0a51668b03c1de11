"""Changes and their records: what a transaction is, its gates, and crash-safe updates of refs and files."""
