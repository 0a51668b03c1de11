"""Which diagnostics are new: those that the tree before does not have as well.

Two are the same if the same is said, by the same rule, of the same text in the same file, wherever that text
stands now and whatever the file is called; of several that are the same, those beyond as many as there were
are new. A line that was changed keeps what was wrong with it: there the same is said where the diff has the
one line in place of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from gitscalpel.gates.commands.baseline import more, said
from gitscalpel.gates.diagnostics.diagnostic import Diagnostic
from gitscalpel.text.line_diff import diff_lines

Text = Callable[[str], "bytes | None"]
"""The text of a path in one of the trees."""


class _Seen(NamedTuple):
    """A diagnostic in its tree.

    Attributes:
        one: what it is.
        path: where its file is in the tree after.
        text: of its line.
    """

    one: Diagnostic
    path: str
    text: bytes

    @property
    def what(self) -> tuple[str, str, str, str]:
        """What is said, and of which file."""
        words = said(self.one.message, placed=bool(self.path))
        return self.path, self.one.rule, words, self.one.severity


def new(
    after: Sequence[Diagnostic],
    before: Sequence[Diagnostic],
    texts: tuple[Text, Text],
    origins: Mapping[str, str],
) -> list[Diagnostic]:
    """The diagnostics of ``after`` that are more than in ``before``.

    Args:
        after: what is said of the tree after.
        before: what is said of the one before.
        texts: the files of the tree before, and of the one after.
        origins: where files of the tree after were before, if that was elsewhere.
    """
    ways = {old: path for path, old in origins.items()}
    olds = _seen(before, texts[0], ways)
    news = _seen(after, texts[1], {})
    identity = lambda each: (each.what, each.text)  # noqa: E731
    left, gone = more(news, olds, identity), more(olds, news, identity)
    found = []
    for each in left:
        old = next((one for one in gone if one.what == each.what and _became(one, each, texts)), None)
        if old is None:
            found.append(each.one)
        else:
            gone.remove(old)
    return found


def _seen(found: Sequence[Diagnostic], text: Text, ways: Mapping[str, str]) -> list[_Seen]:
    lines: dict[str, list[bytes]] = {}
    for each in found:
        if each.path not in lines:
            lines[each.path] = ((text(each.path) if each.path else None) or b"").split(b"\n")
    return [_Seen(each, ways.get(each.path, each.path), _line(lines[each.path], each.line)) for each in found]


def _line(lines: list[bytes], number: int) -> bytes:
    return lines[number - 1].strip() if 0 < number <= len(lines) else b""


def _became(old: _Seen, new: _Seen, texts: tuple[Text, Text]) -> bool:
    """Whether the diff of their file has the line of the one in place of that of the other."""
    before, after = texts[0](old.one.path), texts[1](new.one.path)
    if not old.path or before is None or after is None:
        return False
    first, second = before.split(b"\n"), after.split(b"\n")
    return any(a < old.one.line <= b and c < new.one.line <= d for a, b, c, d in diff_lines(first, second))
