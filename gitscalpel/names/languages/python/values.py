"""Infer the values of expressions, bindings and calls.

``isinstance`` narrows the values of a name. Unpacking (``a, b = c, d``) follows a tuple through names, and
out of functions that return one or declare it. A list is followed only where it is written next to the
pattern, since it may change later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Class, Elsewhere, Function, Instance, Module, Unknown, Value
from gitscalpel.names.languages.python import classes, imports, modules, strings, type_annotations
from gitscalpel.names.nodes import find_part
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
    found = tuple(
        Instance(value) if isinstance(value, Class) else value
        for each in checked
        for value in resolver.values(path, each)
    )
    if any(isinstance(each, Unknown) or _all_inherit(resolver, each, found) for each in declared):
        return found
    return tuple(dict.fromkeys((*declared, *found)))  # it is both, and nobody knows which of them has what


def _all_inherit(resolver: Resolver, declared: Value, found: tuple[Value, ...]) -> bool:
    top, *of = (value.of if isinstance(value, Instance) else value for value in (declared, *found))
    return isinstance(top, Class) and all(
        isinstance(each, Class)
        and any(
            isinstance(ancestor, Class) and (ancestor.path, ancestor.scope) == (top.path, top.scope)
            for ancestor in resolver.ancestry(each)
        )
        for each in of
    )


def _iter_checked_classes(resolver: Resolver, path: str, node: Node, expression: str) -> Iterator[list[Node]]:
    """Yield the classes of ``isinstance`` checks of an expression, innermost condition first."""
    child, above = node, node.parent
    while above is not None and child.type not in _BOUNDS:
        for condition in _conditions_for(above, child):
            classes = _checked_classes(resolver, path, condition, expression)
            if classes and not _may_be_reassigned(
                resolver, path, above, expression, (condition.end_byte, node.start_byte)
            ):
                yield classes
        child, above = above, above.parent


def _conditions_for(above: Node, child: Node) -> Iterator[Node]:
    """Yield the conditions that hold in a part of a node."""
    if above.type in _CONDITIONAL:
        condition, then = (above.child_by_field_name(name) for name in ("condition", "consequence"))
        then = then or above.child_by_field_name("body")
        if condition is not None and then is not None and then.id == child.id:
            yield condition
    elif above.type == "conditional_expression" and above.named_children[0].id == child.id:
        yield above.named_children[1]
    elif above.type == "boolean_operator":
        left, operator = (above.child_by_field_name(name) for name in ("left", "operator"))
        if left is not None and left.id != child.id and operator is not None and operator.type == "and":
            yield left
    elif above.type in ("block", "module"):
        before = child.prev_named_sibling
        while before is not None:
            if before.type == "assert_statement" and before.named_children:
                yield before.named_children[0]
            before = before.prev_named_sibling


def _checked_classes(resolver: Resolver, path: str, condition: Node, expression: str) -> list[Node]:
    """Return the classes that a condition checks an expression for."""
    if condition.type == "parenthesized_expression":
        return _checked_classes(resolver, path, condition.named_children[0], expression)
    if condition.type == "boolean_operator":
        operator = condition.child_by_field_name("operator")
        if operator is None or operator.type != "and":
            return []
        parts = (condition.child_by_field_name(name) for name in ("right", "left"))
        return next(
            (
                found
                for part in parts
                if part and (found := _checked_classes(resolver, path, part, expression))
            ),
            [],
        )
    callee, arguments = (condition.child_by_field_name(name) for name in ("function", "arguments"))
    if condition.type != "call" or callee is None or arguments is None or len(arguments.named_children) != 2:
        return []
    subject, classes = arguments.named_children
    if (
        type_annotations.text(resolver, path, callee) != "isinstance"
        or type_annotations.text(resolver, path, subject) != expression
    ):
        return []
    return list(classes.named_children) if classes.type == "tuple" else [classes]


def _may_be_reassigned(
    resolver: Resolver, path: str, around: Node, expression: str, between: tuple[int, int]
) -> bool:
    """Return True if a name in the expression may be bound again between the condition and the use."""
    pending = [around]
    while pending:
        node = pending.pop()
        if node.end_byte <= between[0] or node.start_byte >= between[1]:
            continue
        left = node.child_by_field_name("left")
        targets = _assigned_names(resolver, path, left) if left is not None and node.type in _SETS else []
        if any(expression == each or expression.startswith(f"{each}.") for each in targets):
            return True
        pending += node.named_children
    return False


def _assigned_names(resolver: Resolver, path: str, left: Node) -> list[str]:
    parts = left.named_children if left.type.endswith(("list", "pattern")) else [left]
    return [type_annotations.text(resolver, path, each) for each in parts]


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
    arguments = call.child_by_field_name("arguments")
    if parameters is None or arguments is None:
        return None
    name = type_annotations.text(resolver, function.path, result)
    arguments_given = [each for each in arguments.named_children if each.type != "comment"]
    if arguments.type != "argument_list" or any(each.type.endswith("_splat") for each in arguments_given):
        return None
    named = [each for each in arguments_given if each.type == "keyword_argument"]
    for each in named:
        key = each.child_by_field_name("name")
        if key is not None and type_annotations.text(resolver, path, key) == name:
            return each.child_by_field_name("value")
    by_place = [each for each in arguments_given if each not in named]
    at = parameters.by_place.index(name) if name in parameters.by_place else len(by_place)
    return by_place[at] if at < len(by_place) else None


def _is_method(function: Node) -> bool:
    """Return True if the first parameter of a function may be bound to an object."""
    block = function.parent
    return block is not None and block.parent is not None and block.parent.type == "class_definition"


def _is_constant_parameter(resolver: Resolver, function: Function, result: Node) -> bool:
    """Return True if a name is a parameter of the function and is never bound again."""
    meanings = resolver.meanings(function.path, nodes.mention(resolver, function.path, result))
    binders = [place for each in meanings if isinstance(each, Binding) for place in resolver.binders(each)]
    own = function.node.child_by_field_name("parameters")
    return (
        len(binders) == 1
        and binders[0].mention.kind == "parameter"
        and own is not None
        and own.start_byte <= binders[0].mention.start < own.end_byte
    )


_PRESERVING = frozenset(
    {"property", "cached_property", "staticmethod", "classmethod", "override", "cache", "final"}
)
"""Decorators that do not change the result of a function."""
_COPYING = frozenset({"replace", "evolve", "copy", "deepcopy"})
"""Library functions that return their first argument, or another object of its class."""
_LOADING = frozenset({"importlib.import_module", "import_module", "pytest.importorskip", "__import__"})
"""Functions that return the module with a name."""


def infer_call(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    callee = node.child_by_field_name("function")
    if callee is None:
        return
    if type_annotations.text(resolver, path, callee) == "super":
        yield from _values_of_super(resolver, path, node)
        return
    loaded = _loaded_module(resolver, path, node, type_annotations.text(resolver, path, callee))
    if loaded is not None:
        yield loaded
        return
    copied = _copied_object(resolver, path, node, callee)
    if copied is not None:
        yield from resolver.values(path, copied)
        return
    for value in resolver.values(path, callee):
        if isinstance(value, Class):
            yield Instance(value)
        elif isinstance(value, Function):
            yield from infer_result(resolver, value, (path, node))
        elif isinstance(value, Unknown):
            yield value
        else:
            yield Unknown("what it calls is defined outside of the repository, or is no function")


def _copied_object(resolver: Resolver, path: str, node: Node, callee: Node) -> Node | None:
    """Return the object that a call copies: the argument of ``replace``, or the receiver of ``_replace``."""
    called, values = type_annotations.last_name(resolver, path, callee), resolver.values(path, callee)
    if called == "_replace" and not any(isinstance(each, Function) for each in values):
        return callee.child_by_field_name("object")
    if called not in _COPYING or not values or not all(isinstance(each, Elsewhere) for each in values):
        return None
    arguments = node.child_by_field_name("arguments")
    is_method = callee.type == "attribute" and arguments is not None and not arguments.named_children
    return None if arguments is None or is_method else arguments.named_child(0)


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
    if may_change_result(resolver, function):
        yield Unknown("a decorator may change what it gives")
        return
    annotation = node.child_by_field_name("return_type")
    if annotation is not None:
        yield from type_annotations.allowed_objects(resolver, path, annotation)
        return
    found = returned_nodes(node)
    for result in found:
        handed = find_passed_argument(resolver, *call, function, result) if call is not None else None
        yield from resolver.values(path, result) if handed is None else resolver.values(call[0], handed)  # type: ignore[index]
    if not found:
        yield Elsewhere("nothing")


def may_change_result(resolver: Resolver, function: Function) -> bool:
    decorators = classes.decorators_of(function.node)
    return any(
        type_annotations.last_name(resolver, function.path, each) not in _PRESERVING for each in decorators
    )


def infer_entered(resolver: Resolver, value: Value) -> Iterator[Value]:
    """Yield the values of ``x`` in ``with value as x``."""
    members = resolver.members(value, "__enter__") if isinstance(value, Instance) else ()
    functions = [
        each for member in members for each in resolver.values_of(member) if isinstance(each, Function)
    ]
    for function in functions:
        yield from infer_result(resolver, function)
    if not functions:
        yield Unknown("it is what a context manager gives")


def _loaded_module(resolver: Resolver, path: str, node: Node, callee: str) -> Module | None:
    """Return the module of the tree that a call loads by its dotted name."""
    arguments = node.child_by_field_name("arguments")
    name = arguments.named_child(0) if arguments is not None and callee in _LOADING else None
    if name is None or name.type != "string" or name.named_child_count != 3:
        return None
    dotted = type_annotations.text(resolver, path, name.named_children[1])
    if callee == "__import__":  # without ``fromlist`` it gives the outermost package
        dotted = dotted.partition(".")[0]
    found = None if dotted.startswith(".") else modules.find_module(resolver.files, path, dotted, 0)
    return found if isinstance(found, Module) else None


def _values_of_super(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    above = nodes.ancestor(node, "class_definition")
    if above is None:
        yield Unknown("super stands in no class")
        return
    for base in resolver.dialect(path).bases(resolver, Class(path, above)):
        yield Instance(base) if isinstance(base, Class) else base


def returned_nodes(function: Node) -> list[Node]:
    """Return the expressions of a function's own return statements; of a lambda, its body."""
    body = function.child_by_field_name("body")
    if function.type == "lambda":
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
_UNKNOWN = Unknown("it is bound by what is taken apart")
_Steps = tuple[int, ...]
"""Indices of nested parts, outermost first; negative ones count from the end."""


def infer_unpacked(resolver: Resolver, path: str, target: Node) -> Iterator[Value]:
    steps, pattern = _path_in_pattern(target)
    statement = pattern.parent
    right = assigned_value(statement) if statement is not None and statement.type == "assignment" else None
    if steps and right is not None:
        while right.type == "parenthesized_expression" and right.named_children:
            right = right.named_children[0]
        inside = _element(right, steps[0]) if right.type == "list" else None
        yield from _values_of_part(resolver, path, inside or right, steps[1:] if inside else steps)
    else:
        yield _UNKNOWN


def assigned_value(statement: Node) -> Node | None:
    """Return the value of an assignment, or of the last of several (``a = b = value``)."""
    right = statement.child_by_field_name("right")
    while right is not None and right.type == "assignment":
        right = right.child_by_field_name("right")
    return right


def _path_in_pattern(target: Node) -> tuple[_Steps, Node]:
    """Return the steps from the outermost pattern to one of its names, and the pattern."""
    steps: _Steps = ()
    node, above = target, target.parent
    while above is not None and above.type in _PATTERNS:
        parts = _parts(above)
        at = [each.id for each in parts].index(node.id)
        has_splat = any(each.type in _SPLATS for each in parts[:at])
        steps, node, above = (at - len(parts) if has_splat else at, *steps), above, above.parent
    return steps, node


def _parts(node: Node) -> list[Node]:
    return [each for each in node.named_children if each.type != "comment"]


def _element(node: Node, step: int) -> Node | None:
    """Return the item of a tuple; None if its position is unknown."""
    parts = _parts(node)
    if not -len(parts) <= step < len(parts):
        return None
    counted = parts[: step + 1] if step >= 0 else parts[step:]
    return None if any(each.type in _SPLATS for each in counted) else parts[step]


def _values_of_part(resolver: Resolver, path: str, node: Node, steps: _Steps) -> tuple[Value, ...]:
    key = ("part", path, node.start_byte, node.end_byte, node.type, steps)
    return resolver.once(key, lambda: _read_part(resolver, path, node, steps), (_UNKNOWN,))


def _read_part(resolver: Resolver, path: str, node: Node, steps: _Steps) -> Iterator[Value]:
    if not steps:
        yield from () if node.type == "none" else resolver.values(path, node)
    elif node.type in _TUPLES:
        inside = _element(node, steps[0])
        yield from (_UNKNOWN,) if inside is None else _values_of_part(resolver, path, inside, steps[1:])
    elif node.type in ("parenthesized_expression", "await") and node.named_children:
        yield from _values_of_part(resolver, path, node.named_children[0], steps)
    elif node.type == "conditional_expression":
        for part in (node.named_children[0], node.named_children[-1]):
            yield from _values_of_part(resolver, path, part, steps)
    elif node.type == "identifier":
        yield from _part_of_name(resolver, path, node, steps)
    elif node.type == "call":
        yield from _part_of_call(resolver, path, node, steps)
    else:
        yield _UNKNOWN


def _part_of_name(resolver: Resolver, path: str, node: Node, steps: _Steps) -> Iterator[Value]:
    for meaning in resolver.meanings(path, nodes.mention(resolver, path, node)):
        for place in resolver.binders(meaning) if isinstance(meaning, Binding) else ():
            statement = place.mention.node.parent
            left = find_part(statement, "left")
            if statement is None or statement.type != "assignment" or left != place.mention.node:
                yield _UNKNOWN
                continue
            kind, right = statement.child_by_field_name("type"), assigned_value(statement)
            if kind is not None:
                yield from type_annotations.allowed_parts(resolver, place.path, kind, steps)
            elif right is not None:
                yield from _values_of_part(resolver, place.path, right, steps)
        if not isinstance(meaning, Binding):
            yield _UNKNOWN


def _part_of_call(resolver: Resolver, path: str, node: Node, steps: _Steps) -> Iterator[Value]:
    for value in resolver.values(path, node.child_by_field_name("function")):
        yield from _part_of_result(resolver, value, steps) if isinstance(value, Function) else (_UNKNOWN,)


def _part_of_result(resolver: Resolver, function: Function, steps: _Steps) -> Iterator[Value]:
    node, path = function.node, function.path
    annotation = node.child_by_field_name("return_type")
    results = returned_nodes(node)
    if may_change_result(resolver, function) or (annotation is None and not results):
        yield _UNKNOWN
    elif annotation is not None:
        yield from type_annotations.allowed_parts(resolver, path, annotation, steps)
    else:
        for result in results:
            yield from _values_of_part(resolver, path, result, steps)


_LITERALS = frozenset(
    {
        *("string", "concatenated_string", "integer", "float", "true", "false", "none", "ellipsis"),
        *("list", "tuple", "dictionary", "set", "list_comprehension", "set_comprehension"),
        *("dictionary_comprehension", "generator_expression", "comparison_operator", "not_operator"),
    }
)


def infer_expression(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    read = _EXPRESSION_READERS.get(node.type)
    if node.type in _LITERALS:
        yield Elsewhere("builtins")
    elif read is None:
        yield Unknown(f"nobody can tell what a {node.type.replace('_', ' ')} gives")
    else:
        yield from read(resolver, path, node)


def infer_binding(resolver: Resolver, path: str, mention: Mention) -> Iterator[Value]:
    above = mention.node.parent
    read = _BINDING_READERS.get(mention.kind) or _CONTEXT_READERS.get(above.type if above else "")
    if read is None or above is None:
        yield from infer_unpacked(resolver, path, mention.node)
    else:
        yield from read(resolver, path, mention, above)


def _values_of_identifier(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    yield from narrow_values(resolver, path, node, tuple(_values_of_name(resolver, path, node)))


def _values_of_name(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    mention = nodes.mention(resolver, path, node)
    for meaning in resolver.meanings(path, mention):
        yield from resolver.values_of(meaning)


def _values_of_attribute(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    attribute = node.child_by_field_name("attribute")
    members = _values_of_name(resolver, path, attribute) if attribute is not None else ()
    found = tuple(each for value in members for each in infer_lookup(resolver, value))
    yield from narrow_values(resolver, path, node, found)


def _values_of_dotted(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the values of a name in a pattern."""
    yield from _values_of_name(resolver, path, node.named_children[-1])


def _values_of_child(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    for child in node.named_children[:1]:
        yield from resolver.values(path, child)


def _values_of_branches(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    for part in (node.named_children[0], node.named_children[-1]):
        yield from resolver.values(path, part)


def _values_of_walrus(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    yield from resolver.values(path, node.child_by_field_name("value"))


def _values_of_item(resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    """Yield the values of a known key: ``row["key"]``."""
    key = node.child_by_field_name("subscript")
    found = strings.item_members(resolver, path, key) if key is not None and key.type == "string" else ()
    for meaning in found:
        yield from resolver.values_of(meaning)
    if not found:
        yield Unknown("nobody can tell what a subscript gives")


def _values_of_lambda(_resolver: Resolver, path: str, node: Node) -> Iterator[Value]:
    yield Function(path, node)


_EXPRESSION_READERS: Mapping[str, Callable[[Resolver, str, Node], Iterator[Value]]] = {
    "identifier": _values_of_identifier,
    "attribute": _values_of_attribute,
    "dotted_name": _values_of_dotted,
    "call": infer_call,
    "parenthesized_expression": _values_of_child,
    "await": _values_of_child,
    "type": _values_of_child,
    "conditional_expression": _values_of_branches,
    "boolean_operator": _values_of_branches,
    "named_expression": _values_of_walrus,
    "lambda": _values_of_lambda,
    "subscript": _values_of_item,
}
"""By node type: reader of an expression."""


def _bound_class(_resolver: Resolver, path: str, _mention: Mention, above: Node) -> Iterator[Value]:
    yield Class(path, above)


def _bound_function(resolver: Resolver, path: str, _mention: Mention, above: Node) -> Iterator[Value]:
    function = Function(path, above)
    if not classes.is_decorated(resolver, function, "setter", "deleter"):  # which the getter speaks for
        yield function


def _bound_import(resolver: Resolver, path: str, mention: Mention, _above: Node) -> Iterator[Value]:
    for meaning in imports.import_target(resolver, path, mention):
        yield from resolver.values_of(meaning)


def _bound_by_assignment(resolver: Resolver, path: str, mention: Mention, above: Node) -> Iterator[Value]:
    """Yield the values of ``x = value`` and ``self.x: T = value``."""
    target = above if above.type == "attribute" else mention.node
    statement = target.parent
    left = find_part(statement, "left")
    if statement is None or statement.type != "assignment" or left is None or left.id != target.id:
        yield from infer_unpacked(resolver, path, target)
        return
    member = strings.find_enum_member(resolver, path, mention)
    if member is not None:
        yield member
        return
    annotation = statement.child_by_field_name("type")
    if annotation is not None:
        yield from type_annotations.allowed_objects(resolver, path, annotation)
        return
    right = assigned_value(statement)
    if right is not None and right.type != "none":
        yield from resolver.values(path, right)


def _bound_by_walrus(resolver: Resolver, path: str, _mention: Mention, above: Node) -> Iterator[Value]:
    yield from _values_of_walrus(resolver, path, above)


def _bound_without_value(_resolver: Resolver, _path: str, _mention: Mention, _above: Node) -> Iterator[Value]:
    yield from ()


def _bound_by_clause(resolver: Resolver, path: str, _mention: Mention, above: Node) -> Iterator[Value]:
    """Yield the values of ``except E as e`` and ``with c as e``."""
    pattern = above.parent
    around = pattern.parent if pattern is not None else None
    subject = pattern.named_children[0] if pattern is not None and pattern.named_children else None
    values = resolver.values(path, subject)
    if around is not None and around.type == "except_clause":
        for value in values:
            yield Instance(value) if isinstance(value, Class) else value
        return
    for value in values:
        yield from infer_entered(resolver, value)


_BINDING_READERS: Mapping[str, Callable[[Resolver, str, Mention, Node], Iterator[Value]]] = {
    "class": _bound_class,
    "function": _bound_function,
    "import": _bound_import,
    "parameter": classes.infer_parameter,
}
"""By kind of binding: reader of the bound value."""
_CONTEXT_READERS: Mapping[str, Callable[[Resolver, str, Mention, Node], Iterator[Value]]] = {
    "assignment": _bound_by_assignment,
    "attribute": _bound_by_assignment,
    "named_expression": _bound_by_walrus,
    "as_pattern_target": _bound_by_clause,
    "delete_statement": _bound_without_value,
    "expression_list": _bound_without_value,
    "augmented_assignment": _bound_without_value,
}
"""By type of the node around a binding: reader of the bound value, for other kinds of bindings."""
