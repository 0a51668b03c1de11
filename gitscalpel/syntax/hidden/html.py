"""What templates put into pages, as patterns of what to hide; see ``masking``."""

from __future__ import annotations

HIDDEN = (
    rb"(?P<code><%[\s\S]{0,2000}?%>|<\?(?!xml\s)[\s\S]{0,4000}?\?>)|(?P<value>\{\{[\s\S]{0,2000}?\}\}|\{%[\s\S]{0,2000}?%\})",
)
