"""Modules as RequireJS has them (AMD): ``define(["./a"], function (a) { return … })``."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

_CALLS = (b"define", b"require", b"requirejs")
_FUNCTIONS = ("function_expression", "arrow_function")


def dependencies(call: tree_sitter.Node) -> list[tree_sitter.Node]:
    """What a call asks for before its function is called, in the order of its parameters."""
    held = _arguments(call) if _called(call) in _CALLS else []
    lists = [each for each in held[:2] if each.type == "array"]
    is_followed = len(held) > 1 and held[-1].type in _FUNCTIONS
    return lists[0].named_children if lists and is_followed else []


def asked_for(string: tree_sitter.Node) -> bool:
    """Whether a string is one of those."""
    array = string.parent
    given = array.parent if array is not None and array.type == "array" else None
    call = given.parent if given is not None and given.type == "arguments" else None
    return call is not None and string in dependencies(call)


def given(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """What a file gives those who ask for it: an object, or what its function returns."""
    for statement in root.named_children:
        call = statement.named_children[0] if statement.type == "expression_statement" else None
        if call is None or call.type != "call_expression" or _called(call) != b"define":
            continue
        last = next(iter(_arguments(call)[-1:]), None)
        if last is not None and last.type == "object":
            yield last
        elif last is not None and last.type in _FUNCTIONS:
            body = last.child_by_field_name("body")
            for each in body.named_children if body is not None else ():
                yield from each.named_children[:1] if each.type == "return_statement" else ()


def _called(call: tree_sitter.Node) -> bytes:
    callee = call.child_by_field_name("function")
    return (callee.text or b"") if callee is not None and callee.type == "identifier" else b""


def _arguments(call: tree_sitter.Node) -> list[tree_sitter.Node]:
    held = call.child_by_field_name("arguments")
    return [] if held is None else [each for each in held.named_children if each.type != "comment"]
