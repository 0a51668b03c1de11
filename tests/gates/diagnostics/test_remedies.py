"""What is mended: a text, what is offered for its lines, and the text that comes of it."""

from __future__ import annotations

import json

import pytest

from gitscalpel.gates import diagnostics
from gitscalpel.gates.diagnostics import Diagnostic, Remedy
from tests.edit.editing import Files

TEXT = b"import os\nx = 1\ny = \xc3\xa4 + q\r\n"
DROP = (1, 0, 0, "")


def edit(*edits: tuple[int, int, int, str], path: str = "a.py", title: str = "do it") -> Remedy:
    """A remedy that puts texts in place of columns of lines; ``(n, 0, 0)`` is line n with its end."""
    rows = [
        {
            "range": {
                "start": {"line": line - 1, "character": first},
                "end": {"line": line - 1, "character": last} if last else {"line": line, "character": 0},
            },
            "newText": new,
        }
        for line, first, last, new in edits
    ]
    return Remedy(title, json.dumps({"changes": {path: rows}}))


def at(line: int, *offered: Remedy, path: str = "a.py") -> Diagnostic:
    return Diagnostic(path=path, line=line, message="wrong", remedies=offered)


def mended(*found: Diagnostic, text: bytes = TEXT) -> bytes:
    """The text as it is left."""
    files, fixed = diagnostics.apply_safe_fixes(found, Files({"a.py": text, "b.py": b"1\n"}), {"a.py"})
    changes = files.changes
    assert bool(changes) == bool(fixed)
    assert {change.path for change in changes} <= {"a.py"}
    return files.content("a.py") or b""


def test_the_one_remedy_is_taken() -> None:
    assert mended(at(1, edit(DROP))) == TEXT[10:]


def test_columns_endings_and_encoding_are_those_of_the_file() -> None:
    assert mended(at(3, edit((3, 8, 9, "r\ns")))) == b"import os\nx = 1\ny = \xc3\xa4 + r\r\ns\r\n"


def test_all_that_do_not_meet_are_taken_at_once() -> None:
    assert mended(at(1, edit(DROP)), at(2, edit((2, 4, 5, "2")))) == TEXT[10:].replace(b"1", b"2")
    assert mended(at(1, edit(DROP)), at(1, edit((1, 7, 9, "re")))) == TEXT[10:]


def test_of_several_none_is_taken_unless_they_come_to_the_same() -> None:
    assert mended(at(1, edit(DROP), edit((1, 7, 9, "re")))) == TEXT
    assert mended(at(1, edit(DROP), edit(DROP, title="the same"))) == TEXT[10:]


SILENT = {
    "noqa": "import os  # noqa: F401\n",
    "type": "import os  # type: ignore[x]\n",
    "ty": "import os  # ty: ignore[unresolved-reference]\n",
    "pyright": "import os  # pyright: ignore\n",
    "pylint": "import os  # pylint: disable=unused-import\n",
    "TypeScript": "// @ts-ignore\nimport os\n",
    "TypeScript, expected": "// @ts-expect-error\nimport os\n",
    "ESLint": "// eslint-disable-next-line no-undef\nimport os\n",
    "biome": "// biome-ignore lint: x\nimport os\n",
    "Go": "import os //nolint:all\n",
    "clang-tidy": "import os // NOLINTNEXTLINE\n",
    "Rust": "#[allow(unused)]\nimport os\n",
    "Java": '@SuppressWarnings("x")\nimport os\n',
}


@pytest.mark.parametrize("name", SILENT)
def test_to_have_a_tool_keep_silent_is_no_remedy(name: str) -> None:
    silenced = edit((1, 0, 0, SILENT[name]))
    assert mended(at(1, silenced)) == TEXT
    assert mended(at(1, silenced, edit(DROP))) == TEXT[10:]


def test_what_was_silenced_before_may_stay_so() -> None:
    text = b"import os  # noqa\nx = 1\n"
    assert mended(at(1, edit((1, 7, 9, "re"))), text=text) == b"import re  # noqa\nx = 1\n"


def test_what_reaches_into_another_file_is_left() -> None:
    assert mended(at(1, edit(DROP, path="b.py"))) == TEXT
    assert mended(at(1, edit(DROP, path="b.py"), path="b.py")) == TEXT


@pytest.mark.parametrize(
    "patch", ["", "{", '{"changes": {"a.py": [{"range": 3}]}}', json.dumps({"changes": {}})]
)
def test_what_is_no_patch_is_left(patch: str) -> None:
    assert mended(at(1, Remedy("odd", patch))) == TEXT


def test_what_changes_nothing_is_left() -> None:
    assert mended(at(2, edit((2, 4, 5, "1")))) == TEXT
    assert mended(at(9, edit((9, 4, 5, "1")))) == TEXT
