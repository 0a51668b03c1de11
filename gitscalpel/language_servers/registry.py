"""Known language servers: their languages, command lines and settings, and how to keep them safe.

Only servers that the user has are started: from the search path, from this interpreter's directory, or as
``scalpel.LANGUAGE.witness`` in the configuration says.

None of them may run the code that it reads. Some build it unless a setting forbids this, which older versions
ignore. Some start programs that a file in the directory names
(https://doc.rust-lang.org/cargo/reference/config.html#buildrustc).
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    from gitscalpel.git.repository import Repository

_OFF = "off"
CROSS_CHECK_TIMEOUT = 30.0
"""Timeout in seconds. The slowest server took 13 on projects of a few thousand files."""


class Server(msgspec.Struct, frozen=True):
    """A language server.

    Attributes:
        name: displayed name.
        languages: names of its languages.
        words: command line.
        settings: initialization options.
        settles: how it reports that it has read everything: by its status, or by ending all progress. Empty
            if it delays its answers instead.
        since: release date of the first version that obeys all settings. Empty if all do.
        led_by: names of files that, with a word in them, may name programs to start.
        needs: first version that is a language server. Empty if all are.
    """

    name: str
    languages: tuple[str, ...]
    words: tuple[str, ...]
    settings: dict[str, Any] = {}
    readiness_signal: Literal["status", "progress", ""] = ""
    min_date: str = ""
    program_config_files: tuple[tuple[str, str], ...] = ()
    min_version: str = ""


_NOTHING_FETCHED = {"disableAutomaticTypeAcquisition": True}
"""Setting without which TypeScript runs ``npm install`` for the types of JavaScript imports."""
_ECMA = ("typescript", "tsx", "javascript")
SERVERS = (
    Server("ty", ("python",), ("ty", "server")),
    Server("zuban", ("python",), ("zuban", "server")),
    Server("tsgo", _ECMA, ("tsgo", "--lsp", "--stdio"), _NOTHING_FETCHED),
    Server("tsc", _ECMA, ("tsc", "--lsp", "--stdio"), _NOTHING_FETCHED, min_version="TypeScript 7"),
    Server("gopls", ("go",), ("gopls",)),
    Server("clangd", ("c", "cpp"), ("clangd",), readiness_signal="progress"),
    Server(
        "rust-analyzer",
        ("rust",),
        ("rust-analyzer",),
        # Without these it would build the code that it reads, and run it.
        {
            "cargo": {"buildScripts": {"enable": False}},
            "procMacro": {"enable": False},
            "checkOnSave": False,
        },
        readiness_signal="status",
        min_date="2023-01-16",
        program_config_files=(
            (".cargo/config.toml", ""),
            (".cargo/config", ""),
            ("rust-toolchain.toml", "path"),
        ),
    ),
)
"""Servers in the order of preference. The first installed one is used."""


def choose_server(language: str, config: Mapping[str, str], environment: Mapping[str, str]) -> Server | None:
    """Return the server for a language, with the full path of its program, or None.

    ``config`` must not contain untrusted values.
    """
    said = config.get(f"scalpel.{language}.witness", "")
    if _OFF in (said, config.get("scalpel.witness")):
        return None
    able = [each for each in SERVERS if language in each.languages]
    if said:
        words = tuple(shlex.split(said))
        named = next((each for each in able if each.name == Path(words[0]).name), None)
        able = [
            msgspec.structs.replace(named, words=words, program_config_files=())
            if named
            else Server(words[0], (language,), words)
        ]
    for each in able:
        program = _find_program(each.words[0], environment)
        if program:
            return msgspec.structs.replace(each, words=(program, *each.words[1:]))
    return None


def choose_trusted_server(language: str, repo: Repository, environment: Mapping[str, str]) -> Server | None:
    """Return the user's server for a language. None if there is none, or it is not trusted."""
    withheld = {program.where for program in repo.untrusted}
    config = {key: value for key, value in repo.config.items() if key not in withheld}
    return choose_server(language, config, environment)


def _find_program(program: str, environment: Mapping[str, str]) -> str | None:
    """Return the path of a program. Relative entries of the search path are ignored."""
    if os.sep in program:
        return program if Path(program).is_absolute() else None
    folders = [Path(each) for each in environment.get("PATH", os.defpath).split(os.pathsep)]
    where = [Path(sys.executable).parent, *(each for each in folders if each.is_absolute())]
    return shutil.which(program, path=os.pathsep.join(map(str, where)))
