"""How new code is set into a file: what parts it from its siblings, and what white space stands around it."""

from __future__ import annotations

import msgspec

from gitscalpel.edit.source import Source
from gitscalpel.edit.symbols import code
from gitscalpel.text.indent import unit


class Gap(msgspec.Struct, frozen=True):
    """Code goes instead of ``[start, end)`` (white space at most), between ``before`` and ``after``."""

    start: int
    end: int
    indent: bytes
    before: bytes
    after: bytes


class Leading(msgspec.Struct, frozen=True):
    """A place among members whose separators stand before them, like the bars of alternatives, or between.

    Attributes:
        sign: the separator.
        white: what stands before the separator: nothing, a blank, or a line break and an indentation.
        at: where a new member goes.
        first: nothing stands before it there, so its separator goes behind it.
    """

    sign: bytes
    white: bytes
    at: int
    first: bool


class Layout(msgspec.Struct, frozen=True):
    """How new code is set into a file.

    Attributes:
        source: the file.
        code: the new code as it came.
        sort: of the code, see ``spacing``.
        separator: what parts it from its siblings: nothing, or a comma.
        closed: the separator only parts its neighbour from it, it has none (a function below fields).
        terminator: what ends it and did not come with it: nothing, a semicolon, or a separator where
            its neighbour has none (a field below functions).
        leading: what stands before each member of the list that it goes into.
    """

    source: Source
    code: bytes
    sort: str = "block"
    separator: bytes = b""
    closed: bool = False
    terminator: bytes = b""
    leading: Leading | None = None

    @property
    def single(self) -> bool:
        """Whether the code stands on one line."""
        return b"\n" not in self.code

    @property
    def terminated(self) -> bool:
        """Whether the code needs nothing behind it that ends it."""
        ends = self.terminator == b";" or self.code.rstrip().endswith((b";", b"}"))
        return self.source.rules.data or ends

    @property
    def level(self) -> bytes:
        """One level of indentation."""
        lines = self.source.text.split(b"\n")
        is_indented = any(line[:1] in (b" ", b"\t") and line.strip() for line in lines)
        return unit(self.source.plain if is_indented else self.code)

    def text(self, after: bytes) -> tuple[bytes, bytes]:
        """The code with what ends it, and without the separators that the place brings.

        A comment that ends the code stands behind a separator.

        Args:
            after: what the place brings behind the code.

        Returns:
            The code, and what is left of ``after``.
        """
        if not (self.separator or self.terminator or self.leading):
            return self.code, after
        text, remark = code.parted(self.code, self.source)
        text, end = text.removesuffix(self.separator), self.terminator
        if self.leading is not None:
            sign = self.leading.sign
            text = text.strip().removeprefix(sign).removesuffix(sign).strip()
        if remark and self.separator and after.startswith(self.separator):
            end, after = self.separator, after.removeprefix(self.separator)
        return text + end + remark, after
