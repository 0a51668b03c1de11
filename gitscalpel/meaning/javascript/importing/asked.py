"""Reads the imports that a request adds or removes, and writes them as a file does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gitscalpel.errors import BadCall
from gitscalpel.errors.messages import arg
from gitscalpel.meaning.javascript.importing import statements
from gitscalpel.meaning.javascript.importing.statements import ALL, DEFAULT, GIVEN, Form, Name
from gitscalpel.meaning.javascript.importing.style import Style
from gitscalpel.meaning.lexical import Lexical
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.syntax_errors import faults


class Wanted(NamedTuple):
    """One name that an import brings; without a name, a module that is only run."""

    module: str
    name: str
    alias: str
    form: Form = "import"
    is_type: bool = False

    @property
    def said(self) -> str:
        """The name as it stands in braces."""
        joint = ": " if self.form == "common" else " as "
        return self.name if self.name == self.alias else f"{self.name}{joint}{self.alias}"

    def is_it(self, name: Name) -> bool:
        """Whether an import brings the same under the same name, be it as a type or not."""
        return (name.name, name.alias) == (self.name, self.alias)

    def statement(self, style: Style) -> str:
        """The import that brings it alone."""
        source = style.string(self.module)
        if self.form == "common":
            held = self.alias if self.name == GIVEN else style.braces(self.said)
            return f"const {held} = require({source}){style.end}"
        if self.form == "assigned":
            return f"import {self.alias} = require({source}){style.end}"
        if not self.name:
            return f"import {source}{style.end}"
        whole = {DEFAULT: self.alias, ALL: f"* as {self.alias}"}
        is_inline = self.is_type and style.inline and self.name not in whole
        word = "import type" if self.is_type and not is_inline else "import"
        held = style.braces(f"type {self.said}" if is_inline else self.said)
        return f"{word} {whole.get(self.name, held)} from {source}{style.end}"


def read(given: Iterable[str], field: str) -> Iterator[Wanted]:
    """The names that imports name, one by one.

    Raises:
        BadCall: ``invalid_args``: something else stands there.
    """
    language = recognise("a.ts", b"")
    assert language is not None  # noqa: S101 - it is one of the languages
    for line in given:
        syntax = Syntax(language, line.strip().encode("utf-8", "surrogateescape") + b"\n")
        found = statements.read(Lexical(syntax))
        if (
            faults(syntax)
            or not found
            or {each.node.id for each in found} != {node.id for node in syntax.root.named_children}
        ):
            raise BadCall(
                "invalid_args",
                f"{line!r} is no import",
                f"give {arg(field)} as they are written: \"import {{ a, b as c }} from 'm'\", \"import 'm'\"",
            )
        for each in found:
            yield from (Wanted(each.module, n.name, n.alias, each.form, n.is_type) for n in each.names)
            if not each.names:
                yield Wanted(each.module, "", "")
