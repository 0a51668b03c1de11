"""Remove passwords and tokens from text that is shown: URLs of remotes and program output."""

from __future__ import annotations

import re

_HIDDEN = "***"
_ADDRESS = re.compile(r"\w:\\?/\\?/[^\s\"<>]+")
"""Matches a URL from the end of its scheme on. JSON may escape its slashes."""
_USER = re.compile(r"(\w:\\?/\\?/)(?:[^/?#\\]*@|[^/?#\\@]*:(?!\d*[/?#\\])[^@]*@)")
"""Matches a user up to the last ``@`` of the host, or up to one after an unencoded password."""
_PARAMETER = re.compile(
    r"([?&;#][\w.%~-]*(?:token|secret|passw|pwd|auth|key|sig|cred|jwt)[\w.%~-]*=)[^&;#\s'\"]+", re.IGNORECASE
)
_ENCODED = re.compile(r"(%3a%2f%2f)(?:(?!%2f)[^\s/'\"])*?%40", re.IGNORECASE)
_WITHOUT_SCHEME = re.compile(r"(?<![\w@.:/-])[\w.+%~-]+:[^\s/@'\"]+@(?=[\w.-]+[:/])")
_HEADER = re.compile(
    r"\b((?:proxy-)?authorization|(?:private|job|deploy|api|auth)[-_]token|x-api-key|set-cookie|cookie)"
    r"(\\?['\"]?\s*:\s*)[^'\"\r\n]+",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\b(?:gh[pousr]_|github_pat_|gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-)[\w-]{16,}")


def redact(text: str) -> str:
    """Return ``text`` without users, passwords and tokens.

    A URL keeps its scheme, host and path, so that the remote can be identified.
    """
    if "/" in text or "@" in text or "%40" in text:
        text = _ADDRESS.sub(lambda found: _PARAMETER.sub(rf"\1{_HIDDEN}", _USER.sub(r"\1", found[0])), text)
        text = _WITHOUT_SCHEME.sub("", _ENCODED.sub(r"\1", text))
    return _TOKEN.sub(_HIDDEN, _HEADER.sub(rf"\1\2{_HIDDEN}", text))
