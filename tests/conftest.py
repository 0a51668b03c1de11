"""Fixtures that isolate every test from the machine: own home and configuration, fixed dates and names."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import quick, today
from tests.memory import use_memory
from tests.sandbox import SEALED, Sandbox, no_bubblewrap

use_memory()

# For more random examples: HYPOTHESIS_PROFILE=long python -m pytest tests/edit
_LOADED = [HealthCheck.too_slow]  # depends on the machine, not on the test
settings.register_profile(
    "ci", max_examples=60, deadline=None, print_blob=True, suppress_health_check=_LOADED
)
settings.register_profile("long", settings.get_profile("ci"), max_examples=5_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import a share of the tests in each of several processes before they collect all tests.

    pytest rewrites the assertions of a module that it imports for the first time and keeps the result on the
    disk. Processes that collect in the same order would all rewrite the same module at the same moment.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell started them in the background: `... &`
        # Programs that tests interrupt inherit the handler.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.args != session.config.getini("testpaths"):
        return
    root = session.config.rootpath
    files = sorted(path for folder in ("tests", "bench") for path in (root / folder).rglob("test_*.py"))
    if _is_inner_loop(session.config):
        files = [file for file in files if quick.has_quick(file)]
    for file in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
        with suppress(Exception, pytest.skip.Exception):  # collecting says it, with its place
            import_module(".".join(file.relative_to(root).with_suffix("").parts))


def _is_inner_loop(config: pytest.Config) -> bool:
    return bool(config.option.markexpr == "quick")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import modules that ``-m quick`` excludes."""
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return True if is_test and _is_inner_loop(config) and not quick.has_quick(collection_path) else None


LONGEST = ("test_style.py", "test_pre_commit.py", "test_sample.py", "test_renames.py", "test_power.py")
"""Modules with single tests of 10 seconds and more, the longest first."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Start with the longest tests, so that no process ends with one of them, and mark the quick tests."""
    items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))
    if _is_inner_loop(config):
        for item in items:
            if quick.is_quick(item.path, getattr(item, "originalname", item.name)):
                item.add_marker("quick")


def pytest_collection_finish() -> None:
    """Exclude collected objects from garbage collection, and collect rarely, as edits do."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Collect garbage once for unclosed resources, instead of pytest's five times."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the day from which every sample is drawn."""
    terminalreporter.write_line(
        f"samples of day {today.DAY}; the same ones again: {today.VARIABLE}={today.DAY}"
    )


@pytest.fixture(scope="session")
def without_sandbox(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a directory for PATH that makes this a machine without sandboxes.

    So a test sees what its gates leave outside of their worktree; ``tests/sandboxed`` has those with one.
    """
    return no_bubblewrap(tmp_path_factory.mktemp("no-sandbox"))


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return new, unused directories; ``tmp_path`` would search all earlier ones for each new one."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def sealed_environment(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch, without_sandbox: str) -> None:
    home = next(homes)
    home.mkdir()
    seal(monkeypatch, home, without_sandbox)


def seal(monkeypatch: pytest.MonkeyPatch, home: Path, without_sandbox: str) -> None:
    """Hide the configuration of this machine by environment variables."""
    monkeypatch.setenv("PATH", without_sandbox, prepend=os.pathsep)
    for name in list(os.environ):
        if name.startswith(("GIT_", "SCALPEL_", "GITSCALPEL_")):
            monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home))
    for name, value in SEALED.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repo(tmp_path: Path) -> Sandbox:
    """Return a repository with one commit."""
    return Sandbox.of(tmp_path / "repo", {"a.py": b"one\ntwo\nthree\n", "sub/b.py": b"b\n"})


@pytest.fixture(params=[False, True], ids=["plumbing", "libgit2"])
def each_store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with each object store in everything that a sandbox opens."""
    monkeypatch.setattr(Sandbox, "long_lived", request.param)
