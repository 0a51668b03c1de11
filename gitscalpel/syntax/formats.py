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
    *("language-configuration.json", "renovate.json", ".renovaterc", ".renovaterc.json"),
)
_XML_SUFFIXES = (
    *(".xml", ".xsd", ".xsl", ".xslt", ".svg", ".plist", ".xaml", ".axaml", ".wsdl", ".rss", ".atom", ".pom"),
    *(".csproj", ".fsproj", ".vbproj", ".vcxproj", ".proj", ".props", ".targets", ".nuspec", ".ruleset"),
    *(".resx", ".slnx", ".storyboard", ".xib", ".xliff", ".xlf", ".kml", ".gpx", ".iml", ".filters"),
    ".config",
)
_XML_COOKIE = rb"<\?xml\s[^>]{0,200}?\bencoding\s*=\s*[\"']([-\w.]+)[\"']"

FORMATS = (
    Language(
        "json",
        "json",
        _JSON_SUFFIXES,
        ("composer.lock", "Pipfile.lock", ".arcconfig", ".watchmanconfig"),
        reader="json",
        data=True,
        top_gap=0,
        gap=0,
    ),
    Language(
        "jsonc",
        "json",
        _JSONC_SUFFIXES,
        _JSONC_NAMES,
        hidden="jsonc",
        reader="jsonc",
        data=True,
        top_gap=0,
        gap=0,
    ),
    Language(
        "markdown",
        "markdown",
        (".md", ".markdown", ".mdown", ".mkd", ".mkdn"),
        line_comment=b"",
        blocks="prose",
        data=True,
        parses="anything",
    ),
    Language(
        "rst",
        "rst",
        (".rst", ".rest"),
        line_comment=b"",
        blocks="prose",
        data=True,
        parses="anything",
    ),
    Language(
        "toml",
        "toml",
        (".toml",),
        ("Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"),
        line_comment=b"#",
        flow=True,
        reader="toml",
        data=True,
        gap=0,
    ),
    Language(
        "yaml",
        "yaml",
        (".yml", ".yaml", ".cff", ".sublime-syntax"),
        (".clang-format", ".clang-tidy", ".clangd", ".yamllint", ".prettierrc", "pubspec.lock", ".gemrc"),
        line_comment=b"#",
        blocks="indent",
        flow=True,
        has_anchors=True,
        markers=b"-",
        fill="{}",
        data=True,
        top_gap=0,
        gap=0,
    ),
    Language(
        "ini",
        "ini",
        (".ini", ".cfg", ".cnf", ".inf", ".desktop", ".service", ".socket", ".timer", ".gitconfig"),
        (
            ".editorconfig",
            ".gitconfig",
            ".gitmodules",
            ".npmrc",
            ".pylintrc",
            ".flake8",
            ".coveragerc",
            "pip.conf",
        ),
        line_comment=b"#",
        hidden="ini",
        reader="ini",
        data=True,
        parses="anything",
        gap=0,
    ),
    Language(
        "properties",
        "properties",
        (".properties",),
        line_comment=b"#",
        data=True,
        parses="anything",
        top_gap=0,
    ),
    Language(
        "xml",
        "xml",
        _XML_SUFFIXES,
        line_comment=b"",
        hidden="xml",
        cookie=_XML_COOKIE,
        reader="xml",
        inline=True,
        data=True,
        top_gap=0,
        gap=0,
    ),
    Language(
        "html",
        "html",
        (".html", ".htm", ".xhtml"),
        line_comment=b"",
        hidden="html",
        reader="html",
        inline=True,
        data=True,
        parses="anything",
        top_gap=0,
        gap=0,
    ),
    Language("css", "css", (".css", ".pcss"), line_comment=b"", hidden="css", separator=b";", data=True),
    Language("scss", "css", (".scss",), hidden="scss", separator=b";", data=True),
    Language("less", "css", (".less",), hidden="scss", separator=b";", data=True),
)
