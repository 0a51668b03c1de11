"""Masks by language: patterns of text that a grammar misreads, and the words shown in its place.

``parse.py`` says how patterns are written. Unmasked text that no grammar knows stays a place that does
not parse.

The macros of C and C++ cannot be known to a grammar. The patterns go by convention: capitals, and a
place where no name can be. In CSS and its dialects, selectors, at-rules and values grow faster than
grammars, so each is shown as one word or number of the same length; what then does not parse is no style
sheet in any dialect. JSON with comments, or read by such tools, may have trailing commas.

Every database has its own SQL, and a statement unknown to the grammar takes the next ones with it. So
the grammar sees only what is defined, in the one form that it always reads: ``CREATE TYPE name``, and
columns with a type of one letter. The rest of a definition belongs to it as its body or as more of it.
Other statements are not shown. In Zig, newer syntax must read as something similar: an assignment to
several names as one to the first, a labelled ``switch`` as one without a label.
"""

from __future__ import annotations

import re

BASH = (
    # \ls: where an assignment stands in the line above, it would be read as the command's.
    rb"^[ \t]*(?P<unaliased>\\)(?=[A-Za-z_.])",
    # for x do, which is for x; do
    rb"^[ \t]*for[ \t]+\w+(?P<as_3b_end>[ \t])[ \t]*do\b",
)


_MACRO = rb"[A-Z][A-Z0-9_]{2,}\b"
_ARGUMENTS = rb"\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)"
_CALL = _MACRO + rb"(?:" + _ARGUMENTS + rb")?"
_SPECIFIER = rb"""(?:alignas|auto|bool|char|class|const|constexpr|double|enum|explicit|extern|float|friend
  |inline|int|long|operator|short|signed|size_t|static|struct|template|typedef|typename|union|unsigned
  |using|virtual|void)\b"""
_DECLARATION = (
    rb"(?:" + _SPECIFIER + rb"|[A-Za-z_][\w:]*(?:<[^\n;{}]{0,300}>)?[\s*&]+[A-Za-z_~][\w:]*[ \t]*[(;=\[])"
)

C = (
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


# What is not closed ends with the file or line, so that nobody looks for its end again and again.
BLOCK_COMMENT = rb"/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)"
_STRING = rb""""(?:[^"\\\n]|\\[\s\S])*(?:"|(?=\n)|\Z)|'(?:[^'\\\n]|\\[\s\S])*(?:'|(?=\n)|\Z)"""
# Strings of several lines are shown as words, so that it is known where they are.
_CONTINUED = rb"""(?P<as_78_string>"(?:[^"\\\n]|\\[^\r\n])*\\\r?\n(?:[^"\\\n]|\\[\s\S])*")
    |(?P<as_78_string_too>'(?:[^'\\\n]|\\[^\r\n])*\\\r?\n(?:[^'\\\n]|\\[\s\S])*')
    |"(?:[^"\\\n]|\\(?:[\s\S]|\Z))*(?:"|(?=\n)|\Z)|'(?:[^'\\\n]|\\(?:[\s\S]|\Z))*(?:'|(?=\n)|\Z)"""
_ADDRESS = rb"rl\(\s*[^()\"'\s]*\s*\)"
_ARGUMENTS_CSS = rb"[^(){};]*;[^(){}]*\)"


def css_mask(comment: bytes, slash: bytes) -> tuple[bytes, ...]:
    """The patterns, of how comments are written, and of a slash that begins none."""
    # The parts exclude each other, so that nothing is ever tried twice.
    odd = rb"|".join(
        (
            *(_STRING, comment, slash, rb"[\#@]\{[^{}]*\}", rb"[\#@](?!\{)", rb"\\[\s\S]"),
            *(rb"u" + _ADDRESS, rb"u(?!" + _ADDRESS + rb")"),
            *(rb"\(" + _ARGUMENTS_CSS, rb"\((?!" + _ARGUMENTS_CSS + rb")"),
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


CSS = css_mask(BLOCK_COMMENT, rb"/(?!\*)")


DART = (
    rb"^(?P<library>library[ \t]*;)",
    # abstract final int x;
    rb"^[ \t]+(?P<modifier>abstract[ \t]+)(?=(?:covariant|final|late|var)[ \t]+(?!class\b))",
    # case Foo(): and Foo() =>, patterns without a field.
    rb"(?:\bcase|\|\||&&)[ \t]+[A-Z][\w.]*(?:<[^>\n]*>)?(?P<fields>\([ \t]*\))(?=\s*(?:=>|:|when\b|\|\||&&))",
    rb"^[ \t]*[A-Z][\w.]*(?:<[^>\n]*>)?(?P<fields>\([ \t]*\))(?=\s*(?:=>|when\b|\|\||&&))",
)


HASKELL = (
    # A string goes on behind white space between two backslashes, of which the grammar
    # wants the first to be the last of its line.
    rb"(?P<open>\\)[ \t]*(?P<gap>[ \t\r])(?=\n\s*\\)",
)

HASKELL_SHOWN = (("gap", b"\\"),)


HTML = (
    rb"(?P<code><%[\s\S]{0,2000}?%>|<\?(?!xml\s)[\s\S]{0,4000}?\?>)|(?P<value>\{\{[\s\S]{0,2000}?\}\}|\{%[\s\S]{0,2000}?%\})",
)


INI = (
    rb"^[ \t]*\[[^\n\]]*\](?P<remark>[ \t]*[;\#][^\n]*)",
    # Lines that are indented deeper than the key above them go on with its value.
    rb"^([ \t]*)[^\s\[;\#=:][^\n=:]*[=:][^\n]*\n"
    rb"(?P<more>(?:(?:\1[ \t]+\S[^\n]*|[ \t\r]*)\n)*\1[ \t]+\S[^\n]*)",
    rb"^[ \t]*[^\s\[;\#=:][^\n=:]*(?P<as_3d>:)",
    rb"^[ \t]*(?P<bare>[^\s\[;\#=][^\n=]*)\r?$",  # a key without a value
)


JSONC = (rb"(?P<trailing>,)(?=(?:\s|//[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*[}\]])",)


SCSS = css_mask(BLOCK_COMMENT + rb"|//[^\n]*", rb"/(?![*/])")


_PARTS = {
    b"NAME": rb"""(?:[^\W\d][\w$\#@]*|"[^"\n]*"|`[^`\n]*`)""",
    b"PATH": rb"(?:<NAME>(?:[ \t]*\.[ \t]*<NAME>){0,3})",
    b"COMMENT": rb"(?:--[^\n]*(?=\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)",
    b"BLANK": rb"(?:\s|<COMMENT>)*",
    b"FLAT": rb"\([^()]*\)",
    b"DEEP": rb"\([^()]*(?:<FLAT>[^()]*)*\)",
    b"DEEPER": rb"\([^()]*(?:<DEEP>[^()]*)*\)",
    b"BRACKETS": rb"\([^()]*(?:<DEEPER>[^()]*)*\)",
    b"NEXT": rb"^[ \t]*(?:CREATE|GO)\b",
    b"ANYTHING": rb"(?:(?!<NEXT>).)",
    b"STATEMENT": rb"(?:(?!<NEXT>)[^;])",
    b"TYPED": rb"""(?:<NAME>\s+["`{:\w])""",
    b"CONSTRAINT": rb"""(?:CONSTRAINT\b|(?:PRIMARY|FOREIGN)\s+KEY\b|EXCLUDE\b|LIKE\s|PERIOD\s+FOR\b
      |FULLTEXT\b|SPATIAL\b|(?:UNIQUE|CHECK|KEY|INDEX)\b\s*(?:KEY\b|INDEX\b)?\s*<NAME>?\s*(?=\())""",
    # With these words a column goes on in the next line; with others it lacks its comma.
    b"GOES_ON": rb"""(?:NOT|NULL|DEFAULT|CHECK|PRIMARY|FOREIGN|UNIQUE|KEY|REFERENCES|CONSTRAINT|ON|COLLATE
      |GENERATED|COMMENT|AS|IDENTITY|AUTO_?INCREMENT|ENCODE|OPTIONS|MATCH|DEFERRABLE|INITIALLY|STORED|VIRTUAL
      |PERSISTED|USING|WITH|WHERE|INCLUDE|TABLESPACE|CHARACTER|CHARSET|MASKED|ENABLE|DISABLE|ENFORCED
      |INVISIBLE|VISIBLE|ENCRYPTED|SPARSE|ROWGUIDCOL|HIDDEN|TAG|MASKING|INCLUDING|EXCLUDING|FOR|ALWAYS|BY
      |AND|OR|START|INCREMENT|CODEC|TTL|CLUSTERED|NONCLUSTERED|FORMAT|TITLE|COMPRESS|CASE|CACHE|UPDATE
      |DELETE|CASCADE)\b""",
    b"GENERIC": rb"(?:S?TRUCT|M?AP|A?RRAY|R?OW)\s*<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>",
    b"OF_COLUMN": rb"""(?:<DEEPER>|\n(?!\s*["`\w])|\n(?=\s*<GOES_ON>)|<GENERIC>|<COMMENT>
      |(?!--|/\*)[^(),\n])""",
}


def _spelt_out(pattern: bytes) -> bytes:
    """The pattern with the parts in the place of their names."""
    while (spelt := re.sub(rb"<([A-Z_]{4,})>", lambda found: _PARTS[found.group(1)], pattern)) != pattern:
        pattern = spelt
    return rb"(?ims:" + pattern + rb")"


_DELIMITERS = rb"""
    ^[ \t]*(?P<delimiter>DELIMITER\b[^\n]*)
    |\bEND[ \t]*(?:;\s*(?P<stop>\$\$|//|\|\|)|\s*(?P<more_stop>\$\$|//|\|\|))[ \t]*\r?$
      (?=\s*(?:\Z|--|/\*|(?:DELIMITER|CREATE|DROP|ALTER)\b))"""

_INSIDES = rb"""
    --(?P<remark>[^\n]*)|/\*(?P<remarks>.*?)\*/
    |'(?:\w|[ .:/@]|-(?!-))*'
    |'(?P<string>(?:[^'\\]|''|\\(?:[^']|'(?![ \t]*(?:[,;)\n]|\Z))|(?=')))*)'
    |(\$(?:[^\W\d]\w*)?\$)(?P<string_quoted>.*?)\4
    |"[^"\n]*"|`[^`\n]*`
    |(?<![\w\])])(?P<quote>\[)[^\W\d][\w $-]*(?P<unquote>\])"""

_STATEMENTS = rb"""
    \s+|<COMMENT>
    |CREATE\b(?P<words>(?:\s+(?!ON\b)[\w=@%`'."]+){0,8}?)\s+(?:
      TABLE\b(?P<exists>\s+IF\s+NOT\s+EXISTS\b)?\s+<PATH>\s*(?=\(<BLANK>(?!<CONSTRAINT>)<TYPED>)
        <BRACKETS>(?P<more_of_table><STATEMENT>*)
      |TYPE\s+<PATH>\s+AS\s*(?:ENUM\s*|(?P<of>OBJECT|TABLE)?\s*(?=\(<BLANK><TYPED>))
        <BRACKETS>(?P<more_of_type><STATEMENT>*)
      |(?:(?P<routine>FUNCTION|PROCEDURE|PROC|AGGREGATE|MACRO|PACKAGE)
         |(?P<kind>TABLE|TYPE|VIEW|TRIGGER|EVENT|INDEX|SCHEMA|DATABASE|SEQUENCE|EXTENSION|ROLE|USER|POLICY
           |RULE|DOMAIN|SERVER|PUBLICATION|SUBSCRIPTION|SYNONYM))\b
        (?P<if>\s+(?:BODY|CONCURRENTLY)\b)?(?P<not_exists>\s+IF\s+NOT\s+EXISTS\b)?
        \s+(?!(?:ON|MAPPING|FOR|AUTHORIZATION)\b)<PATH>
        (?P<more>(?:<BRACKETS>
          |(?!(?<!EXECUTE\s)(?<!NEW\sTABLE\s)(?<!OLD\sTABLE\s)\b(?:AS|IS|BEGIN|RETURN)\b)<STATEMENT>)*)
        (?P<body>
          # To the end of the batch; to an END at the margin, in the same line, or the last one.
          <ANYTHING>*?^(?=GO[ \t]*\r?$)
          |(?:(?:AS|IS)\s+(?![$'(]|SELECT\b|WITH\b)<ANYTHING>*?|<STATEMENT>*?)
            \bBEGIN\b(?:<ANYTHING>*?^END\b|[^\n]*\bEND\b|<ANYTHING>*\bEND\b)[^;\n]*
          |<STATEMENT>+)?
      )\s*(?:;|^(?P<go>GO)[ \t]*\r?$)?
    |(?P<copied>^COPY\b[^;]*\bFROM\s+STDIN\b[^;]*;.*?^\\\.)|^(?P<command>\\[^\n]*)
    |(?P<other>[^;\s]<STATEMENT>*;?|;)"""

_COLUMNS = rb"""
    (?P<comma>,)<BLANK>(?P<constraint><CONSTRAINT><OF_COLUMN>*)
    |[(,]<BLANK>(?:(?P<key>key)|<NAME>)\s+(?P<type>["`{:\w])(?P<more><OF_COLUMN>*?)(?=<BLANK>[,)])"""

SQL = tuple(map(_spelt_out, (_DELIMITERS, _INSIDES, _STATEMENTS, _COLUMNS)))

SQL_SHOWN = (
    ("kind", b"TYPE"),
    ("routine", b"tYPE"),
    ("go", b";"),
    ("more_stop", b";"),
    ("quote", b'"'),
    ("unquote", b'"'),
    ("key", b"_ey"),
    ("type", b"X"),
)
"""What the grammar is shown instead; routines get a word that nobody writes, which the query knows."""


XML = (rb"(?P<string_data><!\[CDATA\[[\s\S]*?(?:\]\]>|\Z))|(?P<instruction><\?(?!xml\s)[\s\S]{0,4000}?\?>)",)


_TYPE = rb"(?:[^=;\n,(){}]|\([^()\n]*\)|\{[^{}\n]*\})*"
_TARGET = rb"(?:(?:const|var)[ \t]+)?[\w.@\"\[\]*]+(?:[ \t]*:" + _TYPE + rb")?"

ZIG = (
    # const a, var b: T = f(); and a, const b = f();
    rb"^[ \t]*(?:comptime[ \t]+)?(?:const|var)[ \t]+\w+(?:[ \t]*:[^=;\n]{0,200}?)?(?P<others>(?:,\s*"
    + _TARGET
    + rb"){1,12})(?=[ \t]*=[^=>])",
    rb"^[ \t]*[\w.@\"\[\]*]+(?P<others>(?:,[ \t]*"
    + _TARGET
    + rb"){1,12})(?=[ \t]*=[^=>](?:[^\n{}]|\{[^\n{}]*\})*(?:\{|[^\s,{}])\r?$)",
    # value: switch (x) {, and as a statement, where something goes on with it.
    rb"(?:=>?|\||\b(?:return|catch|orelse|else))\s*(?P<label>[A-Za-z_]\w*[ \t]*:)(?=\s*switch\b)",
    rb"^[ \t]*(?P<label>([A-Za-z_]\w*)[ \t]*:)(?=[ \t]*switch\b[\s\S]{0,4000}?\bcontinue[ \t]+:\2\b)",
    # continue :state value
    rb"(?P<resume>\bcontinue[ \t]+:\w+)(?=[ \t]+(?!else\b)[^\s;,})|])",
    # What are names now, or were never anything else where they stand: x.async(), async: bool, type: {
    rb"(?:^[ \t]*|\.|\bfn[ \t]+)(?P<as_78_name>async|await)(?=[ \t]*[(:=,;})\]]|[ \t]*\.)",
    rb"[=)]\s*(?P<as_78_label>type)(?=[ \t]*:[ \t]*\{)",
    rb"\b(?:break|continue)[ \t]+:(?P<as_78_label>type)\b",
    # asm ("" ::: .{ .memory = true })
    rb":\s*(?P<clobbers>\.\{[^{}]*\})(?=\s*\))",
)


_MASKS = {
    "bash": BASH,
    "c": C,
    "css": CSS,
    "dart": DART,
    "haskell": HASKELL,
    "html": HTML,
    "ini": INI,
    "jsonc": JSONC,
    "scss": SCSS,
    "sql": SQL,
    "xml": XML,
    "zig": ZIG,
}
_SHOWN = {"haskell": HASKELL_SHOWN, "sql": SQL_SHOWN}


def find_mask(name: str) -> tuple[tuple[bytes, ...], dict[str, bytes]]:
    """Return the patterns of the text to hide, and the word that is shown instead, by the name of a group.

    Args:
        name: the name of a mask; nothing is hidden if it is empty.
    """
    if not name:
        return (), {}
    return _MASKS[name], dict(_SHOWN.get(name, ()))
