"""Safe fixes of diagnostics are applied to a text, others are left."""

from __future__ import annotations

import json

import pytest

from gitscalpel.gates import diagnostics
from gitscalpel.gates.diagnostics import Diagnostic, Remedy
from tests.edit.editing import Files

TEXT = b"import os\nx = 1\ny = \xc3\xa4 + q\r\n"
DROP = (1, 0, 0, "")


def edit(*edits: tuple[int, int, int, str], path: str = "a.py", title: str = "do it") -> Remedy:
    """Return a fix that replaces columns of lines; ``(n, 0, 0)`` is line n with its line break."""
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


def diagnostic_at(line: int, *remedies: Remedy, path: str = "a.py") -> Diagnostic:
    return Diagnostic(path=path, line=line, message="wrong", remedies=remedies)


def apply_fixes(*found: Diagnostic, text: bytes = TEXT) -> bytes:
    """Return the text after the fixes."""
    files, fixed = diagnostics.apply_safe_fixes(found, Files({"a.py": text, "b.py": b"1\n"}), {"a.py"})
    changes = files.changes
    assert bool(changes) == bool(fixed)
    assert {change.path for change in changes} <= {"a.py"}
    return files.content("a.py") or b""


def test_single_fix_is_applied() -> None:
    assert apply_fixes(diagnostic_at(1, edit(DROP))) == TEXT[10:]


def test_fix_keeps_line_endings_and_encoding() -> None:
    assert (
        apply_fixes(diagnostic_at(3, edit((3, 8, 9, "r\ns"))))
        == b"import os\nx = 1\ny = \xc3\xa4 + r\r\ns\r\n"
    )


def test_only_fixes_that_do_not_overlap_are_applied_together() -> None:
    assert apply_fixes(diagnostic_at(1, edit(DROP)), diagnostic_at(2, edit((2, 4, 5, "2")))) == TEXT[
        10:
    ].replace(b"1", b"2")
    assert apply_fixes(diagnostic_at(1, edit(DROP)), diagnostic_at(1, edit((1, 7, 9, "re")))) == TEXT[10:]


def test_alternative_fixes_are_applied_only_if_equal() -> None:
    assert apply_fixes(diagnostic_at(1, edit(DROP), edit((1, 7, 9, "re")))) == TEXT
    assert apply_fixes(diagnostic_at(1, edit(DROP), edit(DROP, title="the same"))) == TEXT[10:]


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
def test_suppression_comment_is_not_applied(name: str) -> None:
    silenced = edit((1, 0, 0, SILENT[name]))
    assert apply_fixes(diagnostic_at(1, silenced)) == TEXT
    assert apply_fixes(diagnostic_at(1, silenced, edit(DROP))) == TEXT[10:]


def test_existing_suppression_comment_is_kept() -> None:
    text = b"import os  # noqa\nx = 1\n"
    assert apply_fixes(diagnostic_at(1, edit((1, 7, 9, "re"))), text=text) == b"import re  # noqa\nx = 1\n"


def test_fix_in_another_file_is_not_applied() -> None:
    assert apply_fixes(diagnostic_at(1, edit(DROP, path="b.py"))) == TEXT
    assert apply_fixes(diagnostic_at(1, edit(DROP, path="b.py"), path="b.py")) == TEXT


@pytest.mark.parametrize(
    "patch", ["", "{", '{"changes": {"a.py": [{"range": 3}]}}', json.dumps({"changes": {}})]
)
def test_malformed_fix_is_not_applied(patch: str) -> None:
    assert apply_fixes(diagnostic_at(1, Remedy("odd", patch))) == TEXT


def test_fix_without_effect_is_not_applied() -> None:
    assert apply_fixes(diagnostic_at(2, edit((2, 4, 5, "1")))) == TEXT
    assert apply_fixes(diagnostic_at(9, edit((9, 4, 5, "1")))) == TEXT
