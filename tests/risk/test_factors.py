"""Each factor of a risk: what it counts, in the change and the tree that it is about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitscalpel.risk import factors as coverage
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


def factors(repo: Sandbox, path: str, old: str, new: str) -> dict[str, Any]:
    """Of an edit by Ann, which is given up again."""
    tx = run_as(ANN, repo, "text", path, "--old", old, "--new", new, "--no-land").data["tx"]
    found = run_as(ANN, repo, "risk", tx).data
    run_as(ANN, repo, "drop", tx)
    return {each["name"]: each for each in found["factors"]}


def test_size_is_lines_added_and_removed(repo: Sandbox) -> None:
    assert factors(repo, "c.txt", "one", "1\n2\n3")["size"]["value"] == 4
    assert factors(repo, "c.txt", "one", "two")["size"]["contribution"] == pytest.approx(0.317, abs=0.001)


def test_fan_in_is_the_places_that_use_what_changes(repo: Sandbox) -> None:
    found = factors(repo, "a.py", "return 1", "return 3")["fan_in"]
    assert (found["value"], found["why"]) == (3, "3 places use what changes")
    assert factors(repo, "a.py", "return 2", "return 3")["fan_in"]["value"] == 0
    assert "no existing definition changes" in factors(repo, "c.txt", "one", "two")["fan_in"]["why"]


def test_fan_in_counts_files_with_the_word_where_names_are_not_followed(repo: Sandbox) -> None:
    repo.commit(
        {"a.lua": b"function thing()\n  return 1\nend\n", "b.lua": b"print(thing())\nprint(thing())\n"}
    )
    assert factors(repo, "a.lua", "1", "2")["fan_in"]["value"] == 1


def test_public_is_the_share_of_public_names(repo: Sandbox) -> None:
    assert factors(repo, "a.py", "return 1", "return 3")["public"]["value"] == 1
    assert factors(repo, "a.py", "return 2", "return 3")["public"]["contribution"] == 0
    repo.commit(
        {
            "tests/test_a.py": A,
            "x.go": b"package x\n\nfunc Out() int { return 1 }\nfunc in() int { return 2 }\n",
        }
    )
    assert factors(repo, "tests/test_a.py", "return 1", "return 3")["public"]["value"] == 0
    assert factors(repo, "x.go", "return 1", "return 3")["public"]["value"] == 1
    assert factors(repo, "x.go", "return 2", "return 3")["public"]["value"] == 0


def test_churn_is_the_commits_of_late(repo: Sandbox) -> None:
    for number in range(3):
        repo.commit({"c.txt": f"one\n{number}\n".encode()})
    assert factors(repo, "c.txt", "one", "two")["churn"]["why"] == "4 commits to c.txt in 90 days"
    assert factors(repo, "a.py", "return 1", "return 3")["churn"]["value"] == 1


def test_reverts_and_undos_are_counted(repo: Sandbox) -> None:
    assert factors(repo, "a.py", "return 1", "return 3")["reverts"]["value"] == 0
    repo.commit({"a.py": A.replace(b"1", b"7")})
    repo.git("revert", "--no-edit", "HEAD")
    assert factors(repo, "a.py", "return 1", "return 3")["reverts"]["value"] == 1
    run_as(BOB, repo, "text", "a.py", "--old", "return 1", "--new", "return 9")
    assert run_as(BOB, repo, "undo").status == 0
    found = factors(repo, "a.py", "return 1", "return 3")["reverts"]
    assert (found["value"], found["why"]) == (
        2,
        "1 revert and 1 undo in its files in 365 days, 1 of the very definitions",
    )
    assert factors(repo, "c.txt", "one", "two")["reverts"]["value"] == 0


COBERTURA = b"""<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage><packages><package><classes><class name="a" filename="a.py"><methods/><lines>
<line number="1" hits="1"/><line number="2" hits="0"/><line number="6" hits="3"/>
</lines></class></classes></package></packages></coverage>
"""
LCOV = b"TN:\nSF:/build/here/a.py\nDA:1,1\nDA:2,0\nDA:6,3\nend_of_record\n"


@pytest.mark.parametrize(("name", "report"), [("coverage.xml", COBERTURA), ("lcov.info", LCOV)])
def test_untested_is_the_share_of_lines_that_no_test_reaches(repo: Sandbox, name: str, report: bytes) -> None:
    assert factors(repo, "a.py", "return 1", "return 3")["untested"]["why"] == "no coverage report"
    (repo.root / name).write_bytes(report)
    found = factors(repo, "a.py", "return 1", "return 3")["untested"]
    assert (found["value"], found["contribution"]) == (1, 1.5)
    assert f"1 of 1 changed lines are reached by no test ({name})" in found["why"]
    assert factors(repo, "a.py", "return 2", "return 3")["untested"]["value"] == 0
    assert "covers none" in factors(repo, "c.txt", "one", "two")["untested"]["why"]


def test_what_is_no_report_says_nothing() -> None:
    assert coverage.read_coverage(b"<coverage><class filename=") == {}
    assert (
        coverage.read_coverage(b'<!DOCTYPE a [<!ENTITY b "c">]>' + COBERTURA[COBERTURA.index(b"<cov") :])
        == {}
    )
    assert coverage.read_coverage(b"\xff\x00DA:1,1") == {}


def test_owners_are_those_of_codeowners(repo: Sandbox) -> None:
    repo.commit({"CODEOWNERS": b"# all\n* @core\n*.py @ann @bob\nc.txt bob@example.org\n"})
    assert factors(repo, "a.py", "return 1", "return 3")["owners"]["value"] == 0
    found = factors(repo, "c.txt", "one", "two")["owners"]
    assert (found["value"], found["why"]) == (
        1,
        "1 of 1 file belong to others: c.txt belongs to bob@example.org",
    )


def test_the_last_pattern_of_owners_counts_and_may_name_nobody() -> None:
    owners = Owners("* @a\n/docs/ # nobody's\n[section]\n[z-a] @b\n")
    assert owners.owners("x/y") == ("@a",)
    assert owners.owners("docs/y") == ()
    assert owners.find_foreign(["x", "docs/y"], frozenset({"1+A@users.noreply.github.com"})) == []


def test_weights_are_the_teams(repo: Sandbox) -> None:
    repo.commit({".gitscalpel.toml": b"[risk]\nbias = 0\nsize = 0\nchurn = 0\npublic = -1.0\nfan_in = 0\n"})
    tx = run_as(ANN, repo, "text", "a.py", "--old", "return 1", "--new", "return 3", "--no-land").data["tx"]
    assert run_as(ANN, repo, "risk", tx).data["score"] == 0.269  # 1 / (1 + e)
    repo.commit({".gitscalpel.toml": b"[risk]\nsizes = 0\n"})
    assert "did you mean risk.size?" in scalpel(repo.root, "risk", tx, "--json").error["message"]
