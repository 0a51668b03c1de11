"""Edits of XML and HTML elements by path, index or id, with significant text and white space."""

from __future__ import annotations

import pytest

from tests.edit.editing import Op, delete, edit_file, expect_refusal, gate_errors, insert, replace, signature

XML = """\
<Project Sdk="x">
  <!-- why -->
  <A id="q">1</A>
  <G><P Include="a"/><P Include="b"/></G>
  <G>
    <P Include="c">
      <V>1</V>
    </P>
    <P Include="d" />
  </G>

  <E></E>
</Project>
"""
HTML = """\
<html>
<body id="top">
  <p>Hi <b>x</b> y
  <br>
  </p>
  <ul class="l">
    <li>a</li>
    <li>b</li>
  </ul>
  <pre>
 a
  </pre>
</body>
</html>
"""


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        ("a.xml", XML, replace("Project.A", "<A>2</A>"), XML.replace('<A id="q">1', "<A>2")),
        ("a.xml", XML, replace("#q", '<A id="q" />'), XML.replace('"q">1</A>', '"q" />')),
        ("a.xml", XML, replace("G[1].P[0].V", "<V>2</V>"), XML.replace("<V>1", "<V>2")),
        (
            "a.xml",
            XML,
            replace("P#4", "<P>\n  <W />\n</P>"),
            XML.replace('<P Include="d" />', "<P>\n      <W />\n    </P>"),
        ),
        (
            "a.xml",
            XML,
            {"op": "signature", "symbol": "P#3", "code": "<P I='z'>"},
            XML.replace('Include="c"', "I='z'"),
        ),
        ("a.xml", XML, delete("A"), XML.replace('  <!-- why -->\n  <A id="q">1</A>\n', "")),
        ("a.xml", XML, delete("G[0].P[1]"), XML.replace('<P Include="b"/>', "")),
        ("a.xml", XML, delete("V"), XML.replace("\n      <V>1</V>\n    ", "")),
        ("a.html", HTML, replace("html.body.ul.li#2", "<li>c</li>"), HTML.replace("<li>b", "<li>c")),
        (
            "a.html",
            HTML,
            replace("#top.ul", "<ul>\n  <li>c</li>\n</ul>"),
            HTML.replace('<ul class="l">\n    <li>a</li>\n    <li>b</li>', "<ul>\n    <li>c</li>"),
        ),
        ("a.html", HTML, replace("pre", "<pre>\n b\n  </pre>"), HTML.replace("\n a\n", "\n b\n")),
        ("a.html", HTML, delete("b"), HTML.replace("<b>x</b>", "")),
        ("a.html", HTML, delete("br"), HTML.replace("  <br>\n", "")),
    ],
)
def test_element_is_replaced_or_deleted(path: str, before: str, op: Op, after: str) -> None:
    assert edit_file(before, op, path=path).decode() == after


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        ("a.xml", XML, insert("G[1]", "last", "<N/>"), XML.replace('"d" />\n', '"d" />\n    <N/>\n')),
        (
            "a.xml",
            XML,
            insert("G[1]", "first", "<N>\n  1\n</N>"),
            XML.replace("<G>\n", "<G>\n    <N>\n      1\n    </N>\n"),
        ),
        ("a.xml", XML, insert("G[0]", "last", "<N/>"), XML.replace("/></G>", "/><N/></G>")),
        ("a.xml", XML, insert("G[0].P[0]", "after", "<N/>"), XML.replace('"a"/>', '"a"/><N/>')),
        ("a.xml", XML, insert("E", "first", "<N/>"), XML.replace("<E></E>", "<E>\n    <N/>\n  </E>")),
        ("a.xml", XML, insert("A", "last", "<N/>"), XML.replace("1</A>", "1<N/></A>")),
        ("a.xml", XML, insert("A", "before", "<N/>"), XML.replace("  <!--", "  <N/>\n  <!--")),
        (
            "a.html",
            HTML,
            insert("ul", "last", "<N>z</N>"),
            HTML.replace("b</li>\n", "b</li>\n    <N>z</N>\n"),
        ),
        ("a.html", HTML, insert("b", "after", "<N>z</N>"), HTML.replace("</b>", "</b><N>z</N>")),
        ("a.html", HTML, insert("b", "first", "<N>z</N>"), HTML.replace("<b>", "<b><N>z</N>")),
        (
            "a.html",
            HTML,
            insert("#top", "last", "<N>\n</N>"),
            HTML.replace("</body", "  <N>\n  </N>\n</body"),
        ),
        ("a.html", HTML, insert("pre", "last", "<N></N>"), HTML.replace(" a\n", " a\n <N></N>\n")),
    ],
)
def test_insert_and_delete_restore_the_file(path: str, before: str, op: Op, after: str) -> None:
    edited_bytes = edit_file(before, op, path=path)
    assert edited_bytes.decode() == after
    assert edit_file(edited_bytes, delete("N"), path=path).decode() == before


@pytest.mark.parametrize(
    ("op", "code"),
    [
        (replace("A", "<B>2</B>"), "name_mismatch"),
        (replace("A", "2"), "body_only"),
        (replace("A", "<A>2"), "syntax_error"),
        (insert("Project", "after", "<N/>"), "syntax_error"),
        (delete("G"), "symbol_ambiguous"),
        (delete("G[2]"), "symbol_not_found"),
    ],
)
def test_invalid_edit_is_refused(op: Op, code: str) -> None:
    assert expect_refusal(XML, op, path="a.xml").code == code


def test_text_edit_must_keep_xml_valid_but_not_html() -> None:
    assert gate_errors("a.xml", XML, {"op": "text", "old": "<V>1</V>", "new": "<V>1"}) == ["syntax_error"]
    assert gate_errors("a.html", HTML, {"op": "text", "old": "<br>\n", "new": "<{% x %}\n << </p>"}) == []


def test_delete_keeps_elements_after_a_comment() -> None:
    assert edit_file("<a><b/><!-- c --><d/></a>", delete("b"), path="a.svg") == b"<a><!-- c --><d/></a>"


def test_preformatted_text_is_not_shifted() -> None:
    before = "<body>\n  <div>\n    <pre>\na\n  b\n</pre>\n  </div>\n</body>\n"
    op = {"op": "replace", "symbol": "body.div.pre", "code": "<pre>\nc\n  d\n</pre>"}
    assert edit_file(before, op, path="a.html").decode() == before.replace("\na\n  b\n", "\nc\n  d\n")


@pytest.mark.parametrize(
    ("path", "before", "op", "after"),
    [
        (
            "a.html",
            "<ul>{% for a in b %}\n  <li>{{ a }}</li>{% endfor %}\n</ul>\n",
            signature("ul", '<ul class="c">'),
            '<ul class="c">{% for a in b %}\n  <li>{{ a }}</li>{% endfor %}\n</ul>\n',
        ),
        (
            "a.html",
            "<ul>\n  {{ head }}\n  <li>a</li>\n</ul>\n",
            signature("ul", '<ul class="c">'),
            '<ul class="c">\n  {{ head }}\n  <li>a</li>\n</ul>\n',
        ),
        (
            "a.html",
            "<div><p>{{ a }}</p></div>\n",
            signature("div.p", "<p v-if='b'>"),
            "<div><p v-if='b'>{{ a }}</p></div>\n",
        ),
        (
            "a.html",
            "<div>{{ a }}<br>{{ b }}</div>\n",
            signature("div.br", "<br class='c'>"),
            "<div>{{ a }}<br class='c'>{{ b }}</div>\n",
        ),
        (
            "a.html",
            "<pre>\n\n  a</pre>\n",
            signature("pre", "<pre class='c'>"),
            "<pre class='c'>\n\n  a</pre>\n",
        ),
        (
            "a.html",
            "<script>\n  {{ a }}\n</script>\n",
            signature("script", "<script async>"),
            "<script async>\n  {{ a }}\n</script>\n",
        ),
        (
            "a.html",
            "<template>\n  {% if a %}<!-- b -->\n  <p>c</p>{% endif %}\n</template>\n",
            signature("template", '<template lang="pug"></template>'),
            '<template lang="pug">\n  {% if a %}<!-- b -->\n  <p>c</p>{% endif %}\n</template>\n',
        ),
        (
            "a.xml",
            "<a>\n  <?php echo 1 ?>\n  <!-- b --><c/>\n</a>\n",
            signature("a", '<a d="e">'),
            '<a d="e">\n  <?php echo 1 ?>\n  <!-- b --><c/>\n</a>\n',
        ),
        (
            "a.xml",
            "<a>{% b %}<![CDATA[c]]><d/></a>\n",
            signature("a", '<a d="e">'),
            '<a d="e">{% b %}<![CDATA[c]]><d/></a>\n',
        ),
    ],
)
def test_signature_keeps_the_text_after_the_tag(path: str, before: str, op: Op, after: str) -> None:
    assert edit_file(before, op, path=path).decode() == after


@pytest.mark.parametrize(
    ("op", "after"),
    [
        (replace("p.br", "<hr>"), None),
        (replace("p.br", "<br class='c'>"), "<p>{{ a }}<br class='c'>b {{ c }}</p>\n"),
        (delete("p.br"), "<p>{{ a }}b {{ c }}</p>\n"),
        (insert("p.br", "after", "<i>d</i>"), "<p>{{ a }}<br><i>d</i>b {{ c }}</p>\n"),
    ],
)
def test_void_element_ends_with_its_tag(op: Op, after: str | None) -> None:
    before = "<p>{{ a }}<br>b {{ c }}</p>\n"
    if after is None:
        assert expect_refusal(before, op, path="a.html").code == "name_mismatch"
    else:
        assert edit_file(before, op, path="a.html").decode() == after
