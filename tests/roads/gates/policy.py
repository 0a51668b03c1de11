"""Goals of the gate ``policy``."""

from __future__ import annotations

from tests.roads.goal import DENIED, LANDED, LINKED, OFF, TO_B, Code, Files, Goal


def goals(code: Code) -> list[Goal]:
    base, body = code.base, code.body
    rules = {
        "allow": "allow = ['*.txt', '/t-*', '/.*']\n",
        "deny": "deny = ['/d/**']\n",
        "deny of a new file": "deny = ['*.pem']\n",
        "deny behind a link": "deny = ['conf/x']\n",
        "size": "max_lines = 12\n",
        "protected": f"protected = ['{code.name}::f']\n",
        "protected, other": f"protected = ['{code.name}::g']\n",
        "require": "require = [{change = ['*.py'], needs = ['tests/**']}]\n",
        "require behind a link": "require = [{change = ['conf/**'], needs = ['tests/**']}]\n",
        "secrets": "secrets = true\n",
        "rules": "rules = ['r.yml']\n",
    }
    no_eval = b"id: no-eval\nlanguage: python\nrule: {pattern: eval($X)}\nmessage: never\n"
    changes: dict[str, Files] = {
        "deny": {"d/n.json": b'{"a": 2}\n'},
        "deny of a new file": {"k.pem": b"k\n"},
        "deny behind a link": TO_B,
        "size": {"n.txt": b"n\n" * 13},
        "require behind a link": TO_B,
        "secrets": code.added("key = 'AKIAIOSFODNN7EXAMPLE'\n"),
        "rules": code.added("eval(x)\n"),
    }
    more: dict[str, Files] = {
        "deny behind a link": LINKED,
        "require behind a link": LINKED,
        "rules": {"r.yml": no_eval},
    }
    return [
        Goal(
            name,
            f"{OFF}[policy]\n{text}",
            {**base, **more.get(name, {})},
            changes.get(name, body),
            LANDED if name == "protected, other" else DENIED,
            whole=name in ("size", "require"),
        )
        for name, text in rules.items()
    ]
