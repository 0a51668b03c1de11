"""Errors of patches whose places in a file are not found, or not certain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gitscalpel.edit.patches.formats.patch_errors import patch_error
from gitscalpel.edit.patches.formats.patch_model import Hunk, Passage
from gitscalpel.edit.source import Source
from gitscalpel.errors import DoesNotFit
from gitscalpel.text import line_endings, placeholders
from gitscalpel.text.document import Document
from gitscalpel.text.fuzzy_match import Difference, first_difference, nearest_lines, split_lf_lines


def hunk_not_found(path: str, hunk: Hunk, document: Document) -> DoesNotFit:
    """A hunk whose old lines do not stand in the file; shows where they differ and what comes closest."""
    old = [line.removesuffix(b"\r") for line in hunk.old]
    refuse_left_out(path, document, old, f"hunk {hunk.index}", hunk=hunk.index)
    shown, found = closest_rows(document, old), closest_difference(document, old)
    hint = "copy the old lines exactly as they stand in the file"
    return patch_error(
        f"hunk {hunk.index} does not fit {path}: its old lines do not stand there" + difference_text(found),
        hint_closest(hint, shown),
        path=path,
        hunk=hunk.index,
        nearest=shown,
        **difference_data(found),
    )


def refuse_left_out(path: str, document: Document, old: Sequence[bytes], label: str, **data: Any) -> None:
    """Refuse old text that leaves out lines; what it changes must stand in it as it stands in the file.

    Raises:
        DoesNotFit: ``elided``.
    """
    held = {line.strip() for line in split_lf_lines(document.text)}
    left = next((line for line in old if _stands_for_others(line) and line.strip() not in held), None)
    if left is not None:
        raise DoesNotFit(
            "elided",
            f"{label} of {path} leaves out lines of its old text: {quote_lines([left]).strip()}",
            "write the lines in full, or make one hunk of what is above and one of what is below",
            path=path,
            placeholder=quote_lines([left]).strip(),
            **data,
        )


def _stands_for_others(line: bytes) -> bool:
    return line.strip() in (b"...", b"\xe2\x80\xa6") or placeholders.is_placeholder(line)


def closest_difference(document: Document, old: Sequence[bytes]) -> Difference | None:
    """Where the lines that come closest to ``old`` differ from it."""
    return first_difference(split_lf_lines(line_endings.plain(document.text)), old)


def difference_text(found: Difference | None) -> str:
    """A difference as the end of a message."""
    return f"; {found.words}" if found else ""


def difference_data(found: Difference | None) -> dict[str, Any]:
    """A difference as an error's data has it."""
    return {"differs": found.data} if found else {}


def closest_rows(document: Document, old: Sequence[bytes]) -> list[dict[str, Any]]:
    """The lines that come closest to ``old``."""
    lines = split_lf_lines(document.text)
    return [{"n": n, "text": lines[n - 1].decode("utf-8", "replace")} for n in nearest_lines(lines, old)]


def hint_closest(hint: str, rows: Sequence[dict[str, Any]]) -> str:
    """A hint with the lines that come closest, if there are any."""
    said = "; ".join(f"line {row['n']}: {row['text']}" for row in rows)
    return f"{hint}; closest are {said}" if rows else hint


def hunk_ambiguous(path: str, hunk: Hunk, found: Sequence[int], forgives: str = "") -> DoesNotFit:
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


def hunk_contradicting(path: str, hunk: Hunk, told: int, headed: Sequence[int]) -> DoesNotFit:
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


def hunk_ending_differs(path: str, hunk: Hunk) -> DoesNotFit:
    """A hunk that says of an old line that no newline follows it, where one does."""
    return patch_error(
        f"hunk {hunk.index} says that {path} ends without a newline, and it does not",
        r"leave out '\ No newline at end of file', or make the patch again from the file as it is",
        path=path,
        hunk=hunk.index,
    )


def anchor_elsewhere(path: str, hunk: Hunk, is_there: bool, found: Sequence[int]) -> DoesNotFit:
    """A hunk whose @@ line names what the file does not hold, or holds below it."""
    named = quote_lines(hunk.anchors[-1])
    what = "its old lines stand above that" if is_there else "the file does not hold that"
    return patch_error(
        f"hunk {hunk.index} says that it stands below {named!r} in {path}, and {what}",
        f"name a line above line {found[0] + 1} behind @@, exactly as the file has it, or leave it out",
        path=path,
        hunk=hunk.index,
    )


def hunk_applied_already(path: str, hunk: Hunk, at: int) -> DoesNotFit:
    """A hunk whose new lines stand there."""
    return DoesNotFit(
        "no_change",
        f"what hunk {hunk.index} adds to {path} stands at line {at + 1} already",
        "if it is to stand there twice, give unchanged lines on both sides of it",
        path=path,
        hunk=hunk.index,
    )


def edits_overlap(source: Source, first: int, second: int, at: int) -> DoesNotFit:
    """Two edits of one place."""
    return patch_error(
        f"edits {first} and {second} of {source.path} change the same place, "
        f"line {source.document.line_at(at)}",
        "put both changes into one hunk or edit",
        path=source.path,
        edits=[first, second],
    )


def quote_lines(lines: Sequence[bytes]) -> str:
    """Lines as a message shows them."""
    return b"\n".join(lines).strip(b"\n").decode("utf-8", "replace")


def passage_not_found(source: Source, passage: Passage) -> DoesNotFit:
    """Text that does not stand in the file; shows the lines that come closest."""
    old = split_lf_lines(line_endings.plain(passage.old))
    refuse_left_out(source.path, source.document, old, f"edit {passage.index}", edit=passage.index)
    shown, found = closest_rows(source.document, old), closest_difference(source.document, old)
    hint = "copy the old text exactly as it stands in the file"
    return DoesNotFit(
        "not_found",
        f"edit {passage.index} of {source.path}: its old text does not stand there" + difference_text(found),
        hint_closest(hint, shown),
        path=source.path,
        edit=passage.index,
        nearest=shown,
        **difference_data(found),
    )


def passage_ambiguous(source: Source, passage: Passage, found: Sequence[tuple[int, int]]) -> DoesNotFit:
    """Text that stands in the file several times."""
    at = source.document.line_at
    ranges = [[at(start), max(at(start), at(end - 1))] for start, end in found]
    return DoesNotFit(
        "ambiguous",
        f"edit {passage.index} of {source.path}: its old text stands there {len(found)} times, at lines "
        + ", ".join(f"{first}-{last}" if first < last else str(first) for first, last in ranges[:10]),
        "add lines around it until it is the only one, or say that all are meant (replace_all)",
        path=source.path,
        edit=passage.index,
        ranges=ranges,
    )


def passage_count(source: Source, passage: Passage, found: Sequence[tuple[int, int]]) -> DoesNotFit:
    """Text that stands in the file another number of times than the edit says."""
    at = source.document.line_at
    return DoesNotFit(
        "count_mismatch",
        f"edit {passage.index} of {source.path}: its old text stands there {len(found)} times, and "
        f"{passage.count} are expected",
        "say how many there are, or add lines around those that are meant",
        path=source.path,
        edit=passage.index,
        lines=[at(start) for start, _ in found],
        count=len(found),
    )


def passage_over_scoped(path: str, matched: int, put_back: int) -> DoesNotFit:
    """Old text that fits only by forgiving, and of which less than half is put back."""
    return DoesNotFit(
        "over_scoped",
        f"the old text matches {matched} lines of {path} by forgiving, and {put_back} come in their place",
        "copy the old text exactly as it stands in the file, or name only what changes",
        path=path,
        matched=matched,
        put_back=put_back,
    )


def anchor_not_found(path: str, document: Document, anchor: Sequence[bytes]) -> DoesNotFit:
    """Lines beside an ellipsis that do not stand in the file."""
    shown = closest_rows(document, anchor)
    hint = "write above and below each ellipsis a line exactly as the file has it"
    return patch_error(
        f"the block for {path} has an ellipsis beside lines that the file does not hold: "
        f"{quote_lines(anchor)}",
        hint_closest(hint, shown),
        path=path,
        anchor=quote_lines(anchor),
        nearest=shown,
    )


def anchor_ambiguous(path: str, anchor: Sequence[bytes], found: Sequence[int]) -> DoesNotFit:
    """Lines beside an ellipsis that stand in the file several times."""
    ranges = [[at + 1, at + len(anchor)] for at in found]
    return DoesNotFit(
        "ambiguous",
        f"the block for {path} has an ellipsis beside lines that the file holds {len(found)} times, at lines "
        + ", ".join(str(first) for first, _ in ranges[:10])
        + f": {quote_lines(anchor)}",
        "let the ellipsis stand for less, up to a line that the file holds once",
        path=path,
        anchor=quote_lines(anchor),
        ranges=ranges,
    )


def sketch_over_scoped(path: str, removed: int, written: int) -> DoesNotFit:
    """A block that lacks many lines of the file and has no ellipsis there."""
    return DoesNotFit(
        "over_scoped",
        f"the block for {path} lacks {removed} lines of the file and writes {written} in their place",
        "write ... existing code ... as a comment where lines stay; to remove lines, use delete or lines",
        path=path,
        removed=removed,
        written=written,
    )
