"""Reads the import statements that a request adds or removes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gitscalpel.errors import BadCall
from gitscalpel.errors.messages import arg
from gitscalpel.meaning.python.importing import statements
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.parse import Syntax
from gitscalpel.syntax.syntax_errors import faults


class Wanted(NamedTuple):
    """One name that an import brings; ``module`` is None for a plain import."""

    module: str | None
    name: str
    alias: str | None

    @property
    def bound(self) -> str:
        """The name that it binds."""
        return self.alias or self.name.partition(".")[0]

    @property
    def statement(self) -> str:
        """The import that brings it alone."""
        said = f"{self.name} as {self.alias}" if self.alias else self.name
        return f"import {said}" if self.module is None else f"from {self.module} import {said}"


def read(given: Iterable[str], field: str) -> Iterator[Wanted]:
    """The names that import statements name, one by one.

    Raises:
        BadCall: ``invalid_args``: something else stands there.
    """
    python = recognise("a.py", b"")
    assert python is not None  # noqa: S101 - it is one of the languages
    for line in given:
        text = line.strip().encode("utf-8", "surrogateescape") + b"\n"
        syntax = Syntax(python, text)
        found = statements.read(syntax.root, text)
        if faults(syntax) or not found or len(found) != syntax.root.named_child_count:
            raise BadCall(
                "invalid_args",
                f"{line!r} is no import statement",
                f'give {arg(field)} as they are written: "import os.path", "from m import a, b as c"',
            )
        for statement in found:
            for name in statement.names:
                yield Wanted(statement.module, name.name, name.alias)
