"""Random selectors for a directory, and their matches found file by file, without filter and cache."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec

from gitscalpel.api.file_view import View
from gitscalpel.changesets.answers import Match
from gitscalpel.errors import BadCall, DoesNotFit, ScalpelError
from gitscalpel.git import blob_cache

_NAME = re.compile(rb"[A-Za-z_]\w{2,}")
_TYPES = ("function", "method", "class", "call", "import", "*", "stmt", "return_statement", "identifier")
_TESTS = ("[name={}]", "[name~={}]", "[name^={}]", "[qualname={}]", "[name!={}]", "[kind=function]", "")
_FORMS = (
    "{0}{1}",
    "{0}{1}",
    "{0}{1}",
    "class > {0}{1}",
    "{0}:has({2}{1})",
    "{0}{1}, {2}",
    "{0}:not({2}{1})",
    "{0}{1}:first",
)


class Query(msgspec.Struct, frozen=True):
    """A selector and the directory to search."""

    selector: str
    directory: str


def draw_queries(view: View, paths: Sequence[str], seed: int, count: int) -> Iterator[Query]:
    """Yield random queries about names that occur in the files."""
    draw = random.Random(seed)  # noqa: S311 - not for secrets
    while count > 0:
        path = draw.choice(paths)
        names = [*{*_NAME.findall(view.read(path)[:20_000])}]
        if not names:
            continue
        name = draw.choice(sorted(names)).decode("ascii")
        test = draw.choice(_TESTS).format(name)
        selector = draw.choice(_FORMS).format(draw.choice(_TYPES), test, draw.choice(_TYPES))
        above = path.rpartition("/")[0]
        yield Query(selector, draw.choice((above, above.partition("/")[0])))
        count -= 1


def find_by_file(view: View, query: Query, paths: Sequence[str]) -> list[Match] | str:
    """Return the matches of each file by itself, or the code of the error if no language has the type."""
    found: list[Match] = []
    error: ScalpelError | None = None
    is_known = False
    for path in paths:
        if query.directory and not path.startswith(query.directory + "/"):
            continue
        try:
            found += view.find(query.selector, [path])
            is_known = True
        except BadCall as unknown:
            error = unknown
        except DoesNotFit:  # a file that cannot be read is left out of a directory
            continue
    return found if is_known or error is None else error.code


def find_in_directory(view: View, query: Query) -> list[Match] | str:
    """Return the matches as a caller gets them, or the code of the error."""
    with suppress(DoesNotFit):
        try:
            return view.find(query.selector, [query.directory])
        except BadCall as error:
            return error.code
    return []


class WithoutCache:
    """Switches the cache off within a block."""

    def __enter__(self) -> None:
        self._read, self._write = blob_cache.BlobCache.read, blob_cache.BlobCache.write
        blob_cache.BlobCache.read = lambda *_: {}  # type: ignore[method-assign]
        blob_cache.BlobCache.write = lambda *_: None  # type: ignore[method-assign]

    def __exit__(self, *_: object) -> None:
        blob_cache.BlobCache.read, blob_cache.BlobCache.write = self._read, self._write  # type: ignore[method-assign]
