"""Moves and import updates in files with CRLF equal those with LF."""

from __future__ import annotations

from typing import Any

import pytest

from gitscalpel.changesets.requests import parse_operations
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.refactor.rename import lower_name_operation
from tests.edit.editing import Files, read_changes
from tests.names import test_javascript_move, test_move, test_move_file
from tests.names.marked_files import split_files

Case = tuple[str, list[dict[str, Any]]]


def move_case(before: str) -> Case:
    """Return the move of a definition to another file, as in the tables of the other tests."""
    path = next(each for each in ("pkg/a.py", "a.py", "a.js", "a.ts") if each in split_files(before))
    symbol = "f" if path.endswith(".py") or "function f" in before else "F"
    return before, [{"op": "move", "path": path, "symbol": symbol, "to_path": path.replace("a.", "b.")}]


def method_case(before: str) -> Case:
    """Return the move of a method to the class of an attribute."""
    return before, [{"op": "move", "path": "a.py", "symbol": "A.f", "to": "self.attr.g"}]


def files_case(pairs: list[tuple[str, str]], before: str) -> Case:
    """Return the move of files."""
    return before, [{"op": "move_file", "path": path, "to": to} for path, to in pairs]


CASES: dict[str, Case] = {
    **{f"python {name}": move_case(before) for name, (before, _) in test_move.MOVED.items()},
    **{f"javascript {name}": move_case(before) for name, (before, _) in test_javascript_move.MOVED.items()},
    **{f"method {name}": method_case(before) for name, (before, _) in test_move.TO_ATTRIBUTE.items()},
    **{
        f"file {name}": files_case(pairs, before)
        for name, (pairs, before, _) in test_move_file.PYTHON.items()
    },
    **{
        f"module {name}": files_case(pairs, before)
        for name, (pairs, before, _) in test_move_file.JAVASCRIPT.items()
    },
    "a name of its own line in __all__": move_case(
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
    "a method in the place of pass": method_case(
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
def test_line_endings_of_each_file_are_kept(before: str, ops: list[dict[str, Any]]) -> None:
    with_lf, with_crlf = (
        read_changes(
            apply(
                parse_operations(ops),
                Files({p: t.replace("\n", end) for p, t in split_files(before).items()}),
                lower=lower_name_operation,
            )
        )
        for end in ("\n", "\r\n")
    )
    assert with_crlf == {
        path: new and (new[0], new[1].replace(b"\n", b"\r\n")) for path, new in with_lf.items()
    }
