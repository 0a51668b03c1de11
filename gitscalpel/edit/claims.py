"""What the operations of a changeset have addressed, so that none undoes another unseen."""

from __future__ import annotations

from collections import defaultdict

from gitscalpel.changesets.operations import Following, Operation, Patch, Text
from gitscalpel.edit.source import Edit, Source
from gitscalpel.errors import DoesNotFit


class Claims:
    """The addressed ranges of each file, in positions of the file before the changeset.

    Text and patches claim nothing: they are looked up in the result of the operations before them,
    so what comes after them sees what they did. Line numbers count in the file before the changeset:
    where a text or patch has replaced some lines by others, nobody can tell any more which they are.
    """

    def __init__(self) -> None:
        self._claimed: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)

    def claim(self, op: Operation, source: Source, edit: Edit) -> None:
        """Take what ``op`` addresses.

        Raises:
            DoesNotFit: ``nested_conflict``, if an earlier operation has taken some of it.
        """
        is_text = isinstance(op, (Text, Patch))
        if isinstance(op, Following):
            return  # it changes words, wherever they stand by now
        if edit.origin is not None and not source.track.keeps(*edit.origin):
            raise _nested(op, source, edit.origin[0])
        spots = [source.track.back(s.start, s.end) for s in edit.splices]
        original = spots if is_text else [source.origin_of(edit)]
        taken = self._claimed[source.path]
        for start, end in original:
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                raise _nested(op, source, start)
        if not is_text:
            taken += original

    def follow(self, path: str, to: str) -> None:
        """What is claimed of a file is claimed of the same file in another place."""
        self._claimed[to] = list(self._claimed[path])

    def forget(self, path: str) -> None:
        """Drop a file's claims: it has been replaced whole."""
        self._claimed.pop(path, None)


def _nested(op: Operation, source: Source, at: int) -> DoesNotFit:
    line = source.original.line_at(at)
    return DoesNotFit(
        "nested_conflict",
        f"{op.word} addresses line {line} of {source.path}, which an earlier operation "
        "of this changeset has changed",
        "put both into one operation, or send them as two changesets",
        line=line,
    )
