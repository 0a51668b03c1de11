"""What moves, and what imports it, in files that end their lines with CRLF: as in others."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.refactor.rename import lower_name_operation
from tests.edit.editing import Files, read_changes
from tests.names import test_javascript_moved, test_move, test_move_file
from tests.names.marked import parted

Case = tuple[str, list[dict[str, Any]]]


def move(before: str) -> Case:
    """A definition that goes from one file to another, as in the tables of those tests."""
    path = next(each for each in ("pkg/a.py", "a.py", "a.js", "a.ts") if each in parted(before))
    symbol = "f" if path.endswith(".py") or "function f" in before else "F"
    return before, [{"op": "move", "path": path, "symbol": symbol, "to_path": path.replace("a.", "b.")}]


def method(before: str) -> Case:
    """A method that goes to the class of an attribute."""
    return before, [{"op": "move", "path": "a.py", "symbol": "A.f", "to": "self.attr.g"}]


def files(pairs: list[tuple[str, str]], before: str) -> Case:
    """Files that go elsewhere."""
    return before, [{"op": "move_file", "path": path, "to": to} for path, to in pairs]


CASES: dict[str, Case] = {
    **{f"python {name}": move(before) for name, (before, _) in test_move.MOVED.items()},
    **{f"javascript {name}": move(before) for name, (before, _) in test_javascript_moved.MOVED.items()},
    **{f"method {name}": method(before) for name, (before, _) in test_move.HANDED_ON.items()},
    **{f"file {name}": files(pairs, before) for name, (pairs, before, _) in test_move_file.PYTHON.items()},
    **{
        f"module {name}": files(pairs, before)
        for name, (pairs, before, _) in test_move_file.JAVASCRIPT.items()
    },
    "a name of its own line in __all__": move(
        """
        # a.py
        __all__ = [
            "f",
            "g",
        ]
        def f(): pass
        def g(): pass
        # b.py
        __all__ = [
            "h",
        ]
        h = 1
        """
    ),
    "an import of a name, and of others": (
        "# pkg/__init__.py\n# pkg/mod.py\nx = 1\n# pkg/other.py\n# a.py\nfrom pkg import mod, other\nmod.x\n",
        [{"op": "move_file", "path": "pkg/mod.py", "to": "mod.py"}],
    ),
    "an import above a blank line": (
        '# a.py\n"""Does."""\n\nx = 1\n',
        [{"op": "imports", "path": "a.py", "add": ["import os"]}],
    ),
    "a method in the place of pass": method(
        """
        # a.py
        import b
        class A:
            attr = b.B()
            def f(self): return 1
        # b.py
        class B:
            pass
        """
    ),
}


@pytest.mark.parametrize(("before", "ops"), CASES.values(), ids=CASES)
def test_they_are_those_of_each_file(before: str, ops: list[dict[str, Any]]) -> None:
    plain, ended = (
        read_changes(
            apply(
                parse_operations(ops),
                Files({p: t.replace("\n", end) for p, t in parted(before).items()}),
                lower=lower_name_operation,
            )
        )
        for end in ("\n", "\r\n")
    )
    assert ended == {path: new and (new[0], new[1].replace(b"\n", b"\r\n")) for path, new in plain.items()}
