"""Which files of a tree hold a word, for who asks for many: each file is read once, not once for each word.

An inverted index of the parts of the text between spaces and signs. What is asked for may be a part of such a
part; so the distinct ones, which are few beside the text, are searched for it, as git searches the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_PARTS = bytes(b if chr(b).isalnum() or b in b"_$" or b >= 0x80 else 0x20 for b in range(256))
_HEAD = 8000
"""Bytes by which git, too, tells a file that is no text."""


class Words:
    """The words of some files.

    Args:
        files: path and bytes of each.
    """

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self._paths: list[str] = []
        self._raw: dict[int, bytes] = {}
        self._at: dict[bytes, list[int]] = {}
        for number, (path, content) in enumerate(files):
            self._paths.append(path)
            if b"\0" in content[:_HEAD]:
                self._raw[number] = content
                continue
            for part in {*content.translate(_PARTS).split()}:
                self._at.setdefault(part, []).append(number)
        self._all = b"\n".join((b"", *self._at, b""))
        self._dollars = b"\n".join((b"", *(part for part in self._at if b"$" in part), b""))

    def holding(self, word: str) -> list[str] | None:
        """The paths of the files in which the word stands, in their order; None: it is more than one part.

        Of several words, each on a line, one has to be there.
        """
        found = set[int]()
        for raw in word.encode("utf-8", "surrogateescape").split(b"\n"):
            if raw.translate(_PARTS).split() != [raw]:
                return None
            found.update(number for number, content in self._raw.items() if raw in content)
            found.update(self._among(self._all, raw))
        return [self._paths[number] for number in sorted(found)]

    def with_name(self, name: str) -> list[str] | None:
        """The same for files with text, without those in which it is but a part of longer names."""
        raw = name.encode("utf-8", "surrogateescape")
        if raw.translate(_PARTS).split() != [raw]:
            return None
        # In some languages a dollar sign is a part of names.
        found = {*self._at.get(raw, ()), *self._among(self._dollars, raw)}
        return [self._paths[number] for number in sorted(found)]

    def _among(self, parts: bytes, raw: bytes) -> Iterator[int]:
        """The files with one of some parts that holds these bytes."""
        at = parts.find(raw)
        while at >= 0:
            end = parts.index(b"\n", at)
            yield from self._at[parts[parts.rindex(b"\n", 0, at) + 1 : end]]
            at = parts.find(raw, end)
