"""The languages: one line here and one ``queries/<name>.scm`` each; nothing else knows them by name."""

from __future__ import annotations

import re
from typing import Literal

import msgspec


class Language(msgspec.Struct, frozen=True):
    """How files of a language are recognised and what its layout rules are.

    Attributes:
        name: the query file's name.
        grammar: the grammar's name in the language pack.
        suffixes: file name endings, with the dot.
        names: whole file names.
        interpreters: what a ``#!`` line may call.
        line_comment: what starts a comment to the end of the line.
        blocks: ``braces``, or ``indent`` where indentation is syntax.
        margin: what begins a line that stays at the margin when the code around it is shifted.
        filled: where indentation is syntax, the node type of blocks; they hold aligned statements.
        top_gap: blank lines between top-level definitions when no sibling shows its own.
    """

    name: str
    grammar: str
    suffixes: tuple[str, ...]
    names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    line_comment: bytes = b"//"
    blocks: Literal["braces", "indent"] = "braces"
    margin: bytes = b""
    filled: str | None = None
    top_gap: int = 1


LANGUAGES = (
    Language(
        "python",
        "python",
        (".py", ".pyi", ".pyw"),
        ("SConstruct", "SConscript"),
        ("python",),
        line_comment=b"#",
        blocks="indent",
        filled="block",
        top_gap=2,
    ),
    Language("javascript", "javascript", (".js", ".mjs", ".cjs", ".jsx"), (), ("node", "deno", "bun")),
    Language("typescript", "typescript", (".ts", ".mts", ".cts"), (), ("ts-node", "tsx")),
    Language("tsx", "tsx", (".tsx",)),
    Language("rust", "rust", (".rs",), (), ("rust-script",)),
    Language("go", "go", (".go",), (), ("go", "gorun")),
    Language("java", "java", (".java",), (), ("java",)),
    Language("c", "c", (".c", ".h"), margin=b"#"),
    Language(
        "cpp",
        "cpp",
        (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".cu", ".cuh"),
        margin=b"#",
    ),
)

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}
_BY_NAME = {name: language for language in LANGUAGES for name in language.names}
_SHEBANG = re.compile(rb"#![ \t]*\S*?(?:/env(?:[ \t]+-\S+|[ \t]+\w+=\S*)*[ \t]+)?([^\s/]+)(?:[ \t]|\r?\n|\Z)")


def recognise(path: str, text: bytes) -> Language | None:
    """The language of a file by its name, its suffix or its ``#!`` line."""
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    suffix = "." + name.rpartition(".")[2].lower() if "." in name else ""
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    found = _SHEBANG.match(text)
    if not found:
        return None
    program = found.group(1).decode("ascii", "ignore").rstrip("0123456789.")
    return next((language for language in LANGUAGES if program in language.interpreters), None)
