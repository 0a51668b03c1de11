"""Commits with patches, in mails and in the output of `git show` and `git log -p`, and their credits.

Mails are read by the rules of ``git mailinfo``. Without their headers the author of the commit would be the
user who lands it. Authors of GitHub review suggestions are credited in the commit message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec

_SEPARATOR = re.compile(rb"From \S+ .*\d:\d\d.*\d{4}")
_SUBJECT = re.compile(rb"^subject:", re.MULTILINE | re.IGNORECASE)
_HEADER = re.compile(rb"([A-Za-z][A-Za-z0-9-]*):[ \t]?(.*)\Z", re.DOTALL)
# Matches the line at which the message of a mail ends and its patch begins.
_BREAK = re.compile(rb"diff -|Index: |---(?: \S|\s*\Z)")
PATCH = re.compile(rb"^(?:diff -|Index: |@@ |--- [^\n]*\n\+\+\+ )", re.MULTILINE)
_BASE64 = re.compile(rb"(?i)content-transfer-encoding:[ \t]*base64")
_TAG = re.compile(r"(?:\s|:|\[[^\]]*\]|[Rr][Ee]:)*")
_WORD = re.compile(r"=\?([^?\s]+)\?([bBqQ])\?([^?\s]*)\?=")
_BETWEEN_WORDS = re.compile(r"(\?=)\s+(?==\?)")
_CRUD = "".join(map(chr, range(33))) + ".,:;<>\"\\'"  # characters that git strips from both ends of a name
_SECONDS = re.compile(r"-?\d{6,12}(?: [-+]\d{4})?\Z")
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)[ T](\d\d:\d\d:\d\d) ?(Z|[-+]\d\d:?\d\d)\Z")
_MONTHS = ["-", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_IN_BODY = (b"from", b"subject", b"date")
_ENCODED = (b"quoted-printable", b"base64")
_LONGEST_NAME = 60


class Mail(msgspec.Struct, frozen=True):
    """A mail with a patch."""

    message: str  # commit message: subject and text
    # ``Name <mail> SECONDS ZONE``, without the last two if the mail has no date. None if the mail has no
    # sender.
    author: str | None
    patch: bytes  # the bytes from the end of the message on, decoded from quoted-printable and base64
    has_separator: bool = False  # True if the line ``From ID DATE`` of an mbox precedes the mail

    @property
    def subject(self) -> str:
        return self.message.partition("\n")[0]

    def __str__(self) -> str:
        return f"{self.sender or 'nobody'}: {self.subject}"

    @property
    def sender(self) -> str | None:
        return self.author and self.author[: self.author.rindex(">") + 1]


def read_mails(raw: bytes) -> tuple[Mail, ...]:
    """Return the mails in ``raw`` that contain a patch; none if ``raw`` is not a series of mails.

    A mail begins at the top, at the separator of an mbox, or at mail headers below the patch of the mail
    before. A patch above the first mail counts as a mail without an author.
    """
    if not _SUBJECT.search(raw):
        return ()
    lines = raw.split(b"\n")
    starts = list(_iter_starts(lines))
    parsed = [_read_mail(lines[at:end]) for at, end in pairwise([*starts, len(lines)])]
    mails = tuple(mail for mail in parsed if mail is not None)
    above = b"\n".join(lines[: starts[0]]) if starts else b""
    if mails and PATCH.search(above):
        return (Mail("a patch without a mail", None, above), *mails)
    return mails


def join_credits(message: str | None, mails: Sequence[Mail]) -> tuple[str | None, str | None]:
    """Return the message and the author of one commit made of several mails.

    If there are several authors, the message has a trailer for each and the author is None.
    """
    senders = [*dict.fromkeys(mail.sender for mail in mails if mail.sender)]
    if len(senders) < 2:
        return message, senders[0] if senders else None
    trailers = "\n".join(f"Co-authored-by: {sender}" for sender in senders)
    return "\n\n".join([(message or "").rstrip("\n"), trailers]), None


def _iter_starts(lines: Sequence[bytes]) -> Iterator[int]:
    is_open, may_begin = False, True
    at = 0
    while at < len(lines):
        begin = at + (_SEPARATOR.match(lines[at]) is not None)
        end = _find_headers_end(lines, begin)
        headers = lines[begin:end]
        if headers and (may_begin or begin > at) and _has_mail_headers(headers, begin > at):
            yield at
            is_open, may_begin = True, any(_BASE64.match(line) for line in headers)
        elif _is_patch(lines, at):
            is_open = may_begin = True
        elif lines[at].strip():
            may_begin = may_begin and is_open
        at = max(end, at + 1)


def _is_patch(lines: Sequence[bytes], at: int) -> bool:
    """Return True if the line can only be part of a patch."""
    following = lines[at + 1] if at + 1 < len(lines) else b""
    return lines[at].startswith((b"diff -", b"@@ ")) or (
        lines[at].startswith(b"--- ") and following.startswith(b"+++ ")
    )


def _find_headers_end(lines: Sequence[bytes], at: int) -> int:
    """Return the index of the blank line below the headers at ``at``, or ``at`` without headers."""
    end = at
    while end < len(lines) and (_HEADER.match(lines[end]) or (end > at and lines[end][:1] in (b" ", b"\t"))):
        end += 1
    return end


def _has_mail_headers(headers: Sequence[bytes], has_separator: bool) -> bool:
    names = {header[1].lower() for line in headers if (header := _HEADER.match(line))}
    return b"subject" in names and (has_separator or b"from" in names)


def _read_mail(lines: Sequence[bytes]) -> Mail | None:
    """Read a mail, or return None if it contains no patch."""
    has_separator = _SEPARATOR.match(lines[0]) is not None
    begin = int(has_separator)
    end = _find_headers_end(lines, begin)
    headers = _read_headers(lines[begin:end])
    body, charset = _decode_body(lines[begin:], lines[end:], headers)
    body_headers, text, patch = _split_body(body)
    patch_start = PATCH.search(patch)
    if patch_start is None:
        return None
    patch = patch[patch_start.start() :]  # above are notes, in which another diff may be quoted
    decoded = {name: _decode_header(value) for name, value in {**headers, **body_headers}.items()}
    title = " ".join(_TAG.sub("", decoded.get(b"subject", ""), count=1).split())
    if not title:
        return None
    message = strip_space(f"{title}\n\n{decode_text(text, charset)}")
    author = make_author(decoded.get(b"from", ""), decoded.get(b"date", ""))
    return Mail(message, author, patch, has_separator)


def _read_headers(lines: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return the unfolded headers by lower-case name; the first of a name counts."""
    headers: dict[bytes, bytes] = {}
    name = b""
    for line in lines:
        header = _HEADER.match(line.rstrip(b"\r"))
        if header and line[:1] not in (b" ", b"\t"):
            name = header[1].lower()
            name = b"" if name in headers else name
            headers[name] = header[2]
        elif name:
            headers[name] += b" " + line.strip()
    headers.pop(b"", None)
    return headers


def _decode_body(
    mail: Sequence[bytes], body: Sequence[bytes], headers: dict[bytes, bytes]
) -> tuple[bytes, str]:
    """Return the text of a mail without its transfer encoding, and its character set.

    ``mail`` are all lines, ``body`` those below the headers.
    """
    kind = headers.get(b"content-type", b"").lower()
    encoding = headers.get(b"content-transfer-encoding", b"").strip().lower()
    charset = re.search(rb"charset=\"?([\w.:-]+)", kind)
    name = charset[1].decode() if charset else "utf-8"
    if encoding not in _ENCODED and not kind.startswith(b"multipart/"):
        return b"\n".join(_iter_unwrapped(body, kind) if b"format=flowed" in kind else body), name
    from email import message_from_bytes

    parts = [part for part in message_from_bytes(b"\n".join(mail)).walk() if not part.is_multipart()]
    texts = [part for part in parts if part.get_content_maintype() == "text"]
    if texts:
        name = texts[0].get_content_charset() or name
    payloads = (part.get_payload(decode=True) for part in texts)
    return b"\n".join(text for text in payloads if isinstance(text, bytes)), name


def _iter_unwrapped(lines: Sequence[bytes], kind: bytes) -> Iterator[bytes]:
    """Yield the lines of a text without the line breaks and indents that mailers add (RFC 3676)."""
    drops_space = b"delsp=yes" in kind
    begun = b""
    for line in lines:
        text = line.removesuffix(b"\r")
        if text != b"-- ":
            text = text.removeprefix(b" ")
            if text.endswith(b" "):
                begun += text[:-1] if drops_space else text
                continue
        yield begun + text + line[len(line.removesuffix(b"\r")) :]
        begun = b""
    if begun:
        yield begun


def _split_body(body: bytes) -> tuple[dict[bytes, bytes], bytes, bytes]:
    """Return the headers at the top of a body, the text, and the patch."""
    lines = body.split(b"\n")
    begin = next((n for n, line in enumerate(lines) if line.strip()), len(lines))
    end = _find_headers_end(lines, begin)
    headers = {name: value for name, value in _read_headers(lines[begin:end]).items() if name in _IN_BODY}
    first = _HEADER.match(lines[begin]) if headers else None
    if first is None or first[1].lower() not in _IN_BODY:
        headers, end = {}, begin
    else:
        end = next((n for n in range(begin, end) if not _is_body_header(lines[n])), end)
        headers = _read_headers(lines[begin:end])
    stop = next((n for n in range(end, len(lines)) if _BREAK.match(lines[n])), len(lines))
    return headers, b"\n".join(lines[end:stop]), b"\n".join(lines[stop:])


def _is_body_header(line: bytes) -> bool:
    header = _HEADER.match(line)
    return line[:1] in (b" ", b"\t") or (header is not None and header[1].lower() in _IN_BODY)


def decode_text(text: bytes, charset: str) -> str:
    """Decode a text by its character set, or else as UTF-8 or Latin-1."""
    for name in (charset, "utf-8", "latin-1"):
        try:
            return text.decode(name)
        except (UnicodeDecodeError, LookupError):
            continue
    return text.decode("latin-1")


def _decode_header(value: bytes) -> str:
    """Return a header as text, with its encoded words (RFC 2047) decoded."""

    def decode_word(word: re.Match[str]) -> str:
        import base64
        import quopri

        raw = word[3].encode("ascii", "replace")
        data = base64.b64decode(raw + b"==") if word[2] in "bB" else quopri.decodestring(raw, header=True)
        return decode_text(data, word[1])

    return _WORD.sub(decode_word, _BETWEEN_WORDS.sub(r"\1", decode_text(value, "utf-8")))


def strip_space(text: str) -> str:
    """Return a message as ``git stripspace`` prints it, without the last line ending."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def make_author(sender: str, date: str) -> str | None:
    """Return a commit's author from a ``From:`` header as ``git mailinfo`` reads it, or None."""
    sender = re.sub(r"\\(.)", r"\1", re.sub(r'"((?:[^"\\]|\\.)*)"', r"\1", sender))
    match = re.search(r"[^\s<]*@[^\s>]*", sender) or re.search(r"(?<=<)[^\s<>]+(?=>)", sender)
    if match is None:
        return None
    address = match[0]
    around = sender[: match.start()].removesuffix("<"), sender[match.end() :].removeprefix(">")
    name = " ".join(" ".join(around).split())
    if name.startswith("(") and name.endswith(")"):
        name = name[1:-1]
    if not 1 <= len(name.encode()) <= _LONGEST_NAME or any(sign in name for sign in "@<>"):
        name = address
    name = re.sub(r"[<>\x00-\x1f]", "", name).strip(_CRUD)
    address = re.sub(r"[<>\x00-\x20]", "", address).strip(_CRUD)
    if not name or not address:
        return None
    when = _format_date(date)
    return f"{name} <{address}> {when}" if when else f"{name} <{address}>"


def _format_date(date: str) -> str:
    """Return a date as git writes it, or an empty text if it cannot be parsed."""
    if _SECONDS.match(date):
        return date if " " in date else f"{date} +0000"
    from email.utils import parsedate_to_datetime

    if iso := _ISO.match(date):
        year, month, day, time, zone = iso.groups()
        date = f"{day} {_MONTHS[int(month) % 13]} {year} {time} {zone.replace(':', '').replace('Z', '+0000')}"
    try:
        when = parsedate_to_datetime(date)
        return f"{int(when.timestamp())} {when.strftime('%z') or '+0000'}"
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


_COLOUR = re.compile(rb"\x1b\[[0-9;]*[mK]")
_COMMIT = re.compile(rb"commit [0-9a-f]{7,64}(?: |\Z)")
_AUTHOR = re.compile(rb"(?:Author: +|author )(.*)\Z")
_DATE = re.compile(rb"(?:AuthorDate|Date): +(.*)\Z")
_RAW = re.compile(rb"(.*>) (-?\d+ [-+]\d{4})\Z")  # author and date in one line, as in a commit object
_ONE_LINE = re.compile(rb"[0-9a-f]{7,64} (?:\([^()]*\) )?(.+)\Z")
_LONGEST_HEADER = 64
_INDENT = b"    "


def read_commits(raw: bytes) -> tuple[Mail, ...]:
    """Return the commits in ``raw`` that contain a patch; none if ``raw`` does not begin with a commit."""
    first = _strip_line(raw.lstrip().partition(b"\n")[0])
    if not _COMMIT.match(first) and not _ONE_LINE.match(first):
        return ()
    lines = raw.split(b"\n")
    starts = list(_iter_commit_starts(lines))
    if not starts or any(line.strip() for line in lines[: starts[0]]):
        return ()
    found = (_read_commit(lines[at:end]) for at, end in pairwise([*starts, len(lines)]))
    return tuple(commit for commit in found if PATCH.search(_COLOUR.sub(b"", commit.patch)))


def _strip_line(line: bytes) -> bytes:
    return _COLOUR.sub(b"", line).rstrip(b"\r")


def _iter_commit_starts(lines: Sequence[bytes]) -> Iterator[int]:
    for at, line in enumerate(lines):
        plain = _strip_line(line) if line[:1] in b"c\x1b0123456789abcdef" else b""
        if _COMMIT.match(plain):
            if any(_AUTHOR.match(_strip_line(each)) for each in lines[at + 1 : _find_header_end(lines, at)]):
                yield at
        elif _ONE_LINE.match(plain):
            below = [each for each in map(_strip_line, lines[at + 1 : at + 3]) if each]
            if below and below[0].startswith(b"diff -"):
                yield at


def _find_header_end(lines: Sequence[bytes], at: int) -> int:
    """Return the index of the blank line below the header that begins at a line."""
    most = min(len(lines), at + _LONGEST_HEADER)
    return next((n for n in range(at, most) if not _strip_line(lines[n]).strip()), most)


def _read_commit(lines: Sequence[bytes]) -> Mail:
    if not _COMMIT.match(_strip_line(lines[0])):
        title = _ONE_LINE.match(_strip_line(lines[0]))
        return Mail(decode_text(title[1], "utf-8") if title else "", None, b"\n".join(lines[1:]))
    end = _find_header_end(lines, 0)
    author, date = b"", b""
    for line in map(_strip_line, lines[1:end]):
        if not author and (match := _AUTHOR.match(line)):
            author = match[1]
        if not date and (match := _DATE.match(line)):
            date = match[1]
    if author_and_date := _RAW.match(author):
        author, date = author_and_date[1], author_and_date[2]
    stop = next((n for n in range(end, len(lines)) if not _is_message(lines[n])), len(lines))
    message = b"\n".join(_strip_line(line).removeprefix(_INDENT) for line in lines[end:stop])
    named = make_author(decode_text(author, "utf-8"), decode_text(date, "utf-8"))
    return Mail(strip_space(decode_text(message, "utf-8")), named, b"\n".join(lines[stop:]))


def _is_message(line: bytes) -> bool:
    return line.startswith(_INDENT) or not _strip_line(line).strip()


_CREDIT = "Co-authored-by: "
_SUGGESTS = re.compile(r"^\s*`{3,}suggestion\b", re.MULTILINE)
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})(?:\[bot\])?")


def credit_message(raw: bytes) -> str | None:
    """Return a message that credits all authors of suggestions, or None without review comments."""
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None
    comments = [each for each in (value if isinstance(value, list) else [value]) if _is_suggestion(each)]
    if not comments:
        return None
    title = f"Apply {'suggestions' if len(comments) > 1 else 'a suggestion'} from review"
    credited = dict.fromkeys(_iter_credits(comments))
    return "\n\n".join([title, *(["\n".join(credited)] if credited else [])])


def keep_credits(message: str, old_message: str | None) -> str:
    """Return a new message with the credits of the one that it replaces."""
    kept_credits = [
        line for line in (old_message or "").splitlines() if line.startswith(_CREDIT) and line not in message
    ]
    return "\n\n".join([message.rstrip("\n"), *(["\n".join(kept_credits)] if kept_credits else [])])


def add_credit(message: str, author: str) -> str:
    """Return a message with a trailer that credits an author in the form of a commit header."""
    credit = _CREDIT + author[: author.rindex(">") + 1]
    return message if credit in message else keep_credits(message, credit)


def _is_suggestion(comment: Any) -> bool:
    return (
        isinstance(comment, dict) and "path" in comment and bool(_SUGGESTS.search(str(comment.get("body"))))
    )


def _iter_credits(comments: Iterable[dict[str, Any]]) -> Iterator[str]:
    for comment in comments:
        user = comment.get("user")
        login, number = (user.get("login"), user.get("id")) if isinstance(user, dict) else (None, None)
        if isinstance(login, str) and isinstance(number, int) and _LOGIN.fullmatch(login):
            # The address by which GitHub knows whose commit it is, without telling the real one.
            yield f"{_CREDIT}{login} <{number}+{login}@users.noreply.github.com>"
