"""The definition moves: out of one file, into another, with what it needs and what names it."""

from __future__ import annotations

from collections.abc import Iterator

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.operations import Delete
from gitscalpel.edit.apply.changeset_fold import apply
from gitscalpel.errors import DoesNotFit
from gitscalpel.errors.messages import arg, place
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import fixtures, modules, stubs
from gitscalpel.meaning.python.import_run import Failure
from gitscalpel.meaning.python.import_scopes import needs_platform
from gitscalpel.meaning.python.importing import offered, statements
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Place
from gitscalpel.meaning.python.moving import (
    addressed,
    annotation_text,
    checking,
    clashing,
    companions,
    deferral,
    early,
    exported,
    following,
    itself,
    needs,
    qualified,
    rebound,
    registration,
    requested,
    spelling,
    unindented,
)
from gitscalpel.meaning.python.moving.cycle_repair import MovedDefinition
from gitscalpel.meaning.python.moving.import_order import ImportOrder
from gitscalpel.meaning.references import Reference, References, references
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


class Moving:
    """One definition on its way.

    Args:
        files: of the tree.
        path: of the file in which it is.
        address: of the definition there.
        to: the path of the file in which it will be.
        may_search: True if a refusal may look for what could move along.
        is_twin: True if the file is a stub whose module has been moved already: only stubs change.

    Attributes:
        found: its references, as they are before.
        resolver: what has found them.

    Raises:
        DoesNotFit: ``symbol_not_found``, …; ``kind_mismatch``: it is not at the top level.
    """

    def __init__(
        self,
        files: Files,
        path: str,
        address: str,
        to: str,
        *,
        may_search: bool = True,
        is_twin: bool = False,
    ) -> None:
        self._files, self._path, self._to = files, path, to
        self._may_search, self._is_twin = may_search, is_twin
        self._address, self._symbol = addressed.found(files, path, address)
        self._overloads = addressed.overloads(files, path, self._symbol)
        self.resolver = Resolver(files, dialect)
        root = self.resolver.lexical(path).syntax.root
        self._own = Binding(path, (root.start_byte, root.end_byte), "module", self._symbol.name)
        self._all = references(self.resolver, {self._own})
        self.found: References = requested.others(self.resolver, self._all, self._own, to)
        span = self._span
        self._bare = itself.bare(self.resolver, path, span, to)
        self._named = [n for n in needs.names(self.resolver, path, span) if n != self._symbol.name]
        kept = {name for name, at in needs.uses(self.resolver, path, span) if not self._is_cut(at)}
        self._needed = [name for name in self._named if name in kept]
        _refuse_platform(files, to, *([path] if self._needed else []))
        self._imported = statements.read(root, self.resolver.lexical(path).text)
        self._checked = checking.read(Place.of(files, path))
        mine = [each for each in self.found.certain if each.path == path]
        self._given = rebound.places(mine, path, span)
        self._set = rebound.set_by_others(self.found.certain, path)
        self._order = ImportOrder(files, path, MovedDefinition(to, self._symbol.name))
        self._by_names = False
        self._unregistered: str | None = None
        self._undeclared: str | None = None
        _refuse_relative(self._symbol, path, to)
        self._stays = [r for r in mine if r.kind != "definition" and not span[0] <= r.mention.start < span[1]]

    def done(self) -> Files:
        """The files afterwards.

        Raises:
            DoesNotFit: ``duplicate_symbol``: its name, or one that it needs, is something else there;
                ``kind_mismatch``: it, or what it needs, is given values that it would not have there.
        """
        by_path: dict[str, list[Reference]] = {}
        for each in self.found.certain:
            by_path.setdefault(each.path, []).append(each)
        is_alone = len(by_path) == 1 and addressed.is_unconditional(self._symbol)
        rebound.refuse(self._given, self.resolver, self._span, is_any_fit=is_alone)
        rebound.refuse_filled(self.resolver, self._path, self._stays, self._symbol)
        rebound.refuse_global(self.resolver, self._path, self._span, self._symbol.name)
        there = by_path.pop(self._to, [])
        del by_path[self._path]
        if self._is_twin:
            return self._attempt(there, {})
        if stubs.declares(self._files, self._path + "i", self._symbol.name):
            by_path.pop(self._path + "i", None)
        order = self._order
        if self._is_mutual:
            files = self._attempt(there, by_path)
            if not order.all_failures(files):
                return self._finished(order, files)
            self._by_names = True
        return self._settled(order, there, by_path)

    def _settled(
        self, order: ImportOrder, there: list[Reference], by_path: dict[str, list[Reference]]
    ) -> Files:
        """The files afterwards, with every import where it comes in time."""
        attempt = self._attempt(there, by_path)
        files, failures = order.settle(attempt, may_search=self._may_search)
        if failures:
            raise self._too_early(failures)
        return self._finished(order, files)

    def _finished(self, order: ImportOrder, files: Files) -> Files:
        """The files afterwards, if each name means what it has meant."""
        files = self._registered(order, files)
        clashing.refuse_changed(self.resolver, self._all, files, self._path, self._to)
        return self._declared(files)

    def _declared(self, files: Files) -> Files:
        """The files in which the stub of the new module declares the definition."""
        old, new, name = self._path + "i", self._to + "i", self._symbol.name
        is_declared = stubs.declares(files, old, name)
        if not files.is_file(new):
            if is_declared:
                self._undeclared = f"{quoted(old)}: it still declares {name}, as {quoted(new)} is not there"
        elif not is_declared:
            self._undeclared = f"{quoted(new)}: it does not declare {name}"
        else:
            try:
                return Moving(files, old, name, new, is_twin=True).done()
            except DoesNotFit as error:
                self._undeclared = f"{quoted(old)}: it still declares {name}: {error.message}"
        return files

    def _registered(self, order: ImportOrder, files: Files) -> Files:
        """The files in which the old module has the new one run, if that registers the definition."""
        if fixtures.is_one(self.resolver, self._own):  # pytest finds it by its name
            return files
        node = self._symbol.own
        node = node.child_by_field_name("definition") or node
        why = registration.reason(order.run(self._files, self._path), self._path, node)
        if why is None or self._to in order.run(files, self._path).loaded:
            return files
        by_name = self._symbol.name if registration.is_by_name(node) else None
        wanted = registration.spell_import(files, self._path, self._to, by_name)
        if wanted is not None:
            found = registration.import_after(self._path, node, files, wanted)
            if not order.failures(found):
                return found
        self._unregistered = why
        return files

    def _attempt(self, there: list[Reference], by_path: dict[str, list[Reference]]) -> Files:
        """The files afterwards, with every import at the top."""
        files = self._out_of(self._into(there))
        if not self._uses or self._is_through:  # else it still has the name
            files = exported.moved(files, self._path, self._to, self._symbol.name)
        is_taken = self._is_taken(by_path) and not self._symbol.name.startswith("_")
        if exported.is_public(self.resolver, self._own, self._to, is_taken=is_taken):
            files = exported.listed(files, self._to, self._symbol.name)
        files = following.keep_starred(self.resolver, self._own, files, self._to)
        # Packages come first: what they go on passing on stays theirs in other files.
        for path, places in sorted(by_path.items(), key=lambda each: not each[0].endswith("/__init__.py")):
            files = following.follow(files, path, places, self._path, self._to)
        return files

    def _too_early(self, failures: list[Failure]) -> DoesNotFit:
        """The refusal of a move after which a file cannot be imported."""
        first = failures[0]
        where = f"{quoted(first.path)}:{first.line}"
        whose = "" if first.source == first.path else f" of {quoted(first.source)}"
        said = f"{where} would need {first.name}{whose} before it is there, when that is imported"
        if not first.chain:
            said = f"{where} would need {first.name}, and may be called before it is there"
        hint = "choose another file, or move what both need to a third one first"
        own = self._symbol.name
        others = companions.find(self._files, self._path, own, self._can_move) if self._may_search else []
        if others:
            names = ", ".join(others)
            hint = f"move {names} to {place(self._to)} as well: {arg('companions', names)}"
        return DoesNotFit("import_cycle", said, hint)

    def _can_move(self, names: list[str]) -> bool:
        """Whether definitions of the file can move where this one goes, one after the other."""
        files = self._files
        try:
            for name in names:
                files = Moving(files, self._path, name, self._to, may_search=False).done()
        except DoesNotFit:
            return False
        return True

    def unlisted(self, after: Files) -> Iterator[str]:
        """What its new module does not say of it, in words."""
        if offered.leaves_out(after, self._to, self._symbol.name):
            yield f"{quoted(self._to)}: __all__ does not list {self._symbol.name}"
        if self._undeclared is not None:
            yield self._undeclared
        if self._unregistered is not None:
            where = f"{quoted(self._path)} does not import {quoted(self._to)}"
            why = f"{self._unregistered} may register {self._symbol.name} later than before, or never"
            yield f"{where}: {why}"
        yield from self._order.list_lost(after)
        yield from annotation_text.list_changed(self._files, self._path, after, self._to, self._symbol.name)
        for each in self._set if self._uses and not self._is_through else ():
            where = f"{quoted(each.path)}:{self.resolver.line(each.path, each.mention.start)}"
            keeps = f"{quoted(self._path)} keeps what it imports"
            yield f"{where}: {self._symbol.name} is replaced there, and {keeps}"

    @property
    def _span(self) -> tuple[int, int]:
        first = self._overloads[0] if self._overloads else self._symbol
        return first.outer, self._symbol.end

    @property
    def _fill(self) -> str | None:
        """What its branch has instead, if it has nothing else."""
        block = self._symbol.own.parent
        if block is not None and block.type == "decorated_definition":
            block = block.parent
        others = (
            [each for each in block.named_children if each.type != "comment"] if block is not None else []
        )
        return "pass" if block is not None and block.type == "block" and len(others) == 1 else None

    def _is_cut(self, at: int) -> bool:
        """Whether what stands at a byte is not said where the definition goes."""
        return any(each.start <= at < each.end for each in self._bare)

    @property
    def _is_mutual(self) -> bool:
        """Whether both files need the other: then they import modules, not names that are not there yet."""
        if self._is_for_type_checkers:
            return False
        return not self._by_names and bool(self._uses) and any(self._is_own(name) for name in self._needed)

    @property
    def _is_for_type_checkers(self) -> bool:
        """True if only type checkers see the definition (``if TYPE_CHECKING:``)."""
        return deferral.is_for_type_checkers(self._symbol.own)

    @property
    def _is_through(self) -> bool:
        """Whether its file names it through its module from then on."""
        is_changing = bool(self._given) or (bool(self._set) and self._symbol.kind == "variable")
        return self._is_mutual or is_changing

    @property
    def _uses(self) -> list[Reference]:
        """Where the file itself goes on using the definition; a name in a list of exports is none."""
        return [each for each in self._stays if each.kind == "use" and each.mention.role != "string"]

    @property
    def _quoted(self) -> list[Reference]:
        """Where the file names the definition for type checkers, in a string."""
        strings = [each for each in self._stays if each.kind == "use" and each.mention.role == "string"]
        return [each for each in strings if not deferral.is_listed(each.mention.node)]

    def _is_taken(self, others: dict[str, list[Reference]]) -> bool:
        """Whether any other file names it, once it has moved."""
        return bool(self._uses) or bool(others)

    def _is_own(self, name: str) -> bool:
        """Whether the module defines it, and does not just import it."""
        imported = (*self._imported, *self._checked)
        return not any(each.bound == name for statement in imported for each in statement.names)

    def _into(self, there: list[Reference]) -> Files:
        """The other file with the definition behind its own ones, and with what it needs."""
        files = self._files.with_file(self._to)
        _refuse_defined(files, self._to, self._symbol.name)
        files = qualified.bare(files, self._to, there, self._path)
        here = Place.of(self._files, self._path)
        there_now = Place.of(files, self._to)
        style = spelling.style(statements.read(there_now.root, there_now.text) or self._imported)
        there_too = (self._to, style)
        checked = {each.bound for statement in self._checked for each in statement.names}
        checked -= {each.bound for statement in self._imported for each in statement.names}
        needed = [name for name in self._needed if name not in checked]
        own = {name for name in self._needed if self._is_own(name)}
        if not self._is_mutual:
            own = rebound.changing(self.resolver, self._path, own)
        module = spelling.dotted(self._files, self._path, self._to)
        through = qualified.through(self.resolver, self._path, self._span, own, module)
        margins = unindented.margins(self.resolver.lexical(self._path).syntax, self._span)
        text = _respelled(here.text, self._span, [*self._bare, *through, *margins])
        wanted = [each for n in needed for each in needs.wanted(here, n, self._imported, there_too, text)]
        if own:
            wanted = [each for each in wanted if each.bound not in own] + [Wanted(None, module, None)]
        text = self._under_own_names(files, wanted, text)
        wanted += needs.starred(self.resolver, self._path, self._span, there_too)
        wanted = [each for each in wanted if not _is_of(files, self._to, each)]
        wanted, text = self._under_aliases(wanted, text)
        clashing.refuse(self.resolver, self._path, self._to, wanted)
        typed_names = [n for n in self._needed if n in checked]
        typed = [each for n in typed_names for each in needs.wanted(here, n, self._checked, there_too, text)]
        typed = [each for each in typed if not _is_of(files, self._to, each)]
        if self._is_for_type_checkers:
            return checking.defined(files, self._to, text, [*wanted, *typed])
        for each in wanted:
            files = following.brought(files, self._to, each)
        files = checking.brought(files, self._to, typed)
        after = Place.of(files, self._to)
        put = early.put(after, text, self._symbol.name)
        files = files.with_text(self._to, splice.apply(after.text, [put]))
        span = put.start, put.start + len(put.new)
        return annotation_text.keep_as_text(self._files, self._path, files, self._to, span)

    def _without(self, files: Files) -> Files:
        """The file without the definition and its overloads."""
        for address in (
            self._address,
            *(f"{self._symbol.name}#{at}" for at in range(len(self._overloads), 0, -1)),
        ):
            files = _without(files, self._path, address, fill=self._fill)
        return files

    def _under_own_names(self, files: Files, wanted: list[Wanted], text: bytes) -> bytes:
        """The definition with what the other file defines under the name that it has there."""
        for each in wanted:
            if each.alias not in (None, each.name) and _is_of(files, self._to, each):
                text = qualified.renamed(text, each.bound, each.name)
        return text

    def _under_aliases(self, wanted: list[Wanted], text: bytes) -> tuple[list[Wanted], bytes]:
        """Return the imports, with an alias for a name that the other file has already, and the text."""
        files = self._files.with_file(self._to)
        there = Place.of(files, self._to).text
        found: list[Wanted] = []
        in_strings = self._quoted_names
        for each in wanted:
            if clashing.is_equal_type_variable(self.resolver, self._path, self._to, each.bound):
                continue
            is_plain = each.module is not None and each.alias is None and each.bound not in in_strings
            if is_plain and clashing.is_taken(self.resolver, self._path, self._to, each):
                alias = clashing.known_alias(files, self._to, each)
                alias = alias or clashing.free_alias(each.name, there + text)
                text = qualified.renamed(text, each.bound, alias)
                found.append(each._replace(alias=alias))
            else:
                found.append(each)
        return found, text

    @property
    def _quoted_names(self) -> set[str]:
        """What the definition names in strings, as types."""
        lexical = self.resolver.lexical(self._path)
        found = needs.uses(self.resolver, self._path, self._span)
        return {name for name, at in found if lexical.mentions.at(name, at).role != "use"}

    def _out_of(self, files: Files) -> Files:
        """The file without the definition, and with what still names it."""
        path, name, uses = self._path, self._symbol.name, self._uses
        if self._is_through and (uses or self._given):
            module = spelling.dotted(files, self._to, path)
            files = qualified.prefixed(files, path, [*uses, *self._given], module)
            files = following.brought(self._without(files), path, Wanted(None, module, None))
        else:
            files = self._without(files)
            if uses or self._quoted:
                module = spelling.like(files, path, self._to, spelling.style(self._imported))
                wanted = Wanted(module, name, None)
                files = (
                    following.brought(files, path, wanted)
                    if uses and not self._is_for_type_checkers
                    else checking.brought(files, path, [wanted])
                )
        return following.without_unused(files, path, self._named)


def _refuse_platform(files: Files, *paths: str) -> None:
    """Refuse a file that can be imported on some systems alone, and another one with it."""
    for path in paths:
        lexical = files.lexical(path)
        if lexical is not None and needs_platform(lexical.syntax.root):
            raise DoesNotFit(
                "kind_mismatch",
                f"{path} cannot be imported everywhere, as an assertion at its top level says",
                "choose files that can be imported on the same systems",
            )


def _refuse_relative(symbol: Symbol, path: str, to: str) -> None:
    """Refuse a definition with a relative import in it that would mean another package in another folder."""
    if path.rpartition("/")[0] == to.rpartition("/")[0]:
        return
    waiting = [symbol.own]
    while waiting:
        node = waiting.pop()
        if node.type == "relative_import":
            said = (node.text or b"").decode("utf-8", "replace")
            line = node.start_point[0] + 1
            raise DoesNotFit(
                "kind_mismatch",
                f"{symbol.name} imports from {said} in {path}:{line}, which is another package in {to}",
                "write that import with the full name of its module first",
            )
        waiting += node.named_children


def _without(files: Files, path: str, address: str, fill: str | None) -> Files:
    done = apply((Delete(path=path, symbol=address, fill=fill),), files.overlay)
    return files.with_text(path, done.sources[path].text)


def _respelled(text: bytes, span: tuple[int, int], splices: list[Splice]) -> bytes:
    inside = [Splice(each.start - span[0], each.end - span[0], each.new) for each in splices]
    return splice.apply(text[span[0] : span[1]], sorted(inside)).rstrip() + b"\n"


def _refuse_defined(files: Files, path: str, name: str) -> None:
    lexical = files.lexical(path)
    bound = lexical.bound(name).get(lexical.syntax.root.id, []) if lexical is not None else []
    for mention in bound:
        if mention.kind != "import" and lexical is not None:
            line = lexical.text.count(b"\n", 0, mention.start) + 1
            raise DoesNotFit(
                "duplicate_symbol", f"{name} is defined already in {path}:{line}", "rename one of them first"
            )


def _is_of(files: Files, path: str, wanted: Wanted) -> bool:
    """Whether what is wanted is the file's own, and not a module in the package that the file is."""
    if wanted.module is None or modules.file(files, path, wanted.module) != path:
        return False
    lexical = files.lexical(path)
    is_bound = lexical is not None and lexical.syntax.root.id in lexical.bound(wanted.name)
    below = None if is_bound else modules.file(files, path, f"{wanted.module.rstrip('.')}.{wanted.name}")
    return below is None or (below == path)
