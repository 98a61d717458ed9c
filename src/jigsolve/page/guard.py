"""Access control: a check before every request, security headers on every response.

Every web page in the browser can send requests to a loopback address. So the Host header must name this computer (a
foreign name may resolve to it), the Origin must be the page itself, and the page may load nothing foreign.
"""

import ipaddress
import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[0-9A-Za-z._-]+))(?::[0-9]{1,5})?")
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
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
    """Middleware. host: the address that the server listens on."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self.app, self.host = app, host.lower()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._find_refusal(headers)
        if refusal is None:
            await self.app(scope, receive, _add_headers(send, headers.get("host", "")))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal})
        else:
            await JSONResponse({"error": refusal}, 403)(scope, receive, _add_headers(send, ""))

    def _find_refusal(self, headers: Headers) -> str | None:
        """Why a request is refused; None if it is allowed."""
        host = headers.get("host", "")
        if not self._is_allowed_host(_parse_host(host)):
            return "Expected a request to this computer's own address."
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        own = site in ("same-origin", "none") if origin is None else origin == f"http://{host}"
        return None if own else "Expected a request from the page itself."

    def _is_allowed_host(self, name: str) -> bool:
        """Local names, and IP addresses if the server listens beyond this computer: only names can be faked."""
        if name in LOCAL_HOSTS or name == self.host:
            return True
        return self.host not in LOCAL_HOSTS and _is_address(name)


def _add_headers(send: Send, host: str) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers["Content-Security-Policy"] = POLICY.format(host=host)
        await send(message)

    return send_with_headers


def _parse_host(host: str) -> str:
    """The host name in a Host header, without the port; "" if it is anything else, as it is copied into the policy."""
    found = _HOST.fullmatch(host)
    return "" if found is None else (found["address"] or found["name"]).lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
