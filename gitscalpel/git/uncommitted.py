"""Uncommitted changes of the working tree: as git would commit them, staged, or captured as raw bytes.

Git adds files to a copy of the index, so the user's own stays as it is. Captured are all files but ignored
ones, unconverted, through a second git directory with an index of its own, so only changed files are read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import NoReturn

import msgspec

from gitscalpel.changesets.answers import quote_path
from gitscalpel.changesets.file_tree import REGULAR, SUBMODULE, Change, Entry, Oid, parent_folders
from gitscalpel.changesets.paths import normalize_path
from gitscalpel.errors import DoesNotFit, InputOutput, NotAllowed, WorldMoved
from gitscalpel.errors.messages import place
from gitscalpel.git import attributes, commits, index, scratch
from gitscalpel.git.attributes import require_trusted_filters
from gitscalpel.git.object_store import Store
from gitscalpel.git.process import Git, git_error, join_listing, split_listing, to_options
from gitscalpel.git.repository import Repository
from gitscalpel.git.snapshots import find_submodules
from gitscalpel.system import private_files
from gitscalpel.system.failpoint import step
from gitscalpel.system.repo_lock import Lock

_SUBJECT = "scalpel: files that are not held"
_NAME = "unheld"
_SUBMODULE = bytes.fromhex("0000e000")  # mode of a submodule in an index
_FEW = 64  # maximum number of paths passed as arguments: git compares each with every file


class ExcludedFiles(msgspec.Struct, frozen=True):
    """Paths that existed when a state was recorded, and that it lacks. Directories end in a slash."""

    files: frozenset[str] = frozenset()

    def covers(self, path: str) -> bool:
        """Return True if the file at ``path`` may have existed."""
        return path in self.files or any(True for _ in self.folders(path))

    def folders(self, path: str) -> Iterator[str]:
        return (f"{folder}/" for folder in parent_folders(path) if f"{folder}/" in self.files)


def write_excluded(store: Store, excluded: ExcludedFiles) -> Oid:
    blob = store.write_blob(join_listing(sorted(excluded.files)))
    tree = store.write_tree(None, [(_NAME, Entry(REGULAR, blob))])
    return store.write_raw_commit(commits.serialize_commit(tree, [], _SUBJECT))


def read_excluded(store: Store, state: Oid) -> ExcludedFiles:
    """Return the list of a recorded state. It is empty for states of older versions."""
    list_commit = find_excluded_commit(store, state)
    content = store.file(list_commit, _NAME) if list_commit is not None else None
    return ExcludedFiles(frozenset(split_listing(content or b"")))


def find_excluded_commit(store: Store, state: Oid) -> Oid | None:
    parents = store.commit(state).parents
    is_list = bool(parents) and store.commit(parents[-1]).message.strip() == _SUBJECT
    return parents[-1] if is_list else None


def find_skipped(repo: Repository) -> list[str]:
    if not repo.flag("core.sparseCheckout") and not _has_flags(repo.git_dir / "index"):
        return []
    rows = split_listing(repo.git("ls-files", "-t", "-z", "--full-name", ":(top)"))
    return [row[2:] for row in rows if row.startswith("S ")]


def find_absent(repo: Repository, skipped: Sequence[str]) -> list[str]:
    disk = Presence(Path(str(repo.work_tree)))
    return [path for path in skipped if not disk.has(path)]


def _has_flags(index: Path) -> bool:
    """Return True if an index may contain skip-worktree entries.

    They need version 3 of the format (https://git-scm.com/docs/index-format). With a split index, all entries
    may be in the shared part, next to an index of version 2.
    """
    try:
        with index.open("rb") as file:
            is_newer = file.read(8)[4:] > bytes.fromhex("00000002")
    except OSError:
        return False
    return is_newer or any(index.parent.glob("sharedindex.*"))


def find_revealed(repo: Repository, git: Git, options: Sequence[str], apart: ExcludedFiles) -> list[str]:
    """Return the files of ``apart`` that git would add now. Files in the user's index are left out."""
    disk = Presence(Path(str(repo.work_tree)))
    names = [name.rstrip("/") for name in sorted(apart.files) if disk.has(name)]
    hidden = attributes.select_ignored(git, options, names)
    revealed = [name for name in names if name not in hidden]
    if not revealed:
        return []
    pathspecs = ("--", *revealed) if len(revealed) <= _FEW else ()
    words = ("--literal-pathspecs", *options, "ls-files", "-o", "-z", "--exclude-standard", "--full-name")
    untracked = (path for path in split_listing(repo.git(*words, *pathspecs)) if not path.endswith("/"))
    return _collapse_folders(repo, [path for path in untracked if apart.covers(path)], apart)


def _collapse_folders(repo: Repository, files: Sequence[str], apart: ExcludedFiles) -> list[str]:
    """Replace many files of a directory by the directory, unless the user's index contains a file in it."""
    paths: list[str] = []
    for folder, group in groupby(files, lambda path: next(iter(apart.folders(path)), "")):
        names = list(group)
        command = ("--literal-pathspecs", "ls-files", "-z", "--full-name", "--", folder)
        is_collapsed = len(names) > _FEW and folder and not repo.git(*command)
        paths += [folder] if is_collapsed else names
    return paths


class Presence:
    """Looks up files on disk without following symbolic links."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folders: dict[str, bool] = {"": True}

    def has(self, path: str) -> bool:
        """Return True if ``path`` exists. With a trailing slash it must be a directory."""
        if path.endswith("/"):
            return self._is_folder(path[:-1])
        return self._is_folder(path.rpartition("/")[0]) and os.path.lexists(self._root / path)

    def may_have_file(self, path: str) -> bool:
        """Return True if a file or symbolic link is at ``path``, or an unreadable directory hides it."""
        try:
            if not self._is_folder(path.rpartition("/")[0]):
                return False
            mode = os.lstat(self._root / path).st_mode
            return stat.S_ISREG(mode) or stat.S_ISLNK(mode)
        except FileNotFoundError:
            return False
        except PermissionError:
            return True

    def _is_folder(self, path: str) -> bool:
        if path not in self._folders:
            full = self._root / path
            self._folders[path] = (
                self._is_folder(path.rpartition("/")[0]) and full.is_dir() and not full.is_symlink()
            )
        return self._folders[path]


def find_abandoned(git: Git, root: Path, index: Path) -> list[str]:
    """Return the submodules in an index that are directories with files but without a repository.

    Git takes such a directory for an unpopulated submodule and does not see its files.
    """
    if not index.exists() or _SUBMODULE not in index.read_bytes():
        return []
    return [name for name in find_submodules(git) if _is_abandoned(root / name)]


def _is_abandoned(folder: Path) -> bool:
    if folder.is_symlink() or not folder.is_dir() or os.path.lexists(folder / ".git"):
        return False
    return any(True for _ in folder.iterdir())


_UNCONVERTED = b"* -text -filter -ident -working-tree-encoding\n"
_QUIETLY = ("-c", "advice.addEmbeddedRepo=false", "-c", "core.autocrlf=false")
# Settings of the user's git about the disk.
_DISK_SETTINGS = (
    "core.fileMode",
    "core.symlinks",
    "core.ignoreCase",
    "core.precomposeUnicode",
    "core.excludesFile",
)
_UNREADABLE_FOLDER = "warning: could not open directory '(.*)': (.*)"
_SPECIAL = "error: (.*): can only add regular files, symbolic links or git-directories"
_MESSAGES = (
    (
        "warning: adding embedded git repository: (.*)",
        r"\1 is a nested repository; only its commit is stored",
    ),
    (_UNREADABLE_FOLDER, r"\1: \2"),
    (_SPECIAL, r"\1 is not a regular file"),
    ("error: (.*)", r"\1"),
)
_FROM_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")
_NO_EXCLUDED = ExcludedFiles()
_MAX_NAMED = 5
# Git's message if it could read a file but not store it, because of the disk.
_NOT_WRITTEN = "failed to insert into database"


class Captured(msgspec.Struct, frozen=True):
    """Captured state of a working tree."""

    tree: Oid  # tree of all files with their raw bytes
    left_out: tuple[str, ...]  # messages about files that are missing or not stored as they are
    excluded: ExcludedFiles  # files that exist and are not in the tree


def capture(repo: Repository, held: Lock, apart: ExcludedFiles = _NO_EXCLUDED) -> Captured:
    """Write the files of the working tree as a tree.

    The caller holds the tool's lock, so that no edit is in progress and no other process uses our own index.
    Files of ``apart`` were ignored in an earlier state. They stay out of the object database although git no
    longer ignores them, unless the user has added them to the index.

    Raises:
        ScalpelError: the objects cannot be written: `busy` on a full disk, else `io_error`.
    """
    # With attributes that convert nothing, no program runs and the parts that a clean filter strips are kept.
    folder = _make_capture_git_dir(repo)
    own_index = folder / "index"
    with scratch.make_scratch(repo.scalpel_dir) as temporary:
        copy = temporary.path / "index"
        git = repo.git.inheriting(held).inheriting(temporary.lock)
        git = git.with_env(
            GIT_DIR=str(folder),
            GIT_WORK_TREE=str(repo.work_tree),
            GIT_OBJECT_DIRECTORY=str(repo.common_dir / "objects"),
            GIT_INDEX_FILE=str(copy),
        )
        index.copy_index(own_index, copy)
        try:
            captured = _write_tree(repo, git, apart)
        except InputOutput:  # the index is damaged, or names removed objects: read all files again
            copy.unlink(missing_ok=True)
            captured = _write_tree(repo, git, apart)
        step()
        copy.rename(own_index)
    return captured


def _write_tree(repo: Repository, git: Git, apart: ExcludedFiles) -> Captured:
    disk_settings = (
        f"{name}={repo.config[name.lower()]}" for name in _DISK_SETTINGS if name.lower() in repo.config
    )
    user = (*_QUIETLY, *to_options(disk_settings))  # to decide what is ignored
    options = (*user, *to_options(repo.case_settings))  # to see each file on the disk
    root = Path(str(repo.work_tree))
    _remove_from_index(git, find_abandoned(git, root, Path(git.env["GIT_INDEX_FILE"])))
    skipped = find_skipped(repo)
    absent, rules = find_absent(repo, skipped), attributes.find_index_rules(repo, skipped)
    _add_ignore_files(repo, git, rules)
    ignored_tracked = _remove_ignored_from_index(repo, git, user)
    revealed = find_revealed(repo, git, user, apart)
    hidden = attributes.find_hidden_by_case(git, user, options)
    ignored_tracked += attributes.find_shown_by_case(git, user, options)
    everything = join_listing([":(top)", *_exclude_pathspecs([*revealed, *hidden])])
    messages = _add_files(git, *options, "add", "-A", "--ignore-errors", *_FROM_STDIN, stdin=everything)
    special = [match[1] for line in messages if (match := re.fullmatch(_SPECIAL, line))]
    _remove_from_index(git, [*revealed, *special])  # otherwise the index keeps the earlier file
    messages += _add_ignored(git, options, ignored_tracked)
    words = ("ls-files", "-z", "-o", "--exclude-standard", "--full-name", ":(top)")
    missing = (
        split_listing(git(*options, *words)) if messages or revealed else []
    )  # not ignored, and not added
    ignored = (*attributes.find_ignored(git, options), *hidden)
    names = (*ignored, *absent, *rules, *missing, *_find_unreadable(messages))
    _remove_from_index(git, rules)
    tree = Oid(git("write-tree").decode("ascii").strip())
    left_out = tuple(
        words for words in (*map(_translate_message, messages), _describe_revealed(revealed)) if words
    )
    return Captured(tree, left_out, ExcludedFiles(frozenset(names)))


def _add_ignore_files(repo: Repository, git: Git, names: Sequence[str]) -> None:
    """Add ignore files from the user's index to ours, so that git reads them there as well."""
    if names:
        entries = index.read_index_entries(repo.git, names)
        rows = (f"{entries[path].entry.mode} {entries[path].entry.oid}\t{path}" for path in names)
        git("update-index", "--add", "--replace", "-z", "--index-info", stdin=join_listing([*rows]))
        index.update_index(git, "--skip-worktree", names)


def _remove_from_index(git: Git, names: Sequence[str]) -> None:
    if names:
        words = ("rm", "-r", "-f", "-q", "--cached", "--ignore-unmatch", "--sparse")
        git("--literal-pathspecs", *words, *_FROM_STDIN, stdin=join_listing(names))


def _describe_revealed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return (
        f"{', '.join(map(quote_path, names[:_MAX_NAMED]))}{more}, which git ignored or could not read before"
        if names
        else ""
    )


def _exclude_pathspecs(names: Iterable[str]) -> list[str]:
    return [f":(top,exclude,literal){name}" for name in names]


def _find_unreadable(messages: Sequence[str]) -> list[str]:
    return [
        f"{match[1].rstrip('/')}/" for line in messages if (match := re.fullmatch(_UNREADABLE_FOLDER, line))
    ]


def _add_files(git: Git, *words: str, stdin: bytes = b"") -> list[str]:
    """Add files, and return git's messages. Git reports an unreadable file and continues."""
    result = git.run(*words, stdin=stdin)
    if result.status > 1 or _NOT_WRITTEN in result.err:
        raise git_error("add", result.status, result.err)
    return result.err.splitlines()


def _remove_ignored_from_index(repo: Repository, git: Git, options: Sequence[str]) -> list[str]:
    """Remove the ignored files from our index that the user's index does not contain: git would add them.

    Returns the ignored files that exist and are in the user's index.
    """
    words = ("ls-files", "-z", "-c", "-i", "--exclude-standard", "--full-name", ":(top)")
    theirs, ours = set(split_listing(repo.git(*words))), set(split_listing(git(*options, *words)))
    wrong = sorted(ours - theirs)
    index.update_index(git, "--force-remove", wrong)
    root = Path(str(repo.work_tree))
    return [path for path in sorted(theirs) if os.path.lexists(root / path)]


def _add_ignored(git: Git, options: Sequence[str], names: Sequence[str]) -> list[str]:
    if not names:
        return []
    words = ("add", "-f", "--ignore-errors", *_FROM_STDIN)
    return _add_files(git, "--literal-pathspecs", *options, *words, stdin=join_listing(names))


def _make_capture_git_dir(repo: Repository) -> Path:
    """Make our own git directory for this worktree. It is removed with the worktree."""
    folder = private_files.ensure_folder(private_files.ensure_folder(repo.git_dir / "scalpel") / "captured")
    version, form = (0, "") if repo.object_format == "sha1" else (1, repo.object_format)
    config = f"[core]\n\trepositoryformatversion = {version}\n\tbare = false\n"
    config += f"[extensions]\n\tobjectformat = {form}\n" if form else ""
    exclude = repo.common_dir / "info" / "exclude"
    files = {
        "HEAD": b"ref: refs/heads/none\n",
        "config": config.encode(),
        "info/attributes": _UNCONVERTED,
        "info/exclude": exclude.read_bytes() if exclude.is_file() else b"",
    }
    for name in ("info", "objects", "refs"):
        private_files.ensure_folder(folder / name)
    for name, content in files.items():
        file = folder / name
        if not file.is_file() or file.read_bytes() != content:
            step()
            private_files.write(file, content)
    return folder


def _translate_message(line: str) -> str:
    return next(
        (
            match.expand(replacement)
            for pattern, replacement in _MESSAGES
            if (match := re.fullmatch(pattern, line))
        ),
        "",
    )


def write_contents(repo: Repository, without: Sequence[str] = ()) -> Oid:
    """Return the tree of the whole working tree except the paths ``without``.

    Raises ``conflicted`` if a merge is not resolved, or ``not_a_file`` if it contains another repository.
    """
    rows = repo.git("ls-files", "-u", "-z").split(b"\0")
    unmerged = list(dict.fromkeys(os.fsdecode(row.partition(b"\t")[2]) for row in rows if row))
    if unmerged:
        raise DoesNotFit(
            "conflicted",
            f"{', '.join(unmerged[:5])} in {repo.work_tree}: the merge is not resolved",
            "resolve it there and `git add` the files",
            paths=unmerged,
        )
    with _use_copied_index(repo) as git:
        everything = join_listing([":(top)", *_exclude_pathspecs(attributes.find_hidden(repo, git))])
        result = git.run("add", "-A", "--sparse", *_FROM_STDIN, stdin=everything)
        if "embedded git repository" in result.err or "does not have a commit checked out" in result.err:
            raise DoesNotFit(
                "not_a_file",
                f"{repo.work_tree} contains another repository: {result.err.splitlines()[0]}",
                "remove it, or add it as a submodule",
            )
        if result.status:
            _raise_add_error(result.status, result.err)
        index.update_index(git, "--force-remove", without)
        return Oid(git("write-tree").decode("ascii").strip())


def find_uncommitted(repo: Repository, base: Oid, names: Sequence[str]) -> list[Change]:
    """Return how the files at ``names`` (files, directories or ``""``) differ from the tree ``base``.

    Raises:
        DoesNotFit: ``file_not_found`` or ``conflicted``.
        NotAllowed: ``path_denied``: ignored, behind a link out of the repository, or inside another
            repository; ``untrusted``.
        WorldMoved: ``dirty_overlap``: the index has a third version.
    """
    names = [_resolve_folder_links(repo, name) for name in names]
    inside = next((name for name in names if name in find_submodules(repo.git)), None)
    if inside is not None:
        raise NotAllowed("path_denied", f"{inside} is a separate repository", "leave out that path")
    with _use_copied_index(repo) as git:
        tracked = git("--literal-pathspecs", "ls-files", "-z", "--", *(name or "." for name in names))
        existing = [
            name
            for name in names
            if not name
            or os.path.lexists(Path(str(repo.work_tree)) / name)
            or _contains_path(split_listing(tracked), name)
        ]
        if existing:
            hidden = attributes.find_hidden(repo, git)
            _require_shown(existing, hidden)
            listed = join_listing(
                [*(f":(top,literal){name}" for name in existing), *_exclude_pathspecs(hidden)]
            )
            result = git.run("add", "-A", "--sparse", *_FROM_STDIN, stdin=listed)
            if result.status:
                _raise_add_error(result.status, result.err)
        rows = git("diff-index", "--cached", "--raw", "--no-renames", "-z", base)
    changes = [
        change
        for change in parse_raw_diff(rows)
        if any(_contains_path([change.path], name) for name in names)
    ]
    missing = [
        name
        for name in names
        if name not in existing and not any(_contains_path([c.path], name) for c in changes)
    ]
    if missing:
        raise DoesNotFit("file_not_found", f"{missing[0]} does not exist", "check the path", path=missing[0])
    require_trusted_filters(repo, [change.path for change in changes])
    _require_not_half_staged(repo, changes)
    for change in changes:
        if change.new is not None and change.new.mode == SUBMODULE:
            raise NotAllowed("path_denied", f"{change.path} is a separate repository", "leave out that path")
    return changes


def _resolve_folder_links(repo: Repository, name: str) -> str:
    root = os.path.realpath(str(repo.work_tree))
    folder, _, last = name.rpartition("/")
    behind = os.path.relpath(os.path.realpath(os.path.join(root, folder)), root)  # noqa: PTH118
    if behind.startswith(".."):
        raise NotAllowed(
            "path_denied",
            f"{name} is behind a symbolic link that leads out of the repository",
            "give a path inside the repository",
            path=name,
        )
    return normalize_path(f"{behind}/{last}") if last else name


@contextmanager
def _use_copied_index(repo: Repository) -> Iterator[Git]:
    """Yield a git that works on a copy of the index and ignores the contents of submodules.

    A git that reads a submodule would start programs that its configuration names.
    """
    with scratch.make_scratch(repo.scalpel_dir) as temporary:
        copy = temporary.path / "index"
        index.copy_index(repo.git_dir / "index", copy)
        git = repo.git.inheriting(temporary.lock).with_env(GIT_INDEX_FILE=str(copy))
        git = git.with_settings(*repo.case_settings)
        index.update_index(git, "--skip-worktree", find_submodules(git))
        yield git


def _require_shown(names: Sequence[str], hidden: Sequence[str]) -> None:
    covers = ExcludedFiles(frozenset(hidden)).covers
    for name in names:
        if name and (covers(name) or f"{name}/" in hidden):
            raise NotAllowed(
                "path_denied",
                f"{quote_path(name)} is ignored by git, since case does not matter here (core.ignoreCase)",
                "add it with `git add -f` if it belongs to the repository",
                path=name,
            )


def parse_raw_diff(rows: bytes) -> Iterator[Change]:
    parts = rows.split(b"\0")
    for fields, path in zip(parts[0::2], parts[1::2], strict=False):
        old, new, old_oid, oid, status = fields.decode("ascii").lstrip(":").split(" ")
        before = None if status == "A" else Entry(old, Oid(old_oid))
        yield Change(os.fsdecode(path), before, None if status == "D" else Entry(new, Oid(oid)))


def _contains_path(paths: Sequence[str], name: str) -> bool:
    return any(name in ("", path) or path.startswith(name.rstrip("/") + "/") for path in paths)


def _require_not_half_staged(repo: Repository, changes: Sequence[Change]) -> None:
    """Raise if the index differs from both the tip and the disk: one of these versions would be lost."""
    names = [change.path for change in changes]
    tip = {row[0]: row[1] for row in _list_committed(repo, names)} if names else {}
    staged = index.read_index_entries(repo.git, names) if names else {}
    for path, _, disk in changes:
        entry = staged.get(path)
        if entry is not None and entry.conflicted:
            raise DoesNotFit(
                "conflicted", f"{path} is unmerged", "resolve the conflict and `git add` the file"
            )
        if entry is not None and entry.entry.oid not in (disk and disk.oid, tip.get(path)):
            raise WorldMoved(
                "dirty_overlap",
                f"{path}: the index and the working tree have different versions",
                f"`git add {place(path)}`, or unstage it (`git restore --staged {place(path)}`)",
                files=[{"path": path, "why": "staged", "lines": []}],
            )


def _list_committed(repo: Repository, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    result = repo.git.run("--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", "HEAD", "--", *names)
    for row in result.out.split(b"\0") if not result.status else ():
        meta, tab, name = row.partition(b"\t")
        if tab:
            yield os.fsdecode(name), meta.decode("ascii").split(" ")[2]


def _raise_add_error(status: int, words: str) -> NoReturn:
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
    raise git_error("add", status, words)


INDEX_VARIABLE = "GIT_INDEX_FILE"
_UNMERGED_STATUS = "000000"


def find_staged(repo: Repository, base: Oid, *, as_told: bool) -> list[Change]:
    """Return how the index differs from the tree or commit ``base``, without writing.

    With ``as_told`` the caller's ``GIT_INDEX_FILE`` selects the index, as in a hook of ``git commit PATH``.
    Raises ``conflicted`` if a merge is not resolved.
    """
    words = ("diff-index", "--cached", "--raw", "--no-renames", "--ignore-submodules=none", "-z", base)
    changes = list(parse_raw_diff(repo.git(*words, env=index_environment(repo, as_told=as_told))))
    unmerged = [
        quote_path(path) for path, _, new in changes if new is not None and new.mode == _UNMERGED_STATUS
    ]
    if unmerged:
        raise DoesNotFit(
            "conflicted",
            f"the merge of {', '.join(unmerged[:5])} is not resolved",
            "resolve it and `git add` the files",
            paths=unmerged,
        )
    return changes


def find_resolved_conflicts(repo: Repository, *, as_told: bool) -> frozenset[str]:
    rows = repo.git(
        "ls-files", "--resolve-undo", "--full-name", "-z", env=index_environment(repo, as_told=as_told)
    )
    return frozenset(os.fsdecode(row.partition(b"\t")[2]) for row in rows.split(b"\0") if row)


def index_environment(repo: Repository, *, as_told: bool) -> dict[str, str]:
    index_file = repo.environment.get(INDEX_VARIABLE) if as_told else None
    return {INDEX_VARIABLE: index_file} if index_file else {}
