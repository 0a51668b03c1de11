"""Macros of C and C++ that no grammar can know, as patterns of what to hide; see ``masking``.

They go by the conventions of such macros: capitals, and a place where no name
can stand. What they miss stays a place that does not parse, as before.
"""

from __future__ import annotations

_MACRO = rb"[A-Z][A-Z0-9_]{2,}\b"
_ARGUMENTS = rb"\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)"
_CALL = _MACRO + rb"(?:" + _ARGUMENTS + rb")?"
_SPECIFIER = rb"""(?:alignas|auto|bool|char|class|const|constexpr|double|enum|explicit|extern|float|friend
  |inline|int|long|operator|short|signed|size_t|static|struct|template|typedef|typename|union|unsigned
  |using|virtual|void)\b"""
_DECLARATION = (
    rb"(?:" + _SPECIFIER + rb"|[A-Za-z_][\w:]*(?:<[^\n;{}]{0,300}>)?[\s*&]+[A-Za-z_~][\w:]*[ \t]*[(;=\[])"
)

HIDDEN = (
    # extern "C" { and its }, where only C++ sees them.
    rb"""^[ \t]*\#[ \t]*if(?:def[ \t]+|[ \t]+(?:defined[ \t]*\(?[ \t]*)?)__cplusplus\b[^\n]*\n
    (?:[ \t]*(?:\#[ \t]*include[^\n]*)?\n)*
    (?:[ \t]*(?P<begin>extern[ \t]+"C"[ \t]*(?:\r?\n?\{)?)|[ \t]*(?P<end>\}))
    (?=[^\n{}]*\n\s*\#[ \t]*endif)""",
    # #if __has_include(<file>)
    rb"""^[ \t]*\#[^\n]*?\((?P<file>[<"][\w./+-]+[>"])\)""",
    # NAMESPACE_BEGIN and the like, alone at the margin; a macro for an access label.
    rb"""^[ \t]*(?P<qt>Q_[A-Z]+)[ \t]*\r?$
    |^(?P<alone>[A-Z0-9_]*(?:BEGIN|END|NAMESPACE|DIAGNOSTIC|PRAGMA|PUSH|POP)[A-Z0-9_]*(?:"""
    + _ARGUMENTS
    + rb""")?)[ \t]*(?=\r?$|//)|^[ \t]*(?P<label>"""
    + _MACRO
    + rb"""[ \t]*:)[ \t]*\r?$""",
    # class EXPORTED Name, static INLINED int f(): between the words of a declaration.
    rb"""\b(?:class|struct|union|enum)[ \t]+(?P<type>(?:"""
    + _CALL
    + rb"""[ \t]+){1,6})(?=\w[\w:]*(?:<[^\n{};]*>)?[ \t]*(?:final[ \t]*)?(?:[{:]|\r?$))
    |\b(?:(?:static|inline|extern|virtual|constexpr|explicit|friend)[ \t]
      |template[ \t]*<[^\n;{}]{0,300}>[ \t])[ \t]*
    (?P<inner>(?:"""
    + _CALL
    + rb"""[ \t]+){1,6})(?="""
    + _DECLARATION
    + rb""")|\b(?P<convention>(?:WINAPI|APIENTRY|CALLBACK|JNICALL)\b)[ \t]*(?=\w+[ \t]*\()
    |\bif[ \t]+(?P<constant>"""
    + _MACRO
    + rb""")(?=[ \t]*\()""",
    # template <typename T, ENABLE_IF(is_x<T>)>
    rb"""(?P<condition>,\s*[A-Z][A-Z0-9_]*_(?:IF|REQUIRES)\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)
    )(?=\s*[,>])""",
    # Before a declaration, in its line or alone above it: an attribute of it.
    rb"""^[ \t]*(?P<attribute>(?:"""
    + _CALL
    + rb"""(?:[ \t]*\r?\n[ \t]*|[ \t]+)){1,6})(?="""
    + _DECLARATION
    + rb""")""",
    # foreach(list, item) { and SECTION("name") {: a block for the grammar.
    rb"""^[ \t]*(?P<loop>(?:[ \t]\w*(?:foreach|for_each|FOREACH|FOR_EACH)\w*[ \t]*"""
    + _ARGUMENTS
    + rb"""|"""
    + _MACRO
    + rb"""[ \t]*\([ \t]*"(?:[^"\\\n]|\\.)*"[^()\n]*\)))(?=\s*\{)""",
    # Behind the parameters: NOEXCEPT, PRINTF_LIKE(1, 2).
    rb"""\)[ \t]*(?:const[ \t]*)?(?P<behind>[A-Z_]*(?:NOEXCEPT|ATTR|PRINTF|OVERRIDE)[A-Z0-9_]*(?:"""
    + _ARGUMENTS
    + rb""")?)(?=[ \t]*[;{])""",
)
