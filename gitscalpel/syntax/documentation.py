"""Parameters of a definition in its header and documentation, and updates of the documentation.

Google's and NumPy's sections, Sphinx fields (``:param x:``), the tags of JSDoc, KDoc, Javadoc and Doxygen
(``@param x``), and rustdoc's list below ``# Arguments`` are read. A text that describes no parameters is not
changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

import tree_sitter

from gitscalpel.syntax.outline import Outline
from gitscalpel.syntax.symbols import Symbol

_TAG = re.compile(
    r"[:@\\]param(?:eter)?(?:\[[\w,]+\]|\b)\s*(?:\{[^}]*\}\s*)?(?P<words>[^:\n]*:|\[?\$?[\w.*]+)"
)
_SECTION = re.compile(
    r"(?P<indent>\s*)(?:Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments):\s*$"
)
_ITEM = re.compile(r"(?P<indent>\s+)\*{0,2}(?P<name>[A-Za-z_]\w*)\s*(?:\([^)]*\))?\s*:(?!:)")
_UNDERLINED = re.compile(r"\s*(?:Other )?Parameters\s*$")
_UNDERLINE = re.compile(r"\s*-{3,}\s*$")
_NUMPY_ITEM = re.compile(
    r"(?P<indent>\s*)(?P<names>\*{0,2}[A-Za-z_]\w*(?:\s*,\s*\*{0,2}[A-Za-z_]\w*)*)\s*(?::.*)?$"
)
_ARGUMENTS = re.compile(r"\s*(?:///?!?|\*)?\s*#+ (?:Arguments|Parameters)\s*$")
_BULLET = re.compile(r"\s*(?:///?!?|\*)?\s*[-*] `(?P<name>\w+)`")
_CONSTRUCTORS = frozenset({"__init__", "constructor"})
_SIGNS = " \t*/!"


class DescribedParameter(NamedTuple):
    """A described parameter, and its line in the text, from 0."""

    name: str
    line: int


Style: TypeAlias = Literal["tag", "google", "numpy", "rust"]
"""A way to describe parameters: tags of Sphinx and JSDoc, sections of Google and NumPy, rustdoc's list."""


class Documentation(NamedTuple):
    """The documentation of a definition, and its byte range in the file."""

    text: str
    start: int
    end: int


def list_described(text: str) -> list[DescribedParameter]:
    return [each for each, _ in list_described_in_styles(text)]


def list_described_in_styles(text: str) -> list[tuple[DescribedParameter, Style]]:
    lines = text.split("\n")
    readers: tuple[tuple[Style, Callable[[list[str]], Iterator[DescribedParameter]]], ...] = (
        ("tag", _iter_tags),
        ("google", _iter_sections),
        ("numpy", _iter_numpy),
        ("rust", _iter_rust),
    )
    found: dict[DescribedParameter, Style] = {}
    for style, reader in readers:
        for each in reader(lines):
            found.setdefault(each, style)
    return sorted(found.items(), key=lambda each: each[0].line)


def documentation_of(outline: Outline, symbol: Symbol) -> Documentation:
    """Return the documentation of a definition's parameters; for a constructor maybe its class's."""
    own = _find_documentation(outline, symbol)
    if symbol.name not in _CONSTRUCTORS or symbol.parent is None or list_described(own.text):
        return own
    class_documentation = _find_documentation(outline, symbol.parent)
    return class_documentation if list_described(class_documentation.text) else own


def _find_documentation(outline: Outline, symbol: Symbol) -> Documentation:
    """Return the documentation string of a definition, or else the comment above it."""
    text = outline.syntax.text
    start, end = symbol.full_start, symbol.start
    body = symbol.body_node
    for node in outline.nodes("doc"):
        if node.id in outline.docstrings and body is not None and _opens_block(node.parent, body.id):
            start, end = node.start_byte, node.end_byte
    return Documentation(text[start:end].decode("utf-8", "replace"), start, end)


def _opens_block(node: object, block: int) -> bool:
    """Return True if a string, or its statement, is directly in a block."""
    parent = getattr(node, "parent", None)
    return getattr(node, "id", None) == block or getattr(parent, "id", None) == block


def _iter_tags(lines: list[str]) -> Iterator[DescribedParameter]:
    for number, line in enumerate(lines):
        for match in _TAG.finditer(line):
            words = match["words"].strip(":[] ").split()
            name = words[-1].lstrip("$*").rstrip(",") if words else ""
            if name.isidentifier():  # `options.depth` describes a part of one
                yield DescribedParameter(name, number)


def _iter_sections(lines: list[str]) -> Iterator[DescribedParameter]:
    """Yield the items in Google's style: the outermost lines indented below ``Args:``."""
    around = first = None
    for number, line in enumerate(lines):
        opens = _SECTION.match(line)
        if opens:
            around, first = len(opens["indent"]), None
        elif around is not None and line.strip():
            indent = len(line) - len(line.lstrip())
            item = _ITEM.match(line)
            if indent <= around:
                around = None
            elif item and first in (None, indent):
                first = indent
                yield DescribedParameter(item["name"], number)


def _iter_numpy(lines: list[str]) -> Iterator[DescribedParameter]:
    """Yield the items in NumPy's style: lines at the depth of the underlined heading, up to the next one."""
    at = 0
    while at + 1 < len(lines):
        if not (_UNDERLINED.match(lines[at]) and _UNDERLINE.match(lines[at + 1])):
            at += 1
            continue
        indent, at = len(lines[at]) - len(lines[at].lstrip()), at + 2
        while at < len(lines) and not (at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1])):
            item = _NUMPY_ITEM.match(lines[at])
            if item and len(item["indent"]) == indent:
                yield from (DescribedParameter(name.strip(" *"), at) for name in item["names"].split(","))
            at += 1


def _iter_rust(lines: list[str]) -> Iterator[DescribedParameter]:
    within = False
    for number, line in enumerate(lines):
        within = bool(_ARGUMENTS.match(line)) or (within and not line.strip(_SIGNS).startswith("#"))
        item = _BULLET.match(line) if within else None
        if item:
            yield DescribedParameter(item["name"], number)


_LISTS = (
    "parameters",
    "formal_parameters",
    "parameter_list",
    "function_value_parameters",
    "method_parameters",
)
_FIELDS = ("name", "pattern", "declarator", "left")
_NAMES = ("identifier", "simple_identifier", "variable_name", "property_identifier")
_RECEIVERS = frozenset({"self", "cls", "this"})
_SEPARATORS = frozenset({"keyword_separator", "positional_separator"})
_PARTED = frozenset(
    {"required_parameter", "formal_parameter", "object_pattern", "array_pattern", "identifier"}
)
"""Nodes that have a default value only if ``=`` is a direct child."""
_VARIADIC = re.compile(r"splat|variadic|spread|rest_|block_parameter|vararg|\.\.\.")
_DEPTH = 6
"""Nodes from a definition's down to its list of parameters (``const f = async (a) => …``)."""


def parameter_names(symbol: Symbol) -> tuple[str, ...] | None:
    """Return the names of the parameters without a receiver, or None if they are unknown."""
    listed = _parameter_list(symbol.own, symbol.header_end)
    if listed is None:
        return None
    found = (_bound_name(child) for child in listed.named_children)
    return tuple(name for name in found if name and name not in _RECEIVERS)


class Parameter(NamedTuple):
    """A parameter of a header, with its type and default value as written, or ""."""

    name: str
    type: str
    default: str


def list_parameters(symbol: Symbol) -> list[Parameter]:
    """Return the named parameters without a receiver, in order."""
    listed = _parameter_list(symbol.own, symbol.header_end)
    found = []
    for child in () if listed is None else listed.named_children:
        kind, default = _text_of(child, "type"), _text_of(child, "value") or _text_of(child, "right")
        if child.type == "typed_parameter" and not kind:
            kind = _text_of_node(child.named_children[-1])
        for name in _names_of(child, 0):
            if name.isidentifier() and name not in _RECEIVERS and child.type not in _SEPARATORS:
                found.append(Parameter(name, kind.lstrip(": "), default))
    return found


def _text_of(node: tree_sitter.Node, field: str) -> str:
    child = node.child_by_field_name(field)
    return "" if child is None else _text_of_node(child)


def _text_of_node(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


class Arity(NamedTuple):
    """The arguments that a definition accepts."""

    names: tuple[str, ...]  # names of the parameters, in order; ``#2`` for the third one if it has no name
    by_place: int  # number of leading parameters that may be passed by position
    required: frozenset[str]  # names of the parameters without a default value
    is_variadic: bool  # True if any number of further arguments may be passed by position
    takes_any_name: bool  # True if any further argument may be passed by name
    has_receiver: bool  # True if the object is the first argument when called on the class

    def accepts(self, by_place: int, by_name: frozenset[str]) -> bool:
        """Return True if a call with these numbers of positional and named arguments is accepted."""
        if by_place > self.by_place and not self.is_variadic:
            return False
        if not self.takes_any_name and not by_name <= {*self.names}:
            return False
        return self.required <= by_name.union(self.names[:by_place])


def arity_of(symbol: Symbol) -> Arity | None:
    """Return the arguments that a definition accepts, or None if its header does not show it."""
    listed = _parameter_list(symbol.own, symbol.header_end)
    if listed is None:
        return None
    names: list[str] = []
    required: set[str] = set()
    by_place: int | None = None
    is_variadic = takes_any_name = has_receiver = False
    has_loose_defaults = any(child.type == "=" for child in listed.children)  # as Kotlin's grammar has them
    for child in listed.named_children:
        text = child.text or b""
        if child.is_extra or child.type in _SEPARATORS or text == b"void":
            by_place = len(names) if child.type == "keyword_separator" else by_place
        elif child.type == "self_parameter" or (not names and _bound_name(child) in _RECEIVERS):
            has_receiver = True
        elif text.startswith(b"**") or "hash_splat" in child.type:
            takes_any_name = True
        elif text.startswith((b"*", b"...")) or _VARIADIC.search(child.type + _inner_types(child)):
            is_variadic, by_place = True, len(names) if by_place is None else by_place
        else:
            own = _names_of(child, len(names))
            names += own
            if not (has_loose_defaults or _is_optional(child)):
                required.update(own)
    return Arity(
        tuple(names),
        len(names) if by_place is None else by_place,
        frozenset(required),
        is_variadic,
        takes_any_name,
        has_receiver,
    )


def _is_optional(node: tree_sitter.Node) -> bool:
    """Return True if a parameter has a default value, or may be omitted."""
    if "optional" in node.type or "default" in node.type:
        return True
    if node.type in _PARTED:
        return any(child.type == "=" for child in node.children)
    return b"=" in (node.text or b"")


def _inner_types(node: tree_sitter.Node) -> str:
    """Return the types directly in a parameter, for example in ``*args: int``."""
    return " ".join(["", *(child.type for child in node.children)])


def _names_of(node: tree_sitter.Node, at: int) -> list[str]:
    """Return the names that one node of a list declares, in Go maybe several (``a, b int``)."""
    named = node.children_by_field_name("name")
    if len(named) > 1:
        return [_text_of_node(each) for each in named]
    return [_bound_name(node) or f"#{at}"]


def _parameter_list(node: tree_sitter.Node, end: int) -> tree_sitter.Node | None:
    level = [node]
    for _ in range(_DEPTH):
        # By field first: in Go, the list before a method's name holds its receiver.
        listed = (each.child_by_field_name("parameters") for each in level)
        found = next((each for each in (*listed, *level) if each is not None and each.type in _LISTS), None)
        if found is not None:
            return found
        level = [child for each in level for child in each.named_children if child.start_byte < end]
    return None


def _bound_name(node: tree_sitter.Node) -> str | None:
    for each in _iter_inwards(node):
        if each.type in _NAMES or (each.type.endswith("_identifier") and not each.type.startswith("type")):
            return _text_of_node(each).lstrip("$")
    return None


def _iter_inwards(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    while True:
        yield node
        fields = (node.child_by_field_name(field) for field in _FIELDS)
        inner = next((each for each in fields if each is not None), None)
        if inner is None:
            inner = next((each for each in node.named_children if "type" not in each.type), None)
        if inner is None:
            return
        node = inner


_UNDESCRIBED = "Not described yet."
_PREFIX = re.compile(r"[ \t]*(?:\*(?![/\w*])|///?!?|#)?[ \t]*")
_ENTRY_TAG = re.compile(r"(?P<mark>[:@\\])(?P<word>param(?:eter)?)(?P<rest>.*)")


class ParameterEntry(NamedTuple):
    """Lines of a documentation that describe one parameter, from 0; ``last`` is exclusive."""

    name: str
    style: Style
    first: int
    last: int


class UpdatedDocumentation(NamedTuple):
    """Documentation of a new header."""

    text: str  # the documentation
    notes: tuple[str, ...]  # descriptions of the changes


def update_documentation(
    text: str, old: Sequence[Parameter], new: Sequence[Parameter]
) -> UpdatedDocumentation:
    renamed = _find_renames([each.name for each in old], [each.name for each in new])
    new_by_name = {each.name: each for each in new}
    lines, notes = text.split("\n"), list[str]()
    entries = _list_entries(lines)
    if not entries:
        return UpdatedDocumentation(text, ())
    for old_parameter in old:
        name = renamed.get(old_parameter.name, old_parameter.name)
        if name in new_by_name:
            notes += _retype_entry(lines, entries, old_parameter, new_by_name[name])
    for name, to in renamed.items():
        if any(each.name == name for each in entries):
            _rename_entry(lines, entries, name, to)
            notes.append(f"renamed {name} to {to}")
    removed = {each.name for each in old} - {*new_by_name} - {*renamed}
    for entry in reversed(entries):
        if entry.name in removed:
            _remove_entry(lines, entry)
            notes.insert(0, f"removed {entry.name}")
    had = {renamed.get(each.name, each.name) for each in old}
    notes += [f"added {each.name}, not described yet" for each in new if each.name not in had]
    for at, each in enumerate(new):
        if each.name not in had:
            _add_entry(lines, entries, each, [preceding.name for preceding in new[:at]])
    return UpdatedDocumentation("\n".join(lines), tuple(f"documentation: {note}" for note in notes))


def _find_renames(old: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """Return the new names of parameters whose place another one has taken."""
    pairs = {name: new[at] for at, name in enumerate(old) if name not in new and at < len(new)}
    removed = [name for name in old if name not in new]
    is_replaced = len(pairs) == len(removed) and all(name not in old for name in pairs.values())
    return pairs if is_replaced else {}


def _list_entries(lines: Sequence[str]) -> list[ParameterEntry]:
    found = list_described_in_styles("\n".join(lines))
    return [
        ParameterEntry(each.name, style, each.line, _entry_end(lines, each.line, style))
        for each, style in found
    ]


def _entry_end(lines: Sequence[str], first: int, style: Style) -> int:
    at = first + 1
    while at < len(lines) and not _begins_other(lines, at, first, style):
        at += 1
    while at > first + 1 and not lines[at - 1].strip(" \t\r*/!"):
        at -= 1
    return at


def _begins_other(lines: Sequence[str], at: int, first: int, style: Style) -> bool:
    line = lines[at]
    content = line[_indent_width(line) :].strip()
    if content.startswith(("*/", '"""', "'''")) or line.strip() == "*/":
        return True
    if style == "tag":
        name = _tag_name(lines[first])
        is_type = bool(name) and content.startswith(f":type {name}:")
        return not is_type and (not content or content[:1] in ":@\\")
    if style == "rust":
        return not content or content[:1] in "-*#"
    return bool(content) and _indent_width(line) <= _indent_width(lines[first])


def _indent_width(line: str) -> int:
    found = _PREFIX.match(line)
    return found.end() if found else 0


def _tag_name(line: str) -> str:
    found = re.search(r":param(?:eter)?\s+(?P<words>[^:]*):", line)
    return found["words"].split()[-1].lstrip("*") if found and found["words"].split() else ""


def _rename_entry(lines: list[str], entries: list[ParameterEntry], name: str, to: str) -> None:
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    quoted = re.compile(rf"(?P<mark>`+){re.escape(name)}(?P=mark)")
    lines[:] = [quoted.sub(lambda found: f"{found['mark']}{to}{found['mark']}", line) for line in lines]
    for index, entry in enumerate(entries):
        if entry.name == name:
            head = lines[entry.first]
            found = [*word.finditer(head, _name_offset(head, entry))][:1]
            if found:
                lines[entry.first] = head[: found[0].start()] + to + head[found[0].end() :]
            for at in range(entry.first + 1, entry.last):
                lines[at] = re.sub(rf"(:type\s+){re.escape(name)}:", rf"\g<1>{to}:", lines[at])
            entries[index] = entry._replace(name=to)
    parts = re.compile(rf"([@\\]param\s+(?:\{{[^}}]*\}}\s*)?\[?){re.escape(name)}(?=[.\[])")
    lines[:] = [parts.sub(rf"\g<1>{to}", line) for line in lines]


def _name_offset(line: str, entry: ParameterEntry) -> int:
    """Return the first offset at which the name of an entry may be: after a type in braces."""
    found = (
        re.search(r"param(?:eter)?(?:\[[\w,]+\])?\s*(?:\{[^}]*\})?", line) if entry.style == "tag" else None
    )
    return found.end() if found else 0


def _remove_entry(lines: list[str], entry: ParameterEntry) -> None:
    """Remove an entry, and the heading of its section if it was the last one."""
    first, last = entry.first, entry.last
    head = lines[first]
    if entry.style == "numpy" and "," in head.partition(":")[0]:
        names, colon, rest = head.partition(":")
        others = [each.strip() for each in names.split(",") if each.strip(" *") != entry.name]
        lines[first] = head[: _indent_width(head)] + ", ".join(others) + (f" {colon}{rest}" if colon else "")
        return
    if entry.style == "tag":
        part = _part_pattern(entry.name)
        while last < len(lines) and part.search(lines[last]):
            last += 1
    if not _is_whole(lines, first, last):
        return  # the text begins or ends in the same line
    del lines[first:last]
    _remove_heading(lines, entry.style, first)


def _part_pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a tag for a part of a parameter (``@param options.depth``)."""
    return re.compile(rf"[@\\]param\s+(?:\{{[^}}]*\}}\s*)?\[?{re.escape(name)}[.\[]")


def _is_whole(lines: Sequence[str], first: int, last: int) -> bool:
    edges = ("/*", "*/", '"""', "'''")
    return not any(edge in line for line in lines[first:last] for edge in edges)


def _remove_heading(lines: list[str], style: Style, at: int) -> None:
    rest = next((line for line in lines[at:] if line.strip()), "")
    if (
        style == "google"
        and at
        and _SECTION.match(lines[at - 1])
        and _indent_width(rest) <= _indent_width(lines[at - 1])
    ):
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


def _add_entry(
    lines: list[str], entries: list[ParameterEntry], each: Parameter, before: Sequence[str]
) -> None:
    """Add an entry after that of the nearest preceding parameter, else above the first."""
    current = _list_entries(lines)
    if not current and not entries:
        return
    nearest = [entry for name in reversed(before) for entry in current if entry.name == name]
    if nearest:
        model, at = nearest[0], nearest[0].last
        part = _part_pattern(model.name)
        while at < len(lines) and model.style == "tag" and part.search(lines[at]):
            at = _entry_end(lines, at, "tag")
    elif current:
        model, at = current[0], current[0].first
    else:
        return
    if not _is_whole(lines, model.first, model.last):
        return
    ending = "\r" if lines[model.first].endswith("\r") else ""
    lines[at:at] = [line + ending for line in _write_entry(lines, model, each)]


def _write_entry(lines: Sequence[str], model: ParameterEntry, each: Parameter) -> list[str]:
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
    return _write_tag(lines, model, each, head, words)


def _write_tag(
    lines: Sequence[str], model: ParameterEntry, each: Parameter, head: str, words: str
) -> list[str]:
    found = _ENTRY_TAG.search(head)
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


def _retype_entry(
    lines: list[str], entries: Sequence[ParameterEntry], old_parameter: Parameter, new_parameter: Parameter
) -> list[str]:
    if not old_parameter.type or not new_parameter.type or old_parameter.type == new_parameter.type:
        return []
    old, name = re.escape(old_parameter.type), re.escape(old_parameter.name)
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
    for entry in entries:
        for at in range(entry.first, entry.last) if entry.name == old_parameter.name else ():
            for form in forms[entry.style]:
                changed = re.sub(form, lambda found: found[1] + new_parameter.type, lines[at])
                if changed != lines[at]:
                    lines[at] = changed
                    notes.append(f"{old_parameter.name} is {new_parameter.type} now")
    return notes
