"""The command line: parse arguments into a request, print the reply as text or JSON."""

from gitscalpel.cli.command_line import main as main
