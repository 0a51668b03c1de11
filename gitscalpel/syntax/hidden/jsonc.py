"""JSON that has comments or is read by such tools lets commas trail; see ``masking``."""

from __future__ import annotations

HIDDEN = (rb"(?P<trailing>,)(?=(?:\s|//[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*[}\]])",)
