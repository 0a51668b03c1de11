"""Update the documentation of parameters for a new header: rename, remove, add and retype entries.

An added parameter gets an entry without a description, in the style of the others. A text that describes
no parameters stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from gitscalpel.syntax.documentation.described import Style, described_in_styles
from gitscalpel.syntax.documentation.parameters import Parameter

_UNDESCRIBED = "Not described yet."
_PREFIX = re.compile(r"[ \t]*(?:\*(?![/\w*])|///?!?|#)?[ \t]*")
_HEADING = re.compile(r"[ \t]*(?:Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments):[ \t]*\r?$")
_UNDERLINE = re.compile(r"[ \t]*-{3,}[ \t]*\r?$")
_TAG = re.compile(r"(?P<mark>[:@\\])(?P<word>param(?:eter)?)(?P<rest>.*)")


class Entry(NamedTuple):
    """Lines of a documentation that describe a parameter.

    Attributes:
        name: of the parameter.
        style: the way in which it is described.
        first, last: its lines, from 0; the last one is not part of it.
    """

    name: str
    style: Style
    first: int
    last: int


class Followed(NamedTuple):
    """A documentation that describes a new header.

    Attributes:
        text: the documentation.
        notes: what was changed, in words.
    """

    text: str
    notes: tuple[str, ...]


def follow(text: str, old: Sequence[Parameter], new: Sequence[Parameter]) -> Followed:
    """Return a documentation of the parameters ``old`` as one of ``new``."""
    renamed = _renamed([each.name for each in old], [each.name for each in new])
    now = {each.name: each for each in new}
    lines, notes = text.split("\n"), list[str]()
    known = _entries(lines)
    if not known:
        return Followed(text, ())
    for was in old:
        name = renamed.get(was.name, was.name)
        if name in now:
            notes += _retype(lines, known, was, now[name])
    for name, to in renamed.items():
        if any(each.name == name for each in known):
            _rename(lines, known, name, to)
            notes.append(f"renamed {name} to {to}")
    gone = {each.name for each in old} - {*now} - {*renamed}
    for entry in reversed(known):
        if entry.name in gone:
            _remove(lines, entry)
            notes.insert(0, f"removed {entry.name}")
    had = {renamed.get(each.name, each.name) for each in old}
    notes += [f"added {each.name}, not described yet" for each in new if each.name not in had]
    for at, each in enumerate(new):
        if each.name not in had:
            _add(lines, known, each, [other.name for other in new[:at]])
    return Followed("\n".join(lines), tuple(f"documentation: {note}" for note in notes))


def _renamed(old: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """Return the new names of parameters that another one has taken the place of."""
    pairs = {name: new[at] for at, name in enumerate(old) if name not in new and at < len(new)}
    gone = [name for name in old if name not in new]
    is_replaced = len(pairs) == len(gone) and all(name not in old for name in pairs.values())
    return pairs if is_replaced else {}


def _entries(lines: Sequence[str]) -> list[Entry]:
    found = described_in_styles("\n".join(lines))
    return [Entry(each.name, style, each.line, _end(lines, each.line, style)) for each, style in found]


def _end(lines: Sequence[str], first: int, style: Style) -> int:
    """Return the line behind an entry."""
    at = first + 1
    while at < len(lines) and not _begins_other(lines, at, first, style):
        at += 1
    while at > first + 1 and not lines[at - 1].strip(" \t\r*/!"):
        at -= 1
    return at


def _begins_other(lines: Sequence[str], at: int, first: int, style: Style) -> bool:
    line = lines[at]
    bare = line[_width(line) :].strip()
    if bare.startswith(("*/", '"""', "'''")) or line.strip() == "*/":
        return True
    if style == "tag":
        name = _name_of(lines[first])
        is_type = bool(name) and bare.startswith(f":type {name}:")
        return not is_type and (not bare or bare[:1] in ":@\\")
    if style == "rust":
        return not bare or bare[:1] in "-*#"
    return bool(bare) and _width(line) <= _width(lines[first])


def _width(line: str) -> int:
    found = _PREFIX.match(line)
    return found.end() if found else 0


def _name_of(line: str) -> str:
    """Return the parameter that a tag of Sphinx describes."""
    found = re.search(r":param(?:eter)?\s+(?P<words>[^:]*):", line)
    return found["words"].split()[-1].lstrip("*") if found and found["words"].split() else ""


def _rename(lines: list[str], known: list[Entry], name: str, to: str) -> None:
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    quoted = re.compile(rf"(?P<mark>`+){re.escape(name)}(?P=mark)")
    lines[:] = [quoted.sub(lambda found: f"{found['mark']}{to}{found['mark']}", line) for line in lines]
    for index, entry in enumerate(known):
        if entry.name == name:
            head = lines[entry.first]
            found = [*word.finditer(head, _at_name(head, entry))][:1]
            if found:
                lines[entry.first] = head[: found[0].start()] + to + head[found[0].end() :]
            for at in range(entry.first + 1, entry.last):
                lines[at] = re.sub(rf"(:type\s+){re.escape(name)}:", rf"\g<1>{to}:", lines[at])
            known[index] = entry._replace(name=to)
    parts = re.compile(rf"([@\\]param\s+(?:\{{[^}}]*\}}\s*)?\[?){re.escape(name)}(?=[.\[])")
    lines[:] = [parts.sub(rf"\g<1>{to}", line) for line in lines]


def _at_name(line: str, entry: Entry) -> int:
    """Return from where on the name of an entry may stand: behind a type in braces."""
    found = (
        re.search(r"param(?:eter)?(?:\[[\w,]+\])?\s*(?:\{[^}]*\})?", line) if entry.style == "tag" else None
    )
    return found.end() if found else 0


def _remove(lines: list[str], entry: Entry) -> None:
    """Remove an entry; with the last one of a section its heading."""
    first, last = entry.first, entry.last
    head = lines[first]
    if entry.style == "numpy" and "," in head.partition(":")[0]:
        names, colon, rest = head.partition(":")
        kept = [each.strip() for each in names.split(",") if each.strip(" *") != entry.name]
        lines[first] = head[: _width(head)] + ", ".join(kept) + (f" {colon}{rest}" if colon else "")
        return
    if entry.style == "tag":
        part = re.compile(rf"[@\\]param\s+(?:\{{[^}}]*\}}\s*)?\[?{re.escape(entry.name)}[.\[]")
        while last < len(lines) and part.search(lines[last]):
            last += 1
    if not _is_whole(lines, first, last):
        return  # the text begins or ends in the same line
    del lines[first:last]
    _remove_heading(lines, entry.style, first)


def _is_whole(lines: Sequence[str], first: int, last: int) -> bool:
    edges = ("/*", "*/", '"""', "'''")
    return not any(edge in line for line in lines[first:last] for edge in edges)


def _remove_heading(lines: list[str], style: Style, at: int) -> None:
    """Remove the heading of a section whose last entry stood at a line."""
    rest = next((line for line in lines[at:] if line.strip()), "")
    if style == "google" and at and _HEADING.match(lines[at - 1]) and _width(rest) <= _width(lines[at - 1]):
        start = at - 1
    elif style == "numpy" and at > 1 and _UNDERLINE.match(lines[at - 1]):
        if rest and not _is_heading(lines, at) and not rest.strip().startswith(('"""', "'''")):
            return
        start = at - 2
    else:
        return
    end = at
    while end < len(lines) and not lines[end].strip() and start and not lines[start - 1].strip():
        end += 1  # one of the blank lines around it is enough
    del lines[start:end]


def _is_heading(lines: Sequence[str], at: int) -> bool:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at + 1 < len(lines) and bool(_UNDERLINE.match(lines[at + 1]))


def _add(lines: list[str], known: list[Entry], each: Parameter, before: Sequence[str]) -> None:
    """Add an entry behind that of the nearest parameter before it, else above the first."""
    current = _entries(lines)
    if not current and not known:
        return
    nearest = [entry for name in reversed(before) for entry in current if entry.name == name]
    if nearest:
        model, at = nearest[0], nearest[0].last
        part = re.compile(rf"[@\\]param\s+(?:\{{[^}}]*\}}\s*)?\[?{re.escape(model.name)}[.\[]")
        while at < len(lines) and model.style == "tag" and part.search(lines[at]):
            at = _end(lines, at, "tag")
    elif current:
        model, at = current[0], current[0].first
    else:
        return
    if not _is_whole(lines, model.first, model.last):
        return
    ending = "\r" if lines[model.first].endswith("\r") else ""
    lines[at:at] = [line + ending for line in _written(lines, model, each)]


def _written(lines: Sequence[str], model: Entry, each: Parameter) -> list[str]:
    """Return the lines of a new entry, written as those of another one."""
    head = lines[model.first].rstrip("\r")
    margin = head[: len(head) - len(head.lstrip(" \t"))]
    words = f"Defaults to {each.default}." if each.default else _UNDESCRIBED
    if model.style == "google":
        typed = f" ({each.type})" if each.type and re.match(r"\s*\*{0,2}\w+\s*\(", head) else ""
        return [f"{margin}{each.name}{typed}: {words}"]
    if model.style == "numpy":
        typed = f" : {each.type}" if each.type and ":" in head else ""
        return [f"{margin}{each.name}{typed}", f"{margin}    {words}"]
    if model.style == "rust":
        found = re.match(r"(?P<before>.*?[-*] )`\w+`(?P<between>\s*[-:—]*\s*)", head)
        return [f"{found['before']}`{each.name}`{found['between']}{words}"] if found else []
    return _tagged(lines, model, each, head, words)


def _tagged(lines: Sequence[str], model: Entry, each: Parameter, head: str, words: str) -> list[str]:
    found = _TAG.search(head)
    if found is None:
        return []
    prefix = head[: found.start()]
    if found["mark"] == ":":
        types = [line for line in lines[model.first + 1 : model.last] if line.strip().startswith(":type ")]
        inner = f"{each.type} " if each.type and len(found["rest"].partition(":")[0].split()) > 1 else ""
        more = [f"{prefix}:type {each.name}: {each.type}"] if types and each.type else []
        return [f"{prefix}:{found['word']} {inner}{each.name}: {words}", *more]
    typed = f"{{{each.type or '*'}}} " if found["rest"].strip().startswith("{") else ""
    dash = "- " if re.search(rf"{re.escape(model.name)}\]?\s+-\s", found["rest"]) else ""
    return [f"{prefix}{found['mark']}{found['word']} {typed}{each.name} {dash}{words}"]


def _retype(lines: list[str], known: Sequence[Entry], was: Parameter, now: Parameter) -> list[str]:
    """Write the new type of a parameter where its entry says the old one."""
    if not was.type or not now.type or was.type == now.type:
        return []
    old, name = re.escape(was.type), re.escape(was.name)
    forms = {
        "google": [rf"(^\s*\*{{0,2}}{name}\s*\(){old}(?=[,)])"],
        "numpy": [rf"(^\s*\*{{0,2}}{name}\s*:\s*){old}(?=\s*(?:,|$))"],
        "tag": [
            rf"(:param(?:eter)?\s+){old}(?=\s+\*{{0,2}}{name}:)",
            rf"(:type\s+{name}:\s*){old}(?=\s*$)",
            rf"([@\\]param\s*\{{){old}(?=\}})",
        ],
        "rust": [],
    }
    notes = []
    for entry in known:
        for at in range(entry.first, entry.last) if entry.name == was.name else ():
            for form in forms[entry.style]:
                changed = re.sub(form, lambda found: found[1] + now.type, lines[at])
                if changed != lines[at]:
                    lines[at] = changed
                    notes.append(f"{was.name} is {now.type} now")
    return notes
