"""Files and git state left by a gate run are not seen by the next run."""

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


def gate_output(repo: Sandbox, number: int) -> str:
    """Return the output of the command gate for one more edit."""
    (row,) = (row for row in edit(repo, number).data["gates"] if row["name"] == "g")
    return str(row["output"])


LEAVE = {
    "a file": "test ! -e left.log && echo 1 > left.log",
    "a file next to others": "test ! -e sub/left.log && echo 1 > sub/left.log",
    "a directory": "test ! -e target && mkdir -p target/a/b && touch target/a/b/c",
    "an empty directory": "test ! -e target && mkdir target",
    "another repository": "test ! -e target && git init -q target && touch target/x",
    "a link outside the tree": "test ! -L left.log && ln -s /dev/null left.log",
    "a link as a cache directory": "test ! -L .mypy_cache && ln -s /tmp .mypy_cache",
    "unreadable directory": "test ! -e target && mkdir -p target/a && touch target/a/x && chmod 0 target/a",
    "read-only directory": "test ! -e target && mkdir -p target/a && touch target/a/x && chmod 555 target/a",
    "a name with a newline": "test ! -e \"$(printf 'a\\nb.log')\" && touch \"$(printf 'a\\nb.log')\"",
    "a new ignore file": "test ! -e new && mkdir new && echo '*' > new/.gitignore",
}


def test_submodule_directory_is_emptied(repo: Sandbox) -> None:
    """Git does not report files in the directory of a submodule."""
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.tip()},lib")
    repo.git("commit", "-q", "-m", "a submodule")
    repo.write(
        {".gitscalpel.toml": b"[[gates.command]]\nname = 'g'\nrun = 'test ! -e lib/x && touch lib/x'\n"}
    )
    repo.git("add", ".gitscalpel.toml")
    repo.git("commit", "-q", "-m", "a gate")
    assert [edit(repo, number).status for number in range(2)] == [0, 0]


@pytest.mark.parametrize("run", LEAVE.values(), ids=LEAVE)
def test_files_left_by_a_gate_are_removed(repo: Sandbox, run: str) -> None:
    configure(repo, run)
    for number in range(3):
        assert edit(repo, number).status == 0


def test_configured_caches_are_kept(repo: Sandbox) -> None:
    configure(
        repo,
        "ls -d .mypy_cache/* sub/.ruff_cache target/* || mkdir -p .mypy_cache/3 sub/.ruff_cache target/t",
    )
    assert gate_output(repo, 1).count("cannot access") == 3
    assert gate_output(repo, 2).splitlines()[-2:] == [".mypy_cache/3", "sub/.ruff_cache"]
    configure(repo, "ls -d .mypy_cache target/t || mkdir -p .mypy_cache target/t", 'caches = ["target/"]')
    assert [gate_output(repo, number).splitlines()[1:] for number in (3, 4)] == [["target/t"]] * 2
    assert not (repo.root / "target").exists()


def test_empty_caches_setting_keeps_nothing(repo: Sandbox) -> None:
    configure(repo, "test ! -e .mypy_cache && mkdir .mypy_cache", "caches = []")
    assert [edit(repo, number).status for number in range(2)] == [0, 0]


def setup_config(repo: Sandbox, number: int = 1) -> str:
    script = f"mkdir -p tools/bin; echo {number} > tools/bin/t; ln -sf bin/t tools/l"
    return f'setup = "echo >> {repo.root.parent}/ran; {script}"'


def count_setups(repo: Sandbox) -> int:
    """Return how often the setup has run."""
    return len((repo.root.parent / "ran").read_text())


def test_setup_files_stay_and_added_files_are_removed(repo: Sandbox) -> None:
    configure(repo, "find tools; touch tools/bin/added", setup_config(repo))
    first = gate_output(repo, 1)
    assert (gate_output(repo, 2), gate_output(repo, 3)) == (first, first)
    assert "tools/bin/t" in first
    assert count_setups(repo) == 1


CHANGE = {
    "other content": "echo 2 > tools/bin/t",
    "the same size and time": "touch -r tools/bin/t t.log; echo 2 > tools/bin/t; touch -r t.log tools/bin/t",
    "another file in its place": "echo 2 > t.log; touch -r tools/bin/t t.log; mv t.log tools/bin/t",
    "a deleted file": "rm tools/bin/t",
    "another mode": "chmod +x tools/bin/t",
    "a link that leads elsewhere": "ln -sf other tools/l",
    "a deleted directory": "rm -r tools",
}


@pytest.mark.parametrize("change", CHANGE.values(), ids=CHANGE)
def test_changed_setup_files_run_the_setup_again(repo: Sandbox, change: str) -> None:
    configure(
        repo, f"cat tools/bin/t; cat tools/l; ls -l tools/bin/t | cut -c 1-10; {change}", setup_config(repo)
    )
    first = gate_output(repo, 1)
    assert (gate_output(repo, 2), count_setups(repo)) == (first, 2)


def test_changed_setup_command_runs_once(repo: Sandbox) -> None:
    configure(repo, "cat tools/bin/t", setup_config(repo))
    assert gate_output(repo, 1) == "1\n"
    configure(repo, "cat tools/bin/t", setup_config(repo, 2))
    assert [gate_output(repo, number) for number in (2, 3)] == ["2\n"] * 2
    assert count_setups(repo) == 2


def test_replaced_shared_directory_is_linked_again(repo: Sandbox) -> None:
    configure(repo, "cat .venv/x; rm .venv; mkdir .venv; echo 2 > .venv/x", 'shared = [".venv"]')
    repo.write({".venv/x": b"1\n"})
    assert [gate_output(repo, number) for number in range(2)] == ["1\n"] * 2


def test_hook_does_not_see_files_of_an_earlier_hook(repo: Sandbox) -> None:
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
PRINT_STATE = (
    "find . -path ./.git -prune -o -printf '%p %y %m %l %TY ' \\( -type d -printf '\\n' -o -printf '%n\\n' "
    "\\) | sort; cat -A a.py sub/b.py; git status --porcelain; git symbolic-ref -q HEAD || true"
)


@pytest.mark.parametrize("touch", some([*TOUCH.values()], 3), ids=some([*TOUCH], 3))
def test_next_gate_finds_the_tree_restored(repo: Sandbox, tmp_path: Path, touch: str) -> None:
    gate = tmp_path / "gate"
    gate.write_text(
        f"#!/bin/sh\n({PRINT_STATE}) > {tmp_path}/seen-$(ls {tmp_path} | grep -c seen)\n{touch}\n"
    )
    gate.chmod(0o755)
    repo.commit({"n.txt": b"\n"})
    configure(repo, str(gate))
    for number in range(3):
        assert (edit(repo, number).status == 0) is (touch in PASSES)
        time.sleep(0.5 if "sleep" in touch else 0)
    first, *others = [(tmp_path / f"seen-{number}").read_text() for number in range(3)]
    assert others == [first, first]
    assert len({file.name for file in (repo.root / ".git/worktrees").iterdir()}) <= 3


def test_only_touched_files_are_rewritten(repo: Sandbox) -> None:
    print_times = 'import os; [print(os.stat(name).st_mtime_ns) for name in ("a.py", "sub/b.py")]'
    configure(repo, f"python3 -c '{print_times}'; chmod 644 a.py")
    (a, b), (other, same) = (gate_output(repo, number).splitlines() for number in range(2))
    assert (a != other, b) == (True, same)


def test_old_writes_are_not_recorded(repo: Sandbox) -> None:
    git_dir = repo.root / ".git"
    any_file = RecentWrites(time=time.time_ns() - 3 * 10**9, names=None)
    just_now = RecentWrites(time=time.time_ns(), names=("a.py",))
    before = LeftState(tree=Oid("0" * 40), index="", copy="", time=0, fresh=(any_file, just_now))
    first, second = worktree.note_left(git_dir, Oid("0" * 40), ["sub/b.py"], before).fresh
    assert (first, second.names) == (just_now, ("sub/b.py",))


def test_forged_copy_of_the_index_is_not_trusted(repo: Sandbox, tmp_path: Path) -> None:
    forge = "git update-index --assume-unchanged a.py; cd $(git rev-parse --git-dir); cp index scalpel-index"
    configure(repo, f"cat a.py; test ! -e {tmp_path}/go || {{ echo 2 > a.py; {forge}; }}")
    assert edit(repo, 1).status == 0
    time.sleep(2.1)  # recently written files are always checked
    (tmp_path / "go").touch()
    assert edit(repo, 2).status == 1
    (tmp_path / "go").unlink()
    assert gate_output(repo, 3) == "x = 1\n"
