"""One landing on top of a disk that is not as git would have it, with its undo and its redo."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.disk.world import FILTERS, NOBODY, Disk, World, alone

_MINE = {b"hunter2": "what a filter strips", b"mine": "an uncommitted line"}


def lived(number: int) -> str:
    """How life ``number`` went: ``landed …`` or ``refused …`` if nothing was lost, else what was."""
    with tempfile.TemporaryDirectory(prefix="disk-") as home:
        Path(home).chmod(0o777)
        if os.geteuid() == 0:
            os.chown(home, NOBODY, NOBODY)
        return alone(lambda: _life(Path(home) / "repo", random.Random(number)))  # noqa: S311


def _life(root: Path, dice: random.Random) -> str:
    folders = ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
    os.environ |= dict.fromkeys(folders, str(root.parent)) | {"GIT_CONFIG_COUNT": str(len(FILTERS))}
    for at, (key, value) in enumerate(FILTERS.items()):
        os.environ |= {f"GIT_CONFIG_KEY_{at}": key, f"GIT_CONFIG_VALUE_{at}": value}
    world = World(root, dice)
    coming, adopted = _plan(world)
    for name in world.names:
        _disturb(world, name, coming)
    if (world.root / "sub").exists() and dice.random() < 0.15:
        (world.root / "sub").chmod(0o555)
    before, index = world.disk(), world.index()
    landed = _landed(world, coming, adopted)
    after = world.disk()
    if not landed:
        _same(world, before, after, "a refusal has changed the disk")
        _unlocked(root)
        return "refused " + world.said[-1]
    _nothing_lost(world, before, after, adopted)
    meddled = dice.random() < 0.3 and _meddle(world)
    found = world.disk()
    undone = world.scalpel("undo")["ok"]
    back = world.disk()
    _unlocked(root)
    if meddled:
        _nothing_lost(world, found, back)
        return f"landed, meddled, undone {undone}"
    assert undone, world.said
    _same(world, before, back, "the undo has not given back what was there")
    assert world.index() == index, ("the index is another", index, world.index(), world.said)
    assert world.scalpel("redo")["ok"], world.said
    _same(world, after, world.disk(), "the redo has not made the same again")
    assert world.scalpel("undo")["ok"], world.said
    _same(world, before, world.disk(), "the second undo has not given back what was there")
    return "landed, undone, redone, undone"


def _unlocked(root: Path) -> None:
    """So that it can be removed."""
    if (root / "sub").exists():
        (root / "sub").chmod(0o755)


def _plan(world: World) -> tuple[list[dict[str, Any]], list[str]]:
    """The operations that are to land, and what is adopted before them."""
    dice = world.dice
    ops: list[dict[str, Any]] = []
    for name in dice.sample(world.names, dice.randint(1, min(3, len(world.names)))):
        what = dice.choice(("text", "text", "text", "near", "remove", "move", "write"))
        if what == "text":
            ops.append({"op": "text", "path": name, "old": "line 2\n", "new": "LANDED\n"})
        elif what == "near":
            ops.append({"op": "text", "path": name, "old": "line 12\n", "new": "landed 12\n"})
        elif what == "remove":
            ops.append({"op": "remove", "path": name})
        elif what == "move":
            ops.append({"op": "move_file", "path": name, "to": "moved-" + name.replace("/", "-")})
        else:
            ops.append({"op": "write", "path": f"new/{name}", "content": world.content().decode()})
    if dice.random() < 0.3:
        ops.append({"op": "write", "path": "some.ign", "content": "ignored\n"})
    adopted = dice.sample(world.names, 1) if dice.random() < 0.35 else []
    if adopted and dice.random() < 0.5:
        ops = []
    return ops, adopted


def _disturb(world: World, name: str, coming: list[dict[str, Any]]) -> None:
    """Leave the disk at ``name``, or where something is to come, in some state of its own."""
    dice, full = world.dice, world.root / name
    what = dice.choice(("as it is", "result", "gone", "link", "mode", *_TEXTS, "strip"))
    if what in _TEXTS:
        full.write_bytes(_TEXTS[what](full.read_bytes()))
    elif what == "result":
        for op in coming:
            _foresee(world, name, op)
    elif what == "gone" or (what == "link" and dice.random() < 0.4):
        full.unlink()
        if what == "link":
            full.symlink_to("/nowhere")
    elif what == "mode":
        full.chmod(dice.choice((0o400, 0o600, 0o755, 0o444, 0o700)))
    if dice.random() < 0.1 and any(op["path"] == "some.ign" for op in coming):
        (world.root / "some.ign").write_bytes(dice.choice((b"ignored\n", b"mine\n")))
    world.said.append(f"{name}: {what}")


def _endings(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n") if b"\r\n" in text else text.replace(b"\n", b"\r\n")


_TEXTS: dict[str, Callable[[bytes], bytes]] = {
    "far": lambda text: text.replace(b"line 7", b"mine 7"),
    "strip": lambda text: text.replace(b"pw=XXX", b"pw=hunter2"),
    "both": lambda text: text.replace(b"pw=XXX", b"pw=hunter2").replace(b"line 6", b"mine 6"),
    "endings": _endings,
    "mixed": lambda text: text.replace(b"\nline 9", b"\r\nline 9"),
}


def _foresee(world: World, name: str, op: dict[str, Any]) -> None:
    """Let the disk hold already what an operation on ``name`` will leave."""
    full = world.root / name
    if op["path"] == f"new/{name}":
        world.put(f"new/{name}", world.content())
    elif op["path"] == name and full.exists():
        if op["op"] == "text":
            full.write_bytes(full.read_bytes().replace(op["old"].encode(), op["new"].encode()))
        elif op["op"] == "move_file":
            (world.root / op["to"]).write_bytes(full.read_bytes())
        elif op["op"] == "remove":
            full.unlink()


def _landed(world: World, ops: list[dict[str, Any]], adopted: list[str]) -> bool:
    world.said.append(f"{ops} adopting {adopted}")
    if not adopted:
        return bool(world.scalpel("apply", stdin={"ops": ops})["ok"])
    begun = world.scalpel("begin", "--adopt", *adopted)
    if not begun["ok"]:
        return False
    tx = begun["data"]["tx"]
    if ops and not world.scalpel("apply", "--tx", tx, stdin={"ops": ops})["ok"]:
        return False
    return bool(world.scalpel("land", tx)["ok"])


def _meddle(world: World) -> bool:
    """Somebody works on, or cleans up, between the landing and its undo."""
    dice = world.dice
    what = dice.choice(("edits", "deletes", "switches", "restores", "collects"))
    for name in [*world.disk()][:3] if what in ("edits", "deletes") else []:
        full = world.root / name
        if full.is_symlink() or name.startswith(".git"):
            continue
        if what == "deletes":
            full.unlink()
        elif os.access(full, os.W_OK):
            full.write_bytes(full.read_bytes() + b"mine afterwards\n")
    if what == "switches":
        world.git("switch", "-q", "-c", "other", "HEAD~1", ok=False)
        world.git("switch", "-q", "main", ok=False)
    elif what == "restores":
        world.git("checkout", "-q", "--", ".", ok=False)
    elif what == "collects":
        world.git("reflog", "expire", "--expire=now", "--all")
        world.git("gc", "-q", "--prune=now")
    world.said.append("then somebody " + what)
    return True


def _same(world: World, before: Disk, after: Disk, words: str) -> None:
    """Bytes, and permissions: of a file that was away in between only whether it can be executed."""
    for path in sorted(before.keys() | after.keys()):
        a, b = before.get(path), after.get(path)
        same = a is not None and b is not None and a[1] == b[1] and a[0][0] == b[0][0] and a[0][3] == b[0][3]
        assert same, (words, path, a, b, world.said)


def _nothing_lost(world: World, before: Disk, after: Disk, adopted: Sequence[str] = ()) -> None:
    """Every content is still on the disk, or held by a ref; lines that no commit has are on the disk.

    But for a file that was taken in, and taken away: a ref holds all of it. One that has moved is elsewhere.
    """
    everywhere = b"".join(content for _, content in after.values())
    for path, (_, content) in before.items():
        now = after.get(path, ("", b""))[1]
        if now == content:
            continue
        committed = path in adopted and (path not in after or not path.endswith((".pw", ".up")))
        for sign, words in _MINE.items() if not committed else ():
            there = now if path in after else everywhere
            assert content.count(sign) <= there.count(sign), (words, path, content, now, world.said)
        assert world.holds(content) or _again(world, path, content), (
            "nothing holds",
            path,
            content,
            world.said,
        )


def _again(world: World, path: str, content: bytes) -> bool:
    """Whether git would write these bytes for a version of the file that it holds."""
    oid = world.git("rev-list", "--all", "--", path).decode().split()
    forms = [world.git("cat-file", "--filters", f"{commit}:{path}", ok=False) for commit in oid]
    forms += [world.git("cat-file", "--filters", f"{commit}~1:{path}", ok=False) for commit in oid]
    return content in forms
