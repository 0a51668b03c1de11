"""What the grammar of CSS is shown of a style sheet: which braces hold what, and where values are.

Selectors, at-rules and values grow with every year and dialect, faster than
grammars do. Their text means nothing here, so each is shown as one word or
number of the same length; see ``masking``. What then does not parse is no
style sheet in any dialect.
"""

from __future__ import annotations

# What is not closed ends with the file or line, so that nobody looks for its end again and again.
BLOCK_COMMENT = rb"/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)"
_STRING = rb""""(?:[^"\\\n]|\\[\s\S])*(?:"|(?=\n)|\Z)|'(?:[^'\\\n]|\\[\s\S])*(?:'|(?=\n)|\Z)"""
# Strings of several lines are shown as words, so that it is known where they are.
_CONTINUED = rb"""(?P<as_78_string>"(?:[^"\\\n]|\\[^\r\n])*\\\r?\n(?:[^"\\\n]|\\[\s\S])*")
    |(?P<as_78_string_too>'(?:[^'\\\n]|\\[^\r\n])*\\\r?\n(?:[^'\\\n]|\\[\s\S])*')
    |"(?:[^"\\\n]|\\(?:[\s\S]|\Z))*(?:"|(?=\n)|\Z)|'(?:[^'\\\n]|\\(?:[\s\S]|\Z))*(?:'|(?=\n)|\Z)"""
_ADDRESS = rb"rl\(\s*[^()\"'\s]*\s*\)"
_ARGUMENTS = rb"[^(){};]*;[^(){}]*\)"


def hidden(comment: bytes, slash: bytes) -> tuple[bytes, ...]:
    """The patterns, of how comments are written, and of a slash that begins none."""
    # The parts exclude each other, so that nothing is ever tried twice.
    odd = rb"|".join(
        (
            *(_STRING, comment, slash, rb"[\#@]\{[^{}]*\}", rb"[\#@](?!\{)", rb"\\[\s\S]"),
            *(rb"u" + _ADDRESS, rb"u(?!" + _ADDRESS + rb")"),
            *(rb"\(" + _ARGUMENTS, rb"\((?!" + _ARGUMENTS + rb")"),
        )
    )
    part = rb"(?:" + odd + rb"|[^{};\"'u\#@/\\(])"
    word = rb"(?:" + odd + rb"|[^{};:\"'u\#@/\\(])"
    return (
        comment + rb"|" + _CONTINUED,
        rb"\A(?:\xef\xbb\xbf)?(?P<matter>---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*---[ \t]*(?=\r?$))",
        rb"\s+|"
        + comment
        + rb"|(?P<as_61_made>@(?:mixin|function)\s+[\w-]+)(?P<parameters>\s*\("
        + part
        + rb"*?)?(?=\s*\{)|(?P<as_61_header>"
        + part
        + rb"+?)(?=\s*\{)"
        + rb"|(?P<as_61_said>@(?=[\w-]+(?![\w-]|\s*:))|[.&>+~]|\#(?!\{))(?P<as_3a>[^\s;{}])(?P<as_78>"
        + part
        + rb"*?)(?=\s*(?:[;}]|\Z))"
        + rb"|(?P<as_61_name>"
        + word
        + rb"+?)(?=\s*:)(?P<gap>\s*):(?P<as_30>"
        + part
        + rb"*?)(?=\s*(?:[;}]|\Z))"
        + rb"|[;}](?P<empty>(?:\s*;)+)|"
        + part
        + rb"+|[\s\S]",
    )


HIDDEN = hidden(BLOCK_COMMENT, rb"/(?!\*)")
