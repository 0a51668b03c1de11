"""Files of a program in a sandbox: its own working tree, and its own git directory.

Changes of the working tree go to an overlay if the kernel can mount one, otherwise to a copy. In the git
directory, the index is a copy, new objects go to a separate folder, and the configuration contains only what
git needs to read files: no passwords, no addresses.
"""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from gitscalpel.gates.bubblewrap import Mount, readable_mount
from gitscalpel.git.refs import SLOT_FILE
from gitscalpel.git.repository import Repository
from gitscalpel.system import private_files

_OPAQUE = "user.overlay.opaque"


class WorktreeLayers(msgspec.Struct, frozen=True):
    """Working tree of a sandbox: the worktree ``below``, and written files ``above``.

    If ``is_copied``, ``above`` is a copy of the whole worktree.
    """

    below: Path
    above: Path
    is_copied: bool

    def changed_files(self, tracked: Callable[[str], bool]) -> list[str]:
        """Return the ``tracked`` files of the worktree that were changed or removed."""
        paths = self._iter_differing("") if self.is_copied else self._iter_written("")
        return sorted(path for path in dict.fromkeys(paths) if tracked(path))

    def _iter_written(self, folder: str) -> Iterator[str]:
        for name, status in _list_entries(self.above / folder):
            path = f"{folder}{name}"
            if stat.S_ISDIR(status.st_mode) and private_files.is_folder(self.below / path):
                if _is_opaque(self.above / path):
                    yield from self._iter_differing(f"{path}/")
                else:
                    yield from self._iter_written(f"{path}/")
            elif not _is_same(self.below / path, self.above / path):
                yield from _iter_paths(self.below, path)

    def _iter_differing(self, folder: str) -> Iterator[str]:
        for name, status in _list_entries(self.below / folder):
            path = f"{folder}{name}"
            if stat.S_ISDIR(status.st_mode) and private_files.is_folder(self.above / path):
                yield from self._iter_differing(f"{path}/")
            elif not _is_same(self.below / path, self.above / path):
                yield from _iter_paths(self.below, path)


def hand_over_folder(above: Path, below: Path) -> None:
    """Move a new directory from ``above`` to ``below`` unless one is there, and clear its set-id bits."""
    if private_files.is_folder(above) and not os.path.lexists(below):
        shutil.move(above, below)
    if private_files.is_folder(below):
        for folder, _, names in os.walk(below):
            for name in names:
                _remove_set_id(Path(folder) / name)


def _remove_set_id(file: Path) -> None:
    mode = file.lstat().st_mode
    if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
        file.chmod(stat.S_IMODE(mode) & 0o777)


def _iter_paths(root: Path, path: str) -> Iterator[str]:
    if not private_files.is_folder(root / path):
        yield path
        return
    yield path
    for name, _ in _list_entries(root / path):
        yield from _iter_paths(root, f"{path}/{name}")


def _is_same(below: Path, above: Path) -> bool:
    """Return True if both are the same kind of file with the same content, or if ``below`` does not exist."""
    try:
        before, after = below.lstat(), above.lstat()
    except FileNotFoundError:
        return not os.path.lexists(below)
    if stat.S_IFMT(before.st_mode) != stat.S_IFMT(after.st_mode):
        return False
    if stat.S_ISLNK(before.st_mode):
        return below.readlink() == above.readlink()
    if not stat.S_ISREG(before.st_mode):
        return True
    if (before.st_mode ^ after.st_mode) & stat.S_IXUSR or not os.access(above, os.R_OK):
        return False
    return filecmp.cmp(below, above, shallow=False)


def _is_opaque(path: Path) -> bool:
    """Return True if an overlay directory hides all of the lower one because it was removed and recreated."""
    try:
        return os.getxattr(path, _OPAQUE) == b"y"  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        return False


def _list_entries(folder: Path) -> list[tuple[str, os.stat_result]]:
    if not os.access(folder, os.R_OK | os.X_OK):
        folder.chmod(stat.S_IRWXU)  # a program has locked its own directory
    return sorted((entry.name, entry.stat(follow_symlinks=False)) for entry in os.scandir(folder))


_READABLE = ("refs", "packed-refs", "reftable", "shallow", "hooks", "info", "lfs")
"""Entries of the git directory that are mounted unchanged."""
_OBJECTS_MOUNT = "objects-of-the-repository"
_CORE_KEYS = (
    *("abbrev", "attributesfile", "autocrlf", "bigfilethreshold", "checkroundtripencoding", "checkstat"),
    *("commentchar", "eol", "excludesfile", "filemode", "hookspath", "ignorecase", "ignorestat"),
    *("logallrefupdates", "longpaths", "precomposeunicode", "protecthfs", "protectntfs", "quotepath"),
    *("repositoryformatversion", "safecrlf", "sharedrepository", "sparsecheckout", "sparsecheckoutcone"),
    *("splitindex", "symlinks", "trustctime", "untrackedcache", "usereplacerefs", "whitespace"),
)
_ALLOWED_KEYS = frozenset(
    {
        *(f"core.{name}" for name in _CORE_KEYS),
        *("extensions.objectformat", "extensions.refstorage", "extensions.compatobjectformat"),
        *("extensions.partialclone", "extensions.preciousobjects", "extensions.relativeworktrees"),
        *(f"{who}.{what}" for who in ("user", "author", "committer") for what in ("name", "email")),
        *("user.useconfigonly", "i18n.commitencoding", "i18n.logoutputencoding", "init.defaultbranch"),
        *("diff.algorithm", "diff.context", "diff.ignoresubmodules", "diff.indentheuristic"),
        *("diff.mnemonicprefix", "diff.noprefix", "diff.renamelimit", "diff.renames", "diff.submodule"),
        *("merge.conflictstyle", "merge.ff", "merge.renamelimit", "merge.renames", "rerere.enabled"),
        *("apply.ignorewhitespace", "apply.whitespace", "blame.ignorerevsfile", "color.ui", "log.date"),
        *("status.showuntrackedfiles", "status.submodulesummary", "submodule.recurse"),
    }
)
_ALLOWED_PATTERN = re.compile(
    r"filter\..+\.(?:clean|smudge|process|required)|diff\..+\.(?:binary|funcname|xfuncname|wordregex)"
    r"|branch\..+\.(?:merge|rebase|remote)|submodule\..+\.(?:active|ignore)"
)
"""Further keys that git needs to read files and to identify the committer.

Any other key may hold a password.
"""


def make_git_dir(repo: Repository, folder: Path) -> Iterator[Mount]:
    """Create a git directory in an empty ``folder``, and yield the mounts that it consists of."""
    common = repo.common_dir
    objects = folder / "objects"
    for new_folder in (
        objects / "info",
        objects / "pack",
        folder / _OBJECTS_MOUNT,
        worktree_git_dir(repo, folder),
    ):
        new_folder.mkdir(parents=True)
    (folder / "HEAD").write_bytes((common / "HEAD").read_bytes())
    (folder / "config").write_bytes(os.fsencode(_format_config(repo.config)))
    borrowed = list(_iter_alternates(common / "objects"))
    lines = [f"../{_OBJECTS_MOUNT}", *map(str, borrowed)]
    (objects / "info" / "alternates").write_bytes(os.fsencode("".join(f"{line}\n" for line in lines)))
    _copy_git_dir(repo.git_dir, worktree_git_dir(repo, folder))
    yield Mount(common, "own", folder)
    yield Mount(common / _OBJECTS_MOUNT, "look", common / "objects")
    yield from map(readable_mount, borrowed)
    for path in (*(common / name for name in _READABLE), repo.git_dir / "modules"):
        if path.exists():
            _make_mount_point(path, folder / path.relative_to(common))
            yield readable_mount(path)


def worktree_git_dir(repo: Repository, folder: Path) -> Path:
    """Return the worktree's own part of a sandbox's git directory, with its index and HEAD."""
    return folder / repo.git_dir.relative_to(repo.common_dir)


def is_sound_git_dir(repo: Repository, folder: Path) -> bool:
    """Return True if the git directory that a program left can be read and no symbolic link leaves it."""
    index, objects = worktree_git_dir(repo, folder) / "index", folder / "objects"
    message = index.with_name("COMMIT_EDITMSG")
    are_files = (path.is_file() for path in ((index, message) if os.path.lexists(message) else (index,)))
    are_inside = (
        path.resolve() == folder.resolve() / path.relative_to(folder) for path in (index, objects, message)
    )
    return all(are_files) and objects.is_dir() and all(are_inside)


def written_objects(folder: Path) -> Path:
    """Return the directory of objects that the program wrote, after removing its alternates."""
    info = folder / "objects" / "info"
    if info.is_symlink() or not info.is_dir():
        info.unlink(missing_ok=True)
    else:
        shutil.rmtree(info)
    return folder / "objects"


def _copy_git_dir(source: Path, target: Path) -> None:
    """Copy the git directory of a worktree, except locks and submodules."""
    for entry in os.scandir(source):
        if entry.name == "modules" or entry.name.endswith(".lock") or entry.is_symlink():
            continue
        if entry.is_dir():
            shutil.copytree(entry.path, target / entry.name, symlinks=True)
        elif entry.is_file() and (entry.name == SLOT_FILE or not entry.name.startswith("scalpel-")):
            shutil.copy2(entry.path, target / entry.name)


def _make_mount_point(path: Path, mount_point: Path) -> None:
    mount_point.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        mount_point.mkdir(exist_ok=True)
    else:
        mount_point.touch()


def _iter_alternates(objects: Path) -> Iterator[Path]:
    try:
        lines = os.fsdecode((objects / "info" / "alternates").read_bytes()).splitlines()
    except OSError:
        return
    for line in lines:
        path = Path(os.path.normpath(objects / line))
        if line and not line.startswith("#") and path.is_dir():
            yield path


def _format_config(config: Mapping[str, str]) -> str:
    rows = ["[core]\n\tbare = false\n"]
    for key, value in config.items():
        # An address in any key (``branch.main.remote``) may contain a password.
        if (key in _ALLOWED_KEYS or _ALLOWED_PATTERN.fullmatch(key)) and "://" not in value:
            section, _, rest = key.partition(".")
            below, _, name = rest.rpartition(".")
            header = f'{section} "{_escape(below)}"' if below else section
            rows.append(f'[{header}]\n\t{name} = "{_escape(value)}"\n')
    return "".join(rows)


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
