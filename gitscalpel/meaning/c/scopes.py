"""How C and C++'s scopes hold names."""

from __future__ import annotations

import msgspec

from gitscalpel.meaning.c.signatures import told
from gitscalpel.meaning.scoping import Scoping

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
    told=told,
)
