"""Replace the header of a definition (``signature``), and leave its body and documentation unchanged."""

from __future__ import annotations

import re

import msgspec

from gitscalpel.changesets.operations import Signature
from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import code_indentation, incomplete_code, trial_parse, trivia_merge
from gitscalpel.errors import DoesNotFit
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import FUNCTIONS, Span, Symbol
from gitscalpel.text import line_endings
from gitscalpel.text.splice import Splice

_OPENERS = (b"{", b", do:", b":", b"=>", b"=", b"where", b";")
_BEGINS_BODY = re.compile(rb"\{|do\b")


def signature(op: Signature, target: Symbol, source: Source) -> Edit:
    """Replace the header up to the body; parts of the lead that ``code`` does not bring stay.

    Raises:
        DoesNotFit: ``name_mismatch``, ``kind_mismatch`` or ``extra_definitions``.
        GateRefused: ``syntax_error``.
    """
    if not target.named:
        raise DoesNotFit(
            "kind_mismatch", f"a {target.kind} has no signature", "point at a definition, or use replace"
        )
    raw = line_endings.trim(op.code.encode("utf-8", "surrogateescape"))
    if target.header_end == target.end and target.body is None and b"\n" in raw:
        raise DoesNotFit(
            "kind_mismatch",
            f"{target.qualname} is a {target.kind} without a body, so it is all header",
            "use replace",
        )
    header, corrections = _header_alone(raw, source)
    indent = code_indentation.margin_at(target.start, source)
    old = Span(target.outer, target.header_end)  # its lines show how the code came
    fitted = _closed(code_indentation.fit_code(header, source, indent, old), target, source)
    body = source.text[target.header_end : target.end]
    trial = trial_parse.parse_trial(source, target.outer, target.end, fitted + body)
    trial = trial_parse.without_known_faults(trial, source)
    if not trial.definitions() and not (
        trial.fault and incomplete_code.begins_definition(raw, target, source)
    ):
        raise DoesNotFit(
            "body_only",
            "the code holds no header of a definition",
            "send the header, such as def f(a, b):",
        )
    incomplete_code.require_parsed(trial, target, raw, source)
    new = trial_parse.require_match(trial.definitions(), target, source.outline)
    trial_parse.require_others(trial, source.outline, Span(target.outer, target.end))
    joined = trivia_merge.join_trivia(target, trial, new, "auto", indent)
    text = line_endings.fit(joined.text.removesuffix(body), source.document, joined.start, target.header_end)
    span = (target.outer, target.header_end)
    made = Edit(
        (Splice(joined.start, target.header_end, text),), span, corrections=corrections, lead=joined.report
    )
    return _documented(made, target, source) if op.docs else made


def _documented(made: Edit, target: Symbol, source: Source) -> Edit:
    """Return the edit with documentation that describes the new parameters; one that it brings stays."""
    from gitscalpel.syntax.documentation.described import documentation
    from gitscalpel.syntax.documentation.follow import follow
    from gitscalpel.syntax.documentation.parameters import typed_parameters

    after = source.edited(made).outline
    place = _namesakes(source.outline, target).index(target)
    new = _namesakes(after, target)[place]
    was, now = documentation(source.outline, target), documentation(after, new)
    if was.text != now.text:
        return made
    followed = follow(now.text, typed_parameters(target), typed_parameters(new))
    if followed.text == now.text:
        return made
    text = after.syntax.text
    whole = text[: now.start] + followed.text.encode("utf-8", "surrogateescape") + text[now.end :]
    (written,) = made.splices
    start, end = min(written.start, was.start), max(written.end, was.end)
    splice = Splice(start, end, whole[start : len(whole) - (len(source.text) - end)])
    corrections = (*made.corrections, *followed.notes)
    return msgspec.structs.replace(made, splices=(splice,), corrections=corrections)


def _namesakes(outline: Outline, target: Symbol) -> list[Symbol]:
    return [each for each in outline.walk() if each.path == target.path and each.kind == target.kind]


def _header_alone(raw: bytes, source: Source) -> tuple[bytes, tuple[str, ...]]:
    """The header of what was sent, also where a body came with it."""
    outline = source.alone(raw)
    found = list(outline.symbols)
    with_body = len(found) == 1 and (found[0].body is not None or found[0].kind in FUNCTIONS)
    if with_body and found[0].header_end < found[0].end:
        body = outline.syntax.text[found[0].header_end :]
        return raw.removesuffix(body).rstrip(), ("used the header of code and left its body out",)
    return raw.rstrip(), ()


def _closed(header: bytes, target: Symbol, source: Source) -> bytes:
    """The header with what stands between it and the body in the file (``:``, ``=>``, blanks)."""
    old = source.text[target.start : target.header_end]
    bare = old.rstrip()
    opener = next((o for o in _OPENERS if bare.endswith(o) and target.defines), b"")
    white = old[len(bare) :]
    if begins := _BEGINS_BODY.match(source.text, target.header_end):
        bracket = begins.group()
        if header.endswith(b" " + bracket) or bracket == b"{":
            header = header.removesuffix(bracket).rstrip()
    if opener and not header.endswith(opener):
        space = bare[: len(bare) - len(opener)]
        header += space[len(space.rstrip()) :] + opener
    return header + white
