"""Credits in commit messages for authors of GitHub review suggestions, as its REST API returns them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

_CREDIT = "Co-authored-by: "
_SUGGESTS = re.compile(r"^\s*`{3,}suggestion\b", re.MULTILINE)
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})(?:\[bot\])?")


def credit_message(raw: bytes) -> str | None:
    """A message that credits everybody who suggests something; None: ``raw`` holds no such comments."""
    try:
        said = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None
    comments = [each for each in (said if isinstance(said, list) else [said]) if _suggests(each)]
    if not comments:
        return None
    title = f"Apply {'suggestions' if len(comments) > 1 else 'a suggestion'} from review"
    credited = dict.fromkeys(_credited(comments))
    return "\n\n".join([title, *(["\n".join(credited)] if credited else [])])


def keep_credits(said: str, before: str | None) -> str:
    """Another message in the place of ``before``, which credits whom that has credited."""
    new = [line for line in (before or "").splitlines() if line.startswith(_CREDIT) and line not in said]
    return "\n\n".join([said.rstrip("\n"), *(["\n".join(new)] if new else [])])


def add_credit(message: str, author: str) -> str:
    """Return a message with a trailer that credits an author, who is written as in a commit."""
    credit = _CREDIT + author[: author.rindex(">") + 1]
    return message if credit in message else keep_credits(message, credit)


def _suggests(comment: Any) -> bool:
    return (
        isinstance(comment, dict) and "path" in comment and bool(_SUGGESTS.search(str(comment.get("body"))))
    )


def _credited(comments: Iterable[dict[str, Any]]) -> Iterator[str]:
    for comment in comments:
        user = comment.get("user")
        login, number = (user.get("login"), user.get("id")) if isinstance(user, dict) else (None, None)
        if isinstance(login, str) and isinstance(number, int) and _LOGIN.fullmatch(login):
            # The address by which GitHub knows whose commit it is, without telling the real one.
            yield f"{_CREDIT}{login} <{number}+{login}@users.noreply.github.com>"
