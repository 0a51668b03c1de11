"""Other repositories: their branches, objects to fetch from them, and pushes to them.

A push names the tip it expects, so it never overwrites what others have pushed in the meantime.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gitscalpel.changesets.file_tree import Oid
from gitscalpel.errors import BadCall, InputOutput, NotAllowed, ScalpelError, WorldMoved
from gitscalpel.errors.messages import arg
from gitscalpel.git.repository import Repository
from gitscalpel.system.trust import redact

_DENIED = re.compile(
    r"\b403\b|permission|denied|not allowed|protected branch|pre-receive hook declined|hook declined|"
    r"authentication failed|could not read (?:username|password)|read-only|unauthorized",
    re.IGNORECASE,
)
# Messages of git or the remote about a ref with another value than expected.
_MOVED_MESSAGES = ("stale info", "fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref")
# Message of git if a hook alone ended the push.
_HOOK_FAILURE = re.compile(r"^error: failed to push some refs to .*$", re.MULTILINE)
_LOCKED = re.compile(r"Unable to create '(.*\.lock)': File exists")
_QUIET = {"GIT_TERMINAL_PROMPT": "0"}  # environment that keeps git from asking for a password
PUSHED = "SCALPEL_PUSHED"  # variable that tells our ``pre-push`` hook which commit has already been checked
# Timeouts in seconds to list refs, and to fetch or push, including a ``pre-push`` hook.
LIST_TIMEOUT_S, TRANSFER_TIMEOUT_S = 60.0, 1800.0
# Beginnings of uninformative lines that git prints after ssh has reported the reason.
_UNINFORMATIVE = ("To ", "Done", "hint:", "Please make sure you have", "and the repository exists")


def choose_remote(repo: Repository, branch: str, named: str | None) -> str:
    """Return the remote to which ``git push`` would push a branch.

    Raises ``invalid_args`` if there is none, or it is ambiguous.
    """
    rows = repo.git("remote").decode("utf-8", "surrogateescape").splitlines()
    remotes = [row for row in rows if not row.startswith("-")]  # git would take it for an option
    name = branch.removeprefix("refs/heads/")
    keys = (f"branch.{name}.pushremote", "remote.pushdefault", f"branch.{name}.remote")
    remote = next(filter(None, [named, *map(repo.config.get, keys)]), None)
    if remote is None and len(remotes) == 1:
        return remotes[0]
    if remote is None and "origin" in remotes:
        return "origin"
    if remote is None:
        words = f"several remotes exist: {', '.join(remotes)}" if remotes else "no remote is configured"
        hint = f"name one with {arg('remote')}" if remotes else "run `git remote add origin URL`"
        raise BadCall("invalid_args", words, hint)
    if remote not in remotes:
        raise BadCall(
            "invalid_args",
            f"no such remote: {redact(remote)}",
            f"choose one of: {', '.join(remotes) or 'none'}",
        )
    return remote


def push_url(repo: Repository, remote: str) -> str:
    """Return the push URL of a remote, without credentials."""
    url = repo.git.run("remote", "get-url", "--push", remote).out.decode("utf-8", "replace").strip()
    return redact(url)


def branch_ref(repo: Repository, branch: str) -> str:
    """Return the ref of a branch on a remote. Raises ``BadCall``: ``invalid_name``."""
    output = repo.git.run("check-ref-format", "--branch", branch).out
    if output.decode("utf-8", "surrogateescape").strip() != branch:
        raise BadCall("invalid_name", f"{branch!r} is not a valid branch name", "choose another name")
    return f"refs/heads/{branch}"


def list_remote_refs(repo: Repository, remote: str, refs: Sequence[str]) -> dict[str, Oid]:
    """Return the commits of existing refs on a remote. ``refs`` are full names, or prefixes with ``*``.

    Raises:
        InputOutput: ``io_error``: the remote cannot be reached.
        NotAllowed: ``push_denied``: the remote rejects the credentials.
    """
    result = repo.git.run("ls-remote", "--refs", "--", remote, *refs, env=_QUIET, seconds=LIST_TIMEOUT_S)
    if result.status:
        raise _remote_error(remote, result.err)
    rows = (line.split("\t", 1) for line in result.out.decode("utf-8", "surrogateescape").split("\n") if line)
    return {ref: Oid(oid) for oid, ref in rows if any(_matches_ref(ref, wanted) for wanted in refs)}


# ``ls-remote`` matches the end of a name: ``refs/heads/main`` also lists ``refs/heads/a/refs/heads/main``.
def _matches_ref(ref: str, wanted: str) -> bool:
    start, star, _ = wanted.partition("*")
    return ref.startswith(start) if star else ref == wanted


def fetch(repo: Repository, remote: str, ref: str) -> None:
    """Fetch the objects of a ref without changing a ref or FETCH_HEAD.

    Raises as :func:`list_remote_refs` does.
    """
    words = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--refmap=")
    result = repo.git.run(
        *words, "--no-recurse-submodules", "--", remote, ref, env=_QUIET, seconds=TRANSFER_TIMEOUT_S
    )
    if result.status:
        raise _remote_error(remote, result.err)


def push(repo: Repository, remote: str, commit: Oid, ref: str, expected: Oid | None) -> None:
    """Set a ref on a remote to ``commit`` if it has the expected value (None if it must not exist).

    Raises:
        WorldMoved: ``target_moved``: it has another value.
        NotAllowed: ``push_denied``: the remote or the ``pre-push`` hook rejects the push.
        InputOutput: ``io_error``.
    """
    lease = f"--force-with-lease={ref}:{expected or ''}"
    words = ("push", "--porcelain", lease, "--", remote, f"{commit}:{ref}")
    result = repo.git.run(*words, env={**_QUIET, PUSHED: commit}, seconds=TRANSFER_TIMEOUT_S)
    if result.status == 0:
        return
    output = f"{result.out.decode('utf-8', 'replace')}\n{result.err}"
    if _HOOK_FAILURE.search(result.err) and "fatal:" not in output and "\n!" not in f"\n{output}":
        raise _hook_error(repo, remote, result.err)
    lock = _LOCKED.search(output)
    if lock is not None:
        raise WorldMoved(
            "target_moved",
            f"{ref} is locked on {remote}: another push is running, or was killed ({lock[1]})",
            "push again; if that fails, remove the lock file in the remote repository",
            remote=remote,
            ref=ref,
        )
    if any(words in output for words in _MOVED_MESSAGES):
        raise WorldMoved("target_moved", f"{ref} on {remote} has moved", "push again", remote=remote, ref=ref)
    raise _remote_error(remote, output)


def _hook_error(repo: Repository, remote: str, error_text: str) -> NotAllowed:
    lines = redact(_HOOK_FAILURE.sub("", error_text)).strip().splitlines()
    return NotAllowed(
        "push_denied",
        f"the pre-push hook rejected the push: {'; '.join(lines[-3:]) or 'it printed no reason'}",
        f"fix what it reports and push again; the hook is {repo.hooks / 'pre-push'}",
        remote=remote,
    )


def _remote_error(remote: str, error_text: str) -> ScalpelError:
    error_text = redact(error_text.strip())
    lines = [line for line in error_text.splitlines() if line.strip() and not line.startswith(_UNINFORMATIVE)]
    words = "; ".join(lines[-3:]).replace("\t", " ")
    if _DENIED.search(error_text):
        return NotAllowed(
            "push_denied",
            f"{remote} denied access: {words}",
            "allow the token or key to write to that repository (contents: write)",
            remote=remote,
        )
    hint = f"run `git ls-remote {remote}` to see the cause, then send it again"
    return InputOutput("io_error", f"{remote} cannot be reached: {words}", hint, remote=remote)
