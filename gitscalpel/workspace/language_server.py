"""Cross-check of names by the user's language server, run on the checkout."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gitscalpel.language_servers.registry import Server
    from gitscalpel.refactor.cross_check import CrossCheckAnswer, CrossChecker, CrossCheckQuestion
    from gitscalpel.workspace import Workspace

PATIENCE = 30.0
"""Seconds: the slowest that was measured on projects of a few thousand files took 13."""


def witness(ws: Workspace) -> CrossChecker | None:
    """The witness of a repository; None: there is no checkout that one could read."""
    root = ws.repo.work_tree
    if root is None:
        return None

    def ask(question: CrossCheckQuestion) -> CrossCheckAnswer | None:
        from gitscalpel.language_servers.references import ask_for_references

        server = chosen(ws, question.language)
        if server is None:
            return None
        ws.notify(f"asking {server.name}")
        return ask_for_references(server, root, ws.repo.git.outer(), question, PATIENCE)

    return ask


def chosen(ws: Workspace, language: str) -> Server | None:
    """The server that the user has for a language; one that he does not trust is none."""
    from gitscalpel.language_servers import registry

    withheld = {program.where for program in ws.repo.untrusted}
    config = {key: value for key, value in ws.repo.config.items() if key not in withheld}
    return registry.choose_server(language, config, ws.session.environment)
