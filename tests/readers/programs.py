"""Programs in which something stands that readers and grammars may see differently.

Each begins with a program whose definition ``probe`` answers 1. Behind that comes, within something that
hides it or not, another definition of the name, or noise that no reader takes for code.
"""

from __future__ import annotations

import random
from typing import NamedTuple

_RETURNS = ("\r", "\r", "\r", "\r\r", "\n\r", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029")
_CONTROLS = ("\0", "\x04", "\x08", "\x1a", "\x1b", "\x1c", "\x1d", "\x1e", "\x1f", "\x7f")
_UNSEEN = (
    "\xa0",
    "\xad",
    "\u180e",
    "\u200b",
    "\u200c",
    "\u200d",
    "\u200e",
    "\u202e",
    "\u2060",
    "\u3000",
    "\ufeff",
)
_JOINING = ("\\", "\\\n", "\\\r", "\\\r\n", "\\ \n", "\u0301", "\u0300", "??/\n")
ODD = (*_RETURNS, *_CONTROLS, *_UNSEEN, *_JOINING)
_WORDS = {
    "a.rb": ("\n=begin\n", "\n=end\n", "\n__END__\n", "#"),
    "a.lua": ("[[", "]]", "#"),
    "a.php": ("<?php ", "?>", "#"),
    "a.js": ("<!--", "-->"),
    "a.sh": ("#", "\n__END__\n", "]]"),
}
"""What begins or ends something in one language alone."""
COOKIES = (
    *("utf-8", "latin-1", "cp1252", "utf-7", "cp037", "shift_jis", "utf-16", "ascii", "iso2022_jp", "hz"),
    *("utf8-mac", "unicode_escape", "gbk", "nonesuch", "base64", "UTF_8", "utf-8-unix", "utf-8-sig"),
)
ENCODED = (*["utf-8"] * 5, "utf-8-sig", "latin-1", "utf-16", "utf-7", "gbk", "shift_jis")
SPELT = (
    "probe",
    "\uff50robe",
    "pro\uff42e",
    "\U0001d429robe",
    "pr\u00f6be",
    "prob\u00e9",
    "p\u200drobe",
    "\ufb01",
)


class Language(NamedTuple):
    """What programs of a language are made of.

    Attributes:
        path: of a file in it.
        base: a program.
        again: another definition of its ``probe``, with ``@`` for the name.
        around: what may hide what stands where ``@`` does.
        noise: what is no code.
    """

    path: str
    base: str
    again: str
    around: tuple[str, ...]
    noise: str = ")]} @@ ("


_C_LIKE = ("// c{x}@\n", "/* c{x}@ */\n", "/* c *{x}/ @ /* */\n", "{x}@\n", "// c\\{x}@\n", "/{x}/ @\n")
_HASH = ("# c{x}@\n", "{x}@\n", "#{x}@\n", "x = 1 # c{x}@\n", "# c\\{x}@\n")
LANGUAGES = {
    "python": Language(
        "a.py",
        "def probe():\n    return 1\n\n\n",
        "def @(): return 2",
        (*_HASH, '"""c{x}"""; @\n', "s = 'c{x}@'\n", "s = '''c{x}@\n'''\n", "if 1:{x}  @\n", "x = 1;{x}@\n"),
    ),
    "javascript": Language(
        "a.js",
        "function probe() { return 1 }\n",
        "function @() { return 2 }",
        (
            *_C_LIKE,
            "var s = 'c{x}@'\n",
            "var s = `c{x}@`\n",
            "<!-- c{x}@\n",
            "{x}--> c @\n",
        ),
    ),
    "ruby": Language(
        "a.rb",
        "def probe\n  1\nend\n",
        "def @() 2 end",
        (
            *_HASH,
            "s = 'c{x}@'\n",
            "=begin\n{x}@\n=end\n",
            "s = <<E\nc{x}@\nE{x}\n",
            "{x}=begin\n@\n",
            "s = %q(c{x}@)\n",
        ),
    ),
    "lua": Language(
        "a.lua",
        "function probe() return 1 end\n",
        "function @() return 2 end",
        ("-- c{x}@\n", "--[[ c{x}@ ]]\n", "{x}@\n", "--[{x}[ @\n", "s = 'c{x}@'\n", "s = [[c{x}@]]\n"),
    ),
    "php": Language(
        "a.php",
        "<?php\nfunction probe() { return 1; }\n",
        "function @() { return 2; }",
        (
            *_C_LIKE,
            *_HASH[:1],
            "// c{x}?> @ <?php\n",
            "$s = 'c{x}@';\n",
            "#[{x}@\n",
            "$s = <<<E\nc{x}@\nE{x};\n",
        ),
    ),
    "java": Language(
        "A.java",
        "class A { int probe() { return 1; } }\n",
        "class @ { }",
        (
            *_C_LIKE,
            "/\\u002a {x} @ */\n",
            "// c\\u000a{x}@\n",
            "/* c{x}*\\u002f @ /* */\n",
            "// c\\\\u000a{x}@\n",
        ),
    ),
    "c": Language(
        "a.c",
        "int probe(void) { return 1; }\n",
        "int @2(void) { return 2; }",
        (*_C_LIKE, 'char *s = "c{x}@";\n', "#define S c{x}@\n", "#if 0\n{x}@\n#endif\n"),
    ),
    "go": Language(
        "a.go",
        "package a\n\nfunc probe() int { return 1 }\n",
        "func @() int { return 2 }",
        (*_C_LIKE, "var s = `c{x}@`\n"),
    ),
    "rust": Language(
        "a.rs",
        "pub fn probe() -> i32 { 1 }\n",
        "pub fn @2() -> i32 { 2 }",
        (*_C_LIKE, "/// c{x}@\npub fn f() {}\n", '// c\npub const S: &str = "c{x}@";\n'),
    ),
    "bash": Language(
        "a.sh",
        "probe() { echo 1; }\n",
        "@() { echo 2; }",
        (*_HASH, "echo a{x}#b; @\n", "s='c{x}@'\n", "cat <<E\nc{x}@\nE{x}\n", "echo \\{x}# c; @\n"),
        "done ) fi }",
    ),
    "sql": Language(
        "a.sql",
        "CREATE TABLE probe (a int);\n",
        "CREATE TABLE @2 (b int);",
        ("-- c{x}@\n", "/* c{x}@ */\n", "{x}@\n", "-{x}- @\n"),
    ),
}


class Case(NamedTuple):
    """A program, and whether what is added to it is another definition, which its reader may take or not."""

    program: bytes
    defines: bool


def case(language: Language, rng: random.Random) -> Case:
    """One program."""
    signs = (*ODD, *_WORDS.get(language.path, ()))
    odd = "".join(rng.choices(signs, k=rng.choice((1, 1, 1, 2))))
    defines = rng.random() < 0.5
    name = rng.choice(SPELT) if rng.random() < 0.2 else "probe"
    added = language.again.replace("@", name) if defines else language.noise
    text = language.base + rng.choice(language.around).replace("{x}", odd).replace("@", added)
    if rng.random() < 0.2:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(signs) + text[at:]
    if rng.random() < 0.2:
        mark = "--" if language.path.endswith(("lua", "sql")) else "//" if "//" in language.around[0] else "#"
        text = f"{mark} -*- coding: {rng.choice(COOKIES)} -*-\n{text}"
    encoding = rng.choice(ENCODED)
    if encoding == "utf-7" and language.path != "a.py":  # nobody else reads that, and it shows as other code
        encoding = "utf-8"
    return Case(text.encode(encoding, "replace"), defines)
