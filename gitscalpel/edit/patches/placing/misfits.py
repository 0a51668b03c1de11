"""What is said when the lines of a hunk stand nowhere in the file, or in several places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitscalpel.edit.patches.pieces import Hunk
from gitscalpel.edit.patches.refusals import failed
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.text import elision, endings
from gitscalpel.text.document import Document
from gitscalpel.text.match import split
from gitscalpel.text.nearest import Difference, difference, nearest


def not_found(path: str, hunk: Hunk, document: Document) -> DoesNotFit:
    """A hunk whose old lines do not stand in the file; shows where they differ and what comes closest."""
    old = [line.removesuffix(b"\r") for line in hunk.old]
    refuse_left_out(path, document, old, f"hunk {hunk.index}", hunk=hunk.index)
    shown, found = near(document, old), differing(document, old)
    hint = "copy the old lines exactly as they stand in the file"
    return failed(
        f"hunk {hunk.index} does not fit {path}: its old lines do not stand there" + worded(found),
        closest(hint, shown),
        path=path,
        hunk=hunk.index,
        nearest=shown,
        **told(found),
    )


def refuse_left_out(path: str, document: Document, old: Sequence[bytes], label: str, **data: Any) -> None:
    """Refuse old text that leaves out lines; what it changes must stand in it as it stands in the file.

    Raises:
        DoesNotFit: ``elided``.
    """
    held = {line.strip() for line in split(document.text)}
    left = next((line for line in old if _stands_for_others(line) and line.strip() not in held), None)
    if left is not None:
        raise DoesNotFit(
            "elided",
            f"{label} of {path} leaves out lines of its old text: {quoted([left]).strip()}",
            "write the lines in full, or make one hunk of what is above and one of what is below",
            path=path,
            placeholder=quoted([left]).strip(),
            **data,
        )


def _stands_for_others(line: bytes) -> bool:
    return line.strip() in (b"...", b"\xe2\x80\xa6") or elision.is_elision(line)


def differing(document: Document, old: Sequence[bytes]) -> Difference | None:
    """Where the lines that come closest to ``old`` differ from it."""
    return difference(split(endings.plain(document.text)), old)


def worded(found: Difference | None) -> str:
    """A difference as the end of a message."""
    return f"; {found.words}" if found else ""


def told(found: Difference | None) -> dict[str, Any]:
    """A difference as an error's data has it."""
    return {"differs": found.data} if found else {}


def near(document: Document, old: Sequence[bytes]) -> list[dict[str, Any]]:
    """The lines that come closest to ``old``."""
    lines = split(document.text)
    return [{"n": n, "text": lines[n - 1].decode("utf-8", "replace")} for n in nearest(lines, old)]


def closest(hint: str, rows: Sequence[dict[str, Any]]) -> str:
    """A hint with the lines that come closest, if there are any."""
    said = "; ".join(f"line {row['n']}: {row['text']}" for row in rows)
    return f"{hint}; closest are {said}" if rows else hint


def ambiguous(path: str, hunk: Hunk, found: Sequence[int], forgives: str = "") -> DoesNotFit:
    """A hunk that fits in several places, none of them where it says."""
    count = len(hunk.old)
    ranges = [[at + 1, at + count] for at in found]
    but = f" but for {forgives}" if forgives else ""
    is_numbered = hunk.number is not None or hunk.corrections
    return DoesNotFit(
        "ambiguous",
        f"hunk {hunk.index} fits {path}{but} in {len(found)} places, at lines "
        + ", ".join(f"{first}-{last}" for first, last in ranges[:10]),
        "give more context lines around the change" + (", or its right line number" if is_numbered else ""),
        path=path,
        hunk=hunk.index,
        ranges=ranges,
    )


def contradicting(path: str, hunk: Hunk, told: int, headed: Sequence[int]) -> DoesNotFit:
    """A hunk that fits where its number says and where its heading says, and these are two places."""
    ranges = [[at + 1, at + len(hunk.old)] for at in (told, *headed)]
    heading = hunk.heading.decode("utf-8", "replace")
    others = ", ".join(str(first) for first, _ in ranges[1:10])
    return DoesNotFit(
        "ambiguous",
        f"hunk {hunk.index} fits {path} at line {told + 1} by its number and at line {others} by its "
        f"heading {heading!r}",
        "correct the number, or leave it and the heading out and give more context lines",
        path=path,
        hunk=hunk.index,
        ranges=ranges,
    )


def ended_otherwise(path: str, hunk: Hunk) -> DoesNotFit:
    """A hunk that says of an old line that no newline follows it, where one does."""
    return failed(
        f"hunk {hunk.index} says that {path} ends without a newline, and it does not",
        r"leave out '\ No newline at end of file', or make the patch again from the file as it is",
        path=path,
        hunk=hunk.index,
    )


def anchor_elsewhere(path: str, hunk: Hunk, is_there: bool, found: Sequence[int]) -> DoesNotFit:
    """A hunk whose @@ line names what the file does not hold, or holds below it."""
    named = quoted(hunk.anchors[-1])
    what = "its old lines stand above that" if is_there else "the file does not hold that"
    return failed(
        f"hunk {hunk.index} says that it stands below {named!r} in {path}, and {what}",
        f"name a line above line {found[0] + 1} behind @@, exactly as the file has it, or leave it out",
        path=path,
        hunk=hunk.index,
    )


def applied_already(path: str, hunk: Hunk, at: int) -> DoesNotFit:
    """A hunk whose new lines stand there."""
    return DoesNotFit(
        "no_change",
        f"what hunk {hunk.index} adds to {path} stands at line {at + 1} already",
        "if it is to stand there twice, give unchanged lines on both sides of it",
        path=path,
        hunk=hunk.index,
    )


def overlapping(source: Source, first: int, second: int, at: int) -> DoesNotFit:
    """Two edits of one place."""
    return failed(
        f"edits {first} and {second} of {source.path} change the same place, "
        f"line {source.document.line_at(at)}",
        "put both changes into one hunk or edit",
        path=source.path,
        edits=[first, second],
    )


def quoted(lines: Sequence[bytes]) -> str:
    """Lines as a message shows them."""
    return b"\n".join(lines).strip(b"\n").decode("utf-8", "replace")
