"""File names as URIs write them (RFC 3986, RFC 8089)."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from gitscalpel.errors import NotAllowed

_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):")


def path(uri: str) -> str:
    """The path that ``uri`` names: absolute for ``file:`` URIs, else from the repository root.

    Raises:
        NotAllowed: ``path_denied``, for other schemes, other machines, and URIs with a query.
    """
    scheme = _SCHEME.match(uri)
    rest = uri[scheme.end() :] if scheme else uri
    if scheme and scheme["scheme"].lower() != "file":
        raise _denied(uri, "it names no file")
    if scheme and rest.startswith("//"):
        host, slash, name = rest[2:].partition("/")
        if host not in ("", "localhost"):
            raise _denied(uri, "its file is on another machine")
        rest = slash + name
    if "?" in rest or "#" in rest:
        raise _denied(uri, "it has a query or a fragment")
    # Folders may end with a slash.
    name = unquote_to_bytes(rest.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
    return name.rstrip("/") or name


def _denied(uri: str, why: str) -> NotAllowed:
    return NotAllowed(
        "path_denied",
        f"{uri[:200]!r} is refused: {why}",
        "name a file of the repository, as file:///ROOT/src/app.py or src/app.py",
    )
