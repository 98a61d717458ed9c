"""A desk: one person's puzzle on the page, from the files to the answer. Kept in memory only, and only while used."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from dataclasses import dataclass, replace
from typing import Any

from jigsolve.io import files, layout_file
from jigsolve.io.inputs import Input, from_pieces, from_sheet
from jigsolve.io.pin_file import from_data
from jigsolve.page.jobs import Job, Jobs
from jigsolve.page.replay.answer import kept_answer
from jigsolve.page.replay.atlas import Atlas, of_pieces
from jigsolve.page.replay.story import Entry
from jigsolve.page.worker import Task
from jigsolve.pipeline import SolveParams
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pieces import Pixels, cut, scramble
from jigsolve.puzzle.pins import NO_PINS, Pins, check_pins
from jigsolve.runtime.errors import InputError

SHUFFLED = 40  # pixels of a piece of a whole picture, unless someone says otherwise
MOST_PIECES = 200_000
Source = Pixels | files.Pieces


@dataclass(frozen=True)
class Settings:
    """What a person says of the pieces; None is found out. shuffle: cut up a picture that is whole."""

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
    def from_data(cls, data: dict[str, Any]) -> Settings:
        piece = data.get("piece")
        if piece is not None:
            if not isinstance(piece, list) or len(piece) != 2:
                raise InputError("Expected piece as [width, height].")
            piece = (_whole(piece[0], "piece"), _whole(piece[1], "piece"))
        rows, cols = (None if data.get(key) is None else _whole(data[key], key) for key in ("rows", "cols"))
        return cls(piece, data.get("rotated") is True, rows, cols, data.get("shuffle") is True)

    @classmethod
    def of_layout(cls, kept: layout_file.LayoutFile) -> Settings:
        """What a layout file tells of the pieces."""
        rows, cols = kept.layout.rows, kept.layout.cols
        return cls(kept.piece, bool(kept.layout.turns.any()), rows, cols)


def _whole(value: object, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputError(f"Expected {what} as a whole number, got {str(value)[:20]!r}.")
    return value


def asked(data: dict[str, Any]) -> tuple[SolveParams, Pins]:
    """How a person wants a puzzle solved, and what they know of it."""
    seed, effort = data.get("seed", 0), data.get("effort", "normal")
    if not isinstance(seed, int) or not isinstance(effort, str):
        raise InputError("Expected a seed as a number and an effort as a word.")
    return SolveParams(seed=seed, effort=effort), from_data(data["pins"]) if "pins" in data else NO_PINS


def prepared(source: Source, settings: Settings) -> Input:
    """The puzzle that a source and settings make."""
    piece = settings.piece or "auto"
    if isinstance(source, files.Pieces):
        given = from_pieces(source, "what was sent", piece, settings.rotated, settings.rows, settings.cols)
    elif settings.shuffle:
        width, height = settings.piece or (SHUFFLED, SHUFFLED)
        puzzle, _ = scramble(cut(source, (width, height)), settings.rotated, secrets.randbelow(2**31))
        note = f"A whole picture, cut into {len(puzzle)} pieces of {width}x{height} and shuffled."
        given = Input(puzzle, notes=(note,))
    else:
        given = from_sheet(source, piece, settings.rotated, settings.rows, settings.cols)
    if len(given.puzzle) > MOST_PIECES:
        raise InputError(f"Expected at most {MOST_PIECES} pieces, got {len(given.puzzle)}.")
    return given


class Desk:
    """What lies on it, what is being done with it, and who looks at it."""

    def __init__(self, title: str, source: Source, settings: Settings, given: Input | None, why: str = "") -> None:
        self.key = secrets.token_urlsafe(12)
        self.title, self.source = title, source
        self.lookers: set[asyncio.Event] = set()
        self.unseen_since = time.monotonic()
        self.job: Job | None = None
        self.shown(settings, given, why)

    def shown(self, settings: Settings, given: Input | None, why: str = "") -> None:
        """New pieces lie on the desk; None if the source cannot be cut as it is, and why."""
        self.settings, self.given, self.why = settings, given, why
        self.atlas: Atlas | None = None if given is None else of_pieces(given.puzzle)
        self.version = secrets.token_hex(4)  # of the pieces
        self._clear()
        self.phase = "pieces"

    def _clear(self) -> None:
        self.story: list[Entry] = []
        self.solves = secrets.token_hex(4)  # a name for this solve, so that nobody mixes up two stories
        self.answer: bytes | None = None
        self.place, self.error = 0, ""
        self._before: tuple[bytes | None, list[Entry], str] | None = None

    @property
    def weight(self) -> int:
        """Bytes of pixels that are kept, about."""
        source = sum(one.pixels.nbytes for one in self.source.pictures) if isinstance(
            self.source, files.Pieces) else self.source.nbytes  # fmt: skip
        return source + (0 if self.given is None else self.given.puzzle.pieces.nbytes)

    def state(self) -> dict[str, Any]:
        """What the page needs to know."""
        data: dict[str, Any] = {
            "key": self.key, "title": self.title, "phase": self.phase, "place": self.place, "error": self.error,
            "settings": {"piece": self.settings.piece, "rotated": self.settings.rotated, "rows": self.settings.rows,
                         "cols": self.settings.cols, "shuffle": self.settings.shuffle},
            "sheet": not isinstance(self.source, files.Pieces), "why": self.why,
            "version": self.version, "solve": self.solves, "told": len(self.story),
        }  # fmt: skip
        if self.given is not None and self.atlas is not None:
            puzzle = self.given.puzzle
            data["puzzle"] = {
                "n": len(puzzle), "piece": self.given.piece, "rows": puzzle.rows, "cols": puzzle.cols,
                "turns": puzzle.turns, "notes": self.given.notes, "atlas": self.atlas.data(),
            }  # fmt: skip
        return data

    def solve(self, jobs: Jobs, params: SolveParams, pins: Pins) -> None:
        """Begin anew; what is pinned must fit. Pinned cells on a grid that nobody knew count on the last answer's."""
        given = self.given
        if given is None:
            raise InputError("Expected a puzzle to solve: there is none yet.")
        if pins.cells and not given.puzzle.rows and self.answer is not None:
            layout = self.layout().layout
            given = replace(given, puzzle=replace(given.puzzle, rows=layout.rows, cols=layout.cols))
        puzzle = given.puzzle
        check_pins(pins, puzzle.total, puzzle.rows, puzzle.cols, puzzle.turns)
        before = (self.answer, self.story, self.solves) if self.answer is not None else None
        self.cancel(jobs)
        self._clear()
        self._before = before
        self.phase = "queued"
        self.job = Job(Task(given, params, pins), self.hear)
        try:
            jobs.add(self.job)
        except InputError:
            self.job = None
            self._back()
            raise

    def resume(self, kept: layout_file.LayoutFile) -> None:
        """Go on with an answer that was kept in a file."""
        if self.given is None or int(kept.layout.pieces.max()) >= len(self.given.puzzle):
            raise InputError(
                self.why or f"Expected a layout of these pieces, got one of {kept.layout.pieces.max() + 1}."
            )
        self.answer = json.dumps(kept_answer(kept), allow_nan=False).encode()
        self.phase = "answer"

    def cancel(self, jobs: Jobs) -> None:
        """Whatever is being done."""
        if self.job is not None:
            job, self.job = self.job, None
            jobs.cancel(job)
            self._back()
        self.tell()

    def _back(self) -> None:
        """To the answer there was before this solve, or to the pieces."""
        before = self._before
        self._clear()
        self.phase = "pieces"
        if before is not None:
            (self.answer, self.story, self.solves), self.phase = before, "answer"

    def hear(self, word: str, what: Any) -> None:
        """From the queue and from the solver."""
        match word:
            case "place":
                self.place = what
            case "begun":
                self.phase, self.place = "solving", 0
            case "story":
                self.story += what
            case "paused":
                self.phase = "paused" if what else "solving"
            case "done":
                self.phase, self.answer, self.job, self._before = "answer", what, None, None
            case "failed":
                self.job = None
                self._back()
                self.error = what
        self.tell()

    def tell(self) -> None:
        """Wake all that look at the desk."""
        for looker in self.lookers:
            looker.set()

    def layout(self) -> layout_file.LayoutFile:
        """The answer's."""
        return layout_file.from_data(self.told_answer()["layout"])

    def told_answer(self) -> dict[str, Any]:
        if self.answer is None:
            raise InputError("Expected an answer: there is none yet.")
        found: dict[str, Any] = json.loads(self.answer)
        return found

    def edited(self, data: dict[str, Any]) -> layout_file.LayoutFile:
        """A layout as a person left it, as a layout file; what was believed of the answer does not hold for another."""
        sent = layout_file.from_data(
            {**data, "format": layout_file.FORMAT, "version": layout_file.VERSION, "piece": [1, 1]}
        )
        kept = self.layout()
        assert self.given is not None
        if int(sent.layout.pieces.max()) >= len(self.given.puzzle):
            raise InputError(f"Expected a layout of {len(self.given.puzzle)} pieces, got another.")
        same = sent.layout == kept.layout
        return replace(kept, layout=Layout(sent.layout.pieces, sent.layout.turns), partial=kept.partial and same,
                       confidence=kept.confidence if same else None)  # fmt: skip
