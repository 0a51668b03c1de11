"""Infer the values of expressions, bindings and calls.

``isinstance`` narrows the values of a name. Unpacking (``a, b = c, d``) follows a tuple through names, and
out of functions that return one or declare it. A list is followed only where it is written next to the
pattern, since it may change later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    Binding,
    Class,
    Elsewhere,
    Function,
    Instance,
    Module,
    Unknown,
    Value,
    functions_in,
    key_of,
    object_of,
    type_of,
)
from gitscalpel.names.languages.python import classes, imports, modules, strings, type_annotations
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.readings import (
    BindingReading,
    always,
    class_itself,
    function_itself,
    of_declaration,
    read_expressions,
    reading_table,
    result_of,
    value_of,
    value_of_each,
    values_of_name,
)
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_BOUNDS = ("function_definition", "class_definition", "lambda", "module")
_SETS = ("assignment", "augmented_assignment", "for_statement")
_CONDITIONAL = ("if_statement", "elif_clause", "while_statement")


def narrow_values(
    resolver: Resolver, path: str, node: Node, declared: tuple[Value, ...]
) -> tuple[Value, ...]:
    """Return the values of an expression at its place, out of its ``declared`` values."""
    if b"isinstance" not in resolver.lexical(path).text:
        return declared
    expression = type_annotations.text(resolver, path, node)
    checked = next(_iter_checked_classes(resolver, path, node, expression), None)
    if checked is None:
        return declared
    found = tuple(object_of(value) for each in checked for value in resolver.values(path, each))
    if any(isinstance(each, Unknown) or _all_inherit(resolver, each, found) for each in declared):
        return found
    return tuple(dict.fromkeys((*declared, *found)))  # both, since it is unknown which has which member


def _all_inherit(resolver: Resolver, declared: Value, found: tuple[Value, ...]) -> bool:
    top = type_of(declared)
    return isinstance(top, Class) and all(
        isinstance(each, Class) and key_of(top) in map(key_of, resolver.ancestry(each))
        for each in map(type_of, found)
    )


def _iter_checked_classes(resolver: Resolver, path: str, node: Node, expression: str) -> Iterator[list[Node]]:
    """Yield the classes of ``isinstance`` checks of an expression, innermost condition first."""
    child, above = node, node.parent
    while above is not None and child.type not in _BOUNDS:
        for condition in _find_conditions(above, child):
            checked = _find_checked(resolver, path, condition, expression)
            between = (condition.end_byte, node.start_byte)
            if checked and not _may_be_reassigned(resolver, path, above, expression, between):
                yield checked
        child, above = above, above.parent


def _find_conditions(above: Node, child: Node) -> Iterator[Node]:
    """Yield the conditions that hold in a part of a node."""
    if above.type in _CONDITIONAL:
        condition, then = find_part(above, "condition"), find_part(above, "consequence", "body")
        if condition is not None and then is not None and then.id == child.id:
            yield condition
    elif above.type == "conditional_expression" and above.named_children[0].id == child.id:
        yield above.named_children[1]
    elif above.type == "boolean_operator":
        left = find_part(above, "left")
        if left is not None and left.id != child.id and _is_conjunction(above):
            yield left
    elif above.type in ("block", "module"):
        before = child.prev_named_sibling
        while before is not None:
            if before.type == "assert_statement" and before.named_children:
                yield before.named_children[0]
            before = before.prev_named_sibling


def _is_conjunction(condition: Node) -> bool:
    return nodes.type_of(find_part(condition, "operator")) == "and"


def _find_checked(resolver: Resolver, path: str, condition: Node | None, expression: str) -> list[Node]:
    """Return the classes that a condition checks an expression for."""
    kind = nodes.type_of(condition)
    if condition is not None and kind == "parenthesized_expression":
        return _find_checked(resolver, path, condition.named_children[0], expression)
    if condition is not None and kind == "boolean_operator" and _is_conjunction(condition):
        right, left = find_part(condition, "right"), find_part(condition, "left")
        found = _find_checked(resolver, path, right, expression)
        return found or _find_checked(resolver, path, left, expression)
    arguments = children_of(find_part(condition, "arguments")) if kind == "call" else []
    callee = type_annotations.text(resolver, path, find_part(condition, "function"))
    if callee != "isinstance" or len(arguments) != 2:
        return []
    subject, checked = arguments
    if type_annotations.text(resolver, path, subject) != expression:
        return []
    return list(checked.named_children) if checked.type == "tuple" else [checked]


def _may_be_reassigned(
    resolver: Resolver, path: str, around: Node, expression: str, between: tuple[int, int]
) -> bool:
    """Return True if a name in the expression may be bound again between the condition and the use."""
    pending = [around]
    while pending:
        node = pending.pop()
        if node.end_byte <= between[0] or node.start_byte >= between[1]:
            continue
        left = find_part(node, "left") if node.type in _SETS else None
        is_several = left is not None and left.type.endswith(("list", "pattern"))
        targets = children_of(left) if is_several or left is None else [left]
        names = [type_annotations.text(resolver, path, each) for each in targets]
        if any(expression == each or expression.startswith(f"{each}.") for each in names):
            return True
        pending += node.named_children
    return False


def find_passed_argument(
    resolver: Resolver, path: str, call: Node, function: Function, result: Node
) -> Node | None:
    """Return the argument of a call that a return statement of the function returns; None if unknown."""
    if (
        result.type != "identifier"
        or _is_method(function.node)
        or not _is_constant_parameter(resolver, function, result)
    ):
        return None
    parameters = classes.read_parameters(resolver, function.path, function.node)
    arguments = nodes.arguments_of(call)
    is_plain = nodes.type_of(find_part(call, "arguments")) == "argument_list"
    if parameters is None or not is_plain or any(each.type.endswith("_splat") for each in arguments):
        return None
    name = type_annotations.text(resolver, function.path, result)
    named = [each for each in arguments if each.type == "keyword_argument"]
    for each in named:
        if type_annotations.text(resolver, path, find_part(each, "name")) == name:
            return find_part(each, "value")
    by_place = [each for each in arguments if each not in named]
    at = parameters.by_place.index(name) if name in parameters.by_place else len(by_place)
    return by_place[at] if at < len(by_place) else None


def _is_method(function: Node) -> bool:
    return nodes.parent_of(function.parent, "class_definition") is not None


def _is_constant_parameter(resolver: Resolver, function: Function, result: Node) -> bool:
    """Return True if a name is a parameter of the function and is never bound again."""
    binders = [*resolver.binders_of_each(nodes.meanings_of(resolver, function.path, result))]
    is_parameter = len(binders) == 1 and binders[0].mention.kind == "parameter"
    return is_parameter and nodes.covers(find_part(function.node, "parameters"), binders[0].mention.start)


_PRESERVING = frozenset(
    {"property", "cached_property", "staticmethod", "classmethod", "override", "cache", "final"}
)
"""Decorators that do not change the result of a function."""
_COPYING = frozenset({"replace", "evolve", "copy", "deepcopy"})
"""Library functions that return their first argument, or another object of its class."""
_LOADING = frozenset({"importlib.import_module", "import_module", "pytest.importorskip", "__import__"})
"""Functions that return the module with a name."""


def infer_call(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    callee = find_part(node, "function")
    name = type_annotations.text(resolver, path, callee)
    if callee is None:
        return ()
    if name == "super":
        return _infer_super(resolver, path, node)
    if (loaded := _find_loaded_module(resolver, path, node, name)) is not None:
        return (loaded,)
    if (copied := _find_copied_object(resolver, path, node, callee)) is not None:
        return resolver.values(path, copied)
    return result_of(
        lambda resolver, path, callee: resolver.values(path, callee),
        lambda resolver, function: infer_result(resolver, function, (path, node)),
        Unknown("the called function is defined outside the repository, or is not a function"),
        creates=True,
    )(resolver, path, callee)


def _find_copied_object(resolver: Resolver, path: str, node: Node, callee: Node) -> Node | None:
    """Return the object that a call copies: the argument of ``replace``, or the receiver of ``_replace``."""
    called, values = type_annotations.last_name(resolver, path, callee), resolver.values(path, callee)
    if called == "_replace" and not functions_in(values):
        return find_part(callee, "object")
    if called not in _COPYING or not values or not all(isinstance(each, Elsewhere) for each in values):
        return None
    return find_part(find_part(node, "arguments"), 0)


def infer_lookup(resolver: Resolver, value: Value) -> Iterator[Value]:
    """Yield the values of a member when it is looked up: a property gives the result of its function."""
    if isinstance(value, Function) and classes.is_decorated(resolver, value, "property", "cached_property"):
        yield from infer_result(resolver, value)
    else:
        yield value


def infer_result(
    resolver: Resolver, function: Function, call: tuple[str, Node] | None = None
) -> Iterator[Value]:
    """Yield the results of a function (in a call): by its annotation, or else by its return statements."""
    node, path = function.node, function.path
    annotation = find_part(node, "return_type")
    if may_change_result(resolver, function):
        yield Unknown("a decorator may change what it gives")
    elif annotation is not None:
        yield from type_annotations.allowed_objects(resolver, path, annotation)
    else:
        results = returned_nodes(node)
        for result in results:
            passed = find_passed_argument(resolver, *call, function, result) if call is not None else None
            at = call[0] if call is not None and passed is not None else path
            yield from resolver.values(at, passed or result)
        if not results:
            yield Elsewhere("nothing")


def may_change_result(resolver: Resolver, function: Function) -> bool:
    decorators = classes.decorators_of(function.node)
    return any(
        type_annotations.last_name(resolver, function.path, each) not in _PRESERVING for each in decorators
    )


def infer_entered(resolver: Resolver, value: Value) -> Iterator[Value]:
    """Yield the values of ``x`` in ``with value as x``."""
    entered = resolver.member_values(value, "__enter__") if isinstance(value, Instance) else ()
    functions = functions_in(entered)
    for function in functions:
        yield from infer_result(resolver, function)
    if not functions:
        yield Unknown("it is the value of a context manager")


def _find_loaded_module(resolver: Resolver, path: str, node: Node, callee: str) -> Module | None:
    """Return the module of the tree that a call loads by its dotted name."""
    name = find_part(find_part(node, "arguments"), 0) if callee in _LOADING else None
    if name is None or name.type != "string" or name.named_child_count != 3:
        return None
    dotted = type_annotations.text(resolver, path, name.named_children[1])
    if callee == "__import__":  # without ``fromlist`` it gives the outermost package
        dotted = dotted.partition(".")[0]
    found = None if dotted.startswith(".") else modules.find_module(resolver.files, path, dotted, 0)
    return found if isinstance(found, Module) else None


def _infer_super(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    above = nodes.ancestor(node, "class_definition")
    if above is None:
        return (Unknown("super is outside of any class"),)
    return map(object_of, resolver.dialect(path).bases(resolver, Class(path, above)))


def returned_nodes(function: Node) -> list[Node]:
    """Return the expressions of a function's own return statements; of a lambda, its body."""
    if function.type == "lambda":
        body = find_part(function, "body")
        return [] if body is None else [body]
    pending, found = list(function.children), []
    while pending:
        node = pending.pop()
        if node.type == "return_statement":
            found += node.named_children[:1]
        elif node.type not in ("function_definition", "class_definition", "lambda"):
            pending += node.named_children
    return found


_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})
_TUPLES = frozenset({"tuple", "expression_list"})
_SPLATS = frozenset({"list_splat", "list_splat_pattern"})
_UNKNOWN = Unknown("it is bound by a pattern")
_Steps = tuple[int, ...]
"""Indices of nested parts, outermost first; negative ones count from the end."""


def infer_unpacked(resolver: Resolver, path: str, target: Node) -> Iterable[Value]:
    steps, pattern = _find_path_in_pattern(target)
    right = assigned_value(nodes.parent_of(pattern, "assignment"))
    if not steps or right is None:
        return (_UNKNOWN,)
    while right.type == "parenthesized_expression" and right.named_children:
        right = right.named_children[0]
    inside = _find_item(right, steps[0]) if right.type == "list" else None
    return _infer_part(resolver, path, inside or right, steps[1:] if inside else steps)


def assigned_value(statement: Node | None) -> Node | None:
    """Return the value of an assignment, or of the last of several (``a = b = value``)."""
    right = find_part(statement, "right")
    while right is not None and right.type == "assignment":
        right = find_part(right, "right")
    return right


def _find_path_in_pattern(target: Node) -> tuple[_Steps, Node]:
    """Return the steps from the outermost pattern to one of its names, and the pattern."""
    steps: _Steps = ()
    node, above = target, target.parent
    while above is not None and above.type in _PATTERNS:
        parts = nodes.without_comments(above)
        at = parts.index(node)
        has_splat = any(each.type in _SPLATS for each in parts[:at])
        steps, node, above = (at - len(parts) if has_splat else at, *steps), above, above.parent
    return steps, node


def _find_item(node: Node, step: int) -> Node | None:
    """Return the item of a tuple; None if its position is unknown."""
    parts = nodes.without_comments(node)
    if not -len(parts) <= step < len(parts):
        return None
    counted = parts[: step + 1] if step >= 0 else parts[step:]
    return None if any(each.type in _SPLATS for each in counted) else parts[step]


def _infer_part(resolver: Resolver, path: str, node: Node, steps: _Steps) -> tuple[Value, ...]:
    key = ("part", path, node.start_byte, node.end_byte, node.type, steps)
    return resolver.compute_once(key, lambda: _read_part(resolver, path, node, steps), (_UNKNOWN,))


def _read_part(resolver: Resolver, path: str, node: Node, steps: _Steps) -> Iterator[Value]:
    if not steps:
        yield from () if node.type == "none" else resolver.values(path, node)
    elif node.type in _TUPLES:
        inside = _find_item(node, steps[0])
        yield from (_UNKNOWN,) if inside is None else _infer_part(resolver, path, inside, steps[1:])
    elif node.type in ("parenthesized_expression", "await") and node.named_children:
        yield from _infer_part(resolver, path, node.named_children[0], steps)
    elif node.type == "conditional_expression":
        for part in (node.named_children[0], node.named_children[-1]):
            yield from _infer_part(resolver, path, part, steps)
    elif node.type == "identifier":
        yield from _infer_part_of_name(resolver, path, node, steps)
    elif node.type == "call":
        yield from _infer_part_of_call(resolver, path, node, steps)
    else:
        yield _UNKNOWN


def _infer_part_of_name(resolver: Resolver, path: str, node: Node, steps: _Steps) -> Iterator[Value]:
    for meaning in nodes.meanings_of(resolver, path, node):
        if not isinstance(meaning, Binding):
            yield _UNKNOWN
            continue
        for place in resolver.binders(meaning):
            statement = nodes.parent_of(place.mention.node, "assignment")
            if statement is None or not nodes.is_part(place.mention.node, "left"):
                yield _UNKNOWN
                continue
            kind, right = find_part(statement, "type"), assigned_value(statement)
            if kind is not None:
                yield from type_annotations.allowed_parts(resolver, place.path, kind, steps)
            elif right is not None:
                yield from _infer_part(resolver, place.path, right, steps)


def _infer_part_of_call(resolver: Resolver, path: str, node: Node, steps: _Steps) -> Iterator[Value]:
    for value in resolver.values(path, find_part(node, "function")):
        yield from (
            _infer_part_of_result(resolver, value, steps) if isinstance(value, Function) else (_UNKNOWN,)
        )


def _infer_part_of_result(resolver: Resolver, function: Function, steps: _Steps) -> Iterator[Value]:
    node, path = function.node, function.path
    annotation, results = find_part(node, "return_type"), returned_nodes(node)
    if may_change_result(resolver, function) or (annotation is None and not results):
        yield _UNKNOWN
    elif annotation is not None:
        yield from type_annotations.allowed_parts(resolver, path, annotation, steps)
    else:
        for result in results:
            yield from _infer_part(resolver, path, result, steps)


def _infer_identifier(resolver: Resolver, path: str, node: Node) -> tuple[Value, ...]:
    return narrow_values(resolver, path, node, tuple(values_of_name(resolver, path, node)))


def _infer_attribute(resolver: Resolver, path: str, node: Node) -> tuple[Value, ...]:
    members = values_of_name(resolver, path, find_part(node, "attribute"))
    found = tuple(each for value in members for each in infer_lookup(resolver, value))
    return narrow_values(resolver, path, node, found)


def _infer_item(resolver: Resolver, path: str, node: Node) -> Iterable[Value]:
    """Return the values of a known key: ``row["key"]``."""
    key = find_part(node, "subscript")
    found = strings.item_members(resolver, path, key) if key is not None and key.type == "string" else ()
    return resolver.values_of_each(found) if found else (Unknown("the value of a subscript is unknown"),)


infer_expression = read_expressions(
    "string concatenated_string integer float true false none ellipsis list tuple dictionary set "
    "list_comprehension set_comprehension dictionary_comprehension generator_expression "
    "comparison_operator not_operator",
    ("identifier", _infer_identifier),
    ("attribute", _infer_attribute),
    ("dotted_name", lambda resolver, path, node: values_of_name(resolver, path, find_part(node, -1))),
    ("call", infer_call),
    ("parenthesized_expression await type", value_of(0)),
    ("conditional_expression boolean_operator", value_of_each(0, -1)),
    ("named_expression", value_of("value")),
    ("lambda", function_itself),
    ("subscript", _infer_item),
    literal=Elsewhere("builtins"),
)


def _infer_bound_function(resolver: Resolver, path: str, _mention: Mention, above: Node) -> Iterable[Value]:
    function = Function(path, above)
    is_accessor = classes.is_decorated(resolver, function, "setter", "deleter")
    return () if is_accessor else (function,)  # which the getter speaks for


def _infer_bound_import(resolver: Resolver, path: str, mention: Mention, _above: Node) -> Iterable[Value]:
    return resolver.values_of_each(imports.import_target(resolver, path, mention))


def _infer_assigned(resolver: Resolver, path: str, mention: Mention, above: Node) -> Iterable[Value]:
    target = above if above.type == "attribute" else mention.node
    statement = nodes.parent_of(target, "assignment")
    if statement is None or not nodes.is_part(target, "left"):
        return infer_unpacked(resolver, path, target)
    if (member := strings.find_enum_member(resolver, path, mention)) is not None:
        return (member,)
    if (annotation := find_part(statement, "type")) is not None:
        return type_annotations.allowed_objects(resolver, path, annotation)
    right = assigned_value(statement)
    return () if nodes.type_of(right) == "none" else resolver.values(path, right)


def _infer_clause(resolver: Resolver, path: str, _mention: Mention, above: Node) -> Iterator[Value]:
    """Yield the values of ``except E as e`` and ``with c as e``."""
    pattern = above.parent
    is_error = nodes.parent_of(pattern, "except_clause") is not None
    for value in resolver.values(path, find_part(pattern, 0)):
        yield from (object_of(value),) if is_error else infer_entered(resolver, value)


_BINDING_READERS: Mapping[str, BindingReading] = reading_table(
    ("class", of_declaration(class_itself)),
    ("function", _infer_bound_function),
    ("import", _infer_bound_import),
    ("parameter", classes.infer_parameter),
)
"""By kind of binding: reading of the bound value."""
_CONTEXT_READERS: Mapping[str, BindingReading] = reading_table(
    ("assignment attribute", _infer_assigned),
    ("named_expression", of_declaration(value_of("value"))),
    ("as_pattern_target", _infer_clause),
    ("delete_statement expression_list augmented_assignment", of_declaration(always())),
)
"""By type of the node around a binding: reading of the bound value, for other kinds of bindings."""


def infer_binding(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    """Return the values of a name at a binding."""
    above = mention.node.parent
    read = _BINDING_READERS.get(mention.kind) or _CONTEXT_READERS.get(nodes.type_of(above))
    if read is None or above is None:
        return infer_unpacked(resolver, path, mention.node)
    return read(resolver, path, mention, above)
