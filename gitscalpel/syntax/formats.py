"""The formats of data and prose: one entry here and one ``queries/<name>.scm`` each.

Their symbols are keys, headings, selectors and elements, which define nothing:
the structure gate leaves them alone.
"""

from __future__ import annotations

from gitscalpel.syntax.language import Language

_JSON_SUFFIXES = (
    *(".json", ".geojson", ".topojson", ".webmanifest", ".ipynb", ".har", ".avsc", ".gltf"),
    *(".jsonld", ".sarif", ".map", ".tfstate"),
)
_JSONC_SUFFIXES = (".jsonc", ".json5", ".code-workspace", ".code-snippets", ".sublime-settings", ".hujson")
_JSONC_NAMES = (
    *("tsconfig.json", "jsconfig.json", "devcontainer.json", ".devcontainer.json", "tslint.json"),
    *(".eslintrc", ".eslintrc.json", ".babelrc", ".jshintrc", ".swcrc", "api-extractor.json"),
    "language-configuration.json",
)
_TRAILING_COMMA = rb"(?P<trailing>,)(?=(?:\s|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*[}\]])"

FORMATS = (
    Language(
        "json",
        "json",
        _JSON_SUFFIXES,
        ("composer.lock", "Pipfile.lock", ".arcconfig", ".watchmanconfig"),
        data=True,
        top_gap=0,
        gap=0,
    ),
    Language(
        "jsonc",
        "json",
        _JSONC_SUFFIXES,
        _JSONC_NAMES,
        hidden=(_TRAILING_COMMA,),
        data=True,
        top_gap=0,
        gap=0,
    ),
    Language(
        "markdown",
        "markdown",
        (".md", ".markdown", ".mdown", ".mkd", ".mkdn"),
        line_comment=b"<!--",
        blocks="prose",
        data=True,
        lenient=True,
    ),
    Language(
        "toml",
        "toml",
        (".toml",),
        ("Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"),
        line_comment=b"#",
        data=True,
        gap=0,
    ),
)
"""JSON that has comments or is read by such tools lets commas trail."""
