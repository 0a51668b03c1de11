"""Print answers as one JSON object, or as text that is colored and paged on a terminal like git's.

Names that contain line breaks are quoted as git does. A file name can contain any byte except zero, so
otherwise
a file from a stranger could print lines of its own, such as a hint. Only a text with an unexpected line
break is
examined.
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

from gitscalpel.api import InputOutput, Repository, ScalpelError
from gitscalpel.changesets import answers
from gitscalpel.changesets.answers import CHECKOUT, escaped
from gitscalpel.cli import option_names
from gitscalpel.cli.option_names import TYPED
from gitscalpel.cli.parser import Given
from gitscalpel.commands.reply import Caller, Reply, Typed, Words
from gitscalpel.errors.messages import Spelling, spell_all, spelt

_MOMENT = 0.3
"""Seconds before progress is shown."""
_STEP = 0.5
_CLEAR = "\r\x1b[K"
_LONGEST = 60
_ITS_OWN = frozenset({"run", "serve", "mcp", "review", "demo", "snapshot", "agent", "hook"})
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

    def tell(self, words: str) -> None:
        """Change the description."""
        self._what = words.partition("\n")[0][:_LONGEST]

    def clear(self) -> None:
        """Clear the line before other output. The next update shows it again."""
        with self._lock:
            if self._is_shown:
                sys.stderr.write(_CLEAR)
                sys.stderr.flush()
                self._is_shown = False

    def show(self) -> None:
        """Show the line and update it until the command ends."""
        waited = self._done.wait(_MOMENT)
        while not waited:
            with self._lock:
                seconds = int(time.monotonic() - self._began)
                sys.stderr.write(f"{_CLEAR}… {self._what}{f' ({seconds} s)' if seconds else ''}")
                sys.stderr.flush()
                self._is_shown = True
            waited = self._done.wait(_STEP)

    def end(self) -> None:
        """Stop the updates and clear the line."""
        self._done.set()
        self.clear()


UNDER_WAY: list[Progress] = []
"""Progress lines of this process."""


@contextmanager
def showing(verb: str, *, as_json: bool) -> Iterator[None]:
    """Show progress while a command runs, if standard error is a terminal."""
    if as_json or verb in _ITS_OWN or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    progress = Progress(f"git scalpel {verb}")
    UNDER_WAY.append(progress)
    threading.Thread(target=progress.show, daemon=True).start()
    try:
        yield
    finally:
        UNDER_WAY.remove(progress)
        progress.end()


def clear() -> None:
    """Clear the progress line, if there is one."""
    for progress in UNDER_WAY:
        progress.clear()


def tell(words: str) -> None:
    """Change the description in the progress line."""
    for progress in UNDER_WAY:
        progress.tell(words)


HEALED: list[str] = []
"""Messages about recovery from interrupted commands, for the answer."""
_STEERING = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and characters that change the order of the text around them."""


_MISFIT = re.compile(": the call of (?P<name>[^ ]+) does not fit: ")
_MISFITS = 10
"""Maximum number of calls of one definition that are printed."""


OPENED: list[Repository] = []
"""Repository of the running command."""


def caller(given: Given, typed: Typed) -> Caller:
    """Return the caller of the command line. Progress is reported on standard error.

    On a terminal, the output of gates is shown while they run. ``typed`` has the services of the command
    line.
    """
    agent = getattr(given, "agent", None)
    HEALED.clear()
    OPENED.clear()
    return Caller(lambda: _opened(agent), TYPED, None if given.json else _say, typed)


def _opened(agent: str | None) -> Repository:
    def notify(words: str) -> None:
        complain([words])
        tell(words)

    show = notify if sys.stderr is not None and sys.stderr.isatty() else None
    repo = Repository(
        notify=notify, warn=HEALED.append, show=show, long_lived=False, agent=agent, spelling=TYPED
    )
    OPENED.append(repo)
    return repo


def prefix() -> str:
    """Return the directory of the caller, ``""`` or ``"sub/dir/"``. ``""`` if no repository was opened."""
    return OPENED[-1].prefix if OPENED else ""


def _say(text: str) -> None:
    _write(_printable(_joined(text)).encode("utf-8"))


def print_json(envelope: dict[str, Any], words: Spelling = TYPED) -> None:
    """Print one JSON object on standard output, in UTF-8; ``words`` is the spelling of marked names."""
    _write(msgspec.json.encode(answers.clean(envelope, words)) + b"\n")


def reply(command: str, reply: Reply, as_json: bool) -> None:
    """Print a reply as a JSON object, or as text with warnings on standard error.

    Raises:
        ScalpelError: the error of the reply.
    """
    if reply.raw:
        _write(_plain(_joined(reply.words(TYPED).text)).encode("utf-8"))
        return
    if reply.wrong is not None:
        _tell_wrong(reply, reply.wrong, as_json)
    words = option_names.of(command, prefix())
    warnings = [*HEALED, *(spelt(warning, words) for warning in reply.warnings)]
    if as_json:
        following = map(TYPED.call, reply.next)
        print_json(answers.success(command, msgspec.to_builtins(reply.answer), warnings, following), words)
    else:
        quote = quoting([*warnings, *_unchecked(reply.answer)], _paths(reply.answer))
        complain(quote(f"warning: {warning}") for warning in _shortened(warnings))
        _show(_quoted(quote, reply.answer, spell_all(reply.words(TYPED), words)))
    if reply.status:
        raise SystemExit(reply.status)


def quoting(texts: Iterable[str], names: Iterable[str]) -> Callable[[str], str]:
    """Return a function that quotes names with line breaks, if any of ``texts`` has one.

    ``names`` are names besides those of the tree.
    """
    if not any("\n" in text or "\t" in text for text in texts):
        return str

    return QuotedNames(OPENED, names).quote


def _unchecked(answer: Any) -> Iterable[str]:
    return getattr(answer, "unchecked", None) or ()


def _paths(answer: Any) -> Iterator[str]:
    """Yield the paths in an answer, since a new file is not in the tree yet."""
    for row in getattr(answer, "files", None) or ():
        yield from (row.path,) if hasattr(row, "path") else ()


def _quoted(quote: Callable[[str], str], answer: Any, words: Words) -> Words:
    """Return ``words`` with quoted names in the missing checks."""
    for said in _unchecked(answer):
        quoted = quote(said)
        if quoted != said:
            text, then = words.text.replace(said, quoted), words.then.replace(said, quoted)
            words = msgspec.structs.replace(words, text=text, then=then)
    return words


def _shortened(warnings: Iterable[str]) -> Iterable[str]:
    """Yield warnings, with only the first of those about calls that do not match a definition."""
    counts: dict[str, int] = {}
    for warning in warnings:
        found = _MISFIT.search(warning)
        if found is None:
            yield warning
            continue
        name = found["name"]
        counts[name] = counts.get(name, 0) + 1
        if counts[name] <= _MISFITS:
            yield warning
    for name, count in counts.items():
        if count > _MISFITS:
            yield f"{count - _MISFITS} more calls of {name} do not fit; `--json` lists all"


def _tell_wrong(reply: Reply, wrong: ScalpelError, as_json: bool) -> NoReturn:
    """Report the error of a reply, after its text."""
    if as_json:
        raise wrong
    words = reply.words(TYPED)
    if words.complete:
        complain(f"warning: {warning}" for warning in HEALED)
        _show(words)
        raise SystemExit(wrong.exit_status)
    complain(words.text.split("\n"))
    raise wrong


def _show(words: Words) -> None:
    """Print a text on standard output, on a terminal in color and with the pager.

    A pipe gets a patch unchanged, so that it can be applied, and a ``verbatim`` text, such as the content
    of a file.
    Control characters in all other text are made visible.
    """
    if words.aside:
        complain(words.text.splitlines())
        return
    text, diff, then = words.text, words.diff, words.then
    if not sys.stdout.isatty():
        said, more = (_plain(text) if words.verbatim else _printable(text)), _printable(then)
        _write(_joined(said, "" if words.brief else _plain(diff), more).encode("utf-8"))
        return

    if words.page and not OPENED:
        with suppress(ScalpelError):  # read the pager from git's configuration
            _opened(None)
    setting = OPENED[-1].setting if OPENED else lambda _: None
    if words.brief:
        diff = shortened(diff, text.count("\n") + then.count("\n") + 2)
    text, diff, then = map(_printable, (text, diff, then))
    shown = _joined(text, coloured(diff, setting), then)
    pager = pager_command(shown, setting) if words.page else ""
    if not pager or not OPENED or not OPENED[-1].page(shown, pager):
        _write(shown.encode("utf-8"))


def _joined(*parts: str) -> str:
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)


def _write(answer: bytes) -> None:
    """Write to standard output. An error is reported, but the command counts as done."""
    clear()
    try:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        complain([f"it is done, but the answer could not be written: {error}"])
        raise SystemExit(InputOutput.exit_status) from None


def complain(lines: Iterable[str]) -> None:
    """Print lines on standard error."""
    clear()
    sys.stderr.write("".join(f"{_printable(line)}\n" for line in lines))


def _printable(text: str) -> str:
    """Make control characters visible, which names, messages and file contents may contain."""
    return _STEERING.sub(lambda sign: ascii(sign[0])[1:-1], _plain(text))


def _plain(text: str) -> str:
    """Return the text in valid UTF-8, with marked names as on the command line."""
    return text if text.isascii() else answers.text_of(spelt(text, TYPED))


_BREAKS = re.compile("[\t\n\r]")


class QuotedNames:
    """Names with line breaks that the output of a call may contain.

    Args:
        repos: opened repositories, of which the last one counts.
        known: further names, such as those of new files, and words of the command line.
    """

    def __init__(self, repos: list[Repository], known: Iterable[str] = ()) -> None:
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
            text = text.replace(name, escaped(name))
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
                yield from self._repos[-1].view(branch).matching("*")


Setting = Callable[[str], "str | None"]
"""Function that returns the value of a key in git's configuration."""

_RESET, _BOLD = "\x1b[m", "\x1b[1m"
_LINES = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_NEVER = frozenset({"never", "false", "no", "off", "0"})
_BARE, _SMALLEST = 24, 10


def height() -> int:
    """Return the height of the terminal in lines."""
    try:
        return os.get_terminal_size().lines or _BARE
    except OSError:
        return _BARE


def coloured(diff: str, setting: Setting) -> str:
    """Return a unified diff in git's colors, if the user wants colors."""
    if not _wants_colour(setting):
        return diff
    found, inside = [], False
    for line in diff.split("\n"):
        inside = line.startswith("@@") or (inside and not line.startswith("diff --git "))
        colour = _LINES.get(line[:1], "") if inside else _BOLD
        found.append(f"{colour}{line}{_RESET}" if colour and line else line)
    return "\n".join(found)


def _wants_colour(setting: Setting) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    said = setting("color.scalpel") or setting("color.ui") or "auto"
    return said.lower() not in _NEVER


def shortened(diff: str, beside: int) -> str:
    """Return as much of a diff as fits on the screen next to ``beside`` lines."""
    lines, room = diff.splitlines(), max(_SMALLEST, height() - beside - 2)
    if len(lines) <= room:
        return diff
    left = len(lines) - room
    return "\n".join([*lines[:room], f"… {left} more line{'s' * (left > 1)}"])


def pager_command(text: str, setting: Setting) -> str:
    """Return the pager for a text, or "" if none is needed or wanted."""
    if text.count("\n") < height() or os.environ.get("GIT_PAGER_IN_USE"):
        return ""
    given = os.environ.get("GIT_PAGER"), setting("core.pager"), os.environ.get("PAGER"), "less"
    said = next(words for words in given if words is not None)
    return "" if said in ("", "cat") or os.environ.get("TERM") == "dumb" else said
