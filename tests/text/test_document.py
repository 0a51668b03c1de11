"""Encodings and line tables, with bytes outside an edit unchanged."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitscalpel.errors import DoesNotFit
from gitscalpel.syntax.languages import read_document
from gitscalpel.text.document import Document
from tests.edit.editing import edit_file

LATIN_1 = ("latin-1", b"", "iso8859-1")
LATIN = "# -*- coding: latin-1 -*-\nname = 'à'\n"
ENCODED = {
    "utf-8": ("a.txt", "à\n", "utf-8", b"", "utf-8"),
    "utf-8 with byte order mark": ("a.txt", "à\n", "utf-8", codecs.BOM_UTF8, "utf-8"),
    "utf-16 little": ("a.txt", "à\r\n😀\n", "utf-16-le", codecs.BOM_UTF16_LE, "utf-16-le"),
    "utf-16 big": ("a.txt", "à\n", "utf-16-be", codecs.BOM_UTF16_BE, "utf-16-be"),
    "utf-32 little": ("a.txt", "à\n", "utf-32-le", codecs.BOM_UTF32_LE, "utf-32-le"),
    "Python": ("a.py", LATIN, "latin-1", b"", "iso8859-1"),
    "Python declaration in line 1": ("a", "#!/usr/bin/python\n# coding: latin-1\n# à\n", *LATIN_1),
    "Vim declaration": (
        "a.py",
        "#!/x\n# vim: set fileencoding=cp1252 :\n#“à”\n",
        "cp1252",
        b"",
        "cp1252",
    ),
    "Emacs declaration": ("a.py", "# -*- coding: latin-1-unix -*-\nname = 'à'\n", *LATIN_1),
    "Python declaration after a lone CR": ("a.py", "# à\r# coding: latin-1\n", *LATIN_1),
    "Ruby": ("a.rb", "#!/usr/bin/ruby\n# Encoding: ISO-8859-1\n# à\n", *LATIN_1),
    "XML": ("a.xml", '<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>à</a>\n', *LATIN_1),
}


@pytest.mark.parametrize(("path", "text", "encoding", "bom", "name"), ENCODED.values(), ids=ENCODED)
def test_encoding_is_detected_and_kept(path: str, text: str, encoding: str, bom: bytes, name: str) -> None:
    raw = bom + text.encode(encoding)
    read = read_document(path, raw)
    assert (read.encoding, read.bom, read.text.decode()) == (name, bom, text)
    assert not read.is_binary
    assert edit_file(raw, {"op": "text", "old": "à", "new": "é"}, path=path) == bom + text.replace(
        "à", "é"
    ).encode(encoding)


@pytest.mark.parametrize(
    ("path", "raw"),
    [
        ("a.txt", b"\xe0\n"),  # not UTF-8, without a declaration
        ("a.py", b"# coding: ascii\n\xe0\n"),
        ("a.py", b"# coding: no-such-encoding\n\xe0\n"),
        ("a.py", b"\n\n# coding: latin-1\n\xe0\n"),  # not in the first two lines
        ("a.py", b"x = 1\n# coding: latin-1\n\xe0\n"),  # after code
        ("a.py", b"'coding: latin-1'\n\xe0\n"),  # not a comment
        ("a.yml", b"# coding: latin-1\n\xe0\n"),  # a language without declarations
        ("a.txt", codecs.BOM_UTF16_LE + b"a"),  # half a code unit
        ("a.txt", codecs.BOM_UTF16_LE + b"\x00\xd8\n\x00"),  # half a surrogate pair
    ],
)
def test_text_that_does_not_round_trip_is_read_as_bytes(path: str, raw: bytes) -> None:
    read = read_document(path, raw)
    assert read.encoding == "bytes"
    assert read.bom + read.text == raw


@pytest.mark.parametrize(
    "name", ["base64", "rot13", "undefined", "idna", "utf-16", "utf-7", "no-such-encoding"]
)
@pytest.mark.parametrize(
    ("path", "head"),
    [
        ("a.py", "# coding: {}\n"),
        ("a.rb", "# encoding: {}\n"),
        ("a.xml", "<?xml version='1.0' encoding='{}'?>\n"),
        ("a.yml", "encoding: {}\n"),
    ],
)
def test_unusable_declared_encoding_is_edited_as_bytes(path: str, head: str, name: str) -> None:
    before = head.format(name) + "<!-- x -->\n"
    after = edit_file(before.encode(), {"op": "text", "old": "- x -", "new": "- yy -"}, path=path)
    assert after.decode() == head.format(name) + "<!-- yy -->\n"


def test_encoding_key_in_yaml_is_not_a_declaration() -> None:
    before = b"encoding: latin-1\nname: x\n"
    assert edit_file(before, {"op": "text", "old": "x", "new": "é"}, path="a.yml") == (
        "encoding: latin-1\nname: é\n".encode()
    )


def test_undecodable_bytes_stay_around_an_edit() -> None:
    assert edit_file(b"\xff a \xfe\n", {"op": "text", "old": "a", "new": "b"}, path="x") == b"\xff b \xfe\n"


def test_character_outside_the_encoding_is_refused() -> None:
    with pytest.raises(DoesNotFit) as caught:
        read_document("a.py", LATIN.encode("latin-1")).with_text("€".encode())
    assert caught.value.code == "unencodable"
    assert "U+20AC" in caught.value.message


@given(st.binary(max_size=60))
def test_read_and_write_back_changes_nothing(raw: bytes) -> None:
    document = Document.read(raw)
    assert document.with_text(document.text).raw == raw


@given(st.text(alphabet="ab\r\n\x0b\x0c\u2028", max_size=30))
def test_lines_are_counted_as_by_git(content: str) -> None:
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
def test_line_ending_style_is_detected(content: bytes, eol: str) -> None:
    assert Document.read(content).eol == eol


@pytest.mark.parametrize(("content", "binary"), [(b"a\0b", True), (b"\x1b[0m\n", False), (b"", False)])
def test_binary_content_is_detected(content: bytes, binary: bool) -> None:
    assert Document.read(content).is_binary is binary
