"""The examples of a document, typed one after the other into a shell in the documented repository.

Ids and commits are others each time. So what is shown is compared word by word: where both words look like an
id, the one of the document stands for the real one from then on, also in what is typed, and shortened. ``…``
stands for anything in a line; alone in a line, for any lines.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.command import SEARCH

_ID = re.compile(r"[a-z2-7]{8}")
_OTHERS = re.compile(r"[0-9a-f]{7,12}|[0-9a-f]{40}"), re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
"""Commits and times."""
_WORD = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d|\w+|.", re.DOTALL)
_REFUSED = re.compile(r'error: |hint: |\{.*"ok":false')
_HEREDOC = re.compile(r"<<'?(\w+)'?")


def steps(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a block with the lines of what it prints; of ``sh``, the commands alone."""
    lines = text.splitlines()
    while lines:
        command = lines.pop(0).removeprefix("$ ")
        if end := _HEREDOC.search(command):
            at = lines.index(end[1])
            command = "\n".join([command, *lines[: at + 1]])
            del lines[: at + 1]
        shown = []
        while lines and not lines[0].startswith("$ "):
            shown.append(lines.pop(0))
        yield command, shown


class Session:
    """A shell in a repository: where it stands, and the ids that a document calls otherwise."""

    def __init__(self, root: Path, document: str) -> None:
        self._folder = root
        self._known: dict[str, str] = {}
        self._document = document
        self._editor = root.parent / "editor"
        self._editor.write_text('#!/bin/sh\necho "More." >>"$1"\n')
        self._editor.chmod(0o755)

    def typed(self, command: str, shown: list[str]) -> None:
        """Type a command; it prints what is shown, and ends well unless that is a refusal."""
        said, status = self._run(self._meant(command))
        where = f"{self._document}: $ {command}\n{said}"
        assert (status != 0) == any(map(_REFUSED.match, shown)), where
        if shown:
            self._compare(shown, said.splitlines(), where)

    def _meant(self, command: str) -> str:
        for told, real in self._known.items():
            for length in range(len(told), 3, -1):
                command = re.sub(rf"(?<![\w/.]){told[:length]}(?!\w)|(?<=tx/){told}", real, command)
        return command

    def _run(self, command: str) -> tuple[str, int]:
        script = f'{command}\nstatus=$?; pwd >"$FOLDER"; exit $status'
        note = self._editor.with_name("folder")
        path = SEARCH + os.pathsep + os.environ["PATH"]
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=120,
            env={**os.environ, "PATH": path, "FOLDER": str(note), "EDITOR": str(self._editor)},
        )
        self._folder = Path(note.read_text().strip()) if note.exists() else self._folder
        return done.stdout.decode(), done.returncode

    def _compare(self, shown: list[str], said: list[str], where: str) -> None:
        if not shown or not said:
            assert [line for line in shown if line != "…"] == said, where
        elif shown[0] == "…":
            rest = next((at for at in range(len(said)) if shown[1:] and self._same(shown[1], said[at])), None)
            assert len(shown) == 1 or rest is not None, where
            self._compare(shown[1:], said[rest:] if rest is not None else [], where)
        else:
            assert self._same(shown[0], said[0]), f"{where}\n{shown[0]}\nis shown, and it says\n{said[0]}"
            self._compare(shown[1:], said[1:], where)

    def _same(self, shown: str, said: str) -> bool:
        told, real = _WORD.findall(shown), _WORD.findall(said)
        if "…" in told:
            before = told.index("…")
            behind = len(told) - before - 1
            told.pop(before)
            del real[before : max(before, len(real) - behind)]
        return len(told) == len(real) and all(map(self._alike, told, real))

    def _alike(self, told: str, real: str) -> bool:
        if told == real:
            return True
        if _ID.fullmatch(told) and _ID.fullmatch(real):
            return self._known.setdefault(told, real) == real
        return len(told) == len(real) and any(
            kind.fullmatch(told) and kind.fullmatch(real) for kind in _OTHERS
        )
