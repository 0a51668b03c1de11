"""``refs`` and ``rename`` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import scalpel
from tests.sandbox import Sandbox


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox.init(tmp_path / "shop")
    sandbox.commit(
        {
            "a.py": b"class A:\n    def run(self): pass  # run\n\ndef f(a: A, b):\n    a.run(); b.run()\n",
            "sub/b.py": b"from a import A\nA().run()\n",
            "c.md": b"`A.run`\n",
        }
    )
    return sandbox


def test_refs_lists_places_and_certainty(repo: Sandbox) -> None:
    done = scalpel(repo.root, "refs", "a.py::A.run")
    assert (done.status, done.out.splitlines()) == (
        0,
        [
            "a.py:2:9  definition",
            "a.py:5:7  use",
            "sub/b.py:2:5  use",
            "a.py:5:16  use  unsure: it is a parameter",
            "a.py:2:28  text  it is in a comment",
        ],
    )
    assert done.err == "note: c.md:1: run is left: names are not followed in this type of file\n"
    data = scalpel(repo.root / "sub", "refs", "b.py:2:run", "--json").data
    assert data["symbol"] == "run"
    assert [row["path"] for row in data["references"]] == ["a.py", "sub/b.py"]


def test_rename_is_atomic(repo: Sandbox) -> None:
    done = scalpel(repo.root, "rename", "a.py::A.run", "go", "--json")
    assert done.data["message"] == "Rename A.run to go"
    assert done.data["affected"] == [{"symbol": "run", "references": 2, "files": 2}]
    assert done.json["warnings"][0] == "a.py:5: run is left: it is a parameter"
    assert repo.git("show", "HEAD:sub/b.py") == "from a import A\nA().go()"
    before = repo.tip()
    error = scalpel(repo.root, "rename", "a.py:4:f", "A", "--json").error
    assert (error["code"], repo.tip()) == ("duplicate_symbol", before)


def test_parameter_is_addressed_by_its_line(repo: Sandbox) -> None:
    assert scalpel(repo.root, "rename", "a.py:4:b", "other", "--checkout").status == 0
    assert b"def f(a: A, other):\n    a.run(); other.run()" in (repo.root / "a.py").read_bytes()
