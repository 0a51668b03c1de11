"""The first path of a file that a changeset moves or copies, and its edits under another name.

The language of a file depends on its name. A caller that renames a module to ``a.txt``, edits its text
and renames it back has edited a module, so the structure gate has to check the result. Transactions
keep this record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from gitscalpel.changesets.file_tree import SUBMODULE, SYMLINK, TREE, FileOrigin, Overlay, Snapshot
from gitscalpel.edit.source import Edit, Source
from gitscalpel.syntax.language import Language
from gitscalpel.syntax.languages import document, recognise
from gitscalpel.text.line_diff import diff_lines
from gitscalpel.text.merge3 import split_lines
from gitscalpel.text.splice import Splice


def origin_after_edit(was: FileOrigin, source: Source, edit: Edit, first: Snapshot) -> FileOrigin:
    """What is to be known of a file once ``edit`` was made of it, as it is in ``source``.

    Under its first name it may be in another language as well: where its first line says in which.
    """
    if not edit.is_textual or was.by == "text":
        return was
    if source.path == was.origin and _has_definitions(source.language):
        return was
    before = _content(first, was.origin)
    if before is None or source.language == _language(was.origin, before):
        return was
    return FileOrigin(was.origin, "exempt" if edit.is_exempt else "text")


def iter_visible_again(
    carried: Mapping[str, FileOrigin], first: Snapshot, overlay: Overlay, read: Callable[[str, bytes], Source]
) -> Iterator[tuple[Source, Edit, Source]]:
    """Files in which definitions are seen again, each as it was at first, with all that differs as one edit.

    Args:
        carried: what is known of the files that were moved or copied.
        first: the files before all of it.
        overlay: the files as they are left.
        read: opens a file.
    """
    for path, was in sorted(carried.items()):
        before, after = _content(first, was.origin), overlay.content(path)
        if not was.by or before is None or after is None:
            continue
        if _has_definitions(_language(was.origin, before)) and _has_definitions(_language(path, after)):
            source = read(path, before)
            edit = difference_edit(source.text, document(path, after).text, is_exempt=was.by == "exempt")
            if edit is not None:
                yield source, edit, source.edited(edit)


def difference_edit(old: bytes, new: bytes, *, is_exempt: bool) -> Edit | None:
    """What makes one text of another, by lines; None: nothing is to be done."""
    olds, news = split_lines(old), split_lines(new)
    starts = [0]
    for line in olds:
        starts.append(starts[-1] + len(line))
    made = tuple(Splice(starts[a], starts[b], b"".join(news[c:d])) for a, b, c, d in diff_lines(olds, news))
    if not made:
        return None
    return Edit(
        made,
        target=(made[0].start, made[-1].end),
        replaced=tuple(old[each.start : each.end] for each in made),
        inserted=tuple(each.new for each in made),
        is_exempt=is_exempt,
    )


def _has_definitions(language: Language | None) -> bool:
    return language is not None and not language.data


def _language(path: str, content: bytes | None) -> Language | None:
    return None if content is None else recognise(path, content)


def _content(snapshot: Snapshot, path: str) -> bytes | None:
    entry = snapshot.entry(path)
    return None if entry is None or entry.mode in (TREE, SYMLINK, SUBMODULE) else snapshot.read(entry.oid)
