"""What agents' own tools do is judged before, and recorded after, whatever it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents.agent import Agent
from tests.command import scalpel
from tests.sandbox import Sandbox

A = b"def f():\n    return 1\n\n\ndef g():\n    return f()\n"
FILES = {"a.py": A, "dos.py": A.replace(b"\n", b"\r\n"), ".gitignore": b".env\n*.log\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


@pytest.fixture
def agent(repo: Sandbox) -> Agent:
    one = Agent(repo.root)
    one.send("SessionStart", source="startup")
    return one


def steps(repo: Sandbox) -> list[tuple[str, str]]:
    """What the log says, the oldest first: the message, and the agent."""
    return [(row["message"], row["agent"]) for row in scalpel(repo.root, "log", "--json").data][::-1]


def content(repo: Sandbox) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in repo.root.iterdir() if path.is_file()}


def test_an_edit_is_a_step(repo: Sandbox, agent: Agent) -> None:
    assert agent.edit("a.py", "return 1", "return 2") is None
    assert steps(repo) == [("Edit a.py", "claude")]
    assert scalpel(repo.root, "undo", "--agent", "claude").status == 0
    assert content(repo) == FILES


def test_an_edit_that_breaks_the_file_is_refused_before_it_is_made(repo: Sandbox, agent: Agent) -> None:
    why = agent.edit("a.py", "return 1", "return (")
    assert why is not None
    assert why.startswith("syntax_error: a.py would no longer parse")
    assert (content(repo), steps(repo)) == (FILES, [])


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("def f():\n    return 1", "def h():\n    return 1", "structural_gate"),
        ("    return", "    yield", "ambiguous"),
        ("nowhere", "x", "not_found"),
        ("return 1", "# ... existing code ...", "no_change"),
    ],
)
def test_what_an_edit_of_ours_would_refuse(
    repo: Sandbox, agent: Agent, old: str, new: str, code: str
) -> None:
    assert str(agent.edit("a.py", old, new)).startswith(code)
    assert content(repo) == FILES


def test_definitions_that_are_shown_whole_may_go(repo: Sandbox, agent: Agent) -> None:
    whole = "def g():\n    return f()\n"
    assert agent.edit("a.py", f"\n\n{whole}", "") is None
    assert (repo.root / "a.py").read_bytes() == b"def f():\n    return 1\n"
    assert steps(repo) == [("Edit a.py", "claude")]
    (repo.root / ".gitscalpel.toml").write_text('[policy]\ndeny = ["dos.py"]\n')
    repo.git("add", "-A")
    repo.git("commit", "-qm", "rules")
    assert str(agent.edit("dos.py", whole, "")).startswith("policy_denied")


@pytest.mark.parametrize(
    ("old", "new", "command"),
    [
        ("def g():\n    return f()\n", "x = 1\n", "git scalpel delete a.py::g --checkout"),
        ("def f():\n    return 1", "def h():\n    return 2", "git scalpel rename a.py::f h --checkout"),
        ("def f():\n    return 1", "def f(x):\n    return x", "git scalpel signature a.py::f --checkout"),
    ],
)
def test_what_text_may_not_do_is_done_by_a_command(
    repo: Sandbox, agent: Agent, old: str, new: str, command: str
) -> None:
    why = str(agent.edit("a.py", old, new))
    assert why.splitlines()[1:] == [f"in a shell: {command}"]
    assert content(repo) == FILES


def test_line_endings_are_given_back(repo: Sandbox, agent: Agent) -> None:
    assert agent.edit("dos.py", "return 1", "return 2") is None
    assert (repo.root / "dos.py").read_bytes() == FILES["dos.py"].replace(b"1", b"2")


def test_its_shells_know_who_it_is(
    repo: Sandbox, agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "variables"
    file.write_text("export A=1\n")
    monkeypatch.setenv("CLAUDE_ENV_FILE", str(file))
    for source in ("startup", "resume"):
        agent.send("SessionStart", source=source)
    assert file.read_text() == "export A=1\nexport SCALPEL_AGENT=claude\n"
    assert agent.edit("a.py", "return 1", "return 2") is None
    monkeypatch.setenv("SCALPEL_AGENT", "claude")
    assert scalpel(repo.root, "undo").status == 0
    assert content(repo) == FILES
    monkeypatch.setenv("CLAUDE_ENV_FILE", str(tmp_path / "gone" / "variables"))
    agent.send("SessionStart", source="startup")


def test_a_command_is_a_step_with_all_that_it_did(repo: Sandbox, agent: Agent) -> None:
    command = "rm a.py; echo n > n.txt; mkdir d; echo m > d/m; echo x > x.log"
    assert agent.bash(command) is None
    assert [words for words, _ in steps(repo)] == [f"Run {command}"]
    scalpel(repo.root, "undo", "--agent", "claude")
    assert content(repo) == {**FILES, "x.log": b"x\n"}
    assert not (repo.root / "d/m").exists()


def test_what_nobody_told_is_found_by_the_next_event(repo: Sandbox, agent: Agent) -> None:
    (repo.root / "a.py").write_bytes(A.replace(b"1", b"7"))
    assert agent.bash("true") is None
    assert [words for words, _ in steps(repo)] == ["Changed outside of the agent's tools"]
    (repo.root / "a.py").write_bytes(A.replace(b"1", b"8"))
    agent.send("Stop")
    assert len(steps(repo)) == 2


def test_edits_of_ours_are_not_told_twice(repo: Sandbox, agent: Agent) -> None:
    scalpel(repo.root, "text", "a.py", "--old", "1", "--new", "2", "--checkout")
    agent.send("UserPromptSubmit", prompt="x")
    assert len(steps(repo)) == 1


def test_who_of_several_did_it(repo: Sandbox, agent: Agent) -> None:
    helper = Agent(repo.root, "reviewer")
    helper.edit("a.py", "return 1", "return 2")
    agent.write("new.py", "x = 1\n")
    assert steps(repo) == [("Edit a.py", "claude reviewer"), ("Write new.py", "claude")]


def test_files_elsewhere_and_no_repository_are_none_of_ours(
    repo: Sandbox, agent: Agent, tmp_path: Path
) -> None:
    other = tmp_path / "other.py"
    other.write_bytes(A)
    call = {"file_path": str(other), "old_string": "return 1", "new_string": "return ("}
    assert agent.tool("Edit", **call) is None
    assert steps(repo) == []
    outside = Agent(tmp_path)
    assert outside.send("PreToolUse", tool_name="Edit", tool_input=call).out.strip() == ""


def test_a_patch_of_codex(repo: Sandbox) -> None:
    codex = Agent(repo.root, of="codex")
    codex.send("SessionStart")
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-    return 1\n+    return {}\n*** End Patch\n"
    assert str(codex.tool("apply_patch", command=patch.format("("))).startswith("syntax_error")
    assert codex.tool("apply_patch", command=patch.format("2")) is None
    assert steps(repo) == [("apply_patch", "codex")]


def test_of_a_patch_of_codex_what_lies_apart_is_its_own(repo: Sandbox) -> None:
    codex = Agent(repo.root, of="codex")
    codex.send("SessionStart")
    (repo.root / "x.log").write_text("one\n")
    log = "*** Update File: x.log\n@@\n-one\n+two\n"
    code = "*** Update File: a.py\n@@\n-    return 1\n+    return {}\n"
    for parts in ((log, code), (code, log)):
        patch = "*** Begin Patch\n" + "".join(parts) + "*** End Patch\n"
        said = codex.tool("apply_patch", command=patch.format("("))
        assert str(said).startswith("syntax_error")
    assert codex.tool("apply_patch", command=f"*** Begin Patch\n{log}*** End Patch\n") is None


def test_a_worktree_is_a_transactions(repo: Sandbox, agent: Agent) -> None:
    (repo.root / ".env").write_text("secret\n")
    (repo.root / "x.log").write_text("log\n")
    (repo.root / ".worktreeinclude").write_text(".env\n")
    place = Path(agent.send("WorktreeCreate", name="bold-oak").out.strip())
    assert (place / ".env").read_text() == "secret\n"
    assert not (place / "x.log").exists()
    (place / "a.py").write_bytes(A.replace(b"1", b"2"))
    done = json.loads(agent.send("WorktreeRemove", worktree_path=str(place)).out or "{}")
    assert done == {}
    (row,) = scalpel(repo.root, "list", "--json").data["transactions"]
    assert (row["message"], row["paths"]) == ("Work in bold-oak", ["a.py"])
    assert scalpel(repo.root, "land", row["tx"]).status == 0
    assert content(repo)["a.py"] == A.replace(b"1", b"2")


def test_what_is_no_event_is_said(repo: Sandbox) -> None:
    for text in ("", "[]", '{"cwd": "."}', "no json"):
        answer = scalpel(repo.root, "agent", "claude", "-", "--json", stdin=text)
        assert (answer.status, answer.error["code"]) == (78, "unavailable"), "2 would block the agent's tool"


def test_an_agent_goes_on_where_there_is_nothing_to_judge_in(repo: Sandbox, agent: Agent) -> None:
    place = Path(agent.send("WorktreeCreate", name="bold-oak").out.strip())
    bare = repo.root.parent / "bare.git"
    repo.git("clone", "-q", "--bare", ".", str(bare))
    for folder in (place, bare):
        call = {"file_path": str(folder / "a.py"), "content": "x = 1\n"}
        for name in ("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"):
            told = Agent(folder).send(name, tool_name="Write", tool_input=call)
            assert (told.status, told.out.strip()) == (0, "")


@pytest.mark.parametrize("path", ["a\0.py", "", None, "\\udc80.py", 1, "x" * 5000])
def test_paths_that_no_file_has_are_the_agents_own(agent: Agent, path: object) -> None:
    call = {"file_path": path, "content": "x = 1\n"}
    told = agent.send("PreToolUse", tool_name="Write", tool_input=call)
    assert told.status == 0, told.err


def test_fields_of_an_event_that_say_nothing(repo: Sandbox, agent: Agent) -> None:
    told = agent.send(
        "PreToolUse", tool_name="Bash", tool_input=None, tool_use_id=None, agent_type=None, name=1
    )
    assert (told.status, told.out.strip()) == (0, "")


def test_ignored_files_and_those_of_other_repositories_are_the_agents_own(
    repo: Sandbox, agent: Agent
) -> None:
    (repo.root / ".env").write_text("K=1\n")
    inner = Sandbox.of(repo.root / "lib/inner", {"b.py": A})
    assert agent.edit(".env", "K=1", "K=2") is None
    assert agent.edit("lib/inner/b.py", "return 1", "return (") is None
    assert str(agent.write("lib/inner/.git/config", "x")).startswith("path_denied")
    assert str(agent.write(".git/config", "x")).startswith("path_denied")
    assert [words for words, _ in steps(repo)] == []
    assert inner.git("status", "--porcelain") == " M b.py"


def test_an_agent_resolves_a_conflict(repo: Sandbox, agent: Agent) -> None:
    both = "<<<<<<< a\nx = 1\n=======\nx = 2\n>>>>>>> b\n"
    (repo.root / "c.py").write_text(both)
    assert agent.edit("c.py", both, "x = 1\n") is None
    assert (repo.root / "c.py").read_text() == "x = 1\n"
