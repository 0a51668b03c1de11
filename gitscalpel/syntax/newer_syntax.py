"""Released syntax that grammars do not know yet, and older syntax to show in its place.

A text that does not parse is shown to its grammar again with these constructs in older words of the same
length, so that every position stays; names are kept where possible. See ``parse.py`` for how patterns
are written.
"""

from __future__ import annotations

from collections.abc import Mapping

_STRING = rb"""(?:"[^"\n]*"|'[^'\n]*')"""
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
    # Lazy imports (3.15); a statement beside it keeps the indentation.
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
    rb"\b(?:from|import)[ ]*" + _STRING + rb"\s*(?P<attributes>(?:with|assert)\s*\{[^{}]*\})",
    rb"\bimport[ ]+(?P<phase>defer(?=[ ]+\*)|source(?=[ ]+(?!from\b)[\w$]+[ ]+from\b))",
    rb"(?P<accessor>\baccessor)(?=[ ]+[\#\w$]+[ ]*[=;:])",
    rb"@(?P<opening>\()[^()\n]*(?P<closing>\))",
)
_TYPESCRIPT = (
    *_ECMASCRIPT,
    rb"\bexport[ ]+(?P<type>type)[ ]+(?=\*)",
    rb"[<,](?:\s|/\*(?:[^*]|\*(?!/))*\*/)*"
    rb"(?P<variance>(?:const[ ]+)?(?:in[ ]+out|in|out|const))[ ]+(?=\w+\s*(?:[,>=]|extends\b))",
    rb"(?P<imported>\bimport\([ ]*" + _STRING + rb"[ ]*\))(?=\.[\w.]+[<\[])",
    rb"\btypeof[ ]+(?P<imported_module>import\([ ]*" + _STRING + rb"[ ]*\))",
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
"""By grammar: patterns of what it does not know."""
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
