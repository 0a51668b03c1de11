"""Replace a definition, its header (``replace_signature``), or the value of a key or list item.

Code may be a value (``"4.9.9"``) in place of a whole pair (``"version": "4.9.8"``), if it cannot be the pair
and is the whole value at its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import tree_sitter

from gitscalpel.changesets.operations import Replace, Signature
from gitscalpel.edit.source import Edit, Source
from gitscalpel.edit.symbols import insertion_layout, trial_parse
from gitscalpel.errors import DoesNotFit, ScalpelError
from gitscalpel.errors.messages import call
from gitscalpel.syntax.documentation import documentation_of, list_parameters, update_documentation
from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import FUNCTIONS, Span, Symbol
from gitscalpel.text import line_endings
from gitscalpel.text.indentation import indent_unit
from gitscalpel.text.splice import Splice


class FittedCode(msgspec.Struct, frozen=True):
    """New code for a definition, as sent and as indented for its place."""

    target: Symbol
    spelling: bytes
    code: bytes
    indent: bytes
    policy: trial_parse.TriviaPolicy


def replace(op: Replace, target: Symbol, source: Source) -> Edit:
    """Replace a definition, keeping the parts of its leading trivia that the code lacks.

    Raises ``body_only``, ``name_mismatch``, ``kind_mismatch``, ``extra_definitions`` or ``syntax_error``.
    """
    refusals: list[ScalpelError] = []
    for spelling, corrections in _iter_spellings(op, target, source):
        try:
            return _replace_definition(target, spelling, corrections, op.lead, source)
        except ScalpelError as error:
            refusals.append(error)
            if corrections or error.code not in ("syntax_error", "body_only"):
                break

    value_edit = replace_value(target, next(insertion_layout.iter_spellings(op.code))[0], source)
    if value_edit is None:
        raise hint_value(refusals[0], target, source)
    return value_edit


def _iter_spellings(op: Replace, target: Symbol, source: Source) -> Iterator[tuple[bytes, tuple[str, ...]]]:
    yield from insertion_layout.iter_spellings(op.code)
    from gitscalpel.edit import corrections

    code = next(insertion_layout.iter_spellings(op.code))[0]
    kept_lines = corrections.drop_bracket(code.split(b"\n"), corrections.next_line(source.text, target.end))
    if kept_lines is not None:
        yield b"\n".join(kept_lines), (corrections.BRACKET_DROPPED,)


def _replace_definition(
    target: Symbol,
    spelling: bytes,
    corrections: tuple[str, ...],
    policy: trial_parse.TriviaPolicy,
    source: Source,
) -> Edit:
    fitted = _fit_spelling(target, spelling, policy, source)
    target = fitted.target
    trial = _try_endings(target, fitted.code, source)
    if not target.named:
        return _replace_node(target, trial, fitted.code, corrections, source)
    new = find_replacement(fitted, trial, source)
    trial_parse.require_others_unchanged(trial, source.outline, Span(target.full_start, target.end))
    return join_replacement(fitted, trial, new, source, corrections)


def fit_replacement(op: Replace, target: Symbol, source: Source) -> FittedCode:
    return _fit_spelling(target, next(insertion_layout.iter_spellings(op.code))[0], op.lead, source)


def _fit_spelling(
    target: Symbol, spelling: bytes, policy: trial_parse.TriviaPolicy, source: Source
) -> FittedCode:
    indent = insertion_layout.margin_at(target.start, source)  # a comment above may keep to the margin
    spelling, target = _fit_separator(spelling, target, source)
    placed = insertion_layout.fit_code(spelling, source, indent, Span(target.full_start, target.end))
    return FittedCode(target, spelling, placed, indent, policy)


def is_ended(fitted: FittedCode, source: Source) -> bool:
    """Return True if the code certainly has the terminator that its place needs."""
    return list(_iter_endings(fitted.target, fitted.code, source)) == [(fitted.code, 0)]


def find_replacement(fitted: FittedCode, trial: trial_parse.Trial, source: Source) -> Symbol:
    """Return the definition in the code that replaces the old one, or raise if there is none."""
    trial_parse.require_definition(trial, fitted.target, fitted.spelling, source, fitted.policy)
    return trial_parse.require_match(trial.definitions(), fitted.target, source.outline)


def join_replacement(
    fitted: FittedCode,
    trial: trial_parse.Trial,
    new: Symbol,
    source: Source,
    corrections: tuple[str, ...] = (),
) -> Edit:
    target = fitted.target
    joined = trial_parse.join_trivia(target, trial, new, fitted.policy, fitted.indent)
    start = insertion_layout.find_pinned_start(joined.start, joined.text, source)
    return Edit(
        splices=(line_endings.make_splice(source.document, start, target.end, joined.text),),
        target=(target.full_start, target.end),
        corrections=corrections,
        lead=joined.report,
    )


def _fit_separator(spelling: bytes, target: Symbol, source: Source) -> tuple[bytes, Symbol]:
    """Return the code with the separator that its place needs, and the replaced symbol.

    The separator in the file is kept, and the one of the code is dropped: grammars accept both without an
    error. A comment at the end of the code goes after the separator and replaces a comment there.
    """
    separator, rest = source.rules.separator, source.text[target.end :]
    after = rest.lstrip()[:1]
    if after in (b",", b";"):
        body, remark = insertion_layout.split_end_comments(spelling, source)
        body = body.removesuffix(after)
        blank, _, comment = rest.split(b"\n", 1)[0].rstrip(b"\r").partition(after)
        if (
            not remark
            or blank.strip()
            or (comment.strip() and not insertion_layout.is_trailing_comment(comment, source))
        ):
            return body + remark, target
        end = target.end + len(blank + after + comment)
        return body + after + remark, msgspec.structs.replace(target, end=end)
    if source.text[target.start : target.end].rstrip().endswith(separator):
        body, remark = insertion_layout.split_end_comments(spelling, source)
        spelling = body.removesuffix(separator) + separator + remark
    return spelling, target


def _replace_node(
    target: Symbol, trial: trial_parse.Trial, code: bytes, corrections: tuple[str, ...], source: Source
) -> Edit:
    trial_parse.require_no_fault(trial, code)
    span = (target.start, target.end)
    trial_parse.require_others_unchanged(trial, source.outline, Span(*span))
    return Edit((line_endings.make_splice(source.document, *span, code),), span, corrections=corrections)


def _try_endings(target: Symbol, code: bytes, source: Source) -> trial_parse.Trial:
    endings = _iter_endings(target, code, source)
    trials = (
        (trial_parse.parse_trial(source, target.full_start, target.end, ending), length)
        for ending, length in endings
    )
    found = next((trial for trial, length in trials if not trial.fault and _covers(trial, length)), None)
    return found or trial_parse.clear_known_fault(
        trial_parse.parse_trial(source, target.full_start, target.end, code), source
    )


def _iter_endings(target: Symbol, code: bytes, source: Source) -> Iterator[tuple[bytes, int]]:
    """Yield the code with the old terminator, unchanged, and without a final comma.

    The number is how many bytes of the code a definition must cover.
    """
    after, (body, remark) = target.node.next_sibling, insertion_layout.split_end_comments(code, source)
    last = body.rpartition(b"\n")[2]
    has_terminator = after is not None and after.type == ";" and after.end_byte <= target.end
    mark = source.text[after.start_byte :].split(None, 1)[0] if has_terminator and after is not None else b";"
    mark = b";" if mark.startswith(b";") else mark  # what the grammar is shown as one, such as a delimiter
    old_text = source.text[target.start : target.end]
    needs_terminator = has_terminator or (
        b";" in old_text and insertion_layout.split_end_comments(old_text, source)[0].endswith(b";")
    )
    if needs_terminator and not last.endswith(mark):
        yield body + mark + remark, 0 if has_terminator else len(body + mark)
    yield code, 0
    if last.endswith(b","):
        yield body.removesuffix(b",") + remark, 0


def _covers(trial: trial_parse.Trial, length: int) -> bool:
    """Return True if a definition covers so much of the code that its end is not a separate statement."""
    reach = trial.region.start + length
    return not length or any(symbol.end >= reach for symbol in trial.definitions())


_FLOW = (b"[", b"{")
_BLOCK_SCALAR = re.compile(rb"[|>][-+0-9]*[ \t]*(?:#.*)?\Z")


def replace_value(target: Symbol, spelling: bytes, source: Source) -> Edit | None:
    """Return the edit that changes the value of a key or list item, or None if the code is not a value."""
    if not target.named or not _has_value(target, source):
        return None
    is_block = source.rules.blocks == "indent"
    change = _change_indented if is_block else _change_in_brackets
    splice = change(target, spelling, source)
    if splice is None:
        return None
    trial = trial_parse.parse_trial(source, splice.start, splice.end, splice.new)
    trial = trial_parse.clear_known_fault(trial, source)
    if trial.fault or not _is_its_value(trial, target, source):
        return None
    text = line_endings.fit_line_endings(splice.new, source.document, splice.start, splice.end)
    note = f"took the code as the value of {target.qualname}"
    placed = Splice(splice.start, splice.end, text)
    return Edit((placed,), (target.full_start, target.end), corrections=(note,))


def hint_value(error: ScalpelError, target: Symbol, source: Source) -> ScalpelError:
    if error.code == "body_only" and target.named and _is_pair(target, source):
        example = source.text[target.start : target.node.end_byte].split(b"\n")[0].decode("utf-8", "replace")
        return error.but(
            hint=f"send the pair, such as {example.strip()}, or its value as the file would write it"
        )
    return error


def _is_pair(target: Symbol, source: Source) -> bool:
    return target.kind == "key" and source.rules.data and source.rules.parses == "strictly"


def _has_value(target: Symbol, source: Source) -> bool:
    is_item = target.kind == "item" and source.rules.blocks == "indent"
    return (_is_pair(target, source) or is_item) and _value_node(target) is not None


def _value_node(pair: Symbol) -> tree_sitter.Node | None:
    parts = [child for child in pair.node.children if "comment" not in child.type]
    named_parts = [part for part in parts if part.is_named]
    has_separator = any(
        not part.is_named and part.start_byte < named_parts[-1].start_byte for part in parts if named_parts
    )
    return named_parts[-1] if has_separator else None


def _change_in_brackets(target: Symbol, spelling: bytes, source: Source) -> Splice | None:
    value = _value_node(target)
    if value is None or value.start_byte != target.header_end:
        return None
    new = spelling.strip().removesuffix(b",") if source.rules.separator == b"," else spelling.strip()
    span = Span(value.start_byte, value.end_byte)
    indent = insertion_layout.margin_at(target.start, source)
    return Splice(*span, insertion_layout.fit_code(new, source, indent, span))


def _change_indented(target: Symbol, spelling: bytes, source: Source) -> Splice | None:
    """Return the splice of a value in a format with indentation (YAML).

    A block scalar begins after the key and continues indented; a list is below the key; anything else fits
    one line. A mapping or list is replaced only by another one, since a single word in its place is probably
    an error.
    """
    value = _value_node(target)
    if value is None:
        return None
    lines = spelling.strip(b"\n").rstrip().split(b"\n")
    lines = [lines[0].lstrip(), *lines[1:]] if len(lines) == 1 else _dedent_lines(lines)
    text, old = source.text, source.text[value.start_byte : value.end_byte].strip()
    anchor = _kept_anchor(target, lines[0], source)
    column = target.start - (text.rfind(b"\n", 0, target.start) + 1)
    deeper_indent = b" " * column + indent_unit(source.plain)
    is_list = lines[0].startswith(b"- ")
    is_collection = bool(target.children) and old[:1] not in _FLOW
    if is_collection and not is_list and lines[0][:1] not in _FLOW:
        return None
    if _BLOCK_SCALAR.match(lines[0]):
        rest = [deeper_indent + line if line else line for line in _dedent_lines(lines[1:])]
        new_text = b"\n".join([anchor + lines[0], *rest])
    elif is_list and target.kind == "key":
        new_text = b"\n".join([anchor.rstrip(), *(deeper_indent + line for line in lines)])
    elif len(lines) == 1:
        new_text = anchor + lines[0]
    else:
        return None
    return _change_after_separator(target, value, new_text, source)


def _change_after_separator(
    target: Symbol, value: tree_sitter.Node, new: bytes, source: Source
) -> Splice | None:
    """Return the splice from the separator to the value's end, or None with a comment between."""
    separators = [node.end_byte for node in target.node.children if not node.is_named]
    start = max(end for end in separators if end <= value.start_byte)
    end = value.start_byte + len(source.text[value.start_byte : value.end_byte].rstrip())
    if b"#" in source.text[start : value.start_byte]:
        return None if b"\n" in new else Splice(value.start_byte, end, new)
    gap = b"" if new.startswith(b"\n") else b" "
    same_line = b"\n" not in source.text[start : value.start_byte]
    if same_line and gap:
        start, gap = value.start_byte, b""
    return Splice(start, end, gap + new)


def _dedent_lines(lines: list[bytes]) -> list[bytes]:
    margins = [len(line) - len(line.lstrip(b" ")) for line in lines if line.strip()]
    least = min(margins, default=0)
    return [line[least:] if line.strip() else b"" for line in lines]


def _kept_anchor(pair: Symbol, value: bytes, source: Source) -> bytes:
    """Return the anchor of the old value, to which aliases refer, if the new one has none."""
    if not source.rules.has_anchors or value[:1] in (b"&", b"*"):
        return b""
    old_value = _value_node(pair)
    anchors = [node for node in old_value.children if node.type == "anchor"] if old_value else []
    return b"".join(source.text[node.start_byte : node.end_byte] + b" " for node in anchors)


def _is_its_value(trial: trial_parse.Trial, target: Symbol, source: Source) -> bool:
    """Return True if the key is unchanged, all of the code is its value, and nothing else changed."""
    keys = [s for s in trial.outline.walk() if s.start == target.start and s.path == target.path]
    value = _value_node(keys[0]) if len(keys) == 1 else None
    region = trial.text[trial.region.start : trial.region.end]
    if value is None or trial.text[value.start_byte : value.end_byte].strip() != region.strip():
        return False
    whole_trial = trial_parse.Trial(trial.before, trial.syntax, Span(target.full_start, keys[0].end), None)
    try:
        trial_parse.require_others_unchanged(whole_trial, source.outline, Span(target.full_start, target.end))
    except ScalpelError:
        return False
    return True


_OPENERS = (b"{", b", do:", b":", b"=>", b"=", b"where", b";")
_BEGINS_BODY = re.compile(rb"\{|do\b")


def replace_signature(op: Signature, target: Symbol, source: Source) -> Edit:
    """Replace the header up to the body; parts of the leading trivia that ``code`` lacks stay.

    Raises ``body_only``, ``name_mismatch``, ``kind_mismatch``, ``extra_definitions`` or ``syntax_error``.
    """
    if not target.named:
        raise DoesNotFit(
            "kind_mismatch", f"a {target.kind} has no signature", "address a definition, or use `replace`"
        )
    raw = line_endings.strip_line_endings(op.code.encode("utf-8", "surrogateescape"))
    if target.header_end == target.end and target.body is None and b"\n" in raw:
        raise DoesNotFit(
            "kind_mismatch",
            f"{target.qualname} is a {target.kind} without a body, so it consists only of its header",
            "use `replace`",
        )
    header, corrections = _parse_header(raw, source)
    indent = insertion_layout.margin_at(target.start, source)
    old_header = Span(target.full_start, target.header_end)  # its lines show how the code came
    header_text = _close_header(insertion_layout.fit_code(header, source, indent, old_header), target, source)
    body = source.text[target.header_end : target.end]
    trial = trial_parse.parse_trial(source, target.full_start, target.end, header_text + body)
    trial = trial_parse.clear_known_fault(trial, source)
    if not trial.definitions() and not (trial.fault and trial_parse.begins_definition(raw, target, source)):
        raise DoesNotFit(
            "body_only",
            "the code does not contain the header of a definition",
            "send the header, such as def f(a, b):",
        )
    trial_parse.require_parsed(trial, target, raw, source)
    new = _require_same_name(trial, target, source)
    trial_parse.require_others_unchanged(trial, source.outline, Span(target.full_start, target.end))
    joined = trial_parse.join_trivia(target, trial, new, "auto", indent)
    text = line_endings.fit_line_endings(
        joined.text.removesuffix(body), source.document, joined.start, target.header_end
    )
    span = (target.full_start, target.header_end)
    edit = Edit(
        (Splice(joined.start, target.header_end, text),), span, corrections=corrections, lead=joined.report
    )
    return _update_documentation(edit, target, source) if op.docs else edit


def _require_same_name(trial: trial_parse.Trial, target: Symbol, source: Source) -> Symbol:
    """Return the definition with the new header. A signature has no option that renames."""
    try:
        return trial_parse.require_match(trial.definitions(), target, source.outline)
    except DoesNotFit as error:
        if error.code != "name_mismatch":
            raise
        rename = call("rename", path=source.path, symbol=target.qualname, to=error.data["name"])
        words = f"name it {'.'.join(target.segments)}, or rename it first, wherever it is used: {rename}"
        raise error.but(hint=words) from error


def _update_documentation(edit: Edit, target: Symbol, source: Source) -> Edit:
    """Return the edit with documentation of the new parameters, unless the code has its own."""
    after = source.with_edit(edit).outline
    index = _namesakes(source.outline, target).index(target)
    new = _namesakes(after, target)[index]
    old_docs, new_docs = documentation_of(source.outline, target), documentation_of(after, new)
    if old_docs.text != new_docs.text:
        return edit
    update = update_documentation(new_docs.text, list_parameters(target), list_parameters(new))
    if update.text == new_docs.text:
        return edit
    text = after.syntax.text
    new_source = (
        text[: new_docs.start] + update.text.encode("utf-8", "surrogateescape") + text[new_docs.end :]
    )
    (header_splice,) = edit.splices
    start, end = min(header_splice.start, old_docs.start), max(header_splice.end, old_docs.end)
    splice = Splice(start, end, new_source[start : len(new_source) - (len(source.text) - end)])
    corrections = (*edit.corrections, *update.notes)
    return msgspec.structs.replace(edit, splices=(splice,), corrections=corrections)


def _namesakes(outline: Outline, target: Symbol) -> list[Symbol]:
    return [each for each in outline.walk() if each.path == target.path and each.kind == target.kind]


def _parse_header(raw: bytes, source: Source) -> tuple[bytes, tuple[str, ...]]:
    outline = source.alone(raw)
    symbols = list(outline.symbols)
    with_body = len(symbols) == 1 and (symbols[0].body is not None or symbols[0].kind in FUNCTIONS)
    if with_body and symbols[0].header_end < symbols[0].end:
        body = outline.syntax.text[symbols[0].header_end :]
        return raw.removesuffix(body).rstrip(), ("used only the header of the code, without its body",)
    return raw.rstrip(), ()


def _close_header(header: bytes, target: Symbol, source: Source) -> bytes:
    old = source.text[target.start : target.header_end]
    old_text = old.rstrip()
    opener = next((o for o in _OPENERS if old_text.endswith(o) and target.defines), b"")
    blanks = old[len(old_text) :]
    if opening := _BEGINS_BODY.match(source.text, target.header_end):
        bracket = opening.group()
        if header.endswith(b" " + bracket) or bracket == b"{":
            header = header.removesuffix(bracket).rstrip()
    if opener and not header.endswith(opener):
        space = old_text[: len(old_text) - len(opener)]
        header += space[len(space.rstrip()) :] + opener
    return header + blanks
