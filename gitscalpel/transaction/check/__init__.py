"""Run the gates: commands, hooks, diagnostics, approvals."""
