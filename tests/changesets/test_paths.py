"""Paths: what could lead outside the repository or into git's own folder is refused in every spelling."""

from __future__ import annotations

import pytest

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK, Overlay
from gitscalpel.errors import ScalpelError
from tests.edit.editing import Content, Files


def overlay(**links: str) -> Overlay:
    files: dict[str, Content] = {"d/f": "x", "f": "x", "sub": (SUBMODULE, b"")}
    files |= {name: (SYMLINK, goal.encode()) for name, goal in links.items()}
    return Overlay(Files(files))


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("a", "a"),
        ("./a//b/", "a/b"),
        ("a/../b", "b"),
        ("a b/ü", "a b/ü"),
        (".gitignore", ".gitignore"),
        (".github/x", ".github/x"),
        ("git", "git"),
        ("a.git", "a.git"),
        ("...", "..."),
        ("-x", "-x"),
        (":(top)x", ":(top)x"),
    ],
)
def test_accepted(path: str, plain: str) -> None:
    assert paths.normalize_path(path) == plain


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../a",
        "a/../../b",
        "..",
        ".",
        "a/..",
        "C:\\x",
        "c:/x",
        "\\\\host\\share",
        ".git/config",
        ".GIT/config",
        "a/.git/config",
        ".git",
        "./.git/x",
        ".git./x",
        ".git /x",
        ".git::$INDEX_ALLOCATION/x",
        "git~1/x",
        "GIT~1/x",
        ".g\u200cit/x",
        ".git\\config",
        "a\\.git\\x",
        "\uff0egit/config",
    ],
)
def test_denied(path: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        paths.normalize_path(path)
    assert caught.value.code == "path_denied"


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
def test_malformed(path: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        paths.normalize_path(path)
    assert caught.value.code == "invalid_args"


@pytest.mark.parametrize(
    ("links", "path", "goal"),
    [
        ({"l": "f"}, "l", "f"),
        ({"l": "d"}, "l/f", "d/f"),
        ({"l": "m", "m": "d/f"}, "l", "d/f"),
        ({"l": "./d/../f"}, "l", "f"),
        ({"l": "new"}, "l", "new"),
    ],
)
def test_links_inside_are_followed(links: dict[str, str], path: str, goal: str) -> None:
    assert paths.resolve_path(path, overlay(**links)) == goal


@pytest.mark.parametrize(
    ("links", "path"),
    [
        ({"l": "/etc/passwd"}, "l"),
        ({"l": ".."}, "l/x"),
        ({"l": "../x"}, "l"),
        ({"l": "d/../../x"}, "l"),
        ({"l": ".git/config"}, "l"),
        ({"l": ".git"}, "l/config"),
        ({"l": "m", "m": "l"}, "l"),
        ({"l": "l"}, "l/x"),
        ({}, "sub/x"),
    ],
)
def test_links_that_leave_are_denied(links: dict[str, str], path: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        paths.resolve_path(path, overlay(**links))
    assert caught.value.code == "path_denied"
