"""Command line: parse arguments into a request, and print the reply as text or JSON."""

from gitscalpel.cli.command_line import main as main
