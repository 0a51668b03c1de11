"""Files that are created, edited, renamed and deleted step by step, as one patch of each."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gitscalpel.edit.patches.form import FilePatch, Taken
from gitscalpel.edit.patches.pieces import Span
from gitscalpel.edit.patches.refusals import failed


class Moves:
    """What has been said of each file, by the name that it has by then."""

    def __init__(self) -> None:
        self._now: dict[str, FilePatch] = {}
        self._gone: list[FilePatch] = []

    def files(self) -> tuple[FilePatch, ...]:
        """A patch for each file, what goes first; its edits are counted within the file."""
        return (*self._gone, *(file for file in self._now.values() if file.kind != "edit" or file.pieces))

    def edited(self, path: str, spans: Sequence[Span]) -> None:
        """Add edits, whose positions are those of the file as it was."""
        file = self._take(path)
        first = len(file.pieces) + 1
        numbered = (msgspec.structs.replace(span, index=n) for n, span in enumerate(spans, first))
        self._now[path] = msgspec.structs.replace(file, pieces=(*file.pieces, *numbered))

    def created(self, path: str, taken: Taken) -> None:
        """Add a new file without content."""
        self._refuse_known(path)
        self._now[path] = FilePatch(path=path, source=path, kind="create", taken=taken)

    def renamed(self, old: str, new: str, taken: Taken) -> None:
        """Rename a file, or a folder with what has been said of the files in it."""
        self._refuse_known(new)
        inside = [path for path in self._now if path.startswith(old + "/")]
        is_known = old in self._now
        file = self._take(old)
        kind = file.kind if file.kind == "create" else "rename"
        deep = file.deep or not is_known
        self._now.pop(old, None)
        self._now[new] = msgspec.structs.replace(file, path=new, kind=kind, taken=taken, deep=deep)
        for path in inside:
            self.renamed(path, new + path[len(old) :], taken)

    def deleted(self, path: str, *, may_miss: bool, deep: bool) -> None:
        """Delete a file, or a folder with all that is in it; what has been said of it goes as well."""
        file = self._take(path)
        self._now.pop(path, None)
        for inside in [known for known in self._now if known.startswith(path + "/")] if deep else []:
            self.deleted(inside, may_miss=True, deep=False)
        if file.kind != "create":
            self._gone.append(
                FilePatch(
                    path=file.source,
                    source=file.source,
                    kind="delete",
                    may_miss=may_miss,
                    deep=deep,
                    link=True,
                )
            )

    def _take(self, path: str) -> FilePatch:
        """What has been said of a file so far, also by the name of a folder that it is in."""
        if path in self._now:
            return self._now[path]
        for folder in reversed(list(self._now.values())):
            if folder.deep and path.startswith(folder.path + "/"):
                source = folder.source + path[len(folder.path) :]
                return FilePatch(path=path, source=source, kind="rename", taken=folder.taken)
        return FilePatch(path=path, source=path)

    def _refuse_known(self, path: str) -> None:
        if path in self._now:
            raise failed(f"the patch puts a file at {path}, where it has put one before", path=path)
