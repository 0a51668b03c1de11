"""Files as plain values, and how they are changed and merged.

A file is a row of slots, far enough apart that line merges never meet: of two changes of different
slots both stay, of two of one slot neither. Every value is new, so nothing comes out equal by chance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

FILES = ("one.txt", "sub/two.txt", "three.txt")
"""What is committed in the beginning."""
OTHERS = ("new.txt", "sub/more.txt", "far/deep.txt")
"""What is never committed; it may be added to the index."""
IGNORED = "ignored.txt"
PLACES = (*FILES, *OTHERS, IGNORED)
SLOTS = 4
_BETWEEN = "".join(f"between {n}\n" for n in range(4))

File = tuple[str, ...]
"""What stands in every slot."""
State = Mapping[str, File]
Sides = Mapping[str, "File | None"]
"""Some paths, and what is there; None: nothing."""


class Refusal(Exception):
    """It must be refused, with one of these codes."""

    def __init__(self, *codes: str) -> None:
        super().__init__(*codes)
        self.codes = codes


class Change(NamedTuple):
    """A change that somebody wants to make."""

    kind: str
    path: str
    to: str
    slot: int


def start() -> State:
    return {path: new(f"{path} from the start") for path in FILES}


def new(value: str) -> File:
    return tuple(f"{value} {n}" for n in range(SLOTS))


def text(file: File) -> bytes:
    return "".join(f"{_BETWEEN}{value}\n" for value in file).encode() + _BETWEEN.encode()


def blobs(state: State) -> dict[str, str]:
    """The ids that git gives to the files."""
    named = ((path, text(file)) for path, file in state.items())
    return {path: hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest() for path, data in named}  # noqa: S324


def texts(state: State) -> dict[str, bytes]:
    return {path: text(file) for path, file in state.items()}


def operation(state: State, change: Change, value: str) -> dict[str, Any]:
    """A change as an operation, whether it is possible or not."""
    kind, path, to, slot = change
    if kind == "text":
        return {"op": kind, "path": path, "old": state[path][slot] if path in state else "?", "new": value}
    if kind == "write":
        return {"op": kind, "path": path, "content": text(new(value)).decode()}
    return {"op": "remove", "path": path} if kind == "remove" else {"op": kind, "path": path, "to": to}


def changed(state: State, change: Change, value: str) -> State:
    """What a change leaves. Raises ``Refusal``."""
    kind, path, to, slot = change
    if kind != "write" and path not in state:
        raise Refusal("file_not_found")
    if (path if kind == "write" else to if kind == "move_file" else "") in state:
        raise Refusal("exists")
    if kind == "write":
        return put(state, {path: new(value)})
    file = state[path]
    if kind == "text":
        return put(state, {path: (*file[:slot], value, *file[slot + 1 :])})
    return put(state, {path: None, to: file} if kind == "move_file" else {path: None})


def put(state: State, sides: Sides) -> State:
    """A state with some of its paths as ``sides`` have them."""
    return {path: file for path, file in {**state, **sides}.items() if file is not None}


def differing(one: State, other: State) -> list[str]:
    return [path for path in PLACES if one.get(path) != other.get(path)]


def sides(state: State, paths: Iterable[str]) -> Sides:
    return {path: state.get(path) for path in paths}


def merged(base: State, ours: State, theirs: State) -> State:
    """Three ways. Raises ``Refusal``: ``merge_conflict``."""
    return put({}, {path: merge(*(each.get(path) for each in (base, ours, theirs))) for path in PLACES})


def outcome(find: Callable[[], State]) -> State | Refusal:
    """What comes of it, or why nothing may."""
    try:
        return find()
    except Refusal as refusal:
        return refusal


def merge(base: File | None, ours: File | None, theirs: File | None) -> File | None:
    """One file, slot by slot; one that is not there is merged with none that has been changed."""
    if base in (ours, theirs) or ours == theirs:
        return theirs if ours == base else ours
    if base is None or ours is None or theirs is None:
        raise Refusal("merge_conflict")
    return tuple(_slot(*values) for values in zip(base, ours, theirs, strict=True))


def _slot(base: str, ours: str, theirs: str) -> str:
    if base in (ours, theirs) or ours == theirs:
        return theirs if ours == base else ours
    raise Refusal("merge_conflict")
