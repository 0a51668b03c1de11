"""What ``git commit`` gives its hooks: the environment, and the message in a file of its own."""

from __future__ import annotations

import os
from pathlib import Path

from gitscalpel.git.repository import Repository, unknown_identity

_MESSAGE = "COMMIT_EDITMSG"


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


def _bytes(message: str) -> bytes:
    return (message.rstrip("\n") + "\n").encode("utf-8", "surrogateescape")
