"""Detect the format of a patch and read it: each module of this package lists its formats in `FORMATS`."""

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
    since the content of a patch may quote another. Raises ``invalid_args`` if the format is unknown or the
    patch is empty, and ``patch_failed`` if it cannot be read, or text around it contains a patch.
    """
    sent = read_sent(diff)
    if sent is not None:
        return _read_calls(sent, path)
    raw = _encode_plain(diff)
    mark = _find_first_mark(raw)
    if mark is None:
        raise _unknown_error("diff contains no patch in a known format")
    return _read_text(raw, *mark, path)


def read_sent(diff: str) -> list[tool_call_edits.SentEdit] | None:
    """Return the edits of the calls or other JSON objects in ``diff``, or None for a text format.

    Raises ``invalid_args`` for invalid JSON, or ``patch_failed`` if a call is not closed.
    """
    raw = _encode_plain(diff)
    mark = _find_first_mark(raw)
    json_text = lenient_json.strip_json_fence(raw)
    if json_text is not None and not (mark and json_text[:1] == b"["):  # [PATCH] begins many a mail
        return _unwrap_calls(lenient_json.read_objects(json_text))
    tag = tool_call_edits.SIGN.search(diff)
    tag_offset = None if tag is None else len(diff[: tag.start()].encode("utf-8", "surrogateescape"))
    if tag_offset is not None and (mark is None or tag_offset < mark[0]):
        return _unwrap_calls(tool_call_edits.iter_calls(diff))
    json_values = [] if mark else lenient_json.find_json_values(raw.decode("utf-8", "replace"))
    return _unwrap_calls(lenient_json.read_objects("\n".join(json_values).encode())) if json_values else None


def _encode_plain(diff: str) -> bytes:
    return diff_reader.strip_colours(diff.encode("utf-8", "surrogateescape").removeprefix(b"\xef\xbb\xbf"))


def _find_first_mark(raw: bytes) -> tuple[int, Reader] | None:
    marks = [(mark.start(), each.read) for each in _TEXT_FORMATS if (mark := each.sign.search(raw))]
    return min(marks, key=lambda mark_and_reader: mark_and_reader[0], default=None)


def _unwrap_calls(values: Iterable[dict[str, Any]]) -> list[tool_call_edits.SentEdit]:
    return [sent for value in values for sent in tool_call_edits.iter_sent(value)]


def _read_text(raw: bytes, mark: int, reader: Reader, path: str) -> tuple[FilePatch, ...]:
    text, folder, outside = tool_call_edits.find_here_document(raw, mark)
    files, around = reader(text, path)
    around += b"\n" + outside
    other = next((each.name for each in _TEXT_FORMATS if each.sign.search(around)), None)
    if other is not None:
        raise patch_error(
            f"the text contains a patch and, outside of it, {other}",
            "send each patch by itself, or all in one format; a changeset can contain several patches",
        )
    diff_hunks.require_readable_headers(around)
    if not files:
        raise _unknown_error("diff contains no patch in a known format")
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


def _read_calls(sent_edits: Sequence[tool_call_edits.SentEdit], path: str) -> tuple[FilePatch, ...]:
    texts = [sent for sent in sent_edits if isinstance(sent.value, str)]
    if texts and len(texts) == len(sent_edits):  # calls of tools that take patches
        return tuple(
            file
            for sent in texts
            for file in _move_below(read_patch(sent.value, sent.path or path), sent.folder)
        )
    return _read_json([sent.value for sent in sent_edits], path)


def _read_json(values: Sequence[Any], path: str) -> tuple[FilePatch, ...]:
    if not all(isinstance(value, dict) for value in values):
        raise _unknown_error("the calls contain values that are not objects")
    json_format = next((each for each in _JSON_FORMATS if values and each.claims(values[0])), None)
    if json_format is None:
        raise _unknown_error("this JSON is not a patch in a known format")
    odd_number = next((n for n, value in enumerate(values, 1) if not json_format.claims(value)), None)
    if odd_number is not None:
        raise _unknown_error(f"object 1 is one of {json_format.name}, and object {odd_number} is not")
    files = json_format.read(values, path)
    if not files:
        raise _unknown_error(f"none of the {json_format.name} contains a change")
    return files


def _unknown_error(message: str) -> BadCall:
    texts = ", ".join(each.usage for each in _TEXT_FORMATS)
    objects = ", ".join(each.name for each in _JSON_FORMATS)
    return BadCall(
        "invalid_args",
        message,
        f'send {texts}, or as JSON {objects}; apply also takes a changeset, {{"ops": […]}}',
    )
