"""What a file does as it is run, and where that leaves a definition that comes to its end."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript.moving import running
from gitscalpel.meaning.resolve import Resolver


def unready(files: Files, path: str, name: str) -> Iterator[int]:
    """The lines of a file that use a name, or call what does, before its definition has been run."""
    resolver = Resolver(files, dialect)
    declared = running.own(resolver, path, name)
    if not declared or any(running.is_there(each) for each in declared):
        return
    there = min(each.start for each in declared)
    for mention in running.uses(resolver, path, name):
        for each in running.at_once(resolver, path, mention):
            if each.start < there:
                yield resolver.line(path, each.start)
