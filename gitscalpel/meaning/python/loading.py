"""Which files a file loads as it is loaded itself, by the imports at its top level.

https://docs.python.org/3/reference/import.html#submodules
"""

from __future__ import annotations

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.importing import statements


def directly(files: Files, path: str, end: int | None = None) -> set[str]:
    """The files that a file imports; ``end``: by what stands before that byte."""
    lexical = files.lexical(path)
    if lexical is None or lexical.syntax.language.name != "python":
        return set()
    said, around = set[str](), set[str]()
    for each in statements.read(lexical.syntax.root, lexical.text):
        if end is not None and each.node.end_byte > end:
            continue
        if each.module is None:
            said |= {name.name for name in each.names}
        else:
            dot = "" if each.module.endswith(".") else "."
            said |= {each.module, *(f"{each.module}{dot}{name.name}" for name in each.names)}
            inside = [f"{each.module}{name.name}" for name in each.names if not each.module.strip(".")]
            if any(modules.file(files, path, one) is None for one in inside):
                around.add(each.module)  # the package has it that the file is in, and is no module of it
    found = {modules.file(files, path, each) for each in around | {s for s in said if s.strip(".")}}
    return {each for each in found if each is not None} - {path}


def loaded(files: Files, path: str, end: int) -> set[str]:
    """The files that have been loaded, however far, by what stands in a file before a byte."""
    found = directly(files, path, end)
    waiting = list(found)
    while waiting:
        new = directly(files, waiting.pop()) - found - {path}
        found |= new
        waiting += sorted(new)
    return found
