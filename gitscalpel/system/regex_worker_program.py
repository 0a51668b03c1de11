"""Regex worker, run as a program without other modules of ours. It dies if a pattern takes too long.

It reads questions from standard input (pattern, flags, CPU seconds, text, and matches or None) and writes
answers to standard output, both in ``marshal`` format, until the input ends.
"""

from __future__ import annotations

import marshal
import re
import signal
import sys
from typing import Any


def spans(pattern: re.Pattern[Any], text: Any) -> list[tuple[tuple[int, int], ...]]:
    groups = range(pattern.groups + 1)
    return [tuple(map(match.span, groups)) for match in pattern.finditer(text)]


def restart(pattern: re.Pattern[Any], text: Any, matches: list[tuple[int, int]]) -> tuple[int, int] | None:
    for number, (start, end) in enumerate(matches):
        at = start + 1
        while at < end and pattern.match(text, at):
            at += 1
        again = next((match.start() for match in pattern.finditer(text, at) if match.group()), end)
        if again < end:
            return number, again
    return None


def main() -> None:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    while True:
        try:
            pattern, flags, seconds, text, matches = marshal.load(sys.stdin.buffer)  # noqa: S302 - from our parent
        except EOFError:
            return
        signal.setitimer(signal.ITIMER_PROF, seconds)
        compiled = re.compile(pattern, flags)
        answer = spans(compiled, text) if matches is None else restart(compiled, text, matches)
        signal.setitimer(signal.ITIMER_PROF, 0)
        marshal.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
