"""The application: routes, each a few lines. Errors a person can cause become one line of JSON here."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files as resources

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from jigsolve.io import files, pictures
from jigsolve.io.inputs import compose_picture
from jigsolve.io.layout_file import LayoutFile
from jigsolve.page import examples
from jigsolve.page.desk import Desk, Settings, Source, asked, prepared
from jigsolve.page.desks import GRACE, Desks
from jigsolve.page.guard import Guard
from jigsolve.page.jobs import Jobs
from jigsolve.page.replay.atlas import encoded
from jigsolve.page.replay.html import replay_html
from jigsolve.page.upload import LIMITS, MOST_UPLOAD, files_of, received, received_json, with_layout
from jigsolve.runtime.errors import InputError

AT_A_TIME = 2  # uploads that are read at the same time: the others wait their turn
KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
Answer = Callable[[Request], Awaitable[Response]]


def application(host: str = "127.0.0.1", grace: float = GRACE) -> Starlette:
    """host: the address it will be served at. grace: seconds that a puzzle outlives its page."""
    page = _Page(grace)
    desk = "/api/desks/{key}"
    routes = [
        Route("/", page.index),
        Route("/static/{name}", _answered(page.static)),
        Route("/api/examples", _answered(page.examples)),
        Route("/api/examples/{name}.jpg", _answered(page.thumbnail)),
        Route("/api/examples/{name}", _answered(page.begin_example), methods=["POST"]),
        Route("/api/desks", _answered(page.begin), methods=["POST"]),
        Route(desk, _answered(page.state)),
        Route(desk, _answered(page.remove), methods=["DELETE"]),
        Route(f"{desk}/atlas", _answered(page.atlas)),
        Route(f"{desk}/settings", _answered(page.change), methods=["POST"]),
        Route(f"{desk}/solve", _answered(page.solve), methods=["POST"]),
        Route(f"{desk}/order", _answered(page.order), methods=["POST"]),
        Route(f"{desk}/answer", _answered(page.answer)),
        Route(f"{desk}/picture", _answered(page.picture), methods=["POST"]),
        Route(f"{desk}/layout", _answered(page.layout), methods=["POST"]),
        Route(f"{desk}/replay", _answered(page.replay)),
        WebSocketRoute(f"{desk}/live", page.live),
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        page.jobs.warm_up()
        tidying = asyncio.create_task(page.desks.keep_tidy())
        yield
        tidying.cancel()
        page.jobs.close()

    app = Starlette(routes=routes, lifespan=lifespan, middleware=[Middleware(Guard, host=host)])
    app.state.page = page
    return app


def _answered(handle: Answer) -> Answer:
    async def answer(request: Request) -> Response:
        try:
            return await handle(request)
        except InputError as error:
            return JSONResponse({"error": str(error)}, 400)

    return answer


class _Page:
    def __init__(self, grace: float) -> None:
        self.jobs = Jobs()
        self.desks = Desks(self.jobs, grace)
        self.reading = asyncio.Semaphore(AT_A_TIME)

    async def index(self, request: Request) -> Response:
        return _static("index.html")

    async def static(self, request: Request) -> Response:
        return _static(request.path_params["name"])

    async def examples(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(examples.listed))

    async def thumbnail(self, request: Request) -> Response:
        image = await run_in_threadpool(examples.thumbnail, request.path_params["name"])
        return Response(image, media_type="image/jpeg")

    async def begin_example(self, request: Request) -> Response:
        name = request.path_params["name"]
        one = examples.example(name)
        async with self.reading:
            source = await run_in_threadpool(examples.photograph, name)
            settings = Settings((one.piece, one.piece), one.rotated, shuffle=True)
            return await self._begun(one.title, source, settings)

    async def begin(self, request: Request) -> Response:
        """Files arrive: what are they?"""
        async with self.reading:
            given, kept = with_layout(files_of(await received(request, MOST_UPLOAD)))
            title = given[0][0] if len(given) == 1 else f"{len(given)} files"
            read = await run_in_threadpool(files.read_uploaded, given, LIMITS)
            del given
            source = read if isinstance(read, files.Pieces) else read.pixels
            if kept is None:
                return await self._begun(title, source, Settings())
            return await self._begun(title, source, Settings.of_layout(kept), kept)

    async def _begun(self, title: str, source: Source, settings: Settings, kept: LayoutFile | None = None) -> Response:
        desk = await run_in_threadpool(_laid_down, title, source, settings)
        if kept is not None:
            desk.resume(kept)
        self.desks.add(desk)
        return JSONResponse(desk.state(), 201)

    def _desk(self, request: Request | WebSocket) -> Desk:
        return self.desks.find(request.path_params["key"])

    async def state(self, request: Request) -> Response:
        return JSONResponse(self._desk(request).state())

    async def remove(self, request: Request) -> Response:
        self.desks.remove(self._desk(request))
        return JSONResponse({})

    async def atlas(self, request: Request) -> Response:
        desk = self._desk(request)
        if desk.atlas is None:
            raise InputError("Expected pieces to show: there are none yet.")
        return Response(await run_in_threadpool(encoded, desk.atlas, "PNG"), media_type="image/png")

    async def change(self, request: Request) -> Response:
        """Another piece size, turned or not, another grid."""
        desk = self._desk(request)
        settings = Settings.from_data(await received_json(request))
        given = await run_in_threadpool(prepared, desk.source, settings)
        desk.cancel(self.jobs)
        desk.shown(settings, given)
        desk.tell()
        return JSONResponse(desk.state())

    async def solve(self, request: Request) -> Response:
        desk = self._desk(request)
        desk.solve(self.jobs, *asked(await received_json(request)))
        desk.tell()
        return JSONResponse(desk.state())

    async def order(self, request: Request) -> Response:
        """pause, resume, stop or cancel."""
        desk = self._desk(request)
        word = (await received_json(request)).get("order")
        if word == "cancel" or (word == "stop" and desk.phase == "queued"):
            desk.cancel(self.jobs)
        elif word in ("pause", "resume", "stop"):
            if desk.job is not None:
                self.jobs.order(desk.job, str(word))
        else:
            raise InputError("Expected an order out of pause, resume, stop, cancel.")
        return JSONResponse(desk.state())

    async def answer(self, request: Request) -> Response:
        desk = self._desk(request)
        if desk.answer is None:
            raise InputError("Expected an answer: there is none yet.")
        return Response(desk.answer, media_type="application/json")

    async def picture(self, request: Request) -> Response:
        """The picture in full, pieces where a person left them."""
        desk = self._desk(request)
        kept = desk.edited(await received_json(request))
        given = desk.given
        assert given is not None

        def drawn() -> bytes:
            file = io.BytesIO()
            pictures.encode(file, "PNG", compose_picture(given, kept.layout))
            return file.getvalue()

        return _download(await run_in_threadpool(drawn), "solved.png", "image/png")

    async def layout(self, request: Request) -> Response:
        kept = self._desk(request).edited(await received_json(request))
        return _download(files.format_layout(kept).encode(), "layout.json", "application/json")

    async def replay(self, request: Request) -> Response:
        desk = self._desk(request)
        answer, given, story = desk.told_answer(), desk.given, list(desk.story)
        assert given is not None
        told = await run_in_threadpool(replay_html, desk.title, given.puzzle, story, answer)
        return _download(told.encode(), "replay.html", "text/html")

    async def live(self, socket: WebSocket) -> None:
        """The state of a desk and the story of its solve, whenever there is news, from the beginning."""
        await socket.accept()
        try:
            desk = self._desk(socket)
        except InputError as error:
            await socket.send_json({"gone": str(error)})
            await socket.close()
            return
        gone = asyncio.create_task(_until_closed(socket))
        async with self.desks.looking(desk) as news:
            told, solve = 0, desk.solves
            while desk in self.desks and await _either(news, gone):
                news.clear()
                if desk.solves != solve:
                    told, solve = 0, desk.solves
                entries, told = desk.story[told:], len(desk.story)
                try:
                    await socket.send_text(json.dumps({"state": desk.state(), "story": entries}))
                except (WebSocketDisconnect, RuntimeError):
                    break
        gone.cancel()


async def _either(news: asyncio.Event, gone: asyncio.Task[None]) -> bool:
    """Wait for news; False if the page has gone away instead."""
    waiting = asyncio.create_task(news.wait())
    await asyncio.wait({gone, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    return not gone.done()


async def _until_closed(socket: WebSocket) -> None:
    """Nothing is expected from the page here; this is how we learn that it went away."""
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


def _laid_down(title: str, source: Source, settings: Settings) -> Desk:
    """A desk with what was sent. A picture that shows no cuts may be whole: a person can say what to do with it."""
    try:
        return Desk(title, source, settings, prepared(source, settings))
    except InputError as error:
        if isinstance(source, files.Pieces):
            raise
        return Desk(title, source, settings, None, str(error))


def _static(name: str) -> Response:
    """One of our own files; the name is looked up, never followed."""
    for package in ("page", "replay"):
        for entry in (resources(f"jigsolve.{package}") / "static").iterdir():
            kind = KINDS.get(name.rsplit(".", 1)[-1])
            if entry.name == name and kind is not None:
                return Response(entry.read_bytes(), media_type=kind)
    raise InputError("Expected a file of the page, got another name.")


def _download(content: bytes, name: str, kind: str) -> Response:
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
