"""A configuration is written where there is none, and nothing is written over."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel.housekeeping import template
from tests.command import scalpel
from tests.sandbox import Sandbox


@pytest.mark.parametrize(
    ("there", "words"),
    [(None, "written; commit it"), ("", "written; commit it"), ("[gates]\n", "kept as it is")],
    ids=["none", "left empty by a kill", "somebody's"],
)
def test_a_configuration_is_written_where_there_is_none(
    tmp_path: Path, there: str | None, words: str
) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"a = 1\n"})
    file = repo.root / ".gitscalpel.toml"
    if there is not None:
        file.write_text(there)
    assert scalpel(repo.root, "init", "--json").data["configuration"] == words
    assert file.read_text() == (there or template.TEXT)


def test_a_link_that_leads_nowhere_is_left(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"a.py": b"a = 1\n"})
    (repo.root / ".gitscalpel.toml").symlink_to("nowhere")
    assert scalpel(repo.root, "init", "--json").data["configuration"] == "kept as it is"
    assert not (repo.root / "nowhere").exists()
