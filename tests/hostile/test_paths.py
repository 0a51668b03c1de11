"""Hostile paths in every command are refused with the right code, and nothing outside changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitscalpel import Repository, ScalpelError
from tests.hostile.grounds import Grounds, make_grounds
from tests.today import some

OUTSIDE = [
    *(
        "/etc/passwd",
        "//etc/passwd",
        "/",
        "/f.py",
        "..",
        "../",
        "../canary/f.py",
        "../../x",
        "./../canary/f.py",
    ),
    *(
        "d/../../canary/f.py",
        "d/../..",
        "d/./../.././canary/f.py",
        "nowhere/../../canary/f.py",
        "d//../..//x",
    ),
    *(
        "../repo/../canary/f.py",
        "in/../../canary/f.py",
        "out/f.py",
        "out/new.py",
        "out",
        "out-file",
        "d/out/f.py",
    ),
    *("in/out/f.py", "absolute/f.py", "absolute", "up/canary/f.py", "up", "up/repo/f.py"),
    *("up-twice/f.py", "out-of-out/f.py", "etc/passwd", "etc/new", "self", "self/f.py", "ping", "pong/f.py"),
    *("chain0", "chain0/f.py", "./", "d/..", "./.", "d/../.", ".gitattributes"),
    *("C:/x", "C:\\x", "c:\\Windows\\x", "z:/x", "\\\\host\\share\\x", "\\\\?\\C:\\x", "\\\\.\\pipe\\x"),
    *("//host/share", "\\\\..\\canary", "file:///etc/passwd/../x/../../..", "in/../out/f.py"),
]
GIT = [
    *(".git", ".git/", ".git/config", ".git/hooks/pre-commit", ".git/HEAD", ".git/index", ".git/objects/x"),
    *("./.git/config", "d/../.git/config", "d/.git", "d/.git/config", "nested/.git/config", "sub/.git"),
    *(".GIT/config", ".Git/config", ".gIT/hooks/x", ".giT", "d/.GIT/config", ".git/.git/x", ".git//config"),
    *(".git./config", ".git../config", ".git /config", ".git . ./config", ".git...", ".git   "),
    *(".git::$INDEX_ALLOCATION/config", ".git:x/config", ".GIT::$index_allocation", ".git:"),
    *("git~1/config", "GIT~1", "Git~1/hooks/x", "git~2/config", "git~1 /x", "git~1./x", "d/git~1/config"),
    *(
        ".g\u200cit/config",
        ".\u200cgit",
        "\u200c.git/x",
        ".gi\u200dt/x",
        ".git\u200e/x",
        ".g\u200fit",
        ".g\u202ait/x",
    ),
    *(
        ".g\u202eit/x",
        ".g\u206ait/x",
        ".g\u206fit/x",
        ".git\ufeff/x",
        "\ufeff.git/config",
        ".G\u200cI\u200dT/config",
    ),
    *(
        "\uff0egit/config",
        "\u2024git/config",
        ".\uff47it/config",
        ".g\uff49t",
        ".gi\u24e3",
        ".\U0001d420it/x",
    ),
    *(
        ".git\\config",
        "d\\.git\\config",
        "d/..\\.git\\x",
        ".git\\hooks/x",
        "..\\.git/config",
        ".GIT\\x",
        "git~1\\x",
    ),
    *("git/config", "git", "git-config", "d/git/config", "in/git/config", "GIT/config"),
    *('"\\056git\\377/../.git/config"', '".git/\\377"', '"\\056git\\057\\377"', '"d/\\056\\147it/\\377"'),
]
SUBMODULE = ["sub", "sub/", "sub/f.py", "sub/new.py", "./sub/f.py", "in/../sub/f.py", "to-sub", "to-sub/f.py"]
LINKS = ["self", "ping", "chain0", "to-sub"]
"""Links that a patch may copy: the copies have the same target."""
DENIED = [*OUTSIDE, *GIT, *SUBMODULE]
TOO_LONG = ["x" * 256, "d/" + "x" * 300 + "/f.py", "\u00fc" * 128, "x" * 4000]
MALFORMED = [
    *TOO_LONG,
    *("", " ", "\t", "\0", "a\0b", "f.py\0", "f.py\0.txt", ".git\0/config", "../\0", "\0/f.py"),
    *(
        "x" * 4097,
        "d/" * 2100 + "f.py",
        "d/" * 501 + "f.py",
        "x/" * 2048 + "x" * 255,
        "\u00fc" * 2049,
        "\ud800",
        "d/\udfff\ud800",
        "\n",
        "\u3000",
    ),
]
PLAIN = [
    *("...", "....", "d/.../x", "-", "--", "-rf", "--help", "~", "d/~/x", "~root/x", "$HOME/x", "`id`"),
    *(
        "$(id)",
        "%2e%2e/x",
        "%2e%2e%2fx",
        "..%2fx",
        "*",
        "?",
        "[a]",
        ":(top)x",
        ":/x",
        ":!x",
        "!x",
        "#x",
        "a:b",
    ),
    *("a\\b", "..\\x", "d\\..\\x", "x\\", "CON", "con.py", "NUL", "aux", "COM1", "LPT9.txt", "PRN", "CONIN$"),
    *("x.", "x ", " x", "x::$DATA", "x:y", "a\nb", "a\rb", "a\tb", "\x01", "\x1b[31mred", "\x7f", "a\u202eb"),
    *(
        "caf\u00e9",
        "nai\u0308ve",
        "\u00df",
        "\u0130",
        "\ufeffx",
        "a\udcffb",
        "\udc80/x",
        '"q"',
        "'q'",
        '"\\377"',
    ),
    *("gitx", ".gitx", ".git-x/y", "x.git", ".gitignore2", ".github/x", ".git_", "git~x", "git~", "xgit~1"),
    *(
        "d/out/../../n3",
        "in/new.py",
        "in/../d/n4",
        "x" * 255,
        "a" * 200 + "/" + "b" * 200,
        "d/" * 1 + "new",
        "./././n",
        "d//n2",
    ),
]


def _envelope(body: str) -> str:
    return f"*** Begin Patch\n{body}\n*** End Patch\n"


def _uri_edit(path: str) -> str:
    edit = {
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
        "newText": "x = 1\n",
    }
    return json.dumps({"changes": {path: [edit]}})


def _create_file(path: str) -> str:
    return json.dumps({"documentChanges": [{"kind": "create", "uri": path}]})


PATCHES: dict[str, Callable[[str], str]] = {
    "unified": lambda p: f"--- a/{p}\n+++ b/{p}\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n",
    "unified, new": lambda p: f"--- /dev/null\n+++ b/{p}\n@@ -0,0 +1 @@\n+x = 1\n",
    "git, new": lambda p: (
        f"diff --git a/{p} b/{p}\nnew file mode 100644\n--- /dev/null\n+++ b/{p}\n@@ -0,0 +1 @@\n+x = 1\n"
    ),
    "git, link": lambda p: (
        f"diff --git a/{p} b/{p}\nnew file mode 120000\n--- /dev/null\n+++ b/{p}\n@@ -0,0 +1 @@\n+f.py\n"
        "\\ No newline at end of file\n"
    ),
    "git, rename to": lambda p: (
        f"diff --git a/f.py b/{p}\nsimilarity index 100%\nrename from f.py\nrename to {p}\n"
    ),
    "git, copy from": lambda p: (
        f"diff --git a/{p} b/new.py\nsimilarity index 100%\ncopy from {p}\ncopy to new.py\n"
    ),
    "git, binary": lambda p: (
        f"diff --git a/{p} b/{p}\nnew file mode 100644\nindex 0000000..1234567\n"
        "GIT binary patch\nliteral 4\nLc${NkU|;|M00aO5\n\nliteral 0\nHcmV?d00001\n\n"
    ),
    "search and replace": lambda p: (
        f"{p}\n```python\n<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n```\n"
    ),
    "envelope, add": lambda p: _envelope(f"*** Add File: {p}\n+x = 1"),
    "envelope, update": lambda p: _envelope(f"*** Update File: {p}\n@@\n-    return 1\n+    return 2"),
    "envelope, delete": lambda p: _envelope(f"*** Delete File: {p}"),
    "envelope, move": lambda p: _envelope(
        f"*** Update File: f.py\n*** Move to: {p}\n@@\n-    return 1\n+    return 2"
    ),
    "workspace": _uri_edit,
    "workspace, uri": lambda p: _uri_edit(f"file:///{p}"),
    "workspace, create": _create_file,
}
_CODE = "def f():\n    return 2\n"
OPERATIONS: dict[str, Callable[[str], dict[str, Any]]] = {
    "write": lambda p: {"op": "write", "path": p, "content": "x = 1\n"},
    "overwrite": lambda p: {"op": "write", "path": p, "content": "x = 1\n", "overwrite": True},
    "text": lambda p: {"op": "text", "path": p, "old": "1", "new": "2"},
    "lines": lambda p: {"op": "lines", "path": p, "start": 1, "code": "x"},
    "replace": lambda p: {"op": "replace", "path": p, "symbol": "f", "code": _CODE},
    "insert": lambda p: {"op": "insert", "path": p, "symbol": "f", "position": "after", "code": "x = 1"},
    "delete": lambda p: {"op": "delete", "path": p, "symbol": "f"},
    "signature": lambda p: {"op": "signature", "path": p, "symbol": "f", "code": "def f(a):"},
    "remove": lambda p: {"op": "remove", "path": p},
    "copy from": lambda p: {"op": "copy_file", "path": p, "to": "new.py"},
    "copy to": lambda p: {"op": "copy_file", "path": "f.py", "to": p},
    "move from": lambda p: {"op": "move_file", "path": p, "to": "new.py"},
    "move to": lambda p: {"op": "move_file", "path": "f.py", "to": p},
    "patch for": lambda p: {"op": "patch", "path": p, "diff": "@@ -1 +1 @@\n-def f():\n+def g():\n"},
}


REFUSED = ("path_denied", "patch_failed", "file_not_found", "invalid_args")
"""Codes that may refuse a patch, since some formats cannot express every path."""


def _name(path: str) -> str:
    return ascii(path)[1:40]


def try_edit(opened: Repository, operation: dict[str, Any]) -> str:
    """Return the error code that refuses an operation, or its landing."""
    try:
        result = opened.edit(operation)
    except ScalpelError as error:
        return error.code if error.hint else "no hint"
    return f"landed {result.landed}"


def try_read(look: Callable[[], object]) -> str:
    try:
        found = look()
    except ScalpelError as error:
        return error.code if error.hint else "no hint"
    return f"found {found}"


def try_reads(opened: Repository, path: str) -> dict[str, str]:
    view = opened.view()
    return {
        "show": try_read(lambda: view.show(path)),
        "outline": try_read(lambda: view.outline([path])),
        "find": try_read(lambda: view.find("function", [path])),
        "read": try_read(lambda: view.read(path)),
    }


@pytest.mark.parametrize("path", some(DENIED), ids=_name)
def test_path_outside_is_denied(shared_grounds: Grounds, path: str) -> None:
    with Repository(shared_grounds.repo.root) as opened:
        answers = {name: try_edit(opened, make(path)) for name, make in OPERATIONS.items()}
        answers |= try_reads(opened, path)
        assert answers == dict.fromkeys(answers, "path_denied")
        adopted = try_read(lambda: opened.begin(adopt=[path]))
        assert adopted in ("path_denied", "file_not_found", "no_change")
        for name, make in PATCHES.items():
            if name != "git, copy from" or path not in LINKS:
                code = try_edit(opened, {"op": "patch", "diff": make(path)})
                assert code in (*REFUSED, "exists"), (name, code)
    assert shared_grounds.repo.status() == "?? nested/"


@pytest.mark.parametrize("path", MALFORMED, ids=map(_name, MALFORMED))
def test_malformed_path_raises_invalid_args(shared_grounds: Grounds, path: str) -> None:
    with Repository(shared_grounds.repo.root) as opened:
        answers = {name: try_edit(opened, make(path)) for name, make in OPERATIONS.items()}
        if not path:
            del answers["patch for"]  # a patch that names its files itself
        assert answers == dict.fromkeys(answers, "invalid_args")
        for name, make in PATCHES.items():
            code = try_edit(opened, {"op": "patch", "diff": make(path)})
            assert code in REFUSED, (name, code)


def test_too_long_path_changes_nothing(shared_grounds: Grounds) -> None:
    path = "/".join(["y" * 200] * 20) + "/" + "y" * 60
    with Repository(shared_grounds.repo.root) as opened, pytest.raises(OSError, match="too long"):
        opened.edit(OPERATIONS["write"](path))
    assert (shared_grounds.repo.status(), shared_grounds.repo.tip()) == (
        "?? nested/",
        shared_grounds.repo.tip("main"),
    )


def test_unusual_path_is_accepted(tmp_path: Path) -> None:
    """Paths that no system confuses with others are accepted."""
    own_grounds = make_grounds(tmp_path / "around")
    plain = list(dict.fromkeys(PLAIN))
    with Repository(own_grounds.repo.root) as opened:
        before = own_grounds.fingerprint()
        missing = {path: try_edit(opened, OPERATIONS["text"](path)) for path in plain}
        assert missing == dict.fromkeys(plain, "file_not_found")
        opened.edit(*(OPERATIONS["write"](path) for path in plain))
        assert own_grounds.repo.status() == "?? nested/"
        for path in plain:
            assert opened.view().read(path) == b"x = 1\n"
        opened.edit(*(OPERATIONS["remove"](path) for path in plain))
    after = own_grounds.fingerprint()
    moved = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    assert {name for name in moved if "/.git/refs/" not in name} == set()


def test_number_of_paths() -> None:
    assert len({*DENIED, *MALFORMED, *PLAIN}) >= 200
