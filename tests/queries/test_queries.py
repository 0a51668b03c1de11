"""A sample of ``python -m tests.queries``, in a part of this project."""

from __future__ import annotations

from pathlib import Path

import gitscalpel
from tests.queries import __main__
from tests.sandbox import Sandbox


def test_cached_and_filtered_answers_are_those_of_each_file(tmp_path: Path) -> None:
    package = Path(gitscalpel.__file__).parent
    files = {f"own/{path.name}": path.read_bytes() for path in sorted(package.glob("s*/[a-c]*.py"))[:8]}
    repo = Sandbox.of(
        tmp_path / "repo", files | {"README.md": b"# Outline\n", "x/a.ts": b"function outline() {}\n"}
    )
    assert __main__.main([str(repo.root), "--count", "25", "--seed", "3"]) == 0
