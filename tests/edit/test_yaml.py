"""Edits of YAML, where indentation is syntax, items begin after ``- `` and block scalars are content."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, delete, edit_file, expect_refusal, gate_errors, insert, replace

COMPOSE = """\
services:
  # the web
  web:
    image: nginx
    ports:
      - "80:80"
    env: {A: 1, B: 2}
  db:
    image: pg

# of volumes
volumes:
  x.y: {}
"""
STEPS = """\
steps:
- uses: a
- name: t  # why
  run: |
    echo
      deep

    done
# end
- uses: b
"""


@pytest.mark.parametrize(
    ("before", "op", "after"),
    [
        (COMPOSE, replace("web.image", "image: apache"), COMPOSE.replace("nginx", "apache")),
        (COMPOSE, replace('"x.y"', "x.y: 1"), COMPOSE.replace("{}", "1")),
        (COMPOSE, replace("db", "db:\n  a:\n    - 1"), COMPOSE.replace("image: pg", "a:\n      - 1")),
        (COMPOSE, replace("ports[0]", '- "81:81"'), COMPOSE.replace("80:80", "81:81")),
        (COMPOSE, replace("env.A", "A: 3"), COMPOSE.replace("A: 1", "A: 3")),
        (COMPOSE, delete("web"), COMPOSE[:10] + COMPOSE[COMPOSE.index("  db") :]),
        (COMPOSE, delete("env.A"), COMPOSE.replace("A: 1, ", "")),
        (COMPOSE, delete("env.B"), COMPOSE.replace(", B: 2", "")),
        (COMPOSE, delete('"x.y"', fill="{}"), COMPOSE.replace("x.y: {}", "{}")),
        (COMPOSE, delete("volumes"), COMPOSE[: COMPOSE.index("\n# of")]),
        (STEPS, delete("steps[1].name"), STEPS.replace("name: t  # why\n  ", "")),
        (STEPS, delete("steps[1]"), "steps:\n- uses: a\n# end\n- uses: b\n"),
        (
            STEPS,
            replace("run", "run: |\n  a\n      b"),
            STEPS.replace("echo\n      deep\n\n    done", "a\n        b"),
        ),
        (STEPS, replace("run", "  run: |\n    echo"), STEPS.replace("\n      deep\n\n    done", "")),
        (STEPS, replace("steps[0]", "- uses: c\n  if: x"), STEPS.replace("uses: a", "uses: c\n  if: x")),
        ("a: 1\n---\na: 2\n", replace("a#2", "a: 3"), "a: 1\n---\na: 3\n"),
        ("a:\n  b: 1\n", {"op": "signature", "symbol": "a", "code": "a: &x"}, "a: &x\n  b: 1\n"),
    ],
)
def test_key_is_replaced_or_deleted(before: str, op: Op, after: str) -> None:
    assert edit_file(before, op, path="a.yml").decode() == after


@pytest.mark.parametrize(
    ("before", "op", "new", "after"),
    [
        (
            COMPOSE,
            insert("services", "last", "n:\n  a: 1"),
            "n",
            COMPOSE.replace("pg\n", "pg\n  n:\n    a: 1\n"),
        ),
        (COMPOSE, insert("services", "first", "n: 1"), "n", COMPOSE.replace("  # the", "  n: 1\n  # the")),
        (COMPOSE, insert("web", "after", "n: 1"), "n", COMPOSE.replace("  db", "  n: 1\n  db")),
        (
            COMPOSE,
            insert("ports", "first", "- n"),
            "ports[0]",
            COMPOSE.replace('      - "', '      - n\n      - "'),
        ),
        (COMPOSE, insert("ports[0]", "after", "- n"), "ports[1]", COMPOSE.replace('80"', '80"\n      - n')),
        (COMPOSE, insert("env", "last", "n: 3"), "n", COMPOSE.replace("2}", "2, n: 3}")),
        (COMPOSE, insert("env.A", "before", "n: 3"), "n", COMPOSE.replace("{A", "{n: 3, A")),
        (COMPOSE, insert('"x.y"', "last", "n: 1"), "n", COMPOSE.replace("{}", "{n: 1}")),
        (COMPOSE, insert("volumes", "before", "n: 1"), "n", COMPOSE.replace("# of vol", "n: 1\n\n# of vol")),
        (STEPS, insert("steps[1]", "first", "n: x"), "n", STEPS.replace("- name", "- n: x\n  name")),
        (STEPS, insert("steps[1].name", "after", "n: x"), "n", STEPS.replace("  run", "  n: x\n  run")),
        (STEPS, insert("steps[1]", "last", "n: x"), "n", STEPS.replace("done\n", "done\n  n: x\n")),
        (
            STEPS,
            insert("steps[1]", "after", "- n: |\n    x"),
            "steps[2]",
            STEPS.replace("# end", "- n: |\n    x\n# end"),
        ),
        (STEPS, insert("steps", "last", "- n"), "steps[3]", STEPS + "- n\n"),
        ("a: [1, 2]\n", insert("a", "last", "3"), "a[2]", "a: [1, 2, 3]\n"),
        ("a: [\n  1,\n  2\n]\n", insert("a", "last", "3"), "a[2]", "a: [\n  1,\n  2,\n  3\n]\n"),
        ("a: []\n", insert("a", "first", "3"), "a[0]", "a: [3]\n"),
        ("- a\n- b\n", insert("[0]", "after", "- c"), "[1]", "- a\n- c\n- b\n"),
        ("a: 1\n---\nb: 2\n", insert("b", "after", "a: 3"), "a#2", "a: 1\n---\nb: 2\na: 3\n"),
        ("a:\r\n  b: 1\r\n", insert("a", "last", "c:\n  d: 1"), "c", "a:\r\n  b: 1\r\n  c:\r\n    d: 1\r\n"),
    ],
)
def test_insert_and_delete_restore_the_file(before: str, op: Op, new: str, after: str) -> None:
    edited_bytes = edit_file(before, op, path="a.yml")
    assert edited_bytes.decode() == after
    assert edit_file(edited_bytes, delete(new), path="a.yml").decode() == before


@pytest.mark.parametrize(
    ("op", "code"),
    [
        (insert("services", "last", "web: 1"), "duplicate_symbol"),
        (insert("services", "last", "- x"), "syntax_error"),
        (insert("web.image", "last", "x: 1"), "invalid_position"),
        (replace("web", "webb: 1"), "name_mismatch"),
        (replace("web", "nginx"), "body_only"),
        (delete('"x.y"'), "syntax_error"),
    ],
)
def test_invalid_edit_is_refused(op: Op, code: str) -> None:
    assert expect_refusal(COMPOSE, op, path="a.yml").code == code


def test_text_edit_may_change_keys_but_not_break_the_file() -> None:
    old = "  db:\n    image: pg"
    assert gate_errors("a.yml", COMPOSE, {"op": "text", "old": old, "new": "  x: 1\n  y: [2]"}) == []
    assert gate_errors("a.yml", COMPOSE, {"op": "text", "old": old, "new": "  x: 1\n y: ]"}) == [
        "syntax_error"
    ]
