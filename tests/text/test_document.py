"""Encodings and line tables: what lies outside an edit stays identical to the byte."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitscalpel.errors import DoesNotFit
from gitscalpel.text.document import Document
from tests.edit.editing import edited

LATIN = "# -*- coding: latin-1 -*-\nname = 'à'\n"
ENCODED = {
    "utf-8": ("à\n", "utf-8", b"", "utf-8"),
    "utf-8 with mark": ("à\n", "utf-8", codecs.BOM_UTF8, "utf-8"),
    "utf-16 little": ("à\r\n😀\n", "utf-16-le", codecs.BOM_UTF16_LE, "utf-16-le"),
    "utf-16 big": ("à\n", "utf-16-be", codecs.BOM_UTF16_BE, "utf-16-be"),
    "utf-32 little": ("à\n", "utf-32-le", codecs.BOM_UTF32_LE, "utf-32-le"),
    "latin-1 by cookie": (LATIN, "latin-1", b"", "iso8859-1"),
    "cp1252 in the second line": ("#!/x\n# vim: set fileencoding=cp1252 :\n“à”\n", "cp1252", b"", "cp1252"),
}


@pytest.mark.parametrize(("text", "encoding", "mark", "name"), ENCODED.values(), ids=ENCODED)
def test_encodings(text: str, encoding: str, mark: bytes, name: str) -> None:
    raw = mark + text.encode(encoding)
    document = Document.read(raw)
    assert (document.encoding, document.bom, document.text.decode()) == (name, mark, text)
    assert not document.is_binary
    assert edited(raw, {"op": "text", "old": "à", "new": "é"}, path="a.txt") == mark + text.replace(
        "à", "é"
    ).encode(encoding)


@pytest.mark.parametrize(
    "raw",
    [
        b"\xe0\n",  # no UTF-8 and no cookie
        b"# coding: ascii\n\xe0\n",
        b"# coding: no-such-encoding\n\xe0\n",
        codecs.BOM_UTF16_LE + b"a",  # half a unit
        codecs.BOM_UTF16_LE + b"\x00\xd8\n\x00",  # half a surrogate pair
        b"\n\n# coding: latin-1\n\xe0\n",  # not in the first two lines
    ],
)
def test_what_does_not_survive_its_encoding_is_kept_as_bytes(raw: bytes) -> None:
    document = Document.read(raw)
    assert document.encoding in ("bytes", "utf-8")
    assert document.bom + document.text == raw


def test_bytes_that_are_no_text_stay_around_an_edit() -> None:
    assert edited(b"\xff a \xfe\n", {"op": "text", "old": "a", "new": "b"}, path="x") == b"\xff b \xfe\n"


def test_a_character_that_the_encoding_lacks_is_refused() -> None:
    with pytest.raises(DoesNotFit) as caught:
        Document.read(LATIN.encode("latin-1")).with_text("€".encode())
    assert caught.value.code == "unencodable"
    assert "U+20AC" in caught.value.message


@given(st.binary(max_size=60))
def test_reading_and_writing_back_changes_nothing(raw: bytes) -> None:
    document = Document.read(raw)
    assert document.with_text(document.text).raw == raw


@given(st.text(alphabet="ab\r\n\x0b\x0c\u2028", max_size=30))
def test_lines_are_counted_as_git_counts_them(content: str) -> None:
    document = Document.read(content.encode())
    lines = [document.text[slice(*document.span(n, n))] for n in range(1, document.line_count + 1)]
    assert b"".join(lines) == content.encode()
    assert all(line.count(b"\n") == 1 for line in lines[:-1])
    assert document.line_count == content.count("\n") + (content != "" and not content.endswith("\n"))
    for offset in range(len(document.text)):
        start, end = document.span(document.line_at(offset), document.line_at(offset))
        assert start <= offset < end


@pytest.mark.parametrize(
    ("content", "eol"),
    [
        (b"", "none"),
        (b"a", "none"),
        (b"a\r", "none"),
        (b"a\n", "lf"),
        (b"a\r\n", "crlf"),
        (b"a\r\nb\n", "mixed"),
    ],
)
def test_line_endings(content: bytes, eol: str) -> None:
    assert Document.read(content).eol == eol


@pytest.mark.parametrize(("content", "binary"), [(b"a\0b", True), (b"\x1b[0m\n", False), (b"", False)])
def test_binary(content: bytes, binary: bool) -> None:
    assert Document.read(content).is_binary is binary
