"""Paths outside the repository or in git's directory are refused in every spelling."""

from __future__ import annotations

import pytest

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK, Overlay
from gitscalpel.errors import ScalpelError
from tests.edit.editing import Content, Files


def make_overlay(**links: str) -> Overlay:
    files: dict[str, Content] = {"d/f": "x", "f": "x", "sub": (SUBMODULE, b"")}
    files |= {name: (SYMLINK, target.encode()) for name, target in links.items()}
    return Overlay(Files(files))


@pytest.mark.parametrize(
    ("path", "normalized"),
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
def test_valid_path_is_normalized(path: str, normalized: str) -> None:
    assert paths.normalize_path(path) == normalized


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
def test_path_outside_is_denied(path: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        paths.normalize_path(path)
    assert caught.value.code == "path_denied"


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000])
def test_malformed_path_is_refused(path: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        paths.normalize_path(path)
    assert caught.value.code == "invalid_args"


@pytest.mark.parametrize(
    ("links", "path", "target"),
    [
        ({"l": "f"}, "l", "f"),
        ({"l": "d"}, "l/f", "d/f"),
        ({"l": "m", "m": "d/f"}, "l", "d/f"),
        ({"l": "./d/../f"}, "l", "f"),
        ({"l": "new"}, "l", "new"),
    ],
)
def test_link_inside_is_followed(links: dict[str, str], path: str, target: str) -> None:
    assert paths.resolve_path(path, make_overlay(**links)) == target


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
def test_link_to_the_outside_is_denied(links: dict[str, str], path: str) -> None:
    with pytest.raises(ScalpelError) as caught:
        paths.resolve_path(path, make_overlay(**links))
    assert caught.value.code == "path_denied"
