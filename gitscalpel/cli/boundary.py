"""The console script, and the one place where errors become an exit status and an answer."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections.abc import Mapping
from types import FrameType
from typing import Any

from gitscalpel import (
    Damaged,
    InputOutput,
    Interrupted,
    InterruptedLate,
    Misconfigured,
    ScalpelError,
    TryAgain,
)
from gitscalpel.phrases import action, call
from gitscalpel.regex import lazy

_NO_SPACE = frozenset({28, 122})  # ENOSPC, EDQUOT
_OBJECT = lazy("[0-9a-f]{40}(?:[0-9a-f]{24})?")
"""What a store's KeyError names: the object that it does not hold."""
_AS_ONE = 1.0
"""Seconds in which signals are one: git passes on to us what the terminal has told us as well."""


class _Interrupts:
    """Interrupts the program, and not its clearing up a moment later."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        if time.monotonic() - self._last > _AS_ONE:
            self._last = time.monotonic()
            raise KeyboardInterrupt


def main() -> None:
    """The console script: who is told to end, as by ``timeout``, is interrupted, and clears up first."""
    interrupts = _Interrupts()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # ``nohup`` ignores it
            signal.signal(number, interrupts)
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; the exit status."""
    arguments = arguments or ["--help"]
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    as_json = "--json" in own
    command = next((word for word in arguments if not word.startswith("-")), "")
    try:
        # Importing makes nothing to collect, and looking for it costs a fifth of the start.
        gc.disable()
        from gitscalpel.cli.app import prepared

        command_line = prepared(arguments, main)
        gc.freeze()
        gc.set_threshold(50_000, 20, 100)  # trees of symbols are many objects that stay
        gc.enable()
        command_line()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 1
    except BrokenPipeError:
        # Whoever read the answer has gone; keep Python from saying so at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except BaseException as error:
        known = _known(error, arguments)
        _tell(command, known, as_json)
        return known.exit_status
    return 0


def _known(error: BaseException, arguments: list[str]) -> ScalpelError:
    if isinstance(error, KeyboardInterrupt):
        return _interrupted()
    if _is_after_interrupt(error):
        words = f"interrupted, and clearing up failed: {error}"
        return Interrupted("interrupted", words, f"{call('recover')} clears up; then run it again")
    if isinstance(error, ScalpelError):
        return error
    if isinstance(error, OSError):
        return _of_the_disk(error)
    return _unforeseen(error, arguments)


def _interrupted() -> Interrupted:
    journalled = sys.modules.get("gitscalpel.journalled")  # who has not even loaded it has done nothing
    if journalled is None or not journalled.DONE:
        return Interrupted("interrupted", "interrupted", "run it again; what had not landed did not happen")
    done = ", ".join(journalled.DONE)
    return InterruptedLate(
        "interrupted",
        f"interrupted after {done} was done",
        f"{call('log')} shows it; do not do it again",
        done=done,
    )


def _is_after_interrupt(error: BaseException) -> bool:
    """Whether it came up only because somebody who was interrupted was clearing up."""
    before = error.__context__
    while before is not None and not isinstance(before, KeyboardInterrupt):
        before = before.__context__
    return before is not None


def _of_the_disk(error: OSError) -> ScalpelError:
    if error.errno in _NO_SPACE:
        return TryAgain("busy", f"the disk is full: {error}", "free some space and run it again")
    where = error.filename if isinstance(error.filename, str) else ""
    return InputOutput.on(where, str(error), "check the file, its permissions and the disk")


def _unforeseen(error: BaseException, arguments: list[str]) -> ScalpelError:
    if isinstance(error, RecursionError):
        return Misconfigured(
            "unavailable", "the text nests too deeply to be read", "use text or lines operations"
        )
    if isinstance(error, KeyError) and _OBJECT.fullmatch(str(error.args[0] if error.args else "")):
        return Damaged("corrupt", f"object {error.args[0]} is missing", "run git fsck")
    return _internal(error, arguments)


def _internal(error: BaseException, arguments: list[str]) -> ScalpelError:
    from gitscalpel import crashlog
    from gitscalpel.cli import output
    from gitscalpel.cli.app import without_contents

    words = without_contents(arguments)
    log = crashlog.keep(error, words, os.environ)
    if log is None:
        output.complain(crashlog.text(error, words, os.environ).splitlines())
    where = f"{log} says where" if log else "standard error says where"
    return ScalpelError(
        "internal",
        f"{type(error).__name__}: {error}",
        f"a defect of gitscalpel: {where}; {call('log')} shows what has landed",
        **({"crash_log": str(log)} if log else {}),
    )


def _tell(command: str, error: ScalpelError, as_json: bool) -> None:
    from gitscalpel import report
    from gitscalpel.cli import output, spelling

    words = spelling.of(command)
    if as_json:
        output.complain(output.HEALED)  # a refusal has no place for warnings
        output.print_json(report.failure(command, error, words))
        return
    data: Mapping[str, Any] = error.data
    message, hint = error.told(words)
    lines = [*output.HEALED, f"error: {error.code}: {_place(command, error)}{message}"]
    if data.get("content") is not None:
        lines += [f"  {row['n']}:{row['hash']}| {row['text']}" for row in data.get("lines", ())]
    if error.stays:
        ways = " or ".join(words.call(action(verb, tx=error.stays)) for verb in ("land", "drop"))
        lines.append(f"it stays staged as {error.stays}: {ways}")
    output.complain([*lines, f"hint: {hint}"])


def _place(command: str, error: ScalpelError) -> str:
    """Which operation of a changeset it is about."""
    if command != "apply" or error.op is None:
        path = error.about.partition(" ")[2]
        return f"{path}: " if command == "text" and path and path not in error.message else ""
    return ", ".join(filter(None, (f"ops[{error.op}]", error.about))) + ": "
