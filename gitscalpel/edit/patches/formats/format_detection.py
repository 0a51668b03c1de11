"""Detect the format of a patch and read it.

Each module of this package lists its formats in `FORMATS`; this one finds them by listing the package.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from gitscalpel.edit.patches.formats import diff_hunks, diff_reader, tool_call_edits
from gitscalpel.edit.patches.formats.patch_model import (
    FilePatch,
    JsonFormat,
    ReadPatch,
    TextFormat,
    patch_error,
)
from gitscalpel.errors import BadCall
from gitscalpel.text import lenient_json

Reader = Callable[[bytes, str], ReadPatch]


def _load_formats() -> list[TextFormat | JsonFormat]:
    names = [f"{__package__}.{file.stem}" for file in Path(__file__).parent.glob("*.py")]
    modules = [import_module(name) for name in names if name != __name__]
    formats = [each for module in modules for each in getattr(module, "FORMATS", ())]
    return sorted(formats, key=lambda each: each.priority)


FORMATS = _load_formats()
_TEXT_FORMATS = [each for each in FORMATS if isinstance(each, TextFormat)]
_JSON_FORMATS = [each for each in FORMATS if isinstance(each, JsonFormat)]


def read_patch(diff: str, path: str) -> tuple[FilePatch, ...]:
    """Return the files that ``diff`` changes; ``path`` is the file if the patch names none.

    JSON formats are recognised by their fields. Of the text formats, the one whose mark comes first is used,
    since the content of a patch may quote another. The text around it must not contain a patch.

    Raises:
        BadCall: ``invalid_args``, if the format is unknown or the patch is empty.
        DoesNotFit: ``patch_failed``, if the format is known and the patch cannot be read.
    """
    found = read_sent(diff)
    if found is not None:
        return _read_calls(found, path)
    raw = _encode_plain(diff)
    mark = _find_first_mark(raw)
    if mark is None:
        raise _unknown_error("diff holds no patch in a known format")
    return _read_text(raw, *mark, path)


def read_sent(diff: str) -> list[tool_call_edits.SentEdit] | None:
    """Return the edits of the calls or other JSON objects in ``diff``, or None for a text format.

    Raises:
        BadCall: ``invalid_args``, if the text begins as JSON and is not.
        DoesNotFit: ``patch_failed``, if a call is not closed.
    """
    raw = _encode_plain(diff)
    mark = _find_first_mark(raw)
    json = lenient_json.strip_json_fence(raw)
    if json is not None and not (mark and json[:1] == b"["):  # [PATCH] begins many a mail
        return _unwrap_calls(lenient_json.read_objects(json))
    tag = tool_call_edits.SIGN.search(diff)
    ahead = None if tag is None else len(diff[: tag.start()].encode("utf-8", "surrogateescape"))
    if ahead is not None and (mark is None or ahead < mark[0]):
        return _unwrap_calls(tool_call_edits.iter_calls(diff))
    inside = [] if mark else lenient_json.find_json_values(raw.decode("utf-8", "replace"))
    return _unwrap_calls(lenient_json.read_objects("\n".join(inside).encode())) if inside else None


def _encode_plain(diff: str) -> bytes:
    return diff_reader.strip_colours(diff.encode("utf-8", "surrogateescape").removeprefix(b"\xef\xbb\xbf"))


def _find_first_mark(raw: bytes) -> tuple[int, Reader] | None:
    found = [(mark.start(), each.read) for each in _TEXT_FORMATS if (mark := each.sign.search(raw))]
    return min(found, key=lambda said: said[0], default=None)


def _unwrap_calls(values: Iterable[dict[str, Any]]) -> list[tool_call_edits.SentEdit]:
    return [said for value in values for said in tool_call_edits.iter_sent(value)]


def _read_text(raw: bytes, sign: int, reader: Reader, path: str) -> tuple[FilePatch, ...]:
    text, folder, outside = tool_call_edits.find_here_document(raw, sign)
    files, around = reader(text, path)
    around += b"\n" + outside
    other = next((each.name for each in _TEXT_FORMATS if each.sign.search(around)), None)
    if other is not None:
        raise patch_error(
            f"the text holds a patch in one format and {other} beside it",
            "send each by itself, or all in one format; a changeset holds several patches",
        )
    diff_hunks.require_readable_headers(around)
    if not files:
        raise _unknown_error("diff holds no patch in a known format")
    return _move_below(files, folder)


def _move_below(files: Sequence[FilePatch], folder: str) -> tuple[FilePatch, ...]:
    if not folder:
        return tuple(files)
    return tuple(
        msgspec.structs.replace(
            file, path=posixpath.join(folder, file.path), source=posixpath.join(folder, file.source)
        )
        for file in files
    )


def _read_calls(found: Sequence[tool_call_edits.SentEdit], path: str) -> tuple[FilePatch, ...]:
    texts = [said for said in found if isinstance(said.value, str)]
    if texts and len(texts) == len(found):  # calls of tools that take patches
        return tuple(
            file
            for said in texts
            for file in _move_below(read_patch(said.value, said.path or path), said.folder)
        )
    return _read_json([said.value for said in found], path)


def _read_json(values: Sequence[Any], path: str) -> tuple[FilePatch, ...]:
    if not all(isinstance(value, dict) for value in values):
        raise _unknown_error("the calls hold something else than objects")
    form = next((each for each in _JSON_FORMATS if values and each.claims(values[0])), None)
    if form is None:
        raise _unknown_error("this JSON is not a patch in a known format")
    strange = next((n for n, value in enumerate(values, 1) if not form.claims(value)), None)
    if strange is not None:
        raise _unknown_error(f"object 1 is one of {form.name}, and object {strange} is not")
    files = form.read(values, path)
    if not files:
        raise _unknown_error(f"this is one of {form.name} and contains no change")
    return files


def _unknown_error(message: str) -> BadCall:
    texts = ", ".join(each.usage for each in _TEXT_FORMATS)
    objects = ", ".join(each.name for each in _JSON_FORMATS)
    return BadCall(
        "invalid_args",
        message,
        f'send {texts}, or as JSON {objects}; apply also takes a changeset, {{"ops": […]}}',
    )
