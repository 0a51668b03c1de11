"""The compiled modules of calls in one file: to open one for each is a tenth of the price of starting.

The file lies where the interpreter keeps them one by one, and is trusted as they are. A module in it holds
for the very source that it was made of, by time and size, as theirs do; else it is loaded as ever. Modules
that Python brings along are there as well, and the regular expressions of all; other packages' are not: which
of several is taken may be another one with the next call.

What has always been loaded together is one part, and read at once: what names they share is then read once.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
from contextlib import suppress
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source

from gitscalpel.serve.expressions import Expressions
from gitscalpel.serve.shelf import Shelf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Set
    from types import CodeType
    from typing import TypeAlias

    from gitscalpel.serve.shelf import Contents

    Codes: TypeAlias = dict[str, CodeType]
    Compiled: TypeAlias = tuple[tuple[str, str, bytes], CodeType]
    """Of what source a module is, its own file, and the head of that; and its code."""

_PACKAGE = __name__.partition(".")[0]
_FOLDER = os.path.dirname(__file__)  # noqa: PTH120
_HEAD = 16
"""Bytes before the code in a compiled module: magic number, flags, time, size (PEP 552)."""
_LIBRARY = os.path.dirname(os.__file__)  # noqa: PTH120
_OTHERS = ("site-packages", "dist-packages")
"""Where others lie in it."""
_EXPRESSIONS = "expressions"
"""The part that holds them; the others have numbers."""
_DAMAGED = (EOFError, ValueError, TypeError, KeyError, AttributeError)


class Bundle:
    """Finds modules in the file, for the interpreter, and expressions for ``re``, from now on.

    Args:
        path: where the file is, or is going to be.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._before = set(sys.modules)
        self._shelf = Shelf(path, f"{_FOLDER}:{_LIBRARY}")
        self._codes: dict[str, Codes] = {}
        sys.meta_path.insert(0, self)
        self._expressions = Expressions(partial(self._shelf.read, _EXPRESSIONS))

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """What the interpreter asks of who finds modules."""
        if name not in self._shelf.contents:
            return None
        source, cached, head, _ = self._shelf.contents[name]
        if _head(source) != head:
            return None
        found = ModuleSpec(name, _Loader(name, source, self), origin=source)
        found.has_location, found.cached = True, cached
        if source.endswith("__init__.py"):
            found.submodule_search_locations = [source.removesuffix("/__init__.py")]
        return found

    def code(self, name: str) -> CodeType | None:
        """That of a module that has been found; None where the file is damaged."""
        *_, part = self._shelf.contents[name]
        with suppress(*_DAMAGED):
            if part not in self._codes:
                self._codes[part] = marshal.loads(self._shelf.read(part))  # noqa: S302 - see above
            return self._codes[part][name]
        self._shelf.contents.clear()  # it is written anew
        return None

    def renew(self) -> None:
        """Take in what was loaded from files of its own; where nothing may be written, nothing is."""
        if sys.dont_write_bytecode or not os.access(os.path.dirname(self._path), os.W_OK):  # noqa: PTH120
            return
        loaded = sys.modules.keys() - self._before
        specs = [spec for name in loaded if (spec := getattr(sys.modules[name], "__spec__", None))]
        missed = {spec.name: found for spec in specs if _is_kept(spec) and (found := _compiled(spec))}
        expressions = self._expressions.written()
        if not missed and not expressions:
            return
        contents: Contents = {}
        parts = {_EXPRESSIONS: expressions or bytes(self._shelf.read(_EXPRESSIONS))}
        with suppress(OSError, *_DAMAGED):
            for together in (*self._parted(loaded, missed), missed):
                part = str(len(parts))
                parts[part] = marshal.dumps({name: code for name, (_, code) in together.items()})
                contents |= {name: (*about, part) for name, (about, _) in together.items()}
            self._shelf.write(contents, parts)

    def _parted(self, loaded: Set[str], but: Container[str]) -> Iterator[dict[str, Compiled]]:
        """What is held: what this call has loaded of a part is one, and what it had no use for another."""
        parts: dict[tuple[str, bool], list[str]] = {}
        for name, (*_, part) in self._shelf.contents.items():
            if name not in but:
                parts.setdefault((part, name in loaded), []).append(name)
        for (part, _), names in parts.items():
            codes = marshal.loads(self._shelf.read(part))  # noqa: S302 - see above
            yield {name: (self._shelf.contents[name][:3], codes[name]) for name in names}


class _Loader(SourceFileLoader):
    def __init__(self, name: str, source: str, bundle: Bundle) -> None:
        super().__init__(name, source)
        self._bundle = bundle

    def get_code(self, name: str) -> CodeType | None:
        code = self._bundle.code(name)
        if code is None:
            return super().get_code(name)
        # It says where it was compiled, and may have been moved since.
        _imp._fix_co_filename(code, self.path)  # type: ignore[attr-defined]
        return code


def use() -> Bundle:
    """Have them be found in the file of this interpreter."""
    return Bundle(cache_from_source(f"{_FOLDER}/bundled.py"))


def _is_kept(spec: ModuleSpec) -> bool:
    """Whether it was loaded from a file of its own, and is always the same one."""
    if type(spec.loader) is not SourceFileLoader or not spec.origin:
        return False
    if spec.name.startswith(f"{_PACKAGE}."):
        return True
    within = spec.origin.removeprefix(f"{_LIBRARY}/")
    return within != spec.origin and not within.startswith(_OTHERS)


def _head(source: str) -> bytes:
    """What the head of a compiled module says of its source as it is now, beside the magic number."""
    try:
        found = os.stat(source)  # noqa: PTH116
    except OSError:
        return b""
    numbers = (0, int(found.st_mtime), found.st_size)
    return b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in numbers)


def _compiled(spec: ModuleSpec) -> Compiled | None:
    """A module as its own file has it, if it is of its source as it is now."""
    if not spec.origin or not spec.cached:
        return None
    with suppress(OSError, *_DAMAGED), open(spec.cached, "rb") as file:  # noqa: PTH123
        magic, head = file.read(len(MAGIC_NUMBER)), file.read(_HEAD - len(MAGIC_NUMBER))
        if magic == MAGIC_NUMBER and head == _head(spec.origin):
            return (spec.origin, spec.cached, head), marshal.loads(file.read())  # noqa: S302 - see above
    return None
