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

from gitscalpel.api import ScalpelError
from gitscalpel.errors.messages import action

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
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by who called: nobody hears what is said there
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    try:
        return _told(arguments or ["--help"])
    except BrokenPipeError:
        # Whoever read the answer has gone; keep Python from saying so at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _told(arguments: list[str]) -> int:
    """The same, with what went wrong told."""
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    as_json = "--json" in own
    command = next((word for word in arguments if not word.startswith("-")), "")
    try:
        status = _done(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except BaseException as error:
        known = _known(error, arguments)
        _tell(command, known, as_json, own)
        return known.exit_status
    return status


def _done(arguments: list[str]) -> int:
    try:
        # Importing makes nothing to collect, and looking for it costs a fifth of the start.
        gc.disable()
        from gitscalpel.cli.app import prepared

        command_line = prepared(arguments, main)
        gc.freeze()
        gc.set_threshold(100_000, 20, 100)  # trees of symbols are many objects that stay
        gc.enable()
        command_line()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 1
    return 0


def _known(error: BaseException, arguments: list[str]) -> ScalpelError:
    from gitscalpel.api import unexpected_errors
    from gitscalpel.cli import output
    from gitscalpel.cli.app import without_contents

    called = unexpected_errors.Called(
        lambda: without_contents(arguments), os.environ, lambda text: output.complain(text.splitlines())
    )
    return unexpected_errors.known(error, called)


def _tell(command: str, error: ScalpelError, as_json: bool, arguments: list[str]) -> None:
    from gitscalpel.changesets import answers
    from gitscalpel.cli import output, spelling

    words = spelling.of(command, output.prefix())
    if as_json:
        output.complain(output.HEALED)  # a refusal has no place for warnings
        output.print_json(answers.failure(command, error, words), words)
        return
    data: Mapping[str, Any] = error.data
    message, hint = error.told(words)
    quote = output.quoting([message, hint], [error.about.partition(" ")[2], *arguments])
    said = quote(f"error: {error.code}: {_place(command, error)}{message}")
    lines = [*output.HEALED, said]
    if data.get("content") is not None:
        lines += [f"  {row['n']}:{row['hash']}| {row['text']}" for row in data.get("lines", ())]
    if error.stays:
        ways = " or ".join(words.call(action(verb, tx=error.stays)) for verb in ("land", "drop"))
        lines.append(f"it stays staged as {error.stays}: {ways}")
    output.complain([*lines, quote(f"hint: {hint}")])


def _place(command: str, error: ScalpelError) -> str:
    """Which operation of a changeset it is about."""
    if command != "apply" or error.op is None:
        path = error.about.partition(" ")[2]
        return f"{path}: " if command == "text" and path and path not in error.message else ""
    return ", ".join(filter(None, (f"ops[{error.op}]", error.about))) + ": "
