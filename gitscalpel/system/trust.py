"""Trust in programs that a repository names, and seals of records that this user wrote.

A foreign repository starts nothing until its user trusts it, and its records may name any file. So trust, and
the secret with which our records are sealed (BLAKE2b, RFC 7693), are in the user's own state directory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path

import msgspec

from gitscalpel.errors import Damaged, NotAllowed, ScalpelError
from gitscalpel.errors.messages import call
from gitscalpel.system import private_files, repo_lock, serialization

VARIABLE = "SCALPEL_TRUST"


class Program(msgspec.Struct, frozen=True):
    """A program that a repository makes git or gitscalpel start, and the setting or hook that names it."""

    where: str
    what: str

    @property
    def digest(self) -> str:
        return _digest(self.where, self.what)


class _Record(msgspec.Struct, frozen=True):
    place: str
    programs: frozenset[str]


def find_untrusted(
    place: Path, programs: Iterable[Program], environment: Mapping[str, str]
) -> tuple[Program, ...]:
    """Return those of ``programs`` that the user has not trusted for the repository at ``place``."""
    all_programs = tuple(programs)
    if not all_programs or environment.get(VARIABLE) == "1":
        return ()
    trusted = _read_record(_record_file(place, environment))
    return tuple(program for program in all_programs if program.digest not in trusted)


def record_trust(place: Path, programs: Iterable[Program], environment: Mapping[str, str]) -> None:
    """Trust exactly ``programs`` for the repository at ``place``."""
    file = _record_file(place, environment)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    content = _Record(serialization.encode_path(place), frozenset(p.digest for p in programs))
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    temporary.write_bytes(msgspec.json.encode(content, order="deterministic"))
    temporary.rename(file)


def untrusted_error(programs: Sequence[Program], onto: str | None = None) -> NotAllowed:
    """Return the error for untrusted ``programs``. ``onto`` is their branch if it is not checked out."""
    shown = [msgspec.structs.replace(program, what=redact(program.what)) for program in programs]
    named = "; ".join(f"{program.where} ({program.what})" for program in shown[:5])
    return NotAllowed(
        "untrusted",
        f"this repository would start programs that you have not trusted: {named}",
        f"review them, then run `{call('trust', onto=onto)}` (SCALPEL_TRUST=1 in CI)",
        programs=[msgspec.structs.asdict(program) for program in shown],
    )


def _read_record(file: Path) -> frozenset[str]:
    try:
        return serialization.decode(file.read_bytes(), _Record).programs
    except (OSError, msgspec.MsgspecError):
        return frozenset()


def _record_file(place: Path, environment: Mapping[str, str]) -> Path:
    return (
        private_files.user_state_folder(environment)
        / "trust"
        / _digest(serialization.encode_path(place.resolve()))
    )


def _digest(*words: str) -> str:
    joined = b"\0".join(word.encode("utf-8", "surrogateescape") for word in words)
    return blake2b(joined, digest_size=16).hexdigest()


_MAGIC = b"git-scalpel sealed 1 "
_SIZE = 32
_HEAD = len(_MAGIC) + 2 * _SIZE + 1


def seal_content(folder: Path, about: str, content: bytes) -> bytes:
    """Return ``content`` with a seal, valid for our directory ``folder`` in a git directory.

    A record opens only under the subject ``about`` with which it was sealed.
    """
    body = _describe_location(folder) + b"\n" + content
    return _MAGIC + make_mark(about, body).encode("ascii") + b"\n" + body


def open_sealed(folder: Path, about: str, record: bytes) -> bytes | None:
    """Return the content that this user sealed as ``about`` for this directory, or None.

    The directory may have been moved since, which keeps its inode, or restored to its old path.
    """
    place, _, content = record[_HEAD:].partition(b"\n")
    return content if is_mine(about, record) and _is_same_location(place, folder) else None


def write_sealed(file: Path, folder: Path, about: str, content: bytes, through: Path | None = None) -> None:
    """Write a file sealed as by :func:`seal_content` in one step, without a sync.

    ``through`` is the path of the temporary file, by default next to ``file``.
    """
    new = through or file.with_name(f"{file.name}.new")
    private_files.write(new, seal_content(folder, about, content))
    new.rename(file)


def read_sealed(file: Path, folder: Path, about: str) -> bytes | None:
    """Return the content of a sealed file. None if this user did not write it here, or it cannot be read."""
    with suppress(OSError, Damaged):
        return open_sealed(folder, about, private_files.read(file))
    return None


def is_mine(about: str, record: bytes) -> bool:
    """Return True if this user sealed a record, for any directory: a repository may be copied as a whole."""
    mac, body = record[len(_MAGIC) : _HEAD - 1], record[_HEAD:]
    return record.startswith(_MAGIC) and compare_digest(mac, make_mark(about, body).encode("ascii"))


def is_marked(about: str, content: bytes, mark: str) -> bool:
    """Return True if this user made the mark ``mark``."""
    return compare_digest(make_mark(about, content).encode("ascii"), mark.encode("utf-8", "replace"))


def strip_seal(record: bytes) -> bytes:
    return record[_HEAD:].partition(b"\n")[2] if record.startswith(_MAGIC) else record


def has_secret() -> bool:
    """Return True if this user's secret is in the state directory. Recovery after a kill needs it."""
    return load_secret(private_files.user_state_folder(os.environ)) is not None


def is_persistent() -> bool:
    """Return True if later calls can verify what this one seals, as the secret outlives the process."""
    return has_secret() or load_secret(_temporary_folder()) is not None


def make_mark(about: str, content: bytes) -> str:
    """Return a seal alone, for content that git stores and others may see. It is valid in every copy."""
    # The length separates the subject, so that no byte can move to the content.
    subject = about.encode("utf-8", "surrogateescape")
    return blake2b(
        b"%d %s" % (len(subject), subject) + content, key=_get_secret(), digest_size=_SIZE
    ).hexdigest()


def _describe_location(folder: Path) -> bytes:
    return b"%d %s" % (folder.stat().st_ino, os.fsencode(os.path.realpath(folder)).replace(b"\n", b"?"))


def _is_same_location(place: bytes, folder: Path) -> bool:
    inode, _, path = place.partition(b" ")
    # The inode is checked first, since resolving a path reads each directory.
    return inode == b"%d" % folder.stat().st_ino or path == _describe_location(folder).partition(b" ")[2]


def _get_secret() -> bytes:
    """Return the user's secret, made if needed: in the state directory, a temporary one, or in memory."""
    return (
        load_secret(private_files.user_state_folder(os.environ))
        or load_secret(_temporary_folder())
        or _process_secret()
    )


@cache
def _temporary_folder() -> Path:
    import tempfile

    return Path(tempfile.gettempdir()) / f"git-scalpel-{os.geteuid()}"


@cache
def load_secret(folder: Path) -> bytes | None:
    """Return the secret in a directory, made if needed. None if it cannot be kept private there."""
    with suppress(OSError, ScalpelError):
        return _read_secret(folder / "secret") or _make_secret(folder)
    return None


def _read_secret(file: Path) -> bytes | None:
    try:
        fd = private_files.open_private(file, os.O_RDONLY)
    except FileNotFoundError:
        return None
    with os.fdopen(fd, "rb") as content:
        status = os.fstat(fd)
        secret = content.read()
    return (
        secret
        if _is_owned_privately(status) and not status.st_mode & 0o077 and len(secret) == _SIZE
        else None
    )


def _is_owned_privately(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _make_secret(folder: Path) -> bytes | None:
    parent = next(each for each in folder.parents if each.is_dir())
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not private_files.is_folder(folder) or not _is_owned_privately(folder.lstat()):
        return None
    # Of several processes only one makes it.
    with repo_lock.hold_lock(folder, name="secret.lock"):
        secret = _read_secret(folder / "secret")
        if secret is None:
            new = folder / "secret.new"
            private_files.write(new, os.urandom(_SIZE), mode=0o600, durable=True)
            new.rename(folder / "secret")
            # Seals made from now on must open after a power cut as well.
            with suppress(OSError):  # an unreadable directory cannot be synced
                for each in (folder, *(each for each in folder.parents if parent in (each, *each.parents))):
                    private_files.sync_path(each)
            secret = _read_secret(folder / "secret")
    return secret


@cache
def _process_secret() -> bytes:
    return os.urandom(_SIZE)


_HIDDEN = "***"
# Matches a URL from the end of its scheme on. JSON may escape its slashes.
_ADDRESS = re.compile(r"\w:\\?/\\?/[^\s\"<>]+")
# Matches a user up to the last ``@`` of the host, or up to one after an unencoded password.
_USER = re.compile(r"(\w:\\?/\\?/)(?:[^/?#\\]*@|[^/?#\\@]*:(?!\d*[/?#\\])[^@]*@)")
_PARAMETER = re.compile(
    r"([?&;#][\w.%~-]*(?:token|secret|passw|pwd|auth|key|sig|cred|jwt)[\w.%~-]*=)[^&;#\s'\"]+", re.IGNORECASE
)
_ENCODED = re.compile(r"(%3a%2f%2f)(?:(?!%2f)[^\s/'\"])*?%40", re.IGNORECASE)
_WITHOUT_SCHEME = re.compile(r"(?<![\w@.:/-])[\w.+%~-]+:[^\s/@'\"]+@(?=[\w.-]+[:/])")
_HEADER = re.compile(
    r"\b((?:proxy-)?authorization|(?:private|job|deploy|api|auth)[-_]token|x-api-key|set-cookie|cookie)"
    r"(\\?['\"]?\s*:\s*)[^'\"\r\n]+",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\b(?:gh[pousr]_|github_pat_|gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-)[\w-]{16,}")


def redact(text: str) -> str:
    """Return ``text`` without users, passwords and tokens. A URL keeps its scheme, host and path."""
    if "/" in text or "@" in text or "%40" in text:
        text = _ADDRESS.sub(lambda match: _PARAMETER.sub(rf"\1{_HIDDEN}", _USER.sub(r"\1", match[0])), text)
        text = _WITHOUT_SCHEME.sub("", _ENCODED.sub(r"\1", text))
    return _TOKEN.sub(_HIDDEN, _HEADER.sub(rf"\1\2{_HIDDEN}", text))
