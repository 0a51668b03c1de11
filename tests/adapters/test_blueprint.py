"""Tools ``file_read`` and ``file_edit`` of the dialects blueprint and file-edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.dialect_server import DialectAgent, apply_call, serve_dialects
from tests.sandbox import Sandbox

SERVICE = """\
import { db } from './db';

export class UserService {
  constructor(private readonly source = db) {}

  // One user, or nobody.
  findById(id: string) {
    return this.source[id];
  }

  create(name: string) {
    return name;
  }
}
"""
DB = "export const db: Record<string, string> = {};\n"
USER = "import { UserService } from './service';\n\nnew UserService().findById('1');\n"
FILES = {"service.ts": SERVICE, "db.ts": DB, "user.ts": USER}
BODY = "  findById(id: string) {\n    return this.source[id] ?? 'nobody';\n  }"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Sandbox.of(tmp_path / "r", {name: code.encode() for name, code in FILES.items()}).root


def edit(agent: DialectAgent, code: str, **at: object) -> str:
    return agent.call("file_edit", file="service.ts", code=code, **at)


@pytest.mark.parametrize("dialect", ["blueprint", "file-edit"])
def test_file_read_shows_a_symbol_with_its_context(root: Path, dialect: str) -> None:
    with serve_dialects(root, dialect) as agent:
        assert agent.call("file_read", file="service.ts", target="UserService.findById").splitlines() == [
            "## file_read: service.ts → UserService.findById",
            "Symbol: findById (method)",
            "Parent: UserService (class)",
            "Range: lines 6-9 of 14",
            "```typescript",
            "  // One user, or nobody.",
            "  findById(id: string) {",
            "    return this.source[id];",
            "  }",
            "```",
            "Siblings: constructor, create",
        ]
        whole = agent.call("file_read", file="service.ts", target="UserService", maxDepth=1)
        assert "Symbol: UserService (class)" in whole
        assert "Children: constructor, findById, create" in whole.splitlines()
        bare = agent.call("file_read", file="service.ts", target="UserService.create", includeMetadata=False)
        assert bare == "  create(name: string) {\n    return name;\n  }"


def test_file_read_shows_lines_and_whole_files(root: Path) -> None:
    with serve_dialects(root, "blueprint") as agent:
        two = agent.call(
            "file_read", file="service.ts", startLine=7, endLine=8, includeMetadata=True, maxDepth=1
        )
        assert "Range: lines 7-8 of 14" in two
        assert "  findById(id: string) {\n    return this.source[id];\n```" in two
        assert "Children" not in two
        whole = agent.call("file_read", file=str(root / "service.ts"))
        assert "Range: lines 1-14 of 14" in whole
        assert "UserService.findById" in whole.splitlines()[-1]
        assert "Children" not in agent.call("file_read", file="service.ts", maxDepth=0)
        assert "Range: lines 11-14" in agent.call("file_read", file="service.ts", startLine=11)
        assert "has 14" in agent.call_error("file_read", file="service.ts", startLine=20)
        assert "not lines" in agent.call_error("file_read", file="service.ts", startLine=3, endLine=2)


def test_file_edit_keeps_the_indentation(root: Path) -> None:
    with serve_dialects(root, "blueprint") as agent:
        output = edit(agent, BODY, target="UserService.findById")
        assert output.splitlines()[:5] == [
            "## file_edit: service.ts → UserService.findById",
            "success: applied (service.ts +1 -1)",
            "intents: body_change UserService.findById",
            "propagated: none",
            "fixed: none",
        ]
        assert output.splitlines()[5] == "remaining: none (diagnostics are not configured)"
        assert agent.read("service.ts") == SERVICE.replace("[id];", "[id] ?? 'nobody';")


@pytest.mark.parametrize("dialect", ["blueprint", "file-edit"])
def test_renamed_class_is_renamed_in_its_uses(root: Path, dialect: str) -> None:
    code = SERVICE[SERVICE.index("export class") :].replace("UserService", "AuthService")
    with serve_dialects(root, dialect) as agent:
        output = edit(agent, code, target="UserService")
        assert "renamed UserService to AuthService" in output
        assert "intents: rename UserService → AuthService" in output
        assert "user.ts" in next(
            line for line in output.splitlines() if line.startswith("propagated: rename")
        )
        assert agent.read("user.ts") == USER.replace("UserService", "AuthService")
        assert agent.read("service.ts") == SERVICE.replace("UserService", "AuthService")


def test_method_is_renamed_and_changed(root: Path) -> None:
    with serve_dialects(root, "blueprint") as agent:
        edit(agent, BODY.replace("findById", "lookup"), target="UserService.findById")
        assert agent.read("user.ts") == USER.replace("findById", "lookup")
        assert "?? 'nobody'" in agent.read("service.ts")


def test_line_edit_that_renames_a_method_renames_its_uses(root: Path) -> None:
    with serve_dialects(root, "blueprint") as agent:
        code = "  lookup(id: string) {\n    return this.source[id];"
        output = edit(agent, code, startLine=7, endLine=8)
        assert "rename UserService.findById" in output
        assert agent.read("user.ts") == USER.replace("findById", "lookup")


def test_file_edit_replaces_lines_and_files(root: Path) -> None:
    with serve_dialects(root, "blueprint") as agent:
        edit(agent, "    return this.source[id] ?? '';", startLine=8, endLine=8)
        assert agent.read("service.ts") == SERVICE.replace("[id];", "[id] ?? '';")
        assert "only one end" in agent.call_error("file_edit", file="service.ts", code="x", startLine=8)
        agent.call("file_edit", file="new/a.ts", code="export const a = 1;\n")
        assert agent.read("new/a.ts") == "export const a = 1;\n"
        agent.call("file_edit", file="new/a.ts", code="export const a = 2;\n")
        assert agent.read("new/a.ts") == "export const a = 2;\n"


@pytest.mark.parametrize(("old", "new"), [("UserService", "AuthService"), ("findById", "lookup")])
def test_file_replacement_that_renames_renames_the_uses(root: Path, old: str, new: str) -> None:
    with serve_dialects(root, "blueprint") as agent:
        code = SERVICE.replace(old, new).replace("return name", "return name + '!'")
        edit(agent, code)
        assert agent.read("service.ts") == code
        assert agent.read("user.ts") == USER.replace(old, new)


def test_empty_code_deletes_and_lists_the_uses(root: Path) -> None:
    with serve_dialects(root, "blueprint") as agent:
        output = edit(agent, "", target="UserService.findById")
        assert "intents: delete UserService.findById" in output
        assert "user.ts:3" in output


def test_apply_accepts_file_edit_calls(root: Path) -> None:
    sent = {
        "name": "file_edit",
        "arguments": {"file": "service.ts", "target": "UserService.findById", "code": BODY},
    }
    assert apply_call(root, sent)["ok"]
    assert "?? 'nobody'" in (root / "service.ts").read_text()


def test_unfitting_calls_are_listed_as_remaining(root: Path) -> None:
    with serve_dialects(root, "blueprint") as agent:
        code = "  findById(id: string, deep: boolean) {\n    return deep ? this.source[id] : id;\n  }"
        output = edit(agent, code, target="UserService.findById")
        assert output.splitlines()[1].endswith("; 1 remaining")
        assert "\n  user.ts:3: " in output[output.index("remaining: 1") :]


def test_code_with_several_definitions_adds_the_others(root: Path) -> None:
    with serve_dialects(root, "blueprint") as agent:
        more = "  update(id: string) {\n    return id;\n  }"
        output = edit(agent, f"{BODY}\n\n{more}", target="UserService.findById")
        assert "add UserService.update" in output
        code = SERVICE.replace("[id];\n  }\n", f"[id] ?? 'nobody';\n  }}\n\n{more}\n")
        assert agent.read("service.ts") == code
        other = "  one() {\n    return 1;\n  }\n\n  two() {\n    return 2;\n  }"
        error = agent.call_error("file_edit", file="service.ts", target="UserService.create", code=other)
        assert error.startswith("Error: the code defines")
