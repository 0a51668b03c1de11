"""What is only on the disk is never overwritten, and an undo gives back the very bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitscalpel.git.refs import DISK
from tests.command import scalpel
from tests.disk.life import lived
from tests.sandbox import Sandbox
from tests.states.unprivileged import import_everything

SECRET = b"a\nb\nc\npw=hunter2\n"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    for at, (key, value) in enumerate([("clean", "sed s/pw=.*/pw=XXX/"), ("smudge", "cat")]):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{at}", f"filter.pw.{key}")
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{at}", value)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    sandbox = Sandbox.init(tmp_path / "repo")
    sandbox.commit({".gitattributes": b"*.pw filter=pw\n", "a.pw": b"a\nb\nc\npw=XXX\n", "b.txt": b"b\n"})
    return sandbox


def on_disk(repo: Sandbox, path: str) -> bytes:
    return (repo.root / path).read_bytes()


def done(repo: Sandbox, *words: str) -> dict[str, object]:
    data = scalpel(repo.root, *words, "--json").data
    assert isinstance(data, dict)
    return data


@pytest.mark.parametrize("more", [False, True])
def test_an_adopted_file_keeps_what_its_filter_strips(repo: Sandbox, more: bool) -> None:
    mine = SECRET.replace(b"b\n", b"mine\n")
    repo.write({"a.pw": mine})
    tx = str(done(repo, "begin", "--adopt", "a.pw")["tx"])
    if more:
        done(repo, "text", "a.pw", "--old", "a\n", "--new", "A\n", "--tx", tx)
    done(repo, "land", tx)
    landed = mine.replace(b"a\n", b"A\n", 1) if more else mine
    assert on_disk(repo, "a.pw") == landed
    for verb, found in (("undo", mine), ("redo", landed), ("undo", mine)):
        done(repo, verb)
        assert on_disk(repo, "a.pw") == found
    assert repo.git("show", "HEAD:a.pw") == "a\nb\nc\npw=XXX"


def test_what_a_filter_strips_stays_on_top_of_a_landing(repo: Sandbox) -> None:
    repo.write({"a.pw": SECRET})
    done(repo, "text", "a.pw", "--old", "a\n", "--new", "A\n")
    assert on_disk(repo, "a.pw") == SECRET.replace(b"a\n", b"A\n", 1)
    done(repo, "undo")
    assert on_disk(repo, "a.pw") == SECRET


@pytest.mark.parametrize("words", [("text", "a.pw", "--old", "pw=XXX", "--new", "pw=YYY"), ("rm", "a.pw")])
def test_a_landing_that_would_take_it_is_refused(repo: Sandbox, words: tuple[str, ...]) -> None:
    repo.write({"a.pw": SECRET})
    before = repo.state()[1:]
    error = scalpel(repo.root, *words, "--json").error
    assert error["code"] == "dirty_overlap"
    assert [(file["path"], file["why"]) for file in error["data"]["files"]] == [("a.pw", "filtered")]
    assert repo.state()[1:] == before


def test_an_untracked_file_that_held_the_content_before_stays(repo: Sandbox) -> None:
    repo.write({"new.txt": b"new\n"})
    done(repo, "write", "new.txt", "--code", "new\n")
    assert repo.status() == ""
    done(repo, "undo")
    assert on_disk(repo, "new.txt") == b"new\n"
    assert repo.status() == "?? new.txt"
    done(repo, "redo")
    assert repo.status() == ""
    done(repo, "undo")
    assert on_disk(repo, "new.txt") == b"new\n"


def test_uncommitted_lines_that_were_also_landed_stay(repo: Sandbox) -> None:
    repo.write({"b.txt": b"B\n"})
    done(repo, "text", "b.txt", "--old", "b", "--new", "B")
    done(repo, "undo")
    assert on_disk(repo, "b.txt") == b"B\n"
    assert repo.status() == " M b.txt"


def test_line_endings_come_back_as_they_were(repo: Sandbox) -> None:
    repo.commit({".gitattributes": b"*.txt text eol=crlf\n"})
    assert on_disk(repo, "b.txt") == b"b\n"  # to git it is unchanged
    done(repo, "text", "b.txt", "--old", "b", "--new", "B")
    assert on_disk(repo, "b.txt") == b"B\r\n"
    done(repo, "undo")
    assert on_disk(repo, "b.txt") == b"b\n"
    done(repo, "redo")
    assert on_disk(repo, "b.txt") == b"B\r\n"


def test_what_is_not_kept_any_more_is_not_guessed(repo: Sandbox) -> None:
    repo.commit({".gitattributes": b"*.txt text eol=crlf\n"})
    repo.write({"b.txt": b"b\r\n2\r\n3\r\nmine\r\n"})
    repo.git("config", "core.autocrlf", "false")
    tx = done(repo, "write", "b.txt", "--overwrite", "--code", "x\nb\n")["tx"]
    repo.git("update-ref", "-d", f"{DISK}{tx}")
    repo.git("update-ref", "-d", "refs/scalpel/saved")
    repo.git("gc", "-q", "--prune=now")
    landed = on_disk(repo, "b.txt")
    (file,) = scalpel(repo.root, "undo", "--json").data["files"]
    assert file == {"path": "b.txt", "what": "left"}
    assert on_disk(repo, "b.txt") == landed


def test_after_another_branch_was_checked_out_git_s_own_content_goes(repo: Sandbox) -> None:
    done(repo, "write", "new.txt", "--code", "new\n")
    done(repo, "undo")
    assert not (repo.root / "new.txt").exists()


@pytest.mark.parametrize("numbers", [range(3), range(3, 6)])
def test_a_sample_of_lives(numbers: range) -> None:
    import_everything()
    said = {number: lived(number) for number in numbers}
    assert {n: s for n, s in said.items() if not s.startswith(("landed", "refused"))} == {}
