"""gitscalpel: transactional edits of code, with git as the database.

    import gitscalpel
    from gitscalpel import Replace, Text

    with gitscalpel.open() as repo:
        repo.edit(Replace(path="a.py", symbol="f", code="def f(): return 2"))

        with repo.begin("Two edits, one commit") as tx:
            tx.edit(Text(path="a.py", old="1", new="2"))
            tx.edit(Text(path="b.py", old="1", new="2"))

The names in ``__all__`` are the public interface. They are imported on first use, because the command line
starts for every edit and needs few of them.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing `typing` takes a third of the start-up time of a served call
if TYPE_CHECKING:
    import os
    from typing import Any

    from gitscalpel.api import *  # noqa: F403 - its public names
    from gitscalpel.api import Repository as Repository


def open(path: str | os.PathLike[str] | None = None) -> Repository:  # noqa: A001 - gitscalpel.open()
    """Open the repository that contains ``path``; see :class:`Repository`."""
    from gitscalpel.api.repository import Repository

    return Repository(path)


def __getattr__(name: str) -> Any:
    import importlib

    api = importlib.import_module(f"{__name__}.api")  # `from gitscalpel import api` would call this function
    if name == "__all__":
        return sorted({"open", *api.__all__} - {"__version__"})
    if name not in api.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(api, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
