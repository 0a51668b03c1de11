"""What the grammar of XML misreads, as patterns of what to hide; see ``masking``."""

from __future__ import annotations

HIDDEN = (
    rb"(?P<string_data><!\[CDATA\[[\s\S]*?(?:\]\]>|\Z))|(?P<instruction><\?(?!xml\s)[\s\S]{0,4000}?\?>)",
)
