"""The rules of a branch: read from its tip, tightened by the user, never loosened by the change itself."""

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
def test_rules(content: bytes | None, personal: dict[str, str], rules: Rules) -> None:
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
def test_a_gate_that_cannot_be_read_is_not_passed_over(
    content: bytes | None, personal: dict[str, str]
) -> None:
    with pytest.raises(Misconfigured) as caught:
        parse_rules(content, personal)
    assert caught.value.code == "config_error"


def test_a_table_that_should_be_several_is_told_so() -> None:
    with pytest.raises(Misconfigured, match=r"gates\.command takes tables: \[\[gates\.command\]\]"):
        parse_rules(b"[gates.command]\nname = 't'\nrun = 'x'\n", {})


def test_a_pattern_in_a_list_that_need_not_be_there_is_explained() -> None:
    with pytest.raises(Misconfigured, match=r"policy\.allow\[0\] takes a pattern as in \.gitignore"):
        parse_rules(b"[policy]\nallow = ['[abc']\n", {})


@pytest.mark.parametrize("pattern", ["x\\", "[z-a]"])
def test_a_pattern_that_cannot_be_read_is_no_defect(tmp_path: Path, pattern: str) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    repo.commit({"a.txt": b"1\n", ".gitscalpel.toml": f"[policy]\ndeny = ['{pattern}']\n".encode()})
    error = scalpel(repo.root, "text", "a.txt", "--old", "1", "--new", "2", "--json").error
    assert error["code"] == "config_error"
    assert repr(pattern) in error["message"]


UNREADABLE = {
    "no such table": {"n.toml": b"[gate]\n"},
    "no TOML": {"n.toml": b"[gates"},
    "a pattern that is none": {"n.toml": b"[policy]\ndeny = ['[z-a]']\n"},
    "a pattern of a symbol that is none": {"n.toml": b"[approval]\nsymbols = ['[z-a]::f']\n"},
    "a folder": {"n.toml/gates": b""},
    "a link": {"n.toml": (SYMLINK, b"a.txt")},
    "rules that are not there": {"n.toml": b"[policy]\nrules = ['rules/*.yml']\n"},
}


@pytest.mark.parametrize("files", UNREADABLE.values(), ids=UNREADABLE)
def test_no_road_leads_to_rules_by_which_nobody_can_be_judged(
    tmp_path: Path, files: dict[str, Content]
) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    repo.commit({"a.txt": b"1\n", **files})
    before = repo.state()
    (name, content), *_ = files.items()
    to = name.replace("n.toml", ".gitscalpel.toml")
    roads = [["run", "--json", "--", "mv", "n.toml", ".gitscalpel.toml"]]
    if not isinstance(content, tuple):
        assert content is not None
        roads += [["mv", name, to, "--json"], ["cp", name, to, "--json"]]
        roads += [["write", to, "--content", content.decode(), "--json"]]
    for road in roads:
        error = scalpel(repo.root, *road).error
        assert (error["code"], "correct the new text" in error["hint"]) == ("config_error", True)
        assert repo.state() == before or road[0] == "run"  # which has a worktree
    assert scalpel(repo.root, "text", "a.txt", "--old", "1", "--new", "2").status == 0


@pytest.mark.parametrize("files", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("published", [False, True])
def test_what_made_the_rules_unreadable_can_be_undone(
    tmp_path: Path, files: dict[str, Content], published: bool
) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    approved = b"[approval]\npaths = ['a.txt']\n"
    repo.commit({"a.txt": b"1\n", ".gitscalpel.toml": approved})
    tree = repo.git("rev-parse", "HEAD^{tree}")
    there = {path.replace("n.toml", ".gitscalpel.toml"): content for path, content in files.items()}
    gone: dict[str, Content] = {} if ".gitscalpel.toml" in there else {".gitscalpel.toml": None}
    repo.land({**gone, **there})  # as by a version that knew other rules
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


@pytest.mark.parametrize("below", ["nothing", "a landing"])
def test_who_cannot_be_judged_is_told_the_way_out(tmp_path: Path, below: str) -> None:
    """A commit made with git is taken back with git: no undo would do that, and none is promised."""
    repo = Sandbox.of(tmp_path / "repo", {"a.txt": b"1\n"})
    if below == "a landing":
        assert scalpel(repo.root, "text", "a.txt", "--old", "1", "--new", "2").status == 0
    repo.commit({".gitscalpel.toml": b"[gate]\n"})
    assert scalpel(repo.root, "init", "--hooks").status == 0  # which let the correction through
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


def test_an_edit_cannot_loosen_the_gates_that_judge_it(tmp_path: Path) -> None:
    repo = Sandbox.init(tmp_path / "repo")
    repo.commit({"a.py": b"def f():\n    return 1\n"})
    loosen = {"op": "write", "path": ".gitscalpel.toml", "content": "[gates]\nstructure = 'off'\n"}
    edit = {"op": "text", "path": "a.py", "old": "def f():\n    return 1", "new": "def f(a):\n    return a"}
    answer = scalpel(repo.root, "apply", "--json", stdin=json.dumps({"ops": [loosen, edit]}))
    assert (answer.error["code"], answer.error["op"]) == ("structural_gate", 1)
    assert scalpel(repo.root, "apply", "--json", stdin=json.dumps({"ops": [loosen]})).status == 0
    assert scalpel(repo.root, "apply", "--json", stdin=json.dumps({"ops": [edit]})).status == 0


@pytest.mark.parametrize(
    ("content", "meant"),
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
def test_a_key_that_there_is_not_is_answered_with_the_one_that_is_meant(content: str, meant: str) -> None:
    with pytest.raises(Misconfigured) as caught:
        parse_rules(content.encode(), {})
    assert caught.value.message.endswith(f"; {meant}")
