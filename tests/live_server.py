"""The page's server on a real port, and raw requests to it: for clients that misbehave."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from jigsolve.page.app import create_app


@contextmanager
def run_server() -> Iterator[int]:
    """Serves the page in this process; yields its port."""
    config = uvicorn.Config(create_app(), port=0, log_config=None, lifespan="on", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


def send_request(
    port: int, path: str, content: bytes, length: int | None = None, method: str = "POST"
) -> socket.socket:
    """Send some content, of which the header may promise more."""
    line = socket.create_connection(("127.0.0.1", port), timeout=20.0)
    size = len(content) if length is None else length
    line.sendall(
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {size}\r\n\r\n".encode() + content
    )
    return line


def read_answer(line: socket.socket) -> str:
    """What has come by the time that the answer or the connection ends."""
    answer = b""
    with line:
        while chunk := line.recv(1 << 16):
            answer += chunk
            head, found, content = answer.partition(b"\r\n\r\n")
            size = next((word for word in head.lower().split(b"\r\n") if word.startswith(b"content-length:")), None)
            if found and size is not None and len(content) >= int(size.split(b":")[1]):
                break
    return answer.decode(errors="replace")
