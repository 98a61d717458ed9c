"""Runs the page's server until it is interrupted."""

import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from jigsolve.page.app import create_app
from jigsolve.runtime import InputError


def serve(host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Serve until interrupted. port: 0 takes any free one. on_ready: called with the address once it can be opened."""
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    config = uvicorn.Config(
        create_app(host), log_level="warning", access_log=False, server_header=False, date_header=False,
        ws_max_size=1 << 16, timeout_graceful_shutdown=1, lifespan="on",
    )  # fmt: skip
    name = f"[{host}]" if ":" in host else host
    on_ready(f"http://{name}:{port}/")
    with listening, suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(256)
    except OSError as error:
        raise InputError(f"Expected to serve at {host}:{port}: {error.strerror or error}.") from error
    return listening
