"""The command line: what people type becomes a request of a verb, and its reply text or JSON."""

from gitscalpel.cli.command_line import main as main
