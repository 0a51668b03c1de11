"""Git directory of a program in a sandbox, with the repository's objects and refs to read.

Git works there, including ``git add`` and ``git commit``. But the index is a copy, new objects go to a
separate folder, and the configuration contains only what git needs to read files: no passwords, no
addresses.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from gitscalpel.gates.sandbox.bubblewrap import Mount, look
from gitscalpel.git.refs import SLOT_FILE
from gitscalpel.git.repository import Repository

_READ = ("refs", "packed-refs", "reftable", "shallow", "hooks", "info", "lfs")
"""What is seen as it is."""
_OBJECTS = "objects-of-the-repository"
_CORE = (
    *("abbrev", "attributesfile", "autocrlf", "bigfilethreshold", "checkroundtripencoding", "checkstat"),
    *("commentchar", "eol", "excludesfile", "filemode", "hookspath", "ignorecase", "ignorestat"),
    *("logallrefupdates", "longpaths", "precomposeunicode", "protecthfs", "protectntfs", "quotepath"),
    *("repositoryformatversion", "safecrlf", "sharedrepository", "sparsecheckout", "sparsecheckoutcone"),
    *("splitindex", "symlinks", "trustctime", "untrackedcache", "usereplacerefs", "whitespace"),
)
_WHOLE = frozenset(
    {
        *(f"core.{name}" for name in _CORE),
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
_BELOW = re.compile(
    r"filter\..+\.(?:clean|smudge|process|required)|diff\..+\.(?:binary|funcname|xfuncname|wordregex)"
    r"|branch\..+\.(?:merge|rebase|remote)|submodule\..+\.(?:active|ignore)"
)
"""What git needs to read files there, and to say who commits; no other value is known to hold no password."""


def make(repo: Repository, folder: Path) -> Iterator[Mount]:
    """Make one in an empty folder; the places of which it then consists.

    Args:
        repo: the repository, seen from the worktree that it is for.
        folder: holds what is its own.
    """
    common = repo.common_dir
    objects = folder / "objects"
    for made in (objects / "info", objects / "pack", folder / _OBJECTS, own(repo, folder)):
        made.mkdir(parents=True)
    (folder / "HEAD").write_bytes((common / "HEAD").read_bytes())
    (folder / "config").write_bytes(os.fsencode(_configuration(repo.config)))
    borrowed = list(_borrowed(common / "objects"))
    lines = [f"../{_OBJECTS}", *map(str, borrowed)]
    (objects / "info" / "alternates").write_bytes(os.fsencode("".join(f"{line}\n" for line in lines)))
    _copied(repo.git_dir, own(repo, folder))
    yield Mount(common, "own", folder)
    yield Mount(common / _OBJECTS, "look", common / "objects")
    yield from map(look, borrowed)
    for path in (*(common / name for name in _READ), repo.git_dir / "modules"):
        if path.exists():
            _stand_in(path, folder / path.relative_to(common))
            yield look(path)


def own(repo: Repository, folder: Path) -> Path:
    """The worktree's own part of it: its index and its HEAD."""
    return folder / repo.git_dir.relative_to(repo.common_dir)


def is_sound(repo: Repository, folder: Path) -> bool:
    """Whether what a program has left of it can be read: no link leads out of it."""
    index, objects = own(repo, folder) / "index", folder / "objects"
    message = index.with_name("COMMIT_EDITMSG")
    found = (path.is_file() for path in ((index, message) if os.path.lexists(message) else (index,)))
    inside = (
        path.resolve() == folder.resolve() / path.relative_to(folder) for path in (index, objects, message)
    )
    return all(found) and objects.is_dir() and all(inside)


def written(folder: Path) -> Path:
    """The folder of the objects that were written there, which leads nowhere else any more."""
    info = folder / "objects" / "info"
    if info.is_symlink() or not info.is_dir():
        info.unlink(missing_ok=True)
    else:
        shutil.rmtree(info)
    return folder / "objects"


def _copied(source: Path, target: Path) -> None:
    """The files and folders of a worktree's git directory, without locks and submodules."""
    for entry in os.scandir(source):
        if entry.name == "modules" or entry.name.endswith(".lock") or entry.is_symlink():
            continue
        if entry.is_dir():
            shutil.copytree(entry.path, target / entry.name, symlinks=True)
        elif entry.is_file() and (entry.name == SLOT_FILE or not entry.name.startswith("scalpel-")):
            shutil.copy2(entry.path, target / entry.name)


def _stand_in(path: Path, here: Path) -> None:
    """Something on which ``path`` can be put."""
    here.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        here.mkdir(exist_ok=True)
    else:
        here.touch()


def _borrowed(objects: Path) -> Iterator[Path]:
    """Folders of objects that others lend."""
    try:
        lines = os.fsdecode((objects / "info" / "alternates").read_bytes()).splitlines()
    except OSError:
        return
    for line in lines:
        path = Path(os.path.normpath(objects / line))
        if line and not line.startswith("#") and path.is_dir():
            yield path


def _configuration(config: Mapping[str, str]) -> str:
    rows = ["[core]\n\tbare = false\n"]
    for key, value in config.items():
        # An address may hold a password, wherever it stands (``branch.main.remote``).
        if (key in _WHOLE or _BELOW.fullmatch(key)) and "://" not in value:
            section, _, rest = key.partition(".")
            below, _, name = rest.rpartition(".")
            header = f'{section} "{_escaped(below)}"' if below else section
            rows.append(f'[{header}]\n\t{name} = "{_escaped(value)}"\n')
    return "".join(rows)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
