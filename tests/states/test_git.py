"""Git as it is: every verb in repositories of every kind, with everything that git may put between."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gitscalpel import Repository, ScalpelError, Write
from gitscalpel.errors import Misconfigured
from tests.command import blob
from tests.git.repository_kinds import clone_with
from tests.sandbox import Sandbox
from tests.states.round import VERBS, template, works
from tests.today import some
from tests.whole import text

Make = Callable[[Sandbox], Sandbox]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets the user's own configuration."""
    file = tmp_path / "gitconfig"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))

    def put(key: str, value: str) -> None:
        subprocess.run(["git", "config", "--file", str(file), "--add", key, value], check=True)

    return put


def begun(repo: Sandbox) -> Sandbox:
    """Its checkout, with something to undo and something to redo."""
    with Repository(repo.root) as opened:
        opened.edit(text("line 2\n", "line 2, landed\n"))
        opened.edit(text("line 4\n", "line 4, undone\n"))
        opened.undo()
    return repo


def _from(repo: Sandbox) -> Sandbox:
    """The repository before anything was landed in it, to be cloned."""
    repo.git("update-ref", "-d", "refs/scalpel/ops")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    return repo


def _clone(*options: str) -> Make:
    return lambda repo: begun(clone_with(*options)(_from(repo)))


def alternates(repo: Sandbox) -> Sandbox:
    _from(repo).git("clone", "-q", "--shared", ".", "../borrowing")
    return begun(Sandbox(repo.root.parent / "borrowing"))


def linked(repo: Sandbox) -> Sandbox:
    repo.git("switch", "-q", "-c", "other")
    repo.git("worktree", "add", "-q", "../linked", "main")
    return Sandbox(repo.root.parent / "linked")


def worktree_config(repo: Sandbox) -> Sandbox:
    repo.git("config", "extensions.worktreeConfig", "true")
    there = linked(repo)
    there.git("config", "--worktree", "core.fileMode", "false")
    there.git("config", "--worktree", "user.name", "Of the worktree")
    return there


def other_format(*options: str) -> Make:
    return lambda repo: template(repo.root.parent / "other", *options)


def reftable(repo: Sandbox) -> Sandbox:
    if "--ref-format" not in repo.git("init", "--git-completion-helper"):
        pytest.skip("this git has no reftable: it came with 2.45, and the first git on PATH is older")
    return template(repo.root.parent / "other", "--ref-format=reftable")


def packed(repo: Sandbox) -> Sandbox:
    repo.git("repack", "-adq")
    repo.git("pack-refs", "--all")
    repo.git("commit-graph", "write", "--reachable")
    repo.git("multi-pack-index", "write")
    return repo


def replaced(repo: Sandbox) -> Sandbox:
    """What git shows of them is not what is there."""
    repo.git("replace", "HEAD~1", repo.git("commit-tree", "-m", "another", "HEAD^{tree}"))
    repo.git("replace", "HEAD:b.py", repo.git("hash-object", "-w", "--stdin", stdin="b = 2\n"))
    return repo


def quiet(repo: Sandbox) -> Sandbox:
    for key, value in {
        "core.logAllRefUpdates": "false",
        "core.ignoreCase": "true",
        "core.trustctime": "false",
    }.items():
        repo.git("config", key, value)
    return repo


def odd_output(repo: Sandbox) -> Sandbox:
    """What people set for themselves must not change what is read from git."""
    for key, value in {
        "color.ui": "always",
        "core.quotePath": "true",
        "diff.noprefix": "true",
        "diff.renames": "copies",
        "diff.external": "/nowhere/diff",
        "log.showSignature": "true",
        "log.decorate": "full",
        "status.short": "true",
        "status.showUntrackedFiles": "no",
        "merge.conflictStyle": "diff3",
        "commit.cleanup": "strip",
        "commit.template": "/nowhere/template",
        "core.commentChar": "l",
        "core.abbrev": "4",
        "index.threads": "1",
        "feature.manyFiles": "true",
        "advice.statusHints": "false",
        "core.pager": "/nowhere/pager",
        "core.editor": "false",
        "i18n.logOutputEncoding": "latin1",
        "checkout.defaultRemote": "origin",
        "push.default": "nothing",
    }.items():
        repo.git("config", key, value)
    repo.git("update-index", "-q", "--refresh")
    return repo


KINDS: dict[str, Make] = {
    "sha256": other_format("--object-format=sha256"),
    "reftable": reftable,
    "packed": packed,
    "partial clone": _clone("--filter=blob:none"),
    "partial clone without trees": _clone("--filter=tree:0"),
    "shallow clone": _clone("--depth=1"),
    "alternates": alternates,
    "linked worktree": linked,
    "configuration of a worktree": worktree_config,
    "replaced objects": replaced,
    "no reflogs": quiet,
    "odd output": odd_output,
}


@pytest.mark.parametrize("make", some([*KINDS.values()]), ids=some([*KINDS]))
def test_every_verb(fresh: Sandbox, make: Make) -> None:
    repo = make(fresh)
    for verb in VERBS.values():
        works(repo, verb, None)
    assert repo.status() == ""
    repo.git("fsck", "--no-dangling")


def test_objects_that_the_remote_no_longer_has(fresh: Sandbox) -> None:
    repo = clone_with("--filter=blob:none", "--no-checkout")(_from(fresh))
    repo.git("sparse-checkout", "set", "--no-cone", "/b.py")
    repo.git("checkout", "-q", "main")
    gone = fresh.root.rename(fresh.root.parent / "gone")
    before = repo.state()
    with Repository(repo.root) as opened:
        with pytest.raises(ScalpelError) as refused:
            opened.edit(text("line 10\n", "edited\n"))
        assert (refused.value.code, "fetch" in refused.value.hint) == ("io_error", True)
        assert repo.state() == before
        opened.edit(text("b = 1", "b = 2", "b.py"))  # what is here can be edited
        gone.rename(fresh.root)
        opened.edit(text("line 10\n", "edited\n"))
    assert repo.status() == ""


def test_an_alternate_that_is_gone(fresh: Sandbox) -> None:
    _from(fresh).git("clone", "-q", "--shared", ".", "../borrowing")
    repo = Sandbox(fresh.root.parent / "borrowing")
    gone = fresh.root.rename(fresh.root.parent / "gone")
    with pytest.raises(ScalpelError) as refused, Repository(repo.root) as opened:
        opened.edit(text("line 10\n", "edited\n"))
    assert (refused.value.code, "fsck" in refused.value.hint) == ("corrupt", True)
    gone.rename(fresh.root)
    with Repository(repo.root) as opened:
        opened.edit(text("line 10\n", "edited\n"))
    assert repo.status() == ""


ATTRIBUTES = {
    "eol=crlf": "[abc]* text eol=crlf",
    "eol=lf": "[abc]* text eol=lf",
    "text=auto": "* text=auto",
    "ident": "[abc]* ident",
    "another encoding": "[abc]* working-tree-encoding=UTF-16LE",
    "binary": "[abc]* -text -diff -merge",
    "a filter that starts for each file": "[abc]* filter=rot",
    "a filter that nobody has": "[abc]* filter=nowhere",
    "a filter that stays": "[abc]* filter=stays",
    "lfs": "*.bin filter=lfs diff=lfs merge=lfs -text",
}
_STAYS = """
import sys
def read():
    size = int(sys.stdin.buffer.read(4), 16)
    return None if size == 0 else sys.stdin.buffer.read(size - 4)
def rows():
    return list(iter(read, None))
def say(*lines):
    for line in lines:
        sys.stdout.buffer.write(b"%04x" % (len(line) + 4) + line)
    sys.stdout.buffer.write(b"0000")
    sys.stdout.buffer.flush()
rows(); say(b"git-filter-server\\n", b"version=2\\n")
rows(); say(b"capability=clean\\n", b"capability=smudge\\n")
while True:
    try:
        head = rows()
    except ValueError:
        break
    content = b"".join(rows()).swapcase()
    say(b"status=success\\n")
    say(*[content[at:at + 60000] for at in range(0, len(content), 60000)])
    say()
"""


@pytest.mark.parametrize("attributes", some([*ATTRIBUTES.values()]), ids=some([*ATTRIBUTES]))
def test_what_lies_between_git_and_the_disk(
    fresh: Sandbox, settings: Callable[..., None], attributes: str, tmp_path: Path
) -> None:
    (tmp_path / "stays.py").write_text(_STAYS)
    settings("filter.rot.clean", "tr A-Za-z N-ZA-Mn-za-m")
    settings("filter.rot.smudge", "tr A-Za-z N-ZA-Mn-za-m")
    settings("filter.rot.required", "true")
    settings("filter.stays.process", f"{sys.executable} {tmp_path / 'stays.py'}")
    settings("filter.stays.required", "true")
    if "lfs" in attributes:
        _with_lfs(settings)
    fresh.write({".gitattributes": attributes.encode() + b"\n", "zeros.bin": b"\0" * 1000})
    fresh.git("add", ".gitattributes", "zeros.bin")
    fresh.git("commit", "-q", "-m", "attributes")
    fresh.git("rm", "-q", "--cached", "-r", ".")
    fresh.git("reset", "-q", "--hard")
    with Repository(fresh.root) as opened:
        opened.edit(text("line 10\n", "edited\n"))
        opened.run("sh", "-c", "printf more >> zeros.bin; cp b.py c.py")
        opened.undo()
        opened.redo()
    shutil.copy(fresh.root / "a.py", fresh.root / "copy")
    with Repository(fresh.root) as opened:
        opened.begin(adopt=["copy"]).land()
    assert fresh.status() == ""
    landed = fresh.files()
    fresh.git("rm", "-q", "--cached", "-r", ".")
    fresh.git("reset", "-q", "--hard")
    assert fresh.files() == landed
    assert (blob(fresh.root, "HEAD:copy"), fresh.status()) == (blob(fresh.root, "HEAD:a.py"), "")


def _with_lfs(settings: Callable[..., None]) -> None:
    if shutil.which("git-lfs") is None:
        pytest.skip("git-lfs is not on PATH")
    for what in ("clean -- %f", "smudge -- %f"):
        settings(f"filter.lfs.{what.split()[0]}", f"git-lfs {what}")
    settings("filter.lfs.process", "git-lfs filter-process")
    settings("filter.lfs.required", "true")


@pytest.mark.parametrize("value", ["true", "input"])
def test_line_endings_of_the_user(fresh: Sandbox, settings: Callable[..., None], value: str) -> None:
    settings("core.autocrlf", value)
    fresh.git("rm", "-q", "--cached", "-r", ".")
    fresh.git("reset", "-q", "--hard")
    for verb in VERBS.values():
        verb.call(fresh, None)
        assert blob(fresh.root, f"HEAD:{verb.path}") == verb.after
    assert fresh.status() == ""
    assert fresh.files()["a.py"] == (VERBS["edit"].after or b"").replace(
        b"\n", b"\r\n" if value == "true" else b"\n"
    )


def test_a_filter_that_fails_refuses_before_anything_changes(
    fresh: Sandbox, settings: Callable[..., None]
) -> None:
    fresh.commit({".gitattributes": b"*.py filter=broken\n"})
    settings("filter.broken.smudge", "false")
    settings("filter.broken.clean", "cat")
    settings("filter.broken.required", "true")
    before = fresh.state()
    with Repository(fresh.root) as opened, pytest.raises(ScalpelError) as refused:
        opened.edit(text("line 10\n", "edited\n"))
    assert refused.value.code == "io_error"
    assert [
        row for row in fresh.state()[0].splitlines() if "/tx/" not in row and "/meta/" not in row
    ] == before[0].splitlines()
    assert fresh.state()[1:] == before[1:]


@pytest.mark.parametrize("process", [True, False])
def test_a_filter_whose_program_is_missing_is_what_the_hint_is_about(
    fresh: Sandbox, settings: Callable[..., None], process: bool
) -> None:
    fresh.commit({".gitattributes": b"*.bin filter=missing\n"})
    settings("filter.missing.required", "true")
    settings("filter.missing.clean", "no-such-program")
    if process:
        settings("filter.missing.process", "no-such-program --process")
    with Repository(fresh.root) as opened, pytest.raises(ScalpelError) as refused:
        opened.edit(Write(path="new.bin", content="new\n"))
    assert (refused.value.code, "check that the program exists" in refused.value.hint) == ("io_error", True)


@pytest.mark.parametrize(
    ("key", "value"), [("core.filemode", "maybe"), ("core.compression", "99"), ("gpg.format", "none")]
)
def test_a_value_that_git_refuses_is_the_configurations_fault(
    fresh: Sandbox, settings: Callable[..., None], key: str, value: str
) -> None:
    settings("commit.gpgSign", "true")
    settings(key, value)
    with Repository(fresh.root) as opened, pytest.raises(Misconfigured) as refused:
        opened.edit(text("line 10\n", "edited\n"))
    assert (refused.value.code, value in refused.value.message) == ("config_error", True)


def test_a_log_in_another_encoding(fresh: Sandbox) -> None:
    fresh.git("config", "i18n.commitEncoding", "latin1")
    with Repository(fresh.root) as opened:
        opened.edit(text("line 10\n", "edited\n"), message="Grüße")
    raw = subprocess.run(
        ["git", "cat-file", "commit", "HEAD"], cwd=fresh.root, capture_output=True, check=True
    ).stdout
    assert raw.endswith("Grüße\n".encode())
    assert fresh.git("-c", "i18n.logOutputEncoding=UTF-8", "log", "-1", "--format=%s") == "Grüße"


def test_a_configuration_that_another_includes(
    fresh: Sandbox, settings: Callable[..., None], tmp_path: Path
) -> None:
    (tmp_path / "work").write_text("[user]\n\tname = At Work\n\temail = w@example.org\n")
    settings(f"includeIf.gitdir:{fresh.root.parent}/.path", str(tmp_path / "work"))
    with pytest.MonkeyPatch.context() as patch:
        for role in ("AUTHOR", "COMMITTER"):
            patch.delenv(f"GIT_{role}_NAME")
            patch.delenv(f"GIT_{role}_EMAIL")
        with Repository(fresh.root) as opened:
            opened.edit(text("line 10\n", "edited\n"))
    assert fresh.git("log", "-1", "--format=%an %ce") == "At Work w@example.org"
