"""Which nodes are calls, and what they call: as it is written, and its last name."""

from __future__ import annotations

import re

import tree_sitter

_CALLS = frozenset(
    {
        *("call", "call_expression", "function_call", "function_call_expression", "command", "apply"),
        *("member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression"),
        *("method_invocation", "macro_invocation", "constructor_invocation", "invocation_expression"),
    }
)
"""What grammars call a call."""
_FIELDS = ("method", "function", "name", "macro")
"""Where they keep what is called; else it comes first."""
_LAST = re.compile(r"[^\W\d][\w$]*[!?]?$")


def is_call(node: tree_sitter.Node) -> bool:
    """Whether it calls something, by the name of its type."""
    return node.type in _CALLS


def called(node: tree_sitter.Node) -> tuple[str, ...]:
    """What a call calls: ``os.path.join`` and ``join``."""
    fields = (node.child_by_field_name(field) for field in _FIELDS)
    what = next((field for field in (*fields, *node.named_children) if field is not None), None)
    if what is None:
        return ()
    whole = (node.text or b"")[: what.end_byte - node.start_byte].decode("utf-8", "replace")
    last = _LAST.search(whole)
    return tuple(dict.fromkeys((whole, last[0] if last else whole)))
