"""Messages of the project's commits, as ``.ci/commit-msg`` checks them."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
HOOK = ROOT / ".ci" / "commit-msg"
FIRST_CHECKED = "2026-11-28T19:22:00+00:00"
"""Time of the first checked commit; earlier subjects follow no rule."""


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    loader = SourceFileLoader("commit_msg", str(HOOK))
    spec = spec_from_loader("commit_msg", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("git: read packed refs once\n", ""),
        ("find, outline: cache answers by blob\n\nEach call parsed again.\n", ""),
        ("Merge branch 'topic'\n", ""),
        ("git: " + "x" * 70, "75 characters"),
        ("Git: read refs", "area: imperative"),
        ("read refs", "area: imperative"),
        ("git: read refs.", "without a period"),
        ("git: added a reader of refs", "not with 'added'"),
        ("git: the reader of refs is faster", "not with 'the'"),
        ("git: read refs\nmore", "blank line"),
    ],
)
def test_hook_explains_faults(message: str, fault: str, tmp_path: Path) -> None:
    file = tmp_path / "COMMIT_EDITMSG"
    file.write_text(message)
    done = subprocess.run([sys.executable, HOOK, file], capture_output=True, text=True, check=False)
    assert done.returncode == (1 if fault else 0)
    assert fault in done.stderr


def test_commit_messages_follow_the_rules(hook: ModuleType) -> None:
    history = Path(os.environ.get("TESTS_HISTORY", ROOT))
    if not (history / ".git").exists():
        pytest.skip("this copy has no history; TESTS_HISTORY names the repository")
    command = ("git", "-C", history, "log", f"--since={FIRST_CHECKED}", "-z", "--format=%B")
    log = subprocess.run(command, capture_output=True, check=True).stdout.decode("utf-8", "replace")
    faults = {message: hook.find_faults(message) for message in log.split("\0") if message.strip()}
    assert not {message.splitlines()[0]: found for message, found in faults.items() if found}
