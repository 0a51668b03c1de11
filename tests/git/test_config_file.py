"""The configuration reader agrees with ``git config --list``, or leaves the file to git."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitscalpel.git import git_config
from gitscalpel.git.git_config import canonical_key

CASES = [
    b"[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n",
    b"[a]b=c\n[a]\nb\n[A]\nB = \n",
    b'[remote "origin"]\n\turl = https://example.org/x # not it\n\tfetch = +refs/heads/*:refs/remotes/o/*\n',
    b'[alias]\n\tst = "!f() { git status \\"$@\\"; }; f" ; a comment\n\tx = a\\\n  b\n',
    b'[a "s\\"u\\\\b"]\nk = " x "y" z "  \n',
    b"\xef\xbb\xbf[a]\r\nb = c\r\n",
    b"[a]\nb = \xff\xe4\n",
    b"[a]\n  b = c  d\te\n",
    b'[a]\nb = "" c\n',
    b"[a]\nb = c",
    b"[a]\nb",
    b"# only\n; this\n",
    b"",
]
UNCLEAR = [
    b"[a.b]\nc = d\n",
    b"[a]\nb = \\x\n",
    b'[a]\nb = "c\n',
    b"[a]\nb c\n",
    b"[a]\nb ; c\n",
    b"b = c\n",
    b"[a\n",
    b"[a]\n1b = c\n",
    b"[a]\nb = c\0d\n",
    b"[a]\rb = c\n",
]


def _list_with_git(file: Path) -> list[tuple[str, str | None]] | None:
    words = ["git", "config", "--file", str(file), "--list", "-z"]
    result = subprocess.run(words, capture_output=True, check=False)
    if result.returncode:
        return None
    rows = [row.decode("utf-8", "surrogateescape").partition("\n") for row in result.stdout.split(b"\0")[:-1]]
    return [(canonical_key(key), value if newline else None) for key, newline, value in rows]


def _parse(content: bytes) -> list[tuple[str, str | None]] | None:
    try:
        return [*git_config.parse_file(content.decode("utf-8", "surrogateescape"))]
    except git_config.UnclearConfig:
        return None


@pytest.mark.parametrize("content", CASES)
def test_usual_configuration_is_parsed_as_by_git(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "config"
    file.write_bytes(content)
    read = _parse(content)
    assert read is not None or b"\t" in content.partition(b"= ")[2]
    assert read in (None, _list_with_git(file))


@pytest.mark.parametrize("content", UNCLEAR)
def test_unclear_configuration_is_left_to_git(content: bytes) -> None:
    assert _parse(content) is None


PIECES = st.sampled_from(
    [
        *("[a]", "[B]", '[a "c"]', '[a "C d"]', "[a.b]", "\n", "\n", "\n", " ", "  ", "\t", "=", " = "),
        *("#", ";", '"', "\\", "\\n", '\\"', "\\\n", "key", "K2", "value", "a b", "true", "\r\n"),
        *("-", "1", "ä", "[", "]", "\ufeff"),
    ]
)


@settings(max_examples=300)
@given(pieces=st.lists(PIECES, max_size=24))
def test_random_configuration_is_parsed_as_by_git(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    content = "".join(pieces).encode()
    read = _parse(content)
    if read is None:
        return
    file = tmp_path_factory.mktemp("config") / "config"
    file.write_bytes(content)
    assert read == _list_with_git(file)
