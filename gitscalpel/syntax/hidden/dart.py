"""What the grammar of Dart does not know, as patterns of what to hide; see ``masking``."""

from __future__ import annotations

HIDDEN = (
    rb"^(?P<library>library[ \t]*;)",
    # abstract final int x;
    rb"^[ \t]+(?P<modifier>abstract[ \t]+)(?=(?:covariant|final|late|var)[ \t]+(?!class\b))",
    # case Foo(): and Foo() =>, patterns without a field.
    rb"(?:\bcase|\|\||&&)[ \t]+[A-Z][\w.]*(?:<[^>\n]*>)?(?P<fields>\([ \t]*\))(?=\s*(?:=>|:|when\b|\|\||&&))",
    rb"^[ \t]*[A-Z][\w.]*(?:<[^>\n]*>)?(?P<fields>\([ \t]*\))(?=\s*(?:=>|when\b|\|\||&&))",
)
