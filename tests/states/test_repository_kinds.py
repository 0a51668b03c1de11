"""Every command in repositories of each kind, with filters, attributes and user configuration."""

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
from tests.states.branch_commands import COMMANDS, check_works, make_repository
from tests.today import some
from tests.whole import text

Make = Callable[[Sandbox], Sandbox]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that sets the global git configuration."""
    file = tmp_path / "gitconfig"
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(file))

    def set_value(key: str, value: str) -> None:
        subprocess.run(["git", "config", "--file", str(file), "--add", key, value], check=True)

    return set_value


def prepare_undo_and_redo(repo: Sandbox) -> Sandbox:
    """Return the checkout with an edit to undo and one to redo."""
    with Repository(repo.root) as opened:
        opened.edit(text("line 2\n", "line 2, landed\n"))
        opened.edit(text("line 4\n", "line 4, undone\n"))
        opened.undo()
    return repo


def _remove_landings(repo: Sandbox) -> Sandbox:
    """Return the repository without its landings, to be cloned."""
    repo.git("update-ref", "-d", "refs/scalpel/ops")
    repo.git("reset", "-q", "--hard", "HEAD~1")
    return repo


def _clone(*options: str) -> Make:
    return lambda repo: prepare_undo_and_redo(clone_with(*options)(_remove_landings(repo)))


def clone_with_alternates(repo: Sandbox) -> Sandbox:
    _remove_landings(repo).git("clone", "-q", "--shared", ".", "../borrowing")
    return prepare_undo_and_redo(Sandbox(repo.root.parent / "borrowing"))


def link_worktree(repo: Sandbox) -> Sandbox:
    repo.git("switch", "-q", "-c", "other")
    repo.git("worktree", "add", "-q", "../linked", "main")
    return Sandbox(repo.root.parent / "linked")


def configure_worktree(repo: Sandbox) -> Sandbox:
    repo.git("config", "extensions.worktreeConfig", "true")
    worktree = link_worktree(repo)
    worktree.git("config", "--worktree", "core.fileMode", "false")
    worktree.git("config", "--worktree", "user.name", "Of the worktree")
    return worktree


def init_with(*options: str) -> Make:
    return lambda repo: make_repository(repo.root.parent / "other", *options)


def init_with_reftable(repo: Sandbox) -> Sandbox:
    if "--ref-format" not in repo.git("init", "--git-completion-helper"):
        pytest.skip("this git has no reftable: it came with 2.45, and the first git on PATH is older")
    return make_repository(repo.root.parent / "other", "--ref-format=reftable")


def pack(repo: Sandbox) -> Sandbox:
    repo.git("repack", "-adq")
    repo.git("pack-refs", "--all")
    repo.git("commit-graph", "write", "--reachable")
    repo.git("multi-pack-index", "write")
    return repo


def replace_objects(repo: Sandbox) -> Sandbox:
    """Replace objects, so that git shows other content than the object database has."""
    repo.git("replace", "HEAD~1", repo.git("commit-tree", "-m", "another", "HEAD^{tree}"))
    repo.git("replace", "HEAD:b.py", repo.git("hash-object", "-w", "--stdin", stdin="b = 2\n"))
    return repo


def disable_reflogs(repo: Sandbox) -> Sandbox:
    for key, value in {
        "core.logAllRefUpdates": "false",
        "core.ignoreCase": "true",
        "core.trustctime": "false",
    }.items():
        repo.git("config", key, value)
    return repo


def set_odd_output(repo: Sandbox) -> Sandbox:
    """Set user options that must not affect the reading of git's output."""
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
    "sha256": init_with("--object-format=sha256"),
    "reftable": init_with_reftable,
    "packed": pack,
    "partial clone": _clone("--filter=blob:none"),
    "partial clone without trees": _clone("--filter=tree:0"),
    "shallow clone": _clone("--depth=1"),
    "alternates": clone_with_alternates,
    "linked worktree": link_worktree,
    "configuration of a worktree": configure_worktree,
    "replaced objects": replace_objects,
    "no reflogs": disable_reflogs,
    "odd output": set_odd_output,
}


@pytest.mark.parametrize("make", some([*KINDS.values()]), ids=some([*KINDS]))
def test_every_command_works_in_each_kind(fresh: Sandbox, make: Make) -> None:
    repo = make(fresh)
    for command in COMMANDS.values():
        check_works(repo, command, None)
    assert repo.status() == ""
    repo.git("fsck", "--no-dangling")


def test_missing_promised_object_is_reported(fresh: Sandbox) -> None:
    repo = clone_with("--filter=blob:none", "--no-checkout")(_remove_landings(fresh))
    repo.git("sparse-checkout", "set", "--no-cone", "/b.py")
    repo.git("checkout", "-q", "main")
    moved_away = fresh.root.rename(fresh.root.parent / "gone")
    before = repo.state()
    with Repository(repo.root) as opened:
        with pytest.raises(ScalpelError) as caught:
            opened.edit(text("line 10\n", "edited\n"))
        assert (caught.value.code, "fetch" in caught.value.hint) == ("io_error", True)
        assert repo.state() == before
        opened.edit(text("b = 1", "b = 2", "b.py"))  # local objects can be edited
        moved_away.rename(fresh.root)
        opened.edit(text("line 10\n", "edited\n"))
    assert repo.status() == ""


def test_missing_alternate_is_reported(fresh: Sandbox) -> None:
    _remove_landings(fresh).git("clone", "-q", "--shared", ".", "../borrowing")
    repo = Sandbox(fresh.root.parent / "borrowing")
    moved_away = fresh.root.rename(fresh.root.parent / "gone")
    with pytest.raises(ScalpelError) as caught, Repository(repo.root) as opened:
        opened.edit(text("line 10\n", "edited\n"))
    assert (caught.value.code, "fsck" in caught.value.hint) == ("corrupt", True)
    moved_away.rename(fresh.root)
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
    "a filter process for each file": "[abc]* filter=rot",
    "an undefined filter": "[abc]* filter=nowhere",
    "a long-running filter": "[abc]* filter=stays",
    "lfs": "*.bin filter=lfs diff=lfs merge=lfs -text",
}
_FILTER_SERVER = """
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
def test_edits_work_with_attributes_and_filters(
    fresh: Sandbox, settings: Callable[..., None], attributes: str, tmp_path: Path
) -> None:
    (tmp_path / "stays.py").write_text(_FILTER_SERVER)
    settings("filter.rot.clean", "tr A-Za-z N-ZA-Mn-za-m")
    settings("filter.rot.smudge", "tr A-Za-z N-ZA-Mn-za-m")
    settings("filter.rot.required", "true")
    settings("filter.stays.process", f"{sys.executable} {tmp_path / 'stays.py'}")
    settings("filter.stays.required", "true")
    if "lfs" in attributes:
        _configure_lfs(settings)
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


def _configure_lfs(settings: Callable[..., None]) -> None:
    if shutil.which("git-lfs") is None:
        pytest.skip("git-lfs is not on PATH")
    for arguments in ("clean -- %f", "smudge -- %f"):
        settings(f"filter.lfs.{arguments.split()[0]}", f"git-lfs {arguments}")
    settings("filter.lfs.process", "git-lfs filter-process")
    settings("filter.lfs.required", "true")


@pytest.mark.parametrize("value", ["true", "input"])
def test_autocrlf_of_the_user_applies(fresh: Sandbox, settings: Callable[..., None], value: str) -> None:
    settings("core.autocrlf", value)
    fresh.git("rm", "-q", "--cached", "-r", ".")
    fresh.git("reset", "-q", "--hard")
    for command in COMMANDS.values():
        command.call(fresh, None)
        assert blob(fresh.root, f"HEAD:{command.path}") == command.after
    assert fresh.status() == ""
    assert fresh.files()["a.py"] == (COMMANDS["edit"].after or b"").replace(
        b"\n", b"\r\n" if value == "true" else b"\n"
    )


def test_failing_filter_changes_nothing(fresh: Sandbox, settings: Callable[..., None]) -> None:
    fresh.commit({".gitattributes": b"*.py filter=broken\n"})
    settings("filter.broken.smudge", "false")
    settings("filter.broken.clean", "cat")
    settings("filter.broken.required", "true")
    before = fresh.state()
    with Repository(fresh.root) as opened, pytest.raises(ScalpelError) as caught:
        opened.edit(text("line 10\n", "edited\n"))
    assert caught.value.code == "io_error"
    assert [
        row for row in fresh.state()[0].splitlines() if "/tx/" not in row and "/meta/" not in row
    ] == before[0].splitlines()
    assert fresh.state()[1:] == before[1:]


@pytest.mark.parametrize("process", [True, False])
def test_missing_filter_program_has_a_hint(
    fresh: Sandbox, settings: Callable[..., None], process: bool
) -> None:
    fresh.commit({".gitattributes": b"*.bin filter=missing\n"})
    settings("filter.missing.required", "true")
    settings("filter.missing.clean", "no-such-program")
    if process:
        settings("filter.missing.process", "no-such-program --process")
    with Repository(fresh.root) as opened, pytest.raises(ScalpelError) as caught:
        opened.edit(Write(path="new.bin", content="new\n"))
    assert (caught.value.code, "check that the program exists" in caught.value.hint) == ("io_error", True)


@pytest.mark.parametrize(
    ("key", "value"), [("core.filemode", "maybe"), ("core.compression", "99"), ("gpg.format", "none")]
)
def test_invalid_git_config_value_is_a_config_error(
    fresh: Sandbox, settings: Callable[..., None], key: str, value: str
) -> None:
    settings("commit.gpgSign", "true")
    settings(key, value)
    with Repository(fresh.root) as opened, pytest.raises(Misconfigured) as caught:
        opened.edit(text("line 10\n", "edited\n"))
    assert (caught.value.code, value in caught.value.message) == ("config_error", True)


def test_message_is_utf8_despite_commit_encoding(fresh: Sandbox) -> None:
    fresh.git("config", "i18n.commitEncoding", "latin1")
    with Repository(fresh.root) as opened:
        opened.edit(text("line 10\n", "edited\n"), message="Grüße")
    raw = subprocess.run(
        ["git", "cat-file", "commit", "HEAD"], cwd=fresh.root, capture_output=True, check=True
    ).stdout
    assert raw.endswith("Grüße\n".encode())
    assert fresh.git("-c", "i18n.logOutputEncoding=UTF-8", "log", "-1", "--format=%s") == "Grüße"


def test_included_git_configuration_applies(
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
