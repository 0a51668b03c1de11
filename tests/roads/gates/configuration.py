"""Goals of the gate ``configuration``."""

from __future__ import annotations

from gitscalpel.changesets.file_tree import SYMLINK
from tests.roads.goal import LANDED, OFF, Code, Goal


def goals(code: Code) -> list[Goal]:
    return [
        Goal("none", OFF, code.base, code.body, LANDED),
        Goal("configuration", OFF, code.base, {".gitscalpel.toml": b"[gate]\n"}, "config_error"),
        Goal("configuration gone", OFF, code.base, {".gitscalpel.toml": None}, LANDED),
        Goal(
            "configuration is a link", OFF, code.base, {".gitscalpel.toml": (SYMLINK, b"x")}, "config_error"
        ),
    ]
