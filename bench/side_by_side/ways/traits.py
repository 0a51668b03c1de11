"""What a way does beside the edit, and what it does not: tried, not read in its documentation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench.repos import BODIES, NAME, code, content, made, run
from bench.side_by_side.ways.library import Refused
from bench.side_by_side.ways.way import Edit, Way

_FILE = "a.py"
_OLD, _NEW = (code(body) for body in BODIES)
_USUAL = Edit(_FILE, NAME, _OLD, _NEW)
_BROKEN = _USUAL._replace(new=code("    return (\n"))


def told(way: Way, folder: Path) -> str:
    """In words."""
    tried = (_broken, _endings, _decorator, _uncommitted, _staged)
    words = [one(way, folder / one.__name__.strip("_")) for one in tried]
    return "; ".join(["synced" if way.syncs else "not synced", *words])


def _broken(way: Way, place: Path) -> str:
    done = _tried(way, place, _BROKEN, content(BODIES[0]))
    return f"broken code {'committed' if done else 'refused'}"


def _endings(way: Way, place: Path) -> str:
    before = content(BODIES[0]).replace("\n", "\r\n")
    done = _tried(way, place, _USUAL, before)
    after = (place / _FILE).read_bytes()
    lines, returns = after.count(b"\n"), after.count(b"\r\n")
    became = "kept" if lines == returns else "mixed with LF" if returns else "made LF"
    return f"CRLF {became if done else 'refused'}"


def _decorator(way: Way, place: Path) -> str:
    before = content(BODIES[0]).replace(_OLD, f"@cached\n{_OLD}")
    done = _tried(way, place, _USUAL, before)
    kept = f"@cached\n{_NEW}" in (place / _FILE).read_text()
    return f"decorator {'refused' if not done else 'kept' if kept else 'lost'}"


def _uncommitted(way: Way, place: Path) -> str:
    """A line elsewhere in the file that its user has not committed."""

    def written() -> None:
        with (place / _FILE).open("a") as file:
            file.write("mine = 1\n")

    done = _tried(way, place, _USUAL, content(BODIES[0]), written)
    there, landed = ("mine = 1" in text for text in ((place / _FILE).read_text(), _landed(place)))
    became = "committed along" if landed else "left" if there else "lost"
    return f"uncommitted lines {became if done else 'refused'}"


def _staged(way: Way, place: Path) -> str:
    """Another file that is staged."""

    def staged() -> None:
        (place / "b.py").write_text("mine = 1\n")
        run(place, "git", "add", "b.py")

    done = _tried(way, place, _USUAL, content(BODIES[0]), staged)
    along = "b.py" in run(place, "git", "ls-tree", "--name-only", "HEAD")
    return f"staged files {'refused' if not done else 'committed along' if along else 'left'}"


def _tried(way: Way, place: Path, edit: Edit, text: str, before: Callable[[], object] = lambda: None) -> bool:
    """Whether the edit was committed."""
    from gitscalpel import ScalpelError

    made(place, {_FILE: text})
    before()
    with way.opened(place) as doing:
        try:
            doing(edit)()
        except (ScalpelError, SystemExit, Refused):
            return False
    return _landed(place).replace("\r", "") != text.replace("\r", "")


def _landed(place: Path) -> str:
    return run(place, "git", "show", f"HEAD:{_FILE}")
