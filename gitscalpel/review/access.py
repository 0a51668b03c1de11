"""Access control of the review page: only callers with the token, and no other site in the browser.

Any page in a browser can send requests to this machine. So each request needs the token (once in the address,
then in a cookie that is not sent from other sites), the host must be this machine, against DNS rebinding, and
a request that changes something must come from the page itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
    """ASGI middleware that passes on authorised requests.

    Args:
        app: application behind the guard.
        token: access token.
        port: port of the server.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app, self._token, self._port = app, token, port
        self._hosts = loopback.hosts(port)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI 3)."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._check_request(Request(scope), Headers(scope=scope))
        await (refused or self._app)(scope, receive, _with_headers(send))

    def _check_request(self, request: Request, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if host not in self._hosts:
            return PlainTextResponse("this page is only for this machine", 421)
        shown = request.query_params.get("token")
        if shown is not None and self._is_token(shown):
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
