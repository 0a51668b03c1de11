"""Ignore rules, attributes and filters of paths.

Git converts files (line endings, ``ident``, encodings, clean and smudge filters). For most files no
conversion applies, so they need no process: https://git-scm.com/docs/gitattributes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import msgspec

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, SYMLINK, Entry, Oid, parent_folders
from gitscalpel.git import hooks, index, scratch
from gitscalpel.git.object_store import Store
from gitscalpel.git.process import Git, Result, join_listing, split_listing, to_options
from gitscalpel.git.repository import Repository, has_usual_places
from gitscalpel.git.snapshots import TreeSnapshot
from gitscalpel.git.working_tree import open_working_tree
from gitscalpel.system import trust

_GIT = ".git"


def find_ignored(git: Git, options: Sequence[str]) -> Iterable[str]:
    """Yield the ignored files, and the directories that are ignored as a whole.

    Git also lists a directory that contains only ignored files. Such a directory is skipped, since other
    files in it would not be ignored.
    """
    words = ("ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory", "--full-name", ":(top)")
    names = sorted(split_listing(git(*options, *words)))
    for name, after in zip(names, [*names[1:], ""], strict=False):
        if not (name.endswith("/") and after.startswith(name)):
            yield name


def select_ignored(git: Git, options: Sequence[str], names: Sequence[str]) -> frozenset[str]:
    """Return those of ``names`` that git ignores, directories without a trailing slash.

    With the slash, git would match a directory against patterns for the files in it.
    """
    words = (*options, "check-ignore", "-z", "--stdin")
    result = git.run(*words, stdin=join_listing(names)) if names else Result(1, b"", "")
    if result.status > 1:  # a path is now in another repository, where git gives up
        return frozenset(name for name in names if not git.run(*words, stdin=join_listing([name])).status)
    return frozenset(split_listing(result.out))


def is_ignored_or_nested(repo: Repository, path: str) -> bool:
    """Return True if the file at a path is ignored or inside a nested repository.

    Files in a git directory are neither, since no file may be written there.
    """
    if repo.work_tree is None or _GIT in path.lower().split("/"):
        return False
    folders = list(PurePosixPath(path).parents)[:-1]
    if any(os.path.lexists(Path(repo.work_tree, folder, _GIT)) for folder in folders):
        return True
    return repo.git.run("check-ignore", "-z", "--stdin", stdin=join_listing([path])).status == 0


def find_hidden_by_case(git: Git, user: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return the files that git ignores with the options ``user`` but not with ``options``.

    With ``core.ignoreCase`` an ignore rule also matches names in other cases.
    """
    if user == options:
        return []
    words = (*options, "ls-files", "-o", "-z", "--exclude-standard", "--full-name")
    folders = [name for name in split_listing(git(*words, "--directory", ":(top)")) if name.endswith("/")]
    hidden_folders = sorted(f"{name}/" for name in select_ignored(git, user, [name[:-1] for name in folders]))
    files = [
        name for name in split_listing(git(*words, ":(top)")) if not name.startswith(tuple(hidden_folders))
    ]
    return [*hidden_folders, *sorted(select_ignored(git, user, files))]


def find_shown_by_case(git: Git, user: Sequence[str], options: Sequence[str]) -> list[str]:
    """Return the files that git ignores with ``options`` but not with the options ``user``.

    With ``core.ignoreCase`` an exception (``!KEEP``) also matches names in other cases.
    """
    if user == options:
        return []
    words = ("ls-files", "-o", "-z", "--exclude-standard", "--full-name", ":(top)")
    shown = set(split_listing(git(*options, *words)))
    return [
        name for name in split_listing(git(*user, *words)) if name not in shown and not name.endswith("/")
    ]


def find_hidden(repo: Repository, git: Git) -> list[str]:
    """Return the files that only the user's git ignores, because it ignores case."""
    options = to_options(repo.case_settings)
    user = to_options(["core.ignoreCase=true"]) if options else options
    return find_hidden_by_case(git, user, options)


def find_index_rules(repo: Repository, skipped: Sequence[str]) -> list[str]:
    """Return those of the ``skipped`` files that are ignore files which git reads from its index.

    Git reads an ignore file from the disk if it can open it there, without following a symbolic link.
    """
    root = Path(str(repo.work_tree))
    rules = [path for path in skipped if path.rpartition("/")[2] == ".gitignore"]
    return [path for path in rules if not _can_open(root / path)]


def _can_open(file: Path) -> bool:
    try:
        os.close(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK))
    except OSError:
        return False
    return True


ATTRIBUTES_FILE = ".gitattributes"


def has_no_attributes(repo: Repository, names: Sequence[str]) -> bool:
    """Return True if certainly no attribute is set for any of ``names``."""
    if (
        repo.work_tree is None
        or repo.config.get("attr.tree")
        or any(_is_attributes(name.casefold()) for name in names)
    ):
        return False
    if any(os.path.lexists(file) for file in _iter_outer_attribute_files(repo)):
        return False
    if any(os.path.lexists(f"{repo.work_tree}/{path}") for path in _attribute_paths(names)):
        return False
    content = index.read_plain(repo)
    if content is not None and repo.flag("core.ignoreCase"):
        content = content.lower()
    return content is not None and ATTRIBUTES_FILE.encode() not in content


def converts_line_endings(repo: Repository) -> bool:
    return repo.config.get("core.autocrlf", "false").lower() not in ("false", "no", "off", "0")


def _attribute_paths(names: Iterable[str]) -> set[str]:
    folders = {f"{folder}/" for name in names for folder in parent_folders(name)}
    return {folder + ATTRIBUTES_FILE for folder in ("", *folders)}


def _iter_outer_attribute_files(repo: Repository) -> Iterator[str]:
    """Yield the attribute files outside of the working tree. ``/`` means that their place is unknown."""
    environment = repo.environment
    yield str(repo.common_dir / "info/attributes")
    home = environment.get("XDG_CONFIG_HOME") or f"{environment.get('HOME', '')}/.config"
    yield "/" if "core.attributesfile" in repo.config else f"{home}/git/attributes"
    if environment.get("GIT_ATTR_NOSYSTEM", "") in ("", "0"):
        yield "/etc/gitattributes" if has_usual_places(environment) else "/"


_ATTRIBUTES = ("text", "crlf", "eol", "filter", "ident", "working-tree-encoding")
_INERT = frozenset({b"unspecified", b"unset"})


class Filters:
    """Conversion of the files at ``names`` by the current attributes."""

    def __init__(self, repo: Repository, read: Callable[[Oid], bytes], names: Iterable[str]) -> None:
        self._git = repo.git
        self._read = read
        self._converted, self._filtered = _find_converted(repo, list(names))

    def applies(self, path: str) -> bool:
        """Return True if the stored bytes and the bytes on disk of ``path`` may differ."""
        return path in self._converted

    def runs_program(self, path: str) -> bool:
        """Return True if a filter program converts ``path``, which may drop bytes of the file on disk."""
        return path in self._filtered

    def smudge(self, path: str, entry: Entry, git: Git | None = None) -> bytes:
        """Return the bytes on disk for ``entry``, by the attributes of ``git`` or else the current ones."""
        if entry.mode == SYMLINK or (git is None and path not in self._converted):
            return self._read(entry.oid)
        return (git or self._git)("cat-file", "--filters", f"--path={path}", entry.oid)

    def clean(self, names: Iterable[str]) -> Mapping[str, Oid]:
        """Return the ids that git would store for the files on disk, by path, where conversion applies."""
        converted = [name for name in names if name in self._converted]
        one_by_one = [name for name in converted if "\n" in name]
        together = [name for name in converted if "\n" not in name]
        ids: dict[str, Oid] = {}
        if together:
            lines = "".join(name + "\n" for name in together).encode("utf-8", "surrogateescape")
            out = self._git("hash-object", "--stdin-paths", stdin=lines).decode("ascii").split()
            ids.update(zip(together, map(Oid, out), strict=True))
        for name in one_by_one:
            ids[name] = Oid(self._git("hash-object", "--", name).decode("ascii").strip())
        return ids


def _find_converted(repo: Repository, names: list[str]) -> tuple[set[str], set[str]]:
    """Return those of ``names`` that a conversion may change, and those that a filter program changes.

    Raises ``untrusted`` if the program comes from the repository.
    """
    require_trusted_filters(repo, names)
    if not names:
        return set(), set()
    if has_no_attributes(repo, names) and not converts_line_endings(repo):
        return set(), set()
    out = repo.git("check-attr", "-z", "--stdin", *_ATTRIBUTES, stdin=join_listing(names))
    fields = out.split(b"\0")
    rows = [
        row for row in zip(fields[0::3], fields[1::3], fields[2::3], strict=False) if row[2] not in _INERT
    ]
    driven = {os.fsdecode(path) for path, attribute, _ in rows if attribute == b"filter"}
    if any(_is_attributes(name) for name in names):
        return set(names), driven  # the attributes themselves change, so git decides about all files
    if converts_line_endings(repo):
        return set(names), driven
    return {os.fsdecode(path) for path, _, _ in rows}, driven


def require_trusted_filters(repo: Repository, names: Sequence[str]) -> None:
    """Raise ``NotAllowed`` (``untrusted``) if an untrusted filter applies to one of the files."""
    filters = hooks.select_filters(repo.untrusted)
    if not filters or not names:
        return
    out = repo.git("check-attr", "-z", "--stdin", "filter", stdin=join_listing(names))
    used = {os.fsdecode(value) for value in out.split(b"\0")[2::3]}
    changing = any(_is_attributes(name) for name in names)
    programs = [program for name, program in filters if changing or name in used]
    if programs:
        raise trust.untrusted_error(programs)


@contextmanager
def use_new_attributes(
    repo: Repository, store: Store, names: Sequence[str], tree: Oid | None
) -> Iterator[Git | None]:
    """Yield a git with the attributes of ``tree`` if one of ``names`` is an attributes file, else None.

    ``cat-file --filters`` reads attributes from the working tree only, so a temporary one is made.
    """
    if tree is None or not any(_is_attributes(name) for name in names):
        yield None
        return
    with scratch.make_scratch(repo.scalpel_dir) as temporary:
        folder = temporary.path / "attributes"
        folder.mkdir()
        snapshot = TreeSnapshot(store, repo.git, tree)
        for path in _attribute_paths(names):
            entry = snapshot.entry(path)
            if entry is not None and entry.mode in (REGULAR, EXECUTABLE):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(store.read(entry.oid))
        yield msgspec.structs.replace(repo.git, directory=folder).with_env(GIT_WORK_TREE=str(folder))


def _is_attributes(path: str) -> bool:
    return path.rpartition("/")[2] == ATTRIBUTES_FILE


def is_untouched(repo: Repository, store: Store, path: str, entry: Entry | None) -> bool:
    """Return True if disk and index certainly equal ``entry``, unconverted. False is not certain."""
    plain = index.find_entries(repo, [path])
    if entry is None or plain is None or plain.get(path) != entry:
        return False
    if not has_no_attributes(repo, [path]) or converts_line_endings(repo):
        return False
    work = open_working_tree(repo, store)
    return work.same(work.state(path), work.disk_entry(entry))
