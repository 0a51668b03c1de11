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
from gitscalpel.names.nodes import children_of
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import canonical_name

FUNCTIONS = ("function_declaration", "method_definition", "function_expression", "arrow_function")


def text(resolver: Resolver, path: str, node: Node | None) -> str:
    """Return the text of a node, with escapes in names resolved; empty without a node."""
    if node is None:
        return ""
    found = resolver.lexical(path).text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
    return canonical_name(found, "javascript") if node.type.endswith("identifier") else found


def literal(resolver: Resolver, path: str, node: Node | None) -> str:
    """Return the content of a string; empty for other nodes."""
    return text(resolver, path, node)[1:-1] if node is not None and node.type == "string" else ""


def template_text(resolver: Resolver, path: str, node: Node) -> str:
    """Return the content of a string or template; empty if it has more than one piece of text."""
    inner = node.named_children
    is_plain = node.type in ("string", "template_string") and [child.type for child in inner] == [
        "string_fragment"
    ]
    return text(resolver, path, inner[0]) if is_plain else ""


def find_named_node(node: Node) -> Node | None:
    """Return the node that a name or quoted name belongs to: ``x``, ``"x"``, ``["x"]``."""
    return nodes.skip_types(node.parent, "string", "template_string", "computed_property_name")


_ENTRIES = ("source", "types", "module", "main")


def package_paths(resolver: Resolver, specifier: str) -> Iterable[str]:
    """Return the places where a package of the tree may have an imported module."""
    parts = specifier.split("/")
    length = 2 if specifier.startswith("@") else 1
    name, rest = "/".join(parts[:length]), "/".join(parts[length:])
    return resolver.once(("package", specifier), lambda: _places_in_package(resolver, name, rest), ())


def _places_in_package(resolver: Resolver, name: str, rest: str) -> Iterator[str]:
    for path in _files_with_longest_word(resolver, name):
        if posixpath.basename(path) != "package.json":
            continue
        package = _read_package(resolver, path)
        if package.get("name") == name:
            folder = posixpath.dirname(path)
            found = package_targets(package.get("exports"), f"./{rest}" if rest else ".")
            inside = [*found, *([rest] if rest else _entry_paths(package))]
            for each in (*inside, rest):
                yield from (posixpath.join(folder, each), posixpath.join(folder, "src", each))


def is_published(resolver: Resolver, specifier: str) -> bool | None:
    """Return True if a package of the tree exports a name, and None if it does not restrict names."""
    parts = specifier.split("/")
    length = 2 if specifier.startswith("@") else 1
    name, rest = "/".join(parts[:length]), "/".join(parts[length:])
    for path in _files_with_longest_word(resolver, name):
        content = _read_package(resolver, path) if posixpath.basename(path) == "package.json" else {}
        if content.get("name") == name and content.get("exports") is not None:
            return any(True for _ in package_targets(content["exports"], f"./{rest}" if rest else "."))
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
    folder = path
    while folder:
        folder = posixpath.dirname(folder)
        place = posixpath.join(folder, "package.json")
        if resolver.files.is_file(place):
            for target in package_targets(_read_package(resolver, place).get("imports"), specifier):
                yield posixpath.join(folder, target)
            return


def package_targets(table: object, key: str) -> Iterator[str]:
    """Yield the files that a table of a package maps a name to, under any condition.

    A whole name takes precedence over a pattern, and the longest pattern over the others.
    https://nodejs.org/api/packages.html#subpath-patterns
    """
    if not isinstance(table, dict) or not any(each[:1] in (".", "#") for each in table):
        table = {".": table} if table is not None else {}
    if key in table:
        yield from _leaves(table[key], "")
        return
    for pattern in sorted(table, key=len, reverse=True):
        head, star, tail = (pattern, "/", "") if pattern.endswith("/") else pattern.partition("*")
        if star and key.startswith(head) and key.endswith(tail) and len(key) >= len(head) + len(tail):
            rest = key[len(head) : len(key) - len(tail)]
            yield from (each + rest if star == "/" else each for each in _leaves(table[pattern], rest))
            return


def _leaves(value: object, star: str) -> Iterator[str]:
    if isinstance(value, str):
        yield value.replace("*", star)
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each, star)


def _read_package(resolver: Resolver, path: str) -> dict[str, Any]:
    return read_package(resolver.files, path)


def read_package(files: Files, path: str) -> dict[str, Any]:
    """Return the content of a ``package.json``; empty if it does not exist or does not parse."""
    source = files.source(path)
    try:
        content = json.loads(source.text) if source is not None else {}
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _entry_paths(package: dict[str, Any]) -> list[str]:
    return [package[key] for key in _ENTRIES if isinstance(package.get(key), str)]


def package_names(resolver: Resolver, path: str) -> Iterator[str]:
    """Yield the names of the packages around a file that may be imported by such a name."""
    folder, stem = posixpath.dirname(path), posixpath.basename(path).partition(".")[0]
    while True:
        package = _read_package(resolver, posixpath.join(folder, "package.json"))
        name, entries = package.get("name"), _entry_paths(package)
        if isinstance(name, str) and (stem == "index" or any(stem in each for each in entries)):
            yield name
        if not folder:
            return
        folder = posixpath.dirname(folder)


def declared_modules(resolver: Resolver, specifier: str) -> Iterable[Module]:
    """Return the modules of ``declare module "said" { ... }`` in any file."""
    return resolver.once(("declared", specifier), lambda: _find_declared(resolver, specifier), ())


def _find_declared(resolver: Resolver, specifier: str) -> Iterator[Module]:
    for path in _files_with_longest_word(resolver, specifier):
        lexical = resolver.files.lexical(path) if path.endswith((".ts", ".tsx", ".mts", ".cts")) else None
        for node in lexical.syntax.of_type("module") if lexical is not None else ():
            name = node.child_by_field_name("name")
            raw = lexical.text[name.start_byte : name.end_byte] if lexical and name is not None else b""
            if lexical is not None and raw[:1] in (b'"', b"'") and raw[1:-1] == specifier.encode():
                yield Module(path, lexical.syntax.language.name, (node.start_byte, node.end_byte))


def _files_with_longest_word(resolver: Resolver, text: str) -> Iterable[str]:
    words = re.findall(r"\w+", text)
    return resolver.files.holding(max(words, key=len)) if words else ()


_ASIDE = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*[\s\S]*?\*/')
_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_NAMES = ("tsconfig.json", "jsconfig.json")


_VERBATIM = ("verbatimModuleSyntax", "preserveValueImports")
_AMD_RESOLUTION = "classic"
"""Module resolution that searches for bare names in the directories around a file (AMD)."""


class PathConfig(NamedTuple):
    """Module paths of a configuration; all directories and places are those of the tree.

    Attributes:
        base: directory of bare names. None if it is not set.
        names: patterns with at most one ``*``, and the places that they map to.
        roots: directories that are merged.
        around: True if bare names are searched next to a file and in the directories around it.
        verbatim: True if types have to be imported as types.
    """

    base: str | None = None
    names: Mapping[str, list[str]] = {}
    roots: tuple[str, ...] = ()
    around: bool = False
    verbatim: bool = False


def is_verbatim(files: Files, path: str) -> bool:
    config = _nearest_config(files, path)
    return config is not None and config.verbatim


def configured_paths(files: Files, path: str, specifier: str) -> Iterator[str]:
    """Yield the places that a configuration maps an import to, best first."""
    config = _nearest_config(files, path)
    if config is None:
        return
    for pattern, places in config.names.items():
        head, star, tail = pattern.partition("*")
        if specifier == pattern or (star and specifier.startswith(head) and specifier.endswith(tail)):
            middle = specifier[len(head) : len(specifier) - len(tail)]
            yield from (place.replace("*", middle, 1) for place in places)
    if specifier.startswith("."):
        yield from _in_other_roots(config, path, specifier)
        return
    if config.base is not None:
        yield posixpath.join(config.base, specifier)
    yield from nearby_paths(files, path, specifier)


def configured_names(files: Files, path: str) -> Iterator[str]:
    """Yield the names that a configuration maps to a file."""
    config = _nearest_config(files, path)
    for pattern, places in config.names.items() if config is not None else ():
        stem = posixpath.splitext(path)[0]
        if "*" not in pattern and any(each in (path, stem, posixpath.dirname(path)) for each in places):
            yield pattern


def nearby_paths(files: Files, path: str, specifier: str) -> Iterator[str]:
    """Yield the places next to a file and in the directories around it, if its configuration says so."""
    config = _nearest_config(files, path)
    is_searched = config is not None and config.around and not specifier.startswith(".")
    folder = path
    while is_searched and folder:
        folder = posixpath.dirname(folder)
        yield posixpath.join(folder, specifier)


def _in_other_roots(config: PathConfig, path: str, specifier: str) -> Iterator[str]:
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))
    for root in config.roots:
        if place.startswith(root + "/"):
            yield from (other + place[len(root) :] for other in config.roots if other != root)


def _nearest_config(files: Files, path: str) -> PathConfig | None:
    folder = posixpath.dirname(path)
    while True:
        for name in _NAMES:
            place = posixpath.join(folder, name)
            if files.is_file(place):
                return _load_config(files, place, ())
        if not folder:
            return None
        folder = posixpath.dirname(folder)


def _load_config(files: Files, place: str, within: tuple[str, ...]) -> PathConfig:
    """Return the settings of a file on top of those that it extends, or else of those that it references."""
    source = files.source(place) if files.is_file(place) and place not in within else None
    written = _read_config(source.text) if source is not None else _NOTHING
    folder, config = posixpath.dirname(place), PathConfig()
    for each in written.extends:
        further = _load_config(files, _config_path(files, folder, each), (*within, place))
        config = PathConfig(
            config.base if further.base is None else further.base,
            further.names or config.names,
            further.roots or config.roots,
            further.around or config.around,
            further.verbatim or config.verbatim,
        )
    base = config.base if written.base is None else _join_path(folder, written.base)
    names = {
        pattern: [_join_path(folder if written.base is None else str(base), each) for each in places]
        for pattern, places in (written.names or {}).items()
    }
    config = PathConfig(
        base,
        config.names if written.names is None else names,
        tuple(_join_path(folder, each) for each in written.roots) or config.roots,
        written.resolution == _AMD_RESOLUTION if written.resolution else config.around,
        config.verbatim if written.verbatim is None else written.verbatim,
    )
    gathered = (
        _load_config(files, _config_path(files, folder, each), (*within, place))
        for each in written.references
    )
    return config if config != PathConfig() else next((each for each in gathered if each != config), config)


def _join_path(folder: str, relative: str) -> str:
    place = posixpath.normpath(posixpath.join(folder, relative))
    return "" if place == "." else place


def _config_path(files: Files, folder: str, name: str) -> str:
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
    """Return the parsed text of a configuration, which may have comments and trailing commas."""
    plain = _ASIDE.sub(_keep_string, text.decode("utf-8", "replace"))
    try:
        whole = json.loads(_COMMA.sub(_keep_string, plain))
    except ValueError:
        return _NOTHING
    options = whole.get("compilerOptions", {}) if isinstance(whole, dict) else {}
    if not isinstance(options, dict):
        return _NOTHING
    base, names = options.get("baseUrl"), options.get("paths")
    lists = (
        {
            pattern: [str(place) for place in value]
            for pattern, value in names.items()
            if isinstance(value, list)
        }
        if isinstance(names, dict)
        else None
    )
    extends, referred = whole.get("extends"), whole.get("references")
    paths = [each.get("path") for each in _as_list(referred) if isinstance(each, dict)]
    return _ConfigText(
        base if isinstance(base, str) else None,
        lists,
        tuple(str(root) for root in _as_list(options.get("rootDirs"))),
        str(options.get("moduleResolution", "")).lower(),
        tuple(
            each
            for each in ([extends] if isinstance(extends, str) else _as_list(extends))
            if str(each)[:1] == "."
        ),
        tuple(each for each in paths if isinstance(each, str)),
        next((bool(options[key]) for key in _VERBATIM if key in options), None),
    )


def _as_list(value: object) -> list[Any]:
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
    return resolver.once(key, lambda: (_find_uncached(resolver, path, specifier),), within)[0]


def _find_uncached(resolver: Resolver, path: str, specifier: str) -> Module | Elsewhere:
    for place in candidate_paths(resolver, path, specifier):
        found = find_file(resolver.files, posixpath.normpath(place))
        if found is not None:
            return found
    is_path = specifier.startswith(".")
    return next(iter(() if is_path else declared_modules(resolver, specifier)), None) or Elsewhere(specifier)


def candidate_paths(resolver: Resolver, path: str, specifier: str) -> Iterator[str]:
    """Yield the places that a specifier may mean, best first; they may lack the file extension."""
    files, folder = resolver.files, posixpath.dirname(path)
    if specifier.startswith("."):
        yield posixpath.join(folder, specifier)
    yield from configured_paths(files, path, specifier)
    if specifier.startswith("#"):
        yield from internal_paths(resolver, path, specifier)
    if specifier.startswith((".", "#")):
        return
    while True:
        modules = posixpath.join(folder, "node_modules")
        if files.overlay.entry(modules) is not None:
            yield from (posixpath.join(modules, specifier), posixpath.join(modules, "@types", specifier))
        if not folder:
            break
        folder = posixpath.dirname(folder)
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
    arguments = _arguments(call) if _callee_text(call) in _CALLS else []
    lists = [each for each in arguments[:2] if each.type == "array"]
    is_followed = len(arguments) > 1 and arguments[-1].type in _FUNCTIONS
    return lists[0].named_children if lists and is_followed else []


def is_amd_dependency(string: Node) -> bool:
    array = string.parent
    arguments = array.parent if array is not None and array.type == "array" else None
    call = arguments.parent if arguments is not None and arguments.type == "arguments" else None
    return call is not None and string in amd_dependencies(call)


def amd_export(root: Node) -> Iterator[Node]:
    """Yield the exported value of an AMD module: an object, or the result of its function."""
    for statement in root.named_children:
        call = statement.named_children[0] if statement.type == "expression_statement" else None
        if call is None or call.type != "call_expression" or _callee_text(call) != b"define":
            continue
        last = next(iter(_arguments(call)[-1:]), None)
        if last is not None and last.type == "object":
            yield last
        elif last is not None and last.type in _FUNCTIONS:
            for each in children_of(last.child_by_field_name("body")):
                yield from each.named_children[:1] if each.type == "return_statement" else ()


def _callee_text(call: Node) -> bytes:
    callee = call.child_by_field_name("function")
    return (callee.text or b"") if callee is not None and callee.type == "identifier" else b""


def _arguments(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return [] if arguments is None else [each for each in arguments.named_children if each.type != "comment"]


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


class Specifier(NamedTuple):
    """Text and byte span of a reference to a file by another one, without quotation marks."""

    said: str
    start: int
    end: int


def find_specifiers(resolver: Resolver, path: str) -> Iterator[Specifier]:
    """Yield the specifiers in a file, in no order."""
    syntax = resolver.lexical(path).syntax
    for kind in ("string", "template_string"):
        for node in syntax.of_type(kind):
            specifier = template_text(resolver, path, node)
            if specifier and "\\" not in specifier:
                if is_specifier(resolver, path, node):
                    yield _strip_loaders(specifier, node.start_byte + 1)
                elif not _is_directory(specifier) and _is_module_url(resolver, path, node):
                    yield _as_path(specifier, node.start_byte + 1)
    for node in syntax.of_type("comment"):
        text = syntax.text[node.start_byte : node.end_byte]
        for found in _REFERENCE.finditer(text):
            yield _as_path(
                found["said"].decode("utf-8", "surrogateescape"), node.start_byte + found.start("said")
            )
        for found in _COMMENT_IMPORT.finditer(text):
            yield _strip_loaders(
                found["said"].decode("utf-8", "surrogateescape"), node.start_byte + found.start("said")
            )


def _strip_loaders(specifier: str, start: int) -> Specifier:
    """Return the specifier without webpack loaders and query: ``raw!./x.html?inline``."""
    head, mark, tail = specifier.rpartition("!")
    name = tail.partition("?")[0]
    start += len((head + mark).encode("utf-8", "surrogateescape"))
    return Specifier(name, start, start + len(name.encode("utf-8", "surrogateescape")))


def _as_path(specifier: str, start: int) -> Specifier:
    """Return a specifier that is a path even without ``./``."""
    found = _strip_loaders(specifier, start)
    return (
        found
        if specifier.startswith((".", "/")) or ":" in specifier
        else found._replace(said=f"./{found.said}")
    )


def directory_urls(resolver: Resolver, path: str) -> Iterator[Specifier]:
    """Yield the directories that a file names in ``new URL("./x/", import.meta.url)``."""
    for node in resolver.lexical(path).syntax.of_type("string"):
        url = template_text(resolver, path, node)
        if _is_directory(url) and not url.startswith("/") and _is_module_url(resolver, path, node):
            yield Specifier(url, node.start_byte + 1, node.end_byte - 1)


def _is_directory(url: str) -> bool:
    return url.endswith("/") or posixpath.basename(url) in (".", "..")


def _is_module_url(resolver: Resolver, path: str, node: Node) -> bool:
    """Return True for ``new URL("./x", import.meta.url)``."""
    argument_list = node.parent
    call = argument_list.parent if argument_list is not None and argument_list.type == "arguments" else None
    if call is None or argument_list is None or call.type != "new_expression":
        return False
    arguments = [each for each in argument_list.named_children if each.type != "comment"]
    called = text(resolver, path, call.child_by_field_name("constructor"))
    base = text(resolver, path, arguments[1]) if len(arguments) > 1 else ""
    return arguments[0] == node and called in ("URL", "window.URL", "self.URL") and base == "import.meta.url"


def is_specifier(resolver: Resolver, path: str, node: Node) -> bool:
    above = node.parent
    if above is None:
        return False
    if above.type in _STATEMENTS:
        return above.child_by_field_name("source") == node
    if above.type == "module":
        return above.child_by_field_name("name") == node
    if is_amd_dependency(node):
        return True
    if above.type != "arguments" or above.parent is None:
        return False
    first = next(each for each in above.named_children if each.type != "comment")
    return first == node and text(resolver, path, above.parent.child_by_field_name("function")) in _LOADING


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
        called = text(resolver, path, call.child_by_field_name("function"))
        argument_list = call.child_by_field_name("arguments")
        arguments = (
            [each for each in argument_list.named_children if each.type != "comment"]
            if argument_list is not None
            else []
        )
        if not arguments:
            continue
        if called in _GLOBS:
            listed = arguments[0].named_children if arguments[0].type == "array" else arguments[:1]
            for each in listed:
                yield LoadPattern(template_text(resolver, path, each), each.start_byte, is_exact=False)
        elif called == "require.context":
            yield LoadPattern(
                template_text(resolver, path, arguments[0]) + "/**", arguments[0].start_byte, is_exact=False
            )
        elif called in _LOADING:
            yield LoadPattern(
                wildcard_text(resolver, path, arguments[0]), arguments[0].start_byte, is_exact=True
            )


def wildcard_text(resolver: Resolver, path: str, node: Node) -> str:
    """Return a template or a sum of strings with ``*`` for its other parts; empty for anything else."""
    if node.type == "template_string":
        inner = node.named_children
        parts = [text(resolver, path, each) if each.type == "string_fragment" else "*" for each in inner]
        return "".join(parts) if "*" in parts else ""
    if node.type == "binary_expression":
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        return "".join(
            template_text(resolver, path, each) or wildcard_text(resolver, path, each) or "*"
            for each in sides
            if each is not None
        )
    return ""
