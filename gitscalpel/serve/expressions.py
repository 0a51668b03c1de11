"""Regular expressions, kept compiled as modules are: each is as dear as a small module, a call has seventy.

``re`` compiles them in Python to words for a machine in C, and throws these away when the process ends. The
words are kept of constants alone: what users write is not ours to keep.
"""

from __future__ import annotations

import marshal
import sys
from contextlib import suppress
from importlib import import_module
from types import FunctionType, SimpleNamespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any, TypeAlias

    Kept: TypeAlias = dict[tuple[str | bytes, int], tuple[Any, ...]]
    """By expression and flags, what the machine is given."""

_CONSTANT = frozenset({"gitscalpel.regex", "gitscalpel.syntax.query"})
"""Modules of ours that compile constants of others, and no others."""
_OPTIMIZED = 1
"""A flag of the code of functions; modules and classes lack it (``inspect.CO_OPTIMIZED``)."""


class Expressions:
    """What ``re`` asks instead of its compiler, from now on.

    Args:
        read: gives what is kept, as :meth:`written` has it; called when the first one is compiled.
    """

    def __init__(self, read: Callable[[], memoryview]) -> None:
        self._read: Callable[[], memoryview] | None = read
        self._kept: Kept = {}
        self._missed: Kept = {}
        self._machine: Any = None
        self._compiler: Any = None
        with suppress(ImportError, AttributeError):  # nobody promises them: without, `re` compiles as ever
            self._machine = import_module("_sre")
            self._compiler = import_module("re._compiler" if sys.version_info >= (3, 11) else "sre_compile")
            self._compile, self._compiler.compile = self._compiler.compile, self

    def __call__(self, pattern: Any, flags: int = 0) -> Any:
        """The compiled expression, of what is kept, or compiled now."""
        key = (pattern, int(flags))
        if self._read is not None:
            self._take(self._read())
            self._read = None
        with suppress(TypeError, ValueError, RuntimeError, OverflowError):  # what is kept is damaged
            if key in self._kept:
                return self._machine.compile(*self._kept[key])
        if type(pattern) not in (str, bytes) or not _is_constant(sys._getframe(1)):
            return self._compile(pattern, flags)
        self._missed[key] = self._words(pattern, flags)
        return self._machine.compile(*self._missed[key])

    def written(self) -> bytes:
        """What is to be kept from now on; empty if that is what was kept before."""
        if not self._missed:
            return b""
        return marshal.dumps((self._machine.MAGIC, self._kept | self._missed))

    def _take(self, written: memoryview) -> None:
        with suppress(EOFError, ValueError, TypeError):
            magic, kept = marshal.loads(written)  # noqa: S302 - trusted as compiled modules are
            if magic == self._machine.MAGIC:
                self._kept = kept

    def _words(self, pattern: Any, flags: int) -> tuple[Any, ...]:
        """What the compiler gives to the machine."""
        machine = SimpleNamespace(**{**vars(self._machine), "compile": lambda *words: words})
        # Its own is left as it is: other threads compile meanwhile.
        compiler = FunctionType(self._compile.__code__, {**vars(self._compiler), "_sre": machine})
        same, settings, code, *groups = compiler(pattern, flags)
        numbers = [int(word) for word in code]  # those that have names, `marshal` does not know
        return same, int(settings), numbers, *groups


def _is_constant(frame: FrameType | None) -> bool:
    """Whether a module or a class has it compiled while it is made, or one who compiles nothing else."""
    while frame and frame.f_globals["__name__"] == "re":
        frame = frame.f_back
    return frame is not None and (
        not frame.f_code.co_flags & _OPTIMIZED or frame.f_globals["__name__"] in _CONSTANT
    )
