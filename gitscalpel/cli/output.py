"""Print answers as one JSON object, or as text that is colored and paged on a terminal like git's.

Names that contain line breaks are quoted as git does. A file name can contain any byte except zero, so
otherwise a file from a stranger could print lines of its own, such as a hint. Only a text with an
unexpected line break is examined.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import msgspec

from gitscalpel.api import InputOutput, ScalpelError
from gitscalpel.api.file_view import Views
from gitscalpel.api.open_repository import OpenRepository, with_methods_of
from gitscalpel.changesets import answers
from gitscalpel.changesets.answers import CHECKOUT, quote_c_style
from gitscalpel.cli import targets
from gitscalpel.cli.parser import ParsedArguments
from gitscalpel.cli.targets import SHELL_SPELLING
from gitscalpel.commands.reply import Caller, Reply, ReplyText, ShellServices
from gitscalpel.errors.messages import Spelling, spell, spell_all

_DELAY_S = 0.3
"""Seconds before progress is shown."""
_INTERVAL_S = 0.5
_CLEAR_LINE = "\r\x1b[K"
_MAX_LENGTH = 60
_WITHOUT_PROGRESS = frozenset({"run", "serve", "mcp", "review", "demo", "snapshot", "agent", "hook"})
"""Commands that give the terminal to another program, or report progress themselves."""


class Progress:
    """A progress line on standard error.

    Args:
        what: description of the running command.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._is_shown = False

    def update(self, words: str) -> None:
        """Change the description."""
        self._what = words.partition("\n")[0][:_MAX_LENGTH]

    def clear(self) -> None:
        """Clear the line before other output. The next update shows it again."""
        with self._lock:
            if self._is_shown:
                sys.stderr.write(_CLEAR_LINE)
                sys.stderr.flush()
                self._is_shown = False

    def show(self) -> None:
        """Show the line and update it until the command ends."""
        waited = self._done.wait(_DELAY_S)
        while not waited:
            with self._lock:
                seconds = int(time.monotonic() - self._began)
                sys.stderr.write(f"{_CLEAR_LINE}… {self._what}{f' ({seconds} s)' if seconds else ''}")
                sys.stderr.flush()
                self._is_shown = True
            waited = self._done.wait(_INTERVAL_S)

    def end(self) -> None:
        """Stop the updates and clear the line."""
        self._done.set()
        self.clear()


ACTIVE_PROGRESS: list[Progress] = []
"""Progress lines of this process."""


@contextmanager
def show_progress(verb: str, *, as_json: bool) -> Iterator[None]:
    """Show progress while a command runs, if standard error is a terminal."""
    if as_json or verb in _WITHOUT_PROGRESS or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    progress = Progress(f"git scalpel {verb}")
    ACTIVE_PROGRESS.append(progress)
    threading.Thread(target=progress.show, daemon=True).start()
    try:
        yield
    finally:
        ACTIVE_PROGRESS.remove(progress)
        progress.end()


def clear_progress() -> None:
    """Clear the progress line, if there is one."""
    for progress in ACTIVE_PROGRESS:
        progress.clear()


def update_progress(words: str) -> None:
    """Change the description in the progress line."""
    for progress in ACTIVE_PROGRESS:
        progress.update(words)


RECOVERY_MESSAGES: list[str] = []
"""Messages about recovery from interrupted commands, for the answer."""
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and characters that change the order of the text around them."""


OPEN_REPOSITORIES: list[OpenRepository] = []
"""OpenRepository of the running command."""


def make_caller(arguments: ParsedArguments, typed: ShellServices) -> Caller:
    """Return the caller of the command line. Progress is reported on standard error.

    On a terminal, the output of gates is shown while they run. ``typed`` has the services of the command
    line.
    """
    agent = getattr(arguments, "agent", None)
    RECOVERY_MESSAGES.clear()
    OPEN_REPOSITORIES.clear()
    return Caller(
        lambda: _open_repository(agent), SHELL_SPELLING, None if arguments.json else _print_progress, typed
    )


def _open_repository(agent: str | None) -> OpenRepository:
    def notify(words: str) -> None:
        print_errors([words])
        update_progress(words)

    show = notify if sys.stderr is not None and sys.stderr.isatty() else None
    repo = OpenRepository(
        notify=notify,
        progress=update_progress,
        warn=RECOVERY_MESSAGES.append,
        show=show,
        long_lived=False,
        agent=agent,
        spelling=SHELL_SPELLING,
    )
    OPEN_REPOSITORIES.append(repo)
    return repo


def caller_prefix() -> str:
    """Return the directory of the caller, ``""`` or ``"sub/dir/"``. ``""`` if no repository was opened."""
    return OPEN_REPOSITORIES[-1].prefix if OPEN_REPOSITORIES else ""


def _print_progress(text: str) -> None:
    _write(_printable(_join_parts(text)).encode("utf-8"))


def print_json(envelope: dict[str, Any], words: Spelling = SHELL_SPELLING) -> None:
    """Print one JSON object on standard output, in UTF-8; ``words`` is the spelling of marked names."""
    _write(msgspec.json.encode(answers.make_json_safe(envelope, words)) + b"\n")


def print_reply(command: str, reply: Reply, as_json: bool) -> None:
    """Print a reply as a JSON object, or as text with warnings on standard error.

    Raises:
        ScalpelError: the error of the reply.
    """
    if reply.raw:
        _write(_plain(_join_parts(reply.words(SHELL_SPELLING).text)).encode("utf-8"))
        return
    if reply.wrong is not None:
        _report_error(reply, reply.wrong, as_json)
    words = targets.spelling_for(command, caller_prefix())
    warnings = [*RECOVERY_MESSAGES, *(str(spell(warning, words)) for warning in reply.warnings)]
    if as_json:
        following = map(SHELL_SPELLING.call, reply.next)
        print_json(
            answers.success_envelope(command, msgspec.to_builtins(reply.answer), warnings, following), words
        )
    else:
        _print_words(spell_all(reply.words(SHELL_SPELLING), words))
        sys.stdout.flush()
        print_findings([*map(_as_note, RECOVERY_MESSAGES), *reply.finding_lines(words)], reply.answer)
    if reply.status:
        raise SystemExit(reply.status)


def print_findings(lines: list[str], answer: Any) -> None:
    """Print warnings and notes on standard error, below the result."""
    print_errors(map(make_quoter(lines, _answer_paths(answer)), lines))


def _as_note(words: str) -> str:
    return f"note: {words}"


def make_quoter(texts: Iterable[str], names: Iterable[str]) -> Callable[[str], str]:
    """Return a function that quotes names with line breaks, if any of ``texts`` has one.

    ``names`` are names besides those of the tree.
    """
    if not any("\n" in text or "\t" in text for text in texts):
        return str

    return QuotedNames(OPEN_REPOSITORIES, names).quote


def _answer_paths(answer: Any) -> Iterator[str]:
    """Yield the paths in an answer, since a new file is not in the tree yet."""
    for row in getattr(answer, "files", None) or ():
        yield from (row.path,) if hasattr(row, "path") else ()


def _report_error(reply: Reply, wrong: ScalpelError, as_json: bool) -> NoReturn:
    """Report the error of a reply, after its text."""
    if as_json:
        raise wrong
    words = reply.words(SHELL_SPELLING)
    if words.complete:
        _print_words(words)
        print_errors(map(_as_note, RECOVERY_MESSAGES))
        raise SystemExit(wrong.exit_status)
    print_errors(words.text.split("\n"))
    raise wrong


def _print_words(words: ReplyText) -> None:
    """Print a text on standard output, on a terminal in color and with the pager.

    A pipe gets a patch unchanged, so that it can be applied, and a ``verbatim`` text, such as the content
    of a file. Control characters in all other text are made visible.
    """
    if words.aside:
        print_errors(words.text.splitlines())
        return
    text, diff, then = words.text, words.diff, words.then
    if not sys.stdout.isatty():
        said, more = (_plain(text) if words.verbatim else _printable(text)), _printable(then)
        _write(_join_parts(said, "" if words.brief else _plain(diff), more).encode("utf-8"))
        return

    if words.page and not OPEN_REPOSITORIES:
        with suppress(ScalpelError):  # read the pager from git's configuration
            _open_repository(None)
    setting = OPEN_REPOSITORIES[-1].setting if OPEN_REPOSITORIES else lambda _: None
    if words.brief:
        diff = shorten_diff(diff, text.count("\n") + then.count("\n") + 2)
    text, diff, then = map(_printable, (text, diff, then))
    shown = _join_parts(text, color_diff(diff, setting), then)
    pager = find_pager(shown, setting) if words.page else ""
    if not pager or not OPEN_REPOSITORIES or not OPEN_REPOSITORIES[-1].page(shown, pager):
        _write(shown.encode("utf-8"))


def _join_parts(*parts: str) -> str:
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)


def _write(answer: bytes) -> None:
    """Write to standard output. An error is reported, but the command counts as done."""
    clear_progress()
    try:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print_errors([f"it is done, but the answer could not be written: {error}"])
        raise SystemExit(InputOutput.exit_status) from None


def print_errors(lines: Iterable[str]) -> None:
    """Print lines on standard error."""
    clear_progress()
    sys.stderr.write("".join(f"{_printable(line)}\n" for line in lines))


def _printable(text: str) -> str:
    """Make control characters visible, which names, messages and file contents may contain."""
    return _CONTROL.sub(lambda sign: ascii(sign[0])[1:-1], _plain(text))


def _plain(text: str) -> str:
    """Return the text in valid UTF-8, with marked names as on the command line."""
    return text if text.isascii() else answers.replace_surrogates(spell(text, SHELL_SPELLING))


_BREAKS = re.compile("[\t\n\r]")


class QuotedNames:
    """Names with line breaks that the output of a call may contain.

    Args:
        repos: opened repositories, of which the last one counts.
        known: further names, such as those of new files, and words of the command line.
    """

    def __init__(self, repos: list[OpenRepository], known: Iterable[str] = ()) -> None:
        self._repos = repos
        self._known = tuple(known)
        self._names: list[str] | None = None

    def quote(self, text: str) -> str:
        """Return ``text`` with the names in it quoted."""
        if not _BREAKS.search(text):
            return text
        if self._names is None:
            self._names = sorted(set(self._find()), key=len, reverse=True)
        for name in self._names:
            text = text.replace(name, quote_c_style(name))
        return text

    def _find(self) -> Iterator[str]:
        """Yield the names, and the rest of each as seen from a subdirectory."""
        for name in filter(_BREAKS.search, self._paths()):
            parts = name.split("/")
            tails = ("/".join(parts[at:]) for at in range(len(parts)))
            yield from (tail for tail in tails if _BREAKS.search(tail) and tail.strip())

    def _paths(self) -> Iterator[str]:
        for name in self._known:
            yield from (name, name.partition("::")[0])
        for branch in (None, CHECKOUT) if self._repos else ():
            with suppress(ScalpelError):
                yield from with_methods_of(Views, self._repos[-1]).view(branch).matching("*")


Setting = Callable[[str], "str | None"]
"""Function that returns the value of a key in git's configuration."""

_RESET, _BOLD = "\x1b[m", "\x1b[1m"
_LINE_COLORS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_NEVER = frozenset({"never", "false", "no", "off", "0"})
_DEFAULT_HEIGHT, _MIN_HEIGHT = 24, 10


def terminal_height() -> int:
    """Return the height of the terminal in lines."""
    try:
        return os.get_terminal_size().lines or _DEFAULT_HEIGHT
    except OSError:
        return _DEFAULT_HEIGHT


def color_diff(diff: str, setting: Setting) -> str:
    """Return a unified diff in git's colors, if the user wants colors."""
    if not _wants_color(setting):
        return diff
    found, inside = [], False
    for line in diff.split("\n"):
        inside = line.startswith("@@") or (inside and not line.startswith("diff --git "))
        colour = _LINE_COLORS.get(line[:1], "") if inside else _BOLD
        found.append(f"{colour}{line}{_RESET}" if colour and line else line)
    return "\n".join(found)


def _wants_color(setting: Setting) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    said = setting("color.scalpel") or setting("color.ui") or "auto"
    return said.lower() not in _NEVER


def shorten_diff(diff: str, other_lines: int) -> str:
    """Return as much of a diff as fits on the screen next to ``other_lines``."""
    lines, room = diff.splitlines(), max(_MIN_HEIGHT, terminal_height() - other_lines - 2)
    if len(lines) <= room:
        return diff
    left = len(lines) - room
    return "\n".join([*lines[:room], f"… {left} more line{'s' * (left > 1)}"])


def find_pager(text: str, setting: Setting) -> str:
    """Return the pager for a text, or "" if none is needed or wanted."""
    if text.count("\n") < terminal_height() or os.environ.get("GIT_PAGER_IN_USE"):
        return ""
    arguments = os.environ.get("GIT_PAGER"), setting("core.pager"), os.environ.get("PAGER"), "less"
    said = next(words for words in arguments if words is not None)
    return "" if said in ("", "cat") or os.environ.get("TERM") == "dumb" else said
