"""Cache of answers about single blobs: outlines, and matches of selectors.

The key contains all that an answer depends on: the blob, its language, the question and our own code. So an
answer is never wrong, only missing. The cache is one SQLite database in the user's cache directory. Each
answer is sealed by the user's secret. Without a sound database, answers are computed as if it were empty.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from gitscalpel.errors import ScalpelError
from gitscalpel.git.repository import Repository
from gitscalpel.git.user_cache import cache_directory
from gitscalpel.system import private_files, trust

if TYPE_CHECKING:
    import sqlite3

MAX_BYTES = 256_000_000
"""Maximum size of the database. The oldest answers are removed first."""
_MAX_ANSWER_BYTES = 4_000_000
WAIT_S = 0.5
"""Time to wait for another process that writes."""
_ROWS = 500
"""Number of keys in one SQL statement."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
  number INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, answer BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""
_COUNT = "INSERT INTO counts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value"
_FORGET = "DELETE FROM answers WHERE number <= (SELECT (MIN(number) + MAX(number)) / 2 FROM answers)"
Answer = TypeVar("Answer")


def cache_file(repo: Repository) -> Path:
    """Return the path of the database, which may not exist."""
    return cache_directory(repo) / "blobs.sqlite"


class BlobCache:
    """The cached answers of one repository."""

    def __init__(self, repo: Repository) -> None:
        self._file = cache_file(repo)

    def read(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the answers that are cached, by key."""

        def read_rows(database: sqlite3.Connection) -> dict[str, bytes]:
            found: dict[str, bytes] = {}
            for part in _batches(keys):
                marks = ",".join("?" * len(part))
                query = f"SELECT key, answer FROM answers WHERE key IN ({marks})"  # noqa: S608 - question marks
                for key, sealed in database.execute(query, part):
                    answer = _unseal(key, sealed)
                    if answer is not None:
                        found[key] = answer
            return found

        return (self._run(read_rows) if self._file.exists() else None) or {}

    def write(self, answers: Mapping[str, bytes], hits: int) -> None:
        """Cache answers, and count them and the ``hits``. Nothing is cached without a persistent secret."""
        if not answers or not trust.has_secret():
            return
        rows = [(key, _seal(key, answer)) for key, answer in answers.items()]
        rows = [row for row in rows if len(row[1]) <= _MAX_ANSWER_BYTES]

        def write_rows(database: sqlite3.Connection) -> None:
            with database:
                database.executemany("INSERT OR REPLACE INTO answers (key, answer) VALUES (?, ?)", rows)
                database.executemany(_COUNT, [("hits", hits), ("misses", len(answers))])
            if self._file.stat().st_size > MAX_BYTES:
                database.execute(_FORGET)
                database.commit()
                database.execute("VACUUM")

        with suppress(OSError, ScalpelError):
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            private_files.ensure_folder(self._file.parent)
            self._run(write_rows)

    def statistics(self) -> tuple[int, int, int]:
        """Return the size in bytes, and the numbers of hits and misses so far."""
        if not self._file.exists():
            return 0, 0, 0
        counts = self._run(lambda database: dict(database.execute("SELECT name, value FROM counts"))) or {}
        return self._file.stat().st_size, counts.get("hits", 0), counts.get("misses", 0)

    def _run(self, action: Callable[[sqlite3.Connection], Answer]) -> Answer | None:
        import sqlite3  # 6 ms, which only queries of directories need

        try:
            with closing(sqlite3.connect(self._file, timeout=WAIT_S)) as database:
                database.execute("PRAGMA journal_mode=WAL")
                database.execute("PRAGMA synchronous=OFF")
                database.executescript(_SCHEMA)
                return action(database)
        except sqlite3.OperationalError:
            return None  # locked, full or read-only
        except sqlite3.DatabaseError:
            for file in _database_files(self._file):
                with suppress(OSError):
                    file.unlink()
            return None


def cache_files(repo: Repository) -> Iterator[Path]:
    """Yield the files of the database that exist."""
    return filter(Path.exists, _database_files(cache_file(repo)))


def _database_files(file: Path) -> Iterator[Path]:
    return (file.with_name(file.name + suffix) for suffix in ("", "-wal", "-shm"))


def _batches(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    return (keys[at : at + _ROWS] for at in range(0, len(keys), _ROWS))


def _seal(key: str, answer: bytes) -> bytes:
    packed = zlib.compress(answer, 1)
    return trust.make_mark(f"blob answer {key}", packed).encode("ascii") + packed


def _unseal(key: str, sealed: object) -> bytes | None:
    if not isinstance(sealed, bytes):
        return None
    mark, packed = sealed[:64].decode("ascii", "replace"), sealed[64:]
    with suppress(zlib.error):
        return zlib.decompress(packed) if trust.is_marked(f"blob answer {key}", packed, mark) else None
    return None
