"""What is said of a branch that there is not: what else is called so, or nearly."""

from __future__ import annotations

import shlex

from gitscalpel.errors import BadCall
from gitscalpel.git.repository import Repository


def refusal(repo: Repository, name: str) -> BadCall:
    """That there is no branch ``name``, and how to come by one."""
    return BadCall("invalid_args", f"there is no branch {name}", _hint(repo, name))


def _hint(repo: Repository, name: str) -> str:
    ask = ("rev-parse", "--symbolic-full-name", "--verify", "--quiet", "--end-of-options", name)
    ref = repo.git.run(*ask).out.decode("utf-8", "surrogateescape").strip()
    if ref.startswith("refs/remotes/"):
        own = name.removeprefix("remotes/").partition("/")[2]
        words = f"; `git branch {shlex.quote(own)} {shlex.quote(name)}` makes it"
        making = "" if repo.resolve(f"refs/heads/{own}") else words
        return f"it is a remote's: name your own, {own}{making}"
    if repo.resolve(f"{name}^{{commit}}"):
        what = "a tag" if ref.startswith("refs/tags/") else "a commit"
        make = f"`git branch NEW {shlex.quote(name)}`"
        return f"it is {what}, which does not move: {make} makes a branch that begins there"
    near = _nearest(repo, name)
    return (f"did you mean {near}? " if near else "") + f"`git branch {shlex.quote(name)}` makes it"


def _nearest(repo: Repository, name: str) -> str:
    import difflib

    rows = repo.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/")
    known = rows.decode("utf-8", "surrogateescape").split("\n")
    return next(iter(difflib.get_close_matches(name, known, 1, 0.7)), "")
