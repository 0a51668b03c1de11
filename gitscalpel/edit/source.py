"""The file being edited: its text and outline, its edits, and the check that it can be edited."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

import msgspec

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import arg
from gitscalpel.syntax import parse
from gitscalpel.syntax.exemptions import Exemptions
from gitscalpel.syntax.languages import Language, is_lfs_pointer, read_document, recognise
from gitscalpel.syntax.outline import Outline, TextStates, is_surely_read, outline_of
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.syntax_errors import find_faults, parse_readings
from gitscalpel.text import splice
from gitscalpel.text.document import Document
from gitscalpel.text.splice import Splice, Track

# Bytes of data above which keys are read only if one is addressed. Lock files have many keys.
_LARGE_DATA = 200_000

# The last line of code may be a closing bracket if the code ends with one of these.
CLOSING = (b")", b"]", b"}", b";", b",", b"\n", b" ")


class Edit(msgspec.Struct, frozen=True):
    """The edit of one operation in one file."""

    splices: tuple[Splice, ...]  # splices on the current text, ascending, without overlap
    target: tuple[int, int]  # addressed byte range of the current text; empty for an insertion
    # Addressed range of the original text, if tracing ``target`` back would lose it, as for a line that an
    # earlier operation removed.
    origin: tuple[int, int] | None = None
    matched: str | None = None  # name of the strategy that found the text, if text was searched
    corrections: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    lead: str | None = None  # description of what happened to comments, decorators and ``export``
    # Old and new texts of each place after all corrections, by which the structure gate decides whether the
    # edit spans several lines; None if the gate does not apply.
    replaced: tuple[bytes, ...] | None = None
    inserted: tuple[bytes, ...] | None = None
    is_exempt: bool = False  # True if the structure gate checks the edit only when strict
    # Number of bytes at both ends of an insertion that separate it from the old text.
    margins: tuple[int, int] = (0, 0)

    @property
    def is_textual(self) -> bool:
        return self.replaced is not None and self.inserted is not None

    @property
    def spans_lines(self) -> bool:
        """True if an old or new text has several lines, not counting a final line ending."""
        texts = (*(self.replaced or ()), *(self.inserted or ()))
        return any(b"\n" in text.removesuffix(b"\n") for text in texts)


class Source(msgspec.Struct, frozen=True, dict=True):
    """A file as left by the operations so far."""

    path: str
    original: Document  # the file before the changeset, to which line numbers refer
    document: Document  # the current file, in which symbols and text are searched
    language: Language | None  # None for an unknown file type
    # Maps positions between the original and the current text.
    track: Track = msgspec.field(default_factory=Track)
    states: TextStates = msgspec.field(default_factory=TextStates)  # cache of the file's texts as parsed
    files: Overlay | None = None  # the files that may define its macros; None if they are not known
    exemptions: Exemptions | None = None  # files that are exempt or in another language; None if not known

    @classmethod
    def read(
        cls,
        path: str,
        content: bytes,
        states: TextStates | None = None,
        files: Overlay | None = None,
        exemptions: Exemptions | None = None,
    ) -> Source:
        """Return a file before any operation."""
        document = read_document(path, content)
        language = (exemptions.recognise if exemptions else recognise)(path, document.text)
        return cls(path, document, document, language, Track(), states or TextStates(), files, exemptions)

    def at(self, path: str) -> Source:
        """Return the file under another path, which may change its language."""
        language = (self.exemptions.recognise if self.exemptions else recognise)(path, self.text)
        return msgspec.structs.replace(self, path=path, language=language)

    @property
    def is_exempt(self) -> bool:
        """True if rules or attributes declare its syntax as unknown."""
        return self.exemptions is not None and self.exemptions.language_of(self.path) is None

    @property
    def before(self) -> Source:
        return msgspec.structs.replace(self, document=self.original, track=Track())

    @property
    def text(self) -> bytes:
        return self.document.text

    @property
    def rules(self) -> Language:
        """The language, for operations that need symbols; raises ``unsupported_language``."""
        if self.language is None:
            raise DoesNotFit(
                "unsupported_language",
                f"{self.path}: {self._unread_reason()}",
                "use `text` or `lines` operations here; they work in every file",
            )
        return self.language

    def _unread_reason(self) -> str:
        exempting = self.exemptions.exempting(self.path) if self.exemptions else ""
        if exempting:
            return f"{exempting} exempts it from parsing, so there are no symbols"
        if is_lfs_pointer(self.text):
            return "it is a Git LFS pointer, so there are no symbols"
        return "there are no symbols in this type of file"

    @property
    def syntax(self) -> Syntax | None:
        """The parsed current text, or None if the language is not known; raises ``too_large``."""
        if self.language is None:
            return None
        with _name_file_in_errors(self.path):
            return self.states.parse(self.language, self.text).read()

    @property
    def readings(self) -> tuple[Syntax, ...]:
        """The current text in all its readings (``syntax_errors.parse_readings``); raises ``too_large``."""
        if self.language is None:
            return ()
        with _name_file_in_errors(self.path):
            return tuple(syntax.read() for syntax in parse_readings(self.language, self.text, self.states))

    @property
    def outline(self) -> Outline:
        """Symbols of the current text; raises ``unsupported_language`` or ``too_large``."""
        with _name_file_in_errors(self.path):
            return outline_of(self.states.parse(self.rules, self.text))

    def after(self, splices: Sequence[Splice]) -> Syntax:
        return self.states.parse(self.rules, splice.apply(self.text, splices))

    def fragment(self, code: bytes) -> Syntax:
        """Parse ``code`` alone, below the prologue that the language needs."""
        return Syntax(self.rules, self.rules.prologue + code)

    def alone(self, code: bytes) -> Outline:
        return outline_of(self.fragment(code))

    @property
    def judged(self) -> Outline | None:
        """The outline by which an edit is checked and reported.

        None for large data files, which have no definitions, and for text that cannot be parsed.
        """
        if self.language is None or (self.language.data and len(self.text) > _LARGE_DATA):
            return None
        return None if self.unread else self.outline

    @property
    def unread(self) -> str:
        """The reason why definitions are not read; empty if they are, or there are none."""
        if self.language is None or (self.language.data and len(self.text) > _LARGE_DATA):
            return self.unparsed
        syntax = self.states.parse(self.language, self.text)
        try:
            if not is_surely_read(syntax.read()):
                outline_of(syntax)
        except DoesNotFit as error:
            return error.message
        return ""

    def require_readable(self) -> None:
        """Raise ``too_large`` if an edit has made the text unreadable in another way than by its size."""
        reason = self.unread
        if reason not in ("", *parse.OF_SIZE):
            raise DoesNotFit("too_large", f"{self.path}: {reason}", parse.HINT, path=self.path)

    @property
    def unparsed(self) -> str:
        """The reason why the text is not parsed; empty if it is, or the language is not known."""
        if self.language is None:
            return ""
        try:
            self.states.parse(self.language, self.text).read()
        except DoesNotFit as error:
            return error.message
        return ""

    @cached_property
    def plain(self) -> bytes:
        """The current text with blanks inside multi-line strings, to show its layout."""
        strings = self.outline.inside_strings if self.language and not self.unread else ()
        rows = {row for inside, _ in strings for row in inside}
        if not rows:
            return self.text
        lines = self.text.split(b"\n")
        return b"\n".join(b" " * len(line) if row in rows else line for row, line in enumerate(lines))

    def origin_of(self, edit: Edit) -> tuple[int, int]:
        return self.track.back(*edit.target) if edit.origin is None else edit.origin

    def line_numbers_at(self, offset: int) -> set[int]:
        return {self.document.line_at(offset), self.original.line_at(self.track.back(offset, offset)[0])}

    def with_edit(self, edit: Edit, result: Document | None = None) -> Source:
        """Return the file after ``edit``; ``result`` is the new document, if its encoding may differ."""
        text = splice.apply(self.text, edit.splices) if result is None else result.text
        # Lines that an edit only shows, to say where it is, stay the lines that they were.
        trimmed = [splice.trim_common(self.text, each) for each in edit.splices]
        track = Track([*self.track.rounds, splice.SpliceRound(trimmed)])
        return msgspec.structs.replace(self, document=result or self.document.with_text(text), track=track)


@contextmanager
def _name_file_in_errors(path: str) -> Iterator[None]:
    try:
        yield
    except DoesNotFit as error:
        if error.code != "too_large" or "path" in error.data:
            raise
        raise DoesNotFit("too_large", f"{path}: {error.message}", error.hint, path=path) from None


# Marks of search/replace blocks. No branch has such a name.
_BLOCKS = (b"<<<<<<< SEARCH", b"<<<<<<< ORIGINAL", b">>>>>>> REPLACE", b">>>>>>> UPDATED")
# Documents that no parser here reads.
_PROSE = (".rst", ".rest", ".adoc", ".asciidoc", ".org", ".textile", ".mdx", ".markdown", ".pod", ".tex")


def require_editable(source: Source) -> Source:
    """Return the file, or raise ``binary_file`` or ``conflicted`` if it cannot be edited inside."""
    path = source.path
    if source.document.is_binary:
        raise DoesNotFit(
            "binary_file",
            f"{path} is binary",
            f"replace the whole file: use write with {arg('content_b64')} and {arg('overwrite')}",
        )
    conflict = conflict_line(source)
    if conflict:
        raise DoesNotFit(
            "conflicted",
            f"{path} has conflict markers (line {conflict})",
            f"resolve the conflict and commit first; write with {arg('overwrite')} replaces the whole file",
            line=conflict,
        )
    return source


def conflict_line(source: Source) -> int | None:
    """Return the line of the first conflict marker that is not content, or None.

    Markers in prose are content, and so are markers in strings and comments of a file that parses. Without a
    grammar, a complete set of git's markers is a conflict. Search/replace blocks are not.
    """
    if b"<<<<<<< " not in source.text or _is_prose(source):
        return None
    marker_sets = list(_iter_marker_sets(source.document))
    if not marker_sets or source.language is None or source.language.parses not in ("strictly", "partly"):
        return marker_sets[0][0] if marker_sets else None
    try:
        syntax = source.syntax
    except DoesNotFit:  # too large to be parsed
        return marker_sets[0][0]
    if syntax is None:
        return marker_sets[0][0]
    fault_lines = [(fault.line, source.document.line_at(fault.end)) for fault in find_faults(syntax)]
    for first, last in marker_sets:
        if any(start <= last and first <= end for start, end in fault_lines):
            return first
    return None


def first_marker_line(source: Source) -> int | None:
    return next((first for first, _ in _iter_marker_sets(source.document)), None)


def _is_prose(source: Source) -> bool:
    if source.language is None:
        return source.path.lower().endswith(_PROSE)
    return source.language.blocks == "prose"


def _iter_marker_sets(document: Document) -> Iterator[tuple[int, int]]:
    """Yield the first and the last line of each complete set of conflict markers."""
    marks = []
    for number in range(1, document.line_count + 1):
        line = document.line(number)
        if line in _BLOCKS:
            continue
        if line.startswith((b"<<<<<<< ", b">>>>>>> ")) or line == b"=======":
            marks.append((line[:1], number))
    kinds = b"".join(kind for kind, _ in marks)
    for match in re.finditer(b"<=>", kinds):
        yield marks[match.start()][1], marks[match.end() - 1][1]
