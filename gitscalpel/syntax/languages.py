"""Table of all languages and data formats: one entry and one `queries/<name>.scm` each.

An entry says how files are recognised, how code is laid out, and how its grammar differs from the
language. No other module knows a language by name. Symbols of data and prose are keys, headings,
selectors and elements, which define nothing, so the structure gate ignores them.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from gitscalpel.changesets.paths import normalize_unicode
from gitscalpel.text.document import Document


class Language(msgspec.Struct, frozen=True):
    """One language, or a format of data or prose."""

    name: str  # also of its query file
    grammar: str  # name in the language pack
    suffixes: tuple[str, ...]  # with the dot
    names: tuple[str, ...] = ()  # whole file names
    interpreters: tuple[str, ...] = ()  # names in a ``#!`` line
    line_comment: bytes = b"//"  # start of a line comment; empty if there is none
    # Indentation is syntax in ``indent``, and content in ``prose``.
    blocks: Literal["braces", "indent", "prose"] = "braces"
    separator: bytes = b","  # default separator of siblings in a list
    markers: bytes = b""  # markers before a block in its line that count as indentation (``- ``)
    fill: str = "pass"  # placeholder statement for an empty block if indentation is syntax
    margin: bytes = b""  # prefix of lines that stay at the left margin
    is_margin_only: bool = False  # True if lines with ``margin`` are only valid at the margin
    has_aligned_blocks: bool = False  # True if the captured blocks have aligned statements
    comma_members: str | None = None  # node type that needs a comma after it, unlike in the grammar
    forbidden_query: str = ""  # its capture ``found`` is accepted by the grammar, not by the language
    end_marker: str | None = None  # node type of text ends, reported even if they are missing
    has_anchors: bool = False  # True if aliases, ``*name``, refer to anchors, ``&name``
    hidden: str = ""  # name of the mask in ``masks.py``, or empty
    cookie: bytes = b""  # pattern of an encoding declaration, with the encoding as group 1
    form: Literal["", "NFC", "NFKC"] = ""  # Unicode normal form in which names are compared
    marked: bool = True  # True if a file may begin with a byte order mark
    returned: bool = True  # True if a CR before an LF is part of the line ending
    # Characters that the language reads differently from its grammar, and a byte that both understand.
    read_as: tuple[tuple[bytes, bytes], ...] = ()
    prologue: bytes = b""  # text needed before code so that it is not read as text of a page
    rebinds: bool = True  # True if a scope may bind a variable more than once (``x = 1``)
    # Namespaces: one for all names of a scope, a separate one for types, or for values including classes, or
    # one for each kind.
    spaces: Literal["one", "types", "values", "kinds"] = "kinds"
    data: bool = False  # True if its symbols are keys, headings and the like, not definitions
    # ``strictly`` rejects all that the language does not allow, ``partly`` covers only definitions, and
    # ``anything`` accepts nearly any text, so that only the validator decides.
    parses: Literal["strictly", "partly", "anything"] = "strictly"
    reader: str = ""  # name of the validator, see ``validators``
    resolver: str = ""  # module and class in ``names/languages``; empty without one
    has_macros: bool = False  # True if names may be macros, which no grammar can know
    directives: Literal["", "c", "csharp", "swift"] = ""  # notation of ``#if``, see ``c_conditionals.py``
    unparsed: bytes = b""  # pattern of code that the grammar never parses
    is_sparse: bool = False  # True if the grammar lacks more of the syntax than patterns can list
    escapes: tuple[str, ...] = ()  # start of escapes in names
    has_dollars: bool = False  # True if names may contain a dollar sign
    has_private_names: bool = False  # True if ``#x`` is another name than ``x``
    linguist: str = ""  # name in ``linguist-language`` of .gitattributes, if it differs
    second: str = ""  # package of a fallback grammar, used if the first reports an error
    inline: bool = False  # True if siblings may share a line, where white space is significant
    keeps_inline: bool = False  # True if content inserted into empty brackets stays on their line
    top_gap: int = 1  # blank lines between top-level definitions
    gap: int = 1  # blank lines between other definitions

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
"""The grammar reads a closing word without its block as a name, and so it does the end of a program."""
_LUA_NEVER = r"""
((string) @found (#match? @found "^['\"](?:\\\\z\\s*(?!\\s)|\\\\(?!z)[\\s\\S]|[^\\\\\\n])*\\n"))
((identifier) @found (#match? @found "[!-/:-@\\[-^`{-~]"))
"""
"""For the grammar, strings in quotes continue in the next line, and names may contain any sign."""
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
            # After a line that continues, a # is within a word and does not begin a comment.
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
"""By suffix of several languages: the first whose pattern is in the file, or None; else that of the entry.

A header is C unless something in it can only be C++; a file in Objective-C has no symbols here.
"""

_TEMPLATES = frozenset({".in", ".j2", ".jinja", ".jinja2", ".erb", ".tmpl", ".tpl", ".mustache", ".hbs"})
"""Suffixes of templates, which are in no language whatever their ``#!`` line says."""
_POINTER, _POINTER_SIZE = b"version https://git-lfs.github.com/spec/v", 1024
"""First bytes of a pointer, and its maximum length, by the specification of Git LFS."""
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
    for language_name, pattern in _TOLD_APART.get(suffix, ()):
        if re.search(pattern, text, re.MULTILINE):
            return next((language for language in LANGUAGES if language.name == language_name), None)
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
