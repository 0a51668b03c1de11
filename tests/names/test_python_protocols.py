"""Python protocols: members of classes that match a protocol are references of its members."""

from __future__ import annotations

import pytest

from tests.names.marked_files import assert_marked

_PROTOCOLS = {
    "of a class": """
        # p.py
        from typing import Protocol
        class Asked(Protocol):
            width: int
            def ¿read?(self): ...
        # a.py
        class Made:
            width = 1
            def «read»(self): ...
        # b.py
        from p import Asked
        from a import Made
        def use(asked: Asked): return asked.¿read?()
        use(Made()); Made().«read»()
    """,
    "of a protocol": """
        # p.py
        import typing as t
        T = t.TypeVar("T")
        class Other(t.Protocol):
            def close(self): ...
        class Asked(Other, t.Protocol[T]):
            @property
            def width(self) -> T: ...
            def «read»(self): ...
        # a.py
        from p import Asked
        class Made:
            def __init__(self): self.width = 1
            def ¿read?(self): ...
            def close(self): ...
        class Half:
            def close(self): ...
            def read(self): ...
        class Low:
            def close(self): ...
            def ¿read?(self): ...
        class High(Low): width = 1
        class Says(Asked):
            def «read»(self): ...
        Made().¿read?(); Half().read(); High().¿read?(); Says().«read»()
    """,
    "a parameter of a class": """
        # p.py
        from typing import Protocol
        class Asked(Protocol):
            def read(self, ¿size?: int = 1): ...
            def skip(self, size): ...
        # a.py
        class Made:
            def read(self, «size»=1): return «size»
            def skip(self, size): return size
        class Other:
            def read(self, size): ...
        # b.py
        from p import Asked
        from a import Made
        def use(asked: Asked): return asked.read(¿size?=2) + asked.skip(size=1)
        use(Made()); Made().read(«size»=3)
    """,
    "a parameter of a protocol": """
        # a.py
        from typing import Protocol, TypeVar
        T = TypeVar("T")
        class Asked(Protocol[T]):
            def read(self, «size»: int = 1) -> T: ...
            def put(self, size, /): ...
        class Made:
            def read(self, ¿size?=1): ...
            def put(self, size): ...
        class Half:
            def read(self, size): ...
        def use(asked: Asked[int]): return asked.read(«size»=2)
        use(Made()); Made().read(¿size?=3); Half().read(size=1)
    """,
    "what is no protocol": """
        # a.py
        from typing import Protocol
        class A:
            def «read»(self): ...
        class B:
            def read(self): ...
        class C(Protocol):
            def read(self): ...
            def write(self): ...
    """,
}


@pytest.mark.parametrize("name", _PROTOCOLS)
def test_protocol_matches_classes_with_its_members(name: str) -> None:
    assert_marked(_PROTOCOLS[name])
