"""Read `.gitscalpel.toml` and the personal `scalpel.*` keys into rules.

The file is read from the tip of the target branch, never from the change that it judges. An unknown key is an
error: a configured gate must not be skipped.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from gitscalpel.changesets import paths
from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK, TREE, Entry
from gitscalpel.changesets.rules import GATES, RESERVED, SANDBOXES, WORKTREES, Gates, Rules
from gitscalpel.errors import Misconfigured, ScalpelError
from gitscalpel.system import serialization

_Level = TypeVar("_Level", bound=str)
PATH = ".gitscalpel.toml"
_PLACE = re.compile(r"(?P<what>.*) - at `\$\.?(?P<where>.*)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
_MISSING = re.compile(r"Object missing required field `(.*)`")
_KINDS: dict[type, str] = {
    inspect.StructType: "a table",
    inspect.VarTupleType: "a list",
    inspect.BoolType: "true or false",
    inspect.StrType: "a text",
    inspect.IntType: "a whole number",
    inspect.FloatType: "a number",
}


def parse_rules(content: bytes | None, personal: Mapping[str, str]) -> Rules:
    """Return the rules for a target branch and a user.

    ``content`` is ``.gitscalpel.toml`` at the tip of the target branch, or None. The ``scalpel.*`` keys of
    ``personal``, git's configuration, can tighten the rules, not loosen them.

    Raises:
        Misconfigured: ``config_error``.
    """
    rules = _read_rules(content) if content else Rules()
    gates = rules.gates
    levels = {"sandbox": SANDBOXES, **{gate.key: gate.levels for gate in GATES if gate.levels}}
    values = {key: _tighten(getattr(gates, key), key, known, personal) for key, known in levels.items()}
    worktree = _tighten(rules.worktree, "worktree", WORKTREES, personal)
    if worktree == rules.worktree and all(getattr(gates, key) == value for key, value in values.items()):
        return rules
    return msgspec.structs.replace(rules, gates=msgspec.structs.replace(gates, **values), worktree=worktree)


def require_regular_file(entry: Entry | None) -> None:
    """Raise ``Misconfigured`` (``config_error``) if the configuration path is not a regular file."""
    kinds = {TREE: "directory", SYMLINK: "link", SUBMODULE: "submodule"}
    if entry is not None and entry.mode in kinds:
        raise _config_error(f"it is a {kinds[entry.mode]}, not a file")


def _read_rules(content: bytes) -> Rules:
    try:
        rules = serialization.convert(_parse_toml(content), Rules)
    except msgspec.ValidationError as error:
        raise _config_error(_describe_error(str(error))) from None
    for words in (*_find_contradictions(rules), *_find_idle_patterns(rules)):
        raise _config_error(words)
    return rules


def _parse_toml(content: bytes) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        parsed: dict[str, Any] = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _config_error(f"it does not parse: {error}") from None
    return parsed


def _describe_error(error: str) -> str:
    match = _PLACE.fullmatch(error)
    problem, key = (match["what"], match["where"]) if match else (error, "")
    unknown = _UNKNOWN.fullmatch(problem)
    if unknown:
        return f"this version has no {key}{'.' if key else ''}{unknown[1]}" + _suggest_key(key, unknown[1])
    missing = _MISSING.fullmatch(problem)
    return f"{key} has no {missing[1]}" if missing else f"{key} takes {_describe_value(key)}"


def _suggest_key(table: str, name: str) -> str:
    """Return a suggestion for an unknown key: a similar key of the table, or the same key of another one."""
    import difflib

    siblings = _list_table_fields(_find_type(table))
    similar = difflib.get_close_matches(name, siblings, 1)
    if similar:
        key = f"{table}.{similar[0]}" if table else similar[0]
        return f"; did you mean {_format_key(key, siblings[similar[0]])}?"
    tables = {
        key: _list_table_fields(kind) for key, kind in _list_table_fields(inspect.type_info(Rules)).items()
    }
    other_table = next((table for table, fields in tables.items() if name in fields), None)
    if other_table and isinstance(tables[other_table][name], inspect.VarTupleType | inspect.StructType):
        return f"; did you mean {_format_key(f'{other_table}.{name}', tables[other_table][name])}?"
    if other_table:
        return f"; it belongs to [{other_table}]"
    return f"; there are {', '.join(siblings)}" if siblings else ""


def _format_key(key: str, kind: inspect.Type) -> str:
    if isinstance(kind, inspect.VarTupleType) and isinstance(kind.item_type, inspect.StructType):
        return f"[[{key}]]"
    inner = ", ".join(
        _format_key(f"{key}.{n}", k)
        for n, k in _list_table_fields(kind).items()
        if _format_key("", k) == "[[]]"
    )
    takes_word = isinstance(kind, inspect.UnionType) and inspect.BoolType() in kind.types
    if isinstance(_find_table_type(kind), inspect.StructType) and not takes_word:
        return f"[{key}]" + (f" or {inner}" if inner else "")
    return key


def _list_table_fields(kind: inspect.Type | None) -> dict[str, inspect.Type]:
    kind = _find_table_type(kind)
    return {f.encode_name: f.type for f in kind.fields} if isinstance(kind, inspect.StructType) else {}


def _find_table_type(kind: inspect.Type | None) -> inspect.Type | None:
    if not isinstance(kind, inspect.UnionType):
        return kind
    return next((each for each in kind.types if isinstance(each, inspect.StructType)), kind)


def _describe_value(key: str) -> str:
    kind = _find_type(key)
    if isinstance(kind, inspect.VarTupleType) and isinstance(kind.item_type, inspect.StructType):
        return f"tables: [[{key}]]"
    described = _describe_type(kind)
    return described or _KINDS.get(type(kind), "something else")


def _find_type(key: str) -> inspect.Type | None:
    kind: inspect.Type | None = inspect.type_info(Rules)
    for name in re.findall(r"\w+|\[", key.replace("[...]", "[0]")):
        if name.isdecimal():
            continue
        if isinstance(kind, inspect.UnionType):  # an optional value, or one table or several
            wanted_type = inspect.VarTupleType if name == "[" else inspect.StructType
            kind = next((each for each in kind.types if isinstance(each, wanted_type)), kind)
        if isinstance(kind, inspect.StructType):
            kind = next((field.type for field in kind.fields if field.encode_name == name), None)
        elif isinstance(kind, inspect.VarTupleType):
            kind = kind.item_type
    return kind


def _describe_type(kind: object) -> str:
    if isinstance(kind, inspect.UnionType):
        return next(filter(None, map(_describe_type, kind.types)), "")
    if isinstance(kind, inspect.Metadata):
        return str((kind.extra_json_schema or {}).get("description", ""))
    return " or ".join(map(str, kind.values)) if isinstance(kind, inspect.LiteralType) else ""


def _find_contradictions(rules: Rules) -> Iterator[str]:
    yield from _find_stage_faults(rules)
    yield from _find_duplicates("suggest", [each.name for each in rules.suggest])
    for name in rules.gates.shared:
        try:
            paths.normalize_path(name)
        except ScalpelError as error:
            yield f"gates.shared: {error.message}"
    names = [command.name for command in rules.gates.command]
    for name in names:
        if name in RESERVED:
            yield f"gates.command: {name} is the name of another gate"
        if names.count(name) > 1:
            yield f"gates.command: two have the name {name!r}"
    yield from _find_order_faults(rules.gates)


def _find_order_faults(gates: Gates) -> Iterator[str]:
    names = [command.name for command in gates.command]
    diagnostic_commands = {command.name for command in gates.diagnostic_commands}
    for command in gates.diagnostic_commands:
        if gates.diagnostics == "off":
            yield f"gates.command {command.name}: its output is read by gates.diagnostics, which is off"
        if command.after or command.baseline:
            key = "after" if command.after else "baseline"
            yield f"gates.command {command.name}: {key} has no effect with output"
    for number, command in enumerate(gates.command):
        for name in command.after:
            if name in diagnostic_commands:
                yield f"gates.command {command.name}: after names {name!r}, which gates.diagnostics reads"
            elif name not in names[:number]:
                yield (
                    f"gates.command {command.name}: after names {name!r}, which is not listed before it"
                    + (f" (these do: {', '.join(names[:number])})" if number else "")
                )


def _find_stage_faults(rules: Rules) -> Iterator[str]:
    names = [stage.name for stage in rules.stages]
    if isinstance(rules.approval, tuple) and "" in names:
        yield f"approval[{names.index('')}] has no name"
    yield from _find_duplicates("approval", names)


def _find_duplicates(key: str, names: Sequence[str]) -> Iterator[str]:
    yield from (f"{key}: two have the name {name!r}" for name in names if names.count(name) > 1)


def _find_idle_patterns(rules: Rules) -> Iterator[str]:
    """Yield errors for lists of only exceptions, which can match nothing."""
    policy = rules.policy
    lists = {
        "gates.pinned": rules.gates.pinned,
        "gates.syntax.exclude": () if isinstance(rules.gates.syntax, bool) else rules.gates.syntax.exclude,
        "policy.allow": policy.allow or (),
        "policy.deny": policy.deny,
        "policy.rules": policy.rules,
        **{f"{each.key}.paths": each.paths for each in rules.stages},
        **{f"gates.command {each.name}: paths": each.paths for each in rules.gates.command},
        **{f"suggest {each.name}: paths": each.paths for each in rules.suggest},
        **{f"policy.require[{n}].change": each.change for n, each in enumerate(policy.require)},
    }
    for key, globs in lists.items():
        if globs and all(glob.startswith("!") for glob in globs):
            yield f"{key}: {globs[0]} excludes what no pattern includes; put a pattern such as ** before it"


def _tighten(tracked: _Level, key: str, levels: Sequence[_Level], personal: Mapping[str, str]) -> _Level:
    value = personal.get(f"scalpel.{key}")
    if value is None:
        return tracked
    level = next((level for level in levels if level == value), None)
    if level is None:
        raise Misconfigured(
            "config_error", f"git config scalpel.{key} is {value!r}", f"set it to one of {', '.join(levels)}"
        )
    return max(tracked, level, key=levels.index)


def _config_error(problem: str) -> Misconfigured:
    return Misconfigured(
        "config_error",
        f"{PATH}: {problem}",
        f"correct {PATH} on the target branch and commit it with git (`git commit {PATH}`); "
        "nothing can land before that",
        path=PATH,
    )
