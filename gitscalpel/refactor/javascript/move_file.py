"""Update imports, paths and configurations when files move.

A path that a file builds from its own directory (``path.join(__dirname, "w", "job.js")``) is rewritten if all
of its parts, or the first ones, are known.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import tree_sitter

from gitscalpel.changesets.answers import quote_path, remark
from gitscalpel.errors import DoesNotFit
from gitscalpel.names.files import SCRIPT_SUFFIXES, FileMoves, Files, MoveEdits, ScriptFiles
from gitscalpel.names.languages.javascript import modules
from gitscalpel.names.nodes import find_part, iter_ancestors, node_text, strip_wrapping
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor.javascript import module_specifiers
from gitscalpel.text.splice import Splice

_TYPESCRIPT_CONFIG = re.compile(r"(^|/)[tj]sconfig[^/]*\.json$")
_PATH_KEYS = {
    True: frozenset(
        {"baseUrl", "paths", "rootDir", "rootDirs", "typeRoots", "files", "include", "exclude", "extends"}
    ),
    False: frozenset(
        {"main", "module", "types", "typings", "typesVersions", "browser", "react-native", "bin", "man"}
        | {"exports", "imports", "files", "directories", "source", "style", "sass", "svelte", "sideEffects"}
        | {"unpkg", "jsdelivr", "esnext", "es2015", "jsnext:main", "workspaces"}
    ),
}
"""Keys with file names, in a TypeScript configuration (True) and in a ``package.json`` (False)."""
_OTHER_KEYS = frozenset(
    {"scripts", "dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "overrides"}
)
"""Keys of a ``package.json`` without file names."""
_BUILD_FOLDERS = frozenset({"dist", "lib", "build", "out", "esm", "cjs", "es", "umd", "types"})
"""Folders for the output of a build."""


def is_config(path: str) -> bool:
    """Return True for a TypeScript configuration or a ``package.json``."""
    return posixpath.basename(path) == "package.json" or _TYPESCRIPT_CONFIG.search(path) is not None


class _ConfigString(NamedTuple):
    """A string of a configuration."""

    node: tree_sitter.Node
    text: str
    key: str  # outermost key of the value except for ``compilerOptions``, or empty for a key


def _read_config(journey: FileMoves, path: str) -> list[_ConfigString]:
    source = journey.before.source(path)
    try:
        syntax = None if source is None else source.syntax
    except DoesNotFit:
        return []
    nodes = syntax.of_type("string_content") if syntax is not None else ()
    return [_ConfigString(node, node_text(node), _find_outermost_key(node)) for node in nodes]


def rewrite_config(journey: FileMoves, path: str) -> list[Splice]:
    """Return the splices for a configuration that names moved files, or would no longer include them."""
    keys = _PATH_KEYS[_TYPESCRIPT_CONFIG.search(path) is not None]
    folder, now = posixpath.dirname(path), posixpath.dirname(journey.path_after(path))
    found, strings = [], _read_config(journey, path)
    for node, text, key in strings:
        is_path = key in keys or (text.startswith("./") and key and key not in _OTHER_KEYS)
        is_path = is_path or _is_replaced_file(node, text)
        new = _move_path(journey, folder, now, text) if is_path else text
        if new != text:
            new = new.removeprefix("./") if key == "baseUrl" else new  # as TypeScript's own server does
            found.append(Splice(node.start_byte, node.end_byte, new.encode("utf-8", "surrogateescape")))
    return found + list(_include_moved_files(journey, path, strings))


def _is_replaced_file(node: tree_sitter.Node, text: str) -> bool:
    """Return True if a string is a key of ``browser``, the path of a file to be replaced."""
    pair = node.parent.parent if node.parent is not None else None
    if pair is None or pair.type != "pair" or find_part(pair, "key") != node.parent:
        return False
    return text.startswith("./") and _find_outermost_key(pair) == "browser"


def list_built(journey: FileMoves) -> Iterator[str]:
    """Yield notes about outputs in a ``package.json`` that may be built from moved files."""
    sources = {_get_source_parts(path): path for path in journey.files}
    for package in find_nearest_packages(journey):
        rows = dict[str, list[int]]()
        for node, text, key in _read_config(journey, package):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(package), text))
            is_output = key in _PATH_KEYS[False] and "*" not in text and not journey.before.is_file(target)
            path = sources.get(_get_source_parts(target)) if is_output else None
            if path is not None:
                rows.setdefault(path, []).append(node.start_point[0] + 1)
        for path, lines in rows.items():
            words = f"a path that may be built from {quote_path(path)} is left"
            yield remark(words, path=journey.path_after(package), lines=lines, kind="configuration")


def list_unpublished(journey: FileMoves, after: Files) -> Iterator[str]:
    """Yield notes about subpaths that patterns of ``exports`` no longer publish."""
    for place in find_nearest_packages(journey):
        new_place = journey.path_after(place)
        folder, now = posixpath.dirname(place), posixpath.dirname(new_place)
        package, new_package = (
            modules.read_package(journey.before, place),
            modules.read_package(after, new_place),
        )
        for path, to in journey.files.items():
            inside = posixpath.relpath(path, folder or ".")
            for name in modules.published_names(package.get("exports"), inside, _is_target):
                found = modules.package_targets(new_package.get("exports"), name)
                if not any(_is_target(each, posixpath.relpath(to, now or ".")) for each in found):
                    subpath = posixpath.normpath(posixpath.join(str(package.get("name", "")) or ".", name))
                    words = f"{subpath} is no longer published: {quote_path(path)} was its file"
                    lines = [_find_line_of_key(journey, place, "exports")]
                    yield remark(words, path=new_place, lines=lines, kind="configuration")


def _is_target(target: str, path: str) -> bool:
    target = posixpath.normpath(target)
    is_built = target.split("/")[0] in _BUILD_FOLDERS and "." in posixpath.basename(target)
    return target == path or (is_built and _get_source_parts(target) == _get_source_parts(path))


def _find_line_of_key(journey: FileMoves, path: str, key: str) -> int:
    for node, text, _ in _read_config(journey, path):
        pair = node.parent.parent if node.parent is not None else None
        if text == key and pair is not None and find_part(pair, "key") == node.parent:
            return int(pair.start_point[0]) + 1
    return 1


def _get_source_parts(path: str) -> tuple[str, ...]:
    """Return a path without suffix and without source and build folders."""
    stem = posixpath.basename(path).partition(".")[0]
    folders = posixpath.dirname(path).split("/")
    return (*(each for each in folders if each and each != "src" and each not in _BUILD_FOLDERS), stem)


def find_nearest_packages(journey: FileMoves) -> list[str]:
    places = (
        next(filter(journey.before.is_file, _iter_paths_above(path, "package.json")), "")
        for path in journey.files
    )
    return list(dict.fromkeys(filter(None, places)))


def _iter_paths_above(path: str, name: str) -> Iterator[str]:
    while path:
        path = posixpath.dirname(path)
        yield posixpath.join(path, name)


def _include_moved_files(journey: FileMoves, path: str, strings: list[_ConfigString]) -> Iterator[Splice]:
    now = posixpath.dirname(journey.path_after(path))
    for to in _find_excluded(journey, path, strings):
        last = [each.node for each in strings if each.key == "include"][-1].parent
        new = posixpath.relpath(to, now or ".")
        if not new.startswith("../") and last is not None:
            yield Splice(last.end_byte, last.end_byte, f', "{new}"'.encode("utf-8", "surrogateescape"))


def list_excluded(journey: FileMoves) -> Iterator[str]:
    """Yield notes about files that leave the folders of a configuration."""
    for path in find_configs_above(journey):
        for to in _find_excluded(journey, path, _read_config(journey, path)):
            if posixpath.relpath(to, posixpath.dirname(journey.path_after(path)) or ".").startswith("../"):
                yield f"{quote_path(path)}: its include does not contain {quote_path(to)}"


def find_configs_above(journey: FileMoves) -> list[str]:
    """Return the ``tsconfig.json`` files in the folders above moved files."""
    found = (each for path in journey.files for each in _iter_paths_above(path, "tsconfig.json"))
    return [path for path in dict.fromkeys(found) if journey.before.is_file(path)]


def _find_excluded(journey: FileMoves, path: str, strings: list[_ConfigString]) -> list[str]:
    """Return the new paths of files that a configuration includes now, but not after the move."""
    folder, now = posixpath.dirname(path), posixpath.dirname(journey.path_after(path))
    included = [each.text for each in strings if each.key == "include"]
    was = [_get_fixed_part(folder, each) for each in included]
    then = [_get_fixed_part(now, _move_path(journey, folder, now, each)) for each in included]
    return [to for at, to in journey.files.items() if _is_covered(was, at) and not _is_covered(then, to)]


def _get_fixed_part(folder: str, pattern: str) -> str:
    return posixpath.normpath(posixpath.join(folder, pattern.partition("*")[0]))


def _move_path(journey: FileMoves, folder: str, now: str, path: str) -> str:
    """Return a path of a configuration after the move; the path may end in a pattern."""
    head, star, tail = path.partition("*")
    place = posixpath.normpath(posixpath.join(folder, head))
    to, rest = journey.path_after(place), ""
    while to == place and place not in ("", "."):  # files move with their folder
        place, _, last = place.rpartition("/")
        rest = f"/{last}{rest}"
        to = journey.path_after(place)
    if to == place:
        return _move_path_without_suffix(journey, folder, now, path)
    new = posixpath.relpath(to + rest, now or ".")
    return f"{'./' if path.startswith('./') else ''}{new}{'/' if head.endswith('/') else ''}{star}{tail}"


def _move_path_without_suffix(journey: FileMoves, folder: str, now: str, path: str) -> str:
    place = posixpath.normpath(posixpath.join(folder, path))
    for suffix in modules.SUFFIXES if "*" not in path else ():
        to = journey.files.get(place + suffix, "")
        if to.endswith(suffix) and not journey.before.is_file(place):
            new = posixpath.relpath(to.removesuffix(suffix), now or ".")
            return f"{'./' if path.startswith('./') else ''}{new}"
    return path


def _find_outermost_key(node: tree_sitter.Node) -> str:
    """Return the outermost key of a value, ignoring ``compilerOptions``, or an empty string for a key."""
    found = ""
    for inner, above in pairwise((node, *iter_ancestors(node))):
        if above.type == "pair":
            key, value = find_part(above, "key"), find_part(above, "value")
            if key is None or value is None or value.start_byte > inner.start_byte:
                return ""
            name = (key.text or b"")[1:-1].decode("utf-8", "replace")
            found = found if name == "compilerOptions" else name
    return found


def _is_covered(included: list[str], path: str) -> bool:
    return any(each in (".", path) or path.startswith(each + "/") for each in included)


_DIRECTORY_HINT = re.compile(rb"__dirname|__filename|import\.meta\b|fileURLToPath")
_DIRECTORY = re.compile(  # without blanks
    r"(?:path\.)?dirname\((?:__filename|import\.meta\.filename|(?:url\.)?fileURLToPath\(import\.meta\.url\))\)"
    r"|(?:url\.)?fileURLToPath\(newURL\((?P<quote>[\"'])\./?(?P=quote),import\.meta\.url\)\)"
)
_JOIN_FUNCTION = re.compile(r"(?:\w+\.)*(?:join|resolve)")
_TRANSPARENT_TYPES = (
    "parenthesized_expression",
    "as_expression",
    "satisfies_expression",
    "non_null_expression",
)


class DirectoryPaths(NamedTuple):
    """Edits of one file, and the paths that stay."""

    splices: list[Splice]
    left: list[tuple[int, str]]  # offset and reason of each path that stays


class _Base(NamedTuple):
    """An expression that is a path in the tree."""

    node: tree_sitter.Node
    place: str  # path before the move
    now: str  # value of the unchanged expression after the move
    goal: str  # new path of the file or folder


class _Written(NamedTuple):
    """The known part of a path after a base."""

    path: str  # path relative to the base
    start: int  # byte range to replace
    end: int
    parts: int  # number of strings in the part, or 0 for a piece of a longer text
    rest: str  # pattern of the remaining path, or empty
    whole: tree_sitter.Node  # expression of the whole path


def follow_directory_paths(journey: FileMoves, resolver: Resolver, path: str) -> DirectoryPaths:
    """Return the edits of paths that start at a file's own directory, and the paths that stay."""
    if not _DIRECTORY_HINT.search(resolver.lexical(path).text):
        return DirectoryPaths([], [])
    return _Follower(journey, resolver, path).follow()


class _Follower:
    """Rewriter for the paths of one file."""

    def __init__(self, journey: FileMoves, resolver: Resolver, path: str) -> None:
        self._journey, self._resolver, self._path = journey, resolver, path
        self._syntax = resolver.lexical(path).syntax
        self._found = DirectoryPaths([], [])

    def follow(self) -> DirectoryPaths:
        self._found.splices.extend(self._iter_url_edits())
        waiting, seen = list(self._iter_roots()), set[int]()
        while waiting:
            base = waiting.pop()
            if base.node.id not in seen:
                seen.add(base.node.id)
                waiting += self._iter_uses(base)
        return DirectoryPaths(sorted(set(self._found.splices)), sorted(set(self._found.left)))

    def _iter_roots(self) -> Iterator[_Base]:
        place = posixpath.dirname(self._path)
        now, goal = posixpath.dirname(self._journey.path_after(self._path)), self._journey.place_after(place)
        declared = self._find_declarations("__dirname")
        is_own = not all(self._is_directory(find_part(each, "value")) for each in declared)
        for node in (
            *self._syntax.of_type("identifier"),
            *self._syntax.of_type("member_expression"),
            *self._syntax.of_type("call_expression"),
        ):
            text = self._read_text(node) if node.type != "call_expression" else ""
            if (
                (text == "__dirname" and not is_own and not _is_declared(node))
                or text == "import.meta.dirname"
                or (node.type == "call_expression" and self._is_directory(node))
            ):
                yield _Base(node, place, now, goal)

    def _is_directory(self, node: tree_sitter.Node | None) -> bool:
        is_short = node is not None and node.end_byte - node.start_byte < 200
        return is_short and _DIRECTORY.fullmatch(re.sub(r"\s", "", self._read_text(node))) is not None

    def _iter_url_edits(self) -> Iterator[Splice]:
        folder = posixpath.dirname(self._path)
        now = posixpath.dirname(self._journey.path_after(self._path))
        for each in modules.directory_urls(self._resolver, self._path):
            place = _normalise(posixpath.join(folder, each.said))
            target = self._journey.place_after(place)
            if not place.startswith("..") and _normalise(posixpath.join(now, each.said)) != target:
                new = posixpath.relpath(target or ".", now or ".")
                new = new if new.startswith(".") else f"./{new}"
                yield Splice(each.start, each.end, f"{new}/".encode("utf-8", "surrogateescape"))

    def _iter_uses(self, base: _Base) -> Iterator[_Base]:
        """Yield the paths and uses that an expression leads to."""
        node = strip_wrapping(base.node, *_TRANSPARENT_TYPES)
        above = node.parent
        written = self._read_path(node)
        if written is not None:
            yield from self._rewrite_part(base, written)
            return
        if above is not None and above.type == "variable_declarator" and _is_field(above, "value", node):
            name = find_part(above, "name")
            is_only = name is not None and len(self._find_declarations(self._read_text(name))) == 1
            if name is not None and name.type == "identifier" and is_only:
                yield from (base._replace(node=each) for each in self._iter_mentions(name))
                return
        if base.now != base.goal:
            expression = re.sub(r"\s+", " ", self._read_text(node))
            self._note_left(node.start_byte, expression, "it is now another directory")

    def _read_path(self, node: tree_sitter.Node) -> _Written | None:
        above = node.parent
        if above is None:
            return None
        if above.type == "arguments" and above.parent is not None:
            return self._read_join(node, above, above.parent)
        if above.type == "binary_expression" and _is_field(above, "left", node):
            return self._read_sum(above)
        if above.type == "template_substitution" and above.parent is not None:
            return self._read_template(above, above.parent)
        return None

    def _read_join(
        self, node: tree_sitter.Node, arguments: tree_sitter.Node, call: tree_sitter.Node
    ) -> _Written | None:
        paths = [each for each in arguments.named_children if each.type != "comment"]
        called = self._read_text(call.child_by_field_name("function"))
        if paths[0].id != node.id or not _JOIN_FUNCTION.fullmatch(called):
            return None
        known = list[tree_sitter.Node]()
        for each in paths[1:]:
            if not self._read_literal(each) or (
                called.endswith("resolve") and self._read_literal(each).startswith("/")
            ):
                break
            known.append(each)
        rest = "/".join(self._read_pattern(each) for each in paths[1 + len(known) :])
        start = known[0].start_byte if known else node.end_byte
        end = known[-1].end_byte if known else node.end_byte
        return _Written("/".join(map(self._read_literal, known)), start, end, len(known), rest, call)

    def _read_sum(self, added: tree_sitter.Node) -> _Written | None:
        """Read ``base + "/a"`` with any further operands."""
        right, operator = added.child_by_field_name("right"), added.child_by_field_name("operator")
        if right is None or operator is None or operator.type != "+":
            return None
        piece, whole = self._read_literal(right), added
        pattern = "" if piece else self._read_pattern(right)
        while whole.parent is not None and whole.parent.type == "binary_expression":
            if not _is_field(whole.parent, "left", whole):
                break
            whole = whole.parent
            pattern += self._read_pattern(whole.child_by_field_name("right"))
        return self._read_piece(piece, right.start_byte + 1, pattern, whole)

    def _read_template(self, first: tree_sitter.Node, template: tree_sitter.Node) -> _Written | None:
        inner = template.named_children
        if inner[0].id != first.id or template.type != "template_string":
            return None
        piece = self._read_text(inner[1]) if len(inner) > 1 and inner[1].type == "string_fragment" else ""
        others = inner[2:] if piece else inner[1:]
        pattern = "".join(self._read_text(each) if each.type == "string_fragment" else "*" for each in others)
        start = inner[1].start_byte if piece else first.end_byte
        return self._read_piece(piece, start, pattern, template)

    def _read_piece(self, piece: str, start: int, rest: str, whole: tree_sitter.Node) -> _Written | None:
        """Return a text after a base; the part after its last slash belongs to the unknown rest."""
        if (piece and not piece.startswith("/")) or "\\" in piece:
            return None
        known = piece[: piece.rfind("/")] if rest and piece else piece
        pattern = piece[len(known) + 1 :] + rest if rest else ""
        first = start + 1 if known else start
        end = start + len(known.encode("utf-8", "surrogateescape"))
        return _Written(known[1:], first, max(first, end), 0, pattern, whole)

    def _rewrite_part(self, base: _Base, written: _Written) -> Iterator[_Base]:
        """Rewrite the known part of a path, and yield the whole path if it is known."""
        place = _normalise(posixpath.join(base.place, written.path))
        if place.startswith(".."):
            if base.place != base.now:
                self._note_left(written.start, written.path, "it is a place outside the repository")
            return
        target = self._find_target(place, is_whole=not written.rest)
        if target is None:
            self._note_left(written.start, written.path, "its new path cannot be determined")
            return
        now = _normalise(posixpath.join(base.now, written.path))
        if now != target and not written.path:
            self._note_left(written.start, self._format_expression(base), "it is now another directory")
        elif now != target:
            self._found.splices.append(self._rewrite_path(base, written, target))
        if written.rest:
            self._check_pattern(written, place)
        else:
            yield _Base(written.whole, place, target, target)

    def _rewrite_path(self, base: _Base, written: _Written, target: str) -> Splice:
        new = posixpath.relpath(target or ".", base.now or ".")
        if written.path.startswith("./") and not new.startswith("."):
            new = f"./{new}"
        if written.path.endswith("/"):
            new += "/"
        if written.parts:
            text = self._syntax.text
            quote = text[written.start : written.start + 1].decode()
            parts = new.split("/") if written.parts > 1 else [new]
            new = ", ".join(f"{quote}{each}{quote}" for each in parts if each)
        return Splice(written.start, written.end, new.encode("utf-8", "surrogateescape"))

    def _find_target(self, place: str, *, is_whole: bool) -> str | None:
        """Return the new path, without suffix if the old one has none."""
        journey = self._journey
        if journey.before.overlay.entry(place) is not None or not is_whole:
            return journey.place_after(place)
        stem, ending = posixpath.splitext(place)
        compiled = [(stem + each, each, ending) for each in modules.WRITTEN_FOR.get(ending, ())]
        left_out = [(place + each, each, "") for each in modules.SUFFIXES]
        for file, suffix, written_suffix in (*compiled, *left_out):
            if journey.before.is_file(file):
                to = journey.target_after(file)
                return to.removesuffix(suffix) + written_suffix if to.endswith(suffix) else None
        return journey.place_after(place)

    def _check_pattern(self, written: _Written, place: str) -> None:
        """Report a computed path that may lead to a moved file."""
        if not written.path and not written.rest.strip("*/"):
            return
        glob = posixpath.join(place, written.rest)
        matcher = re.compile(re.escape(glob).replace(r"\*", "[^/]*"))
        for old, to in self._journey.files.items():
            is_beside = posixpath.dirname(old) == posixpath.dirname(to)
            is_kept = not is_beside and self._journey.place_after(place) != place
            if matcher.fullmatch(old) and not is_kept:
                self._note_left(written.start, glob, f"it may name {quote_path(old)}")
                return

    def _note_left(self, start: int, path: str, why: str) -> None:
        self._found.left.append((start, f"{path} is left: {why}"))

    def _format_expression(self, base: _Base) -> str:
        return re.sub(r"\s+", " ", self._read_text(base.node))

    def _read_literal(self, node: tree_sitter.Node | None) -> str:
        literal = modules.template_text(self._resolver, self._path, node) if node is not None else ""
        return "" if "\\" in literal else literal

    def _read_pattern(self, node: tree_sitter.Node | None) -> str:
        if node is None:
            return "*"
        return self._read_literal(node) or modules.wildcard_text(self._resolver, self._path, node) or "*"

    def _read_text(self, node: tree_sitter.Node | None) -> str:
        return modules.text(self._resolver, self._path, node)

    def _find_declarations(self, name: str) -> list[tree_sitter.Node]:
        found = self._syntax.of_type("variable_declarator")
        return [node for node in found if self._read_text(find_part(node, "name")) == name]

    def _iter_mentions(self, name: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
        word = self._read_text(name)
        for node in self._syntax.of_type("identifier"):
            if node.id != name.id and self._read_text(node) == word and not _is_declared(node):
                yield node


def _is_declared(node: tree_sitter.Node) -> bool:
    above = node.parent
    return above is not None and above.type == "variable_declarator" and _is_field(above, "name", node)


def _is_field(above: tree_sitter.Node, field: str, node: tree_sitter.Node) -> bool:
    return find_part(above, field) == node


def _normalise(place: str) -> str:
    place = posixpath.normpath(place or ".")
    return "" if place == "." else place


_PATTERN_LOADING = re.compile(
    rb"""meta\.(?:glob|dirname|filename|url)|__(?:dir|file)name|require\.context|\b(?:import|require)\(\s*(?:/\*[^*]*\*/\s*)?(?:`[^`]*\$\{|["'][^"'\n]*["']\s*\+)"""
)


def follow(journey: FileMoves) -> MoveEdits:
    """Return the edits of moved files and of all files that name them."""
    paths = list(dict.fromkeys(_iter_affected(journey)))
    splices = {path: rewrite_config(journey, path) for path in paths if is_config(path)}
    after_move = _apply_edits(journey, splices)
    before, after = (
        Resolver(ScriptFiles(files.overlay, files.read), dialect) for files in (journey.before, after_move)
    )
    moving = module_specifiers.SpecifierMove(journey, before, after)
    notes = [*list_excluded(journey), *list_built(journey), *list_unpublished(journey, after_move)]
    for path in paths:
        if not modules.is_script(before.files, path):
            continue
        splices[path] = []
        new_path = quote_path(journey.path_after(path))
        for each in modules.find_specifiers(before, path):
            new = module_specifiers.rewrite_specifier(moving, path, each.said)
            if new is None:
                is_published = modules.is_published(before, each.said)
                why = "its package publishes it" if is_published else "its new path cannot be determined"
                notes.append(f"{new_path}:{before.line(path, each.start)}: {each.said} is left: {why}")
            elif new != each.said:
                splices[path].append(Splice(each.start, each.end, new.encode("utf-8", "surrogateescape")))
        notes += _list_broken_patterns(journey, before, path)
        located = follow_directory_paths(journey, before, path)
        splices[path] += located.splices
        notes += (f"{new_path}:{before.line(path, start)}: {words}" for start, words in located.left)
    return MoveEdits({path: edits for path, edits in splices.items() if edits}, notes)


def _list_broken_patterns(journey: FileMoves, resolver: Resolver, path: str) -> Iterator[str]:
    new_path = journey.path_after(path)
    for each in modules.find_load_patterns(resolver, path):
        if not each.glob.startswith("."):
            continue
        was, now = (_compile_pattern(file, each.glob) for file in (path, new_path))
        gone = [old for old, to in journey.files.items() if was.fullmatch(old) and not now.fullmatch(to)]
        changed = [old for old, to in journey.files.items() if each.is_exact and was.fullmatch(old)]
        for old in (changed or gone)[:1]:
            place = f"{quote_path(new_path)}:{resolver.line(path, each.start)}"
            yield f"{place}: {each.glob} is left: it loads {quote_path(old)} by a pattern"


def _compile_pattern(path: str, glob: str) -> re.Pattern[str]:
    """Return an expression for the paths that a pattern may match, with or without suffix."""
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), glob))
    text = re.escape(whole).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return re.compile(text + r"(\.\w+)?")


def _iter_affected(journey: FileMoves) -> Iterator[str]:
    yield from journey.files
    yield from find_configs_above(journey)
    yield from find_nearest_packages(journey)
    yield from _iter_pattern_loaders(journey)
    for subject in journey.subjects:
        head, _, last = subject.rpartition("/")
        if subject in journey.files and last.startswith("index."):
            yield from journey.before.overlay.under(head)  # specifiers may be "." or ".."
            last = head.rpartition("/")[2]
        words = re.findall(r"\w+", posixpath.splitext(last)[0])
        if words:
            yield from journey.before.holding(max(words, key=len))


def _iter_pattern_loaders(journey: FileMoves) -> Iterator[str]:
    for folder in {posixpath.dirname(path) for path in journey.files}:
        neighbours = [
            path for path in journey.before.overlay.under(folder) if posixpath.dirname(path) == folder
        ]
        words = re.findall(r"\w+", posixpath.basename(folder))
        for path in (*neighbours, *(journey.before.holding(max(words, key=len)) if words else ())):
            is_script = path.endswith((*modules.SUFFIXES, *SCRIPT_SUFFIXES))
            source = journey.before.source(path) if is_script else None
            if source is not None and _PATTERN_LOADING.search(source.text):
                yield path


def _apply_edits(journey: FileMoves, splices: dict[str, list[Splice]]) -> Files:
    files = journey.after
    for path, edits in splices.items():
        files = files.with_splices(journey.path_after(path), edits)
    return files
