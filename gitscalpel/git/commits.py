"""Commits: parsed, composed as git would write them, and listed, with their persons and messages.

A commit is composed here, without a process, only if git would certainly write the same bytes: see
``fmt_ident`` and ``strbuf_addstr_without_crud`` in git's ident.c, ``find_invalid_utf8`` in commit.c.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import DoesNotFit, Misconfigured
from gitscalpel.git.git_config import is_true
from gitscalpel.git.process import git_error
from gitscalpel.git.repository import Repository

INTERNAL_PERSON = "git-scalpel <> 0 +0000"  # author and committer of internal commits
_IDENTITY_UNKNOWN = ("tell me who you are", "ident name", "no email was given", "no name was given")


class Commit(msgspec.Struct, frozen=True):
    """A commit. Persons are in git's form, ``Name <mail> 1700000000 +0100``."""

    oid: Oid
    tree: Oid
    parents: tuple[Oid, ...]
    author: str
    committer: str
    message: str


def parse_commit(oid: Oid, content: bytes) -> Commit:
    head, _, message = content.partition(b"\n\n")
    lines = [line.decode("utf-8", "surrogateescape").partition(" ") for line in head.split(b"\n")]
    fields = {key: value for key, _, value in reversed(lines)}
    parents = tuple(Oid(value) for key, _, value in lines if key == "parent")
    text = message.decode("utf-8", "surrogateescape")
    return Commit(oid, Oid(fields["tree"]), parents, fields["author"], fields["committer"], text)


def serialize_commit(tree: Oid, parents: Sequence[Oid], message: str, person: str = INTERNAL_PERSON) -> bytes:
    """Return a commit object for a record, or for a tree that git needs as a commit."""
    lines = [
        f"tree {tree}",
        *(f"parent {parent}" for parent in parents),
        f"author {person}",
        f"committer {person}",
        "",
        message,
        "",
    ]
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def write_by_git(
    repo: Repository, tree: Oid, parents: Sequence[Oid], message: bytes, *, author: str | None, sign: bool
) -> Oid:
    """Write a commit with ``git commit-tree``.

    Raises ``identity_unknown``, or ``config_error`` if signing failed.
    """
    words = ("commit-tree", tree, *(part for parent in parents for part in ("-p", parent)), "-F", "-")
    env = {} if author is None else _make_author_environment(author)
    result = repo.git.run(*words, "-S" if sign else "--no-gpg-sign", stdin=message, env=env)
    if not result.status:
        return Oid(result.out.decode("ascii").strip())
    if any(known in result.err for known in _IDENTITY_UNKNOWN):
        raise unknown_identity_error(result.err)
    # Signers have various error messages, or none. Signing is the cause if the commit works without it.
    if sign and not repo.git.run(*words, "--no-gpg-sign", stdin=message, env=env).status:
        raise Misconfigured(
            "config_error",
            f"git could not sign the commit: {result.err or 'the signer printed no error'}",
            "check user.signingKey and gpg.program, or unset commit.gpgSign",
        )
    raise git_error("commit-tree", result.status, result.err)


def _make_author_environment(author: str) -> dict[str, str]:
    name, _, address_and_date = author.partition(" <")
    mail, _, date = address_and_date.partition("> ")
    return {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": mail,
        **({"GIT_AUTHOR_DATE": "@" + date} if date else {}),
    }


_CRUD = r"""\0-\x20.,:;<>"\\'"""
_NAME = rf"[^{_CRUD}](?:[^\0\n<>]*[^{_CRUD}])?"
_DATE = r"(?P<date>(?:0|[1-9]\d{0,9}) (?!-0000)[+-](?:0\d|1[0-4])[0-5]\d)"
_PERSON = re.compile(rf"(?P<who>{_NAME} <{_NAME}>)(?: {_DATE})?", re.ASCII)
# A date as git itself writes it. Git reads fewer digits or other forms differently.
_GIVEN_DATE = re.compile(r"@?(?P<date>[1-9]\d{8,9} [+-]\d{4})", re.ASCII)

Role = Literal["author", "committer"]


class Person(msgspec.Struct, frozen=True):
    """A person as ``Name <mail>``, with the date from the environment. None for the current time."""

    name: str
    date: str | None


def parse_person(text: str) -> Person | None:
    """Parse a person with or without a date. Return None if git would write it differently."""
    match = _PERSON.fullmatch(text)
    return Person(match["who"], match["date"]) if match else None


def find_person(role: Role, config: Mapping[str, str], environment: Mapping[str, str]) -> Person | None:
    """Return the author or committer. None if only git can determine it."""
    upper = f"GIT_{role.upper()}_"

    def find_part(part: str) -> str | None:
        variable = environment.get(f"{upper}{part.upper()}")
        return config.get(f"{role}.{part}") or config.get(f"user.{part}") if variable is None else variable

    name, mail = find_part("name"), find_part("email")
    date_text = environment.get(f"{upper}DATE")
    date = _GIVEN_DATE.fullmatch(date_text) if date_text else None
    if not name or not mail or (date_text and not date):
        return None
    return parse_person(f"{name} <{mail}>" + (f" {date['date']}" if date else ""))


def unknown_identity_error(words: str) -> Misconfigured:
    last = words.splitlines()[-1] if words else "no name or mail address"
    return Misconfigured(
        "identity_unknown",
        f"git does not know who you are: {last.removeprefix('fatal: ')}",
        "run `git config --global user.name NAME` and `git config --global user.email MAIL`",
    )


def find_identity(repo: Repository) -> str:
    """Return the committer as ``Name <mail>``. Raises ``Misconfigured``: ``identity_unknown``."""
    person = find_person("committer", repo.config, repo.environment)
    if person is not None:
        return person.name
    result = repo.git.run("var", "GIT_COMMITTER_IDENT")
    if result.status:
        raise unknown_identity_error(result.err)
    return result.out.decode("utf-8", "surrogateescape").rsplit(">", 1)[0] + ">"


_PLACES = frozenset({"EMAIL", "HOME", "XDG_CONFIG_HOME"})

_Stamp = tuple[object, ...]


class CommitSettings(msgspec.Struct, frozen=True):
    """Settings for commits. A person is None if git cannot determine one."""

    signing: bool
    author: Person | None
    committer: Person | None


class FixedSettings:
    """Commit settings from the time the repository was opened, for a short-lived process."""

    def __init__(self, repo: Repository) -> None:
        self._repo = repo

    def now(self) -> CommitSettings:
        config, environment = self._repo.config, self._repo.environment
        return CommitSettings(
            self._repo.flag("commit.gpgSign"),
            find_person("author", config, environment),
            find_person("committer", config, environment),
        )


# An outdated identity or key must not be used, and asking git for each commit would cost as much as
# ``git commit-tree``.
class LiveSettings:
    """Commit settings of a long-lived process, read again only if a configuration file has changed.

    Limit: an included file that does not exist yet is not watched until another file changes.
    """

    def __init__(self, repo: Repository) -> None:
        self._repo = repo
        self._origins: frozenset[Path] = frozenset()
        self._last_stamp: _Stamp | None = None
        self._settings = CommitSettings(False, None, None)

    def now(self) -> CommitSettings:
        """Return the current settings. Raises ``InputOutput`` if git cannot read its configuration."""
        stamp = self._read_stamp()
        while stamp != self._last_stamp:
            self._settings = self._read_settings()
            # They differ again if a file was found or has changed.
            self._last_stamp, stamp = stamp, self._read_stamp()
        return self._settings

    def _read_settings(self) -> CommitSettings:
        git = self._repo.git
        listed = os.fsdecode(git("config", "--list", "--show-origin", "-z")).split("\0")
        origins, pairs = listed[0::2], [pair.partition("\n") for pair in listed[1::2]]
        files = {origin.removeprefix("file:") for origin in origins if origin.startswith("file:")}
        self._origins = frozenset(git.directory / file for file in files)
        signing = [value for key, _, value in pairs if key == "commit.gpgsign"]
        return CommitSettings(
            bool(signing) and is_true(signing[-1]),
            self._read_person("GIT_AUTHOR_IDENT", "GIT_AUTHOR_DATE"),
            self._read_person("GIT_COMMITTER_IDENT", "GIT_COMMITTER_DATE"),
        )

    def _read_person(self, variable: str, date: str) -> Person | None:
        result = self._repo.git.run("var", variable)
        if result.status:
            return None
        name, _, when = result.out.decode("utf-8", "surrogateescape").strip("\n").rpartition("> ")
        return Person(name + ">", when if self._repo.environment.get(date) else None)

    def _read_stamp(self) -> _Stamp:
        caller = self._repo.environment
        home = Path(caller.get("HOME", "/"))
        usual = {
            Path("/etc/gitconfig"),
            home / ".gitconfig",
            Path(caller.get("XDG_CONFIG_HOME") or home / ".config") / "git/config",
            self._repo.common_dir / "config",
            self._repo.git_dir / "config.worktree",
            self._repo.git_dir / "HEAD",  # includeIf "onbranch:…"
        }
        env = [item for item in caller.items() if item[0].startswith("GIT_") or item[0] in _PLACES]
        return (*sorted(env), *((file, _stat_file(file)) for file in sorted(self._origins | usual)))


def _stat_file(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


_ENDS = "".join(f"{chr(plane | 0xFFFE)}{chr(plane | 0xFFFF)}" for plane in range(0, 0x110000, 0x10000))
_REFUSED = re.compile(f"[\0\ufdd0-\ufdef{_ENDS}]")


class CommitComposer:
    """Composes commit objects as git would, without starting git."""

    def __init__(self, settings: FixedSettings | LiveSettings) -> None:
        self._settings = settings

    def signs(self) -> bool:
        return self._settings.now().signing

    def commit(self, tree: Oid, parents: Sequence[Oid], message: bytes, author: str | None) -> bytes | None:
        """Return the commit object that git would write. None if git has to write it."""
        settings = self._settings.now()
        author_person, committer = _choose_author(settings, author), settings.committer
        if author_person is None or committer is None or len(set(parents)) != len(parents):
            return None
        now = _format_current_date()
        lines = [
            f"tree {tree}",
            *(f"parent {parent}" for parent in parents),
            f"author {author_person.name} {author_person.date or now}",
            f"committer {committer.name} {committer.date or now}",
        ]
        content = "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n\n" + message
        return content if _is_writable_text(content) else None


def _choose_author(settings: CommitSettings, author: str | None) -> Person | None:
    if author is None or settings.author is None:
        return settings.author
    person = parse_person(author)
    return person and msgspec.structs.replace(person, date=person.date or settings.author.date)


def _format_current_date() -> str:
    seconds = int(time.time())
    time.tzset()  # as git would: the zone may have changed since this process started
    offset = time.localtime(seconds).tm_gmtoff
    hours, minutes = divmod(abs(offset) // 60, 60)
    return f"{seconds} {'-' if offset < 0 else '+'}{hours:02}{minutes:02}"


def _is_writable_text(content: bytes) -> bool:
    if content.isascii():
        return b"\0" not in content
    try:
        return not _REFUSED.search(content.decode())
    except UnicodeDecodeError:
        return False


def find_new_commits(
    repo: Repository, tip: str, known: Sequence[str] = (), excluding: str = "--remotes"
) -> list[Oid]:
    """Return the commits reachable from ``tip``, but not from ``known`` or any ref of a kind, children first.

    ``excluding`` is ``--remotes`` or ``--branches``. A tag of another object has no commits.
    """
    if repo.git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{tip}^{{commit}}").status:
        return []
    words = ("rev-list", "--topo-order", f"{tip}^{{commit}}", "--not", excluding, *known)
    return [Oid(line) for line in repo.git(*words, "--").decode("ascii").split()]


def find_changing(repo: Repository, tip: Oid, path: str, limit: int) -> list[Oid]:
    """Return the latest commits on the first-parent line of ``tip`` that change a file, newest first."""
    words = ("--literal-pathspecs", "rev-list", "--first-parent", f"--max-count={limit}", tip, "--", path)
    return [Oid(line) for line in repo.git(*words).decode("ascii").split()]


_MESSAGE_FILE = "COMMIT_EDITMSG"
_AUTHOR_VARIABLES = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE")


def hook_environment(repo: Repository) -> dict[str, str]:
    """Return git's variables for a commit hook. Raises ``identity_unknown``."""
    author = repo.git.run("var", "GIT_AUTHOR_IDENT")
    if author.status:
        raise unknown_identity_error(author.err)
    programs = os.fsdecode(repo.git("--exec-path")).rstrip("\n")
    path = repo.environment.get("PATH", os.defpath)
    return {
        "GIT_DIR": str(repo.git_dir),
        "GIT_INDEX_FILE": str(repo.git_dir / "index"),
        "GIT_PREFIX": "",
        "GIT_EDITOR": ":",
        "GIT_EXEC_PATH": programs,
        "PATH": path if path.split(os.pathsep)[0] == programs else f"{programs}{os.pathsep}{path}",
        **_make_author_environment(os.fsdecode(author.out.strip(b"\n"))),
    }


def write_message(repo: Repository, message: str) -> Path:
    """Write a message to the file that ``git commit`` uses, and return the file."""
    file = repo.git_dir / _MESSAGE_FILE
    file.write_bytes(_encode_message(message))
    return file


def read_message(repo: Repository, message: str) -> str:
    """Return ``message`` after hooks may have edited it, cleaned up as git does."""
    content = (repo.git_dir / _MESSAGE_FILE).read_bytes()
    if content == _encode_message(message):
        return message
    return repo.git("stripspace", stdin=content).decode("utf-8", "replace")


def read_message_file(file: Path) -> str:
    """Return the text of a commit message file. Raises ``DoesNotFit``: ``file_not_found``."""
    try:
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except (FileNotFoundError, IsADirectoryError):
        raise DoesNotFit(
            "file_not_found", f"no commit message in {file}", "give the path of the message file"
        ) from None


def read_commit_message(repo: Repository, revision: str) -> str | None:
    result = repo.git.run("show", "-s", "--format=%B", revision)
    return None if result.status else result.out.decode("utf-8", "surrogateescape")


def find_trailers(repo: Repository, message: str, name: str) -> list[str]:
    """Return the values of a trailer as git reads them: comments and text below the scissors do not count."""
    if f"{name}:".lower() not in message.lower():
        return []
    output = repo.git("interpret-trailers", "--parse", "--no-divider", stdin=_encode_message(message))
    rows = (row.partition(":") for row in output.decode("utf-8", "surrogateescape").splitlines())
    return [value.strip() for key, _, value in rows if key.lower() == name.lower()]


def add_trailer(repo: Repository, file: Path, line: str) -> None:
    """Add a trailer to the end of a message file, above the comments."""
    options = ("--where", "end", "--if-exists", "addIfDifferent", "--if-missing", "add")
    message = repo.git(
        "interpret-trailers", "--no-divider", *options, "--trailer", line, stdin=file.read_bytes()
    )
    file.write_bytes(message)


def is_amending(repo: Repository, head: str) -> bool:
    """Return True if the new commit keeps author and date of ``head``, and so replaces it.

    Git tells its hooks only the author of the new commit.
    """
    author_variables = {
        name: repo.environment[name] for name in _AUTHOR_VARIABLES if name in repo.environment
    }
    current = repo.git.run("var", "GIT_AUTHOR_IDENT", env=author_variables)
    original = repo.git.run("show", "-s", "--format=%an <%ae> %ad", "--date=raw", head)
    return (
        len(author_variables) == len(_AUTHOR_VARIABLES)
        and not current.status
        and current.out.strip() == original.out.strip()
    )


def _encode_message(message: str) -> bytes:
    return (message.rstrip("\n") + "\n").encode("utf-8", "surrogateescape")
