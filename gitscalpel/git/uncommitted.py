"""Uncommitted changes: of the working tree, and of the index.

Working-tree files are taken as git would commit them: ignored files left out, filters and modes applied.
Git adds them to a copy of the index, so that the user's own stays as it is.

In a hook git may use another index (``git commit PATH``, ``commit -a``), which ``GIT_INDEX_FILE`` names.
A relative path starts where git runs, at the top of the working tree.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.file_tree import SUBMODULE, Change, Entry, Oid
from gitscalpel.changesets.paths import clean
from gitscalpel.errors import DoesNotFit, NotAllowed, WorldMoved
from gitscalpel.errors.messages import place
from gitscalpel.git import index, scratch, working_tree_capture
from gitscalpel.git.filters import refuse_untrusted
from gitscalpel.git.process import Git, failure, listing, paths
from gitscalpel.git.repository import Repository

_FROM_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")


def contents(repo: Repository, without: Sequence[str] = ()) -> Oid:
    """The tree of everything in the work tree, but for what stands at the paths ``without``.

    Raises:
        DoesNotFit: ``conflicted``: a merge in it is not resolved; ``not_a_file``: there is another
            repository in it.
    """
    unmerged = _unmerged(repo)
    if unmerged:
        raise DoesNotFit(
            "conflicted",
            f"{', '.join(unmerged[:5])} in {repo.work_tree}: the merge is not resolved",
            "resolve it there and `git add` the files",
            paths=unmerged,
        )
    with _copied_index(repo) as git:
        apart = [f":(top,exclude,literal){name}" for name in _hidden(repo, git)]
        added = git.run("add", "-A", "--sparse", *_FROM_STDIN, stdin=listing([":(top)", *apart]))
        if "embedded git repository" in added.err or "does not have a commit checked out" in added.err:
            raise DoesNotFit(
                "not_a_file",
                f"there is another repository in {repo.work_tree}: {added.err.splitlines()[0]}",
                "take it away, or add it as a submodule",
            )
        if added.status:
            _refuse(added.status, added.err)
        if without:
            git("update-index", "--force-remove", "-z", "--stdin", stdin=listing(without))
        return Oid(git("write-tree").decode("ascii").strip())


def changes(repo: Repository, base: Oid, names: Sequence[str]) -> list[Change]:
    """How the files at ``names`` (files or folders, ``""`` is the root) differ from the tree ``base``.

    Raises:
        DoesNotFit: ``file_not_found`` or ``conflicted``.
        NotAllowed: ``path_denied``: ignored, behind a link that leads out, or inside another repository;
            ``untrusted``.
        WorldMoved: ``dirty_overlap``: the index holds a third version.
    """
    names = [_on_disk(repo, name) for name in names]
    inside = next((name for name in names if name in _submodules(repo.git)), None)
    if inside is not None:
        raise NotAllowed("path_denied", f"{inside} is a repository of its own", "leave it out")
    with _copied_index(repo) as git:
        known = git("--literal-pathspecs", "ls-files", "-z", "--", *(name or "." for name in names))
        wanted = [
            name
            for name in names
            if not name or os.path.lexists(Path(str(repo.work_tree)) / name) or _holds(paths(known), name)
        ]
        if wanted:
            hidden = _hidden(repo, git)
            _require_shown(wanted, hidden)
            apart = [f":(top,exclude,literal){name}" for name in hidden]
            listed = listing([*(f":(top,literal){name}" for name in wanted), *apart])
            added = git.run("add", "-A", "--sparse", *_FROM_STDIN, stdin=listed)
            if added.status:
                _refuse(added.status, added.err)
        rows = git("diff-index", "--cached", "--raw", "--no-renames", "-z", base)
    found = [change for change in parse_raw_diff(rows) if any(_holds([change.path], name) for name in names)]
    missing = [
        name for name in names if name not in wanted and not any(_holds([c.path], name) for c in found)
    ]
    if missing:
        raise DoesNotFit("file_not_found", f"{missing[0]} does not exist", "check the path", path=missing[0])
    refuse_untrusted(repo, [change.path for change in found])
    _refuse_half_staged(repo, found)
    for change in found:
        if change.new is not None and change.new.mode == SUBMODULE:
            raise NotAllowed("path_denied", f"{change.path} is a repository of its own", "leave it out")
    return found


def _on_disk(repo: Repository, name: str) -> str:
    """The path that lies behind the links on the way to ``name``, which are those of the disk."""
    root = os.path.realpath(str(repo.work_tree))
    folder, _, last = name.rpartition("/")
    behind = os.path.relpath(os.path.realpath(os.path.join(root, folder)), root)  # noqa: PTH118
    if behind.startswith(".."):
        raise NotAllowed(
            "path_denied", f"{name} lies behind a link that leads out", "name files inside", path=name
        )
    return clean(f"{behind}/{last}") if last else name


@contextmanager
def _copied_index(repo: Repository) -> Iterator[Git]:
    """A git that works on a copy of the index, and looks into no submodule.

    What is checked out in one says nothing; who means it has staged it. And a git that looked would start
    what that repository's own configuration names.
    """
    with scratch.made(repo.scalpel_dir) as held:
        copy = held.path / "index"
        index.copied(repo.git_dir / "index", copy)
        git = repo.git.inheriting(held.lock).with_env(GIT_INDEX_FILE=str(copy))
        git = git.with_settings(*repo.case_settings)
        submodules = _submodules(git)
        if submodules:
            git("update-index", "--skip-worktree", "-z", "--stdin", stdin=listing(submodules))
        yield git


def _hidden(repo: Repository, git: Git) -> list[str]:
    """Find what only the user's git ignores, which ignores the case of names as well."""
    options = tuple(word for setting in repo.case_settings for word in ("-c", setting))
    user = ("-c", "core.ignoreCase=true") if options else ()
    return working_tree_capture.find_hidden_by_case(git, user, options)


def _require_shown(names: Sequence[str], hidden: Sequence[str]) -> None:
    """Refuse a file or folder that the user's git ignores."""
    covers = working_tree_capture.ExcludedFiles(frozenset(hidden)).covers
    for name in names:
        if name and (covers(name) or f"{name}/" in hidden):
            raise NotAllowed(
                "path_denied",
                f"{quoted(name)} is ignored by git, which ignores case here (core.ignoreCase)",
                "add it with `git add -f` if it belongs to the repository",
                path=name,
            )


def _submodules(git: Git) -> list[str]:
    rows = (row.partition(b"\t") for row in git("ls-files", "-s", "-z").split(b"\0"))
    return [os.fsdecode(name) for meta, _, name in rows if meta.startswith(SUBMODULE.encode())]


def _unmerged(repo: Repository) -> list[str]:
    rows = repo.git("ls-files", "-u", "-z").split(b"\0")
    return list(dict.fromkeys(os.fsdecode(row.partition(b"\t")[2]) for row in rows if row))


def parse_raw_diff(rows: bytes) -> Iterator[Change]:
    """The changes of ``diff-index --raw -z``: pairs of fields and path."""
    parts = rows.split(b"\0")
    for fields, path in zip(parts[0::2], parts[1::2], strict=False):
        old, new, was, oid, status = fields.decode("ascii").lstrip(":").split(" ")
        before = None if status == "A" else Entry(old, Oid(was))
        yield Change(os.fsdecode(path), before, None if status == "D" else Entry(new, Oid(oid)))


def _holds(found: Sequence[str], name: str) -> bool:
    """Whether one of the paths is ``name``, or lies below it."""
    return any(name in ("", path) or path.startswith(name.rstrip("/") + "/") for path in found)


def _refuse_half_staged(repo: Repository, found: Sequence[Change]) -> None:
    """Refuse what the index holds otherwise than both the tip and the disk: one of its versions would go."""
    names = [change.path for change in found]
    tip = {row[0]: row[1] for row in _committed(repo, names)} if names else {}
    staged = index.entries(repo.git, names) if names else {}
    for path, _, disk in found:
        entry = staged.get(path)
        if entry is not None and entry.conflicted:
            raise DoesNotFit(
                "conflicted", f"{path} is unmerged", "resolve the conflict and `git add` the file"
            )
        if entry is not None and entry.entry.oid not in (disk and disk.oid, tip.get(path)):
            raise WorldMoved(
                "dirty_overlap",
                f"{path}: the index and the disk hold different versions",
                f"`git add {place(path)}`, or unstage it (`git restore --staged {place(path)}`)",
                files=[{"path": path, "why": "staged", "lines": []}],
            )


def _committed(repo: Repository, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The files that the branch holds at ``names``, with their blobs."""
    result = repo.git.run("--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", "HEAD", "--", *names)
    for row in result.out.split(b"\0") if not result.status else ():
        meta, tab, name = row.partition(b"\t")
        if tab:
            yield os.fsdecode(name), meta.decode("ascii").split(" ")[2]


def _refuse(status: int, words: str) -> NoReturn:
    if "did not match any files" in words:
        raise DoesNotFit("file_not_found", words.removeprefix("fatal: "), "check the path")
    if "are ignored by" in words:
        raise NotAllowed("path_denied", words, "add it with `git add -f` if it belongs to the repository")
    if "beyond a symbolic link" in words:
        raise NotAllowed("path_denied", words.removeprefix("fatal: "), "name the file itself")
    if "is in submodule" in words:
        raise NotAllowed("path_denied", words.removeprefix("fatal: "), "edit it from inside the submodule")
    encoding = next((line for line in words.splitlines() if "encode" in line), None)
    if encoding is not None:
        hint = "write it in the encoding that .gitattributes gives it (working-tree-encoding)"
        raise DoesNotFit("unencodable", encoding.removeprefix("fatal: "), hint)
    raise failure("add", status, words)


INDEX_VARIABLE = "GIT_INDEX_FILE"
_UNMERGED_STATUS = "000000"


def staged_changes(repo: Repository, base: Oid, *, as_told: bool) -> list[Change]:
    """How the index differs from the tree or commit ``base``; nothing is written.

    Args:
        repo: seen from where the caller stands.
        base: what it is held against.
        as_told: the caller's own variable says which index is meant.

    Raises:
        DoesNotFit: ``conflicted``: a merge in it is not resolved.
    """
    words = ("diff-index", "--cached", "--raw", "--no-renames", "--ignore-submodules=none", "-z", base)
    found = list(parse_raw_diff(repo.git(*words, env=index_environment(repo, as_told=as_told))))
    unmerged = [quoted(path) for path, _, new in found if new is not None and new.mode == _UNMERGED_STATUS]
    if unmerged:
        raise DoesNotFit(
            "conflicted",
            f"the merge of {', '.join(unmerged[:5])} is not resolved",
            "resolve it and `git add` the files",
            paths=unmerged,
        )
    return found


def resolved_conflicts(repo: Repository, *, as_told: bool) -> frozenset[str]:
    """Return the paths that were in conflict in the index until `git add` resolved them."""
    rows = repo.git(
        "ls-files", "--resolve-undo", "--full-name", "-z", env=index_environment(repo, as_told=as_told)
    )
    return frozenset(os.fsdecode(row.partition(b"\t")[2]) for row in rows.split(b"\0") if row)


def index_environment(repo: Repository, *, as_told: bool) -> dict[str, str]:
    """The variable by which git finds the index that is meant."""
    told = repo.environment.get(INDEX_VARIABLE) if as_told else None
    return {INDEX_VARIABLE: told} if told else {}
