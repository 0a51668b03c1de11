"""Console script: run one command line, and turn errors into an exit status and an answer.

To keep the start-up time short, only the module of the called command is loaded.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from gitscalpel.api import BadCall, Misconfigured, ScalpelError
from gitscalpel.cli.parser import Given, Parser
from gitscalpel.commands.reply import Typed
from gitscalpel.commands.table import COMMON, VERBS, Verb
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

    called = unexpected_errors.Called(
        lambda: without_contents(arguments), os.environ, lambda text: output.complain(text.splitlines())
    )
    return unexpected_errors.known(error, called)


def _tell(command: str, error: ScalpelError, as_json: bool, arguments: list[str]) -> None:
    from gitscalpel.changesets import answers
    from gitscalpel.cli import option_names, output

    words = option_names.of(command, output.prefix())
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


_HELP = """\
Usage: git scalpel COMMAND [OPTIONS] [TARGET]

Transactional edits of code, with git as the database.
"""
_OPTIONS = {
    "--version": "Print the version.",
    "--show-completion [SHELL]": "Print what completes commands and options: bash, zsh, fish, powershell.",
    "--install-completion [SHELL]": "Have the shell load that at its start; say which file this changes.",
}


def prepared(arguments: list[str], main: Callable[[], None]) -> Callable[[], None]:
    """What a command line asks for, loaded and ready to be done; ``main`` does that of a process.

    Raises:
        BadCall: ``invalid_args``.
        SystemExit: the help of a verb was asked for.
    """
    first, *rest = arguments
    if first in ("-h", "--help"):
        return lambda: print(overview(everything="--all" in rest), end="")  # noqa: T201 - a face may
    if first == "--version":
        from gitscalpel.system.version import __version__

        return lambda: print(f"git-scalpel {__version__}")  # noqa: T201
    option, _, shell = first.partition("=")
    if option in ("--show-completion", "--install-completion"):
        return lambda: print(_completed(option, shell or "".join(rest[:1])))  # noqa: T201
    verb = _named(first)
    given = parser(verb).read(rest)
    return lambda: _call(verb, given, Typed(completion, usage, main, prepare, os.environ, speak, review))


def prepare() -> None:
    """Make the parsers of all verbs, for a process that stays."""
    for verb in VERBS.values():
        parser(verb)


@cache
def parser(verb: Verb) -> Parser:
    """The parser of a verb's arguments."""
    from gitscalpel.cli import options

    parser = Parser(verb.name, verb.help, verb.request.examples)
    options.arguments(parser, verb.request)
    parser.panel = "Output"
    parser.add_argument("-h", "--help", action="help", help="Show this help.")
    parser.add_argument("--json", action="store_true", help="Answer with one JSON object.")
    # Agents that say who they are say so with every call; where nothing is recorded it says nothing.
    recorded = verb.heading in ("Edit", "Transaction")
    words = "The program that acts for you, for the record." if recorded else argparse.SUPPRESS
    parser.add_argument("--agent", metavar="NAME", help=words)
    return parser


def completion(shell: str) -> str:
    """What completes the command line in a shell."""
    from gitscalpel.cli import completion as scripts

    known = {verb: scripts.typed(verb, parser(verb)) for verb in VERBS.values()}
    script: str = getattr(scripts, f"{shell}_script")(known)
    return script


def _completed(option: str, name: str) -> str:
    """Return the completion for a shell, or have it installed and return which file has changed."""
    from gitscalpel.cli.completion import install, shell_of

    shell = shell_of(name, os.environ)
    return completion(shell) if option == "--show-completion" else install(shell, os.environ)


def usage(verb: str | None) -> str:
    """Return how a verb is called, or the list of all commands."""
    return parser(VERBS[verb]).format_help() if verb else overview(everything=True)


def speak(asked: Any) -> None:
    """Speak with an agent until it goes."""
    from gitscalpel.cli import option_names, output
    from gitscalpel.errors.messages import spelt
    from gitscalpel.mcp import stdio

    stdio.speak(asked, lambda text: output.complain([spelt(text, option_names.TYPED)]))


def review(root: Path, port: int) -> None:
    """Serve the page for reviews until it is interrupted.

    Raises:
        Misconfigured: ``unavailable``: what it needs is not installed.
    """
    try:
        from gitscalpel.review import app
    except ImportError as error:
        raise Misconfigured(
            "unavailable", f"the page needs {error.name}", "install it: pip install 'gitscalpel[review]'"
        ) from None
    from gitscalpel.cli.option_names import TYPED

    app.serve(root, port, TYPED, lambda address: print(address, flush=True))  # noqa: T201 - a face may


def without_contents(arguments: list[str]) -> list[str]:
    """A command line with its verb and the names of its options alone, for what is kept of it."""
    verb = VERBS.get(arguments[0]) if arguments else None
    if verb is None:
        return ["?"]
    with suppress(Exception):  # what is wrong may be just this
        return [verb.name, *parser(verb).names(arguments[1:])]
    return [verb.name]


def _call(verb: Verb, given: Given, typed: Typed) -> None:
    from gitscalpel.cli import options, output, targets

    options.check(given, verb.request)
    with (
        output.showing(verb.name, as_json=given.json),
        output.caller(given, typed) as caller,
        targets.meant(_where(verb, given), caller, lambda: caller.place(given)),
    ):
        reply = verb.perform(caller, options.read(given, verb.request, caller))
    output.reply(verb.name, reply, given.json)


def _where(verb: Verb, given: Given) -> str | None:
    """The one place in a file that was typed, if it was one."""
    if verb.heading not in ("Look", "Edit"):
        return None
    where = getattr(given, "where", None) or getattr(given, "path", None)
    paths: list[str] = getattr(given, "paths", [])
    return paths[0] if where is None and verb.name == "text" and len(paths) == 1 else where


def _named(verb: str) -> Verb:
    if verb not in VERBS:
        import difflib

        near = difflib.get_close_matches(verb, VERBS, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        hint += "options come after the command; " if verb.startswith("-") else ""
        raise BadCall("invalid_args", f"there is no command {verb!r}", hint + "see git scalpel -h")
    return VERBS[verb]


def overview(*, everything: bool) -> str:
    """Return the list of the commands that everybody needs, or of all by their headings."""
    groups: dict[str, dict[str, str]] = {}
    for verb in VERBS.values():
        if everything or verb.name in COMMON:
            groups.setdefault(verb.heading if everything else "Commands", {})[verb.name] = verb.help
    lines = [_HELP]
    for heading, rows in {**groups, "Options": _OPTIONS}.items():
        lines += [f"{heading}:", *(line for name, words in rows.items() for line in _wrap(name, words)), ""]
    more = "" if everything else f"`git scalpel help --all` lists all {len(VERBS)} commands.\n"
    pages = "`git scalpel help` lists the pages of the documentation.\n"
    return "\n".join([*lines, f"{more}`git scalpel COMMAND -h` shows the options of a command.", pages])


def _wrap(name: str, words: str) -> list[str]:
    """Return the lines of a command or option and its description."""
    import textwrap

    from gitscalpel.cli.parser import columns

    lines = textwrap.wrap(words, columns(), initial_indent=" " * 13, subsequent_indent=" " * 13)
    if len(name) > 10:
        return [f"  {name}", *lines]
    return [f"  {name:<11}{lines[0][13:]}", *lines[1:]]
