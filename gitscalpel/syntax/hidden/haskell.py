"""What the grammar of Haskell does not know, as patterns of what to hide; see ``masking``."""

from __future__ import annotations

HIDDEN = (
    # A string goes on behind white space between two backslashes, of which the grammar
    # wants the first to be the last of its line.
    rb"(?P<open>\\)[ \t]*(?P<gap>[ \t\r])(?=\n\s*\\)",
)

SHOWN = (("gap", b"\\"),)
