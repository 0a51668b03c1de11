"""What a module gives to who imports all of it: what its ``__all__`` lists, else what is public.

https://docs.python.org/3/reference/simple_stmts.html#import
"""

from __future__ import annotations

import tree_sitter

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.importing.statements import Place


def items(place: Place) -> list[tree_sitter.Node]:
    """The strings of the file's one list."""
    lexical = place.files.lexical(place.path)
    for mention in lexical.of("__all__") if lexical is not None else ():
        statement = mention.node.parent
        right = statement.child_by_field_name("right") if statement is not None else None
        if mention.role == "bind" and right is not None and right.type in ("list", "tuple"):
            return [child for child in right.named_children if child.type == "string"]
    return []


def is_plain(place: Place) -> bool:
    """Return True if the file's one list is all that it says of its exports."""
    lexical = place.files.lexical(place.path)
    mentions = (
        [each for each in lexical.of("__all__") if each.role in ("bind", "use")]
        if lexical is not None
        else []
    )
    if len(mentions) != 1:
        return False
    statement = mentions[0].node.parent
    right = statement.child_by_field_name("right") if statement is not None else None
    if right is None or right.type not in ("list", "tuple"):
        return False
    return all(child.type in ("string", "comment") for child in right.named_children)


def said(place: Place, node: tree_sitter.Node) -> str:
    """What one of them says."""
    return place.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape").strip("'\"")


def leaves_out(files: Files, path: str, name: str) -> bool:
    """Whether a file has such a list, and the name is not in it."""
    place = Place.of(files, path)
    listed = items(place)
    return bool(listed) and all(said(place, each) != name for each in listed)


def by_star(place: Place, module: str, name: str) -> bool:
    """Whether ``from module import *`` in a file brings a name, as far as anybody can tell."""
    path = modules.file(place.files, place.path, module)
    if path is None or place.files.lexical(path) is None:
        return True
    return not leaves_out(place.files, path, name)
