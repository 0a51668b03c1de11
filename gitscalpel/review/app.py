"""The review page: full pages without scripts, fragments for htmx, served until interrupted."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gitscalpel.api import Repository, ScalpelError
from gitscalpel.changesets.answers import subject
from gitscalpel.errors.messages import Spelling
from gitscalpel.review import page_templates
from gitscalpel.review.access import Guard
from gitscalpel.review.background_jobs import Job, Jobs, Work
from gitscalpel.review.pending_transactions import Seen, pending, seen
from gitscalpel.system import loopback

_AGENT = "review page"
_STATUS_BY_CODE = {"tx_not_found": 404, "tx_closed": 410}


class Pages:
    """Pages of one repository.

    Args:
        root: folder of the repository.
        spelling: spelling of calls in messages and hints.
    """

    def __init__(self, root: Path, spelling: Spelling) -> None:
        self._root = root
        self._repo = Repository(root, agent=_AGENT, spelling=spelling)
        self._lock = threading.Lock()
        self._jobs = Jobs(root, _AGENT, spelling)
        self._templates = page_templates.environment(spelling)

    def app(self) -> Starlette:
        """Return the application with all routes."""
        static = StaticFiles(directory=Path(__file__).with_name("static"))
        return Starlette(
            routes=[
                Route("/", self._redirect_to_first),
                Route("/list", self._show_list),
                Route("/tx/{tx}", self._show_transaction),
                Route("/tx/{tx}/{do}", self._handle_action, methods=["POST"]),
                Route("/undo", self._undo, methods=["POST"]),
                Route("/job/{number:int}", self._show_job),
                Mount("/static", static),
            ],
        )

    def close(self) -> None:
        """Close the repository."""
        self._repo.close()

    def _redirect_to_first(self, request: Request) -> Response:
        with self._lock:
            rows = pending(self._repo)
        if rows:
            return RedirectResponse(f"/tx/{rows[0].tx}", 303)
        return self._render_page(request, None)

    def _show_list(self, request: Request) -> Response:
        with self._lock:
            rows = pending(self._repo)
        return self._render("list.html", rows=rows, chosen=request.query_params.get("chosen", ""))

    def _show_transaction(self, request: Request) -> Response:
        return self._render_page(request, request.path_params["tx"])

    def _render_page(self, request: Request, tx: str | None, **more: Any) -> Response:
        """Return the page of a transaction, or the part of it that changes."""
        with self._lock:
            try:
                found: Seen | None = None if tx is None else seen(self._repo, tx)
            except ScalpelError as error:
                found = None
                if "job" not in more:  # otherwise the job may have closed the transaction
                    more = {"error": error, **more}
            rows = pending(self._repo)
        said = {"error": None, "job": None, "done": "", **more}
        status = _STATUS_BY_CODE.get(said["error"].code, 200) if said["error"] and found is None else 200
        name = "transaction.html" if _is_htmx(request) else "page.html"
        where = {"repository": self._root.name, "rows": rows, "chosen": tx or ""}
        said["buttons"] = page_templates.BUTTONS
        return self._render(name, status, seen=found, **where, **said)

    async def _handle_action(self, request: Request) -> Response:
        tx, do = request.path_params["tx"], request.path_params["do"]
        form = parse_qs((await request.body()).decode("utf-8", "replace"))
        given = {name: values[-1].strip() for name, values in form.items()}
        act: Callable[..., Response] | None = {
            "approve": self._decide,
            "reject": self._decide,
            "land": self._start_job,
            "check": self._start_job,
        }.get(do)
        if act is None:
            return Response("no such button", 404)
        return await run_in_threadpool(act, request, tx, do, given)

    def _decide(self, request: Request, tx: str, do: str, given: dict[str, str]) -> Response:
        said: dict[str, Any] = {}
        with self._lock:
            try:
                transaction = self._repo.transaction(tx)
                decide = transaction.approve if do == "approve" else transaction.reject
                decide(given.get("message", ""), given.get("expect", ""))
                said["done"] = "approved" if do == "approve" else "rejected"
            except ScalpelError as error:
                said["error"] = error
        return self._render_page(request, tx, **said)

    def _start_job(self, request: Request, tx: str, do: str, given: dict[str, str]) -> Response:
        """Start an action that may take minutes because gates run."""
        expected = given.get("expect", "")

        def land(repo: Repository) -> str:
            transaction = repo.transaction(tx)
            if transaction.result.head != expected:
                return "it has changed since you viewed it: review it again"
            done = transaction.land(expect=expected)
            return f"landed on {done.target}: {subject(done.message)}"

        def check(repo: Repository) -> str:
            rows = repo.transaction(tx).check().facts.gates
            return ", ".join(f"{row.name}: {row.status}" for row in rows)

        work: Work = land if do == "land" else check
        job = self._jobs.start(f"{do} {tx}", work)
        return self._render_page(request, tx, job=job) if _is_htmx(request) else _redirect(job)

    async def _undo(self, request: Request) -> Response:
        def undo(repo: Repository) -> str:
            step = repo.undo()
            return f"undone: {subject(step.message)}"

        job = self._jobs.start("undo", undo)
        return self._render("job.html", job=job) if _is_htmx(request) else _redirect(job)

    def _show_job(self, request: Request) -> Response:
        job = self._jobs.get(request.path_params["number"])
        if job is None:
            return Response("no such job", 404)
        answer = (
            self._render("job.html", job=job)
            if _is_htmx(request)
            else self._render_page(request, None, job=job)
        )
        if job.is_done:
            answer.headers["HX-Trigger"] = "changed"
        else:
            answer.headers["Refresh"] = "1"
        return answer

    def _render(self, name: str, status: int = 200, **values: Any) -> Response:
        return HTMLResponse(self._templates.get_template(name).render(**values), status)


def _is_htmx(request: Request) -> bool:
    return "hx-request" in request.headers


def _redirect(job: Job) -> Response:
    """Send a browser without scripts to the page of a job."""
    return RedirectResponse(f"/job/{job.number}", 303)


def serve(root: Path, port: int, spelling: Spelling, tell: Callable[[str], None]) -> None:
    """Serve the review page until interrupted.

    Args:
        root: folder of the repository.
        port: port to listen on, or 0 for a free one.
        spelling: spelling of calls in messages and hints.
        tell: receives the address with its token, which is new each time.

    Raises:
        OSError: the port is taken.
    """
    import uvicorn

    with loopback.listening(port) as (listening, at):
        token = secrets.token_urlsafe(24)
        pages = Pages(root, spelling)
        try:
            app = Guard(pages.app(), token, at)
            # Nothing is logged, since the first address of every page contains the token.
            config = uvicorn.Config(app, log_level="critical", access_log=False, lifespan="off")
            tell(f"http://127.0.0.1:{at}/?token={token}")
            with suppress(KeyboardInterrupt):  # the usual end of the server
                uvicorn.Server(config).run(sockets=[listening])
        finally:
            pages.close()
