"""The web application and its server: one short handler for each route. An `InputError` becomes one line of JSON."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from importlib.resources import files as resources
from typing import Any, TypeVar

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from jigsolve.dissimilarity import BORDERS
from jigsolve.io import files, render
from jigsolve.io.pin_file import from_data as parse_pins
from jigsolve.io.samples import SAMPLES, read_sample
from jigsolve.io.tiles import describe_source
from jigsolve.page import examples, exports
from jigsolve.page.board import EditedBoard
from jigsolve.page.boards import plan_fragments, read_board
from jigsolve.page.guard import Guard
from jigsolve.page.jobs import Jobs
from jigsolve.page.judgement import Judgement
from jigsolve.page.replay.atlas import encode
from jigsolve.page.session import Session, open_session
from jigsolve.page.sessions import GRACE_S, Sessions
from jigsolve.page.settings import Settings, build_input, parse_solve_request
from jigsolve.page.upload import (
    CELL_BYTES,
    LIMITS,
    MAX_JSON_BYTES,
    MAX_UPLOAD_BYTES,
    PIN_BYTES,
    Inbox,
    parse_files,
    parse_work,
    split_work,
)  # fmt: skip
from jigsolve.puzzle import NO_PINS, Pixels
from jigsolve.runtime import InputError
from jigsolve.solvers import SOLVERS

MAX_CONCURRENT_UPLOADS = 2
MAX_CONCURRENT_RENDERS = 2
PREVIEW_PX = 2000  # longer side of a picture that is still whole
MEDIA_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
STATIC_PACKAGES = ("jigsolve.page", "jigsolve.page.replay")
Content = TypeVar("Content")
Handler = Callable[[Request], Awaitable[Response]]


def create_app(host: str = "127.0.0.1", grace: float = GRACE_S) -> Starlette:
    """host: the address it will be served at. grace: seconds that a session outlives its page."""
    handlers = _Handlers(grace)
    session = "/api/sessions/{key}"
    routes = [
        _route("/", handlers.get_static),
        _route("/static/{name}", handlers.get_static),
        _route("/api/choices", handlers.list_choices),
        _route("/api/examples", handlers.list_examples),
        _route("/api/examples/{name}.jpg", handlers.get_thumbnail),
        _route("/api/examples/{name}", handlers.open_example, "POST"),
        _route("/api/sessions", handlers.open_files, "POST"),
        _route(session, handlers.get_state),
        _route(session, handlers.close, "DELETE"),
        _route(f"{session}/atlas", handlers.get_atlas),
        _route(f"{session}/source", handlers.get_source),
        _route(f"{session}/reference", handlers.set_reference, "POST"),
        _route(f"{session}/reference", handlers.remove_reference, "DELETE"),
        _route(f"{session}/settings", handlers.change_settings, "POST"),
        _route(f"{session}/solve", handlers.solve, "POST"),
        _route(f"{session}/command", handlers.control, "POST"),
        _route(f"{session}/answer", handlers.get_answer),
        _route(f"{session}/judgement", handlers.judge, "POST"),
        _route(f"{session}/picture", handlers.export_picture, "POST"),
        _route(f"{session}/overlay", handlers.export_overlay, "POST"),
        _route(f"{session}/layout", handlers.export_layout, "POST"),
        _route(f"{session}/fragments", handlers.export_fragments, "POST"),
        _route(f"{session}/report", handlers.export_report, "POST"),
        _route(f"{session}/replay", handlers.export_replay),
        _route(f"{session}/animation", handlers.export_animation),
        WebSocketRoute(f"{session}/live", handlers.stream),
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        handlers.jobs.warm_up()
        expiry = asyncio.create_task(handlers.sessions.expire_forever())
        yield
        expiry.cancel()
        handlers.jobs.close()

    app = Starlette(routes=routes, lifespan=lifespan, middleware=[Middleware(Guard, host=host)])
    app.state.sessions = handlers.sessions
    return app


def _route(path: str, handle: Handler, method: str = "GET") -> Route:
    async def handle_errors(request: Request) -> Response:
        try:
            return await handle(request)
        except InputError as error:
            return JSONResponse({"error": str(error)}, 400)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody reads it

    return Route(path, handle_errors, methods=[method])


class _Handlers:
    def __init__(self, grace: float) -> None:
        self.jobs = Jobs()
        self.sessions = Sessions(self.jobs, grace)
        self.inbox = Inbox()
        self.uploads = asyncio.Semaphore(MAX_CONCURRENT_UPLOADS)
        self.renders = asyncio.Semaphore(MAX_CONCURRENT_RENDERS)

    async def get_static(self, request: Request) -> Response:
        return _respond_static(request.path_params.get("name", "index.html"))

    async def list_choices(self, request: Request) -> Response:
        return JSONResponse({"solvers": list(SOLVERS), "borders": list(BORDERS)})

    async def list_examples(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(examples.list_examples))

    async def get_thumbnail(self, request: Request) -> Response:
        image = await run_in_threadpool(examples.make_thumbnail, request.path_params["name"])
        return Response(image, media_type="image/jpeg")

    async def open_example(self, request: Request) -> Response:
        name = request.path_params["name"]
        example = examples.find_example(name)
        message = await self.inbox.receive_json(request, MAX_JSON_BYTES)
        work = parse_work(message) if message else None
        async with self.uploads:
            source = await run_in_threadpool(read_sample, name)
            return self._add(
                await run_in_threadpool(open_session, SAMPLES[name].title, source, work, example.settings())
            )

    async def open_files(self, request: Request) -> Response:
        async with self.inbox.receive(request, MAX_UPLOAD_BYTES) as body, self.uploads:
            return self._add(await run_in_threadpool(_open_upload, body))

    def _add(self, session: Session) -> Response:
        self.sessions.add(session)
        return JSONResponse(session.state(), 201)

    def _find(self, request: Request | WebSocket) -> Session:
        return self.sessions.find(request.path_params["key"])

    async def get_state(self, request: Request) -> Response:
        return JSONResponse(self._find(request).state())

    async def close(self, request: Request) -> Response:
        self.sessions.remove(self._find(request))
        return JSONResponse({})

    async def get_atlas(self, request: Request) -> Response:
        session = self._find(request)
        if session.atlas is None:
            raise InputError("Expected pieces to show: there are none yet.")
        return Response(await self._render(encode, session.atlas.pixels, "PNG"), media_type="image/png")

    async def get_source(self, request: Request) -> Response:
        """A picture that could not be cut, small enough to look at."""
        source = self._find(request).source
        if isinstance(source, files.Pieces):
            raise InputError("Expected a picture to show, got pieces.")
        preview = await self._render(lambda: encode(render.to_rgb8(render.shrink(source, PREVIEW_PX)), "JPEG"))
        return Response(preview, media_type="image/jpeg")

    async def set_reference(self, request: Request) -> Response:
        session = self._find(request)
        async with self.inbox.receive(request, MAX_UPLOAD_BYTES) as body, self.uploads:
            session.reference = await run_in_threadpool(_read_reference, body)
        session.notify()
        return JSONResponse(session.state())

    async def remove_reference(self, request: Request) -> Response:
        session = self._find(request)
        session.reference = None
        session.notify()
        return JSONResponse(session.state())

    async def change_settings(self, request: Request) -> Response:
        session = self._find(request)
        settings = Settings.from_data(await self.inbox.receive_json(request))
        async with session.changing:
            built = await run_in_threadpool(build_input, session.source, settings)
            session.cancel(self.jobs)
            session.set_input(settings, built)
            session.notify()
        return JSONResponse(session.state())

    async def solve(self, request: Request) -> Response:
        session = self._find(request)
        message = await self.inbox.receive_json(request, session.max_message_bytes(PIN_BYTES))
        wanted = parse_solve_request(message)
        async with session.changing:
            planned = await run_in_threadpool(plan_fragments, session, wanted) if session.has_fragments else None
            self._find(request).solve(self.jobs, wanted, planned)  # unless it was closed meanwhile
            session.notify()
        return JSONResponse(session.state())

    async def control(self, request: Request) -> Response:
        session = self._find(request)
        command = (await self.inbox.receive_json(request)).get("command")
        if command == "cancel" or (command == "stop" and session.phase == "queued"):
            session.cancel(self.jobs)
        elif command in ("pause", "resume", "stop"):
            if session.job is not None:
                self.jobs.send_command(session.job, str(command))
        else:
            raise InputError("Expected a command out of pause, resume, stop, cancel.")
        return JSONResponse(session.state())

    async def get_answer(self, request: Request) -> Response:
        session = self._find(request)
        if session.answer is None:
            raise InputError("Expected an answer: there is none yet.")
        return Response(await run_in_threadpool(session.describe_answer), media_type="application/json")

    async def judge(self, request: Request) -> Response:
        if self._find(request).has_fragments:
            session, edited = await self._read_board(request)
            return Response(
                await run_in_threadpool(exports.describe_edited, session, edited), media_type="application/json"
            )
        session, found = await self._read_layout(request)
        if found.saved.confidence is None:
            session.measure(self.jobs)  # the next time it is known
        return Response(await run_in_threadpool(lambda: json.dumps(found.to_data())), media_type="application/json")

    async def export_picture(self, request: Request) -> Response:
        """The picture of an edited layout in full size."""
        session, found = await self._read_layout(request)
        return _respond_download(await self._render(exports.render_picture, session, found), "solved.png", "image/png")

    async def export_overlay(self, request: Request) -> Response:
        session, found = await self._read_layout(request)
        return _respond_download(await self._render(exports.render_overlay, session, found), "doubts.png", "image/png")

    async def export_layout(self, request: Request) -> Response:
        if self._find(request).has_fragments:
            session, edited = await self._read_board(request)
            saved = exports.export_board(session, edited)
        else:
            session, found = await self._read_layout(request)
            saved = session.export_layout(found)
        content = await run_in_threadpool(files.format_layout, saved)
        return _respond_download(content.encode(), "layout.json", "application/json")

    async def export_fragments(self, request: Request) -> Response:
        """A zip with the files that the command line writes of a cache."""
        session, edited = await self._read_board(request)
        content = await self._render(exports.pack_fragments, session, edited)
        return _respond_download(content, "fragments.zip", "application/zip")

    async def export_report(self, request: Request) -> Response:
        session, edited = await self._read_board(request)
        content = await self._render(exports.render_fragments_report, session, edited)
        return _respond_download(content, "report.html", "text/html")

    async def _read_board(self, request: Request) -> tuple[Session, EditedBoard]:
        """The board of a message, with its pins."""
        session = self._find(request)
        message = await self.inbox.receive_json(request, session.max_message_bytes(CELL_BYTES + PIN_BYTES))
        pins = NO_PINS if message.get("pins") is None else parse_pins(message["pins"])
        return session, await run_in_threadpool(read_board, session, message, pins)

    async def _read_layout(self, request: Request) -> tuple[Session, Judgement]:
        session = self._find(request)
        limit = session.max_message_bytes(CELL_BYTES + PIN_BYTES)
        message = await self.inbox.receive_json(request, limit)
        return session, await run_in_threadpool(exports.judge_message, session, message)

    async def export_replay(self, request: Request) -> Response:
        session = self._find(request)
        return _respond_download(await self._render(exports.render_replay, session), "replay.html", "text/html")

    async def export_animation(self, request: Request) -> Response:
        session = self._find(request)
        return _respond_download(await self._render(exports.render_animation, session), "solving.gif", "image/gif")

    async def _render(self, render: Callable[..., Content], *arguments: Any) -> Content:
        """A download, made on another thread; few at a time, because each may take much memory."""
        async with self.renders:
            return await run_in_threadpool(render, *arguments)

    async def stream(self, socket: WebSocket) -> None:
        """Send the state and new timeline entries after each change; the timeline starts from its beginning."""
        await socket.accept()
        try:
            session = self._find(socket)
        except InputError as error:
            await socket.send_json({"gone": str(error)})
            await socket.close()
            return
        brief = "brief" in socket.query_params  # the state only
        disconnect = asyncio.create_task(_wait_for_disconnect(socket))
        async with self.sessions.subscribe(session) as changed:
            sent, solve_id = 0, session.solve_id
            while session in self.sessions and await _wait_for_change(changed, disconnect):
                changed.clear()
                if session.solve_id != solve_id:
                    sent, solve_id = 0, session.solve_id
                entries, sent = [] if brief else session.timeline[sent:], len(session.timeline)
                try:
                    await socket.send_text(json.dumps({"state": session.state(), "timeline": entries}))
                except (WebSocketDisconnect, RuntimeError):
                    break
        disconnect.cancel()


def _open_upload(body: bytes | bytearray) -> Session:
    sent, work = split_work(parse_files(body))
    title = sent[0][0] if len(sent) == 1 else f"{len(sent)} files"
    content = files.read_uploaded(sent, LIMITS)
    source = content if isinstance(content, files.Pieces) else content.pixels
    session = open_session((work and work.title) or title, source, work)
    session.profile = content.profile
    session.uploaded = tuple(describe_source(name, raw) for name, raw in sent) if session.has_fragments else ()
    return session


def _read_reference(body: bytes | bytearray) -> Pixels:
    content = files.read_uploaded(parse_files(body), LIMITS)
    if isinstance(content, files.Pieces):
        raise InputError("Expected one picture as a reference, got several.")
    return content.pixels


async def _wait_for_change(changed: asyncio.Event, disconnect: asyncio.Task[None]) -> bool:
    """Wait for a change; False if the page disconnects first."""
    change = asyncio.create_task(changed.wait())
    await asyncio.wait({disconnect, change}, return_when=asyncio.FIRST_COMPLETED)
    change.cancel()
    return not disconnect.done()


async def _wait_for_disconnect(socket: WebSocket) -> None:
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass  # the page sends nothing here


def _respond_static(name: str) -> Response:
    """One of the page's own files. The name is compared with the files there are, never used as a path."""
    media_type = MEDIA_TYPES.get(name.rsplit(".", 1)[-1])
    for package in STATIC_PACKAGES:
        for entry in (resources(package) / "static").iterdir():
            if entry.name == name and media_type is not None:
                return Response(entry.read_bytes(), media_type=media_type)
    raise InputError("Expected a file of the page, got another name.")


def _respond_download(content: bytes, name: str, media_type: str) -> Response:
    return Response(content, media_type=media_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def serve(host: str, port: int, on_ready: Callable[[str], None]) -> None:
    """Serve until interrupted. port: 0 takes any free one. on_ready: called with the address once it can be opened."""
    listening = _listen(host, port)
    config = uvicorn.Config(
        create_app(host), log_level="warning", access_log=False, server_header=False, date_header=False,
        ws_max_size=1 << 16, timeout_graceful_shutdown=1, lifespan="on",
    )  # fmt: skip
    name = f"[{host}]" if ":" in host else host
    on_ready(f"http://{name}:{listening.getsockname()[1]}/")
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
