"""Description of a language besides its query: how its files are recognised, and its layout rules."""

from __future__ import annotations

from typing import Literal

import msgspec

from gitscalpel.changesets.paths import normalized


class Language(msgspec.Struct, frozen=True):
    """One language, or a format of data or prose.

    Attributes:
        name: the query file's name.
        grammar: the grammar's name in the language pack.
        suffixes: file name endings, with the dot.
        names: whole file names.
        interpreters: what a ``#!`` line may call.
        line_comment: what starts a comment to the end of the line; empty where there is none.
        blocks: ``braces``, ``indent`` where indentation is syntax, or ``prose``, where it is content.
        separator: what parts siblings in a list where nothing else does.
        markers: what may stand before a block in its line and counts as its indentation (``- ``).
        fill: what may stand where indentation is syntax and a block would be empty; nothing if it may be.
        margin: what begins a line that stays at the margin when the code around it is shifted.
        pinned: that is read nowhere else.
        aligned: indentation is syntax, and blocks, which the query captures, hold aligned statements.
        parted: the node type of members behind which a comma must stand, though the grammar does without.
        never: a query whose capture ``found`` is what the grammar lets pass and the language does not.
        has_anchors: nodes have names, ``&name``, by which others are named, ``*name``.
        ended: the node type of the ends of texts, which the grammar finds though they are not there.
        hidden: which of ``hidden`` says what the grammar is not shown; nothing where it is shown all.
        cookie: a pattern of how a file says its encoding, from its beginning; group 1 is the name.
        form: the Unicode form in which names are compared; as they are spelt, where there is none.
        read_as: patterns of what readers of the language take for something else than the grammar does,
            with a byte that both take for that (a line ending, a letter), see ``syntax_errors.py``.
        marked: its readers take a file that begins with a byte order mark.
        returned: they take a CR before a line's end for a part of that.
        prologue: what code needs before it to be read as code; without it, it is text of a page.
        rebinds: what binds a variable for the first time may bind it again (``x = 1``, ``var x``).
        spaces: its name spaces: ``one`` for all that a scope defines, ``types`` have one of their own,
            ``values`` have one, with the classes, or ``kinds``: one for each, as far as we tell.
        data: its symbols are keys, headings and the like, no definitions.
        parses: what the grammar says of a text: ``strictly`` what the language does not allow, ``partly``
            only of its definitions, ``anything`` where the language's own rules accept nearly anything, so
            that only its reader judges.
        reader: what a text is held to beside the grammar, see ``validators``.
        resolver: the module and class in ``names/languages`` that resolve its names; empty if none does.
        second: a package with another grammar, which is asked where this one has something against a text.
        inline: siblings may share a line with nothing between them, and white space there counts.
        flow: what is put into empty brackets stays on their line.
        top_gap: blank lines between top-level definitions when no sibling shows its own.
        gap: the same for all others.
    """

    name: str
    grammar: str
    suffixes: tuple[str, ...]
    names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    line_comment: bytes = b"//"
    blocks: Literal["braces", "indent", "prose"] = "braces"
    separator: bytes = b","
    markers: bytes = b""
    fill: str = "pass"
    margin: bytes = b""
    pinned: bool = False
    aligned: bool = False
    parted: str | None = None
    never: str = ""
    ended: str | None = None
    has_anchors: bool = False
    hidden: str = ""
    cookie: bytes = b""
    form: Literal["", "NFC", "NFKC"] = ""
    marked: bool = True
    returned: bool = True
    read_as: tuple[tuple[bytes, bytes], ...] = ()
    prologue: bytes = b""
    rebinds: bool = True
    spaces: Literal["one", "types", "values", "kinds"] = "kinds"
    data: bool = False
    parses: Literal["strictly", "partly", "anything"] = "strictly"
    reader: str = ""
    resolver: str = ""
    second: str = ""
    inline: bool = False
    flow: bool = False
    top_gap: int = 1
    gap: int = 1

    def alike(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """The segments of a path in the form in which its names are compared."""
        return tuple(normalized(self.form, segment) for segment in path) if self.form else path
