"""Replace only the header of a definition; its body and documentation stay."""

from __future__ import annotations

from gitscalpel.cli import edit, target


def command(
    where: edit.Target,
    code: edit.Code = None,
    code_file: edit.CodeFile = None,
    query: edit.Query = None,
    match: edit.Match = None,
    kind: edit.Kind = None,
    expect: edit.Expect = None,
    base: edit.Base = None,
    message: edit.Message = None,
    onto: edit.Onto = None,
    dry_run: edit.DryRun = False,
    no_land: edit.NoLand = False,
    json: edit.Json = False,
) -> None:
    edit.one(
        "signature",
        lambda repo: {
            **target.read(where, repo, query, match),
            "code": edit.code_from(code, code_file),
            "kind": kind,
            "expect": expect,
            "base": base,
        },
        json=json, dry_run=dry_run, no_land=no_land, message=message, onto=onto,
    )  # fmt: skip
