"""One thing that was examined, and how it is."""

from __future__ import annotations

import msgspec

from gitscalpel.errors import ScalpelError
from gitscalpel.errors.messages import MARKED, Spelling, call, spelt

UNTRUSTED = f"{call('trust', list=True)} shows them, {call('trust')} trusts them"
"""The hint where programs are not trusted."""


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at.

    Attributes:
        name: what it is.
        says: how it is.
        code: the error that it will lead to; None: it is well.
        hint: what to do, or what would be better.
    """

    name: str
    says: str
    code: str | None = None
    hint: str = ""

    def spelt(self, spelling: Spelling) -> Check:
        """The same, with fields and calls as a face writes them."""
        return msgspec.structs.replace(self, says=spelt(self.says, spelling), hint=spelt(self.hint, spelling))


def failed(name: str, error: ScalpelError) -> Check:
    """A check that an error has ended."""
    says, hint = error.told(MARKED)
    return Check(name, says, error.code, hint)
