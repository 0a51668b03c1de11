"""The compiled modules of calls in one file: to open one for each is a tenth of the price of starting.

The file lies where the interpreter keeps them one by one, and is trusted as they are. A module in it holds
for the very source that it was made of, by time and size, as theirs do; else it is loaded as ever. Modules
that Python brings along are there as well, and the regular expressions of all; other packages' are not: which
of several is taken may be another one with the next call.
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
    from types import CodeType

    from gitscalpel.serve.shelf import Part

_PACKAGE = __name__.partition(".")[0]
_FOLDER = os.path.dirname(__file__)  # noqa: PTH120
_HEAD = 16
"""Bytes before the code in a compiled module: magic number, flags, time, size (PEP 552)."""
_LIBRARY = os.path.dirname(os.__file__)  # noqa: PTH120
_OTHERS = ("site-packages", "dist-packages")
"""Where others lie in it."""
_EXPRESSIONS = "regular expressions"
"""The part that holds them, as no module is called."""


class Bundle:
    """Finds modules in the file, for the interpreter, and expressions for ``re``, from now on.

    Args:
        path: where the file is, or is going to be.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._before = set(sys.modules)
        self._shelf = Shelf(path, _FOLDER)
        sys.meta_path.insert(0, self)
        self._expressions = Expressions(partial(self._shelf.read, _EXPRESSIONS))

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """What the interpreter asks of who finds modules."""
        about = self._shelf.about(name)
        if about is None:
            return None
        source, cached, head = about
        if _head(source) != head:
            return None
        found = ModuleSpec(name, _Loader(name, source, self._shelf), origin=source)
        found.has_location, found.cached = True, cached
        if source.endswith("__init__.py"):
            found.submodule_search_locations = [source.removesuffix("/__init__.py")]
        return found

    def renew(self) -> None:
        """Take in what was loaded from files of its own; where nothing may be written, nothing is."""
        if sys.dont_write_bytecode or not os.access(os.path.dirname(self._path), os.W_OK):  # noqa: PTH120
            return
        loaded = [sys.modules[name] for name in sys.modules.keys() - self._before]
        specs = [spec for module in loaded if (spec := getattr(module, "__spec__", None)) and _is_kept(spec)]
        missed = {spec.name: part for spec in specs if (part := _compiled(spec))}
        if expressions := self._expressions.written():
            missed[_EXPRESSIONS] = ("", "", b""), expressions
        if missed:
            with suppress(OSError):
                self._shelf.take_in(missed)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, source: str, shelf: Shelf) -> None:
        super().__init__(name, source)
        self._shelf = shelf

    def get_code(self, name: str) -> CodeType:
        code: CodeType = marshal.loads(self._shelf.read(name))  # noqa: S302 - trusted as compiled modules are
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


def _compiled(spec: ModuleSpec) -> Part | None:
    """A module as its own file has it, if it is of its source as it is now."""
    if not spec.origin or not spec.cached:
        return None
    with suppress(OSError), open(spec.cached, "rb") as file:  # noqa: PTH123
        magic, head = file.read(len(MAGIC_NUMBER)), file.read(_HEAD - len(MAGIC_NUMBER))
        if magic == MAGIC_NUMBER and head == _head(spec.origin):
            return (spec.origin, spec.cached, head), file.read()
    return None
