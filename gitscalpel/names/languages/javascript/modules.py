"""Find module specifiers in a file, and the files that they name.

A specifier is a path, with the endings and index files that Node and TypeScript try, a package of the same
tree, a module that a file declares, or a name that ``tsconfig.json`` or ``jsconfig.json`` maps. Specifiers
are in imports, exports, calls that load, mocks of tests, and AMD modules.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from tree_sitter import Node

from gitscalpel.names import nodes
from gitscalpel.names.entities import Elsewhere, Module
from gitscalpel.names.files import Files
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Resolver, cache_answers
from gitscalpel.syntax.occurrences import canonical_name
from gitscalpel.syntax.parse import Syntax

FUNCTIONS = ("function_declaration", "method_definition", "function_expression", "arrow_function")


def text(resolver: Resolver, path: str, node: Node | None) -> str:
    """Return the text of a node, with escapes in names resolved; empty without a node."""
    return "" if node is None else _read_text(resolver.lexical(path).text, node)


def _read_text(code: bytes, node: Node) -> str:
    found = code[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
    return canonical_name(found, "javascript") if node.type.endswith("identifier") else found


def literal(resolver: Resolver, path: str, node: Node | None) -> str:
    """Return the content of a string; empty for other nodes."""
    return text(resolver, path, node)[1:-1] if node is not None and node.type == "string" else ""


def template_text(resolver: Resolver, path: str, node: Node) -> str:
    """Return the content of a string or template; empty if it has more than one piece of text."""
    return _read_template(resolver.lexical(path).text, node)


def _read_template(code: bytes, node: Node) -> str:
    inner = node.named_children if node.type in ("string", "template_string") else []
    return _read_text(code, inner[0]) if [child.type for child in inner] == ["string_fragment"] else ""


def find_named_node(node: Node) -> Node | None:
    """Return the node that a name or quoted name belongs to: ``x``, ``"x"``, ``["x"]``."""
    return nodes.skip_types(node.parent, "string", "template_string", "computed_property_name")


_ENTRIES = ("source", "types", "module", "main")


def _split_package(specifier: str) -> tuple[str, str]:
    parts = specifier.split("/")
    length = 2 if specifier.startswith("@") else 1
    return "/".join(parts[:length]), "/".join(parts[length:])


def _find_packages(resolver: Resolver, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in _find_files_with_longest_word(resolver, name):
        folder, file = posixpath.split(path)
        package = read_package(resolver.files, path) if file == "package.json" else {}
        if package.get("name") == name:
            yield folder, package


@cache_answers
def package_paths(resolver: Resolver, specifier: str) -> Iterator[str]:
    """Yield the places where a package of the tree may have an imported module."""
    name, rest = _split_package(specifier)
    for folder, package in _find_packages(resolver, name):
        found = package_targets(package.get("exports"), f"./{rest}" if rest else ".")
        for each in (*found, *([rest] if rest else _get_entry_paths(package)), rest):
            yield from (posixpath.join(folder, each), posixpath.join(folder, "src", each))


def is_published(resolver: Resolver, specifier: str) -> bool | None:
    """Return True if a package of the tree exports a name, and None if it does not restrict names."""
    name, rest = _split_package(specifier)
    for _, package in _find_packages(resolver, name):
        if package.get("exports") is not None:
            return any(True for _ in package_targets(package["exports"], f"./{rest}" if rest else "."))
    return None


def published_names(table: object, path: str, same: Callable[[str, str], bool]) -> Iterator[str]:
    """Yield the subpaths under which patterns of ``exports`` publish a file of a package.

    ``same`` returns True if a target is the file, or is built from it.
    """
    parts = re.sub(r"(\.d)?\.\w+$", "", path).split("/")
    stars = [each[at:] for each in (parts, path.split("/")) for at in reversed(range(len(parts)))]
    for key in table if isinstance(table, dict) else ():
        pattern = f"{key}*" if key.endswith("/") else key
        for star in ("/".join(each) for each in stars if "*" in pattern):
            name = pattern.replace("*", star)
            if any(same(target, path) for target in package_targets(table, name)):
                yield name
                break


def internal_paths(resolver: Resolver, path: str, specifier: str) -> Iterator[str]:
    """Yield the places that ``imports`` of the nearest package gives to a name with ``#``."""
    for folder in _iter_folders(path):
        place = posixpath.join(folder, "package.json")
        if resolver.files.is_file(place):
            for target in package_targets(read_package(resolver.files, place).get("imports"), specifier):
                yield posixpath.join(folder, target)
            return


def _iter_folders(path: str) -> Iterator[str]:
    while path:
        path = posixpath.dirname(path)
        yield path


def package_targets(table: object, key: str) -> Iterator[str]:
    """Yield the files that a table of a package maps a name to, under any condition.

    A whole name takes precedence over a pattern, and the longest pattern over the others.
    https://nodejs.org/api/packages.html#subpath-patterns
    """
    if not isinstance(table, dict) or not any(each[:1] in (".", "#") for each in table):
        table = {".": table} if table is not None else {}
    if key in table:
        yield from _iter_leaves(table[key], "")
        return
    for pattern in sorted(table, key=len, reverse=True):
        head, star, tail = (pattern, "/", "") if pattern.endswith("/") else pattern.partition("*")
        if star and key.startswith(head) and key.endswith(tail) and len(key) >= len(head) + len(tail):
            rest = key[len(head) : len(key) - len(tail)]
            yield from (each + rest if star == "/" else each for each in _iter_leaves(table[pattern], rest))
            return


def _iter_leaves(value: object, star: str) -> Iterator[str]:
    if isinstance(value, str):
        yield value.replace("*", star)
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _iter_leaves(each, star)


def read_package(files: Files, path: str) -> dict[str, Any]:
    """Return the content of a ``package.json``; empty if it does not exist or does not parse."""
    source = files.source(path)
    try:
        content = json.loads(source.text) if source is not None else {}
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _get_entry_paths(package: dict[str, Any]) -> list[str]:
    return [package[key] for key in _ENTRIES if isinstance(package.get(key), str)]


def package_names(resolver: Resolver, path: str) -> Iterator[str]:
    """Yield the names of the packages around a file that may be imported by such a name."""
    stem = posixpath.basename(path).partition(".")[0]
    for folder in _iter_folders(path):
        package = read_package(resolver.files, posixpath.join(folder, "package.json"))
        name = package.get("name")
        if isinstance(name, str) and (
            stem == "index" or any(stem in each for each in _get_entry_paths(package))
        ):
            yield name


_MODULE_DECLARATION = re.compile(rb"""module\s*(?:["']|/[*/])""")
"""``module "x"``, also with a comment between; only files with a match are parsed for declarations."""


@cache_answers
def declared_modules(resolver: Resolver, specifier: str) -> Iterator[Module]:
    """Yield the modules of ``declare module "specifier" { ... }`` in any file."""
    for path in _find_files_with_longest_word(resolver, specifier):
        source = resolver.files.source(path) if path.endswith((".ts", ".tsx", ".mts", ".cts")) else None
        if source is None or _MODULE_DECLARATION.search(source.text) is None:
            continue
        lexical = resolver.files.lexical(path)
        for node in lexical.syntax.of_type("module") if lexical is not None else ():
            name = find_part(node, "name")
            if specifier and literal(resolver, path, name) == specifier:
                yield Module(path, resolver.lexical(path).syntax.language.name, nodes.span_of(node))


def _find_files_with_longest_word(resolver: Resolver, text: str) -> Iterable[str]:
    words = re.findall(r"\w+", text)
    return resolver.files.holding(max(words, key=len)) if words else ()


_ASIDE = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*[\s\S]*?\*/')
_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_NAMES = ("tsconfig.json", "jsconfig.json")


_VERBATIM = ("verbatimModuleSyntax", "preserveValueImports")
_AMD_RESOLUTION = "classic"
"""Module resolution that searches for bare names in the directories around a file (AMD)."""


class PathConfig(NamedTuple):
    """Module paths of a configuration; all directories and places are those of the tree."""

    base: str | None = None  # directory of bare names. None if it is not set.
    names: Mapping[str, list[str]] = {}  # patterns with at most one ``*``, and the places that they map to
    roots: tuple[str, ...] = ()  # directories that are merged
    around: bool = False  # True if bare names are searched next to a file and in the directories around it
    verbatim: bool = False  # True if types have to be imported as types


def is_verbatim(files: Files, path: str) -> bool:
    config = _find_nearest_config(files, path)
    return config is not None and config.verbatim


def configured_paths(files: Files, path: str, specifier: str) -> Iterator[str]:
    """Yield the places that a configuration maps an import to, best first."""
    config = _find_nearest_config(files, path)
    if config is None:
        return
    for pattern, places in config.names.items():
        head, star, tail = pattern.partition("*")
        if specifier == pattern or (star and specifier.startswith(head) and specifier.endswith(tail)):
            middle = specifier[len(head) : len(specifier) - len(tail)]
            yield from (place.replace("*", middle, 1) for place in places)
    if specifier.startswith("."):
        yield from _find_in_other_roots(config, path, specifier)
        return
    if config.base is not None:
        yield posixpath.join(config.base, specifier)
    yield from nearby_paths(files, path, specifier)


def configured_names(files: Files, path: str) -> Iterator[str]:
    """Yield the names that a configuration maps to a file."""
    config = _find_nearest_config(files, path)
    for pattern, places in config.names.items() if config is not None else ():
        stem = posixpath.splitext(path)[0]
        if "*" not in pattern and any(each in (path, stem, posixpath.dirname(path)) for each in places):
            yield pattern


def nearby_paths(files: Files, path: str, specifier: str) -> Iterator[str]:
    """Yield the places next to a file and in the directories around it, if its configuration says so."""
    config = _find_nearest_config(files, path)
    if config is not None and config.around and not specifier.startswith("."):
        yield from (posixpath.join(folder, specifier) for folder in _iter_folders(path))


def _find_in_other_roots(config: PathConfig, path: str, specifier: str) -> Iterator[str]:
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))
    for root in config.roots:
        if place.startswith(root + "/"):
            yield from (other + place[len(root) :] for other in config.roots if other != root)


def _find_nearest_config(files: Files, path: str) -> PathConfig | None:
    places = (posixpath.join(folder, name) for folder in _iter_folders(path) for name in _NAMES)
    return next((_load_config(files, place, ()) for place in places if files.is_file(place)), None)


def _load_config(files: Files, place: str, within: tuple[str, ...]) -> PathConfig:
    """Return the settings of a file on top of those that it extends, or else of those that it references."""
    source = files.source(place) if files.is_file(place) and place not in within else None
    written = _read_config(source.text) if source is not None else _NOTHING
    folder, config = posixpath.dirname(place), PathConfig()

    def load(name: str) -> PathConfig:
        return _load_config(files, _find_config_path(files, folder, name), (*within, place))

    for further in map(load, written.extends):
        config = PathConfig(
            config.base if further.base is None else further.base,
            further.names or config.names,
            further.roots or config.roots,
            further.around or config.around,
            further.verbatim or config.verbatim,
        )
    base = config.base if written.base is None else _join_path(folder, written.base)
    names_folder = folder if written.base is None else str(base)
    names = {
        pattern: [_join_path(names_folder, each) for each in places]
        for pattern, places in (written.names or {}).items()
    }
    config = PathConfig(
        base,
        config.names if written.names is None else names,
        tuple(_join_path(folder, each) for each in written.roots) or config.roots,
        written.resolution == _AMD_RESOLUTION if written.resolution else config.around,
        config.verbatim if written.verbatim is None else written.verbatim,
    )
    referenced = map(load, written.references if config == PathConfig() else ())
    return next((each for each in referenced if each != config), config)


def _join_path(folder: str, relative: str) -> str:
    place = posixpath.normpath(posixpath.join(folder, relative))
    return "" if place == "." else place


def _find_config_path(files: Files, folder: str, name: str) -> str:
    place = _join_path(folder, name)
    tried = (place, f"{place}.json", posixpath.join(place, _NAMES[0]))
    return next((each for each in tried if files.is_file(each)), place)


class _ConfigText(NamedTuple):
    """Settings of one configuration file, as written."""

    base: str | None = None
    names: Mapping[str, list[str]] | None = None
    roots: tuple[str, ...] = ()
    resolution: str = ""
    extends: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    verbatim: bool | None = None


_NOTHING = _ConfigText()


@lru_cache(maxsize=64)
def _read_config(text: bytes) -> _ConfigText:
    plain = _ASIDE.sub(_keep_string, text.decode("utf-8", "replace"))
    try:
        whole = json.loads(_COMMA.sub(_keep_string, plain))
    except ValueError:
        return _NOTHING
    options = whole.get("compilerOptions", {}) if isinstance(whole, dict) else {}
    if not isinstance(options, dict):
        return _NOTHING
    base, names, extends = options.get("baseUrl"), options.get("paths"), whole.get("extends")
    lists = None
    if isinstance(names, dict):
        lists = {key: [*map(str, value)] for key, value in names.items() if isinstance(value, list)}
    extended = [extends] if isinstance(extends, str) else _convert_to_list(extends)
    paths = [each.get("path") for each in _convert_to_list(whole.get("references")) if isinstance(each, dict)]
    return _ConfigText(
        base if isinstance(base, str) else None,
        lists,
        tuple(map(str, _convert_to_list(options.get("rootDirs")))),
        str(options.get("moduleResolution", "")).lower(),
        tuple(each for each in extended if str(each)[:1] == "."),
        tuple(each for each in paths if isinstance(each, str)),
        next((bool(options[key]) for key in _VERBATIM if key in options), None),
    )


def _convert_to_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _keep_string(match: re.Match[str]) -> str:
    return match[1] or ""


LANGUAGES = ("javascript", "typescript", "tsx")
SUFFIXES = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
WRITTEN_FOR = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
"""By the suffix of an imported file: the suffixes of files that may be compiled to it."""


def is_script(files: Files, path: str) -> bool:
    """Return True if a file is JavaScript or TypeScript that can be read."""
    lexical = files.lexical(path)
    return lexical is not None and lexical.syntax.language.name in LANGUAGES


def find_module(resolver: Resolver, path: str, specifier: str) -> Module | Elsewhere:
    key = ("module file", posixpath.dirname(path), specifier)
    within: tuple[Module | Elsewhere, ...] = (Elsewhere(specifier),)
    return resolver.compute_once(key, lambda: (_find_uncached(resolver, path, specifier),), within)[0]


def _find_uncached(resolver: Resolver, path: str, specifier: str) -> Module | Elsewhere:
    for place in candidate_paths(resolver, path, specifier):
        found = find_file(resolver.files, posixpath.normpath(place))
        if found is not None:
            return found
    declared = () if specifier.startswith(".") else declared_modules(resolver, specifier)
    return next(iter(declared), None) or Elsewhere(specifier)


def candidate_paths(resolver: Resolver, path: str, specifier: str) -> Iterator[str]:
    """Yield the places that a specifier may mean, best first; they may lack the file extension."""
    files = resolver.files
    if specifier.startswith("."):
        yield posixpath.join(posixpath.dirname(path), specifier)
    yield from configured_paths(files, path, specifier)
    if specifier.startswith("#"):
        yield from internal_paths(resolver, path, specifier)
    if specifier.startswith((".", "#")):
        return
    for folder in _iter_folders(path):
        installed = posixpath.join(folder, "node_modules")
        if files.overlay.entry(installed) is not None:
            yield from (posixpath.join(installed, specifier), posixpath.join(installed, "@types", specifier))
    yield from package_paths(resolver, specifier)


def find_file(files: Files, place: str) -> Module | None:
    """Return the file of a path that may lack its extension."""
    if place.startswith("../"):
        return None
    place = "" if place == "." else place
    stem, suffix = posixpath.splitext(place)
    tried = [
        place,
        *(stem + each for each in WRITTEN_FOR.get(suffix, ())),
        *(place + each for each in SUFFIXES if place),
        *(posixpath.join(place, "index" + each) for each in SUFFIXES),
    ]
    for each in tried:
        lexical = files.lexical(each) if files.is_file(each) else None
        if lexical is not None and lexical.syntax.language.name in LANGUAGES:
            return Module(each, lexical.syntax.language.name)
    goals = ((each, files.resolve_links(each)) for each in tried if each)
    return next((find_file(files, goal) for each, goal in goals if goal != each), None)


_CALLS = (b"define", b"require", b"requirejs")
_FUNCTIONS = ("function_expression", "arrow_function")


def amd_dependencies(call: Node) -> list[Node]:
    """Return the AMD dependencies of a call, in the order of its function's parameters."""
    arguments = nodes.arguments_of(call) if _read_callee(call) in _CALLS else []
    lists = [each for each in arguments[:2] if each.type == "array"]
    is_followed = len(arguments) > 1 and arguments[-1].type in _FUNCTIONS
    return lists[0].named_children if lists and is_followed else []


def is_amd_dependency(string: Node) -> bool:
    call = nodes.parent_of(nodes.parent_of(nodes.parent_of(string, "array"), "arguments"))
    return call is not None and string in amd_dependencies(call)


def amd_export(root: Node) -> Iterator[Node]:
    """Yield the exported value of an AMD module: an object, or the result of its function."""
    for statement in root.named_children:
        call = find_part(statement, 0) if statement.type == "expression_statement" else None
        if call is None or call.type != "call_expression" or _read_callee(call) != b"define":
            continue
        last = next(iter(nodes.arguments_of(call)[-1:]), None)
        if last is not None and last.type == "object":
            yield last
        elif last is not None and last.type in _FUNCTIONS:
            for each in children_of(find_part(last, "body")):
                yield from each.named_children[:1] if each.type == "return_statement" else ()


def _read_callee(call: Node) -> bytes:
    callee = find_part(call, "function")
    return (callee.text or b"") if callee is not None and callee.type == "identifier" else b""


_STATEMENTS = ("import_statement", "export_statement", "import_require_clause")
_LOADING = frozenset(
    {"import", "require", "require.resolve", "import.meta.resolve", "require.resolveWeak", "require.ensure"}
    | {
        f"{tool}.{does}"
        for tool in ("jest", "vi")
        for does in (
            *("mock", "unmock", "doMock", "dontMock", "doUnmock", "setMock"),
            *("requireActual", "requireMock", "importActual", "importMock", "createMockFromModule"),
        )
    }
)
_REFERENCE = re.compile(rb"""///\s*<reference\s+path\s*=\s*(["'])(?P<said>[^"']+)\1""")
_COMMENT_IMPORT = re.compile(rb"""(?:\bimport\(\s*|@import\s[^"'@]*\bfrom\s*)(["'])(?P<said>[^"'\n]+)\1""")
"""``import("./x").T`` in a comment, and ``@import { T } from "./x"``."""
_GLOBS = frozenset({"import.meta.glob", "import.meta.globEager", "import.meta.globEagerDefault"})
_PATTERN_CALLS = frozenset({*_GLOBS, *_LOADING, "require.context"})


class Specifier(NamedTuple):
    """Text and byte span of a reference to a file by another one, without quotation marks."""

    said: str
    start: int
    end: int


_SPECIFIER_PARENTS = frozenset({*_STATEMENTS, "module", "array", "arguments"})


def find_specifiers(resolver: Resolver, path: str) -> tuple[Specifier, ...]:
    """Return the specifiers in a file, in no order."""
    return resolver.lexical(path).syntax.compute_once(_read_specifiers)


def _read_specifiers(syntax: Syntax) -> tuple[Specifier, ...]:
    return tuple(_iter_specifiers(syntax))


def _iter_specifiers(syntax: Syntax) -> Iterator[Specifier]:
    code = syntax.text
    strings, templates, comments = syntax.of_types("string", "template_string", "comment")
    for node in (*strings, *templates):
        if node.parent is None or node.parent.type not in _SPECIFIER_PARENTS:
            continue
        is_named = _is_specifier(code, node)
        if not is_named and not _is_module_url(code, node):
            continue
        specifier = _read_template(code, node)
        if not specifier or "\\" in specifier:
            continue
        if is_named:
            yield _strip_loaders(specifier, node.start_byte + 1)
        elif not _is_directory(specifier):
            yield _make_path_specifier(specifier, node.start_byte + 1)
    for node in comments:
        comment = code[node.start_byte : node.end_byte]
        for pattern, read in ((_REFERENCE, _make_path_specifier), (_COMMENT_IMPORT, _strip_loaders)):
            for found in pattern.finditer(comment):
                written = found["said"].decode("utf-8", "surrogateescape")
                yield read(written, node.start_byte + found.start("said"))


def _strip_loaders(specifier: str, start: int) -> Specifier:
    """Return the specifier without webpack loaders and query: ``raw!./x.html?inline``."""
    head, mark, tail = specifier.rpartition("!")
    name = tail.partition("?")[0]
    start += len((head + mark).encode("utf-8", "surrogateescape"))
    return Specifier(name, start, start + len(name.encode("utf-8", "surrogateescape")))


def _make_path_specifier(specifier: str, start: int) -> Specifier:
    """Return a specifier that is a path even without ``./``."""
    found = _strip_loaders(specifier, start)
    return (
        found
        if specifier.startswith((".", "/")) or ":" in specifier
        else found._replace(said=f"./{found.said}")
    )


def directory_urls(resolver: Resolver, path: str) -> Iterator[Specifier]:
    """Yield the directories that a file names in ``new URL("./x/", import.meta.url)``."""
    lexical = resolver.lexical(path)
    for node in lexical.syntax.of_type("string"):
        url = _read_template(lexical.text, node)
        if _is_directory(url) and not url.startswith("/") and _is_module_url(lexical.text, node):
            yield Specifier(url, node.start_byte + 1, node.end_byte - 1)


def _is_directory(url: str) -> bool:
    return url.endswith("/") or posixpath.basename(url) in (".", "..")


def _is_module_url(code: bytes, node: Node) -> bool:
    """Return True for ``new URL("./x", import.meta.url)``."""
    call = nodes.parent_of(nodes.parent_of(node, "arguments"), "new_expression")
    constructor = find_part(call, "constructor")
    if constructor is None or _read_text(code, constructor) not in ("URL", "window.URL", "self.URL"):
        return False
    arguments = nodes.arguments_of(call)
    base = _read_text(code, arguments[1]) if len(arguments) > 1 else ""
    return base == "import.meta.url" and arguments[0] == node


def is_specifier(resolver: Resolver, path: str, node: Node) -> bool:
    return _is_specifier(resolver.lexical(path).text, node)


def _is_specifier(code: bytes, node: Node) -> bool:
    above = node.parent
    if above is None:
        return False
    if above.type in _STATEMENTS:
        return nodes.is_part(node, "source")
    if above.type == "module":
        return nodes.is_part(node, "name")
    if is_amd_dependency(node):
        return True
    function = find_part(above.parent, "function") if above.type == "arguments" else None
    is_loading = function is not None and _read_text(code, function) in _LOADING
    return is_loading and nodes.without_comments(above)[0] == node


class LoadPattern(NamedTuple):
    """Files that a call loads by a pattern or by a composed name, with ``*`` for unknown parts.

    ``is_exact`` if other code chooses the part for ``*``, so that the names of files matter.
    """

    glob: str
    start: int
    is_exact: bool


def find_load_patterns(resolver: Resolver, path: str) -> Iterator[LoadPattern]:
    """Yield the patterns by which a file loads others, relative to it."""
    for call in resolver.lexical(path).syntax.of_type("call_expression"):
        called = text(resolver, path, find_part(call, "function"))
        if called not in _PATTERN_CALLS:
            continue
        first = next(iter(nodes.arguments_of(call)), None)
        if first is None:
            continue
        if called in _GLOBS:
            for each in first.named_children if first.type == "array" else [first]:
                yield LoadPattern(template_text(resolver, path, each), each.start_byte, is_exact=False)
        elif called == "require.context":
            pattern = template_text(resolver, path, first) + "/**"
            yield LoadPattern(pattern, first.start_byte, is_exact=False)
        elif called in _LOADING:
            yield LoadPattern(wildcard_text(resolver, path, first), first.start_byte, is_exact=True)


def wildcard_text(resolver: Resolver, path: str, node: Node) -> str:
    """Return a template or a sum of strings with ``*`` for its other parts; empty for anything else."""
    if node.type == "template_string":
        inner = node.named_children
        parts = [text(resolver, path, each) if each.type == "string_fragment" else "*" for each in inner]
        return "".join(parts) if "*" in parts else ""
    sides = (find_part(node, side) for side in ("left", "right") if node.type == "binary_expression")
    return "".join(
        template_text(resolver, path, each) or wildcard_text(resolver, path, each) or "*"
        for each in sides
        if each is not None
    )
