"""Targets and options as they are typed on the command line.

Parse a TARGET (``PATH``, ``PATH::SYMBOL`` or ``PATH:LINES``), and suggest a correction for a wrong one.

Messages mark the names of fields and calls, so no other module needs both vocabularies.
"""

from __future__ import annotations

import os
import posixpath
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from gitscalpel.api import Action, NotAllowed, ScalpelError, Spelling, View
from gitscalpel.errors.messages import call, field_by_name

if TYPE_CHECKING:
    from gitscalpel.api.open_repository import OpenRepository
    from gitscalpel.commands.reply import Caller


_WORDS = {
    "path": "PATH",
    "symbol": "PATH::SYMBOL",
    "start": "PATH:LINES",
    "end": "the end of PATH:LINES",
    "to": "TO",
    "to_path": "PATH",
    "position": "--before, --after, --first or --last",
    "occurrences": "--occurrence",
    "content_b64": "--content-file",
    "node": "--node",
    "expect": "--expect",
    "companions": "--with",
    "topic": "TOPIC",
}
"""Spelling of fields that are not options of the same name."""
_FLAGS = frozenset({"overwrite", "safe", "all", "regex", "verbatim", "relocate", "rename"})


_POSITIONAL = frozenset({"tx", "id", "ids", "what", "subject", "topic"})
"""Fields that are positional arguments."""


def format_command(action: Action, prefix: str = "") -> str:
    """Write a call as a command line; ``prefix`` is the directory of the caller, see :func:`spelling_for`."""
    given = dict(action.arguments)
    if action.verb == "open":  # a call for another repository
        return f"git -C {quote(str(given['path']))} scalpel …"
    words = ["git scalpel", action.verb]
    for name, value in action.arguments:
        if name == "path":
            suffix = f"::{given['symbol']}" if "symbol" in given else ""
            suffix += f":{given['start']}" if "start" in given else ""
            words.append(quote(relative_path(str(value), prefix) + suffix))
        elif name in ("symbol", "start") and "path" in given:
            continue
        elif name in _POSITIONAL or (name == "to" and action.verb == "rename"):
            words.append(quote(str(value)))
        elif name == "command":
            words += ["--", str(value)]
        else:
            words.append(format_option(name, "" if value is True else str(value)))
    return " ".join(words)


def format_option(name: str, value: str) -> str:
    """Write a field and its value as a command-line option."""
    if not value or name in _FLAGS:
        return _WORDS.get(name, f"--{name.replace('_', '-')}")
    if name == "start":
        return f"PATH:{value}"
    if name == "position":
        return f"--{value}"
    if name == "occurrences":
        return " ".join(f"--occurrence {index}" for index in value.strip("[]").split(", "))
    if name == "companions":
        return " ".join(f"--with {quote(each)}" for each in value.split(", "))
    return f"--{name.replace('_', '-')} {quote(value)}"


def quote(word: str) -> str:
    """Quote a word for a shell, on one line."""
    if min(word, default=" ") >= " " and "\x7f" not in word:
        return shlex.quote(word)
    return "$'" + "".join(map(_escape_character, word)) + "'"


def _escape_character(sign: str) -> str:
    if sign < " " or sign == "\x7f":
        return f"\\x{ord(sign):02x}"
    return f"\\{sign}" if sign in "\\'" else sign


SHELL_SPELLING = Spelling(format_option, format_command, quote)


def spelling_for(command: str, prefix: str = "") -> Spelling:
    """Return the spelling for callers of ``command``. Callers of ``apply`` write fields, not options.

    Args:
        command: the called command.
        prefix: directory of the caller, ``""`` or ``"sub/dir/"``. Paths in changesets do not depend on it.
    """
    if command == "apply":
        return msgspec.structs.replace(SHELL_SPELLING, field=field_by_name)
    field = _format_name_option if command in ("rename", "refs") else format_option
    return Spelling(
        field,
        partial(format_command, prefix=prefix),
        lambda from_root: quote(relative_path(from_root, prefix)),
    )


def _format_name_option(name: str, value: str) -> str:
    """Write a field of a command whose target names a symbol by line and name."""
    line = {"start": "PATH:LINE:NAME", "name": "NAME"}
    return line[name] if name in line and not value else format_option(name, value)


def relative_path(from_root: str, prefix: str) -> str:
    """Return a path relative to the directory of the caller."""
    return posixpath.relpath(from_root, prefix or ".")


_LINES = re.compile(r"(?P<path>.+?):(?P<lines>-?[0-9][^:/]*(?::\w*)?(?:-[0-9]+(?::[^:@/]*)?)?(?:@[^:/]*)?)\Z")

_NAME_TARGET = re.compile(r"(?P<path>.+?):(?P<line>[0-9]+):(?P<name>[^:]+)\Z")


def parse_lines(where: str) -> str | None:
    """Return the line range in a target, or None."""
    found = None if "::" in where else _LINES.match(where)
    return found["lines"] if found else None


def parse_target(where: str, repo: OpenRepository) -> dict[str, Any]:
    """Return the address fields of a request for a target."""
    path, double, symbol = where.partition("::")
    found = None if double else _LINES.match(where)
    if found:
        path = found["path"]
    address = {"symbol": symbol} if double else {"start": found["lines"]} if found else {}
    return {"path": _file_path(path, repo), **address}


def parse_name_target(where: str, repo: OpenRepository) -> dict[str, Any]:
    """Return the address fields of a request about a name."""
    path, double, symbol = where.partition("::")
    found = None if double else _NAME_TARGET.match(where)
    if found:
        return {"path": _file_path(found["path"], repo), "start": int(found["line"]), "name": found["name"]}
    return {"path": _file_path(path, repo), **({"symbol": symbol} if double else {})}


@contextmanager
def explain_errors(where: str | None, caller: Caller, view: Callable[[], View]) -> Iterator[None]:
    """Add a suggestion from the files of ``view`` to an error about the target."""
    try:
        yield
    except ScalpelError as error:
        if where is None:
            raise
        raise _explain(error, where, caller, view) from error


def _explain(error: ScalpelError, where: str, caller: Caller, view: Callable[[], View]) -> ScalpelError:

    with suppress(ScalpelError, KeyError, OSError):  # report the error itself in any case
        return suggest_target(error, where, view(), caller.repo.prefix)
    return error


def _file_path(path: str, repo: OpenRepository) -> str:
    """Return the path from the root, or "." for the root itself, so that an error can name it."""
    return path_from_root(path, repo) or (path and ".")


def path_from_root(path: str, repo: OpenRepository) -> str:
    """Return a path of the command line relative to the repository's root, with its trailing slash."""
    plain = _normalise(path, repo)
    return f"{plain}/" if plain and path.endswith(("/", "/.")) and plain != path else plain


def _normalise(path: str, repo: OpenRepository) -> str:
    if repo.here is not None and path.startswith("/"):
        inside = os.path.relpath(Path(path).parent.resolve() / Path(path).name, repo.here.resolve())
        if inside == ".." or inside.startswith("../"):
            raise NotAllowed.outside(path)
        return inside.replace(os.sep, "/")
    joined = repo.prefix + path
    # A ".." after a symlink is resolved later, against the tree. Here the path is only normalised.
    plain = posixpath.normpath(joined) if path not in ("", ".") else repo.prefix.rstrip("/")
    return "" if plain == "." else plain


_SEPARATORS = re.compile(r"::|->|[:#/]+")
"""Separators of names in other notations."""
_LIKELY_LINES = re.compile(r"[Ll]?(\d+)(?:-[Ll]?(\d+))?")
"""Line numbers after a file name in other notations."""


def suggest_target(error: ScalpelError, where: str, view: View, prefix: str) -> ScalpelError:
    """Return the error with the likely target in its hint.

    Args:
        error: error about the target.
        where: target as typed.
        view: files that were searched.
        prefix: directory of the caller, ``""`` or ``"sub/dir/"``.
    """
    if error.data.get("left_out"):
        return error
    if error.code == "file_not_found" and ":" in where and _is_file(view, prefix + where):
        words = f"a file is called {where}, which reads as a place in another: name it as path in a changeset"
        return error.but(hint=f"{words}, for {call('apply')}")
    return _add_suggestion(error, where, view, prefix)


def _add_suggestion(error: ScalpelError, where: str, view: View, prefix: str) -> ScalpelError:
    path, double, symbol = where.partition("::")
    if double and error.code in ("symbol_not_found", "invalid_args"):
        found = _find_symbol(view, prefix + path, symbol)
    elif error.code in ("file_not_found", "not_a_file") or (error.data.get("where", "") is None):
        known = _is_file(view, prefix + path)
        found = (
            []
            if known
            else list(_split_notation(view, prefix, where))
            or _find_by_name(view, prefix + path, path, symbol)
        )
    else:
        return error
    typed = [_relative_target(each, prefix) for each in found]
    if not found or typed == [where]:
        return error
    hint = f"did you mean {' or '.join(typed)}?"
    if "::" in found[0]:
        hint = "a definition is named by PATH::SYMBOL; " + hint
    if len(found) > 1:
        return error.but(hint=hint)
    path, double, symbol = found[0].partition("::")
    if not double and not _is_file(view, path):  # a line range
        return error.but(hint=hint)
    return error.but(hint=hint, retry={"path": path, **({"symbol": symbol} if double else {})})


def _relative_target(where: str, prefix: str) -> str:
    """Return a target relative to the directory of the caller."""
    path, double, symbol = where.partition("::")
    return relative_path(path, prefix) + double + symbol


def _split_notation(view: View, prefix: str, where: str) -> Iterator[str]:
    """Yield targets for ``app.py:f``, ``app.py#A.f``, ``app.py/A/f`` and ``app.py.f``."""
    for between in re.finditer(r"[:#/.]+", where):
        path, symbol = prefix + where[: between.start()], where[between.end() :]
        if path != prefix and symbol and _is_file(view, path):
            lines = _LIKELY_LINES.fullmatch(symbol)
            if lines:
                yield f"{path}:{lines[1]}" + (f"-{lines[2]}" if lines[2] else "")
                return
            yield from _find_symbol(view, path, symbol) or [f"{path}::{_to_dotted(symbol)}"]
            return


def _find_symbol(view: View, path: str, symbol: str) -> list[str]:
    """Return the target of a symbol, as the file spells its name."""
    try:
        shown = view.show(path, symbol=_to_dotted(symbol))
    except ScalpelError:
        return []
    return [f"{path}::{shown.symbol.qualname}"] if shown.symbol else []


def _find_by_name(view: View, whole: str, path: str, symbol: str) -> list[str]:
    """Return files of that name elsewhere, or definitions if the target names no file."""
    files = [each + (f"::{symbol}" if symbol else "") for each in view.namesakes(whole) if each != whole]
    if files:
        return files
    name = _to_dotted(f"{path}.{symbol}" if symbol else path)
    below = [view.places(_to_dotted(symbol), whole)] if symbol else []
    return next(filter(None, [*below, view.places(name)]), [])


def _to_dotted(symbol: str) -> str:
    return _SEPARATORS.sub(".", symbol.removesuffix("()")).strip(".")


def _is_file(view: View, path: str) -> bool:
    try:
        view.read(path)
    except ScalpelError:
        return False
    return True
