"""The command line: what people type becomes a request of a verb, and its reply text or JSON."""

from gitscalpel.cli.boundary import main as main
