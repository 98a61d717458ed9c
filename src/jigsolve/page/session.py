"""Sessions: one person's puzzle on the page, from the files to the answer, in memory only; and all that are open."""

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from jigsolve.io import files, layout_file
from jigsolve.io.inputs import Input, from_pieces, from_sheet
from jigsolve.io.pin_file import from_data
from jigsolve.page.jobs import Job, Jobs
from jigsolve.page.replay.answer import describe_layout_file
from jigsolve.page.replay.atlas import Atlas, arrange_pieces
from jigsolve.page.replay.timeline import Entry
from jigsolve.page.upload import LIMITS, MAX_JSON_BYTES, MAX_SETTINGS_BYTES
from jigsolve.page.worker import Task
from jigsolve.pipeline import SolveParams
from jigsolve.pipeline.root import settle_size
from jigsolve.puzzle import NO_PINS, Pins, Pixels, Puzzle, check_pins, cut, scramble
from jigsolve.runtime import InputError

DEFAULT_PIECE_PX = 40  # side of a piece when a whole picture is cut
MAX_PIECES = 200_000
GRACE_S = 60.0  # a session outlives its page for this long, because the page may be reloading
MAX_SESSIONS = 200
MAX_PIXEL_BYTES = 2 << 30
Source = Pixels | files.Pieces


@dataclass(frozen=True)
class Settings:
    """What a person knows about the pieces; None is estimated. shuffle: cut and scramble a whole picture."""

    piece: tuple[int, int] | None = None
    rotated: bool = False
    rows: int | None = None
    cols: int | None = None
    shuffle: bool = False

    def __post_init__(self) -> None:
        for what, value in (("piece", self.piece), ("rows", (self.rows or 1,)), ("cols", (self.cols or 1,))):
            if value is not None and not all(0 < size <= 100_000 for size in value):
                raise InputError(f"Expected {what} of at least 1, got {'x'.join(map(str, value))}.")

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Self:
        piece = data.get("piece")
        if piece is not None:
            if not isinstance(piece, list) or len(piece) != 2:
                raise InputError("Expected piece as [width, height].")
            piece = (_parse_int(piece[0], "piece"), _parse_int(piece[1], "piece"))
        rows, cols = (None if data.get(key) is None else _parse_int(data[key], key) for key in ("rows", "cols"))
        return cls(piece, data.get("rotated") is True, rows, cols, data.get("shuffle") is True)

    @classmethod
    def from_layout(cls, saved: layout_file.LayoutFile) -> Self:
        layout = saved.layout
        return cls(saved.piece, bool(layout.turns.any()), layout.rows, layout.cols)


def _parse_int(value: object, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"Expected {what} as a whole number, got {str(value)[:20]!r}.")
    return value


def parse_solve_request(data: dict[str, Any]) -> tuple[SolveParams, Pins]:
    seed, effort = data.get("seed", 0), data.get("effort", "normal")
    if not isinstance(seed, int) or not isinstance(effort, str):
        raise InputError("Expected a seed as a number and an effort as a word.")
    return SolveParams(seed=seed, effort=effort), from_data(data["pins"]) if "pins" in data else NO_PINS


def build_input(source: Source, settings: Settings) -> Input:
    """The puzzle in a sheet or in piece files, read with the given settings."""
    piece = settings.piece or "auto"
    if settings.piece is not None and not isinstance(source, files.Pieces):
        (height, width), (piece_width, piece_height) = source.shape[:2], settings.piece
        _check_count((height // piece_height) * (width // piece_width), "pieces")  # before they are cut
    if isinstance(source, files.Pieces):
        built = from_pieces(source, "what was sent", piece, settings.rotated, settings.rows, settings.cols)
    elif settings.shuffle:
        width, height = settings.piece or (DEFAULT_PIECE_PX, DEFAULT_PIECE_PX)
        puzzle, _ = scramble(cut(source, (width, height)), settings.rotated, secrets.randbelow(2**31))
        note = f"A whole picture, cut into {len(puzzle)} pieces of {width}x{height} and shuffled."
        built = Input(puzzle, notes=(note,))
    else:
        built = settle_size(from_sheet(source, piece, settings.rotated, settings.rows, settings.cols))
    _check_size(built.puzzle)
    return built


def _check_size(puzzle: Puzzle) -> None:
    """Refuse a puzzle, or a grid for it, whose picture would be larger than any that can be uploaded."""
    cells = max(puzzle.total, puzzle.rows * puzzle.cols)
    _check_count(cells, "pieces" if cells == puzzle.total else "cells")
    _, height, width, _ = puzzle.pieces.shape
    if cells * height * width > max(LIMITS.pixels, puzzle.pieces[..., 0].size):
        raise InputError(f"Expected a picture of at most {LIMITS.pixels / 1e6:g} megapixels, got {cells} cells.")


def _check_count(count: int, what: str) -> None:
    if count > MAX_PIECES:
        raise InputError(f"Expected at most {MAX_PIECES} {what}, got {count}.")


def open_session(title: str, source: Source, settings: Settings) -> "Session":
    """A session with an upload. A picture without visible cuts is accepted: the person may cut it or give a size."""
    try:
        return Session(title, source, settings, build_input(source, settings))
    except InputError as error:
        if isinstance(source, files.Pieces):
            raise
        return Session(title, source, settings, None, str(error))


class Session:
    """The state of one puzzle. input: None if the source could not be cut, for the reason in `problem`."""

    def __init__(self, title: str, source: Source, settings: Settings, input: Input | None, problem: str = "") -> None:
        self.key = secrets.token_urlsafe(12)
        self.title, self.source = title, source
        self.profile = b""  # ICC profile of the source
        self.subscribers: set[asyncio.Event] = set()  # set after each change
        self.idle_since = time.monotonic()
        self.changing = asyncio.Lock()  # requests that change the puzzle or solve it come one after another
        self.job: Job | None = None
        self.set_input(settings, input, problem)

    def set_input(self, settings: Settings, input: Input | None, problem: str = "") -> None:
        """Replace the pieces."""
        self.settings, self.input, self.problem = settings, input, problem
        self.atlas: Atlas | None = None if input is None else arrange_pieces(input.puzzle)
        self.version = secrets.token_hex(4)  # of the pieces
        self._clear_solve()
        self.phase = "pieces"

    def _clear_solve(self) -> None:
        self.timeline: list[Entry] = []
        self.solve_id = secrets.token_hex(4)  # distinguishes the timelines of two solves
        self.answer: bytes | None = None
        self.position, self.error = 0, ""
        self._previous: tuple[bytes | None, list[Entry], str] | None = None

    @property
    def pixel_bytes(self) -> int:
        """Approximate memory of the session."""
        source = sum(one.pixels.nbytes for one in self.source.pictures) if isinstance(
            self.source, files.Pieces) else self.source.nbytes  # fmt: skip
        return source + (0 if self.input is None else self.input.puzzle.pieces.nbytes)

    def max_message_bytes(self, per_cell: int) -> int:
        """The longest message about the pieces, if one takes this many bytes."""
        puzzle = None if self.input is None else self.input.puzzle
        cells = 0 if puzzle is None else max(puzzle.total, puzzle.rows * puzzle.cols)
        return min(MAX_JSON_BYTES, 4 * MAX_SETTINGS_BYTES + per_cell * cells)

    def state(self) -> dict[str, Any]:
        """What the page shows, as data for JSON."""
        data: dict[str, Any] = {
            "key": self.key, "title": self.title, "phase": self.phase, "position": self.position, "error": self.error,
            "settings": asdict(self.settings), "sheet": not isinstance(self.source, files.Pieces),
            "problem": self.problem, "version": self.version, "solve_id": self.solve_id,
            "timeline_length": len(self.timeline),
        }  # fmt: skip
        if self.input is not None and self.atlas is not None:
            puzzle = self.input.puzzle
            data["puzzle"] = {
                "n": len(puzzle), "piece": self.input.piece, "rows": puzzle.rows, "cols": puzzle.cols,
                "turns": puzzle.turns, "notes": self.input.notes, "atlas": self.atlas.to_data(),
            }  # fmt: skip
        return data

    def solve(self, jobs: Jobs, params: SolveParams, pins: Pins) -> None:
        """Queue a new solve. If the grid is unknown, pinned cells refer to the grid of the last answer."""
        task_input = self.input
        if task_input is None:
            raise InputError("Expected a puzzle to solve: there is none yet.")
        if pins.cells and not task_input.puzzle.rows and self.answer is not None:
            layout = self.layout().layout
            task_input = replace(task_input, puzzle=replace(task_input.puzzle, rows=layout.rows, cols=layout.cols))
        puzzle = task_input.puzzle
        check_pins(pins, puzzle.total, puzzle.rows, puzzle.cols, puzzle.turns)
        previous = (self.answer, self.timeline, self.solve_id) if self.answer is not None else None
        self.cancel(jobs)
        self._clear_solve()
        self._previous = previous
        self.phase = "queued"
        self.job = Job(Task(task_input, params, pins), self.on_message)
        try:
            jobs.add(self.job)
        except InputError:
            self.job = None
            self._restore_previous()
            raise

    def load_answer(self, saved: layout_file.LayoutFile) -> None:
        """Continue with an answer from a layout file."""
        if self.input is None or int(saved.layout.pieces.max()) >= len(self.input.puzzle):
            count = saved.layout.pieces.max() + 1
            raise InputError(self.problem or f"Expected a layout of these pieces, got one of {count}.")
        self.answer = json.dumps(describe_layout_file(saved), allow_nan=False).encode()
        self.phase = "answer"

    def cancel(self, jobs: Jobs) -> None:
        """Cancel the solve, if there is one."""
        if self.job is not None:
            job, self.job = self.job, None
            jobs.cancel(job)
            self._restore_previous()
        self.notify()

    def _restore_previous(self) -> None:
        """Return to the answer before this solve, or to the pieces."""
        previous = self._previous
        self._clear_solve()
        self.phase = "pieces"
        if previous is not None:
            (self.answer, self.timeline, self.solve_id), self.phase = previous, "answer"

    def on_message(self, kind: str, content: Any) -> None:
        """Handle a message of the queue or of the solver process."""
        match kind:
            case "position":
                self.position = content
            case "started":
                self.phase, self.position = "solving", 0
            case "timeline":
                self.timeline += content
            case "paused":
                self.phase = "paused" if content else "solving"
            case "done":
                self.phase, self.answer, self.job, self._previous = "answer", content, None, None
            case "failed":
                self.job = None
                self._restore_previous()
                self.error = content
        self.notify()

    def notify(self) -> None:
        """Wake all subscribers."""
        for subscriber in self.subscribers:
            subscriber.set()

    def layout(self) -> layout_file.LayoutFile:
        """The layout of the answer."""
        return layout_file.from_data(self.parse_answer()["layout"])

    def parse_answer(self) -> dict[str, Any]:
        if self.answer is None:
            raise InputError("Expected an answer: there is none yet.")
        data: dict[str, Any] = json.loads(self.answer)
        return data

    def parse_edited_layout(self, data: dict[str, Any]) -> layout_file.LayoutFile:
        """A layout that a person has edited. It keeps the confidence of the answer only if it equals the answer."""
        saved = self.layout()
        rows, cols = saved.layout.rows, saved.layout.cols
        if (data.get("rows"), data.get("cols")) != (rows, cols):  # checked first: it decides what the rest costs
            raise InputError(f"Expected a layout of {rows} rows x {cols} cols, got another.")
        known = {"format": layout_file.FORMAT, "version": layout_file.VERSION, "piece": [1, 1]}
        edited = layout_file.from_data(
            known | {key: data.get(key) for key in ("rows", "cols", "pieces", "turns")}
        ).layout
        assert self.input is not None
        if int(edited.pieces.max()) >= len(self.input.puzzle):
            raise InputError(f"Expected a layout of {len(self.input.puzzle)} pieces, got another.")
        return saved if edited == saved.layout else replace(saved, layout=edited, partial=False, confidence=None)


class Sessions:
    """All open sessions. Their number and memory are limited, and they expire after their pages are closed."""

    def __init__(self, jobs: Jobs, grace: float = GRACE_S) -> None:
        self.jobs, self.grace = jobs, grace
        self._sessions: dict[str, Session] = {}

    def add(self, session: Session) -> None:
        self.remove_expired()
        total = session.pixel_bytes + sum(other.pixel_bytes for other in self._sessions.values())
        if len(self._sessions) >= MAX_SESSIONS or total > MAX_PIXEL_BYTES:
            raise InputError("Expected room for one more puzzle: close other pages, or try again in a minute.")
        self._sessions[session.key] = session

    def find(self, key: str) -> Session:
        if key not in self._sessions:
            raise InputError("This puzzle is no longer here: its page was closed for too long.")
        return self._sessions[key]

    def remove(self, session: Session) -> None:
        session.cancel(self.jobs)
        self._sessions.pop(session.key, None)
        session.notify()

    def remove_expired(self) -> None:
        for session in list(self._sessions.values()):
            if not session.subscribers and time.monotonic() - session.idle_since > self.grace:
                self.remove(session)

    async def expire_forever(self) -> None:
        while True:
            await asyncio.sleep(min(5.0, self.grace))
            self.remove_expired()

    def __contains__(self, session: Session) -> bool:
        return session.key in self._sessions

    @asynccontextmanager
    async def subscribe(self, session: Session) -> AsyncIterator[asyncio.Event]:
        """Keep a session alive. The event is set after each change."""
        changed = asyncio.Event()
        changed.set()
        session.subscribers.add(changed)
        try:
            yield changed
        finally:
            session.subscribers.discard(changed)
            session.idle_since = time.monotonic()
