"""rope finds the definition by its scopes, and its project writes the file."""

from __future__ import annotations

import importlib
from typing import Any

_changes: Any = importlib.import_module("rope.base.change")
_project: Any = importlib.import_module("rope.base.project").Project(
    ".", ropefolder=None, save_objectdb=False
)


def edit(path: str, name: str, old: str, new: str) -> None:  # noqa: ARG001 - all are told the same
    _project.validate()
    file = _project.get_resource(path)
    scope = _project.get_pymodule(file).get_scope().get_name(name).get_object().get_scope()
    lines = file.read().splitlines(keepends=True)
    lines[scope.get_start() - 1 : scope.get_end()] = [new]
    _project.do(_changes.ChangeContents(file, "".join(lines)))
