"""Agents are given what they need, beside what is there; and it is taken away again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitscalpel.agents import install
from tests.command import scalpel
from tests.sandbox import Sandbox

TOP = Path(__file__).parents[2] / "hooks"
SETTINGS = {
    "permissions": {"allow": ["Bash(ls)"]},
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]},
}


def test_the_plugins_hold_the_same() -> None:
    for agent, file in (("claude", "claude/hooks/hooks.json"), ("codex", "codex/hooks.json")):
        assert json.loads((TOP / file).read_text()) == {"hooks": install.hook_settings(agent)}
    for file in ("claude/skills/gitscalpel/SKILL.md", "codex/SKILL.md"):
        assert (TOP / file).read_text() == install.read_skill()
    assert json.loads((TOP / "claude/.claude-plugin/plugin.json").read_text())["name"] == "gitscalpel"


@pytest.mark.parametrize("notes", [None, "# Notes\n\nBe kind.\n"])
def test_given_and_taken_away(tmp_path: Path, notes: str | None) -> None:
    files = {".claude/settings.json": (json.dumps(SETTINGS, indent=2) + "\n").encode()}
    if notes is not None:
        files["AGENTS.md"] = notes.encode()
    repo = Sandbox.of(tmp_path / "repo", dict(files))
    done = scalpel(repo.root, "init", "--agents", "--json").data
    assert sorted(done["agents"]) == [
        *(".claude/settings.json", ".claude/skills/gitscalpel/SKILL.md", ".codex/hooks.json", "AGENTS.md")
    ]
    settings = json.loads((repo.root / ".claude/settings.json").read_text())
    assert settings["permissions"] == SETTINGS["permissions"]
    assert len(settings["hooks"]["Stop"]) == 2
    assert "git scalpel agent claude -" in json.dumps(settings["hooks"]["PreToolUse"])
    assert (repo.root / "AGENTS.md").read_text().startswith((notes or "").rstrip())
    assert scalpel(repo.root, "init", "--agents", "--json").data["agents"] == []
    scalpel(repo.root, "deinit", "--agents")
    assert {path: (repo.root / path).read_bytes() for path in files} == files
    left = repo.git("status", "--porcelain", "--untracked-files=all").splitlines()
    assert [row for row in left if "gitscalpel.toml" not in row] == []


def test_settings_that_nobody_can_read_stay(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {".claude/settings.json": b"{ // mine\n}\n"})
    answer = scalpel(repo.root, "init", "--agents", "--json")
    assert (answer.status, answer.error["code"]) == (2, "invalid_args")
    assert (repo.root / ".claude/settings.json").read_bytes() == b"{ // mine\n}\n"


@pytest.mark.parametrize("settings", [b"", b"{}", b'{"hooks": {}}', b'{"hooks":{"Stop":[]},"a":1}'])
def test_settings_to_which_nothing_was_added_stay(tmp_path: Path, settings: bytes) -> None:
    repo = Sandbox.of(tmp_path / "repo", {".claude/settings.json": settings})
    assert scalpel(repo.root, "deinit", "--agents", "--json").data["agents"] == []
    assert (repo.root / ".claude/settings.json").read_bytes() == settings


@pytest.mark.parametrize(
    "settings", [b'{"hooks": {"Stop": {}}}', b'{"hooks": {"Stop": null}}', b"[]", "{}".encode("utf-16")]
)
def test_settings_of_another_shape_stay(tmp_path: Path, settings: bytes) -> None:
    repo = Sandbox.of(tmp_path / "repo", {".claude/settings.json": settings})
    for verb in ("init", "deinit"):
        answer = scalpel(repo.root, verb, "--agents", "--hooks", "--json")
        assert (answer.status, answer.error["code"]) == (2, "invalid_args")
    assert repo.git("status", "--porcelain") == ""
    assert not (repo.root / ".git/hooks/pre-push").exists()


def test_notes_keep_their_line_endings(tmp_path: Path) -> None:
    repo = Sandbox.of(tmp_path / "repo", {"AGENTS.md": b"# Notes\r\n\r\nBe kind.\r\n"})
    scalpel(repo.root, "init", "--agents")
    notes = (repo.root / "AGENTS.md").read_bytes()
    assert notes.count(b"\n") == notes.count(b"\r\n") > 3
    assert scalpel(repo.root, "init", "--agents", "--json").data["agents"] == []
    scalpel(repo.root, "deinit", "--agents")
    assert (repo.root / "AGENTS.md").read_bytes() == b"# Notes\r\n\r\nBe kind.\r\n"
