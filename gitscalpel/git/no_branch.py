"""What is said of a branch that there is not: what else is called so, or nearly."""

from __future__ import annotations

from gitscalpel.errors import BadCall
from gitscalpel.git.repository import Repository


def refusal(repo: Repository, name: str) -> BadCall:
    """That there is no branch ``name``, and how to come by one."""
    return BadCall("invalid_args", f"there is no branch {name}", _hint(repo, name))


def _hint(repo: Repository, name: str) -> str:
    ask = ("rev-parse", "--symbolic-full-name", "--verify", "--quiet", "--end-of-options", name)
    ref = repo.git.run(*ask).out.decode("utf-8", "replace").strip()
    if ref.startswith("refs/remotes/"):
        own = name.removeprefix("remotes/").partition("/")[2]
        making = "" if repo.resolve(f"refs/heads/{own}") else f"; `git branch {own} {name}` makes it"
        return f"it is a remote's: name your own, {own}{making}"
    if repo.resolve(f"{name}^{{commit}}"):
        what = "a tag" if ref.startswith("refs/tags/") else "a commit"
        return f"it is {what}, which does not move: `git branch NEW {name}` makes a branch that begins there"
    near = _nearest(repo, name)
    return (f"did you mean {near}? " if near else "") + f"`git branch {name}` makes it"


def _nearest(repo: Repository, name: str) -> str:
    import difflib

    known = repo.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/")
    return next(
        iter(difflib.get_close_matches(name, known.decode("utf-8", "replace").split("\n"), 1, 0.7)), ""
    )
