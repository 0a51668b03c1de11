"""Corrections of common mistakes of language models in the code that they send.

Models copy the line numbers that they were shown, repeat the lines around a range or the bracket below it,
and send a whole block from column 0. A correction is made only if it is certain, and is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gitscalpel.edit.new_syntax_errors import find_new_errors, with_text
from gitscalpel.edit.source import Source
from gitscalpel.syntax.syntax_errors import find_faults
from gitscalpel.text.indentation import find_indent_rule, indent_columns, indent_of, indent_unit, is_blank
from gitscalpel.text.splice import Splice

# A line behind a comment mark of any language.
_COMMENT = re.compile(
    rb"(?P<mark>//+!?|#+|--+|;+|%+|!+|'|\"|\.\.|(?i:rem)\b|<!--|/\*|\(\*|\{-)"
    rb"[ \t]?(?P<text>.*?)[ \t]*(?:\*/|\*\)|-->|-\})?[ \t]*\Z",
    re.DOTALL,
)
_NUMBERED = re.compile(rb"[ \t]*([0-9]{1,18})(?::[0-9a-fA-F]+)?[ \t]*\| ?")


def strip_range_numbers(code: Sequence[bytes], first: int, last: int) -> list[bytes] | None:
    """Return ``code`` without line-number prefixes, or None unless all lines have ascending ones in range."""
    matches = [_NUMBERED.match(line) for line in code]
    numbers = [int(match[1]) for match in matches if match]
    if len(numbers) != len(code) or numbers != sorted(set(numbers)):
        return None
    if not first <= numbers[0] <= numbers[-1] <= last:
        return None
    return [line[match.end() :] for line, match in zip(code, matches, strict=True) if match]


def is_commented_out(code: Sequence[bytes], addressed: Sequence[bytes]) -> bool:
    """Return True if ``code`` is the addressed lines commented out; blank lines may be unchanged."""
    pairs = list(zip(code, addressed, strict=False))
    marked = [_is_behind_mark(line, old) for line, old in pairs if not is_blank(old)]
    return len(code) == len(addressed) and bool(marked) and all(marked)


def _is_behind_mark(line: bytes, old: bytes) -> bool:
    match = _COMMENT.match(line.lstrip(b" \t"))
    return match is not None and match["text"].strip() == old.strip()


def drop_echo(
    code: Sequence[bytes], addressed: Sequence[bytes], before: bytes | None, after: bytes | None
) -> list[bytes]:
    """Return ``code`` without a first line that repeats ``before`` or a last line that repeats ``after``.

    Nothing is dropped if nothing would remain. A line that also equals the addressed one counts as that.
    """
    if len(code) < 2:
        return list(code)
    head = _repeats(code[0], before, addressed[:1])
    tail = _repeats(code[-1], after, addressed[-1:])
    return list(code[int(head) : len(code) - int(tail)]) or list(code)


def _repeats(line: bytes, neighbour: bytes | None, addressed: Sequence[bytes]) -> bool:
    if neighbour is None or line in addressed:
        return False
    if not any(character.isalnum() for character in line.decode("utf-8", "replace")):
        return False  # blank lines and closing brackets repeat by nature
    return line.rstrip(b" \t") == neighbour.rstrip(b" \t")


def indent_like(code: Sequence[bytes], addressed: Sequence[bytes], file: bytes) -> list[bytes] | None:
    """Return ``code`` shifted to the indentation of the ``addressed`` lines.

    None unless the first line of ``code`` is at column 0 and the first addressed line is not, blank lines
    aside.
    """
    first_line, addressed_line = _first_filled_line(code), _first_filled_line(addressed)
    if first_line is None or addressed_line is None or indent_of(first_line) or not indent_of(addressed_line):
        return None
    rule = find_indent_rule(
        [(b"", indent_of(addressed_line))], [indent_of(line) for line in code if not is_blank(line)], file
    )
    shifted = []
    for line in code:
        indent = rule(indent_of(line)) if rule else None
        new_indent = indent_of(addressed_line) + indent_of(line) if indent is None else indent
        shifted.append(line if is_blank(line) else new_indent + line.lstrip(b" \t"))
    return shifted


def indent_jump_warning(code: Sequence[bytes], around: Sequence[bytes], file: bytes) -> str | None:
    """Return a warning if ``code`` begins more than one level away from every line ``around`` it."""
    first_line = _first_filled_line(code)
    indents = [indent_of(line) for line in around if not is_blank(line)]
    if first_line is None or not indents:
        return None
    level = indent_unit(file)
    tab = 8 if level == b"\t" else len(level)
    distance = min(
        abs(indent_columns(indent_of(first_line), tab) - indent_columns(place, tab)) for place in indents
    )
    if distance <= tab:
        return None
    line = first_line.strip()[:60].decode("utf-8", "replace")
    return f"the indentation jumps by {distance} columns, more than one level: {line}"


def _first_filled_line(lines: Sequence[bytes]) -> bytes | None:
    return next((line for line in lines if not is_blank(line)), None)


BRACKET_DROPPED = "dropped a last line that repeats the following bracket: the file parses only without it"
_LONE = re.compile(rb"[ \t]*[)\]}]+[;,]?[ \t]*\Z")


def drop_bracket(code: Sequence[bytes], following: bytes | None) -> list[bytes] | None:
    """Return the lines without a last bracket that repeats ``following``, or None if it does not."""
    lines = list(code)
    while lines and not lines[-1].strip():
        lines.pop()
    if len(lines) < 2 or following is None or not _LONE.match(lines[-1]):
        return None
    bracket, own_bracket = following.strip().rstrip(b";,"), lines[-1].strip().rstrip(b";,")
    return lines[:-1] if own_bracket == bracket else None


def next_line(text: bytes, at: int) -> bytes | None:
    """Return the first non-blank line from ``at`` on, which may be within a line, or None."""
    rest = text[at:].lstrip()
    return rest.split(b"\n", 1)[0] if rest else None


def drop_needless_bracket(
    source: Source, code: Sequence[bytes], splice: Splice, make_splice: Callable[[list[bytes]], Splice]
) -> tuple[list[bytes], Splice] | None:
    """Return lines and splice without a final bracket that follows anyway and breaks the file, or None."""
    lines = drop_bracket(code, next_line(source.text, splice.end))
    if lines is None:
        return None
    shorter = make_splice(lines)
    return (lines, shorter) if is_bracket_needed(source, splice, shorter) else None


def is_bracket_needed(source: Source, with_bracket: Splice, without: Splice) -> bool:
    """Return True if the file has errors with the bracket and none without it."""
    if source.language is None or source.syntax is None:
        return False
    syntaxes = [source.after((made,)) for made in (with_bracket, without)]
    if len(find_faults(syntaxes[0])) <= len(find_faults(source.syntax)):
        return False
    with_it, without_it = (find_new_errors(source, with_text(source, each.text)).faults for each in syntaxes)
    return bool(with_it) and not without_it
