"""The rules of editing as cases, each in a fresh repository and through the command line alone.

A case: ``{id, group, path, before, changeset | find, expect, setup?, dry_run?, why}``. Afterwards
the file on the branch and in the checkout must be the expected bytes; or, where an error is
expected, both must be untouched and the answer must carry that code.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command import Answer, blob, scalpel
from tests.sandbox import Content, Sandbox

Case = dict[str, Any]
CASES: list[Case] = [
    json.loads(line) for line in Path(__file__).with_name("rules.jsonl").read_bytes().splitlines()
]

NOT_YET: dict[str, str] = {}
"""Cases that fail, and why; one that passes by now fails the test, so that it is taken off."""


def _parameters() -> list[Any]:
    return [
        pytest.param(
            case,
            id=case["id"],
            marks=[pytest.mark.xfail(strict=True, reason=NOT_YET[case["id"]])]
            if case["id"] in NOT_YET
            else [],
        )
        for case in CASES
    ]


def test_the_list_of_failures_names_cases() -> None:
    assert set(NOT_YET) <= {case["id"] for case in CASES}


@pytest.mark.parametrize("case", _parameters())
def test_rule(case: Case, tmp_path: Path) -> None:
    _check(_prepared(case, tmp_path), case)


@pytest.mark.parametrize("case", _parameters()[::7])
def test_rule_with_a_worktree_for_every_transaction(case: Case, tmp_path: Path) -> None:
    sandbox = _prepared(case, tmp_path)
    sandbox.git("config", "scalpel.worktree", "always")
    _check(sandbox, case)


def _check(sandbox: Sandbox, case: Case) -> None:
    before = _on_disk(sandbox, case["path"]), sandbox.state()
    answer = _ask(sandbox, case)
    expected = case["expect"]
    if "error" in expected:
        assert answer.error["code"] == expected["error"]
        assert (_on_disk(sandbox, case["path"]), sandbox.state()) == before
    elif "matches" in expected:
        assert [_named(match, wish) for match, wish in _paired(answer, expected)] == expected["matches"]
    elif "intents" in expected:
        assert [_intent(row) for row in answer.data["intents"]] == expected["intents"]
    elif answer.status == 0 or "or_error" not in expected:
        _check_bytes(sandbox, case, answer)
    else:
        assert answer.error["code"] == expected["or_error"]
        assert (_on_disk(sandbox, case["path"]), sandbox.state()) == before


def _prepared(case: Case, folder: Path) -> Sandbox:
    setup = case.get("setup", {})
    sandbox = Sandbox.init(folder / "repo")
    files: dict[str, Content] = {".gitattributes": b"* -text\n"}
    if "structure" in setup:
        files[".gitscalpel.toml"] = f'[gates]\nstructure = "{setup["structure"]}"\n'.encode()
    if "directory" in setup:
        files[f"{setup['directory']}/keep"] = b""
    if "outside_link" in setup:
        files[setup["outside_link"]] = ("120000", str(folder).encode())
    if case["before"] is not None:
        content = case["before"].encode(setup.get("encoding", "utf-8"))
        files[setup.get("symlink_to", case["path"])] = (setup.get("mode", "100644"), content)
        if "symlink_to" in setup:
            files[case["path"]] = ("120000", setup["symlink_to"].encode())
    if "base" in setup:
        sandbox.git("hash-object", "-w", "--stdin", stdin=setup["base"])
    sandbox.commit(files)
    return sandbox


def _ask(sandbox: Sandbox, case: Case) -> Answer:
    if "find" in case:
        return scalpel(sandbox.root, "find", case["find"], case["path"], "--json")
    dry_run = ["--dry-run"] if case.get("dry_run") else []
    return scalpel(sandbox.root, "apply", "-", "--json", *dry_run, stdin=json.dumps(case["changeset"]))


def _check_bytes(sandbox: Sandbox, case: Case, answer: Answer) -> None:
    setup = case.get("setup", {})
    expected = case["expect"]["after"].encode(setup.get("encoding", "utf-8"))
    assert answer.data
    assert _on_disk(sandbox, case["path"]) == expected
    real = (sandbox.root / case["path"]).resolve().relative_to(sandbox.root.resolve())
    assert case.get("dry_run") or blob(sandbox.root, f"HEAD:{real}") == expected
    assert sandbox.status() == ""
    assert ("symlink_to" in setup) == (sandbox.root / case["path"]).is_symlink()
    if "mode" in setup:
        assert f"{(sandbox.root / case['path']).stat().st_mode:o}" == setup["mode"]


def _on_disk(sandbox: Sandbox, path: str) -> bytes | None:
    full = sandbox.root / path
    return full.read_bytes() if full.is_file() else None


def _paired(answer: Answer, expected: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    found = answer.data["matches"]
    assert len(found) == len(expected["matches"]), found
    return list(zip(found, expected["matches"], strict=True))


def _named(match: dict[str, Any], wish: str) -> str:
    """The spelling of a match that a case uses: name, full path, with or without its line."""
    qualname = match.get("qualname") or ""
    line = match["start_line"]
    spellings = (qualname, f"{qualname}:{line}", f"line:{line}", match.get("name") or "")
    return wish if wish in spellings else spellings[1]


def _intent(row: dict[str, Any]) -> list[str]:
    return [row["kind"], row["symbol"], *([row["to"]] if row["kind"] == "rename" else [])]
