"""Table of all languages and data formats: one entry and one `queries/<name>.scm` each.

An entry says how files are recognised, how code is laid out, and how its grammar differs from the
language. No other module knows a language by name. Symbols of data and prose are keys, headings,
selectors and elements, which define nothing, so the structure gate leaves them alone.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from gitscalpel.changesets.paths import normalize_unicode
from gitscalpel.text.document import Document


class Language(msgspec.Struct, frozen=True):
    """One language, or a format of data or prose.

    Attributes:
        name: name of the query file.
        grammar: name of the grammar in the language pack.
        suffixes: file name endings, with the dot.
        names: whole file names.
        interpreters: interpreter names in a ``#!`` line.
        line_comment: start of a line comment; empty if there is none.
        blocks: ``braces``, ``indent`` if indentation is syntax, or ``prose`` if it is content.
        separator: default separator of siblings in a list.
        markers: markers before a block in its line that count as indentation (``- ``).
        fill: placeholder statement for an empty block if indentation is syntax; empty if not needed.
        margin: start of lines that stay at the margin when the code around is shifted.
        is_margin_only: start of lines that are only valid at the margin.
        has_aligned_blocks: True if indentation is syntax and the captured blocks have aligned statements.
        comma_members: node type of members that need a comma after them, although the grammar accepts none.
        forbidden_query: query whose capture ``found`` is accepted by the grammar but not by the language.
        has_anchors: True if nodes have anchors, ``&name``, to which aliases, ``*name``, refer.
        end_marker: node type of text ends that the grammar reports even if they are missing.
        hidden: name of the mask in ``masks.py`` for text hidden from the grammar, or empty.
        cookie: pattern of an encoding declaration at the start of a file; group 1 is the encoding.
        form: Unicode normal form in which names are compared; empty if names are compared as written.
        read_as: patterns of characters that parsers of the language treat differently from the grammar, with
            the byte that both understand (a line ending, a letter), see ``syntax_errors.py``.
        marked: True if a file may begin with a byte order mark.
        returned: True if a CR before a line ending belongs to it.
        prologue: text needed before code so that it is not read as text of a page.
        rebinds: True if a first binding of a variable may be another binding of it (``x = 1``, ``var x``).
        spaces: namespaces: ``one`` for all names of a scope, ``types`` for a separate one of types,
            ``values`` for a separate one of values including classes, or ``kinds`` for one of each kind.
        data: True if its symbols are keys, headings and the like, not definitions.
        parses: extent of the grammar: ``strictly`` rejects all that the language does not allow, ``partly``
            covers only definitions, ``anything`` accepts nearly anything, so that only the validator decides.
        reader: name of the validator, see ``validators``.
        resolver: module and class in ``names/languages`` that resolve names; empty without one.
        has_macros: True if names may be macros, which no grammar can know.
        directives: notation of ``#if`` and similar, see ``c_conditionals.py``. Empty if there are none.
        unparsed: pattern of code that the grammar never parses. Empty if there is none.
        is_sparse: True if the grammar lacks more of the released syntax than patterns can list.
        escapes: start of escapes in names. Empty if there are none.
        has_dollars: True if names may contain a dollar sign.
        has_private_names: True if ``#x`` is another name than ``x``.
        linguist: name in ``linguist-language`` of .gitattributes, in lower case, if it differs.
        second: package with a second grammar, used if the first reports an error.
        inline: True if siblings may share a line without a separator, and white space there is significant.
        keeps_inline: True if content inserted into empty brackets stays on their line.
        top_gap: default number of blank lines between top-level definitions.
        gap: default number of blank lines between other definitions.
    """

    name: str
    grammar: str
    suffixes: tuple[str, ...]
    names: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    line_comment: bytes = b"//"
    blocks: Literal["braces", "indent", "prose"] = "braces"
    separator: bytes = b","
    markers: bytes = b""
    fill: str = "pass"
    margin: bytes = b""
    is_margin_only: bool = False
    has_aligned_blocks: bool = False
    comma_members: str | None = None
    forbidden_query: str = ""
    end_marker: str | None = None
    has_anchors: bool = False
    hidden: str = ""
    cookie: bytes = b""
    form: Literal["", "NFC", "NFKC"] = ""
    marked: bool = True
    returned: bool = True
    read_as: tuple[tuple[bytes, bytes], ...] = ()
    prologue: bytes = b""
    rebinds: bool = True
    spaces: Literal["one", "types", "values", "kinds"] = "kinds"
    data: bool = False
    parses: Literal["strictly", "partly", "anything"] = "strictly"
    reader: str = ""
    resolver: str = ""
    has_macros: bool = False
    directives: Literal["", "c", "csharp", "swift"] = ""
    unparsed: bytes = b""
    is_sparse: bool = False
    escapes: tuple[str, ...] = ()
    has_dollars: bool = False
    has_private_names: bool = False
    linguist: str = ""
    second: str = ""
    inline: bool = False
    keeps_inline: bool = False
    top_gap: int = 1
    gap: int = 1

    def alike(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """Return the segments of a path in the form in which names are compared."""
        return tuple(normalize_unicode(self.form, segment) for segment in path) if self.form else path


_JSON_SUFFIXES = (
    *(".json", ".geojson", ".topojson", ".webmanifest", ".ipynb", ".har", ".avsc", ".gltf"),
    *(".jsonld", ".sarif", ".map", ".tfstate"),
)
_JSONC_SUFFIXES = (".jsonc", ".json5", ".code-workspace", ".code-snippets", ".sublime-settings", ".hujson")
_JSONC_NAMES = (
    *("tsconfig.json", "jsconfig.json", "devcontainer.json", ".devcontainer.json", "tslint.json"),
    *(".eslintrc", ".eslintrc.json", ".babelrc", ".jshintrc", ".swcrc", "api-extractor.json"),
    *("language-configuration.json", "renovate.json", ".renovaterc", ".renovaterc.json"),
)
_XML_SUFFIXES = (
    *(".xml", ".xsd", ".xsl", ".xslt", ".svg", ".plist", ".xaml", ".axaml", ".wsdl", ".rss", ".atom", ".pom"),
    *(".csproj", ".fsproj", ".vbproj", ".vcxproj", ".proj", ".props", ".targets", ".nuspec", ".ruleset"),
    *(".resx", ".slnx", ".storyboard", ".xib", ".xliff", ".xlf", ".kml", ".gpx", ".iml", ".filters"),
    ".config",
)
_XML_COOKIE = rb"<\?xml\s[^>]{0,200}?\bencoding\s*=\s*[\"']([-\w.]+)[\"']"

FORMATS = (
    Language(
        "json",
        "json",
        _JSON_SUFFIXES,
        ("composer.lock", "Pipfile.lock", ".arcconfig", ".watchmanconfig"),
        reader="json",
        data=True,
        top_gap=0,
        gap=0,
    ),
    Language(
        "jsonc",
        "json",
        _JSONC_SUFFIXES,
        _JSONC_NAMES,
        hidden="jsonc",
        reader="jsonc",
        data=True,
        top_gap=0,
        gap=0,
        linguist="json with comments",
    ),
    Language(
        "markdown",
        "markdown",
        (".md", ".markdown", ".mdown", ".mkd", ".mkdn"),
        line_comment=b"",
        blocks="prose",
        data=True,
        parses="anything",
    ),
    Language(
        "rst",
        "rst",
        (".rst", ".rest"),
        line_comment=b"",
        blocks="prose",
        data=True,
        parses="anything",
    ),
    Language(
        "toml",
        "toml",
        (".toml",),
        ("Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"),
        line_comment=b"#",
        keeps_inline=True,
        reader="toml",
        data=True,
        gap=0,
        unparsed=rb"=[ \t]*\{[^{}\"'\n]*\n|=[ \t]*\{[^{}\n]*,[ \t]*\}",
    ),
    Language(
        "yaml",
        "yaml",
        (".yml", ".yaml", ".cff", ".sublime-syntax"),
        (".clang-format", ".clang-tidy", ".clangd", ".yamllint", ".prettierrc", "pubspec.lock", ".gemrc"),
        line_comment=b"#",
        blocks="indent",
        keeps_inline=True,
        has_anchors=True,
        markers=b"-",
        fill="{}",
        data=True,
        top_gap=0,
        gap=0,
    ),
    Language(
        "ini",
        "ini",
        (".ini", ".cfg", ".cnf", ".inf", ".desktop", ".service", ".socket", ".timer", ".gitconfig"),
        (
            ".editorconfig",
            ".gitconfig",
            ".gitmodules",
            ".npmrc",
            ".pylintrc",
            ".flake8",
            ".coveragerc",
            "pip.conf",
        ),
        line_comment=b"#",
        hidden="ini",
        reader="ini",
        data=True,
        parses="anything",
        gap=0,
    ),
    Language(
        "properties",
        "properties",
        (".properties",),
        line_comment=b"#",
        data=True,
        parses="anything",
        top_gap=0,
    ),
    Language(
        "xml",
        "xml",
        _XML_SUFFIXES,
        line_comment=b"",
        hidden="xml",
        cookie=_XML_COOKIE,
        reader="xml",
        inline=True,
        data=True,
        top_gap=0,
        gap=0,
    ),
    Language(
        "html",
        "html",
        (".html", ".htm", ".xhtml"),
        line_comment=b"",
        hidden="html",
        reader="html",
        inline=True,
        data=True,
        parses="anything",
        top_gap=0,
        gap=0,
    ),
    Language("css", "css", (".css", ".pcss"), line_comment=b"", hidden="css", separator=b";", data=True),
    Language("scss", "css", (".scss",), hidden="scss", separator=b";", data=True),
    Language("less", "css", (".less",), hidden="scss", separator=b";", data=True),
)


_ENCODING = rb"[ \t]*([-\w.]+?)(?:-(?:unix|dos|mac))?(?![-\w.])"  # Emacs adds the line endings
_PYTHON_COOKIE = rb"(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n))?[ \t\f]*#[^\r\n]*?coding[:=]" + _ENCODING
"""PEP 263: a comment in the first two lines, of which the first holds no code."""
_RUBY_COOKIE = rb"(?:#![^\n]*\n)?[ \t]*#[^\n]*?(?i:coding)[:=]" + _ENCODING

_RUBY_NEVER = """
([(program (identifier) @found) (body_statement (identifier) @found) (then (identifier) @found)
  (block_body (identifier) @found) (do (identifier) @found) (else (identifier) @found)]
 (#match? @found "^(end|else|elsif|when|then|ensure|rescue)$"))
([(identifier) (constant)] @found (#eq? @found "__END__"))
((comment) @found (#match? @found "^=begin") (#not-match? @found "\\n=end"))
"""
"""A word that closes what is not open is a name for the grammar, and so is the end of a program within it."""
_LUA_NEVER = r"""
((string) @found (#match? @found "^['\"](?:\\\\z\\s*(?!\\s)|\\\\(?!z)[\\s\\S]|[^\\\\\\n])*\\n"))
((identifier) @found (#match? @found "[!-/:-@\\[-^`{-~]"))
"""
"""Strings in quotes go on in the next line, and names may hold any sign, for the grammar."""
_RETURN_ENDS = ((rb"\r(?!\n)", b"\n"),)
_SPLICE = rb"(?:\\[ \t]*\r?\n)+"
_C_READ_AS = (
    *_RETURN_ENDS,
    (rb"\*" + _SPLICE + rb"/", b"*/"),
    (rb"/" + _SPLICE + rb"\*", b"/*"),
    (rb"/" + _SPLICE + rb"/", b"//"),
)
"""Lines are joined before comments are found; a lone CR ends one for clang."""
_U = ("\\u",)
_BASH_UNPARSED = (
    rb"\*\"\n\"[^\"\n]*\"\n\"\*\)"  # a pattern of several lines
    rb"|<<[-~]?[ ]*['\"\\]?\w+['\"]?(?:\||[ ]*\||\))"  # a pipe or an end behind the word of a text
    rb"|\$\{\w+:[-+=][ ]*\(|\$\{\w+:[-+=][^}\n]*'|^\*\"[^\"\n]* [^\"\n]*\""
)
_KOTLIN_UNPARSED = (
    rb"\bcontext[ ]*\([\w ]*:|\$\$+\"|\bactual\s+constructor\b"
    rb"|^(?:@\w+\s+)?(?:internal|private|actual)\s+constructor\b"
    rb"|^[ \t]*is[ ][^\n]* if [^\n]*->|\{[ ]*\(\w+\)\("
)

LANGUAGES = (
    Language(
        "python",
        "python",
        (".py", ".pyi", ".pyw"),
        ("SConstruct", "SConscript"),
        ("python",),
        line_comment=b"#",
        blocks="indent",
        has_aligned_blocks=True,
        cookie=_PYTHON_COOKIE,
        form="NFKC",
        read_as=_RETURN_ENDS,
        reader="python",
        spaces="one",
        top_gap=2,
        resolver="python.language.Python",
    ),
    Language(
        "javascript",
        "javascript",
        (".js", ".mjs", ".cjs", ".jsx"),
        (),
        ("node", "deno", "bun"),
        spaces="one",
        escapes=_U,
        has_dollars=True,
        has_private_names=True,
        resolver="javascript.language.JavaScript",
    ),
    Language(
        "typescript",
        "typescript",
        (".ts", ".mts", ".cts"),
        (),
        ("ts-node", "tsx"),
        spaces="values",
        escapes=_U,
        has_dollars=True,
        has_private_names=True,
        resolver="javascript.language.TypeScript",
    ),
    Language(
        "tsx",
        "tsx",
        (".tsx",),
        spaces="values",
        escapes=_U,
        has_dollars=True,
        has_private_names=True,
        resolver="javascript.language.TypeScript",
    ),
    Language(
        "rust",
        "rust",
        (".rs",),
        (),
        ("rust-script",),
        form="NFC",
        spaces="types",
        resolver="rust.language.Rust",
    ),
    Language(
        "go", "go", (".go",), (), ("go", "gorun"), rebinds=False, spaces="one", resolver="go.language.Go"
    ),
    Language(
        "java",
        "java",
        (".java",),
        (),
        ("java",),
        marked=False,
        read_as=(*_RETURN_ENDS, (rb"\\\\|\\u+00(0[aAdD]|2[0-9a-fA-F]|3[a-fA-F]|5[b-dB-D]|7[b-eB-E])", b"")),
        spaces="types",
        resolver="java.language.Java",
        escapes=_U,
        has_dollars=True,
    ),
    Language(
        "c",
        "c",
        (".c", ".h"),
        margin=b"#",
        hidden="c",
        read_as=_C_READ_AS,
        has_macros=True,
        directives="c",
        escapes=("\\u", "\\U"),
        resolver="c.language.C",
    ),
    Language(
        "cpp",
        "cpp",
        (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".cu", ".cuh"),
        margin=b"#",
        hidden="c",
        read_as=_C_READ_AS,
        resolver="c.language.CPP",
        has_macros=True,
        directives="c",
        escapes=("\\u", "\\U"),
        linguist="c++",
    ),
    Language(
        "csharp",
        "csharp",
        (".cs", ".csx"),
        (),
        ("dotnet-script",),
        form="NFC",
        margin=b"#",
        read_as=((rb"\xc2\x85|\xe2\x80[\xa8\xa9]", b"\n"),),
        rebinds=False,
        spaces="one",
        resolver="csharp.CSharp",
        escapes=_U,
        directives="csharp",
        linguist="c#",
    ),
    Language(
        "ruby",
        "ruby",
        (".rb", ".rake", ".gemspec", ".ru", ".podspec", ".rbw", ".thor", ".jbuilder"),
        ("Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Brewfile", "Thorfile"),
        ("ruby", "jruby", "rake"),
        line_comment=b"#",
        cookie=_RUBY_COOKIE,
        margin=b"=begin",
        end_marker="heredoc_end",
        forbidden_query=_RUBY_NEVER,
        is_margin_only=True,
        spaces="one",
        resolver="ruby.Ruby",
    ),
    Language(
        "php",
        "php",
        (".php", ".phtml", ".inc", ".phpt"),
        (),
        ("php",),
        prologue=b"<?php ",
        spaces="types",
        resolver="php.PHP",
    ),
    Language(
        "kotlin",
        "kotlin",
        (".kt", ".kts"),
        (),
        ("kotlin",),
        read_as=_RETURN_ENDS,
        second="tree_sitter_kotlin",
        rebinds=False,
        spaces="types",
        resolver="kotlin.Kotlin",
        unparsed=_KOTLIN_UNPARSED,
    ),
    Language(
        "swift",
        "swift",
        (".swift",),
        (),
        ("swift",),
        read_as=_RETURN_ENDS,
        second="tree_sitter_swift",
        rebinds=False,
        spaces="types",
        directives="swift",
        is_sparse=True,
    ),
    Language(
        "scala",
        "scala",
        (".scala", ".sc", ".sbt"),
        (),
        ("scala", "amm", "scala-cli"),
        read_as=_RETURN_ENDS,
        has_dollars=True,
        unparsed=rb"<(\w+)(?:[ \t][^<>\n]*)?>(?s:.*?)</\1>|<\w+[^<>\n]*/>",
    ),
    Language(
        "lua",
        "lua",
        (".lua", ".rockspec"),
        (),
        ("lua", "luajit"),
        line_comment=b"--",
        forbidden_query=_LUA_NEVER,
        spaces="one",
    ),
    Language(
        "haskell",
        "haskell",
        (".hs", ".hs-boot", ".hsc"),
        (),
        ("runhaskell", "runghc", "stack", "cabal"),
        line_comment=b"--",
        hidden="haskell",
        blocks="indent",
        fill="",
        margin=b"#",
        spaces="types",
    ),
    Language("ocaml", "ocaml", (".ml",), (), ("ocaml", "utop"), line_comment=b"(*"),
    Language("ocaml_interface", "ocaml_interface", (".mli",), line_comment=b"(*"),
    Language(
        "sql",
        "sql",
        (".sql", ".ddl", ".pgsql"),
        line_comment=b"--",
        hidden="sql",
        read_as=_RETURN_ENDS,
        parses="partly",
    ),
    Language(
        "zig",
        "zig",
        (".zig", ".zon"),
        comma_members="ContainerField",
        hidden="zig",
        rebinds=False,
        spaces="one",
    ),
    Language(
        "bash",
        "bash",
        (".sh", ".bash", ".zsh", ".ksh"),
        (
            *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile"),
            *(".kshrc", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".envrc", "PKGBUILD"),
        ),
        ("sh", "bash", "dash", "ash", "ksh", "mksh", "zsh"),
        line_comment=b"#",
        hidden="bash",
        marked=False,
        returned=False,
        read_as=(
            (rb"\r(?!\n)|[\x0b\x0c]", b"_"),
            # Behind a line that goes on a # stands within a word, and begins no comment.
            (rb"(?<!\\)(?:(?<=[^\s;&|()])(?:\\\\)*|(?:\\\\)+)(?:\\\n)+#", b"_"),
        ),
        unparsed=_BASH_UNPARSED,
        linguist="shell",
    ),
    Language(
        "dart",
        "dart",
        (".dart",),
        (),
        ("dart",),
        hidden="dart",
        read_as=_RETURN_ENDS,
        rebinds=False,
        spaces="one",
    ),
    Language("elixir", "elixir", (".ex", ".exs"), (), ("elixir",), line_comment=b"#"),
    *FORMATS,
)

_TOLD_APART: dict[str, tuple[tuple[str | None, bytes], ...]] = {
    ".h": (
        (None, rb"^[ \t]*(?:#[ \t]*import\b|@(?:interface|implementation|protocol|class|import|end)\b)"),
        (
            "cpp",
            rb"^[ \t]*(?:template[ \t]*<|(?:inline[ \t]+)?namespace\b[\w: \t]*(?:\{|$)|using[ \t]+[\w:]+"
            rb"|(?:class|enum[ \t]+class)[ \t]+[\w \t]+(?:[;:{]|$)|(?:public|private|protected)[ \t]*:"
            rb"|#[ \t]*include[ \t]*<(?:algorithm|array|atomic|c\w{3,8}|(?:io|o|i|s|f)stream|functional|list"
            rb"|map|memory|optional|set|string|string_view|tuple|type_traits|unordered_\w+|utility|vector)>)"
            rb"|\bstd::\w|\boperator[ \t]*[=<>!+*(\[-]|\bconstexpr\b",
        ),
    ),
    ".config": ((None, rb"\A(?:\xef\xbb\xbf)?\s*(?:[^\s<\xef]|\Z)"),),
    ".json": (("jsonc", rb'^[ \t]*(?://|/\*|"compilerOptions")'),),
}
"""Suffixes of several languages: the first whose pattern is found in the file, or none; else the one above.

A header is C unless something in it can only be C++; a file in Objective-C has no symbols here.
JSON that has comments or is read by such tools lets commas trail.
"""

_TEMPLATES = frozenset({".in", ".j2", ".jinja", ".jinja2", ".erb", ".tmpl", ".tpl", ".mustache", ".hbs"})
"""Suffixes of templates, which are in no language whatever their ``#!`` line says."""
_POINTER, _POINTER_SIZE = b"version https://git-lfs.github.com/spec/v", 1024
"""How a pointer begins, and how long one is at most: the specification of Git LFS."""
_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}
_BY_NAME = {name: language for language in LANGUAGES for name in language.names}
_SHEBANG = re.compile(rb"#![ \t]*\S*?(?:/env(?:[ \t]+-\S+|[ \t]+\w+=\S*)*[ \t]+)?([^\s/]+)(?:[ \t]|\r?\n|\Z)")


def is_lfs_pointer(text: bytes) -> bool:
    """Return True if a file is a Git LFS pointer, whose content is not in git."""
    return text.startswith(_POINTER) and len(text) < _POINTER_SIZE and b"\noid sha256:" in text


def recognise(path: str, text: bytes) -> Language | None:
    """Return the language of a file by its name, its suffix or its ``#!`` line."""
    return None if is_lfs_pointer(text) else _recognise_by_name(path, text)


def _recognise_by_name(path: str, text: bytes) -> Language | None:
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    suffix = "." + name.rpartition(".")[2].lower() if "." in name else ""
    if suffix == ".json" and path.startswith(".vscode/") | ("/.vscode/" in path):
        return _BY_SUFFIX[".jsonc"]
    for other, pattern in _TOLD_APART.get(suffix, ()):
        if re.search(pattern, text, re.MULTILINE):
            return next((language for language in LANGUAGES if language.name == other), None)
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    found = _SHEBANG.match(text) if suffix not in _TEMPLATES else None
    if not found:
        return None
    program = found.group(1).decode("ascii", "ignore").rstrip("0123456789.")
    return next((language for language in LANGUAGES if program in language.interpreters), None)


def read_document(path: str, content: bytes) -> Document:
    """Return a file's content, decoded as its language declares."""
    language = recognise(path, content)
    return Document.read(content, language.cookie if language else b"")
