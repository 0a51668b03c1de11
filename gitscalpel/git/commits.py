"""Commits: as they are read, and as git makes them, who knows identity, encodings and signing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import Misconfigured
from gitscalpel.git.repository import Repository, unknown_identity
from gitscalpel.git.run import failure

NOBODY = "git-scalpel <> 0 +0000"
"""Who makes commits that are nobody's work."""
_IDENTITY_UNKNOWN = ("tell me who you are", "ident name", "no email was given", "no name was given")


class Commit(msgspec.Struct, frozen=True):
    """A commit; people as git writes them, ``Name <mail> 1700000000 +0100``."""

    oid: Oid
    tree: Oid
    parents: tuple[Oid, ...]
    author: str
    committer: str
    message: str


def parse(oid: Oid, content: bytes) -> Commit:
    """Read a commit object."""
    head, _, message = content.partition(b"\n\n")
    lines = [line.decode("utf-8", "surrogateescape").partition(" ") for line in head.split(b"\n")]
    fields = {key: value for key, _, value in reversed(lines)}
    parents = tuple(Oid(value) for key, _, value in lines if key == "parent")
    text = message.decode("utf-8", "surrogateescape")
    return Commit(oid, Oid(fields["tree"]), parents, fields["author"], fields["committer"], text)


def raw(tree: Oid, parents: Sequence[Oid], message: str, who: str = NOBODY) -> bytes:
    """A commit object for a record, or for a tree that has to be a commit for git."""
    lines = [
        f"tree {tree}",
        *(f"parent {parent}" for parent in parents),
        f"author {who}",
        f"committer {who}",
        "",
        message,
        "",
    ]
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def by_git(
    repo: Repository, tree: Oid, parents: Sequence[Oid], message: bytes, *, author: str | None, sign: bool
) -> Oid:
    """Write a commit with ``git commit-tree``.

    Raises:
        Misconfigured: ``identity_unknown``, or ``config_error`` if signing failed.
    """
    words = ("commit-tree", tree, *(part for parent in parents for part in ("-p", parent)), "-F", "-")
    env = {} if author is None else _author(author)
    result = repo.git.run(*words, "-S" if sign else "--no-gpg-sign", stdin=message, env=env)
    if not result.status:
        return Oid(result.out.decode("ascii").strip())
    if any(known in result.err for known in _IDENTITY_UNKNOWN):
        raise unknown_identity(result.err)
    # A signer fails in its own words, or without one; it is to blame if all is well without it.
    if sign and not repo.git.run(*words, "--no-gpg-sign", stdin=message, env=env).status:
        raise Misconfigured(
            "config_error",
            f"git could not sign the commit: {result.err or 'the signer said nothing'}",
            "check user.signingKey and gpg.program, or unset commit.gpgSign",
        )
    raise failure("commit-tree", result.status, result.err)


def _author(author: str) -> dict[str, str]:
    name, _, rest = author.partition(" <")
    mail, _, date = rest.partition("> ")
    return {
        "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": mail,
        **({"GIT_AUTHOR_DATE": "@" + date} if date else {}),
    }
