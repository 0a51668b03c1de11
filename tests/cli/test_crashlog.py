"""An unexpected error writes a crash log with place and versions, but without edited contents."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gitscalpel
from gitscalpel.api import unexpected_errors
from gitscalpel.cli import command_line

CALL = ["text", "secret.py", "--old", "hunter2", "--new=hunter3", "-mhunter4", "--all"]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr("gitscalpel.cli.command_line.prepare_call", _raise_error)
    return tmp_path / "git-scalpel" / "crashes"


def _raise_error(*_: object) -> Callable[[], None]:
    raise ZeroDivisionError("by zero")


def _list_logs(state: Path) -> list[Path]:
    return sorted(state.iterdir()) if state.is_dir() else []


def test_crash_log_is_named_and_has_no_contents(state: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert command_line.run(CALL) == 70
    (log,) = _list_logs(state)
    assert capfd.readouterr().err == (
        "error: internal: ZeroDivisionError: by zero\n"
        f"hint: report this defect with {log}; git scalpel log shows what has landed\n"
    )
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    text = log.read_text()
    assert "command: text --old --new -m --all\n" in text
    assert f"\ngitscalpel {gitscalpel.__version__}\npython 3." in text
    assert "\ngit version 2." in text
    assert "in _raise_error\n" in text
    assert text.endswith("ZeroDivisionError: by zero\n")
    assert "hunter" not in text
    assert "secret" not in text


def test_crash_log_omits_the_command_after_two_dashes(state: Path) -> None:
    command_line.run(["run", "--json", "--", "sed", "--all", "-m"])
    assert "command: run --json\n" in _list_logs(state)[0].read_text()


@pytest.mark.parametrize("call", [[], ["hunter2", "--all"], ["--hunter2"]])
def test_crash_log_does_not_quote_an_unknown_command(state: Path, call: list[str]) -> None:
    command_line.run(call)
    assert "command: ?\n" in _list_logs(state)[0].read_text()


def test_error_in_option_definitions_is_logged(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitscalpel.cli.options.add_arguments", _raise_error)
    command_line.build_parser.cache_clear()  # other tests of this process have filled the cache
    assert command_line.run(CALL) == 70
    assert "command: text\n" in _list_logs(state)[0].read_text()


def test_json_error_names_the_crash_log(state: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert command_line.run([*CALL, "--json"]) == 70
    error: dict[str, Any] = json.loads(capfd.readouterr().out)["error"]
    assert (error["code"], error["data"]) == ("internal", {"crash_log": str(_list_logs(state)[0])})


def test_only_the_newest_crash_logs_are_kept(state: Path) -> None:
    for _ in range(unexpected_errors.MAX_LOGS + 1):
        command_line.run(["status"])
    first, *others = _list_logs(state)
    assert len(others) == unexpected_errors.MAX_LOGS - 1
    command_line.run(["log"])
    assert _list_logs(state)[:-1] == others
    assert "command: log\n" in _list_logs(state)[-1].read_text()
    assert not first.exists()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_traceback_is_printed_if_no_log_can_be_written(
    state: Path, kind: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    state.parent.mkdir()
    if kind == "file":
        state.write_bytes(b"")
    else:
        state.symlink_to(tmp_path)
    assert command_line.run(["status", "--json"]) == 70
    output = capfd.readouterr()
    assert "in _raise_error\n" in output.err
    assert json.loads(output.out)["error"]["hint"].startswith(
        "report this defect with the log on standard error"
    )
    assert not list(tmp_path.glob("*.txt"))
