"""Scope rules of C and C++, and the signatures that tell overloads apart.

Types of parameters are compared as they are written, without qualifiers before ``::``, parameter names
and default values.
"""

from __future__ import annotations

import re

import msgspec
import tree_sitter

from gitscalpel.names.scope_rules import Scoping
from gitscalpel.syntax.occurrences import Mention

SPECIAL = "<>"
"""The space of what ``template <>`` gives a form of its own."""
_NOISE = re.compile(r"\b(?:struct|class|enum|union|typename|register|signed|volatile)\b|\b\w+\s*::\s*|::")
_LOWER = re.compile(r"\bunsigned\b(?!\s+(?:int|char|long|short))")


def signature_space(mention: Mention) -> str:
    """The space of a name that is bound: a function's parameters; of ``a::b``, the namespaces around."""
    if mention.kind == "namespace":
        return "::".join(_before(mention.node))
    declarator = declarator_of(mention.node)
    if mention.kind not in ("function", "method") or declarator is None:
        return ""
    return SPECIAL if is_special(declarator) else parameter_text(declarator)


def _before(node: tree_sitter.Node) -> list[str]:
    """The names before one in ``namespace a::b``."""
    above, found = node.parent, []
    if above is None or above.type != "nested_namespace_specifier":
        return []
    while above.parent is not None and above.parent.type == "nested_namespace_specifier":
        above = above.parent
    waiting = [above]
    while waiting:
        each = waiting.pop(0)
        if each.type == "nested_namespace_specifier":
            waiting = [*each.named_children, *waiting]
        elif each.start_byte < node.start_byte:
            found.append(text_of(each))
    return found


def text_of(node: tree_sitter.Node | None) -> str:
    """The text of a node."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "surrogateescape")


def declarator_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The declarator of a function whose name a node is, behind all that qualifies it."""
    above: tree_sitter.Node | None = node.parent
    child: tree_sitter.Node = node
    names = ("qualified_identifier", "template_function", "template_method", "destructor_name")
    while above is not None and above.type in names and above.child_by_field_name("scope") != child:
        child, above = above, above.parent
    if above is None or above.type != "function_declarator":
        return None
    return above if above.child_by_field_name("declarator") == child else None


def template_of(declarator: tree_sitter.Node) -> tree_sitter.Node | None:
    """The innermost template that a declarator is of, if it is its own."""
    above = declarator.parent
    while above is not None and above.type not in ("template_declaration", "field_declaration_list"):
        if above.type in ("compound_statement", "declaration_list", "parameter_list"):
            return None
        above = above.parent
    return above if above is not None and above.type == "template_declaration" else None


def is_special(declarator: tree_sitter.Node) -> bool:
    """Whether it is one form of a template (``template <>``)."""
    above = template_of(declarator)
    given = above.child_by_field_name("parameters") if above is not None else None
    return given is not None and not given.named_children


def parameters_of(declarator: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The parameters of a function, without ``void``."""
    given = declarator.child_by_field_name("parameters")
    found = [] if given is None else [each for each in given.named_children if "parameter" in each.type]
    return [] if len(found) == 1 and text_of(found[0]) == "void" else found


def is_variadic(declarator: tree_sitter.Node) -> bool:
    """Whether it takes any number of arguments."""
    given = declarator.child_by_field_name("parameters")
    children = given.children if given is not None else ()
    return any(
        each.type in ("...", "variadic_parameter", "variadic_parameter_declaration") for each in children
    )


def parameter_text(declarator: tree_sitter.Node) -> str:
    """What a function takes, as it is compared."""
    names = _generic(declarator)
    said = [parameter_type(each) for each in parameters_of(declarator)]
    for at, name in enumerate(names):
        said = [re.sub(rf"\b{re.escape(name)}\b", f"${at}", each) for each in said]
    behind = [
        text_of(each) for each in declarator.children if each.type in ("type_qualifier", "ref_qualifier")
    ]
    dots = ["..."] if is_variadic(declarator) else []
    return f"({','.join([*said, *dots])}){' '.join(behind)}"


def _generic(declarator: tree_sitter.Node) -> list[str]:
    above = template_of(declarator)
    given = above.child_by_field_name("parameters") if above is not None else None
    found = []
    for each in given.named_children if given is not None else ():
        names = [child for child in each.named_children if child.type in ("type_identifier", "identifier")]
        found += [text_of(names[-1])] if names else []
    return found


def parameter_type(parameter: tree_sitter.Node) -> str:
    """The type of a parameter, as it is compared."""
    whole, skipped = text_of(parameter), []
    value = parameter.child_by_field_name("default_value")
    name = _name(parameter.child_by_field_name("declarator"))
    end = parameter.end_byte if value is None else value.start_byte
    if name is not None:
        skipped.append((name.start_byte, name.end_byte))
    text, at = b"", parameter.start_byte
    raw = whole.encode("utf-8", "surrogateescape")
    for start, stop in [*skipped, (end, end)]:
        text += raw[at - parameter.start_byte : start - parameter.start_byte] + b" "
        at = stop
    return plain_type(text.decode("utf-8", "surrogateescape").rstrip("= \n\t"))


def plain_type(text: str) -> str:
    """A type as it is compared."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = _LOWER.sub("unsigned int", _NOISE.sub(" ", text)).replace("[]", "*")
    text = re.sub(r"\[[^\]]*\]", "*", text)
    if not re.search(r"[*&<]", text):
        text = re.sub(r"\bconst\b", " ", text)
    text = re.sub(r"^\s*(\w+)\s+const\b", r"const \1", text)
    return re.sub(r"\s*([^\w\s])\s*", r"\1", " ".join(text.split()))


def _name(declarator: tree_sitter.Node | None) -> tree_sitter.Node | None:
    """The name in a declarator."""
    while declarator is not None and declarator.type not in ("identifier", "field_identifier"):
        inner = declarator.child_by_field_name("declarator")
        declarator = inner or next(
            (c for c in declarator.named_children if c.type.endswith(("declarator", "identifier"))), None
        )
    return declarator


_C_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local
"""
_CPP_WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline
int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
while xor xor_eq
"""
_MEMBERS = frozenset({"field", "method"})
_NAMED = frozenset({"name"})
_TAG = frozenset({"tag"})
_NAMES = ("variable", "local", "parameter", "function", "type", "enumerator", "generic", "field", "method")
_KINDS = frozenset(
    {"module", "namespace", "class", "function", "signature", "block", "let", "item", "bounds"}
)
_ELSEWHERE = frozenset({*_MEMBERS, "macro"})
_ONLY = {
    "class": _MEMBERS,
    "let": frozenset({"local"}),
    "signature": frozenset({"parameter"}),
    "bounds": frozenset(),
    "item": frozenset({"generic", "parameter"}),
}
C = Scoping(
    unreached=frozenset({"local", "parameter", "label", "tag", "type", "macro", "enumerator", "generic"}),
    entries=frozenset({"main", "begin", "end"}),
    declared=True,
    fulfils=False,
    only=_ONLY,
    never={
        "block": _ELSEWHERE | {"label"},
        "function": _ELSEWHERE | {"function"},
        "module": _MEMBERS,
    },
    spaces={
        **dict.fromkeys(("", *_NAMES), _NAMED),
        "tag": _TAG,
        "label": frozenset({"label"}),
        "macro": frozenset({"macro"}),
    },
    sequels=frozenset({"let", "signature"}),
    reserved=frozenset(_C_WORDS.split()),
    linked=True,
    reached=frozenset({"class", "module", "namespace"}),
    kinds=_KINDS,
    fixed=frozenset({"macro"}),
)
CPP = msgspec.structs.replace(
    C,
    only={**_ONLY, "class": _MEMBERS | {"tag", "type", "enumerator"}},
    never={**C.never, "namespace": _ELSEWHERE},
    spaces={
        **dict.fromkeys(("", *_NAMES, "tag", "namespace", "alias"), _NAMED),
        "label": frozenset({"label"}),
        "macro": frozenset({"macro"}),
    },
    open=frozenset({"function", "class", "block", "namespace"}),
    reserved=frozenset(_CPP_WORDS.split()),
    told=signature_space,
)
