"""What the grammar of INI files does not know, as patterns of what to hide; see ``masking``."""

from __future__ import annotations

HIDDEN = (
    rb"^[ \t]*\[[^\n\]]*\](?P<remark>[ \t]*[;\#][^\n]*)",
    # Lines that are indented deeper than the key above them go on with its value.
    rb"^([ \t]*)[^\s\[;\#=:][^\n=:]*[=:][^\n]*\n"
    rb"(?P<more>(?:(?:\1[ \t]+\S[^\n]*|[ \t\r]*)\n)*\1[ \t]+\S[^\n]*)",
    rb"^[ \t]*[^\s\[;\#=:][^\n=:]*(?P<as_3d>:)",
    rb"^[ \t]*(?P<bare>[^\s\[;\#=][^\n=]*)\r?$",  # a key without a value
)
