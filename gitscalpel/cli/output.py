"""Writes answers: one JSON object, or text for people."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NoReturn

import msgspec

from gitscalpel.api import InputOutput, Repository, ScalpelError
from gitscalpel.changesets import answers
from gitscalpel.cli import progress, spelling
from gitscalpel.cli.parser import Given
from gitscalpel.cli.spelling import TYPED
from gitscalpel.errors.messages import Spelling, spell_all, spelt
from gitscalpel.verbs.reply import Caller, Reply, Typed, Words

HEALED: list[str] = []
"""What killed commands had left, and what became of it: the answer says so."""
_STEERING = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys instead of showing it, or what shows the signs around it in another order."""


_MISFIT = re.compile(": the call of (?P<name>[^ ]+) does not fit: ")
_MISFITS = 10
"""Calls of one definition that are printed one by one."""


OPENED: list[Repository] = []
"""The repository that this process answers for, at a terminal."""


def caller(given: Given, typed: Typed) -> Caller:
    """The caller, who stands in a repository; what takes a while is said on standard error.

    A terminal is shown what gates print while they run. ``typed`` is what a shell is offered.
    """
    agent = getattr(given, "agent", None)
    HEALED.clear()
    OPENED.clear()
    return Caller(lambda: _opened(agent), TYPED, None if given.json else _say, typed)


def _opened(agent: str | None) -> Repository:
    def tell(words: str) -> None:
        complain([words])
        progress.tell(words)

    show = tell if sys.stderr is not None and sys.stderr.isatty() else None
    repo = Repository(
        notify=tell, warn=HEALED.append, show=show, long_lived=False, agent=agent, spelling=TYPED
    )
    OPENED.append(repo)
    return repo


def prefix() -> str:
    """Where the caller stands, ``""`` or ``"sub/dir/"``; the root, where nobody has looked for one."""
    return OPENED[-1].prefix if OPENED else ""


def _say(text: str) -> None:
    _write(_printable(_joined(text)).encode("utf-8"))


def print_json(envelope: dict[str, Any], words: Spelling = TYPED) -> None:
    """One JSON object on standard output, in UTF-8 whatever the locale; ``words`` spells the marks."""
    _write(msgspec.json.encode(answers.clean(envelope, words)) + b"\n")


def reply(command: str, reply: Reply, as_json: bool) -> None:
    """Tell what a verb replies: as one JSON object, or in words, with warnings on standard error.

    Raises:
        ScalpelError: what is wrong for all that.
    """
    if reply.raw:
        _write(_plain(_joined(reply.words(TYPED).text)).encode("utf-8"))
        return
    if reply.wrong is not None:
        _tell_wrong(reply, reply.wrong, as_json)
    words = spelling.of(command, prefix())
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
    """Return what quotes names with line breaks in a text, if any of ``texts`` has a line break.

    ``names`` are names besides those of the tree.
    """
    if not any("\n" in text or "\t" in text for text in texts):
        return str
    from gitscalpel.cli.quoted_names import QuotedNames  # hardly a name needs it

    return QuotedNames(OPENED, names).quote


def _unchecked(answer: Any) -> Iterable[str]:
    return getattr(answer, "unchecked", None) or ()


def _paths(answer: Any) -> Iterator[str]:
    """Yield the paths of an answer: a new file is not in the tree yet."""
    for row in getattr(answer, "files", None) or ():
        yield from (row.path,) if hasattr(row, "path") else ()


def _quoted(quote: Callable[[str], str], answer: Any, words: Words) -> Words:
    """Return ``words`` with the names in what could not be checked quoted."""
    for said in _unchecked(answer):
        quoted = quote(said)
        if quoted != said:
            text, then = words.text.replace(said, quoted), words.then.replace(said, quoted)
            words = msgspec.structs.replace(words, text=text, then=then)
    return words


def _shortened(warnings: Iterable[str]) -> Iterable[str]:
    """Yield warnings, of the calls that do not fit a definition only the first ones and their number."""
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
    """What is wrong, after the words that stand beside it."""
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
    """Words on standard output; a terminal is shown them in colour, and what is long in the pager.

    Into a pipe a patch goes as it is, for whoever applies it, and so does a ``verbatim`` text, such as a
    file's own; all else that is said shows what would steer a terminal, wherever it is read in the end.
    """
    if words.aside:
        complain(words.text.splitlines())
        return
    text, diff, then = words.text, words.diff, words.then
    if not sys.stdout.isatty():
        said, more = (_plain(text) if words.verbatim else _printable(text)), _printable(then)
        _write(_joined(said, "" if words.brief else _plain(diff), more).encode("utf-8"))
        return
    from gitscalpel.cli import terminal

    if words.page and not OPENED:
        with suppress(ScalpelError):  # git's configuration says which pager
            _opened(None)
    setting = OPENED[-1].setting if OPENED else lambda _: None
    if words.brief:
        diff = terminal.shortened(diff, text.count("\n") + then.count("\n") + 2)
    text, diff, then = map(_printable, (text, diff, then))
    shown = _joined(text, terminal.coloured(diff, setting), then)
    pager = terminal.pager(shown, setting) if words.page else ""
    if not pager or not OPENED or not OPENED[-1].page(shown, pager):
        _write(shown.encode("utf-8"))


def _joined(*parts: str) -> str:
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)


def _write(answer: bytes) -> None:
    """Write to standard output; when that fails, what was asked for has been done all the same."""
    progress.clear()
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
    """Lines for people on standard error."""
    progress.clear()
    sys.stderr.write("".join(f"{_printable(line)}\n" for line in lines))


def _printable(text: str) -> str:
    """``text`` with what would steer a terminal (from names, messages and contents) made visible."""
    return _STEERING.sub(lambda sign: ascii(sign[0])[1:-1], _plain(text))


def _plain(text: str) -> str:
    """``text`` as UTF-8 can hold it, with what nobody has spelt before as it is typed."""
    return text if text.isascii() else answers.text_of(spelt(text, TYPED))
