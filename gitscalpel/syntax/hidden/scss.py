"""What the grammar of CSS is shown of its dialects, which have comments to the end of the line."""

from __future__ import annotations

from gitscalpel.syntax.hidden.css import BLOCK_COMMENT, hidden

HIDDEN = hidden(BLOCK_COMMENT + rb"|//[^\n]*", rb"/(?![*/])")
