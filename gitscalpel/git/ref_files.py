"""Reads refs from their files, where these are as usual: https://git-scm.com/docs/gitrepository-layout."""

from __future__ import annotations

import re
from pathlib import Path

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.git.near import ID, Unclear

_PLAIN = re.compile(r"refs/(?:heads|tags|remotes|notes|scalpel)(?:/(?!-)\w[\w-]*(?:\.\w[\w-]*)*)+", re.ASCII)
"""Names that a file has as it is, in whatever file system, and that all worktrees share."""
_STEPS = 5
"""So many names may stand for each other, for git too."""


class RefFiles:
    """The refs of a repository that keeps them in files.

    Args:
        git_dir: of the worktree, which has its own HEAD.
        common_dir: where the refs are.
    """

    def __init__(self, git_dir: Path, common_dir: Path) -> None:
        self._head = git_dir / "HEAD"
        self._common_dir = common_dir
        self._packed: tuple[tuple[int, int, int], bytes] | None = None

    def value(self, name: str) -> Oid | None:
        """The id that ``HEAD`` or a ref named in full stands for; None: there is no such ref.

        Raises:
            Unclear: git is to be asked.
        """
        for _ in range(_STEPS):
            said = self._said(name)
            if said is None:
                return None
            if ID.fullmatch(said):
                return Oid(said)
            if not said.startswith("ref: refs/"):
                break
            name = said.removeprefix("ref: ")
        raise Unclear

    def _said(self, name: str) -> str | None:
        if name == "HEAD":
            file = self._head
        elif _PLAIN.fullmatch(name) and not name.endswith(".lock"):
            file = self._common_dir / name
        else:
            raise Unclear
        try:
            if file.is_symlink():
                raise Unclear
            return file.read_bytes().decode("ascii").rstrip("\n")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return self._in_packed(name)
        except (OSError, UnicodeDecodeError):
            raise Unclear from None

    def _in_packed(self, name: str) -> str | None:
        """What the file of packed refs says, which git fills before it removes the file of a ref."""
        content = self._read_packed()
        at = content.find(b" %s\n" % name.encode("ascii"))
        if at < 0:
            return None
        return content[content.rindex(b"\n", 0, at) + 1 : at].decode("ascii", "replace")

    def _read_packed(self) -> bytes:
        """That file, which is never changed but replaced."""
        file = self._common_dir / "packed-refs"
        try:
            found = file.stat()
            version = (found.st_ino, found.st_mtime_ns, found.st_size)
            if self._packed is None or self._packed[0] != version:
                self._packed = version, b"\n" + file.read_bytes()
        except FileNotFoundError:
            return b""
        return self._packed[1]
