"""Protocol between git commit and its hooks: the environment, and the message in a file of its own."""

from __future__ import annotations

import os
from pathlib import Path

from gitscalpel.errors import DoesNotFit
from gitscalpel.git.repository import Repository, unknown_identity

_MESSAGE = "COMMIT_EDITMSG"
_AUTHOR = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE")


def environment(repo: Repository) -> dict[str, str]:
    """The variables that a hook finds, beside those of the caller.

    Raises:
        Misconfigured: ``identity_unknown``.
    """
    author = repo.git.run("var", "GIT_AUTHOR_IDENT")
    if author.status:
        raise unknown_identity(author.err)
    name, _, rest = author.out.strip(b"\n").partition(b" <")
    mail, _, date = rest.partition(b"> ")
    programs = os.fsdecode(repo.git("--exec-path")).rstrip("\n")
    path = repo.environment.get("PATH", os.defpath)
    return {
        "GIT_DIR": str(repo.git_dir),
        "GIT_INDEX_FILE": str(repo.git_dir / "index"),
        "GIT_PREFIX": "",
        "GIT_EDITOR": ":",
        "GIT_EXEC_PATH": programs,
        "PATH": path if path.split(os.pathsep)[0] == programs else f"{programs}{os.pathsep}{path}",
        "GIT_AUTHOR_NAME": os.fsdecode(name),
        "GIT_AUTHOR_EMAIL": os.fsdecode(mail),
        "GIT_AUTHOR_DATE": "@" + os.fsdecode(date),
    }


def write_message(repo: Repository, message: str) -> Path:
    """Put a message where ``git commit`` puts it."""
    file = repo.git_dir / _MESSAGE
    file.write_bytes(_bytes(message))
    return file


def read_message(repo: Repository, message: str) -> str:
    """What hooks have made of ``message``, tidied up as git does it."""
    content = (repo.git_dir / _MESSAGE).read_bytes()
    if content == _bytes(message):
        return message
    return repo.git("stripspace", stdin=content).decode("utf-8", "replace")


def read(file: Path) -> str:
    """The message that is being written, as it is.

    Raises:
        DoesNotFit: ``file_not_found``.
    """
    try:
        return file.read_bytes().decode("utf-8", "surrogateescape")
    except (FileNotFoundError, IsADirectoryError):
        raise DoesNotFit("file_not_found", f"there is no message in {file}", "name its file") from None


def message_of(repo: Repository, revision: str) -> str | None:
    """The message of a commit; None: there is no such commit."""
    found = repo.git.run("show", "-s", "--format=%B", revision)
    return None if found.status else found.out.decode("utf-8", "surrogateescape")


def trailers(repo: Repository, message: str, name: str) -> list[str]:
    """The values of a trailer, as git reads them: comments and what is below the scissors do not count."""
    if f"{name}:".lower() not in message.lower():
        return []
    said = repo.git("interpret-trailers", "--parse", "--no-divider", stdin=_bytes(message))
    rows = (row.partition(":") for row in said.decode("utf-8", "surrogateescape").splitlines())
    return [value.strip() for key, _, value in rows if key.lower() == name.lower()]


def add_trailer(repo: Repository, file: Path, line: str) -> None:
    """Put a trailer at the end of a message, above the comments below it."""
    how = ("--where", "end", "--if-exists", "addIfDifferent", "--if-missing", "add")
    message = repo.git("interpret-trailers", "--no-divider", *how, "--trailer", line, stdin=file.read_bytes())
    file.write_bytes(message)


def is_amending(repo: Repository, head: str) -> bool:
    """Whether the new commit keeps author and time of the one at ``head``: then it takes its place.

    Git tells its hooks nothing else of that; it exports whose the new commit is.
    """
    told = {name: repo.environment[name] for name in _AUTHOR if name in repo.environment}
    now = repo.git.run("var", "GIT_AUTHOR_IDENT", env=told)
    was = repo.git.run("show", "-s", "--format=%an <%ae> %ad", "--date=raw", head)
    return len(told) == len(_AUTHOR) and not now.status and now.out.strip() == was.out.strip()


def _bytes(message: str) -> bytes:
    return (message.rstrip("\n") + "\n").encode("utf-8", "surrogateescape")
