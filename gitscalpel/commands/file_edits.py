"""Commands write, text, lines, rm, mv and cp: edits addressed by file, text or line number.

Each command is atomic, also for several files. A command on a directory makes one changeset with an
operation for each file. ``mv`` updates the imports of the moved files.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec

from gitscalpel.api import BadCall, DoesNotFit, Lines, ScalpelError, View, Write, changeset
from gitscalpel.commands import reply
from gitscalpel.commands.reply import (
    Caller,
    FileTransferRequest,
    LastLine,
    OperationRequest,
    Reply,
    describe_field,
)
from gitscalpel.errors.messages import arg, place
from gitscalpel.system.regex_worker import CallerPattern

WriteAnswer = reply.EditAnswer


class WriteRequest(OperationRequest, frozen=True, kw_only=True):
    """File to write, and its content as text or bytes."""

    examples = ("src/new.py --code-file new.py", "run.sh --code 'make' --mode 100755")

    path: Annotated[str, describe_field("File to create.", "PATH", place=True, path=True)]
    content: Annotated[str | None, describe_field("Content of the file", form="content", also=("code",))] = (
        None
    )
    content_b64: Annotated[str | None, describe_field("Content of the file in base64.", form="none")] = None
    overwrite: Annotated[bool, describe_field("Replace the file if it exists.")] = False
    mode: Annotated[
        Literal["100644", "100755"] | None, describe_field("File mode; 100755 makes the file executable.")
    ] = None


def perform_write(caller: Caller, request: WriteRequest) -> Reply:
    """Write a file."""
    return reply.apply_operation(
        caller, request, reply.build_operation("write", Write.__struct_fields__, request)
    )


LinesAnswer = reply.EditAnswer

_PLACES = {
    "before": "Insert before the first of these lines.",
    "after": "Insert after the last of these lines.",
}


class LinesRequest(OperationRequest, frozen=True, kw_only=True):
    """Lines to replace, delete or insert at."""

    examples = ("src/app.py:9 --code '    retries = 5'", "src/app.py:11 --delete")

    path: Annotated[str, describe_field("File.", form="lines")]
    start: Annotated[
        str | int, describe_field("First line, or a range such as 42-55 or 42:9f3c-55:01be.", form="none")
    ]
    end: LastLine = None
    code: Annotated[str, describe_field("New lines", form="text", unless="delete")] = ""
    position: Annotated[
        Literal["before", "after"] | None,
        describe_field(
            "Position of inserted lines; without it, the lines are replaced.",
            form="flags",
            each=_PLACES,
            beside="delete",
        ),
    ] = None
    delete: Annotated[bool, describe_field("Delete these lines.")] = False
    verbatim: Annotated[bool, describe_field("Write the code byte for byte.")] = False
    relocate: Annotated[bool, describe_field("Find a moved line by its hash.")] = False


def perform_lines(caller: Caller, request: LinesRequest) -> Reply:
    """Edit lines of a file."""
    code, position = ("", None) if request.delete else (request.code, request.position)
    fields = reply.build_operation("lines", Lines.__struct_fields__, request, code=code, position=position)
    return reply.apply_operation(caller, request, fields)


GLOB_CHARACTERS = frozenset("*?[")
"""Characters that make a path a glob, unless a file has exactly this name."""


class TextSearch(msgspec.Struct, frozen=True):
    """Text to find in files and globs; ``times`` is the required number of occurrences."""

    paths: tuple[str, ...]
    old: str
    regex: bool
    times: int | None


def find_files_with_text(view: View, request: TextSearch) -> dict[str, int]:
    """Return the files that contain the text, with the number of occurrences in each.

    Raises:
        BadCall: ``empty_target``, ``invalid_args``.
        DoesNotFit: ``not_found``, ``file_not_found``, ``count_mismatch`` of ``count``, or ``too_slow``.
    """
    counted = _make_counter(request)
    files = dict.fromkeys(file for path in request.paths for file in _expand_path(path, view))
    if not files:
        raise DoesNotFit(
            "file_not_found",
            f"no file matches {' or '.join(request.paths)}",
            "check the pattern; `git ls-files` lists the files that git knows",
        )
    found = {file: _count_occurrences(counted, view.read(file)) for file in files}
    found = {file: count for file, count in found.items() if count}
    total = sum(found.values())
    if not found:
        raise DoesNotFit(
            "not_found",
            f"none of {len(files)} files contains {arg('old')}",
            "copy the text exactly, or name a single file, where the match may be lenient",
            files=len(files),
        )
    if request.times is not None and request.times != total:
        raise DoesNotFit(
            "count_mismatch",
            f"{arg('old')} occurs in {total} places in {len(found)} files, not {request.times}",
            f"give {arg('count', total)} if you mean all of them",
            count=total,
            files=found,
            retry={"count": total},
        )
    return found


def _make_counter(request: TextSearch) -> Callable[[bytes], int]:
    old = request.old.encode("utf-8", "surrogateescape").replace(b"\r\n", b"\n")
    if not old:
        raise BadCall(
            "empty_target",
            f"{arg('old')} is empty, so it does not match anything",
            "give the text to replace",
        )
    if not request.regex:
        return lambda text: text.count(old)
    try:
        pattern = CallerPattern(old, re.DOTALL | re.MULTILINE)
    except re.error as error:
        raise BadCall(
            "invalid_args",
            f"{arg('old')} is not a regular expression: {error}",
            f"correct it, or leave {arg('regex')} out",
        ) from None
    return lambda text: len(pattern.matches(text))


def _count_occurrences(counted: Callable[[bytes], int], content: bytes) -> int:
    if b"\0" in content[:8000]:  # git's test for binary files
        return 0
    return counted(content.replace(b"\r\n", b"\n"))


def _expand_path(path: str, view: View) -> list[str]:
    return view.matching(path) if GLOB_CHARACTERS.intersection(path) and not is_file(view, path) else [path]


def is_file(view: View, path: str) -> bool:
    """Return True if a file has exactly this name."""
    try:
        view.read(path)
    except ScalpelError:
        return False
    return True


TextAnswer = reply.EditAnswer

_MAX_QUOTED = 24
"""Maximum length of a text that the commit's subject quotes, in characters."""


class TextRequest(OperationRequest, frozen=True, kw_only=True):
    """Text to find, the files, and the replacement."""

    examples = ("docs/guide.md --old Start --new Run", "'src/**/*.py' --old 3 --new 5 --count 1")

    paths: Annotated[
        tuple[str, ...],
        describe_field("Files, or patterns such as 'src/**/*.py'.", "PATH", place=True, path=True),
    ]
    old: Annotated[
        str, describe_field("Text to find; must be unique unless another option says otherwise.", "TEXT")
    ]
    new: Annotated[str, describe_field("Replacement text.", "TEXT")]
    all: Annotated[bool, describe_field("Replace every occurrence.")] = False
    regex: Annotated[bool, describe_field(f"Treat {arg('old')} as a Python regular expression.")] = False
    count: Annotated[int | None, describe_field("Required number of occurrences in all files.", "N")] = None
    occurrences: Annotated[
        tuple[int, ...],
        describe_field(
            "Index of an occurrence to replace, from 0; may be repeated.", "N", typed="occurrence"
        ),
    ] = ()


def perform_text(caller: Caller, request: TextRequest) -> Reply:
    """Replace text in one or several files."""
    first = request.paths[0]
    if len(request.paths) == 1 and not GLOB_CHARACTERS.intersection(first):
        return reply.apply_operation(caller, request, _text_operation(request, first, request.count))
    view = caller.view(request)
    if len(request.paths) == 1 and is_file(view, first):  # a name such as app/[id]/page.tsx
        return reply.apply_operation(caller, request, _text_operation(request, first, request.count))
    if request.occurrences or request.expect or request.base:
        words = f"{arg('occurrences')}, {arg('expect')} and {arg('base')} apply to one file only"
        raise BadCall("invalid_args", words, "leave them out, or name one file")
    found = find_files_with_text(view, TextSearch(request.paths, request.old, request.regex, request.count))
    # `count` is the total for all files and has been checked. Each operation gets the count of its file.
    is_counted = request.count is not None and not request.all
    ops = [_text_operation(request, path, count if is_counted else None) for path, count in found.items()]
    total = f"{_format_count(sum(found.values()), 'place')} in {_format_count(len(found), 'file')}"
    message = request.message or f"{_subject_start(request)} in {_format_count(len(found), 'file')}"
    return reply.apply_changeset(caller, request, changeset(*ops, message=message), note=total)


def _subject_start(request: TextRequest) -> str:
    """Return the start of the commit's subject."""
    short = all(len(text) <= _MAX_QUOTED and text.isprintable() for text in (request.old, request.new))
    return f"Replace {request.old!r} by {request.new!r}" if short else "Replace text"


def _format_count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _text_operation(request: TextRequest, path: str, count: int | None) -> dict[str, Any]:
    fields = ("old", "new", "all", "regex", "expect", "base")
    chosen = list(request.occurrences) or None
    return reply.build_operation("text", fields, request, path=path, count=count, occurrences=chosen)


_SUBJECT_VERBS = {"move_file": "Move", "copy_file": "Copy", "remove": "Remove"}


def apply_to_files(
    caller: Caller, request: OperationRequest, op: str, path: str, to: str | None = None, **more: object
) -> Reply:
    """Apply ``op`` to a file, or to all files of a directory; ``more`` are further fields."""
    folder = path.rstrip("/")
    if to is not None and to.endswith("/"):
        to += folder.rpartition("/")[2]
    view = caller.view(request)
    found = view.folder(folder)
    if found is None:
        fields = {"path": path, "to": to, "expect": request.expect, "base": request.base, **more}
        return reply.apply_operation(caller, request, reply.build_operation(op, (), request, **fields))
    if request.expect or request.base:
        words = f"{arg('expect')} and {arg('base')} apply to one file only"
        raise BadCall("invalid_args", words, "leave them out when you move a directory")
    path = folder
    if to is not None:
        _require_free_target(path, to, view.folder(to))
    ops = [_file_operation(op, file, path, to) | more for file in found]
    words = f"{_SUBJECT_VERBS[op]} {path}" + (f" to {to}" if to is not None else "")
    return reply.apply_changeset(caller, request, changeset(*ops, message=request.message or words))


def _file_operation(op: str, file: str, path: str, to: str | None) -> dict[str, Any]:
    return {"op": op, "path": file} | ({} if to is None else {"to": to + file[len(path) :]})


def _require_free_target(path: str, to: str, there: list[str] | None) -> None:
    """Reject moving a directory into itself, or to the path of an existing directory."""
    if to == path or to.startswith(path + "/"):
        raise BadCall("invalid_args", f"{path} cannot be moved into itself", "choose another directory")
    if there is not None:
        name = path.rpartition("/")[2]
        raise DoesNotFit(
            "exists",
            f"{to} is already a directory",
            f"{place(to)}/ puts it in there, as {place(f'{to}/{name}')}",
            retry={"to": f"{to}/{name}"},
        )


RmAnswer = reply.EditAnswer


class RmRequest(OperationRequest, frozen=True, kw_only=True):
    """File or directory to remove."""

    examples = ("docs/guide.md", "docs --dry-run")

    path: Annotated[str, describe_field("File or directory to remove.", "PATH", place=True, path=True)]


def perform_rm(caller: Caller, request: RmRequest) -> Reply:
    """Remove a file or directory."""
    return apply_to_files(caller, request, "remove", request.path)


MvAnswer = reply.EditAnswer


class MvRequest(FileTransferRequest, frozen=True, kw_only=True):
    """File or directory to move, and its new path."""

    examples = ("src/app.py src/server/app.py", "docs guide/ --keep-imports")

    keep_imports: Annotated[bool, describe_field("Do not update imports.")] = False


def perform_mv(caller: Caller, request: MvRequest) -> Reply:
    """Move a file or directory."""
    return apply_to_files(
        caller, request, "move_file", request.path, request.to, keep_imports=request.keep_imports
    )


CpAnswer = reply.EditAnswer


class CpRequest(FileTransferRequest, frozen=True, kw_only=True):
    """File or directory to copy, and the path of the copy."""

    examples = ("src/app.py src/copy.py", "docs site/ --no-land")


def perform_cp(caller: Caller, request: CpRequest) -> Reply:
    """Copy a file or directory."""
    return apply_to_files(caller, request, "copy_file", request.path, request.to)
