"""Other readers of data and of Python: what they could read they still can, and the same."""

from __future__ import annotations

import ast
import configparser
import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree as Xml

import yaml


def _toml(text: str) -> Any:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _ini(text: str) -> Any:
    parser = configparser.RawConfigParser(strict=True, allow_no_value=True)
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections()}


def _python(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(text, "x.py", "exec", ast.PyCF_ONLY_AST)


def _xml(text: str) -> None:
    Xml.fromstring(text)  # noqa: S314 - our own text


def _yaml(text: str) -> Any:
    list(yaml.parse(text, yaml.SafeLoader))
    try:
        return list(yaml.safe_load_all(text))
    except (yaml.constructor.ConstructorError, yaml.composer.ComposerError):
        return None  # it is YAML, with tags or aliases of which we know nothing


_READERS: dict[str, Callable[[str], Any]] = {
    "json": json.loads,
    "toml": _toml,
    "yaml": _yaml,
    "ini": _ini,
    "python": _python,
    "xml": _xml,
}


def read(language: str, text: str) -> tuple[bool, Any]:
    """Whether another reader can read it, and what it says."""
    reader = _READERS.get(language)
    if reader is None:
        return True, None
    try:
        return True, reader(text)
    except (ValueError, yaml.YAMLError, configparser.Error, SyntaxError, Xml.ParseError):
        return False, None


def values(read_value: Any) -> Counter[tuple[str, str]]:
    """Every value with where it stands; places in lists do not count."""
    return Counter(_values("", read_value))


def _values(at: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _values(f"{at}.{key}", inner)
    elif isinstance(value, list) and value:
        for inner in value:
            yield from _values(f"{at}[]", inner)
    else:
        yield at, repr(value)
