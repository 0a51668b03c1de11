"""Answer one question about each of many files: from the cache, or computed by idle processors.

An answer depends on the file's bytes, its name and the question alone. ``BlobCache`` keeps it for every path
and commit that has the same blob.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from gitscalpel.api.query_cache import code_key
from gitscalpel.errors import ScalpelError
from gitscalpel.git.blob_cache import BlobCache
from gitscalpel.git.repository import Repository
from gitscalpel.system import worker_processes

Answer = TypeVar("Answer")


class Sized(Protocol):
    """An open file with its size in bytes."""

    @property
    def size(self) -> int: ...


Opened = TypeVar("Opened", bound=Sized)
Asked = TypeVar("Asked", bound="FileToAnswer[Any]")
_FIRST_BATCH, _LARGEST_BATCH = 32, 1024
"""Numbers of files: few at first, as a caller may need only the first answers."""
WORTH_A_PROCESS = 100_000
"""Bytes of source from which another process saves time. Starting one takes 10 ms."""


class Question(msgspec.Struct, Generic[Opened, Answer], frozen=True):
    """One question about any file.

    Attributes:
        text: all that an answer depends on, except for the file.
        kind: type of the answers.
        compute: answers it for an open file, without side effects.
    """

    text: str
    kind: type[Answer]
    compute: Callable[[Opened], Answer]

    def key(self, name: str, language: str, blob: str) -> str:
        """Return the cache key of the answer about a file.

        ``language`` says which language rules and the path give it, since another file with the same name
        and blob may have another one.
        """
        words = "\0".join((self.text, name, language, blob)).encode("utf-8", "surrogateescape")
        return blake2b(words, key=code_key(), digest_size=20).hexdigest()

    def decode(self, answer: bytes) -> Answer:
        """Return an answer from its encoded form."""
        return msgspec.msgpack.decode(answer, type=self.kind)


class FileToAnswer(msgspec.Struct, Generic[Opened], frozen=True):
    """A file with the key of its answer.

    Attributes:
        path: path of the file.
        key: key of the answer, see ``Question.key``.
        open: reads the file.
    """

    path: str
    key: str
    open: Callable[[], Opened]


def answer_files(
    repo: Repository, files: Sequence[Asked], question: Question[Opened, Answer]
) -> Iterator[tuple[Asked, Answer | ScalpelError]]:
    """Yield each file with the answer about it, or the error of reading it, in order."""
    cache = BlobCache(repo)
    at, count = 0, _FIRST_BATCH
    while at < len(files):
        batch = files[at : at + count]
        cached = cache.read([file.key for file in batch])
        missing = [file for file in batch if file.key not in cached]
        computed = dict(zip((file.path for file in missing), _compute_all(missing, question), strict=True))
        new = {file.key: computed[file.path] for file in missing}
        cache.write({key: answer for key, answer in new.items() if isinstance(answer, bytes)}, len(cached))
        for file in batch:
            answer = cached.get(file.key) or computed[file.path]
            yield file, answer if isinstance(answer, ScalpelError) else question.decode(answer)
        at, count = at + count, min(2 * count, _LARGEST_BATCH)


def _compute_all(
    files: Sequence[FileToAnswer[Opened]], question: Question[Opened, Answer]
) -> list[bytes | ScalpelError]:
    """Return the encoded answer about each file, or the error of reading it."""
    # Files are read before the processes start, which must not share a pipe to git.
    opened = [_attempt(file.open) for file in files]
    costs = [0 if isinstance(each, ScalpelError) else each.size for each in opened]

    def encode_answer(file: Opened | ScalpelError) -> bytes | ScalpelError:
        if isinstance(file, ScalpelError):
            return file
        answer = _attempt(lambda: question.compute(file))
        return answer if isinstance(answer, ScalpelError) else msgspec.msgpack.encode(answer)

    def compute(file: Opened | ScalpelError) -> bytes | None:
        answer = encode_answer(file)
        return answer if isinstance(answer, bytes) else None

    workers = min(worker_processes.count_idle_processors(), 1 + sum(costs) // WORTH_A_PROCESS)
    answers = worker_processes.compute_in_processes(compute, opened, costs, workers)
    return [answer or encode_answer(file) for file, answer in zip(opened, answers, strict=True)]


def _attempt(action: Callable[[], Answer]) -> Answer | ScalpelError:
    try:
        return action()
    except ScalpelError as error:
        return error
