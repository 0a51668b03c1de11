"""Many writers at once, each a process of its own: what was acknowledged is there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.command import Answer, scalpel
from tests.sandbox import Sandbox

WRITERS = 8


def _replace(repo: Sandbox, name: str, value: int) -> Answer:
    code = f"def {name}():\n    return {value}\n"
    return scalpel(repo.root, "replace", f"a.py::{name}", "--code", code, "--json")


def test_edits_of_different_functions_of_one_file_all_land(repo: Sandbox) -> None:
    names = [f"f{n}" for n in range(WRITERS)]
    repo.commit({"a.py": "\n\n".join(f"def {name}():\n    return 0\n" for name in names).encode()})
    with ThreadPoolExecutor(WRITERS) as pool:
        answers = list(pool.map(lambda name: _replace(repo, name, 1), names))
    assert [answer.status for answer in answers] == [0] * WRITERS
    assert (repo.root / "a.py").read_text().count("return 1") == WRITERS
    assert repo.status() == ""
    assert not repo.git("for-each-ref", "refs/scalpel/tx", "refs/scalpel/meta")


def test_edits_of_one_function_have_one_winner_at_a_time(repo: Sandbox) -> None:
    repo.commit({"a.py": b"def f():\n    return 0\n"})
    before = repo.tip()
    with ThreadPoolExecutor(WRITERS) as pool:
        answers = list(pool.map(lambda value: _replace(repo, "f", value), range(1, WRITERS + 1)))
    landed = [answer for answer in answers if answer.status == 0]
    refused = [answer.error["code"] for answer in answers if answer.status]
    assert landed
    assert set(refused) <= {"stale"}
    assert len(repo.git("rev-list", f"{before}..main").split()) == len(landed)
    assert not repo.git("for-each-ref", "refs/scalpel/tx", "refs/scalpel/meta")
