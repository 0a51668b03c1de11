"""Known language servers: their languages, command lines and settings, and checks that they are safe.

Only servers that the user has are started: from the search path, from this interpreter's directory, or
as ``scalpel.LANGUAGE.witness`` in the configuration says.

None of them may run the code that it reads. Some build it unless a setting forbids this, which older
versions ignore. Some start programs that a file in the directory names
(https://doc.rust-lang.org/cargo/reference/config.html#buildrustc).
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

_OFF = "off"


class Server(msgspec.Struct, frozen=True):
    """A language server.

    Attributes:
        name: as it is told to people.
        languages: that it reads, by name.
        words: its command line.
        settings: what it is told when it begins.
        settles: how it says that it has read everything: by its status, or by ending all work that it told
            of; "": it does not, and waits with its answers until then.
        since: the day of the first version that heeds all settings; "": all do.
        led_by: files with a word that may name programs to it.
        needs: the first version that is a language server; "": all are.
    """

    name: str
    languages: tuple[str, ...]
    words: tuple[str, ...]
    settings: dict[str, Any] = {}
    settles: Literal["status", "progress", ""] = ""
    since: str = ""
    led_by: tuple[tuple[str, str], ...] = ()
    needs: str = ""


_NOTHING_FETCHED = {"disableAutomaticTypeAcquisition": True}
"""Without it TypeScript has npm install the types of what a JavaScript project imports."""
_ECMA = ("typescript", "tsx", "javascript")
SERVERS = (
    Server("ty", ("python",), ("ty", "server")),
    Server("zuban", ("python",), ("zuban", "server")),
    Server("tsgo", _ECMA, ("tsgo", "--lsp", "--stdio"), _NOTHING_FETCHED),
    Server("tsc", _ECMA, ("tsc", "--lsp", "--stdio"), _NOTHING_FETCHED, needs="TypeScript 7"),
    Server("gopls", ("go",), ("gopls",)),
    Server("clangd", ("c", "cpp"), ("clangd",), settles="progress"),
    Server(
        "rust-analyzer",
        ("rust",),
        ("rust-analyzer",),
        # Without these it would build what it reads, and run that.
        {
            "cargo": {"buildScripts": {"enable": False}},
            "procMacro": {"enable": False},
            "checkOnSave": False,
        },
        settles="status",
        since="2023-01-16",
        led_by=((".cargo/config.toml", ""), (".cargo/config", ""), ("rust-toolchain.toml", "path")),
    ),
)
"""In the order in which they are asked for; the first that is there is taken."""


def choose_server(language: str, config: Mapping[str, str], environment: Mapping[str, str]) -> Server | None:
    """The server for a language, with its program's full name; None: there is none.

    Args:
        language: by name.
        config: git's configuration, without what the user does not trust.
        environment: the user's variables.
    """
    said = config.get(f"scalpel.{language}.witness", "")
    if _OFF in (said, config.get("scalpel.witness")):
        return None
    able = [each for each in SERVERS if language in each.languages]
    if said:
        words = tuple(shlex.split(said))
        named = next((each for each in able if each.name == Path(words[0]).name), None)
        able = [
            msgspec.structs.replace(named, words=words, led_by=())
            if named
            else Server(words[0], (language,), words)
        ]
    for each in able:
        program = _find_program(each.words[0], environment)
        if program:
            return msgspec.structs.replace(each, words=(program, *each.words[1:]))
    return None


def _find_program(program: str, environment: Mapping[str, str]) -> str | None:
    """Where a program is; what a search path says relative to the current folder is not asked."""
    if os.sep in program:
        return program if Path(program).is_absolute() else None
    folders = [Path(each) for each in environment.get("PATH", os.defpath).split(os.pathsep)]
    where = [Path(sys.executable).parent, *(each for each in folders if each.is_absolute())]
    return shutil.which(program, path=os.pathsep.join(map(str, where)))
