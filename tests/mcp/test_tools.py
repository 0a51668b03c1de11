"""Results and effects of the tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from gitscalpel.commands.table import COMMANDS, TOOLS
from tests.command import scalpel
from tests.mcp.client import Client, connect_client
from tests.sandbox import Sandbox

CODE = "def f():\n    return 1\n\n\ndef g():\n    return f()\n"
READING = {
    name
    for name in TOOLS
    if all(verb.access == "look" for verb in COMMANDS.values() for way in verb.ways if way.tool == name)
}
CHANGE: dict[str, Any] = {"ops": [{"op": "text", "path": "a.py", "old": "return 1", "new": "return 2"}]}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", {"a.py": CODE.encode(), "src/b.py": b"from a import f\n\nf()\n"})


def connect_with_all_tools(repo: Sandbox, *options: str) -> Any:
    return connect_client(repo.root, "--allow-edit", "--tools", "all", *options)


def test_editing_tools_need_two_options(repo: Sandbox) -> None:
    for options in ([], ["--allow-edit"], ["--tools", "all"], ["--tools", "look", "edit", "undo"]):
        with connect_client(repo.root, *options) as client:
            assert [name for name in client.tools() if name not in READING] == [], options
            assert client.request_error("tools/call", name="edit", arguments=CHANGE)["code"] == -32602
    assert (repo.root / "a.py").read_text() == CODE


def test_only_named_tools_are_offered(repo: Sandbox) -> None:
    with connect_client(repo.root, "--allow-edit", "--tools", "look,edit", "write") as client:
        assert list(client.tools()) == ["look", "edit", "write"]


def test_command_as_tool_has_its_required_fields(repo: Sandbox) -> None:
    named = [verb.name for verb in COMMANDS.values() if not verb.in_shell and verb.name not in TOOLS]
    with connect_client(repo.root, "--allow-edit", "--tools", *named) as client:
        for name, tool in client.tools().items():
            needed = [each.name for each in msgspec.structs.fields(COMMANDS[name].request) if each.required]
            assert tool["inputSchema"].get("required", []) == needed
            assert set(needed) <= tool["inputSchema"]["properties"].keys()
        done = client.call("run", command=["sh", "-c", "echo 'x = 1' > new.py"], onto="main")
    assert (done["state"], repo.files()["new.py"]) == ("landed", b"x = 1\n")


@pytest.mark.parametrize("option", ["--tools", "--confirm"])
def test_shell_command_is_not_a_tool(repo: Sandbox, option: str) -> None:
    for verb in (verb for verb in COMMANDS.values() if verb.in_shell):
        done = scalpel(repo.root, "mcp", option, verb.name)
        assert done.status == 2
        assert verb.name in done.err


def test_tools_have_annotations_and_schemas(repo: Sandbox) -> None:
    with connect_with_all_tools(repo, "--output-schemas") as client:
        tools = client.tools()
    for tool in tools.values():
        hints = tool["annotations"]
        assert set(hints) == {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert hints["readOnlyHint"] == (tool["name"] in READING)
        assert tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"


def test_look_reads_files_symbols_lines_directories_and_matches(repo: Sandbox) -> None:
    with connect_client(repo.root) as client:
        assert client.call("look", path="a.py")["content"] == CODE
        assert client.call("look", path="a.py", symbol="g")["content"] == "def g():\n    return f()"
        assert client.call("look", path="a.py", start="2-3")["span"] == [2, 3]
        assert [file["path"] for file in client.call("look")] == ["a.py", "src/b.py"]
        assert [file["path"] for file in client.call("look", path="src")] == ["src/b.py"]
        assert [row["name"] for row in client.call("look", find="function")["matches"]] == ["f", "g"]
        shown = client.call_result("look", path=str(repo.root / "a.py"), start=1, end=1, hashes=True)
    assert (
        shown["content"][0]["text"] == f"1:{shown['structuredContent']['data']['lines'][0]['hash']}| def f():"
    )


def test_look_accepts_each_spelling_of_the_root(repo: Sandbox) -> None:
    with connect_client(repo.root) as client:
        everything, found = client.call("look"), client.call("look", find="function")
        assert [file["path"] for file in everything] == ["a.py", "src/b.py"]
        for path in ("", ".", "./", str(repo.root), f"{repo.root}/"):
            assert client.call("look", path=path) == everything
            assert client.call("look", path=path, find="function") == found


def test_look_shows_symbols_of_a_long_file(repo: Sandbox) -> None:
    repo.commit({"long.py": "".join(f"def f{n}():\n    pass\n\n\n" for n in range(200)).encode()})
    with connect_client(repo.root) as client:
        result = client.call_result("look", path="long.py")
        assert len(client.call("look", path="long.py", start=1, end=800)["content"]) > 4000
    assert result["structuredContent"]["command"] == "outline"
    assert "800 lines: name a symbol" in result["content"][0]["text"]
    assert len(result["structuredContent"]["data"][0]["symbols"]) == 200


def test_edit_of_the_checkout_can_be_undone_and_redone(repo: Sandbox) -> None:
    with connect_with_all_tools(repo) as client:
        done = client.call("edit", **CHANGE)
        assert (done["state"], done["target"]) == ("edited", "@checkout")
        assert (repo.root / "a.py").read_text() == CODE.replace("1", "2")
        assert client.call("undo")["tx"] == done["tx"]
        assert (repo.root / "a.py").read_text() == CODE
        client.call("undo", do="redo")
        assert (repo.root / "a.py").read_text() == CODE.replace("1", "2")
        assert [row["agent"] for row in client.call("log")] == ["tests"] * 3


def test_edit_lands_on_the_named_branch(repo: Sandbox) -> None:
    with connect_with_all_tools(repo, "--onto", "main") as client:
        assert client.call("edit", **CHANGE)["state"] == "landed"
        assert client.call("look", path="a.py", symbol="f")["content"] == "def f():\n    return 2"
        assert client.call(
            "edit", patch="a.py\n<<<<<<< SEARCH\n    return 2\n=======\n    return 3\n>>>>>>> REPLACE\n"
        )
        again = {"ops": [{"op": "text", "path": "a.py", "old": "3", "new": "4"}]}
        assert client.call("edit", **again, onto="@checkout")["state"] == "edited"
    assert repo.git("show", "main:a.py").endswith("return f()")
    assert "return 3" in repo.git("show", "main:a.py")
    assert "return 4" in (repo.root / "a.py").read_text()


def test_hint_for_an_unknown_argument_of_edit_lists_the_schema(repo: Sandbox) -> None:
    with connect_with_all_tools(repo) as client:
        error = client.call_error("edit", **CHANGE, changesets=1)
        known = list(client.tools()["edit"]["inputSchema"]["properties"])
        assert error["message"] == "unknown argument: changesets"
        assert error["hint"].endswith(f"it takes {', '.join(known)}")
        assert {"ops", "patch", "imports"} <= {*known}
        assert client.call_error("edit", **CHANGE, changeset="{}")["message"] == "unknown argument: changeset"
    assert repo.status() == ""


def test_transaction_collects_edits_until_it_lands(repo: Sandbox) -> None:
    with connect_with_all_tools(repo) as client:
        tx = client.call("transaction", do="begin", message="Two")["tx"]
        client.call("edit", **CHANGE, tx=tx)
        client.call("rename", path="a.py", symbol="g", to="h", tx=tx)
        assert client.call("diff", tx=tx)["tx"] == tx
        assert client.call("look", path="a.py", symbol="h", tx=tx)["content"].startswith("def h")
        assert {gate["status"] for gate in client.call("check", tx=tx)["gates"]} <= {"passed", "skipped"}
        assert [row["tx"] for row in client.call("transaction", do="list")["transactions"]] == [tx]
        assert client.call("land", tx=tx)["state"] == "landed"
        other = client.call(
            "edit", **CHANGE | {"ops": [{"op": "write", "path": "n.py", "content": "n = 1\n"}]}, no_land=True
        )
        assert client.call("transaction", do="drop", ids=[other["tx"]])["state"] == "dropped"
    assert (repo.root / "a.py").read_text() == CODE.replace("1", "2").replace("def g", "def h")


def test_refs_rename_imports_and_move(repo: Sandbox) -> None:
    with connect_with_all_tools(repo) as client:
        assert len(client.call("refs", path="a.py", symbol="f")["references"]) == 3
        assert len(client.call("rename", path="a.py", symbol="f", to="first")["files"]) == 2
        client.call("imports", path="src/b.py", add=["import os"])
        client.call("move", path="a.py", symbol="g", to_path="c.py")
    assert (repo.root / "src/b.py").read_text() == "import os\n\nfrom a import first\n\nfirst()\n"
    assert "def g" in (repo.root / "c.py").read_text()


def test_snapshot_is_taken_listed_and_restored(repo: Sandbox) -> None:
    with connect_with_all_tools(repo) as client:
        taken = client.call("snapshot", message="before")["id"]
        (repo.root / "a.py").write_text("broken")
        assert [row["id"] for row in client.call("snapshot", do="list")] == [taken]
        client.call("snapshot", do="restore", id=taken)
    assert (repo.root / "a.py").read_text() == CODE


def test_refusal_contains_a_call_to_retry(repo: Sandbox) -> None:
    wrong = {"op": "text", "path": "a.py", "old": "return", "new": "yield", "count": 7}
    with connect_with_all_tools(repo) as client:
        error = client.call_error("edit", message="M", ops=[CHANGE["ops"][0], wrong])
        assert (error["code"], error["op"]) == ("count_mismatch", 1)
        retry = error["retry"]
        assert retry == {
            "tool": "edit",
            "arguments": {"message": "M", "ops": [CHANGE["ops"][0], {**wrong, "count": 2}]},
        }
        assert (repo.root / "a.py").read_text() == CODE
        client.call(retry["tool"], **retry["arguments"])
    assert (repo.root / "a.py").read_text() == CODE.replace("return 1", "yield 2").replace("return", "yield")


@pytest.mark.parametrize(
    ("tool", "arguments", "hint"),
    [
        ("edit", {}, "such as ops"),
        ("edit", {"ops": [], "patch": "x"}, "such as ops"),
        ("edit", {"ops": []}, "add at least one"),
        ("edit", {"ops": "x"}, "ops"),
        ("edit", {**CHANGE, "mesage": "M"}, "did you mean message?"),
        ("look", {"path": "nothing.py"}, ""),
        ("look", {"file": "a.py"}, "it takes"),
        ("look", {"paths": ["a.py"]}, "did you mean path?"),
        ("rename", {"symbol": "f", "to": "g"}, "give path, to"),
        ("look", {"path": 7}, "schema"),
        ("undo", {"do": "everything"}, "undo, redo"),
        ("undo", {"do": ["undo"]}, "undo, redo"),
        ("refs", {"path": "a.py", "symbol": "f", "onto": "ma\0in"}, "remove it"),
        ("undo", {"txx": "a"}, "did you mean tx?"),
        ("transaction", {}, "begin, list"),
        ("transaction", {"do": "list", "message": "x"}, "it takes risk"),
        ("snapshot", {"command": ["sh"]}, "it takes message"),
        ("land", {}, "transaction"),
    ],
)
def test_refusal_contains_a_hint(repo: Sandbox, tool: str, arguments: dict[str, Any], hint: str) -> None:
    with connect_with_all_tools(repo) as client:
        error = client.call_error(tool, **arguments)
    assert error["message"]
    assert hint in error["hint"]


def test_call_selects_one_of_several_repositories(repo: Sandbox, tmp_path: Path) -> None:
    other = Sandbox.of(tmp_path / "other", {"x.py": b"x = 1\n"})
    with connect_client(tmp_path, "--root", str(repo.root), "--root", str(other.root)) as client:
        assert client.tools()["look"]["inputSchema"]["properties"]["root"]["enum"] == [
            str(repo.root),
            str(other.root),
        ]
        assert "set `root` to one of" in client.call_error("look", path="x.py")["hint"]
        assert client.call("look", path="x.py", root=str(other.root))["content"] == "x = 1\n"
        assert client.call("look", path="a.py", root="repo")["content"] == CODE


def test_call_outside_of_a_repository_is_refused(tmp_path: Path) -> None:
    with connect_client(tmp_path) as client:
        assert client.call_error("status")["code"] == "not_a_repository"


def test_progress_is_sent_for_a_progress_token(repo: Sandbox) -> None:
    gate = b'[[gates.command]]\nname = "tests"\nrun = "echo one; echo two"\n'
    repo.commit({".gitscalpel.toml": gate})
    assert scalpel(repo.root, "trust").status == 0
    with connect_with_all_tools(repo, "--onto", "main") as client:
        result = client.call_result("edit", **CHANGE, _meta={"progressToken": "p"})
        assert not result["isError"], result
        progress = [message["params"] for message in client.notifications]
    assert progress
    assert [each["progress"] for each in progress] == list(range(1, len(progress) + 1))
    assert {each["progressToken"] for each in progress} == {"p"}


def send_edits(client: Client, count: int) -> list[int]:
    numbers = []
    for n in range(count):
        op = {"op": "write", "path": f"new/{n}.py", "content": f"n = {n}\n"}
        numbers.append(client.send("tools/call", name="edit", arguments={"ops": [op]}))
    return numbers


def test_concurrent_calls_all_succeed(repo: Sandbox) -> None:
    with connect_with_all_tools(repo) as client:
        pending = set(send_edits(client, 12))
        while pending:
            message = client.read_message()
            assert not message["result"]["isError"], message
            pending.remove(message["id"])
    assert sorted(path.name for path in (repo.root / "new").iterdir()) == sorted(f"{n}.py" for n in range(12))


def test_look_limits_levels_of_a_large_directory(tmp_path: Path) -> None:
    methods = "".join(f"    def m{n}(self): ...\n" for n in range(60))
    files = {f"p/{n}.py": f"class A:\n{methods}".encode() for n in range(8)}
    many = {f"q/{n}.md": b"# x\n" for n in range(500)}
    repo = Sandbox.of(tmp_path / "many", {**files, **many, "r/one.py": b"def f(): ...\n"})
    with connect_client(repo.root) as client:
        level = client.call_result("look", path="p")
        assert [len(file["symbols"]) for file in level["structuredContent"]["data"]] == [1] * 8
        assert all(not s["children"] for file in level["structuredContent"]["data"] for s in file["symbols"])
        assert "there are 488 symbols in 8 files: name a folder or a file" in level["content"][0]["text"]
        whole = client.call_result("look")["structuredContent"]
        assert len(whole["data"]) == 400
        assert "989 symbols in 509 files, of which 400 are shown" in whole["warnings"][0]
        assert client.call("look", path="r")[0]["symbols"][0]["name"] == "f"
