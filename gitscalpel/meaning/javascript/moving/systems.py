"""Which of two kinds of modules a file is: what one of them exports and imports is an error in the other.

https://nodejs.org/api/packages.html#determining-module-system
"""

from __future__ import annotations

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.lexical import Lexical

_ES, _COMMON = "an ES module", "CommonJS"
_ENDINGS = {".mjs": _ES, ".mts": _ES, ".cjs": _COMMON, ".cts": _COMMON}
_STATEMENTS = ("import_statement", "export_statement")
_WORDS = ("require", "exports", "module")


def refuse(files: Files, path: str, to: str) -> None:
    """Refuse what would go from a file of one kind into one of the other.

    Raises:
        DoesNotFit: ``kind_mismatch``.
    """
    own, other = _of(files, path), _of(files, to)
    if own and other and own != other:
        raise DoesNotFit(
            "kind_mismatch",
            f"{quoted(path)} is {own}, and {quoted(to)} is {other}",
            "name a file of the same kind, or make one of them what the other one is first",
        )


def _of(files: Files, path: str) -> str:
    """What a file is; empty where nothing says so."""
    named = _ENDINGS.get(path[path.rfind(".") :], "")
    lexical = files.lexical(path) if files.is_file(path) else None
    if named or lexical is None:
        return named
    if any(node.type in _STATEMENTS for node in lexical.syntax.root.named_children):
        return _ES
    return _COMMON if _is_common(lexical) else ""


def _is_common(lexical: Lexical) -> bool:
    return any(
        mention.role == "use" and lexical.scope_of(mention) is None
        for word in _WORDS
        for mention in lexical.of(word)
    )
