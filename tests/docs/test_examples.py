"""Every example of the documentation does what it says, in a real repository."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from gitscalpel.changesets import config
from gitscalpel.changesets.requests import parse_changeset
from tests.docs.documented import repository
from tests.docs.pages import DOCUMENTS, Block, blocks
from tests.docs.session import Session, steps


def _runs(block: Block) -> bool:
    """Whether it is typed into a repository; else it installs, or is for a shell's own files."""
    return block.language == "console" or block.text.startswith("git scalpel apply")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_print_what_is_shown(document: str, tmp_path: Path) -> None:
    chosen = [block for block in blocks("console", "sh", document=document) if _runs(block)]
    if not chosen:
        return
    session = Session(repository(tmp_path / "repo").root, document)
    for block in chosen:
        for command, shown in steps(block.text):
            session.typed(command, shown)


@pytest.mark.parametrize("block", blocks("sh"), ids=str)
def test_a_shell_reads_it(block: Block) -> None:
    done = subprocess.run(["bash", "-n"], input=block.text, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", blocks("toml"), ids=str)
def test_a_configuration_is_one(block: Block) -> None:
    assert config.parse_rules(block.text.encode(), {})


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_json_is_read(block: Block) -> None:
    said = json.loads(block.text)
    if "ops" in said:
        assert parse_changeset(block.text.encode())


@pytest.mark.parametrize("block", blocks("yaml"), ids=str)
def test_yaml_is_read(block: Block) -> None:
    assert yaml.safe_load(block.text)
