"""Names in Python that a class has for itself, as they begin with two underscores."""

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
from tests.names.marked import found, parted
from tests.names.test_rename import after, done

SAID = (
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
def test_where_others_say_it_is_told(op: Op, word: str) -> None:
    outcome = done(SAID, {"op": "rename", "path": "a.py", **op})
    assert f"b.py:2: {word} is left: _A__x says it there" in outcome.unchecked


def test_where_others_say_it_is_listed() -> None:
    files = parted(SAID)
    told = found(files, "a.py", files["a.py"].index("__x"))
    start = files["b.py"].index("_A__x")
    assert [(each.path, each.mention.start) for each in told.spelt][:1] == [("b.py", start)]
    assert found(files, "a.py", files["a.py"].index("__init__")).spelt == ()


def test_the_files_with_all_names_of_a_class_are_looked_for_at_once() -> None:
    body = "".join(f"    def __x{n}(self): ...\n" for n in range(9))
    looked_for: list[str] = []

    class Noted(Files):
        def holding(self, word: str) -> Iterable[str]:
            looked_for.append(word)
            return super().holding(word)

    files = Noted(Overlay(editing.Files({"a.py": f"class A:\n{body}", "b.py": "a._A__x3, a._A__x8"})))
    resolver = Resolver(files, dialect)
    name = resolver.lexical("a.py").occurrences_of("A")[0]
    told = find_references(
        resolver, {each for each in resolver.meanings("a.py", name) if isinstance(each, Binding)}
    )
    assert len(told.spelt) == 2
    assert len([word for word in looked_for if "_" in word]) == 1


KEPT = {
    "a method that another class calls": "class A:\n def f(self): ...\nclass B:\n def g(self, a: A): a.f()\n",
    "a function that a class calls": "def f(): ...\nclass B:\n    def g(self): f()\n",
    "a method that a module calls": "class A:\n    def f(self): ...\nA().f()\n",
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_is_in_several_classes_becomes_no_such_name(text: str) -> None:
    symbol = "A.f" if "class A" in text else "f"
    with pytest.raises(BadCall, match="would be another name") as caught:
        done(f"# a.py\n{text}", {"op": "rename", "path": "a.py", "symbol": symbol, "to": "__f"})
    assert caught.value.code == "invalid_name"


def test_what_is_in_one_class_becomes_one_and_no_longer_is_one() -> None:
    plain = "# a.py\nclass A:\n    def f(self, x): ...\n    def g(self): self.f(x=1)\n"
    own = plain.replace("def f", "def __f").replace("self.f", "self.__f")
    assert after(done(plain, {"op": "rename", "path": "a.py", "symbol": "A.f", "to": "__f"})) == own
    assert after(done(own, {"op": "rename", "path": "a.py", "symbol": "A.__f", "to": "f"})) == plain


def test_what_several_classes_have_for_themselves_does_not_become_one() -> None:
    text = "# a.py\nclass A:\n    def __f(self): ...\nclass B(A):\n    def __f(self): ...\n"
    with pytest.raises(BadCall, match=r"is another name in a\.py:4 than in a\.py:2"):
        done(text, {"op": "rename", "path": "a.py", "symbol": "A.__f", "to": "f"})
    other = done(text, {"op": "rename", "path": "a.py", "symbol": "A.__f", "to": "__g"})
    assert after(other) == text.replace("__f", "__g")


METHOD = "# a.py\nclass A:\n    def __f(self, x): return self.__f(x - 1)\n    def g(self): self.__f(1)\n"


def test_one_becomes_a_function_by_another_name() -> None:
    op = {"op": "move", "path": "a.py", "symbol": "A.__f", "to_path": "a.py", "to": "f"}
    expected = "# a.py\nclass A:\n    def g(self): f(1)\n\n\ndef f(x): return f(x - 1)\n"
    assert after(done(METHOD, op)) == expected


@pytest.mark.parametrize("text", [METHOD, METHOD.replace("__f", "f")])
def test_none_becomes_a_function_that_the_class_would_not_find(text: str) -> None:
    symbol = "A.__f" if "__f" in text else "A.f"
    with pytest.raises(DoesNotFit, match="would be that class's own"):
        done(text, {"op": "move", "path": "a.py", "symbol": symbol, "to_path": "a.py", "to": "__f"})
