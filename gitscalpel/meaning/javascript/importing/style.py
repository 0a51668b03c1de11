"""How a file writes its imports: which quotation marks, what is inside braces, what ends statements."""

from __future__ import annotations

from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.javascript.importing import statements
from gitscalpel.meaning.lexical import Lexical


class Style(NamedTuple):
    """See above.

    Attributes:
        common: it has ``require`` and no import statement.
        gap: what is beside a brace.
        inline: it says of each name that it is a type, ``import { type A }``.
    """

    quote: str
    end: str
    common: bool
    gap: str
    inline: bool = False

    def braces(self, said: str) -> str:
        """Braces around something."""
        return f"{{{self.gap}{said}{self.gap}}}"

    def string(self, said: str) -> str:
        """A string that says something."""
        return f"{self.quote}{said}{self.quote}"


def of(lexical: Lexical, *others: Lexical) -> Style:
    """The style of a file; of one that does not show it, that of the next that does."""
    files = (lexical, *others)
    quotes = [quote for each in files if (quote := _quote(each))]
    ends = [end for each in files if (end := _end(each)) is not None]
    forms = [is_common for each in files if (is_common := _is_common(each)) is not None]
    gaps = [gap for each in files if (gap := _gap(each)) is not None]
    return Style(
        quotes[0] if quotes else '"',
        ends[0] if ends else ";",
        next(iter(forms), False),
        gaps[0] if gaps else " ",
        next((is_inline for each in files if (is_inline := _is_inline(each)) is not None), False),
    )


def _quote(lexical: Lexical) -> str:
    found = [each.source for each in statements.read(lexical)] or list(lexical.syntax.of_type("string"))
    first = next((each for each in found if each is not None), None)
    return "" if first is None else lexical.text[first.start_byte : first.start_byte + 1].decode("latin-1")


def _gap(lexical: Lexical) -> str | None:
    """What stands between a brace and a name, in the first import that has both in a line."""
    for each in statements.read(lexical):
        start = len(lexical.text) if each.braces is None else each.braces.start_byte + 1
        held = [name for name in each.names if name.start >= start]
        before = lexical.text[start : held[0].start] if held else b"\n"
        if before in (b"", b" "):
            return before.decode("ascii")
    return None


def _is_inline(lexical: Lexical) -> bool | None:
    """Whether the first name that is imported as a type says so itself; None: there is none."""
    types = (each for each in statements.read(lexical) if any(name.is_type for name in each.names))
    return next((not each.is_type for each in types), None)


def _end(lexical: Lexical) -> str | None:
    """What simple statements end with, imports first."""
    nodes = lexical.syntax.root.named_children
    imports = [each for each in nodes if each.type == "import_statement"]
    simple = [each for each in nodes if each.type in ("expression_statement", "lexical_declaration")]
    for node in (*imports, *simple):
        return ";" if lexical.text[node.end_byte - 1 : node.end_byte] == b";" else ""
    return None


def _is_common(lexical: Lexical) -> bool | None:
    """Whether it is a CommonJS module; None: it shows nothing."""
    if lexical.syntax.language.name != "javascript":
        return False
    if any(_is_of_modules(each) for each in lexical.syntax.root.named_children):
        return False
    words = ("require", "exports", "module")
    uses = (mention for word in words for mention in lexical.of(word) if mention.role == "use")
    return True if any(lexical.scope_of(mention) is None for mention in uses) else None


def _is_of_modules(node: tree_sitter.Node) -> bool:
    return node.type in ("import_statement", "export_statement")
