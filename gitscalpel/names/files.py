"""Files of a tree with their names, and files that an edit moves.

Scripts inside Vue, Svelte, Astro, MDX and HTML files are read with everything else blanked out, so offsets
stay those of the file. Names that a template uses are not read.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, TREE, FileFilter, Overlay
from gitscalpel.edit.outcome import OpenSource
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit, ScalpelError
from gitscalpel.names import scope_rules
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.scope_rules import Scoping
from gitscalpel.syntax.exemptions import Exemptions
from gitscalpel.syntax.occurrences import Mention, find_other_spellings, other_spelling_marks
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

OTHER_LANGUAGE = "names are not followed in this type of file"
"""Reason why a file of a language without name resolution is not read."""


class Files:
    """Readable files of a tree.

    Attributes:
        touched: paths of files whose text differs from the original tree's.
        learned: cached facts about directories, by question; shared by the copies of this object.
        unread: why files that contain a word were not read, by path.
    """

    def __init__(
        self,
        overlay: Overlay,
        read: Callable[[str, bytes], Source] | None = None,
        touched: frozenset[str] = frozenset(),
        learned: dict[str, int] | None = None,
    ) -> None:
        self.overlay = overlay
        self.touched = touched
        self.learned = {} if learned is None else learned
        self.unread: dict[str, str] = {}
        self.exemptions = Exemptions(overlay.below)
        self.read = read or partial(Source.read, exemptions=self.exemptions)
        self._sources: dict[str, Source | None] = {}
        self._lexical: dict[str, Lexical | None] = {}

    def holding(self, word: str) -> Iterable[str]:
        """Return the paths of the files that contain a word."""
        return self.mentions(word)

    def mentions(self, word: str, wanted: FileFilter | None = None) -> Iterable[str]:
        """Return the paths of the files that contain a word, in any encoding; see ``Snapshot``."""
        paths = self.overlay.mentions(word, wanted)
        if word.isascii():
            return paths
        paths = [*paths]  # trees are searched for UTF-8, which a file that declares another encoding is not
        declared = (path for path in self.overlay.mentions("coding") if path not in paths)
        return sorted([*paths, *(path for path in declared if self._is_held_by(path, word))])

    def _is_held_by(self, path: str, word: str) -> bool:
        source = self.source(path)
        return source is not None and word.encode("utf-8", "surrogateescape") in source.text

    def holding_name(self, name: str, language: str) -> list[str]:
        """Return the paths of the files that contain a name of a language, in any spelling."""
        paths = [*self.holding(name)]
        other_paths = {
            path for mark in other_spelling_marks(name, language) for path in self.holding(mark)
        } - {*paths}
        return sorted([*paths, *(path for path in other_paths if self.may_mention(path, name))])

    def may_mention(self, path: str, word: str) -> bool:
        source = self.source(path)
        rules = self.rules(path)
        if source is None or rules is None or rules.implies:
            return True
        if any(True for _ in Mention.places(word, source.text)):
            return True
        language = "" if source.language is None else source.language.name
        return word in find_other_spellings(source.text, language)

    def rules(self, path: str) -> Scoping | None:
        """Return the scope rules of a file without parsing it; None if its names are not resolved."""
        source = self.source(path)
        return (
            None if source is None or source.language is None else scope_rules.rules_of(source.language.name)
        )

    def naming(self, word: str, language: str) -> Iterator[str]:
        """Yield the files with a language's scope rules that may have a word as a name. Parses no other."""
        rules = scope_rules.rules_of(language)
        wanted = None if self.exemptions.assign_languages else scope_rules.files_with_rules_of(language)
        for path in self.mentions(word, wanted):
            if self.rules(path) is rules and self.may_mention(path, word):
                yield path

    def is_file(self, path: str) -> bool:
        entry = self.overlay.entry(path)
        return entry is not None and entry.mode in (REGULAR, EXECUTABLE)

    def resolve_links(self, path: str) -> str:
        """Return the path behind the symbolic links of the tree; ``path`` itself if they lead outside."""
        try:
            return paths.resolve_path(path, self.overlay)
        except ScalpelError:
            return path

    def source(self, path: str) -> Source | None:
        """Return the file at ``path``; None if it does not exist or is not text."""
        if path not in self._sources:
            content = self.overlay.content(path) if self.is_file(path) else None
            source = None if content is None else self.read(path, content)
            self._sources[path] = None if source is None or source.document.is_binary else source
        return self._sources[path]

    def language(self, path: str) -> str:
        source = self.source(path)
        assert source is not None and source.language is not None, path  # noqa: S101, PT018 - the caller knows
        return source.language.name

    def with_text(self, path: str, text: bytes) -> Files:
        """Return the files with another text for one of them."""
        source, entry = self.source(path), self.overlay.entry(path)
        assert source is not None and entry is not None  # noqa: S101, PT018 - it has been read
        overlay = self.overlay.copy()
        overlay.rewrite(path, entry.mode, source.document.with_text(text).raw)
        return type(self)(overlay, self.read, self.touched | {path}, self.learned)

    def with_splices(self, path: str, splices: Iterable[Splice]) -> Files:
        source, ordered = self.source(path), sorted(splices)
        if source is None or not ordered:
            return self
        return self.with_text(path, splice.apply(source.text, ordered))

    def with_file(self, path: str) -> Files:
        """Return the files with an empty one at a path, unless a file exists there."""
        if self.is_file(path):
            return self
        overlay = self.overlay.copy()
        overlay.rewrite(path, REGULAR, b"")
        return type(self)(overlay, self.read, self.touched | {path}, self.learned)

    def lexical(self, path: str) -> Lexical | None:
        """Return the names of the file at ``path``; None if they cannot be read."""
        if path not in self._lexical:
            self._lexical[path] = self._open(path)
        return self._lexical[path]

    def top_bindings(self, path: str, name: str) -> list[Mention]:
        """Return the bindings of a name at the top level of a file; none if its names cannot be read."""
        lexical = self.lexical(path)
        return [] if lexical is None else lexical.top_bindings(name)

    def why_unread(self, path: str, otherwise: str = OTHER_LANGUAGE) -> str:
        """Return why a file is not read; ``otherwise`` if only its type is the reason."""
        exempting = self.exemptions.exempting(path)
        if exempting:
            return f"{exempting} exempts it from parsing"
        return self.unread.get(path, otherwise)

    def _open(self, path: str) -> Lexical | None:
        source = self.source(path)
        if source is None or source.language is None or not Lexical.knows(source.language):
            return None
        try:
            syntax = source.syntax
        except DoesNotFit as error:
            self.unread[path] = error.message
            return None
        if syntax is not None and syntax.root.type == "ERROR":
            self.unread[path] = "the grammar does not understand it as a whole"
            return None
        return None if syntax is None else Lexical(syntax)


_SCRIPT = re.compile(
    rb"(?is)<script\b(?P<attributes>(?:[^>\"']|\"[^\"]*\"|'[^']*')*)>(?P<code>.*?)</script\s*>"
)
_OTHER_TYPE = re.compile(
    rb"""(?i)\btype\s*=(?!\s*["']?(?:module|(?:text|application)/(?:java|type)script|ts|js|jsx|tsx)\b)"""
)
"""Types of scripts that are templates or data, not JavaScript."""
_FRONT_MATTER = re.compile(rb"\A\s*---[ \t]*\r?\n(?P<code>.*?\n)---", re.DOTALL)
_FENCE = re.compile(rb"(?m)^[ \t]*(?:```|~~~)")
_STATEMENT = re.compile(rb"(?m)^(?:import|export)\b[^\n]*\n?(?:[^\n]*\S[^\n]*\n?)*")
_NOT_BLANK = re.compile(rb"[^\r\n]")
SCRIPT_SUFFIXES = (".vue", ".svelte", ".astro", ".mdx", ".html", ".htm")


class ScriptFiles(Files):
    """Files of a tree in which embedded JavaScript is read as TypeScript."""

    def source(self, path: str) -> Source | None:
        if not path.endswith(SCRIPT_SUFFIXES):
            return super().source(path)
        if path not in self._sources:
            file = super().source(path)
            self._sources[path] = (
                None if file is None else Source.read(f"{path}.ts", blank_all_but_scripts(path, file.text))
            )
        return self._sources[path]


def blank_all_but_scripts(path: str, text: bytes) -> bytes:
    """Return the text of a file with blanks for everything that is not JavaScript."""
    code, at = bytearray(_NOT_BLANK.sub(b" ", text)), 0
    for start, end in _code_spans(posixpath.splitext(path)[1], text):
        at = max(at, start)
        code[at:end] = text[at:end]
        at = max(at, end)
    return bytes(code)


def _code_spans(suffix: str, text: bytes) -> Iterator[tuple[int, int]]:
    if suffix == ".mdx":
        fences = [match.start() for match in _FENCE.finditer(text)]
        for match in _STATEMENT.finditer(text):
            if sum(each < match.start() for each in fences) % 2 == 0:
                yield match.span()
        return
    front = _FRONT_MATTER.match(text) if suffix == ".astro" else None
    if front is not None:
        yield front.span("code")
    for match in _SCRIPT.finditer(text, front.end() if front is not None else 0):
        if _OTHER_TYPE.search(match["attributes"]) is None:
            yield match.span("code")


class FileMoves:
    """Old and new paths of moved files.

    ``files`` are new paths by old path, ``folders`` those of directories whose files all move. ``before`` and
    ``after`` are the files of the tree before and after the move.
    """

    def __init__(self, pairs: tuple[tuple[str, str], ...], overlay: Overlay, read: OpenSource) -> None:
        self.files: Mapping[str, str] = dict(pairs)
        old_tree = overlay.without(new_path for _, new_path in pairs)
        for path, new_path in pairs:
            old_tree.put(path, overlay.entry(new_path))
        self.before, self.after = Files(old_tree, read), Files(overlay, read)
        self.folders: dict[str, str] = {}
        for path, new_path in pairs:
            self._add_directories(path, new_path)

    def _add_directories(self, path: str, new_path: str) -> None:
        """Add the directories above a file that keep their names and of which no file stays."""
        (head, _, last), (new, _, new_last) = path.rpartition("/"), new_path.rpartition("/")
        while head and new and last == new_last and head != new and head not in self.folders:
            if any(True for _ in self.after.overlay.under(head)):
                return
            self.folders[head] = new
            (head, _, last), (new, _, new_last) = head.rpartition("/"), new.rpartition("/")

    def path_after(self, path: str) -> str:
        return self.files.get(path) or self.folders.get(path, path)

    def target_after(self, path: str) -> str:
        """Return the new path of what a path refers to; the path itself if another file is there now."""
        return path if path not in self.files.values() and self._exists_after(path) else self.path_after(path)

    def place_after(self, place: str) -> str:
        """Return the path of a file or directory after the move, also below a moved directory."""
        new_path = self.target_after(place)
        head, tail = place, ""
        while new_path == place and head:
            head, _, last = head.rpartition("/")
            tail = f"/{last}{tail}"
            if head in self.folders:
                return self.folders[head] + tail
        return new_path

    def _exists_after(self, path: str) -> bool:
        entry = self.after.overlay.entry(path)
        is_folder = entry is not None and entry.mode == TREE
        return any(True for _ in self.after.overlay.under(path)) if is_folder else entry is not None

    @property
    def subjects(self) -> Iterator[str]:
        """Yield directories that move as a whole, and files that move without their directory."""
        tops = [each for each in self.folders if each.rpartition("/")[0] not in self.folders]
        yield from tops
        for path in self.files:
            if self.target_after(path) != path and not any(path.startswith(top + "/") for top in tops):
                yield path


class MoveEdits(NamedTuple):
    """Edits that follow from a move."""

    splices: dict[str, list[Splice]]  # by old path, in ascending order
    left: list[str]  # messages about places that may have to change as well
