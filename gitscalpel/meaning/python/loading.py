"""Which files a file loads as it is loaded itself, by the imports at its top level.

Who imports a module runs the packages that it is in before it, but for those that are being run already
because the importing file is in them.

https://docs.python.org/3/reference/import.html#submodules
"""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.importing import statements
from gitscalpel.meaning.things import Module


def directly(files: Files, path: str, end: int | None = None) -> set[str]:
    """The files that a file imports, and the packages on the way; ``end``: by what is before that byte."""
    found = set[str]()
    for said in _said(files, path, end):
        module = modules.file(files, path, said)
        if module is not None:
            found |= {module, *_above(files, path, said)}
    return found - {path}


def named(files: Files, path: str) -> set[str]:
    """The files that a file imports by their name, and not because they are packages on the way."""
    found = {modules.file(files, path, said) for said in _said(files, path, None)}
    return {each for each in found if each is not None} - {path}


def _said(files: Files, path: str, end: int | None) -> set[str]:
    """What may be modules in the imports of a file, as it names them."""
    lexical = files.lexical(path)
    if lexical is None or lexical.syntax.language.name != "python":
        return set()
    said, around = set[str](), set[str]()
    for each in statements.read(lexical.syntax.root, lexical.text):
        if end is not None and each.node.end_byte > end:
            continue
        if each.module is None:
            said |= {name.name for name in each.names}
            continue
        found = modules.named(files, path, each.module)
        if isinstance(found, Module) and modules.folder(found) is None:
            said.add(each.module)  # in which there are no others
        else:
            dot = "" if each.module.endswith(".") else "."
            said |= {each.module, *(f"{each.module}{dot}{name.name}" for name in each.names)}
            inside = [f"{each.module}{name.name}" for name in each.names if not each.module.strip(".")]
            if any(modules.file(files, path, one) is None for one in inside):
                around.add(each.module)  # the package has it that the file is in, and is no module of it
    return around | {each for each in said if each.strip(".")}


def _above(files: Files, path: str, said: str) -> Iterator[str]:
    """The packages that are run before a module that a file names."""
    head = said.rpartition(".")[0]
    while head.strip("."):
        is_by_place = head.startswith(".")
        found = modules.named(files, path, head) if is_by_place else modules.part(files, path, head, said)
        folder = modules.folder(found) if isinstance(found, Module) else None
        if isinstance(found, Module) and folder is not None and not path.startswith(f"{folder}/"):
            yield found.path
        head = head.rpartition(".")[0]


def loaded(files: Files, path: str, end: int) -> set[str]:
    """The files that have been loaded, however far, by what stands in a file before a byte."""
    found = directly(files, path, end)
    waiting = list(found)
    while waiting:
        new = directly(files, waiting.pop()) - found - {path}
        found |= new
        waiting += sorted(new)
    return found
