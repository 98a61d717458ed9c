"""Who may talk to the page, and what its pages may do: a check before every request, headers after it.

A page on the loopback address can be reached by every web page the browser shows. So the Host must be one of ours (a
foreign name may lead here), the Origin must be the page itself, and what we send may load nothing foreign.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL = ("localhost", "127.0.0.1", "::1")
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self' ws://{host};"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Guard:
    """host: the address that the server listens on."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self.app, self.host = app, host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        wrong = self._wrong(headers)
        if wrong is None:
            await self.app(scope, receive, _sending(send, headers.get("host", "")))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": wrong})
        else:
            await JSONResponse({"error": wrong}, 403)(scope, receive, _sending(send, ""))

    def _wrong(self, headers: Headers) -> str | None:
        """Why a request is refused."""
        host = headers.get("host", "")
        if not self._ours(_name(host)):
            return "Expected a request to this computer's own address."
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return "Expected a request from the page itself."
        if origin is None and headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return "Expected a request from the page itself."
        return None

    def _ours(self, name: str) -> bool:
        """Names that lead nowhere else. If we listen beyond this computer, so do addresses: only names can be faked."""
        if name in LOCAL or name == self.host:
            return True
        return self.host not in LOCAL and _is_address(name)


def _sending(send: Send, host: str) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers["Content-Security-Policy"] = POLICY.format(host=host)
        await send(message)

    return with_headers


def _name(host: str) -> str:
    """The name in a Host header."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
