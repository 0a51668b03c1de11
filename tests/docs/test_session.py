"""An example that shows something else than what is printed is found out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.session import Session, steps


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "repo").mkdir()
    return Session(tmp_path / "repo", "page")


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("echo one", ["one"]),
        ("echo one", []),
        ("printf 'one\\ntwo\\nthree\\n'", ["…", "three"]),
        ("printf 'one\\ntwo\\nthree\\n'", ["one", "…"]),
        ("echo at 0123456789 on 2024-05-06 07:08", ["at abcdef0123 on 2026-01-01 00:00"]),
        ("echo the first of many", ["the … of many"]),
        ("echo error: no; false", ["error: no"]),
    ],
)
def test_what_is_printed_may_be_shown_so(session: Session, command: str, shown: list[str]) -> None:
    session.typed(command, shown)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("echo one", ["two"]),
        ("echo one", ["one", "two"]),
        ("printf 'one\\ntwo\\n'", ["one"]),
        ("printf 'one\\ntwo\\n'", ["…", "three"]),
        ("echo at 01234567", ["at 01234567 or so"]),
        ("echo the first of many", ["the … of all"]),
        ("echo error: no", ["error: no"]),
        ("false", []),
    ],
)
def test_what_is_not_printed_may_not_be_shown(session: Session, command: str, shown: list[str]) -> None:
    with pytest.raises(AssertionError):
        session.typed(command, shown)


def test_an_id_stands_for_the_real_one_from_then_on(session: Session) -> None:
    session.typed("echo began abcdefgh", ["began xyzwxyzw"])
    session.typed("echo land xyzw", ["land abcdefgh"])
    with pytest.raises(AssertionError):
        session.typed("echo land bbbbbbbb", ["land xyzwxyzw"])


def test_a_folder_that_is_changed_into_is_the_next_commands(session: Session, tmp_path: Path) -> None:
    session.typed("mkdir sub && cd sub", [])
    session.typed("pwd", [str(tmp_path / "repo" / "sub")])


def test_what_a_command_reads_belongs_to_it() -> None:
    text = "$ cat <<'END'\none\nEND\none\n$ true\n"
    assert list(steps(text)) == [("cat <<'END'\none\nEND", ["one"]), ("true", [])]
