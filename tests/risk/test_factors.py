"""Each risk factor counts a property of the change and its tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitscalpel.risk import factors
from gitscalpel.risk.factors import Owners
from tests.command import scalpel
from tests.sandbox import Content, Sandbox
from tests.transaction.test_approvals import ANN, BOB, run_as

A = b"def used():\n    return 1\n\n\ndef _own():\n    return 2\n"
B = b"from a import used\n\n\ndef g():\n    return used() + used()\n"
FILES: dict[str, Content] = {"a.py": A, "b.py": B, "c.txt": b"one\n"}


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    return Sandbox.of(tmp_path / "repo", FILES)


def risk_factors(repo: Sandbox, path: str, old: str, new: str) -> dict[str, Any]:
    """Return the risk factors of an edit by Ann, which is dropped afterwards."""
    tx = run_as(ANN, repo, "text", path, "--old", old, "--new", new, "--no-land").data["tx"]
    found = run_as(ANN, repo, "risk", tx).data
    run_as(ANN, repo, "drop", tx)
    return {each["name"]: each for each in found["factors"]}


def test_size_counts_added_and_removed_lines(repo: Sandbox) -> None:
    assert risk_factors(repo, "c.txt", "one", "1\n2\n3")["size"]["value"] == 4
    assert risk_factors(repo, "c.txt", "one", "two")["size"]["contribution"] == pytest.approx(
        0.317, abs=0.001
    )


def test_fan_in_counts_uses_of_changed_definitions(repo: Sandbox) -> None:
    found = risk_factors(repo, "a.py", "return 1", "return 3")["fan_in"]
    assert (found["value"], found["why"]) == (3, "3 places use what changes")
    assert risk_factors(repo, "a.py", "return 2", "return 3")["fan_in"]["value"] == 0
    assert "no existing definition changes" in risk_factors(repo, "c.txt", "one", "two")["fan_in"]["why"]


def test_fan_in_counts_files_with_the_word_without_resolution(repo: Sandbox) -> None:
    repo.commit(
        {"a.lua": b"function thing()\n  return 1\nend\n", "b.lua": b"print(thing())\nprint(thing())\n"}
    )
    assert risk_factors(repo, "a.lua", "1", "2")["fan_in"]["value"] == 1


def test_public_is_the_share_of_public_definitions(repo: Sandbox) -> None:
    assert risk_factors(repo, "a.py", "return 1", "return 3")["public"]["value"] == 1
    assert risk_factors(repo, "a.py", "return 2", "return 3")["public"]["contribution"] == 0
    repo.commit(
        {
            "tests/test_a.py": A,
            "x.go": b"package x\n\nfunc Out() int { return 1 }\nfunc in() int { return 2 }\n",
        }
    )
    assert risk_factors(repo, "tests/test_a.py", "return 1", "return 3")["public"]["value"] == 0
    assert risk_factors(repo, "x.go", "return 1", "return 3")["public"]["value"] == 1
    assert risk_factors(repo, "x.go", "return 2", "return 3")["public"]["value"] == 0


def test_churn_counts_recent_commits(repo: Sandbox) -> None:
    for number in range(3):
        repo.commit({"c.txt": f"one\n{number}\n".encode()})
    assert risk_factors(repo, "c.txt", "one", "two")["churn"]["why"] == "4 commits to c.txt in 90 days"
    assert risk_factors(repo, "a.py", "return 1", "return 3")["churn"]["value"] == 1


def test_reverts_and_undos_are_counted(repo: Sandbox) -> None:
    assert risk_factors(repo, "a.py", "return 1", "return 3")["reverts"]["value"] == 0
    repo.commit({"a.py": A.replace(b"1", b"7")})
    repo.git("revert", "--no-edit", "HEAD")
    assert risk_factors(repo, "a.py", "return 1", "return 3")["reverts"]["value"] == 1
    run_as(BOB, repo, "text", "a.py", "--old", "return 1", "--new", "return 9")
    assert run_as(BOB, repo, "undo").status == 0
    found = risk_factors(repo, "a.py", "return 1", "return 3")["reverts"]
    assert (found["value"], found["why"]) == (
        2,
        "1 revert and 1 undo in its files in 365 days, 1 of the very definitions",
    )
    assert risk_factors(repo, "c.txt", "one", "two")["reverts"]["value"] == 0


COBERTURA = b"""<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage><packages><package><classes><class name="a" filename="a.py"><methods/><lines>
<line number="1" hits="1"/><line number="2" hits="0"/><line number="6" hits="3"/>
</lines></class></classes></package></packages></coverage>
"""
LCOV = b"TN:\nSF:/build/here/a.py\nDA:1,1\nDA:2,0\nDA:6,3\nend_of_record\n"


@pytest.mark.parametrize(("name", "report"), [("coverage.xml", COBERTURA), ("lcov.info", LCOV)])
def test_untested_is_the_share_of_uncovered_lines(repo: Sandbox, name: str, report: bytes) -> None:
    assert risk_factors(repo, "a.py", "return 1", "return 3")["untested"]["why"] == "no coverage report"
    (repo.root / name).write_bytes(report)
    found = risk_factors(repo, "a.py", "return 1", "return 3")["untested"]
    assert (found["value"], found["contribution"]) == (1, 1.5)
    assert f"1 of 1 changed lines are reached by no test ({name})" in found["why"]
    assert risk_factors(repo, "a.py", "return 2", "return 3")["untested"]["value"] == 0
    assert "covers none" in risk_factors(repo, "c.txt", "one", "two")["untested"]["why"]


def test_invalid_coverage_report_is_ignored() -> None:
    assert factors.read_coverage(b"<coverage><class filename=") == {}
    assert (
        factors.read_coverage(b'<!DOCTYPE a [<!ENTITY b "c">]>' + COBERTURA[COBERTURA.index(b"<cov") :]) == {}
    )
    assert factors.read_coverage(b"\xff\x00DA:1,1") == {}


def test_owners_come_from_codeowners(repo: Sandbox) -> None:
    repo.commit({"CODEOWNERS": b"# all\n* @core\n*.py @ann @bob\nc.txt bob@example.org\n"})
    assert risk_factors(repo, "a.py", "return 1", "return 3")["owners"]["value"] == 0
    found = risk_factors(repo, "c.txt", "one", "two")["owners"]
    assert (found["value"], found["why"]) == (
        1,
        "1 of 1 file belong to others: c.txt belongs to bob@example.org",
    )


def test_last_matching_owners_pattern_applies() -> None:
    owners = Owners("* @a\n/docs/ # nobody's\n[section]\n[z-a] @b\n")
    assert owners.owners("x/y") == ("@a",)
    assert owners.owners("docs/y") == ()
    assert owners.find_foreign(["x", "docs/y"], frozenset({"1+A@users.noreply.github.com"})) == []


def test_weights_come_from_the_configuration(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b"[risk]\nbias = 0\nsize = 0\nchurn = 0\npublic = -1.0\nfan_in = 0\n"})
    tx = run_as(ANN, repo, "text", "a.py", "--old", "return 1", "--new", "return 3", "--no-land").data["tx"]
    assert run_as(ANN, repo, "risk", tx).data["score"] == 0.269  # 1 / (1 + e)
    repo.commit({".gitscalpel.toml": b"[risk]\nsizes = 0\n"})
    assert "did you mean risk.size?" in scalpel(repo.root, "risk", tx, "--json").error["message"]
