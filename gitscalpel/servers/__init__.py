"""Language servers: spoken to over their standard streams, and asked for a second opinion."""
