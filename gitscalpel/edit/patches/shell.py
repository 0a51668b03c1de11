"""Takes patches out of the commands in which agents send them: here-documents and lists of arguments.

Nothing is run. A command is understood only if it does nothing but apply a patch, in a folder that it
may change to; whatever else it would do is refused, since it would not happen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from gitscalpel.edit.patches.refusals import failed
from gitscalpel.errors import DoesNotFit

_TOOLS = ("apply_patch", "applypatch")
_SHELLS = ("bash", "sh", "zsh", "dash", "powershell", "pwsh", "cmd")
_APPLIES = re.compile(rb"\b(?:apply_patch|applypatch|git[ \t]+apply|patch[ \t]+-)")
_COMMAND = re.compile(
    rb"""[ \t]*(?:\$[ ])?
    (?:cd[ \t]+(?P<folder>'[^'\n]*'|"[^"$`\\\n]*"|[^\s;&|<>'"$`~*?\\-][^\s;&|<>'"$`*?\\]*)[ \t]*&&[ \t]*)?
    (?:apply_patch|applypatch|patch[ \t]+-p1
      |git[ \t]+apply(?:[ \t]+(?:-|-p1|-v|--verbose|--index|-3|--3way|--recount|--whitespace=[\w-]+))*)
    [ \t]*<<-?[ \t]*(?P<quote>['"]?)(?P<word>\w+)(?P=quote)[ \t]*\r?\Z""",
    re.VERBOSE,
)
_LEAVES = re.compile(rb"[ \t]*(?:cd|pushd)[ \t]")
_QUIET = re.compile(rb"\s*(?:[`~]{3,}.*)?\Z")


class Document(NamedTuple):
    """The text of a here-document, the folder that its command means, and what stands around it."""

    text: bytes
    folder: str
    around: bytes


def document(raw: bytes, sign: int) -> Document:
    """The here-document whose text holds the offset ``sign``; without one all of ``raw``.

    Raises:
        DoesNotFit: ``patch_failed``, if its command does more than to apply it.
    """
    above = raw[:sign].split(b"\n")[:-1]
    at = next(
        (n for n in reversed(range(len(above))) if b"<<" in above[n] and _APPLIES.search(above[n])), None
    )
    if at is None:
        return Document(raw, "", b"")
    command = _COMMAND.match(above[at])
    if command is None or (at and _LEAVES.match(above[at - 1])):
        raise _unknown(above[at])
    lines = raw.split(b"\n")
    end = next((n for n in range(at + 1, len(lines)) if lines[n].strip(b"\t\r") == command["word"]), None)
    if end is None or (end + 1 < len(lines) and not _QUIET.match(lines[end + 1])):
        raise _unknown(above[at])
    folder = (command["folder"] or b"").strip(b"'\"").decode("utf-8", "surrogateescape")
    around = b"\n".join([*lines[:at], *lines[end + 1 :]])
    return Document(b"\n".join(lines[at + 1 : end]) + b"\n", folder, around)


def script(arguments: Sequence[str]) -> str:
    """The patch, or the command with a patch, that a list of arguments is about.

    Raises:
        DoesNotFit: ``patch_failed``, if it is about something else.
    """
    name = re.split(r"[/\\]", arguments[0])[-1].lower().removesuffix(".exe") if arguments else ""
    if name in _TOOLS and len(arguments) == 2:
        return arguments[1]
    flags, last = arguments[1:-1], arguments[-1:]
    if name in _SHELLS and last and flags and all(flag[:1] in ("-", "/") for flag in flags):
        return last[0]
    raise _unknown(" ".join(arguments).encode("utf-8", "surrogateescape"))


def _unknown(command: bytes) -> DoesNotFit:
    said = command.strip()[:80].decode("utf-8", "replace")
    return failed(
        f"this command does not only apply a patch: {said}",
        "send the patch by itself, or as apply_patch <<'EOF' with nothing before but cd FOLDER &&",
    )
