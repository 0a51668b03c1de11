"""``python -m tests.public_face``: write ``face.json`` anew, when the public face changes on purpose."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from tests.public_face.face import FILE, collect

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        FILE.write_text(json.dumps(collect(Path(folder) / "shop"), indent=0, sort_keys=True) + "\n")
