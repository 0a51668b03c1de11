"""Code that is only the value of a key replaces the old value, and other code is refused."""

from __future__ import annotations

import pytest

from tests.edit.editing import apply_changeset, edit_file, expect_refusal

JSON = '{\n  "version": "1.0.0",\n  "deps": {"a": "1"},\n  "last": [1]\n}\n'
TOML = '[package]\nversion = "1.0"  # keep\ntags = [\n  "x",\n]\ndeps = { a = 1 }\n'
YAML = "version: 1.0  # keep\non:\n  push: main\nname: 'x'\n"
LISTS = 'a:\n  - "x"\n  - y  # two\nb:\n- k: v\n  l: m\ntext: >-\n  one\n  two\n\nend: &e 1\nlast: [1]\n'


@pytest.mark.parametrize(
    ("path", "before", "symbol", "value", "old", "new"),
    [
        ("p.json", JSON, "version", '"4.9.9"', '"1.0.0"', '"4.9.9"'),
        ("p.json", JSON, "version", '"version-2"', '"1.0.0"', '"version-2"'),
        ("p.json", JSON, "version", "null,", '"1.0.0"', "null"),
        ("p.json", JSON, "deps", '{\n  "b": "2"\n}', '{"a": "1"}', '{\n    "b": "2"\n  }'),
        ("p.json", JSON, "deps.a", '"2"', '"a": "1"', '"a": "2"'),
        ("p.json", JSON, "last", '{"a": 1}', "[1]", '{"a": 1}'),
        ("p.toml", TOML, "package.version", '"2.0"', '"1.0"', '"2.0"'),
        ("p.toml", TOML, "package.tags", '["y"]', '[\n  "x",\n]', '["y"]'),
        ("p.toml", TOML, "package.deps.a", "2", "a = 1", "a = 2"),
        ("p.yml", YAML, "version", "2.0", "1.0", "2.0"),
        ("p.yml", YAML, "on.push", "master", "main", "master"),
        ("p.yml", YAML, "name", '"y: z"', "'x'", '"y: z"'),
        ("p.yml", LISTS, "a[0]", '"z"', '"x"', '"z"'),
        ("p.yml", LISTS, "a[1]", "z", "y  #", "z  #"),
        ("p.yml", LISTS, "a", "- 1\n- 2", '- "x"\n  - y  # two', "- 1\n  - 2"),
        ("p.yml", LISTS, "a", "[1, 2]", '\n  - "x"\n  - y  # two', " [1, 2]"),
        ("p.yml", LISTS, "b[0].k", "w", "k: v", "k: w"),
        ("p.yml", LISTS, "text", "three", ">-\n  one\n  two", "three"),
        ("p.yml", LISTS, "text", '"three four"', ">-\n  one\n  two", '"three four"'),
        ("p.yml", LISTS, "text", "|\n3\n  4", ">-\n  one\n  two", "|\n  3\n    4"),
        ("p.yml", LISTS, "text", "|\n    3", ">-\n  one\n  two", "|\n  3"),
        ("p.yml", LISTS, "end", "2", "&e 1", "&e 2"),
        ("p.yml", LISTS, "last", "- 1\n- 2", " [1]", "\n  - 1\n  - 2"),
        ("p.yml", YAML, "name", "|\n  x\n  y", "'x'", "|\n  x\n  y"),
    ],
)
def test_value_is_replaced(path: str, before: str, symbol: str, value: str, old: str, new: str) -> None:
    op = {"op": "replace", "symbol": symbol, "code": value}
    assert edit_file(before, op, path=path).decode() == before.replace(old, new)


def test_replaced_value_is_reported() -> None:
    result = apply_changeset(JSON, {"op": "replace", "symbol": "version", "code": "2"}, path="p.json").done
    assert result[0].edit is not None
    assert result[0].edit.corrections == ("took the code as the value of version",)


def test_invalid_value_has_a_hint_with_the_pair() -> None:
    error = expect_refusal(JSON, {"op": "replace", "symbol": "version", "code": "4.9.9"}, path="p.json")
    assert error.hint == 'send the pair, such as "version": "1.0.0", or its value as the file would write it'


@pytest.mark.parametrize(
    ("path", "before", "symbol", "code"),
    [
        ("p.json", JSON, "version", "4.9.9"),
        ("p.json", JSON, "version", '1, "b": 2'),
        ("p.json", JSON, "version", '"vers": 2'),
        ("p.toml", TOML, "package.version", "2.0.0"),
        ("p.toml", TOML, "package.version", '"2"\nother = 1'),
        ("p.toml", TOML, "package.version", 'vers = "3"'),
        ("p.yml", YAML, "version", "nome: 2"),
        ("p.yml", YAML, "version", "2\nother: 3"),
        ("p.yml", YAML, "on", "all"),
        ("p.yml", YAML, "version", "|\n  2"),
        ("p.yml", LISTS, "a", "z"),
        ("p.yml", LISTS, "b[0]", "z"),
    ],
)
def test_other_code_is_refused(path: str, before: str, symbol: str, code: str) -> None:
    error = expect_refusal(before, {"op": "replace", "symbol": symbol, "code": code}, path=path)
    assert error.code in ("body_only", "syntax_error", "name_mismatch", "extra_definitions")
