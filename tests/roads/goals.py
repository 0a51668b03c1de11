"""What is to be reached: files before and after, the rules that judge it, and what these have to say."""

from __future__ import annotations

import random
from typing import NamedTuple

from gitscalpel.changesets.file_tree import SYMLINK
from tests.sandbox import Content

Files = dict[str, Content]
LANDED = "landed"


class Goal(NamedTuple):
    """A tree to be reached.

    Attributes:
        gate: that it is about.
        rules: ``.gitscalpel.toml``.
        base, change: the files before, and those that are to change.
        verdict: an error code, or ``LANDED``.
        textual: only edits of text and lines are judged by that gate.
        whole: the gate judges all of a change together, so that halves of it may pass.
        hook: the pre-commit hook.
    """

    gate: str
    rules: str
    base: Files
    change: Files
    verdict: str
    textual: bool = False
    whole: bool = False
    hook: str = ""

    @property
    def name(self) -> str:
        return f"{self.gate}, {self.verdict}"


OFF = "[gates]\nstructure = 'off'\n"
PY = "def f():\n    a = 1\n    return a\n\n\ndef g():\n    return 2\n"
KEY = "key = 'AKIAIOSFODNN7EXAMPLE'\n"
NO_EVAL = b"id: no-eval\nlanguage: python\nrule: {pattern: eval($X)}\nmessage: never\n"
HOOK = "#!/bin/sh\n! git diff --cached | grep '^+.*FORBIDDEN'\n"
LINKED: Files = {"conf-a/x": b"ok\n", "conf-b/x": b"bad\n", "conf": (SYMLINK, b"conf-a")}
DOCS = "docs = 'block'\n"
NEW = "diagnostics = 'new-errors'\n"
LINES = "[[gates.command]]\nname = 'lint'\nrun = '! grep -rn BAD --include=*.ini .'\noutput = 'lines'\n"
CONF = "[[gates.command]]\nname = 'conf'\nrun = 'grep -q ok conf/x'\npaths = ['conf/**']\n"
NEEDS = "[[policy.require]]\nchange = ['%s']\nneeds = ['tests/**']\n"


def _goals(py: str, name: str) -> list[Goal]:
    """One or more of each gate, about a module ``name`` that holds ``py`` with ``f`` and ``g`` in it."""
    base: Files = {name: py.encode(), "pad.txt": PAD, "d/n.json": b'{"a": 1}\n'}
    cut = py.replace("def g():\n    return 2\n", "")
    body = py.replace("    a = 1\n    return a", "    b = 1\n    return b").encode()
    bad = (py + "def h(:\n    pass\n").encode()
    helping = py + "\n\ndef helper():\n    return 3\n"
    told: Files = {**base, name: helping.encode(), "d/P.md": b"Call `helper()`.\n"}
    other = helping.replace("helper", "other").encode()
    leaked = (py + KEY).encode()
    evil: Files = {name: (py + "eval(x)\n").encode()}
    command = "[[gates.command]]\nname = 'c'\nrun = '! grep -rq BAD --include=*.py .'\npaths = ['*.py']\n"

    return [
        Goal("none", OFF, base, {name: body}, LANDED),
        Goal("syntax", OFF, base, {name: bad}, "syntax_error"),
        Goal("syntax of a new file", OFF, base, {"new.py": b"x = (\n"}, "syntax_error"),
        Goal("syntax of data", OFF, base, {"d/n.json": b'{"a": }\n'}, "syntax_error"),
        Goal("syntax of a copy", OFF, {**base, "old.py": b"x = (\n"}, {"c.py": b"x = (\n"}, "syntax_error"),
        Goal("structure", "", base, {name: cut.encode()}, "structural_gate", textual=True),
        Goal("structure, strict", STRICT, base, {name: cut.encode()}, "structural_gate", textual=True),
        Goal("structure of a body", "", base, {name: body}, LANDED),
        Goal("deny", OFF + "[policy]\ndeny = ['/d/**']\n", base, {"d/n.json": b'{"a": 2}\n'}, DENIED),
        Goal("deny of a new file", OFF + "[policy]\ndeny = ['*.pem']\n", base, {"k.pem": b"k\n"}, DENIED),
        Goal("allow", OFF + "[policy]\nallow = ['*.txt', '/t-*', '/.*']\n", base, {name: body}, DENIED),
        Goal("size", OFF + "[policy]\nmax_lines = 12\n", base, {"n.txt": b"n\n" * 13}, DENIED, whole=True),
        Goal("protected", OFF + f"[policy]\nprotected = ['{name}::f']\n", base, {name: body}, DENIED),
        Goal("protected, other", OFF + f"[policy]\nprotected = ['{name}::g']\n", base, {name: body}, LANDED),
        Goal("require", OFF + NEEDS % "*.py", base, {name: body}, DENIED, whole=True),
        Goal("docs", OFF + DOCS, told, {name: other}, "gate_failed", whole=True),
        Goal(
            "docs, changed as well",
            OFF + DOCS,
            told,
            {name: other, "d/P.md": b"`other()`\n"},
            LANDED,
            whole=True,
        ),
        Goal("secrets", OFF + "[policy]\nsecrets = true\n", base, {name: leaked}, DENIED),
        Goal(
            "rules",
            OFF + "[policy]\nrules = ['r.yml']\n",
            {**base, "r.yml": NO_EVAL},
            evil,
            DENIED,
        ),
        Goal("approval", OFF + "[approval]\npaths = ['*.py']\n", base, {name: body}, "approval_required"),
        Goal(
            "approval of symbols",
            OFF + f"[approval]\nsymbols = ['{name}::f']\n",
            base,
            {name: body},
            "approval_required",
        ),
        Goal("command", OFF + command, base, {name: (py + "# BAD\n").encode()}, "gate_failed"),
        Goal("command, passed", OFF + command, base, {name: body}, LANDED),
        Goal("command behind a link", OFF + CONF, {**base, **LINKED}, {"conf": TO_B}, "gate_failed"),
        Goal("require behind a link", OFF + NEEDS % "conf/**", {**base, **LINKED}, {"conf": TO_B}, DENIED),
        Goal("deny behind a link", OFF + DENY_CONF, {**base, **LINKED}, {"conf": TO_B}, DENIED),
        Goal(
            "diagnostics", OFF + NEW, base, {name: py.replace("return 2", "return two").encode()}, NEW_ERROR
        ),
        Goal("diagnostics, none", OFF + NEW, base, {name: body}, LANDED),
        Goal(
            "diagnostics of a command",
            OFF + NEW + LINES,
            {**base, "n.ini": INI},
            {"n.ini": INI + BAD},
            NEW_ERROR,
        ),
        Goal(
            "diagnostics, old", OFF + NEW + LINES, {**base, "n.ini": BAD + INI}, {"n.ini": INI + BAD}, LANDED
        ),
        Goal("hook", OFF, base, {name: (py + "# FORBIDDEN\n").encode()}, "hook_failed", hook=HOOK),
        Goal("hook, passed", OFF, base, {name: body}, LANDED, hook=HOOK),
        Goal("configuration", OFF, base, {".gitscalpel.toml": b"[gate]\n"}, "config_error"),
        Goal("configuration gone", OFF, base, {".gitscalpel.toml": None}, LANDED),
        Goal("configuration is a link", OFF, base, {".gitscalpel.toml": (SYMLINK, b"x")}, "config_error"),
    ]


STRICT = "[gates]\nstructure = 'strict'\n"
DENIED = "policy_denied"
NEW_ERROR = "diagnostics_failed"
INI, BAD = b"[a]\nb = 1\n", b"[c]\nd = BAD\n"
DENY_CONF = "[policy]\ndeny = ['conf/x']\n"
TO_B: Content = (SYMLINK, b"conf-b")
PAD = b"".join(b"%d\n" % number for number in range(30))
GOALS = _goals(PY, "a.py")


def anything(chance: random.Random) -> Goal:
    """A goal in a module of any name, with other definitions around, and other files that change as well."""
    name = "".join(chance.choices("abcxyz", k=4)) + ".py"
    name = chance.choice(["", "src/", "src/deep/"]) + name
    lines = [f"def {_word(chance)}_{n}():\n    return {n}\n" for n in range(chance.randrange(6))]
    chance.shuffle(lines)
    at = chance.randrange(len(lines) + 1)
    py = "\n\n".join([*lines[:at], PY, *lines[at:]])
    goal = chance.choice(_goals(py, name))
    more: Files = {}
    for n in range(0 if goal.whole or goal.gate == "allow" else chance.randrange(3)):
        path = chance.choice(["t-{}.txt", "t-{}.md", "t-{}.toml"]).format(n)
        more[path] = "".join(f"{_word(chance)} = {i}\n" for i in range(1 + chance.randrange(3))).encode()
    old: Files = {path: b"old = 1\n" for path in more if chance.random() < 0.5}
    return goal._replace(base={**goal.base, **old}, change={**goal.change, **more})


def _word(chance: random.Random) -> str:
    return "".join(chance.choices("klmnop", k=5))
