"""The mail that ``git format-patch`` writes around a patch: who made the change, and what they say of it."""

from __future__ import annotations

import re

import msgspec

from gitscalpel.regex import lazy

_HEADERS = lazy(
    rb"\A(?:From [0-9a-f]{40,64} [^\n]*\r?\n)?(?:[A-Za-z][A-Za-z-]*:[^\n]*\n(?:[ \t]+[^\n]*\n)*)+\r?\n"
)
_NEXT = lazy(rb"^From [0-9a-f]{40,64} ", re.MULTILINE)
_END = lazy(r"^(?:---[ \t]*|diff --git .*|--- .+)$", re.MULTILINE)
_TAG = lazy(r"\A(?:\s*\[[^\]]*\]|\s*[Rr][Ee]:)*\s*")


class Letter(msgspec.Struct, frozen=True):
    """What a mail says of its patch.

    Attributes:
        message: subject and text, as a commit has them.
        author: ``Name <mail> SECONDS ZONE``, without the last two if the mail has no date; None if it
            does not say.
    """

    message: str
    author: str | None


def read(raw: bytes) -> Letter | None:
    """The mail that ``raw`` is; None for anything else, and for several mails."""
    headers = _HEADERS.match(raw)
    if headers is None or _NEXT.search(raw, headers.end()):
        return None
    from email import message_from_bytes, policy

    mail = message_from_bytes(raw, policy=policy.default)
    subject = str(mail["Subject"] or "")
    text = raw[headers.end() :].decode("utf-8", "replace").replace("\r\n", "\n")
    end = _END.search(text)
    if not subject.strip() or end is None:
        return None
    sender, body = str(mail["From"] or ""), text[: end.start()].strip("\n")
    named = re.match(r"From: (.+)\n+", body)  # where somebody else sends it
    if named:
        sender, body = named[1], body[named.end() :]
    title = " ".join(_TAG.sub("", subject, count=1).split())
    message = "\n\n".join(part for part in (title, body.rstrip()) if part)
    return Letter(message, _author(sender, str(mail["Date"] or "")))


def _author(sender: str, date: str) -> str | None:
    from email.utils import parseaddr, parsedate_to_datetime

    name, address = parseaddr(sender)
    name = re.sub(r"[<>\x00-\x1f]", "", name).strip()
    if not name or not re.fullmatch(r"[^\s<>\x00-\x1f]+@[^\s<>\x00-\x1f]+", address):
        return None
    try:
        when = parsedate_to_datetime(date)
    except ValueError:
        return f"{name} <{address}>"
    return f"{name} <{address}> {int(when.timestamp())} {when.strftime('%z') or '+0000'}"
