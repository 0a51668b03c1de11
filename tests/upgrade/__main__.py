"""Repositories of an older version under this one, and back: ``python -m tests.upgrade [REVISION]``.

A landing is killed before each of its changing steps (``--every N``: each N-th), by either version, and the
other one goes on. A running server is replaced as well.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import count
from pathlib import Path

from tests.memory import use_memory
from tests.upgrade import lives


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.upgrade", description=__doc__)
    parser.add_argument("revision", nargs="?", default=lives.default_revision(), help="the older version")
    parser.add_argument("--every", type=int, default=1, help="each N-th step of a landing (default: 1)")
    options = parser.parse_args()
    if (reason := lives.why_not(options.revision)) is not None:
        sys.exit(f"error: {reason}")
    use_memory()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for way in ("upgrade", "downgrade"):
            for failpoint in count(1, options.every):
                is_killed, found = lives.play(
                    Path(folder) / f"{way}{failpoint}", options.revision, way, failpoint
                )
                wrong += bool(found)
                print(
                    f"{way}, killed at step {failpoint}: {'; '.join(found) or 'as it should be'}", flush=True
                )
                if not is_killed:
                    break
        world = lives.World(Path(folder) / "server")
        world.install(options.revision)
        found = lives.judge_server(world, None)
        wrong += bool(found)
        print(f"server: {'; '.join(found) or 'as it should be'}")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
