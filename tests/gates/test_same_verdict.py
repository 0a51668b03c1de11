"""Interfaces report equal findings for equal bytes."""

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
from tests.mcp.client import connect_client
from tests.sandbox import Sandbox
from tests.today import some

Files = Mapping[str, bytes]
Verdict = tuple[frozenset[tuple[str, int, int, str]], frozenset[str]]
"""Findings of the syntax gate (path, line, column, message) and the notes on unchecked files."""
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


def _check_index(repo: Sandbox, files: Files, written_later: Files) -> Verdict:
    """Check the index while the files on disk have other contents."""
    repo.write(dict(files))
    repo.git("add", "-A")
    repo.write({**dict.fromkeys(files, b"x\n"), **written_later})
    with gitscalpel.open(repo.root) as opened:
        return _call_judge(opened.check_staged)


def _call_judge(judge: Callable[[], Any]) -> Verdict:
    try:
        done = judge()
        return frozenset(), frozenset(getattr(done, "facts", done).unchecked)
    except ScalpelError as error:
        return _findings(error.data["findings"]), frozenset()


def _judge_by_hook(repo: Sandbox, files: Files) -> Verdict:
    return _check_index(repo, files, {})


def _judge_by_hook_with_good_files(repo: Sandbox, files: Files) -> Verdict:
    good = {path: GOOD.get(path.removeprefix("old/"), b"") for path in files}
    return _check_index(repo, files, good)


def _judge_by_api(repo: Sandbox, files: Files) -> Verdict:
    with gitscalpel.open(repo.root) as opened:
        return _call_judge(lambda: opened.edit(*_ops(files), dry_run=True))


def _judge_by_stage(repo: Sandbox, files: Files) -> Verdict:
    with gitscalpel.open(repo.root) as opened, opened.begin("a change") as transaction:
        return _call_judge(lambda: transaction.edit(*_ops(files)))


def _judge_by_check(repo: Sandbox, files: Files) -> Verdict:
    with gitscalpel.open(repo.root) as opened, opened.begin("a change") as transaction:
        transaction.edit(*_ops(files), allow_broken=True)
        return _call_judge(transaction.check)


def _judge_by_landing(repo: Sandbox, files: Files) -> Verdict:
    with gitscalpel.open(repo.root) as opened:
        return _call_judge(lambda: opened.edit(*_ops(files)))


def _read_envelope(answer: Mapping[str, Any]) -> Verdict:
    if answer["ok"]:
        return frozenset(), frozenset(answer["data"].get("unchecked", ()))
    return _findings(answer["error"]["data"]["findings"]), frozenset()


def _judge_by_apply(repo: Sandbox, files: Files) -> Verdict:
    changeset = json.dumps({"ops": _ops(files)})
    return _read_envelope(scalpel(repo.root, "apply", "-", "--dry-run", "--json", stdin=changeset).json)


def _judge_by_patch(repo: Sandbox, files: Files) -> Verdict:
    repo.write(dict(files))
    repo.git("add", "-A")
    patch = repo.git("diff", "--cached", "--binary")
    repo.git("reset", "-q", "--hard")
    stdin = patch.encode("utf-8", "surrogateescape")
    return _read_envelope(scalpel(repo.root, "apply", "-", "--dry-run", "--json", stdin=stdin).json)


def _judge_by_mcp(repo: Sandbox, files: Files) -> Verdict:
    with connect_client(repo.root, "--allow-edit", "--tools", "all") as client:
        answer = client.call_result("edit", ops=_ops(files))["structuredContent"]
    return _read_envelope(answer)


INTERFACES = (
    _judge_by_hook,
    _judge_by_hook_with_good_files,
    _judge_by_api,
    _judge_by_stage,
    _judge_by_landing,
    _judge_by_apply,
    _judge_by_patch,
    _judge_by_mcp,
)


def make_repository(place: Path, *, has_taken: bool = False) -> Sandbox:
    """Return a repository with the good files below ``old``, or with the accepted ones."""
    files = GOOD if has_taken else {"old/" + path: good for path, (good, _) in BROKEN.items()}
    configuration = {".gitscalpel.toml": samples.RULES, ".gitattributes": samples.ATTRIBUTES}
    return Sandbox.of(place, {**files, **configuration})


def test_each_language_has_samples() -> None:
    assert set(samples.LANGUAGES) == {language.name for language in LANGUAGES}


def test_broken_files_have_the_same_findings_in_each_interface(tmp_path: Path) -> None:
    broken = {where + path: bad for path, (_, bad) in BROKEN.items() for where in ("", "old/")}
    findings, _ = first = _judge_by_hook(make_repository(tmp_path / "first"), broken)
    assert {path for path, *_ in findings} == set(broken)
    for judge in INTERFACES[1:]:
        assert judge(make_repository(tmp_path / judge.__name__), broken) == first, judge.__name__


@pytest.mark.parametrize("is_new", [True, False])
def test_accepted_files_have_the_same_notes_in_each_interface(tmp_path: Path, is_new: bool) -> None:
    taken = GOOD if is_new else {path: good + b"\n" for path, good in GOOD.items() if path != "e.js"}
    findings, notes = first = _judge_by_hook(make_repository(tmp_path / "first", has_taken=not is_new), taken)
    assert not findings
    assert notes
    for judge in some((*INTERFACES[1:], _judge_by_check), 1 if is_new else 3):
        assert judge(make_repository(tmp_path / judge.__name__, has_taken=not is_new), taken) == first, (
            judge.__name__
        )


@pytest.mark.parametrize("path", some(list(BROKEN), 4))
def test_write_has_the_verdict_of_the_hook(tmp_path: Path, path: str) -> None:
    repo, (_, bad) = make_repository(tmp_path / "repo"), BROKEN[path]
    written = scalpel(repo.root, "write", path, "--dry-run", "--json", stdin=bad).json
    assert _read_envelope(written) == _judge_by_hook(repo, {path: bad})
