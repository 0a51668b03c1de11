"""Rules come from the tip of a branch. A user may tighten them, and a change cannot loosen its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitscalpel.changesets.config import parse_rules
from gitscalpel.changesets.file_tree import SYMLINK
from gitscalpel.changesets.rules import Gates, Rules
from gitscalpel.errors import Misconfigured
from tests.command import scalpel
from tests.sandbox import Content, Sandbox


@pytest.mark.parametrize(
    ("content", "personal", "rules"),
    [
        (None, {}, Rules(gates=Gates(syntax=True, structure="block", hooks="run"))),
        (b"", {}, Rules()),
        (
            b"[gates]\nsyntax = false\nstructure = 'off'\nhooks = 'skip'\n",
            {},
            Rules(gates=Gates(syntax=False, structure="off", hooks="skip")),
        ),
        (
            b"[gates]\nstructure = 'warn'\n",
            {"scalpel.structure": "strict"},
            Rules(gates=Gates(structure="strict")),
        ),
        (
            b"[gates]\nstructure = 'strict'\n",
            {"scalpel.structure": "off"},
            Rules(gates=Gates(structure="strict")),
        ),
    ],
)
def test_rules_are_parsed(content: bytes | None, personal: dict[str, str], rules: Rules) -> None:
    assert parse_rules(content, personal) == rules


@pytest.mark.parametrize(
    ("content", "personal"),
    [
        (b"[gates", {}),
        (b"\xff", {}),
        (b"[gates]\nstructure = 'sometimes'\n", {}),
        (b"[gates]\nsyntax = 'yes'\n", {}),
        (b"[gates]\nsyntax = 1\n", {}),
        (b"[gates]\nno_such_gate = true\n", {}),
        (b"[no_such_section]\n", {}),
        (b"gates = 1\n", {}),
        (b"[policy]\ndeny = ['./src/**']\n", {}),
        (b"[policy]\ndeny = ['src/../b']\n", {}),
        (b"[policy]\ndeny = ['src/{a,b}.py']\n", {}),
        (b"[policy]\nprotected = ['src/{a,b}.py::main']\n", {}),
        (b"[policy]\ndeny = ['[abc']\n", {}),
        (b"[approval]\npaths = ['# all', '*']\n", {}),
        (b"[[gates.command]]\nname = 't'\nrun = 'x'\ntimeout = '0s'\n", {}),
        (b"[[gates.command]]\nname = 't'\nrun = 'x'\npaths = ['!docs/**']\n", {}),
        (None, {"scalpel.structure": "sometimes"}),
    ],
)
def test_invalid_rules_are_refused(content: bytes | None, personal: dict[str, str]) -> None:
    with pytest.raises(Misconfigured) as caught:
        parse_rules(content, personal)
    assert caught.value.code == "config_error"


def test_single_table_instead_of_an_array_is_reported() -> None:
    with pytest.raises(Misconfigured, match=r"gates\.command takes tables: \[\[gates\.command\]\]"):
        parse_rules(b"[gates.command]\nname = 't'\nrun = 'x'\n", {})


def test_invalid_pattern_in_an_optional_list_is_reported() -> None:
    with pytest.raises(Misconfigured, match=r"policy\.allow\[0\] takes a pattern as in \.gitignore"):
        parse_rules(b"[policy]\nallow = ['[abc']\n", {})


@pytest.mark.parametrize("pattern", ["x\\", "[z-a]"])
def test_invalid_pattern_is_a_config_error(tmp_path: Path, pattern: str) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    repo.commit({"a.txt": b"1\n", ".gitscalpel.toml": f"[policy]\ndeny = ['{pattern}']\n".encode()})
    error = scalpel(repo.root, "text", "a.txt", "--old", "1", "--new", "2", "--json").error
    assert error["code"] == "config_error"
    assert repr(pattern) in error["message"]


UNREADABLE = {
    "unknown table": {"n.toml": b"[gate]\n"},
    "not TOML": {"n.toml": b"[gates"},
    "an invalid pattern": {"n.toml": b"[policy]\ndeny = ['[z-a]']\n"},
    "an invalid symbol pattern": {"n.toml": b"[approval]\nsymbols = ['[z-a]::f']\n"},
    "a directory": {"n.toml/gates": b""},
    "a symlink": {"n.toml": (SYMLINK, b"a.txt")},
    "missing rule files": {"n.toml": b"[policy]\nrules = ['rules/*.yml']\n"},
}


@pytest.mark.parametrize("files", UNREADABLE.values(), ids=UNREADABLE)
def test_invalid_rules_cannot_land(tmp_path: Path, files: dict[str, Content]) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    repo.commit({"a.txt": b"1\n", **files})
    before = repo.state()
    (name, content), *_ = files.items()
    target = name.replace("n.toml", ".gitscalpel.toml")
    commands = [["run", "--json", "--", "mv", "n.toml", ".gitscalpel.toml"]]
    if not isinstance(content, tuple):
        assert content is not None
        commands += [["mv", name, target, "--json"], ["cp", name, target, "--json"]]
        commands += [["write", target, "--content", content.decode(), "--json"]]
    for command in commands:
        error = scalpel(repo.root, *command).error
        assert (error["code"], "correct the new text" in error["hint"]) == ("config_error", True)
        assert repo.state() == before or command[0] == "run"  # run creates a worktree
    assert scalpel(repo.root, "text", "a.txt", "--old", "1", "--new", "2").status == 0


@pytest.mark.parametrize("files", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("published", [False, True])
def test_landing_of_invalid_rules_can_be_undone(
    tmp_path: Path, files: dict[str, Content], published: bool
) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    approved = b"[approval]\npaths = ['a.txt']\n"
    repo.commit({"a.txt": b"1\n", ".gitscalpel.toml": approved})
    tree = repo.git("rev-parse", "HEAD^{tree}")
    invalid_files = {path.replace("n.toml", ".gitscalpel.toml"): content for path, content in files.items()}
    removed: dict[str, Content] = {} if ".gitscalpel.toml" in invalid_files else {".gitscalpel.toml": None}
    repo.land({**removed, **invalid_files})  # as by a version with other rules
    if published:
        repo.git("update-ref", "refs/remotes/origin/main", "main")
    error = scalpel(repo.root, "text", "a.txt", "--old", "1", "--new", "2", "--json").error
    assert error["code"] == "config_error"
    if ".gitscalpel.toml" in error["message"]:
        assert "git scalpel undo undoes" in error["hint"]
    assert scalpel(repo.root, "undo", "--json").status == 0
    assert repo.git("rev-parse", "HEAD^{tree}") == tree
    error = scalpel(repo.root, "redo", "--json").error
    assert error["code"] == "config_error"
    assert repo.git("rev-parse", "HEAD^{tree}") == tree


@pytest.mark.parametrize("history", ["nothing", "a landing"])
def test_invalid_rules_committed_by_git_have_a_hint(tmp_path: Path, history: str) -> None:
    """A commit by git cannot be undone by gitscalpel, so the hint must not suggest undo."""
    repo = Sandbox.of(tmp_path / "repo", {"a.txt": b"1\n"})
    if history == "a landing":
        assert scalpel(repo.root, "text", "a.txt", "--old", "1", "--new", "2").status == 0
    repo.commit({".gitscalpel.toml": b"[gate]\n"})
    assert scalpel(repo.root, "init", "--hooks").status == 0  # its hooks must accept the correction
    edit = ("text", "a.txt", "--old", "\n", "--new", " \n", "--json")
    for call in (edit, ("undo", "--json"), ("undo", "--dry-run", "--json")):
        error = scalpel(repo.root, *call).error
        if error["code"] != "nothing_to_undo":
            assert error["code"] == "config_error"
            assert "git scalpel undo" not in error["hint"]
            assert "git commit .gitscalpel.toml" in error["hint"]
    repo.write({".gitscalpel.toml": b"[gates]\n"})
    repo.git("commit", ".gitscalpel.toml", "-m", "Correct it")
    assert scalpel(repo.root, *edit).status == 0


def test_edit_cannot_loosen_its_own_gates(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    repo.commit({"a.py": b"def f():\n    return 1\n"})
    loosen = {"op": "write", "path": ".gitscalpel.toml", "content": "[gates]\nstructure = 'off'\n"}
    edit = {"op": "text", "path": "a.py", "old": "def f():\n    return 1", "new": "def f(a):\n    return a"}
    answer = scalpel(repo.root, "apply", "--json", stdin=json.dumps({"ops": [loosen, edit]}))
    assert (answer.error["code"], answer.error["op"]) == ("structural_gate", 1)
    assert scalpel(repo.root, "apply", "--json", stdin=json.dumps({"ops": [loosen]})).status == 0
    assert scalpel(repo.root, "apply", "--json", stdin=json.dumps({"ops": [edit]})).status == 0


@pytest.mark.parametrize(
    ("content", "suggestion"),
    [
        ('[[gate.command]]\nname = "x"', "did you mean [gates] or [[gates.command]]?"),
        ('[[gates.comand]]\nname = "x"', "did you mean [[gates.command]]?"),
        ('[[command]]\nname = "x"', "did you mean [[gates.command]]?"),
        ("[gates]\nsintax = true", "did you mean gates.syntax?"),
        ("[gates]\nsecrets = true", "it belongs to [policy]"),
        ('[[gates.command]]\nname = "x"\nrun = "y"\npath = []', "did you mean gates.command[0].paths?"),
        ("nothing = 1", "there are gates, policy, approval, record, risk, suggest, worktree"),
    ],
)
def test_unknown_key_suggests_a_similar_one(content: str, suggestion: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        parse_rules(content.encode(), {})
    assert caught.value.message.endswith(f"; {suggestion}")
