"""What a server loads and looks up beforehand, as it is the same for every call."""

from __future__ import annotations

import importlib
import pkgutil
from contextlib import suppress
from pathlib import Path

from gitscalpel import regex, wire
from gitscalpel.edit.source import Source
from gitscalpel.meaning.dialects import is_followed
from gitscalpel.syntax.mentions import Mentions

_OFTEN = {
    "a.py": b"def f():\n    return 1\n",
    "a.js": b"function f() {}\n",
    "a.ts": b"function f() {}\n",
    "a.tsx": b"function f() {}\n",
    "a.go": b"package a\n",
    "a.rs": b"fn f() {}\n",
    "a.java": b"class A {}\n",
    "a.c": b"int f;\n",
    "a.cpp": b"int f;\n",
    "a.json": b"{}\n",
    "a.md": b"# A\n",
    "a.yaml": b"a: 1\n",
    "a.toml": b"a = 1\n",
}
"""A file of each of the languages that are edited most."""


def up() -> None:
    """Import what a call may need, read a little of each language, compile expressions and look types up."""
    for module in pkgutil.walk_packages([str(Path(__file__).parent.parent)], "gitscalpel."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # a part that needs what is not installed
                importlib.import_module(module.name)
    for name, text in _OFTEN.items():
        source = Source.read(name, text)
        if source.outline is not None:
            any(syntax.faults for syntax in source.readings)
        syntax = source.syntax
        if syntax is not None and is_followed(syntax.language.name):
            Mentions(syntax).of("f")
    regex.compile_all()
    wire.look_all_up()
