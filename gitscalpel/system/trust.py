"""Record of the programs that the user lets a repository start, kept outside of the repository.

A foreign repository starts nothing until its user trusts it, and a changed program counts as new. The record
is in the user's own state directory, where no repository can write; ``SCALPEL_TRUST=1`` replaces it in CI.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import msgspec

from gitscalpel.errors import NotAllowed
from gitscalpel.errors.messages import call
from gitscalpel.system import private_files, serialization

VARIABLE = "SCALPEL_TRUST"


class Program(msgspec.Struct, frozen=True):
    """A program that a repository makes git or gitscalpel start.

    Attributes:
        where: setting or hook that names it.
        what: the program.
    """

    where: str
    what: str

    @property
    def digest(self) -> str:
        """Digest of both."""
        return _digest(self.where, self.what)


class _Record(msgspec.Struct, frozen=True):
    place: str
    programs: frozenset[str]


def untrusted(
    place: Path, programs: Iterable[Program], environment: Mapping[str, str]
) -> tuple[Program, ...]:
    """Return those of ``programs`` that the user has not trusted for the repository at ``place``."""
    asked = tuple(programs)
    if not asked or environment.get(VARIABLE) == "1":
        return ()
    known = _read_record(_record_file(place, environment))
    return tuple(program for program in asked if program.digest not in known)


def record(place: Path, programs: Iterable[Program], environment: Mapping[str, str]) -> None:
    """Trust exactly ``programs`` for the repository at ``place``."""
    file = _record_file(place, environment)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    content = _Record(serialization.spelt(place), frozenset(p.digest for p in programs))
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    temporary.write_bytes(msgspec.json.encode(content, order="deterministic"))
    temporary.rename(file)


def refusal(programs: Sequence[Program], onto: str | None = None) -> NotAllowed:
    """Return the error for untrusted ``programs``. ``onto`` is their branch if it is not checked out."""
    from gitscalpel.system.credentials import redact  # needed only for messages

    shown = [msgspec.structs.replace(program, what=redact(program.what)) for program in programs]
    named = "; ".join(f"{program.where} ({program.what})" for program in shown[:5])
    return NotAllowed(
        "untrusted",
        f"this repository would start programs that you have not trusted: {named}",
        f"look at them, then run `{call('trust', onto=onto)}` (SCALPEL_TRUST=1 in CI)",
        programs=[msgspec.structs.asdict(program) for program in shown],
    )


def _read_record(file: Path) -> frozenset[str]:
    try:
        return serialization.decode(file.read_bytes(), _Record).programs
    except (OSError, msgspec.MsgspecError):
        return frozenset()


def _record_file(place: Path, environment: Mapping[str, str]) -> Path:
    return (
        private_files.user_state_folder(environment) / "trust" / _digest(serialization.spelt(place.resolve()))
    )


def _digest(*words: str) -> str:
    joined = b"\0".join(word.encode("utf-8", "surrogateescape") for word in words)
    return blake2b(joined, digest_size=16).hexdigest()
