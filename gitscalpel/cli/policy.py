"""Hold a transaction against the policy (check ID), or say what it has to say of a path (explain PATH)."""

from __future__ import annotations

from gitscalpel.cli import options, output, target
from gitscalpel.cli.parser import Given, Parser


def arguments(parser: Parser) -> None:
    parser.add_argument("what", choices=("check", "explain"), help="What to do.")
    parser.add_argument("subject", metavar="ID | PATH", nargs="?", help="The transaction, or the path.")
    options.onto(parser)
    options.json(parser)


def command(given: Given) -> None:
    with output.opened() as repo:
        if given.what == "explain":
            path = target.from_root(given.subject or ".", repo)
            rules = repo.explain(path, given.onto)
            data = {
                "path": path,
                "may_change": all(passes for _, _, passes in rules),
                "rules": [{"key": key, "says": words, "passes": passes} for key, words, passes in rules],
            }
            text = "\n".join(f"{'  ' if passes else '! '}{key}: {words}" for key, words, passes in rules)
            unknown = bool(path) and not repo.knows(path, given.onto)
            warnings = [f"git knows no {path} on the target branch"] if unknown else []
            output.answer("policy", data, text or f"no rule is about {path}", given.json, warnings=warnings)
            return
        given.tx = given.subject
        tx = repo.transaction(output.chosen_id(repo, given))
        row = tx.policy()
    places = [f"  {found.path}:{found.line}: {found.message}" for found in row.findings]
    text = "\n".join([f"{tx.id}: {row.status}", *places])
    findings = [{"path": f.path, "line": f.line, "message": f.message} for f in row.findings]
    output.answer("policy", {"tx": tx.id, "status": row.status, "findings": findings}, text, given.json)
