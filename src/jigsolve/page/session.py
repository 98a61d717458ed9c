"""A session: one person's puzzle on the page, from the files to the answer, in memory only."""

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jigsolve.confidence import Candidates
from jigsolve.fragments.root import MIN_CONFIDENCE
from jigsolve.io import files, layout_file
from jigsolve.io.pictures import Picture
from jigsolve.io.tiles import Source as UploadedFile
from jigsolve.page.board import MAX_CELLS
from jigsolve.page.boards import load_board
from jigsolve.page.jobs import Job, Jobs
from jigsolve.page.judgement import Judgement, describe_score, judge
from jigsolve.page.replay.answer import describe_layout_file
from jigsolve.page.replay.atlas import Atlas, arrange_pieces
from jigsolve.page.replay.timeline import Entry, split_timeline
from jigsolve.page.settings import Built, Settings, SolveRequest, Source, build_input
from jigsolve.page.upload import MAX_JSON_BYTES, MAX_SETTINGS_BYTES, SavedWork
from jigsolve.page.worker import FragmentsTask, Solved, Task
from jigsolve.pipeline import SolveParams
from jigsolve.puzzle import HOLE, UNKNOWN, Layout, Pins, Pixels, check_pins
from jigsolve.puzzle.geometry import SIDES
from jigsolve.runtime import InputError

MAX_MEASURED_PIECES = 6000  # of an answer from a file, to judge its edits
Numbers = NDArray[np.integer]
Children = Sequence["Session"]


def open_session(
    title: str, source: Source, work: SavedWork | None = None, settings: Settings | None = None
) -> "Session":
    """A session with an upload. A picture without visible cuts is accepted: the person may cut it or give a size.

    work: what was saved of an earlier session with the same files.
    """
    work = work or SavedWork()
    settings = settings or Settings()
    if work.settings is not None:
        settings = Settings.from_data(work.settings)
    elif work.layout is not None:
        settings = Settings.from_layout(work.layout)
    numbers = None if work.pieces is None else np.array(work.pieces, dtype=np.int64)
    chosen = source if numbers is None else select_pieces(source, numbers, settings)
    try:
        session = Session(title, chosen, settings, build_input(chosen, settings))
    except InputError as error:
        if isinstance(chosen, files.Pieces):
            raise
        session = Session(title, chosen, settings, None, str(error))
    session.numbers = numbers
    if session.has_fragments and work.layout is not None:
        load_board(session, work.layout, work.copies)
        return session
    if numbers is not None and isinstance(source, files.Pieces):
        session.bag_names = source.names
    if work.layout is not None:
        session.load_answer(work.layout)
    return session


def select_pieces(source: Source, numbers: Numbers, settings: Settings) -> files.Pieces:
    """Some of the pieces that were sent, or that a sheet of several pictures is cut into."""
    if not isinstance(source, files.Pieces):
        bag = build_input(source, replace(settings, rows=None, cols=None, pictures=2)).input.puzzle.pieces
        source = _make_pieces(bag, np.arange(len(bag)))
    chosen = numbers.tolist()
    if not chosen or not 0 <= min(chosen) <= max(chosen) < len(source.names):
        raise InputError("Expected the pieces that the work was saved with, got others.")
    return files.Pieces(tuple(source.names[k] for k in chosen), tuple(source.pictures[k] for k in chosen), ())


def _make_pieces(pieces: Pixels, numbers: Numbers, names: tuple[str, ...] | None = None) -> files.Pieces:
    """Pieces as if they had come as files. names: of the files, if they did."""
    shown = names or tuple(f"piece {k}.png" for k in numbers.tolist())
    return files.Pieces(shown, tuple(Picture(piece) for piece in pieces), ())


class Session:
    """The state of one puzzle. built: None if the source could not be cut, for the reason in `problem`."""

    def __init__(self, title: str, source: Source, settings: Settings, built: Built | None, problem: str = "") -> None:
        self.key = secrets.token_urlsafe(12)
        self.title, self.source = title, source
        self.profile = b""  # ICC profile of the source
        self.reference: Pixels | None = None  # another picture of the whole
        self.numbers: Numbers | None = None  # of the pieces in the bag that was sent; None if there was none
        self.bag_names: tuple[str, ...] | None = None
        self.params, self.min_confidence = SolveParams(), MIN_CONFIDENCE  # of the last solve of a cache
        self.uploaded: tuple[UploadedFile, ...] = ()  # the files that were sent, for the report of a cache
        self.siblings: list[str] = []  # keys of the other pictures of the bag
        self.subscribers: set[asyncio.Event] = set()  # set after each change
        self.idle_since = time.monotonic()
        self.changing = asyncio.Lock()  # requests that change the puzzle or solve it come one after another
        self.job: Job | None = None
        self.measuring: Job | None = None  # finds the candidates of an answer from a file
        self.on_split: Callable[[Children], None] = lambda children: None  # called with further pictures of a bag
        self.set_input(settings, built, problem)

    def set_input(self, settings: Settings, built: Built | None, problem: str = "") -> None:
        """Replace the pieces."""
        self.settings, self.problem = settings, problem
        self.input = None if built is None else built.input
        self.truth = None if built is None else built.truth  # the right layout, if the pieces were cut here
        self.atlas: Atlas | None = None if self.input is None else arrange_pieces(self.input.puzzle)
        self.has_fragments = self.input is not None and settings.wants_fragments(self.source)
        self.version = secrets.token_hex(4)  # of the pieces
        self._clear_solve()
        self.phase = "pieces"

    def _clear_solve(self) -> None:
        self.timeline: list[Entry] = []
        self.solve_id = secrets.token_hex(4)  # distinguishes the timelines of two solves
        self.answer: bytes | None = None
        self.candidates: Candidates | None = None
        self.position, self.error = 0, ""
        self._previous: tuple[bytes | None, list[Entry], str, Candidates | None] | None = None

    @property
    def pixel_bytes(self) -> int:
        """Approximate memory of the session."""
        source = sum(one.pixels.nbytes for one in self.source.pictures) if isinstance(
            self.source, files.Pieces) else self.source.nbytes  # fmt: skip
        extra = 0 if self.reference is None else self.reference.nbytes
        extra += 0 if self.candidates is None else 12 * self.candidates.P.nnz
        return source + extra + (0 if self.input is None else self.input.puzzle.pieces.nbytes)

    def max_message_bytes(self, per_cell: int) -> int:
        """The longest message about the pieces, if one takes this many bytes."""
        puzzle = None if self.input is None else self.input.puzzle
        cells = 0 if puzzle is None else max(puzzle.total, puzzle.rows * puzzle.cols)
        cells = MAX_CELLS if self.has_fragments else cells
        return min(MAX_JSON_BYTES, 4 * MAX_SETTINGS_BYTES + per_cell * cells)

    def state(self) -> dict[str, Any]:
        """What the page shows, as data for JSON."""
        data: dict[str, Any] = {
            "key": self.key, "title": self.title, "phase": self.phase, "position": self.position, "error": self.error,
            "settings": asdict(self.settings), "sheet": not isinstance(self.source, files.Pieces),
            "problem": self.problem, "version": self.version, "solve_id": self.solve_id, "siblings": self.siblings,
            "timeline_length": len(self.timeline), "can_judge": self.candidates is not None,
            "reference": self.reference is not None, "fragments": self.has_fragments,
            "pieces": None if self.numbers is None else self.numbers.tolist(),
        }  # fmt: skip
        if not isinstance(self.source, files.Pieces):
            data["size"] = [self.source.shape[1], self.source.shape[0]]
        if self.input is not None and self.atlas is not None:
            puzzle = self.input.puzzle
            data["puzzle"] = {
                "n": len(puzzle), "piece": self.input.piece, "rows": puzzle.rows, "cols": puzzle.cols,
                "turns": puzzle.turns, "notes": self.input.notes, "atlas": self.atlas.to_data(),
            }  # fmt: skip
        return data

    # --- solving

    def solve(self, jobs: Jobs, request: SolveRequest, planned: FragmentsTask | None = None) -> None:
        """Queue a new solve. If the grid is unknown, pinned cells refer to the grid of the last answer.

        planned: of fragments, see `boards.plan_fragments`.
        """
        task_input, pins = self.input, request.pins
        if task_input is None:
            raise InputError("Expected a puzzle to solve: there is none yet.")
        if pins.cells and not task_input.puzzle.rows and self.answer is not None:
            layout = self.layout().layout
            task_input = replace(task_input, puzzle=replace(task_input.puzzle, rows=layout.rows, cols=layout.cols))
        if planned is not None:
            self.params, self.min_confidence = request.params, request.min_confidence
            self._start(jobs, Task(task_input, request.params, fragments=planned))
            return
        puzzle = task_input.puzzle
        check_pins(pins, puzzle.total, puzzle.rows, puzzle.cols, puzzle.turns)
        count = self.settings.picture_count(self.source, bool(pins) or self.reference is not None)
        if count != 1 and (pins or self.reference is not None):
            raise InputError("Expected no pins or reference with several pictures: they describe one picture.")
        if self.numbers is not None:
            count = 1  # a picture that was separated already
        shape = (self.settings.rows, self.settings.cols) if self.settings.rows and self.settings.cols else UNKNOWN
        self._start(jobs, Task(task_input, request.params, pins, self.reference, count, shape))

    def _start(self, jobs: Jobs, task: Task) -> None:
        previous = (self.answer, self.timeline, self.solve_id, self.candidates) if self.answer is not None else None
        self.cancel(jobs)
        self._clear_solve()
        self._previous = previous
        self.phase = "queued"
        self.job = Job(task, self.on_message)
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
        if saved.mirrored or self.input.mirrored is not None:
            self.input = self.input.mirror_back(np.isin(np.arange(len(self.input.puzzle)), saved.mirrored))
        self.answer = json.dumps(describe_layout_file(saved), allow_nan=False).encode()
        self.phase = "answer"

    def measure(self, jobs: Jobs) -> None:
        """Queue the search for the candidates of an answer from a file, by which its edits are judged."""
        if self.candidates is not None or self.measuring is not None or self.job is not None or self.input is None:
            return
        if self.has_fragments:
            return  # the next solve finds them
        if len(self.input.puzzle) <= MAX_MEASURED_PIECES:
            job = Job(Task(self.input, SolveParams(), layout=self.layout().layout), self._on_measured)
            jobs.add(job)
            self.measuring = job

    def _on_measured(self, kind: str, content: Any) -> None:
        if kind not in ("done", "failed"):
            return
        self.measuring = None
        if kind == "done":
            (measured,) = content
            self.candidates = measured.candidates
            alternatives = json.loads(measured.answer)["alternatives"]
            self.answer = json.dumps(self.parse_answer() | {"alternatives": alternatives}).encode()
        self.notify()

    def cancel(self, jobs: Jobs) -> None:
        """Cancel the solve, if there is one."""
        if self.measuring is not None:
            measuring, self.measuring = self.measuring, None
            jobs.cancel(measuring)
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
            (self.answer, self.timeline, self.solve_id, self.candidates), self.phase = previous, "answer"

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
                self.job = self._previous = None
                self._finish(content)
            case "failed":
                self.job = None
                self._restore_previous()
                self.error = content
        self.notify()

    def _finish(self, solved: Sequence[Solved]) -> None:
        """Take the answer. Of several pictures, this session keeps the first; the others become sessions."""
        if len(solved) > 1:
            timelines = split_timeline(self.timeline, len(solved))
            others = [self._make_sibling(k, one, timelines[k]) for k, one in enumerate(solved[1:], start=1)]
            self._keep_picture(solved[0], timelines[0])
            family = [self, *others]
            for k, session in enumerate(family, start=1):
                session.title = f"{session.title}, picture {k}"
                session.siblings = [other.key for other in family if other is not session]
            self.on_split(others)
        self._accept(solved[0])

    def _make_sibling(self, k: int, one: Solved, timeline: list[Entry]) -> "Session":
        sibling = Session(self.title, self.source, self.settings, None)
        sibling.input, sibling.bag_names, sibling.profile = self.input, self.bag_names, self.profile
        sibling._keep_picture(one, timeline)
        sibling._accept(one)
        return sibling

    def _keep_picture(self, one: Solved, timeline: list[Entry]) -> None:
        """Drop all pieces but those of one picture."""
        bag = self.input
        assert bag is not None
        assert one.numbers is not None
        numbers = one.numbers
        pieces = bag.puzzle.pieces[numbers]
        self.bag_names = bag.names
        names = None if bag.names is None else tuple(bag.names[k] for k in numbers.tolist())
        puzzle = replace(bag.puzzle, pieces=pieces, rows=one.shape[0], cols=one.shape[1])
        own = replace(bag, puzzle=puzzle, names=names)
        settings = replace(self.settings, rows=one.shape[0], cols=one.shape[1], pictures=None, shuffle=None)
        self.source = _make_pieces(pieces, numbers, names)
        self.set_input(settings, Built(own))
        self.numbers, self.timeline = numbers, timeline

    def _accept(self, one: Solved) -> None:
        self.phase, self.answer, self.candidates = "answer", one.answer, one.candidates

    def notify(self) -> None:
        """Wake all subscribers."""
        for subscriber in self.subscribers:
            subscriber.set()

    # --- answers

    def layout(self) -> layout_file.LayoutFile:
        """The layout of the answer."""
        return layout_file.from_data(self.parse_answer()["layout"])

    def parse_answer(self) -> dict[str, Any]:
        if self.answer is None:
            raise InputError("Expected an answer: there is none yet.")
        data: dict[str, Any] = json.loads(self.answer)
        return data

    def describe_answer(self) -> bytes:
        """The answer as JSON, with the score of a puzzle that was cut here."""
        if self.truth is None:
            return self.answer or b"{}"
        data = self.parse_answer()
        return json.dumps(data | {"score": self.score(layout_file.from_data(data["layout"]).layout)}).encode()

    def score(self, layout: Layout) -> dict[str, Any] | None:
        if self.truth is None or self.input is None:
            return None
        return describe_score(layout, self.truth, self.input.puzzle)

    def judge(self, data: dict[str, Any], pins: Pins) -> Judgement:
        """What is known about a layout that a person has edited."""
        saved = self.layout()
        edited = self.parse_edited_layout(data, saved)
        assert self.input is not None
        check_pins(pins, len(self.input.puzzle), edited.rows, edited.cols, tuple(range(SIDES)))
        found = judge(edited, saved, self.candidates, self.input, pins)
        return replace(found, score=self.score(edited))

    def parse_edited_layout(self, data: dict[str, Any], saved: layout_file.LayoutFile) -> Layout:
        """A layout that a person has edited; it has the grid of the answer, which may lie on its side."""
        rows, cols = saved.layout.rows, saved.layout.cols
        if (data.get("rows"), data.get("cols")) not in ((rows, cols), (cols, rows)):  # it decides what the rest costs
            raise InputError(f"Expected a layout of {rows} rows x {cols} cols, got another.")
        known = {"format": layout_file.FORMAT, "version": layout_file.VERSION, "piece": [1, 1]}
        edited = layout_file.from_data(
            known | {key: data.get(key) for key in ("rows", "cols", "pieces", "turns")}
        ).layout
        assert self.input is not None
        if int(edited.pieces.max()) >= len(self.input.puzzle):
            raise InputError(f"Expected a layout of {len(self.input.puzzle)} pieces, got another.")
        return edited

    def export_layout(self, found: Judgement) -> layout_file.LayoutFile:
        """A layout file, in the piece numbers of the bag if the pieces come from one."""
        saved = found.saved
        if self.numbers is None:
            return saved
        pieces = saved.layout.pieces
        layout = Layout(np.where(pieces == HOLE, HOLE, self.numbers[pieces]), saved.layout.turns)
        return replace(saved, layout=layout, names=self.bag_names)
