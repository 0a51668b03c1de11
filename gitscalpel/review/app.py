"""Review page: its routes, templates and access control.

Any page in a browser can send requests to this machine. So each request needs the token (once in the address,
then in a cookie that is not sent from other sites), the host must be this machine, against DNS rebinding, and
a request that changes something must come from the page itself.
"""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gitscalpel.api import Repository, ScalpelError
from gitscalpel.changesets.answers import message_subject, replace_surrogates
from gitscalpel.errors.messages import Spelling, spell
from gitscalpel.review.pending_transactions import (
    Job,
    Jobs,
    TransactionPage,
    Work,
    list_pending,
    read_transaction_page,
)
from gitscalpel.system import loopback

_COOKIE = "scalpel"
_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with "no-referrer" a form's origin is "null" (fetch.spec.whatwg.org)
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Guard:
    """ASGI middleware that passes on authorised requests."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token, self._port = app, token, port
        self._hosts = loopback.valid_hosts(port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._check_request(Request(scope), Headers(scope=scope))
        await (refused or self._app)(scope, receive, _with_headers(send))

    def _check_request(self, request: Request, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if host not in self._hosts:
            return PlainTextResponse("this page is only for this machine", 421)
        token = request.query_params.get("token")
        if token is not None and self._is_token(token):
            answer = RedirectResponse(request.url.path, 303)
            # Cookies know no ports: the name keeps two pages of one user apart.
            answer.set_cookie(f"{_COOKIE}-{self._port}", self._token, httponly=True, samesite="strict")
            return answer
        if not self._is_token(request.cookies.get(f"{_COOKIE}-{self._port}", "")):
            return PlainTextResponse("open the address that the command printed, with its token", 403)
        if request.method not in ("GET", "HEAD") and headers.get("origin") != f"http://{host}":
            return PlainTextResponse("this request did not come from the page itself", 403)
        return None

    def _is_token(self, token: str) -> bool:
        return loopback.is_token(token, self._token)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


_INVISIBLE = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


def _make_visible(value: Any, spelling: Spelling) -> Any:
    """Return a value for display; trusted HTML stays unchanged."""
    if hasattr(value, "__html__") or not isinstance(value, str):
        return value
    return _INVISIBLE.sub(
        lambda match: f"<U+{ord(match[0]):04X}>", replace_surrogates(spell(value, spelling))
    )


BUTTONS = ("approve", "reject", "check", "land")


def template_environment(spelling: Spelling) -> Environment:
    """Return the template environment; ``spelling`` is that of calls in messages and hints."""
    reader = Environment(
        loader=PackageLoader("gitscalpel.review"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=partial(_make_visible, spelling=spelling),
    )
    reader.filters["told"] = lambda error: error.told(spelling)
    return reader


def render_frame_page(page: TransactionPage | None, spelling: Spelling, buttons: Collection[str] = ()) -> str:
    """Return a self-contained page that an MCP client shows in a frame (``ui://``).

    The transaction is None if the frame gets the ID later. ``buttons`` are available ones of :data:`BUTTONS`.
    """
    static = files("gitscalpel.review") / "static"
    parts = {name: (static / name).read_text("utf-8") for name in ("style.css", "app.js")}
    values = {"seen": page, "buttons": buttons, "error": None, "job": None, "done": ""}
    template = template_environment(spelling).get_template("app.html")
    return template.render(style=parts["style.css"], script=parts["app.js"], **values)


_AGENT = "review page"
_STATUS_BY_CODE = {"tx_not_found": 404, "tx_closed": 410}


class Pages:
    """Pages of one repository."""

    def __init__(self, root: Path, spelling: Spelling) -> None:
        self._root = root
        self._repo = Repository(root, agent=_AGENT, spelling=spelling)
        self._lock = threading.Lock()
        self._jobs = Jobs(root, _AGENT, spelling)
        self._templates = template_environment(spelling)

    def app(self) -> Starlette:
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
        self._repo.close()

    def _redirect_to_first(self, request: Request) -> Response:
        with self._lock:
            rows = list_pending(self._repo)
        if rows:
            return RedirectResponse(f"/tx/{rows[0].tx}", 303)
        return self._render_page(request, None)

    def _show_list(self, request: Request) -> Response:
        with self._lock:
            rows = list_pending(self._repo)
        return self._render("list.html", rows=rows, chosen=request.query_params.get("chosen", ""))

    def _show_transaction(self, request: Request) -> Response:
        return self._render_page(request, request.path_params["tx"])

    def _render_page(self, request: Request, tx: str | None, **extra: Any) -> Response:
        """Return the page of a transaction, or the part of it that changes."""
        with self._lock:
            try:
                page: TransactionPage | None = None if tx is None else read_transaction_page(self._repo, tx)
            except ScalpelError as error:
                page = None
                if "job" not in extra:  # otherwise the job may have closed the transaction
                    extra = {"error": error, **extra}
            rows = list_pending(self._repo)
        values = {"error": None, "job": None, "done": "", **extra}
        status = _STATUS_BY_CODE.get(values["error"].code, 200) if values["error"] and page is None else 200
        name = "transaction.html" if _is_htmx(request) else "page.html"
        list_values = {"repository": self._root.name, "rows": rows, "chosen": tx or ""}
        values["buttons"] = BUTTONS
        return self._render(name, status, seen=page, **list_values, **values)

    async def _handle_action(self, request: Request) -> Response:
        tx, do = request.path_params["tx"], request.path_params["do"]
        form = parse_qs((await request.body()).decode("utf-8", "replace"))
        fields = {name: values[-1].strip() for name, values in form.items()}
        action: Callable[..., Response] | None = {
            "approve": self._decide,
            "reject": self._decide,
            "land": self._start_job,
            "check": self._start_job,
        }.get(do)
        if action is None:
            return Response("no such button", 404)
        return await run_in_threadpool(action, request, tx, do, fields)

    def _decide(self, request: Request, tx: str, do: str, fields: dict[str, str]) -> Response:
        values: dict[str, Any] = {}
        with self._lock:
            try:
                transaction = self._repo.transaction(tx)
                decide = transaction.approve if do == "approve" else transaction.reject
                decide(fields.get("message", ""), fields.get("expect", ""))
                values["done"] = "approved" if do == "approve" else "rejected"
            except ScalpelError as error:
                values["error"] = error
        return self._render_page(request, tx, **values)

    def _start_job(self, request: Request, tx: str, do: str, fields: dict[str, str]) -> Response:
        """Start an action that may take minutes because gates run."""
        expected = fields.get("expect", "")

        def land(repo: Repository) -> str:
            transaction = repo.transaction(tx)
            if transaction.result.head != expected:
                return "it has changed since you viewed it: review it again"
            done = transaction.land(expect=expected)
            return f"landed on {done.target}: {message_subject(done.message)}"

        def check(repo: Repository) -> str:
            rows = repo.transaction(tx).check().facts.gates
            return ", ".join(f"{row.name}: {row.status}" for row in rows)

        work: Work = land if do == "land" else check
        job = self._jobs.start(f"{do} {tx}", work)
        return self._render_page(request, tx, job=job) if _is_htmx(request) else _redirect(job)

    async def _undo(self, request: Request) -> Response:
        def undo(repo: Repository) -> str:
            step = repo.undo()
            return f"undone: {message_subject(step.message)}"

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
    """Serve the review page until interrupted, on a free port if ``port`` is 0.

    ``tell`` receives the address with its token, which is new each time.

    Raises:
        OSError: the port is taken.
    """
    import uvicorn

    with loopback.open_listener(port) as (listening, at):
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
