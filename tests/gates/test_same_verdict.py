"""The same bytes get the same verdict, at the same place and in the same words, whoever brings them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

import gitscalpel
from gitscalpel.errors import ScalpelError
from gitscalpel.syntax.languages import LANGUAGES
from tests.command import scalpel
from tests.gates import verdict_samples as samples
from tests.mcp.client import greeted
from tests.sandbox import Sandbox
from tests.today import some

Files = Mapping[str, bytes]
Verdict = tuple[frozenset[tuple[str, int, int, str]], frozenset[str]]
"""The findings of the syntax gate, as path, line, column and words, and what was not checked."""
BROKEN = {
    path: (good, bad)
    for path, good, bad in (
        *((path, good.encode(), bad.encode()) for path, good, bad in samples.LANGUAGES.values() if bad),
        *((path, good, bad) for path, good, bad in samples.OTHERS.values() if bad),
        *samples.BROKEN_IN_ANOTHER.values(),
    )
}
GOOD = {
    **{path: good.encode() for path, good, _ in samples.LANGUAGES.values()},
    **{path: good for path, good, _ in (*samples.OTHERS.values(), *samples.BROKEN_IN_ANOTHER.values())},
    **dict(samples.TAKEN.values()),
}


def _findings(rows: Iterable[Mapping[str, Any]]) -> frozenset[tuple[str, int, int, str]]:
    return frozenset((row["path"], row["line"], row["column"], row["message"]) for row in rows)


def _ops(files: Files) -> list[dict[str, Any]]:
    def op(path: str, content: bytes) -> dict[str, Any]:
        return {
            "op": "write",
            "path": path,
            "overwrite": True,
            "content_b64": base64.b64encode(content).decode(),
        }

    return [op(path, content) for path, content in files.items()]


def _staged(repo: Sandbox, files: Files, beside: Files) -> Verdict:
    """Judge what is in the index, while the files on the disk have another content."""
    repo.write(dict(files))
    repo.git("add", "-A")
    repo.write({**dict.fromkeys(files, b"x\n"), **beside})
    with gitscalpel.open(repo.root) as opened:
        return _told(opened.check_staged)


def _told(judge: Callable[[], Any]) -> Verdict:
    try:
        done = judge()
        return frozenset(), frozenset(getattr(done, "facts", done).unchecked)
    except ScalpelError as error:
        return _findings(error.data["findings"]), frozenset()


def _by_hook(repo: Sandbox, files: Files) -> Verdict:
    return _staged(repo, files, {})


def _by_half_of_the_index(repo: Sandbox, files: Files) -> Verdict:
    good = {path: GOOD.get(path.removeprefix("old/"), b"") for path in files}
    return _staged(repo, files, good)


def _by_api(repo: Sandbox, files: Files) -> Verdict:
    with gitscalpel.open(repo.root) as opened:
        return _told(lambda: opened.edit(*_ops(files), dry_run=True))


def _by_stage(repo: Sandbox, files: Files) -> Verdict:
    with gitscalpel.open(repo.root) as opened, opened.begin("a change") as transaction:
        return _told(lambda: transaction.edit(*_ops(files)))


def _by_check(repo: Sandbox, files: Files) -> Verdict:
    with gitscalpel.open(repo.root) as opened, opened.begin("a change") as transaction:
        transaction.edit(*_ops(files), allow_broken=True)
        return _told(transaction.check)


def _by_landing(repo: Sandbox, files: Files) -> Verdict:
    with gitscalpel.open(repo.root) as opened:
        return _told(lambda: opened.edit(*_ops(files)))


def _of_envelope(said: Mapping[str, Any]) -> Verdict:
    if said["ok"]:
        return frozenset(), frozenset(said["data"].get("unchecked", ()))
    return _findings(said["error"]["data"]["findings"]), frozenset()


def _by_apply(repo: Sandbox, files: Files) -> Verdict:
    said = json.dumps({"ops": _ops(files)})
    return _of_envelope(scalpel(repo.root, "apply", "-", "--dry-run", "--json", stdin=said).json)


def _by_patch(repo: Sandbox, files: Files) -> Verdict:
    repo.write(dict(files))
    repo.git("add", "-A")
    patch = repo.git("diff", "--cached", "--binary")
    repo.git("reset", "-q", "--hard")
    said = patch.encode("utf-8", "surrogateescape")
    return _of_envelope(scalpel(repo.root, "apply", "-", "--dry-run", "--json", stdin=said).json)


def _by_mcp(repo: Sandbox, files: Files) -> Verdict:
    with greeted(repo.root, "--allow-edit", "--tools", "all") as client:
        said = client.result("edit", ops=_ops(files))["structuredContent"]
    return _of_envelope(said)


WAYS = (
    _by_hook,
    _by_half_of_the_index,
    _by_api,
    _by_stage,
    _by_landing,
    _by_apply,
    _by_patch,
    _by_mcp,
)


def made(place: Path, *, has_taken: bool = False) -> Sandbox:
    """Return a repository with the good files below ``old``, or with those that are taken."""
    files = GOOD if has_taken else {"old/" + path: good for path, (good, _) in BROKEN.items()}
    kept = {".gitscalpel.toml": samples.RULES, ".gitattributes": samples.ATTRIBUTES}
    return Sandbox.of(place, {**files, **kept})


def test_every_language_has_samples() -> None:
    assert set(samples.LANGUAGES) == {language.name for language in LANGUAGES}


def test_broken_files_are_refused_at_the_same_places_in_the_same_words(tmp_path: Path) -> None:
    broken = {where + path: bad for path, (_, bad) in BROKEN.items() for where in ("", "old/")}
    findings, _ = first = _by_hook(made(tmp_path / "first"), broken)
    assert {path for path, *_ in findings} == set(broken)
    for way in WAYS[1:]:
        assert way(made(tmp_path / way.__name__), broken) == first, way.__name__


@pytest.mark.parametrize("is_new", [True, False])
def test_files_that_are_taken_get_the_same_notes(tmp_path: Path, is_new: bool) -> None:
    taken = GOOD if is_new else {path: good + b"\n" for path, good in GOOD.items() if path != "e.js"}
    findings, notes = first = _by_hook(made(tmp_path / "first", has_taken=not is_new), taken)
    assert not findings
    assert notes
    for way in some((*WAYS[1:], _by_check), 1 if is_new else 3):
        assert way(made(tmp_path / way.__name__, has_taken=not is_new), taken) == first, way.__name__


@pytest.mark.parametrize("path", some(list(BROKEN), 4))
def test_a_file_that_is_written_alone_gets_the_verdict_of_the_hook(tmp_path: Path, path: str) -> None:
    repo, (_, bad) = made(tmp_path / "repo"), BROKEN[path]
    written = scalpel(repo.root, "write", path, "--dry-run", "--json", stdin=bad).json
    assert _of_envelope(written) == _by_hook(repo, {path: bad})
