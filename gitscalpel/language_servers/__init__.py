"""Language servers: a client, and cross-checks of references and diagnostics."""
