"""Load on the page: many parallel clients that upload, solve and read; then small solves one after another.

    python benchmarks/page_load.py [--clients 50] [--solves 100]

Starts `jigsolve serve`. Prints the outcome of every client, the waiting times, and the memory, open files, threads and
processes of the server before and after. All traffic stays on the loopback address.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import httpx2
import skimage.data
import websockets

from jigsolve.io import pictures, render
from jigsolve.puzzle.pieces import cut, scramble


def make_sheet(seed: int) -> bytes:
    picture = skimage.data.chelsea()[40:240, 100:340]
    file = io.BytesIO()
    pictures.encode(file, "PNG", render.render_sheet(scramble(cut(picture, 40), False, seed)[0]))
    return file.getvalue()


def make_body(name: str, raw: bytes) -> bytes:
    listed = json.dumps([[name, len(raw)]]).encode()
    return len(listed).to_bytes(4, "little") + listed + raw


async def round_trip(address: str, client: httpx2.AsyncClient, seed: int, cancels: bool = False) -> str:
    """Upload, solve, wait for the answer (or cancel while the solve is queued), and delete."""
    sent = await client.post(f"{address}/api/sessions", content=make_body(f"{seed}.png", make_sheet(seed)))
    if sent.status_code != 201:
        return f"refused: {sent.json()['error']}"
    path = f"/api/sessions/{sent.json()['key']}"
    cancelled = False
    async with websockets.connect(f"{address.replace('http', 'ws')}{path}/live", max_size=None) as line:
        await client.post(f"{address}{path}/solve", json={"effort": "fast"})
        async for message in line:
            state = json.loads(message)["state"]
            if state["phase"] == "answer" or state["error"] or (cancelled and state["phase"] == "pieces"):
                break
            if cancels and state["phase"] == "queued" and not cancelled:
                cancelled = True
                await client.post(f"{address}{path}/command", json={"command": "cancel"})
    phase = (await client.get(f"{address}{path}")).json()["phase"]
    await client.delete(f"{address}{path}")
    return "answered" if phase == "answer" else "cancelled" if cancelled else f"failed in {phase}"


def read_usage(pid: int) -> dict[str, float]:
    """Memory in MB, open files, threads and child processes of the server."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {"MB": int(status["VmRSS"].split()[0]) // 1024, "files": len(os.listdir(f"/proc/{pid}/fd")),
            "threads": int(status["Threads"]), "processes": len(children)}  # fmt: skip


async def run(address: str, pid: int, clients: int, solves: int) -> None:
    async with httpx2.AsyncClient(timeout=600.0, limits=httpx2.Limits(max_connections=None)) as client:
        print("at rest:", await round_trip(address, client, 0), read_usage(pid))
        begin = time.monotonic()
        ends = await asyncio.gather(*(round_trip(address, client, k, k % 5 == 4) for k in range(clients)))
        print(f"{clients} at once: {dict(Counter(ends))} in {time.monotonic() - begin:.1f} s", read_usage(pid))
        begin = time.monotonic()
        for k in range(solves):
            assert await round_trip(address, client, k) == "answered"
            if (k + 1) % 50 == 0:
                print(f"{k + 1} solves in {time.monotonic() - begin:.1f} s", read_usage(pid), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--solves", type=int, default=100)
    args = parser.parse_args()
    command = [sys.executable, "-m", "jigsolve", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[3].rstrip("/")
        try:
            asyncio.run(run(address, server.pid, args.clients, args.solves))
        finally:
            server.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
