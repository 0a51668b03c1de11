"""The blueprint's file_read and file_edit, and the same calls to the dialect file-edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.speaking import Speaker, applied, speaking
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


def edit(agent: Speaker, code: str, **at: object) -> str:
    return agent.told("file_edit", file="service.ts", code=code, **at)


@pytest.mark.parametrize("dialect", ["blueprint", "file-edit"])
def test_a_symbol_is_read_with_what_is_around_it(root: Path, dialect: str) -> None:
    with speaking(root, dialect) as agent:
        assert agent.told("file_read", file="service.ts", target="UserService.findById").splitlines() == [
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
        whole = agent.told("file_read", file="service.ts", target="UserService", maxDepth=1)
        assert "Symbol: UserService (class)" in whole
        assert "Children: constructor, findById, create" in whole.splitlines()
        bare = agent.told("file_read", file="service.ts", target="UserService.create", includeMetadata=False)
        assert bare == "  create(name: string) {\n    return name;\n  }"


def test_lines_and_whole_files_are_read(root: Path) -> None:
    with speaking(root, "blueprint") as agent:
        two = agent.told(
            "file_read", file="service.ts", startLine=7, endLine=8, includeMetadata=True, maxDepth=1
        )
        assert "Range: lines 7-8 of 14" in two
        assert "  findById(id: string) {\n    return this.source[id];\n```" in two
        assert "Children" not in two
        whole = agent.told("file_read", file=str(root / "service.ts"))
        assert "Range: lines 1-14 of 14" in whole
        assert "UserService.findById" in whole.splitlines()[-1]
        assert "Children" not in agent.told("file_read", file="service.ts", maxDepth=0)
        assert "Range: lines 11-14" in agent.told("file_read", file="service.ts", startLine=11)
        assert "has 14" in agent.refused("file_read", file="service.ts", startLine=20)
        assert "not lines" in agent.refused("file_read", file="service.ts", startLine=3, endLine=2)


def test_a_body_is_replaced_at_its_indentation(root: Path) -> None:
    with speaking(root, "blueprint") as agent:
        told = edit(agent, BODY, target="UserService.findById")
        assert told.splitlines()[:5] == [
            "## file_edit: service.ts → UserService.findById",
            "success: applied (service.ts +1 -1)",
            "intents: body_change UserService.findById",
            "propagated: none",
            "fixed: none",
        ]
        assert told.splitlines()[5] == "remaining: none (diagnostics are not configured)"
        assert agent.read("service.ts") == SERVICE.replace("[id];", "[id] ?? 'nobody';")


@pytest.mark.parametrize("dialect", ["blueprint", "file-edit"])
def test_another_name_renames_wherever_it_is_used(root: Path, dialect: str) -> None:
    code = SERVICE[SERVICE.index("export class") :].replace("UserService", "AuthService")
    with speaking(root, dialect) as agent:
        told = edit(agent, code, target="UserService")
        assert "renamed UserService to AuthService" in told
        assert "intents: rename UserService → AuthService" in told
        assert "user.ts" in next(line for line in told.splitlines() if line.startswith("propagated: rename"))
        assert agent.read("user.ts") == USER.replace("UserService", "AuthService")
        assert agent.read("service.ts") == SERVICE.replace("UserService", "AuthService")


def test_a_method_gets_another_name_and_another_body(root: Path) -> None:
    with speaking(root, "blueprint") as agent:
        edit(agent, BODY.replace("findById", "lookup"), target="UserService.findById")
        assert agent.read("user.ts") == USER.replace("findById", "lookup")
        assert "?? 'nobody'" in agent.read("service.ts")


def test_lines_that_rename_a_definition_rename_its_uses(root: Path) -> None:
    with speaking(root, "blueprint") as agent:
        code = "  lookup(id: string) {\n    return this.source[id];"
        told = edit(agent, code, startLine=7, endLine=8)
        assert "rename UserService.findById" in told
        assert agent.read("user.ts") == USER.replace("findById", "lookup")


def test_lines_and_files_are_replaced(root: Path) -> None:
    with speaking(root, "blueprint") as agent:
        edit(agent, "    return this.source[id] ?? '';", startLine=8, endLine=8)
        assert agent.read("service.ts") == SERVICE.replace("[id];", "[id] ?? '';")
        assert "missing" in agent.refused("file_edit", file="service.ts", code="x", startLine=8)
        agent.told("file_edit", file="new/a.ts", code="export const a = 1;\n")
        assert agent.read("new/a.ts") == "export const a = 1;\n"
        agent.told("file_edit", file="new/a.ts", code="export const a = 2;\n")
        assert agent.read("new/a.ts") == "export const a = 2;\n"


@pytest.mark.parametrize(("old", "new"), [("UserService", "AuthService"), ("findById", "lookup")])
def test_a_file_with_another_name_renames_its_uses(root: Path, old: str, new: str) -> None:
    with speaking(root, "blueprint") as agent:
        code = SERVICE.replace(old, new).replace("return name", "return name + '!'")
        edit(agent, code)
        assert agent.read("service.ts") == code
        assert agent.read("user.ts") == USER.replace(old, new)


def test_empty_code_deletes_and_tells_who_uses_it(root: Path) -> None:
    with speaking(root, "blueprint") as agent:
        told = edit(agent, "", target="UserService.findById")
        assert "intents: delete UserService.findById" in told
        assert "user.ts:3" in told


def test_its_calls_are_applied(root: Path) -> None:
    sent = {
        "name": "file_edit",
        "arguments": {"file": "service.ts", "target": "UserService.findById", "code": BODY},
    }
    assert applied(root, sent)["ok"]
    assert "?? 'nobody'" in (root / "service.ts").read_text()


def test_calls_that_no_longer_fit_remain(root: Path) -> None:
    with speaking(root, "blueprint") as agent:
        code = "  findById(id: string, deep: boolean) {\n    return deep ? this.source[id] : id;\n  }"
        told = edit(agent, code, target="UserService.findById")
        assert told.splitlines()[1].endswith("; 1 remaining")
        assert "\n  user.ts:3: " in told[told.index("remaining: 1") :]


def test_code_of_several_definitions_adds_to_the_one_that_is_named(root: Path) -> None:
    with speaking(root, "blueprint") as agent:
        more = "  update(id: string) {\n    return id;\n  }"
        told = edit(agent, f"{BODY}\n\n{more}", target="UserService.findById")
        assert "add UserService.update" in told
        code = SERVICE.replace("[id];\n  }\n", f"[id] ?? 'nobody';\n  }}\n\n{more}\n")
        assert agent.read("service.ts") == code
        other = "  one() {\n    return 1;\n  }\n\n  two() {\n    return 2;\n  }"
        said = agent.refused("file_edit", file="service.ts", target="UserService.create", code=other)
        assert said.startswith("Error: the code defines")
