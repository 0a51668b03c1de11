"""What one who judges leaves is not there for the next: a configuration, some edits, and what each sees."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.pool import worktree
from gitscalpel.git.pool.slots import LeftState, RecentWrites
from tests.command import Answer, scalpel
from tests.sandbox import Sandbox
from tests.today import some


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    monkeypatch.setenv("SCALPEL_TRUST", "1")
    sandbox = Sandbox.init(tmp_path / "shop")
    ignored = b"*.log\n.venv/\ntools/\n.mypy_cache/\n.ruff_cache/\ntarget/\n"
    sandbox.commit({"a.py": b"x = 1\n", "sub/b.py": b"", ".gitignore": ignored})
    return sandbox


def configure(repo: Sandbox, run: str, head: str = "") -> None:
    gate = f"[gates]\n{head}\n[[gates.command]]\nname = 'g'\nrun = '''{run}'''\n"
    repo.commit({".gitscalpel.toml": gate.encode()})


def edit(repo: Sandbox, number: int) -> Answer:
    return scalpel(repo.root, "write", "n.txt", "--overwrite", "--content", f"{number}\n", "--json")


def said(repo: Sandbox, number: int) -> str:
    """What the command prints that judges one more edit."""
    (row,) = (row for row in edit(repo, number).data["gates"] if row["name"] == "g")
    return str(row["output"])


LEAVE = {
    "a file": "test ! -e left.log && echo 1 > left.log",
    "a file beside others": "test ! -e sub/left.log && echo 1 > sub/left.log",
    "a folder": "test ! -e target && mkdir -p target/a/b && touch target/a/b/c",
    "an empty folder": "test ! -e target && mkdir target",
    "another repository": "test ! -e target && git init -q target && touch target/x",
    "a link to elsewhere": "test ! -L left.log && ln -s /dev/null left.log",
    "a link as a cache": "test ! -L .mypy_cache && ln -s /tmp .mypy_cache",
    "what is closed": "test ! -e target && mkdir -p target/a && touch target/a/x && chmod 0 target/a",
    "what is read only": "test ! -e target && mkdir -p target/a && touch target/a/x && chmod 555 target/a",
    "what a name makes strange": "test ! -e \"$(printf 'a\\nb.log')\" && touch \"$(printf 'a\\nb.log')\"",
    "what it says to be ignored": "test ! -e new && mkdir new && echo '*' > new/.gitignore",
}


def test_the_empty_folder_of_a_submodule_is_empty_again(repo: Sandbox) -> None:
    """Git says nothing of what lies there."""
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.tip()},lib")
    repo.git("commit", "-q", "-m", "a submodule")
    repo.write(
        {".gitscalpel.toml": b"[[gates.command]]\nname = 'g'\nrun = 'test ! -e lib/x && touch lib/x'\n"}
    )
    repo.git("add", ".gitscalpel.toml")
    repo.git("commit", "-q", "-m", "a gate")
    assert [edit(repo, number).status for number in range(2)] == [0, 0]


@pytest.mark.parametrize("run", LEAVE.values(), ids=LEAVE)
def test_what_one_has_left_the_next_does_not_see(repo: Sandbox, run: str) -> None:
    configure(repo, run)
    for number in range(3):
        assert edit(repo, number).status == 0


def test_named_caches_stay(repo: Sandbox) -> None:
    configure(
        repo,
        "ls -d .mypy_cache/* sub/.ruff_cache target/* || mkdir -p .mypy_cache/3 sub/.ruff_cache target/t",
    )
    assert said(repo, 1).count("cannot access") == 3
    assert said(repo, 2).splitlines()[-2:] == [".mypy_cache/3", "sub/.ruff_cache"]
    configure(repo, "ls -d .mypy_cache target/t || mkdir -p .mypy_cache target/t", 'caches = ["target/"]')
    assert [said(repo, number).splitlines()[1:] for number in (3, 4)] == [["target/t"]] * 2
    assert not (repo.root / "target").exists()


def test_without_caches_nothing_stays(repo: Sandbox) -> None:
    configure(repo, "test ! -e .mypy_cache && mkdir .mypy_cache", "caches = []")
    assert [edit(repo, number).status for number in range(2)] == [0, 0]


def setup(repo: Sandbox, number: int = 1) -> str:
    made = f"mkdir -p tools/bin; echo {number} > tools/bin/t; ln -sf bin/t tools/l"
    return f'setup = "echo >> {repo.root.parent}/ran; {made}"'


def ran(repo: Sandbox) -> int:
    """How often the setup has been run."""
    return len((repo.root.parent / "ran").read_text())


def test_what_the_setup_made_stays_and_what_is_added_goes(repo: Sandbox) -> None:
    configure(repo, "find tools; touch tools/bin/added", setup(repo))
    first = said(repo, 1)
    assert (said(repo, 2), said(repo, 3)) == (first, first)
    assert "tools/bin/t" in first
    assert ran(repo) == 1


CHANGE = {
    "other content": "echo 2 > tools/bin/t",
    "the same size and time": "touch -r tools/bin/t t.log; echo 2 > tools/bin/t; touch -r t.log tools/bin/t",
    "another file in its place": "echo 2 > t.log; touch -r tools/bin/t t.log; mv t.log tools/bin/t",
    "gone": "rm tools/bin/t",
    "another mode": "chmod +x tools/bin/t",
    "a link that leads elsewhere": "ln -sf other tools/l",
    "all of it gone": "rm -r tools",
}


@pytest.mark.parametrize("change", CHANGE.values(), ids=CHANGE)
def test_what_the_setup_made_is_made_anew_where_it_has_changed(repo: Sandbox, change: str) -> None:
    configure(repo, f"cat tools/bin/t; cat tools/l; ls -l tools/bin/t | cut -c 1-10; {change}", setup(repo))
    first = said(repo, 1)
    assert (said(repo, 2), ran(repo)) == (first, 2)


def test_a_setup_that_has_changed_is_run_once(repo: Sandbox) -> None:
    configure(repo, "cat tools/bin/t", setup(repo))
    assert said(repo, 1) == "1\n"
    configure(repo, "cat tools/bin/t", setup(repo, 2))
    assert [said(repo, number) for number in (2, 3)] == ["2\n"] * 2
    assert ran(repo) == 2


def test_a_shared_folder_is_the_checkout_s_again(repo: Sandbox) -> None:
    configure(repo, "cat .venv/x; rm .venv; mkdir .venv; echo 2 > .venv/x", 'shared = [".venv"]')
    repo.write({".venv/x": b"1\n"})
    assert [said(repo, number) for number in range(2)] == ["1\n"] * 2


def test_a_hook_sees_nothing_of_another(repo: Sandbox) -> None:
    hook = repo.root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\ntest ! -e left.log && touch left.log\n")
    hook.chmod(0o755)
    assert [edit(repo, number).status for number in range(2)] == [0, 0]


TOUCH = {
    "nothing": "true",
    "other content": "echo 2 > a.py",
    "the same size and times": "touch -r a.py t.log; printf 'x = 2\\n' > a.py; touch -r t.log a.py; rm t.log",
    "a time set back": "touch -d 2001-01-01 a.py sub/b.py",
    "gone": "rm a.py",
    "a folder gone": "rm -r sub",
    "another mode": "chmod +x a.py",
    "a mode that git does not know": "chmod 440 a.py",
    "a mode that git looked at since": "chmod 440 a.py; git update-index --refresh",
    "a link in its place": "ln -sf .gitignore a.py",
    "a folder in its place": "rm a.py; mkdir a.py; touch a.py/x",
    "another name of it": "ln a.py ../a-$$",
    "a folder renamed": "mv sub other",
    "a folder that leads elsewhere": "mv sub ../sub-$$; ln -s ../sub-$$ sub",
    "a folder closed": "chmod 500 sub",
    "a file beside in a folder closed": "touch sub/x; chmod 0 sub",
    "a repository in a folder": "git init -q sub",
    "what says how files are written": "echo '* eol=crlf' | tee .gitattributes > sub/.gitattributes; rm a.py",
    "what hides a file from git": "git update-index --assume-unchanged a.py; echo 2 > a.py",
    "another index": "echo 2 > a.py; git add a.py; git rm -q --cached sub/b.py",
    "no index": 'rm "$(git rev-parse --git-path index)"; echo 2 > a.py',
    "a branch": "git switch -q -c own; git commit -q --allow-empty -m own",
    "all of it gone": 'rm -rf "$PWD"',
    "what goes on when it has ended": 'python3 -c "import os, time; os.fork() and os._exit(0); os.setsid(); '
    "os.closerange(0, 99); time.sleep(0.3); open('a.py', 'w').write('x = 2'); open('sub/x.log', 'w')\"",
}
PASSES = [
    TOUCH[name]
    for name in (
        *("nothing", "a time set back", "a mode that git does not know", "a mode that git looked at since"),
        *("another name of it", "a folder closed", "a file beside in a folder closed"),
        *("a repository in a folder", "a branch", "what goes on when it has ended"),
    )
]
SEEN = (
    "find . -path ./.git -prune -o -printf '%p %y %m %l %TY ' \\( -type d -printf '\\n' -o -printf '%n\\n' "
    "\\) | sort; cat -A a.py sub/b.py; git status --porcelain; git symbolic-ref -q HEAD || true"
)


@pytest.mark.parametrize("touch", some([*TOUCH.values()], 3), ids=some([*TOUCH], 3))
def test_whatever_one_touches_the_next_finds_the_tree(repo: Sandbox, tmp_path: Path, touch: str) -> None:
    gate = tmp_path / "gate"
    gate.write_text(f"#!/bin/sh\n({SEEN}) > {tmp_path}/seen-$(ls {tmp_path} | grep -c seen)\n{touch}\n")
    gate.chmod(0o755)
    repo.commit({"n.txt": b"\n"})
    configure(repo, str(gate))
    for number in range(3):
        assert (edit(repo, number).status == 0) is (touch in PASSES)
        time.sleep(0.5 if "sleep" in touch else 0)
    first, *others = [(tmp_path / f"seen-{number}").read_text() for number in range(3)]
    assert others == [first, first]
    assert len({file.name for file in (repo.root / ".git/worktrees").iterdir()}) <= 3


def test_only_what_somebody_has_touched_is_written_anew(repo: Sandbox) -> None:
    seen = 'import os; [print(os.stat(name).st_mtime_ns) for name in ("a.py", "sub/b.py")]'
    configure(repo, f"python3 -c '{seen}'; chmod 644 a.py")
    (a, b), (other, same) = (said(repo, number).splitlines() for number in range(2))
    assert (a != other, b) == (True, same)


def test_what_was_written_long_before_is_not_looked_at_one_by_one(repo: Sandbox) -> None:
    here = repo.root / ".git"
    any_file = RecentWrites(time=time.time_ns() - 3 * 10**9, names=None)
    just_now = RecentWrites(time=time.time_ns(), names=("a.py",))
    before = LeftState(tree=Oid("0" * 40), index="", copy="", time=0, fresh=(any_file, just_now))
    first, second = worktree.note_left(here, Oid("0" * 40), ["sub/b.py"], before).fresh
    assert (first, second.names) == (just_now, ("sub/b.py",))


def test_a_copy_of_the_index_that_somebody_has_written_over_is_not_believed(
    repo: Sandbox, tmp_path: Path
) -> None:
    forge = "git update-index --assume-unchanged a.py; cd $(git rev-parse --git-dir); cp index scalpel-index"
    configure(repo, f"cat a.py; test ! -e {tmp_path}/go || {{ echo 2 > a.py; {forge}; }}")
    assert edit(repo, 1).status == 0
    time.sleep(2.1)  # what was written shortly before is looked at anyway
    (tmp_path / "go").touch()
    assert edit(repo, 2).status == 1
    (tmp_path / "go").unlink()
    assert said(repo, 3) == "x = 1\n"
