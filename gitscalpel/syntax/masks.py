"""Masks: text that a grammar misreads or does not know yet, and its replacement for the parser.

The groups of a pattern are described at ``parse.mask_text``. Text that neither the grammar nor a mask knows
does not parse. The macros of C and C++ are recognised by convention: capital letters, and a place where no
name can be. Selectors, at-rules and values of CSS, which grow faster than grammars, are shown as one word or
number each.

Every database has its own SQL, and after an unknown statement a grammar also fails for the next ones. So it
sees only definitions, in the one form that it always parses: ``CREATE TYPE name``, and columns with a type of
one letter.

A text that still does not parse is shown again with newer syntax in older words of the same length.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

BASH = (
    # \ls: an assignment in the line above would be read as the command's.
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


# An unclosed comment or string ends with the file or line, so that its end is not searched repeatedly.
BLOCK_COMMENT = rb"/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)"
_STRING = rb""""(?:[^"\\\n]|\\[\s\S])*(?:"|(?=\n)|\Z)|'(?:[^'\\\n]|\\[\s\S])*(?:'|(?=\n)|\Z)"""
# Strings of several lines are shown as words, so that they are found in the tree.
_CONTINUED = rb"""(?P<as_78_string>"(?:[^"\\\n]|\\[^\r\n])*\\\r?\n(?:[^"\\\n]|\\[\s\S])*")
    |(?P<as_78_string_too>'(?:[^'\\\n]|\\[^\r\n])*\\\r?\n(?:[^'\\\n]|\\[\s\S])*')
    |"(?:[^"\\\n]|\\(?:[\s\S]|\Z))*(?:"|(?=\n)|\Z)|'(?:[^'\\\n]|\\(?:[\s\S]|\Z))*(?:'|(?=\n)|\Z)"""
_ADDRESS = rb"rl\(\s*[^()\"'\s]*\s*\)"
_ARGUMENTS_CSS = rb"[^(){};]*;[^(){}]*\)"


def css_mask(comment: bytes, slash: bytes) -> tuple[bytes, ...]:
    """Return the patterns for a CSS dialect with these comment and plain-slash patterns."""
    # The parts exclude each other, so that nothing is ever tried twice.
    delimited = rb"|".join(
        (
            *(_STRING, comment, slash, rb"[\#@]\{[^{}]*\}", rb"[\#@](?!\{)", rb"\\[\s\S]"),
            *(rb"u" + _ADDRESS, rb"u(?!" + _ADDRESS + rb")"),
            *(rb"\(" + _ARGUMENTS_CSS, rb"\((?!" + _ARGUMENTS_CSS + rb")"),
        )
    )
    part = rb"(?:" + delimited + rb"|[^{};\"'u\#@/\\(])"
    word = rb"(?:" + delimited + rb"|[^{};:\"'u\#@/\\(])"
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


def _expand_parts(pattern: bytes) -> bytes:
    while (expanded := re.sub(rb"<([A-Z_]{4,})>", lambda found: _PARTS[found.group(1)], pattern)) != pattern:
        pattern = expanded
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

SQL = tuple(map(_expand_parts, (_DELIMITERS, _INSIDES, _STATEMENTS, _COLUMNS)))

SQL_SHOWN = {
    "kind": b"TYPE",
    "routine": b"tYPE",
    "go": b";",
    "more_stop": b";",
    "quote": b'"',
    "unquote": b'"',
    "key": b"_ey",
    "type": b"X",
}
"""Replacement words. Routines get one that does not occur in SQL, which the query knows."""


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
    # Former keywords, and words that are never keywords at these places: x.async(), async: bool, type: {
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
_SHOWN = {"haskell": {"gap": b"\\"}, "sql": SQL_SHOWN}


def find_mask(name: str) -> tuple[tuple[bytes, ...], Mapping[str, bytes]]:
    """Return the patterns of the text to hide, and the replacement words by group name."""
    if not name:
        return (), {}
    return _MASKS[name], _SHOWN.get(name, {})


_ANY_STRING = rb"""(?:"[^"\n]*"|'[^'\n]*')"""
_BALANCED = rb"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_TYPE_PARAMETERS = rb"^[ \t]*(?:async[ ]+def|def|class|type)[ ]+\w+\[[^\n]*?"
_PYTHON = (
    # Defaults of type parameters (3.13): a bound, a part of the bound, or a parameter more.
    *(
        (_TYPE_PARAMETERS + rb"(?<=[\[,\ ])\w+[ ]*:[^=\n,]*(?P<with_bound>=)(?!=)(?=[^\n]*[\]])(?<=[ ]=)",)
        * 4
    ),
    *((_TYPE_PARAMETERS + rb"(?<=[\[,\ ])\w+[ ]*(?P<without_bound>=)(?!=)(?=[^\n]*[\]][(:\ ])",) * 4),
    *((_TYPE_PARAMETERS + rb"\*+\w+[ ]*(?P<of_many>=)(?!=)(?=[^\n]*[\]])",) * 4),
    # Lazy imports (3.15); a statement before it keeps the indentation.
    rb"^[ \t]*(?P<lazy>lazy[ ])[ ]*(?=import\b|from\b)",
    # Unpacking in comprehensions (3.15).
    rb"[{(][ ]*(?P<unpacked>\*\*)(?=[^{}\n]*\bfor\b)",
)
_JAVA = (
    rb"^[ \t]*import[ ]+(?P<module>module)[ ]+(?=[\w.]+[ ]*;)",  # 25
    rb"^[ \t]*(?:(?P<super>super)|(?P<this>this))(?=[ ]*\([^;{}]*\)[ ]*;)",  # 25: behind other statements
)
_CSHARP = (
    rb"^(?P<directive>\#[:!][^\n]*)",  # 14: of programs of one file
    rb"[:,][ ]*(?P<allows>allows[ ]+ref[ ]+struct)\b",  # 13
    # 14: extension members, with a receiver that has a name or has none.
    rb"^[ \t]*extension[ ]*(?:<[^<>\n]*>[ ]*)?(?P<receiver>\([ ]*[\w.]+(?:<[^()\n]*>)?\??[ ]*\))",
    rb"^[ \t]*(?P<extension>extension)(?=[ ]*(?:<[^<>\n]*>[ ]*)?(?:\(|[ ]*\r?$|[ ]*\{))",
    # 14: null-conditional assignment.
    rb"^[ \t]*[\w.()\[\]]+(?P<conditional>\?)(?=(?:\.\w|\[)[^;\n=]*(?:\?\?)?=(?![=>]))",
    # 14: modifiers of parameters without types.
    rb"[(,][ ]*(?P<out>(?:out|ref|in|scoped)[ ])(?=\w+[ ]*[,)](?:[^()\n]*\))?[ ]*=>)",
    rb"[(,][ ]*(?P<inner>(?:out|ref|in|scoped)[ ])(?=\w+[ ]*,[^()\n]*\)[ ]*=>)",
    # 14: compound assignment operators.
    rb"\boperator[ ]*(?:checked[ ]*)?(?:[-+*/%&|^]|<<|>>>?)(?P<assigning>=)(?=[ ]*\()",
)
_C_FAMILY = (
    rb"(?P<goto>\bgoto\b)(?=[ ]*\*)",  # computed
    rb"[=,{(][ \t\n]*(?P<address>&)(?=&\w+\b[ ]*[,;})\]])",  # of a label
    rb"\bcase\b[^:;\n]*?(?P<range>\.\.\.[ ]*[^:;\n]+?)(?=[ ]*:)",
    rb"\([ ]*(?P<caret>\^)(?=[ ]*\w*[ ]*\)[ ]*\()",  # a pointer to a block
    rb"(?P<bits>\b_BitInt[ ]*\([ ]*\w+[ ]*\))",
    rb"^[ \t]*\w+(?P<label>:)(?=\s*\})",  # at the end of a block
    rb"(?P<declspec>\b__declspec[ ]*\((?:[^()]|\([^()]*\))*\))",
    rb"\(\s*(?P<convention>WINAPI|WSAAPI|CALLBACK|APIENTRY|NTAPI|__(?:stdcall|cdecl|fastcall))(?=[ ]*\*)",
    rb"(?P<annotation>\b_(?:In|Out|Inout|Ret|Pre|Post|Check)_?[a-z_]*_\b(?:\([^()]*\))?)",
    rb"(?P<attribute_of_gnu>\b__attribute(?:__)?[ ]*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\))",
)
_C = (
    *_C_FAMILY,
    rb"(?P<vector>\b(?:__)?vector)(?=[ ]+(?:unsigned|signed|bool|int|char|short|float|double)\b)",
    rb"(?P<auto>\bauto)(?=[ ]+\w+[ ]*=)",
    rb"\benum\b[ ]*\w*[ ]*(?P<underlying>:[ ]*[\w ]+?)(?=\s*[{;])",
)
_CPP = (
    *_C_FAMILY,
    rb"\benum[ ]*(?P<underlying>:[ ]*[\w: ]+?)(?=\s*\{)",  # without a name
    rb"(?<![\w>] )(?P<cast>\b(?:unsigned|signed|long|short))(?=[({])",
    rb"^[ \t]*(?P<case>switch[ ]*\(0\)\s*case[ ]+0:\s*default:)",  # before an if that has an else
    rb"\((?P<condition>[\w.>-]+\(\)[ ]*\?[ ]*\*this)(?=\s*:)",
    rb"\bnew[ ]+(?P<const>const)(?=[ ]+\w)",
    rb"\?\s*(?P<this>\*)(?=this\b)",
    rb"\busing[ ]+(?P<dependent>typename)(?=[ ]+\w)",
    rb"<[ ]*[\w:]+(?P<parameters>\(\))(?=[ ]*>)",
    rb"\b(?:typename|class)[ ]+\w+\s*=\s*(?:const[ ]+)?[\w:]+(?P<pointer>[ ]*[*&]+)(?=\s*[,>])",
    rb"\b(?:typename|class)[ ]+\w+\s*=\s*[\w:]+(?P<array>[ ]*\([*&]\)\[\w*\])",
    rb"(?P<launch><<<[^;{}]*?>>>)(?=\s*\()",  # CUDA
    rb"\bnew[ ]+[\w:]+(?:<[^;{}()]*>)?(?P<pointers>[ ]*\*+)(?=[ ]*\[)",
    rb"(?:\breturn|[=(),;{}!?:+]|&&|\|\||->|\.)\s*"
    rb"(?P<operator>\boperator[ ]*(?:\(\)|\[\]|[-+*/%^&|~!=<>]{1,3}))"
    rb"[ ]*(?P<arguments><[\w:, ]*>)?(?=[ ]*\()",
    rb"\bif[ ]*(?P<consteval>(?:!|\bnot\b)?[ ]*consteval)\b",
    # Contracts (26).
    rb"\)[\w\s]*?(?P<contract>(?:\s*\b(?:pre|post)[ ]*" + _BALANCED + rb")+)(?=\s*[{;])",
    rb"\bauto[ &]*\[[^\]\[]*(?P<note>\[\[[\w:, ]*\]\])",
    rb"\b\w+(?P<index>\.\.\.\[\w+\])",
    rb"(?:\.|->|::)(?P<template>template\b)(?=[ ]+\w+[ ]*<)",
    rb"(?:[-+*/(,=&|?:{]|\breturn)\s*(?P<typename>typename\b)(?=[ ]+[\w:]+(?:<[^;{}()]*>)?[\w:]*[ ]*[({])",
    rb"(?:[\w)\]])(?:->|\.)(?P<star>\*)(?=\w)",
    rb"(?P<of_class>(?:\b\w+::)+)(?=\*[ ]*\w)",
    rb"[\w&*>/][ ]*=[ ]*(?P<default>\{[^{}();]*\})(?=\s*[,)])",
    rb"^[ \t]*(?P<instance>(?:extern[ ]+)?template)(?=[ ]+(?:class|struct|union)[ ]+[\w:]+<[^;{}]*>[ ]*;)",
    rb"^[ \t]*(?P<function>(?:extern[ ]+)?template)(?=[ ]+[\w:]+[^;{}<]*[ *&][\w:]+(?:<[^;{}]*>)?\([^;{}]*;)",
    rb"^[ \t]*(?:public|protected|private)[ ]+(?P<slots>slots|Q_SLOTS)(?=[ ]*:)",
    rb"^[ \t]*(?P<signals>signals|Q_SIGNALS)(?=[ ]*:[ ]*\r?$)",
    rb"^[ \t]*(?P<emit>emit|Q_EMIT)(?=[ ]+\w)",
)
_KOTLIN = (
    rb"^[ \t]*(?P<otherwise>else[ ]+if)(?=[ ](?:(?!->|\{)[^\n])*->)",
    rb"^[ \t]*(?:!?(?:is|in)[ ][^\n=]*?|(?!return\b|else\b|throw\b)[\w.]+|\"[^\"\n]*\")"
    rb"[ ](?P<guard>if)(?=[ (](?:(?!->)[^\n])*->)",
    rb"(?P<dollars>\$\$+)(?=\")",
    rb"^[ \t]*(?P<attribute_context>context[ ]*\([^()\n]*:[^()\n]*\))(?=\s*[\w@])",
    rb"^[ \t]+(?P<field>field)(?=[ ]*(?::[^\n=]*)?=)",
    rb"@(?P<all>all:)(?=\w)",
    rb"(?P<actual>\bactual)(?=\s+(?:constructor|va[lr])\b)",
    rb"(?P<final>\bfinal)(?=[ ]*=[^=])",  # as a name
    rb"\b(?P<word>in)(?=\d)",  # the beginning of a name
    rb"(?:^[ \t]*|[{(=,][ ]*)(?P<modifier_as_name>open|inner|data|value|inline|external|operator|infix|enum)"
    rb"(?=[ ]*(?:=[^=]|\(|\.\w))",
    rb"\bclass[ ]+\w+(?:<[^<>\n]*>)?[ ]*\n[ \t]*"  # below the name of its class
    rb"(?P<constructor>(?:@[\w.]+(?:\([^()\n]*\))?\s+)*"
    rb"(?:(?:internal|private|protected|public)[ ]+)?(?:actual[ ]+)?constructor)(?=[ ]*\()",
)
_SWIFT = (
    rb"(?P<unsafe>\bnonisolated\((?:unsafe|nonsending)\))",
    rb"[(:,][ ]*(?P<unit>\(\))(?=[ ]*[,)])",
    rb"\bfor[ ]+(?P<try>try)(?=[ ]+await\b)",
)
_ECMASCRIPT = (
    rb"\b(?:(?P<await>await)[ ]+)?(?P<using>using)(?=[ ]+[\w$]+[ ]*(?:=[^=>]|:|of\b))",
    rb"\b(?:from|import)[ ]*" + _ANY_STRING + rb"\s*(?P<attributes>(?:with|assert)\s*\{[^{}]*\})",
    rb"\bimport[ ]+(?P<phase>defer(?=[ ]+\*)|source(?=[ ]+(?!from\b)[\w$]+[ ]+from\b))",
    rb"(?P<accessor>\baccessor)(?=[ ]+[\#\w$]+[ ]*[=;:])",
    rb"@(?P<opening>\()[^()\n]*(?P<closing>\))",
)
_TYPESCRIPT = (
    *_ECMASCRIPT,
    rb"\bexport[ ]+(?P<type>type)[ ]+(?=\*)",
    rb"[<,](?:\s|/\*(?:[^*]|\*(?!/))*\*/)*"
    rb"(?P<variance>(?:const[ ]+)?(?:in[ ]+out|in|out|const))[ ]+(?=\w+\s*(?:[,>=]|extends\b))",
    rb"(?P<imported>\bimport\([ ]*" + _ANY_STRING + rb"[ ]*\))(?=\.[\w.]+[<\[])",
    rb"\btypeof[ ]+(?P<imported_module>import\([ ]*" + _ANY_STRING + rb"[ ]*\))",
    rb"^[ \t]*(?P<in>in)(?=\??:)",  # as a name
)
_CALL_SIGNATURES = (rb"^[ \t]*(?P<separator>[ \t])(?=<\w[^\n]*\()",)  # behind a line without a semicolon
_RUST = (
    rb"(?P<tilde>~)",  # in the patterns of macros
    rb"(?P<safe>\bsafe)(?=[ ]+(?:fn|static|extern)\b)",
    rb"(?P<lifetimes>\bfor[ ]*<[^<>\n]*>)(?=[ ]*(?:async[ ]+)?(?:move[ ]*)?\|)",
)
_PHP = (
    rb"(?P<setter>\b(?:public|protected|private)\(set\))(?=[ ]+[\w?\\$(])",
    rb"(?P<clone>\bclone)(?=[ ]*\()",
    rb"^[ \t]*(?P<void>\(void\))",
    rb"[(,]\s*(?P<final>final)(?=[ ]+(?:public|protected|private|readonly|[\w?\\|]+[ ]+\$))",
)
_DART = (
    rb"[\[{,:][ \t\n]*(?P<aware>\?)(?=[\w.(\[]+)",
    rb"(?:[=(,:?]|=>|\breturn)[ ]*(?P<dot>\.)(?=[a-z_]\w*)",
)
_LUA = (
    rb"^[ \t]*(?P<all>global[ ]*(?:<\w+>)?[ ]*\*)[ ]*\r?$",
    rb"^[ \t]*global(?P<attribute>[ ]*<\w+>)",
    rb"^[ \t]*(?P<global>global)(?=[ ]+\w)",
    rb"\bfunction\b[^\n(]*\([^()\n]*\.\.\.[ ]*(?P<rest>\w+)(?=[ ]*\))",
)

NEWER: Mapping[str, tuple[bytes, ...]] = {
    "python": _PYTHON,
    "java": _JAVA,
    "csharp": _CSHARP,
    "c": _C,
    "cpp": _CPP,
    "kotlin": _KOTLIN,
    "swift": _SWIFT,
    "javascript": _ECMASCRIPT,
    "typescript": (*_TYPESCRIPT, *_CALL_SIGNATURES),
    "tsx": _TYPESCRIPT,
    "rust": _RUST,
    "go": (rb"\b(?P<new>new)(?=\([^()\n]*(?:[-+*/\"'\d]|\w\()[^\n]*\))",),
    "ruby": (
        rb"^[ \t]*def[ ]+[\w.?!]+[ ]*(?:\([^()\n]*\))?[ ]*=[ ]+\w+[?!]?(?P<command>[ ])(?=[\w\"':\[@])",
    ),
    "php": _PHP,
    "dart": _DART,
    "lua": _LUA,
    "bash": (
        rb"\$(?P<begin>\{\|?)(?=[ \n\t])[^{}]*?;?\s(?P<end>\})",
        rb"(?P<continued>\\)\s*\Z",
        rb"(?:[;}]|\))(?P<separator>[ ]+)(?=(?:then|do)\b)",
        rb"\[[!^]?(?P<pattern>\$\{\w{1,12}\})\]",
    ),
}
"""By grammar: patterns of syntax that it does not know."""
SHOWN: Mapping[str, Mapping[str, bytes]] = {
    "python": {"with_bound": b"|", "without_bound": b":", "of_many": b",", "lazy": b"pass;"},
    "java": {"super": b"supe_", "this": b"thi_"},
    "csharp": {"allows": b"class", "extension": b"class ext"},
    "c": {"caret": b"*", "bits": b"int", "auto": b"int", "label": b";"},
    "cpp": {
        "caret": b"*",
        "bits": b"int",
        "consteval": b"(1)",
        "operator": b"operato_",
        "cast": b"_",
        "condition": b"_ ? _",
        "default": b"0",
        "signals": b"public",
        "label": b";",
    },
    "kotlin": {
        "guard": b",",
        "field": b"get()",
        "final": b"fina_",
        "word": b"i_",
        "modifier_as_name": b"_",
    },
    "swift": {"unit": b"0"},
    "javascript": {"using": b"const"},
    "typescript": {
        "using": b"const",
        "imported": b"_",
        "imported_module": b"_",
        "in": b"i_",
        "separator": b";",
    },
    "tsx": {"using": b"const", "imported": b"_", "imported_module": b"_", "in": b"i_"},
    "go": {"new": b"ne_"},
    "ruby": {"command": b"+"},
    "php": {"clone": b"clon_"},
    "lua": {"global": b"local"},
    "bash": {"begin": b"(", "end": b")", "separator": b";", "pattern": b"x" * 15},
}
"""By grammar: what a group is shown as; blanks for all others."""
