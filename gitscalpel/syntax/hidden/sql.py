"""Statements of SQL as patterns of what to hide; see ``masking``.

Every database has its own SQL, and no grammar knows them all; a statement that it does not know
takes the next ones with it. So the grammar is shown what is defined, in the one form that it
always reads: ``CREATE TYPE name``, and columns with a type of one letter. The rest of a
definition belongs to it as its body or as more of it; statements that define nothing are not shown at all.
"""

from __future__ import annotations

import re

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

HIDDEN = tuple(map(_spelt_out, (_DELIMITERS, _INSIDES, _STATEMENTS, _COLUMNS)))

SHOWN = (
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
