"""Runs a command and reads what it changed on the disk, call by call; ``record.c`` writes it down."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.preload import building

_LONGEST = 60


class Record(NamedTuple):
    """One change.

    Attributes:
        what: C a new file; w written; W what all of it is now; T cut or made longer; R renamed; L linked; K a
            symlink; U removed; D a new folder; M, m rights; S synced; A everything is; F written out, which
            (``sync_file_range``) is less; P mapped for writing.
        file: its inode.
        number, second_number: mode, offset, size or flags.
        path: whole; of K what the link says; of w and W what was written.
        to: where R, L and K lead.
    """

    what: str
    file: int
    number: int
    second_number: int
    path: bytes
    to: bytes


class Recording(NamedTuple):
    """What a command did: its status, every change in order, and after how many of them it had answered."""

    status: int
    out: bytes
    records: tuple[Record, ...]
    answered: int


def built(folder: Path) -> Path:
    """The library to preload, compiled into ``folder``."""
    return building.built(Path(__file__).with_name("record.c"), folder)


def run(library: Path, words: Sequence[str], folder: Path, env: Mapping[str, str]) -> Recording:
    """Run ``words`` and write down what it and its children do."""
    log, lock, said = (library.with_name(f"{name}.{os.getpid()}") for name in ("log", "lock", "said"))
    log.write_bytes(b"")
    lock.write_bytes(bytes(8))
    with said.open("wb") as out:
        child = subprocess.run(
            list(words),
            cwd=folder,
            env={**env, "LD_PRELOAD": str(library), "POWER_LOG": str(log), "POWER_LOCK": str(lock)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            timeout=_LONGEST,
            check=False,
        )
    records = tuple(_read(log.read_bytes()))
    assert not [each for each in records if each.what == "P"], "somebody writes through a mapping"
    answer = said.stat().st_ino
    answered = [at for at, each in enumerate(records, 1) if each.what in "wW" and each.file == answer]
    return Recording(child.returncode, said.read_bytes(), records, (answered or [len(records)])[-1])


def _read(log: bytes) -> Iterator[Record]:
    at = 0
    while at < len(log):
        end = log.index(b"\n", at)
        what, *numbers = log[at:end].split()
        file, number, second, size, more = map(int, numbers)
        middle, at = end + 1 + size, end + 1 + size + more
        yield Record(what.decode(), file, number, second, log[end + 1 : middle], log[middle:at])
