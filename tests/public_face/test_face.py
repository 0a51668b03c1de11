"""The public face is the one that ``face.json`` keeps; ``python -m tests.public_face`` renews it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.public_face.face import FILE, collect


@pytest.fixture(scope="module")
def face(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return json.loads(json.dumps(collect(Path(tmp_path_factory.mktemp("face")) / "shop")))  # type: ignore[no-any-return]


@pytest.mark.parametrize("part", ["api", "schemas", "codes", "calls", "refs", "files", "records"])
def test_the_public_face_is_as_before(face: dict[str, Any], part: str) -> None:
    assert face[part] == json.loads(FILE.read_text())[part]
