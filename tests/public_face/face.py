"""Collect the public face of gitscalpel as plain data, which ``face.json`` keeps."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

import gitscalpel
from gitscalpel import errors
from tests.sandbox import SEALED, Sandbox

FILE = Path(__file__).with_name("face.json")
_FILES = {"a.py": b"def f():\n    return 1\n", "b.py": b"from a import f\n\nprint(f())\n"}
_CALLS = (
    ("replace", "a.py::f", "--code", "def f():\n    return 2"),
    ("rename", "a.py::f", "g"),
    ("undo",),
    ("begin", "-m", "A change"),
    ("replace", "a.py::f", "--code", "def f():\n    return 3", "--tx", "TX"),
    ("snapshot",),
    ("text", "b.py", "--old", "print(f())", "--new", "print(1)", "--checkout"),
    ("list",),
    ("land", "TX"),
    ("replace", "missing.py::f", "--code", "x"),
    ("refs", "a.py::f"),
    ("log",),
)
_MASKS = (
    (re.compile(r"\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b"), "OID"),
    (re.compile(r"(?<=/)[a-z0-9]{8}\b(?!-)"), "ID"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT[\d:.+Z]+"), "TIME"),
    (re.compile(r"\b\d{8,}\b"), "NUMBER"),
    (re.compile(r"/[0-9a-f]{2}/[0-9a-f]{38}$"), "/OBJECT"),
)


def collect(folder: Path) -> dict[str, Any]:
    """Return the face: ``api``, ``schemas``, ``codes``, ``calls``, ``refs``, ``files`` and ``records``.

    Args:
        folder: a folder for a repository; it must not exist.
    """
    repo = Sandbox.of(folder, _FILES)
    calls = dict(_run(repo))
    return {
        "api": dict(_api()),
        "schemas": _schemas(repo),
        "codes": {code: [kind.__name__, kind.exit_status] for code, kind in sorted(_codes().items())},
        "calls": calls,
        "refs": sorted({_masked(ref) for ref in repo.git("for-each-ref", "--format=%(refname)").split()}),
        "files": sorted({*_own_files(repo.root)}),
        "records": _shape(json.loads(_record(repo))),
    }


def _api() -> Iterator[tuple[str, Any]]:
    for name in sorted(gitscalpel.__all__):
        found = getattr(gitscalpel, name)
        if inspect.isclass(found):
            members = {
                key: _signature(value) if callable(value) else "field"
                for key in sorted(dir(found))
                if not key.startswith("_") and not key.isupper()
                for value in [inspect.getattr_static(found, key)]
            }
            yield name, {"signature": _signature(found), "members": members}
        else:
            yield name, _signature(found) if callable(found) else repr(found)[:60]


def _signature(found: Any) -> str:
    """Return the parameters, with ``=`` where they have a default; of a struct, its fields."""
    if isinstance(found, type) and issubclass(found, msgspec.Struct):
        return ", ".join(found.__struct_fields__)
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return ""
    return ", ".join(
        f"{'*' if each.kind is each.KEYWORD_ONLY else ''}{each.name}"
        f"{'' if each.default is each.empty else '='}"
        for each in parameters
    )


def _codes() -> dict[str, Any]:
    return {
        code: kind
        for kind in vars(errors).values()
        if inspect.isclass(kind) and issubclass(kind, errors.ScalpelError)
        for code in kind.codes
    }


def _schemas(repo: Sandbox) -> dict[str, Any]:
    rows = json.loads(_call(repo, "schema", "--json").stdout)["data"]["verbs"]
    return {row["verb"]: {key: _inlined(row[key], row[key]) for key in ("request", "answer")} for row in rows}


def _inlined(schema: Any, whole: Any, depth: int = 0) -> Any:
    """Return a schema with its definitions in place, and without titles and descriptions."""
    if isinstance(schema, list):
        return [_inlined(each, whole, depth) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        found: Any = whole
        for name in schema["$ref"].split("/")[1:]:
            found = found.get(name, {}) if isinstance(found, dict) else {}
        return _inlined(found, whole, depth + 1) if depth < 3 else "nested"
    left = {key: value for key, value in schema.items() if key not in ("title", "description", "$defs")}
    return {key: _inlined(value, whole, depth) for key, value in left.items()}


def _run(repo: Sandbox) -> Iterator[tuple[str, Any]]:
    tx = ""
    for words in _CALLS:
        done = _call(repo, *(tx if word == "TX" else word for word in words), "--json")
        answer = json.loads(done.stdout or done.stderr)
        if words[0] == "begin":
            tx = answer["data"]["tx"]
        yield " ".join(words), {"status": done.returncode, "answer": _shape(answer)}


def _call(repo: Sandbox, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gitscalpel", *words],
        cwd=repo.root,
        env={**os.environ, **SEALED},
        capture_output=True,
        text=True,
        check=False,
    )


def _own_files(root: Path) -> Iterator[str]:
    git = root / ".git"
    for file in git.rglob("*"):
        path = f"/{file.relative_to(git)}"
        if file.is_file() and "scalpel" in path:
            yield _masked(path)


def _record(repo: Sandbox) -> str:
    (name,) = repo.git("ls-tree", "--name-only", "refs/scalpel/ops").split()[:1]
    return repo.git("show", f"refs/scalpel/ops:{name}")


def _masked(text: str) -> str:
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return text


def _shape(value: Any) -> Any:
    """Return a value with the types of its leaves; words that codes are made of stay."""
    if isinstance(value, dict):
        return {
            _masked(key): "id" if key in ("tx", "id") else _shape(each) for key, each in sorted(value.items())
        }
    if isinstance(value, list):
        return [_shape(each) for each in value[:1]]
    is_code = isinstance(value, str) and re.fullmatch(r"[a-z_]{2,30}", value)
    return value if is_code else type(value).__name__
