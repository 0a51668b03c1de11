"""Who commits, where variables or git's configuration say it in so many words; else git is asked.

Git strips names and dates, and guesses at what is missing (ident.c, ``fmt_ident``). What it would leave as it
is can be read here, which saves the start of a process.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

_CRUD = r"""\0-\x20.,:;<>"\\'"""
_NAME = rf"[^{_CRUD}](?:[^\0\n<>]*[^{_CRUD}])?"
_DATE = r"(?P<date>(?:0|[1-9]\d{0,9}) (?!-0000)[+-](?:0\d|1[0-4])[0-5]\d)"
_PERSON = re.compile(rf"(?P<who>{_NAME} <{_NAME}>)(?: {_DATE})?", re.ASCII)
_GIVEN = re.compile(r"@?(?P<date>[1-9]\d{8,9} [+-]\d{4})", re.ASCII)
"""A date as git itself writes it; with fewer digits, or in other words, it means other things."""

Role = Literal["author", "committer"]


class Who(msgspec.Struct, frozen=True):
    """A person, ``Name <mail>``, with the date of the environment; None: the present."""

    name: str
    date: str | None


def person(text: str) -> Who | None:
    """Who is named as in a commit, with or without a date; None: git would write it otherwise."""
    found = _PERSON.fullmatch(text)
    return Who(found["who"], found["date"]) if found else None


def known(role: Role, config: Mapping[str, str], environment: Mapping[str, str]) -> Who | None:
    """Who has that role; None: it takes git to say so."""
    upper = f"GIT_{role.upper()}_"

    def said(part: str) -> str | None:
        variable = environment.get(f"{upper}{part.upper()}")
        return config.get(f"{role}.{part}") or config.get(f"user.{part}") if variable is None else variable

    name, mail = said("name"), said("email")
    given = environment.get(f"{upper}DATE")
    date = _GIVEN.fullmatch(given) if given else None
    if not name or not mail or (given and not date):
        return None
    return person(f"{name} <{mail}>" + (f" {date['date']}" if date else ""))
