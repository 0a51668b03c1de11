"""Python: private names of classes, which begin with two underscores."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.errors import BadCall, DoesNotFit
from gitscalpel.names.entities import Binding
from gitscalpel.names.files import Files
from gitscalpel.names.references import find_references
from gitscalpel.names.resolver import Resolver, dialect
from tests.edit import editing
from tests.edit.editing import Op
from tests.names.marked_files import find_references_at, split_files
from tests.names.test_rename import apply_operations, format_changes

MANGLED = (
    "# a.py\n"
    "class _A:\n"
    "    def __x(self): return self.__x\n"
    "    def __init__(self): self.y = 1\n"
    "# b.py\n"
    "from a import _A\n"
    'print(_A()._A__x, "_A__x", _A().__init__, _A()._A__y)\n'
)


@pytest.mark.parametrize(
    ("op", "word"), [({"symbol": "_A.__x", "to": "__z"}, "__x"), ({"symbol": "_A", "to": "B"}, "_A")]
)
def test_use_of_the_mangled_name_is_reported(op: Op, word: str) -> None:
    outcome = apply_operations(MANGLED, {"op": "rename", "path": "a.py", **op})
    assert f"b.py:2: {word} is left: _A__x says it there" in outcome.unchecked


def test_use_of_the_mangled_name_is_listed() -> None:
    files = split_files(MANGLED)
    references = find_references_at(files, "a.py", files["a.py"].index("__x"))
    start = files["b.py"].index("_A__x")
    assert [(each.path, each.mention.start) for each in references.spelt][:1] == [("b.py", start)]
    assert find_references_at(files, "a.py", files["a.py"].index("__init__")).spelt == ()


def test_mangled_names_of_a_class_are_searched_together() -> None:
    body = "".join(f"    def __x{n}(self): ...\n" for n in range(9))
    looked_for: list[str] = []

    class RecordingFiles(Files):
        def holding(self, word: str) -> Iterable[str]:
            looked_for.append(word)
            return super().holding(word)

    files = RecordingFiles(
        Overlay(editing.Files({"a.py": f"class A:\n{body}", "b.py": "a._A__x3, a._A__x8"}))
    )
    resolver = Resolver(files, dialect)
    name = resolver.lexical("a.py").occurrences_of("A")[0]
    references = find_references(
        resolver, {each for each in resolver.meanings("a.py", name) if isinstance(each, Binding)}
    )
    assert len(references.spelt) == 2
    assert len([word for word in looked_for if "_" in word]) == 1


SHARED = {
    "a method that another class calls": "class A:\n def f(self): ...\nclass B:\n def g(self, a: A): a.f()\n",
    "a function that a class calls": "def f(): ...\nclass B:\n    def g(self): f()\n",
    "a method that a module calls": "class A:\n    def f(self): ...\nA().f()\n",
}


@pytest.mark.parametrize("text", SHARED.values(), ids=SHARED)
def test_shared_name_cannot_become_private(text: str) -> None:
    symbol = "A.f" if "class A" in text else "f"
    with pytest.raises(BadCall, match="would be another name") as caught:
        apply_operations(f"# a.py\n{text}", {"op": "rename", "path": "a.py", "symbol": symbol, "to": "__f"})
    assert caught.value.code == "invalid_name"


def test_name_of_one_class_becomes_private_and_public_again() -> None:
    plain = "# a.py\nclass A:\n    def f(self, x): ...\n    def g(self): self.f(x=1)\n"
    own = plain.replace("def f", "def __f").replace("self.f", "self.__f")
    assert (
        format_changes(
            apply_operations(plain, {"op": "rename", "path": "a.py", "symbol": "A.f", "to": "__f"})
        )
        == own
    )
    assert (
        format_changes(apply_operations(own, {"op": "rename", "path": "a.py", "symbol": "A.__f", "to": "f"}))
        == plain
    )


def test_private_names_of_several_classes_cannot_become_public() -> None:
    text = "# a.py\nclass A:\n    def __f(self): ...\nclass B(A):\n    def __f(self): ...\n"
    with pytest.raises(BadCall, match=r"is another name in a\.py:4 than in a\.py:2"):
        apply_operations(text, {"op": "rename", "path": "a.py", "symbol": "A.__f", "to": "f"})
    other = apply_operations(text, {"op": "rename", "path": "a.py", "symbol": "A.__f", "to": "__g"})
    assert format_changes(other) == text.replace("__f", "__g")


METHOD = "# a.py\nclass A:\n    def __f(self, x): return self.__f(x - 1)\n    def g(self): self.__f(1)\n"


def test_private_method_becomes_a_function() -> None:
    op = {"op": "move", "path": "a.py", "symbol": "A.__f", "to_path": "a.py", "to": "f"}
    expected = "# a.py\nclass A:\n    def g(self): f(1)\n\n\ndef f(x): return f(x - 1)\n"
    assert format_changes(apply_operations(METHOD, op)) == expected


@pytest.mark.parametrize("text", [METHOD, METHOD.replace("__f", "f")])
def test_method_cannot_become_a_private_function(text: str) -> None:
    symbol = "A.__f" if "__f" in text else "A.f"
    with pytest.raises(DoesNotFit, match="would be mangled"):
        apply_operations(
            text, {"op": "move", "path": "a.py", "symbol": symbol, "to_path": "a.py", "to": "__f"}
        )
