"""The compiled modules of calls in one file: to open one for each is a tenth of the price of starting.

The file lies where the interpreter keeps them one by one, and is trusted as they are. A module in it holds
for the very source that it was made of, by time and size, as theirs do; else it is loaded as ever.
"""

from __future__ import annotations

import _imp
import marshal
import os
import sys
from contextlib import suppress
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import TypeAlias

    Held: TypeAlias = tuple[str, str, bytes, int, int]
    """A module: its source, its own file, the latter's head, and where its code begins and ends."""

_PACKAGE = __name__.partition(".")[0]
_FOLDER = os.path.dirname(__file__)  # noqa: PTH120
_HEAD = 16
"""Bytes before the code in a compiled module: magic number, flags, time, size (PEP 552)."""
_SIZE = 8
"""Bytes that say how long the table is."""


class Bundle:
    """Finds modules of this package in the file, for the interpreter.

    Args:
        path: where the file is, or is going to be: a magic number, how long the table is, the table, and the
            code of each module. The table is of one place: a copy of the package begins its own.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._before = set(sys.modules)
        self._held: dict[str, Held] = {}
        with suppress(OSError, EOFError, ValueError, TypeError):
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # for modules that are still to come
            start = os.pread(self._file, len(MAGIC_NUMBER) + _SIZE, 0)
            if start.startswith(MAGIC_NUMBER):
                self._begin = len(start) + int.from_bytes(start[len(MAGIC_NUMBER) :], "little")
                whole = os.fstat(self._file).st_size
                if self._begin > whole:  # as another version of this one wrote it
                    return
                words = os.pread(self._file, self._begin - len(start), len(start))
                folder, held = marshal.loads(words)  # noqa: S302 - see above
                if folder == _FOLDER and whole == self._begin + max(end for *_, end in held.values()):
                    self._held = held

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """What the interpreter asks of who finds modules."""
        if name not in self._held:
            return None
        source, cached, head, *_ = self._held[name]
        if _head(source) != head:
            return None
        found = ModuleSpec(name, _Loader(name, source, self), origin=source)
        found.has_location, found.cached = True, cached
        if source.endswith("__init__.py"):
            found.submodule_search_locations = [source.removesuffix("/__init__.py")]
        return found

    def code(self, name: str) -> bytes:
        """What is held of a module; children of this process may read at the same time."""
        *_, begin, end = self._held[name]
        return os.pread(self._file, end - begin, self._begin + begin)

    def renew(self) -> None:
        """Take in what was loaded from files of its own; where nothing may be written, nothing is."""
        if sys.dont_write_bytecode or not os.access(os.path.dirname(self._path), os.W_OK):  # noqa: PTH120
            return
        loaded = [name for name in sys.modules.keys() - self._before if name.startswith(f"{_PACKAGE}.")]
        specs = [spec for name in loaded if (spec := sys.modules[name].__spec__)]
        read = {spec.name: _compiled(spec) for spec in specs if type(spec.loader) is SourceFileLoader}
        missed = {name: entry for name, entry in read.items() if entry}
        if missed:
            held = {name: (*entry[:3], self.code(name)) for name, entry in self._held.items()}
            with suppress(OSError):
                _write(self._path, held | missed)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, source: str, bundle: Bundle) -> None:
        super().__init__(name, source)
        self._bundle = bundle

    def get_code(self, name: str) -> CodeType:
        code: CodeType = marshal.loads(self._bundle.code(name))  # noqa: S302 - trusted as compiled modules are
        # It says where it was compiled, and may have been moved since.
        _imp._fix_co_filename(code, self.path)  # type: ignore[attr-defined]
        return code


def use() -> Bundle:
    """Have modules be found in the file of this interpreter from now on."""
    bundle = Bundle(cache_from_source(f"{_FOLDER}/bundled.py"))
    sys.meta_path.insert(0, bundle)
    return bundle


def _write(path: str, modules: dict[str, tuple[str, str, bytes, bytes]]) -> None:
    table: dict[str, Held] = {}
    end = 0
    for name, (source, cached, head, code) in modules.items():
        begin, end = end, end + len(code)
        table[name] = (source, cached, head, begin, end)
    words = marshal.dumps((_FOLDER, table))
    beside = f"{path}.{os.getpid()}"
    # Where others see this folder too, as in containers, one of them may have the number of this process.
    file = open(beside, "xb")  # noqa: PTH123, SIM115 - pathlib costs more than there is to be spared
    try:
        with file:
            file.write(MAGIC_NUMBER + len(words).to_bytes(_SIZE, "little") + words)
            file.writelines(code for *_, code in modules.values())
            file.flush()
            os.fsync(file.fileno())  # half of a module is no module, and nobody would see it
        os.replace(beside, path)  # noqa: PTH105
    except BaseException:
        os.unlink(beside)  # noqa: PTH108
        raise


def _head(source: str) -> bytes:
    """What the head of a compiled module says of its source as it is now, beside the magic number."""
    try:
        found = os.stat(source)  # noqa: PTH116
    except OSError:
        return b""
    numbers = (0, int(found.st_mtime), found.st_size)
    return b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in numbers)


def _compiled(spec: ModuleSpec) -> tuple[str, str, bytes, bytes] | None:
    """A module as its own file has it, if it is of its source as it is now."""
    if not spec.origin or not spec.cached:
        return None
    with suppress(OSError), open(spec.cached, "rb") as file:  # noqa: PTH123
        magic, head = file.read(len(MAGIC_NUMBER)), file.read(_HEAD - len(MAGIC_NUMBER))
        if magic == MAGIC_NUMBER and head == _head(spec.origin):
            return spec.origin, spec.cached, head, file.read()
    return None
