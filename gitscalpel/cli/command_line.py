"""Console script: run one command line, and turn errors into an exit status and an answer.

To keep the start-up time short, only the module of the called command is imported.
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

from gitscalpel.api import BadCall, Misconfigured, ScalpelError, unexpected_errors
from gitscalpel.changesets import answers
from gitscalpel.cli.parser import CommandParser, ParsedArguments
from gitscalpel.commands.reply import ShellServices
from gitscalpel.commands.table import COMMANDS, COMMON_COMMANDS, CommandEntry
from gitscalpel.errors.messages import action, spell
from gitscalpel.system.version import __version__

_SAME_SIGNAL_S = 1.0
"""Seconds in which repeated signals count as one: git forwards a signal that the terminal also sends."""


class _InterruptHandler:
    """Signal handler that interrupts the program, but not its cleanup a moment later."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        if time.monotonic() - self._last > _SAME_SIGNAL_S:
            self._last = time.monotonic()
            raise KeyboardInterrupt


def main() -> None:
    """Run the console script. A termination signal acts as an interrupt, so cleanup runs first."""
    interrupts = _InterruptHandler()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # ``nohup`` sets SIG_IGN
            signal.signal(number, interrupts)
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line and return the exit status."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    try:
        return _run_and_report(arguments or ["--help"])
    except BrokenPipeError:
        # The reader has closed the pipe. Python must not report that at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _run_and_report(arguments: list[str]) -> int:
    """Run one command line, report its error, and return the exit status."""
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    as_json = "--json" in own
    command = next((word for word in arguments if not word.startswith("-")), "")
    try:
        status = _run_uncaught(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except BaseException as error:
        known = _to_scalpel_error(error, arguments)
        _report_error(command, known, as_json, own)
        return known.exit_status
    return status


def _run_uncaught(arguments: list[str]) -> int:
    try:
        # Imports create no garbage, and collection takes a fifth of the start-up time.
        gc.disable()

        command_line = prepare_call(arguments, main)
        gc.freeze()
        gc.set_threshold(100_000, 20, 100)  # symbol trees are many long-lived objects
        gc.enable()
        command_line()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 1
    return 0


def _to_scalpel_error(error: BaseException, arguments: list[str]) -> ScalpelError:
    from gitscalpel.cli import output

    called = unexpected_errors.CallContext(
        lambda: remove_values(arguments), os.environ, lambda text: output.print_errors(text.splitlines())
    )
    return unexpected_errors.convert_error(error, called)


def _report_error(command: str, error: ScalpelError, as_json: bool, arguments: list[str]) -> None:
    from gitscalpel.cli import output, targets

    words = targets.spelling_for(command, output.caller_prefix())
    if as_json:
        output.print_errors(output.RECOVERY_MESSAGES)  # an error envelope has no warnings
        output.print_json(answers.failure_envelope(command, error, words), words)
        return
    data: Mapping[str, Any] = error.data
    message, hint = error.told(words)
    quote = output.make_quoter([message, hint], [error.about.partition(" ")[2], *arguments])
    said = quote(f"error: {error.code}: {_error_prefix(command, error)}{message}")
    lines = [*output.RECOVERY_MESSAGES, said]
    if data.get("content") is not None:
        lines += [f"  {row['n']}:{row['hash']}| {row['text']}" for row in data.get("lines", ())]
    if error.stays and words.call(action("drop", ids=error.stays)) not in hint:
        ways = " or ".join(words.call(action(verb, tx=error.stays)) for verb in ("land", "drop"))
        lines.append(f"it stays staged as {error.stays}: {ways}")
    output.print_errors([*lines, quote(f"hint: {hint}")])


def _error_prefix(command: str, error: ScalpelError) -> str:
    """Return a prefix that names the failed operation or file."""
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
    "--show-completion [SHELL]": "Print the completion script for a shell: bash, zsh, fish, powershell.",
    "--install-completion [SHELL]": "Load the script at the start of the shell, and print the changed file.",
}


def prepare_call(arguments: list[str], main: Callable[[], None]) -> Callable[[], None]:
    """Parse a command line and return a function that runs it; ``main`` runs that of a whole process.

    Raises:
        BadCall: ``invalid_args``.
        SystemExit: the command line asks for the help of a command.
    """
    first, *rest = arguments
    if first in ("-h", "--help"):
        return lambda: print(format_overview(everything="--all" in rest), end="")  # noqa: T201 - a front end may
    if first == "--version":
        return lambda: print(f"git-scalpel {__version__}")  # noqa: T201
    option, _, shell = first.partition("=")
    if option in ("--show-completion", "--install-completion"):
        return lambda: print(_completion_output(option, shell or "".join(rest[:1])))  # noqa: T201
    verb = _find_command(first)
    given = build_parser(verb).parse_words(rest)
    return lambda: _run_command(
        verb,
        given,
        ShellServices(
            completion_script, format_usage, main, build_parsers, os.environ, serve_mcp, serve_review
        ),
    )


def build_parsers() -> None:
    """Build the parsers of all commands, for a server process."""
    for verb in COMMANDS.values():
        build_parser(verb)


@cache
def build_parser(verb: CommandEntry) -> CommandParser:
    """Return the parser of a command's arguments."""
    from gitscalpel.cli import options

    parser = CommandParser(verb.name, verb.help, verb.request.examples)
    options.add_arguments(parser, verb.request)
    parser.panel = "Output"
    parser.add_argument("-h", "--help", action="help", help="Print this help.")
    parser.add_argument("--json", action="store_true", help="Print one JSON object.")
    # Agents pass their name with every call, so every command accepts it.
    recorded = verb.heading in ("Edit", "Transaction")
    words = "Name of the agent that acts for you, for the operation log." if recorded else argparse.SUPPRESS
    parser.add_argument("--agent", metavar="NAME", help=words)
    return parser


def completion_script(shell: str) -> str:
    """Return the completion script for a shell."""
    from gitscalpel.cli import completion as scripts

    known = {verb: scripts.list_arguments(verb, build_parser(verb)) for verb in COMMANDS.values()}
    script: str = getattr(scripts, f"{shell}_script")(known)
    return script


def _completion_output(option: str, name: str) -> str:
    """Return the completion script of a shell, or install it and return a message."""
    from gitscalpel.cli.completion import find_shell, install

    shell = find_shell(name, os.environ)
    return completion_script(shell) if option == "--show-completion" else install(shell, os.environ)


def format_usage(verb: str | None) -> str:
    """Return the help of a command, or the list of all commands."""
    return build_parser(COMMANDS[verb]).format_help() if verb else format_overview(everything=True)


def serve_mcp(asked: Any) -> None:
    """Serve an MCP client until it disconnects."""
    from gitscalpel.cli import output, targets
    from gitscalpel.mcp import stdio

    stdio.serve(asked, lambda text: output.print_errors([spell(text, targets.SHELL_SPELLING)]))


def serve_review(root: Path, port: int) -> None:
    """Serve the review page until interrupted.

    Raises:
        Misconfigured: ``unavailable``: a library is not installed.
    """
    try:
        from gitscalpel.review import app
    except ImportError as error:
        raise Misconfigured(
            "unavailable", f"the page needs {error.name}", "install it: pip install 'gitscalpel[review]'"
        ) from None
    from gitscalpel.cli.targets import SHELL_SPELLING

    app.serve(root, port, SHELL_SPELLING, lambda address: print(address, flush=True))  # noqa: T201 - a front end may


def remove_values(arguments: list[str]) -> list[str]:
    """Return the command and the names of its options, without values, for a stored error report."""
    verb = COMMANDS.get(arguments[0]) if arguments else None
    if verb is None:
        return ["?"]
    with suppress(Exception):  # the command line itself may be invalid
        return [verb.name, *build_parser(verb).find_option_names(arguments[1:])]
    return [verb.name]


def _run_command(verb: CommandEntry, given: ParsedArguments, typed: ShellServices) -> None:
    from gitscalpel.cli import options, output, targets

    options.check_arguments(given, verb.request)
    with (
        output.show_progress(verb.name, as_json=given.json),
        output.make_caller(given, typed) as caller,
        targets.explain_errors(_typed_target(verb, given), caller, lambda: caller.view(given)),
    ):
        reply = verb.perform(caller, options.read_request(given, verb.request, caller))
    output.print_reply(verb.name, reply, given.json)


def _typed_target(verb: CommandEntry, given: ParsedArguments) -> str | None:
    """Return the target that was typed, if the command has only one."""
    if verb.heading not in ("Read", "Edit"):
        return None
    where = getattr(given, "where", None) or getattr(given, "path", None)
    paths: list[str] = getattr(given, "paths", [])
    return paths[0] if where is None and verb.name == "text" and len(paths) == 1 else where


def _find_command(verb: str) -> CommandEntry:
    if verb not in COMMANDS:
        import difflib

        near = difflib.get_close_matches(verb, COMMANDS, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        hint += "options come after the command; " if verb.startswith("-") else ""
        raise BadCall("invalid_args", f"no such command: {verb!r}", hint + "see git scalpel -h")
    return COMMANDS[verb]


def format_overview(*, everything: bool) -> str:
    """Return the list of common commands, or of all commands by heading."""
    groups: dict[str, dict[str, str]] = {}
    for verb in COMMANDS.values():
        if everything or verb.name in COMMON_COMMANDS:
            groups.setdefault(verb.heading if everything else "Commands", {})[verb.name] = verb.help
    lines = [_HELP]
    for heading, rows in {**groups, "Options": _OPTIONS}.items():
        lines += [
            f"{heading}:",
            *(line for name, words in rows.items() for line in _wrap_row(name, words)),
            "",
        ]
    more = "" if everything else f"`git scalpel help --all` lists all {len(COMMANDS)} commands.\n"
    pages = "`git scalpel help` lists the pages of the documentation.\n"
    return "\n".join([*lines, f"{more}`git scalpel COMMAND -h` shows the options of a command.", pages])


def _wrap_row(name: str, words: str) -> list[str]:
    import textwrap

    from gitscalpel.cli.parser import help_width

    lines = textwrap.wrap(words, help_width(), initial_indent=" " * 13, subsequent_indent=" " * 13)
    if len(name) > 10:
        return [f"  {name}", *lines]
    return [f"  {name:<11}{lines[0][13:]}", *lines[1:]]
