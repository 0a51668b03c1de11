"""Serve the review page on this machine until it is interrupted."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gitscalpel.errors.messages import Spelling
from gitscalpel.review.access import Guard
from gitscalpel.review.app import Pages
from gitscalpel.system import loopback


def serve(root: Path, port: int, spelling: Spelling, tell: Callable[[str], None]) -> None:
    """Serve it; ``tell`` hears its address, whose token is made anew each time.

    Args:
        root: the folder of the repository.
        port: on which to listen; 0: one that is free.
        spelling: the spelling of calls in messages and hints.
        tell: hears the address.

    Raises:
        OSError: the port is taken.
    """
    import uvicorn

    with loopback.listening(port) as (listening, at):
        token = secrets.token_urlsafe(24)
        pages = Pages(root, spelling)
        try:
            app = Guard(pages.app(), token, at)
            # Nothing is logged: the first address of every page holds the token.
            config = uvicorn.Config(app, log_level="critical", access_log=False, lifespan="off")
            tell(f"http://127.0.0.1:{at}/?token={token}")
            with suppress(KeyboardInterrupt):  # as it is ended; uvicorn has told its callers
                uvicorn.Server(config).run(sockets=[listening])
        finally:
            pages.close()
