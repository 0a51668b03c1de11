"""Output of tools is read as diagnostics."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitscalpel.changesets.rules import Output
from gitscalpel.gates import diagnostics

FILES = {"a.py", "src/b.ts", "src/lib.rs", "a b.go"}


def read_diagnostics(output: str, form: Output = "auto") -> list[str] | None:
    found = diagnostics.read_output(output, form, FILES.__contains__)
    if found is None:
        return None
    return [f"{each.path}:{each.line}:{each.column}: {each.severity}: {each.told}" for each in found]


SARIF: dict[str, Any] = {
    "version": "2.1.0",
    "runs": [
        {
            "tool": {
                "driver": {"rules": [{"id": "W1", "defaultConfiguration": {"level": "error"}}, {"id": "W2"}]}
            },
            "artifacts": [{"location": {"uri": "src/lib.rs"}}],
            "results": [
                {
                    "ruleId": "E1",
                    "level": "error",
                    "message": {"text": "wrong"},
                    "locations": [
                        {
                            "physicalLocation": {
                                "artifactLocation": {"uri": "file://a%20b.go"},
                                "region": {"startLine": 3, "startColumn": 5},
                            }
                        }
                    ],
                },
                {
                    "ruleId": "W1",
                    "message": {"text": "by its rule"},
                    "locations": [{"physicalLocation": {"artifactLocation": {"index": 0}}}],
                },
                {"ruleId": "W2", "message": {"text": "nowhere"}},
                {"ruleId": "N", "level": "note", "message": {"text": "a note"}},
                {
                    "ruleId": "S",
                    "level": "error",
                    "message": {"text": "known"},
                    "suppressions": [{"kind": "inSource"}],
                },
                {"ruleId": "P", "kind": "pass", "level": "error", "message": {"text": "well"}},
                {"ruleId": "B", "level": "error", "message": {"text": "old"}, "baselineState": "unchanged"},
            ],
        }
    ],
}
LSP = {
    "uri": "file://src/b.ts",
    "diagnostics": [
        {
            "range": {"start": {"line": 1, "character": 2}},
            "severity": 1,
            "code": 2322,
            "message": "no number",
        },
        {"range": {"start": {"line": 4, "character": 0}}, "severity": 2, "message": "unused"},
        {"range": {"start": {"line": 5, "character": 0}}, "severity": 4, "message": "a hint"},
    ],
}
RUFF = {
    "code": "F821",
    "filename": "a.py",
    "fix": None,
    "location": {"row": 3, "column": 12},
    "message": "Undefined name `m`",
}
CARGO = {
    "reason": "compiler-message",
    "message": {
        "level": "error",
        "code": {"code": "E0308"},
        "message": "mismatched types",
        "spans": [
            {"file_name": "src/lib.rs", "line_start": 9, "column_start": 1, "is_primary": False},
            {"file_name": "src/lib.rs", "line_start": 2, "column_start": 5, "is_primary": True},
        ],
    },
}
MYPY = {"file": "a.py", "line": 4, "column": 8, "message": "no", "code": "assignment", "severity": "error"}
ESLINT = {
    "filePath": "src/b.ts",
    "messages": [
        {"ruleId": "no-undef", "severity": 2, "line": 1, "column": 3, "message": "'x' is not defined."},
        {"ruleId": "semi", "severity": 1, "line": 2, "column": 1, "message": "Missing semicolon."},
        {"ruleId": None, "fatal": True, "severity": 2, "message": "Parsing error"},
    ],
}
VET = {"example.com/a": {"printf": [{"posn": "a b.go:7:2", "message": "wrong type"}]}}
PYRIGHT = {
    "generalDiagnostics": [
        {
            "file": "a.py",
            "severity": "error",
            "message": "is not defined",
            "rule": "reportUndefinedVariable",
            "range": {"start": {"line": 0, "character": 4}},
        }
    ]
}
STYLISH = """
src/b.ts
  1:10  error    'x' is assigned a value but never used  no-unused-vars
  2:1   warning  Missing semicolon                       semi

✖ 2 problems (1 error, 1 warning)
"""
READ: dict[str, tuple[str, list[str]]] = {
    "SARIF": (
        json.dumps(SARIF, indent=1),
        [
            "a b.go:3:5: error: wrong [E1]",
            "src/lib.rs:1:1: error: by its rule [W1]",
            ":1:1: warning: nowhere [W2]",
        ],
    ),
    "LSP": (
        json.dumps([LSP, {**LSP, "diagnostics": []}]),
        ["src/b.ts:2:3: error: no number [2322]", "src/b.ts:5:1: warning: unused"],
    ),
    "LSP, published": (
        json.dumps({"method": "textDocument/publishDiagnostics", "params": LSP}),
        ["src/b.ts:2:3: error: no number [2322]", "src/b.ts:5:1: warning: unused"],
    ),
    "ruff": (json.dumps([RUFF]), ["a.py:3:12: error: Undefined name `m` [F821]"]),
    "ruff, nothing": ("[]", []),
    "ruff, JSON lines": (
        f"{json.dumps(RUFF)}\n{json.dumps({**RUFF, 'code': 'F1'})}\n",
        ["a.py:3:12: error: Undefined name `m` [F821]", "a.py:3:12: error: Undefined name `m` [F1]"],
    ),
    "ruff, with a warning before": (
        f"warning: `x` is deprecated\n{json.dumps([RUFF], indent=2)}\n",
        ["a.py:3:12: error: Undefined name `m` [F821]"],
    ),
    "ruff, as people read it": (
        "F821 Undefined name `m`\n --> a.py:3:12\n  |\n3 |  m\n  | ^\n\nFound 1 error.\n",
        ["a.py:3:12: error: F821 Undefined name `m`"],
    ),
    "mypy": (
        'a.py:3: error: Name "m" is not defined  [name-defined]\na.py:3: note: see there\nFound 1 error\n',
        ['a.py:3:1: error: error: Name "m" is not defined  [name-defined]'],
    ),
    "mypy, JSON": (json.dumps(MYPY), ["a.py:4:9: error: no [assignment]"]),
    "pyright, JSON": (json.dumps(PYRIGHT), ["a.py:1:5: error: is not defined [reportUndefinedVariable]"]),
    "tsc": (
        "src/b.ts(1,5): error TS2322: Type 'string' is not assignable to type 'number'.\n",
        ["src/b.ts:1:5: error: error TS2322: Type 'string' is not assignable to type 'number'."],
    ),
    "eslint": (
        STYLISH,
        [
            "src/b.ts:1:10: error: error: 'x' is assigned a value but never used  no-unused-vars",
            "src/b.ts:2:1: warning: warning: Missing semicolon                       semi",
        ],
    ),
    "eslint, JSON": (
        json.dumps([ESLINT]),
        [
            "src/b.ts:1:3: error: 'x' is not defined. [no-undef]",
            "src/b.ts:2:1: warning: Missing semicolon. [semi]",
            "src/b.ts:1:1: error: Parsing error",
        ],
    ),
    "cargo": (
        "error[E0308]: mismatched types\n --> src/lib.rs:2:5\n  |\n\nerror: could not compile `x`\n",
        ["src/lib.rs:2:5: error: error[E0308]: mismatched types"],
    ),
    "cargo, JSON": (
        f'{{"reason":"compiler-artifact"}}\n{json.dumps(CARGO)}\n{{"reason":"build-finished","success":false}}\n',
        ["src/lib.rs:2:5: error: mismatched types [E0308]"],
    ),
    "go vet": ("# example.com/a\nvet: a.py:7:2: wrong type\n", ["a.py:7:2: error: wrong type"]),
    "go vet, JSON": (
        f"# example.com/a\n{json.dumps(VET, indent=1)}\n",
        ["a b.go:7:2: error: wrong type [printf]"],
    ),
    "any other": ("a.py:3:7: it is wrong\nnowhere.py:1: x\nall done\n", ["a.py:3:7: error: it is wrong"]),
    "a file that the tree does not have": (
        json.dumps([{**RUFF, "filename": "/usr/lib/c.py"}]),
        [":3:12: error: /usr/lib/c.py:3: Undefined name `m` [F821]"],
    ),
}


@pytest.mark.parametrize("name", READ)
def test_format_is_read(name: str) -> None:
    output, expected = READ[name]
    assert read_diagnostics(output) == expected


@pytest.mark.parametrize(
    ("output", "form"),
    [
        ("a.py:3: wrong\n", "sarif"),
        ("", "lsp"),
        (json.dumps([RUFF]), "sarif"),
        (json.dumps(SARIF), "lsp"),
        (json.dumps([{**RUFF, "location": 3}]), "auto"),
        (json.dumps({"runs": [{"results": [{"locations": 3, "message": 4}]}, 5]}), "lsp"),
    ],
)
def test_output_in_another_format_is_not_read(output: str, form: Output) -> None:
    assert read_diagnostics(output, form) is None


def test_lines_format_ignores_json() -> None:
    assert read_diagnostics(f"{json.dumps([RUFF])}\na.py:1:1: no\n", "lines") == ["a.py:1:1: error: no"]
