"""What the grammar of shells misreads, as patterns of what to hide; see ``masking``."""

from __future__ import annotations

HIDDEN = (
    # \ls: where an assignment stands in the line above, it would be read as the command's.
    rb"^[ \t]*(?P<unaliased>\\)(?=[A-Za-z_.])",
    # for x do, which is for x; do
    rb"^[ \t]*for[ \t]+\w+(?P<as_3b_end>[ \t])[ \t]*do\b",
)
