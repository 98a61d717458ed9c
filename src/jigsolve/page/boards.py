"""The board of a session with a cache: opened from a file, read from a message of the page, continued."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jigsolve.io import layout_file
from jigsolve.page.arrangement import describe_fragments
from jigsolve.page.board import (
    MAX_CELLS,
    Board,
    EditedBoard,
    Known,
    describe_board,
    judge_board,
    name_forbidden,
    parse_copies,
    read_fragments,
)
from jigsolve.page.settings import SolveRequest
from jigsolve.page.worker import FragmentsTask, dump_answer
from jigsolve.puzzle import Pins
from jigsolve.runtime import InputError

if TYPE_CHECKING:
    from jigsolve.page.session import Session


def load_board(session: Session, saved: layout_file.LayoutFile, copies: object) -> None:
    """Continue with a board. copies: None if the layout has tiles, not uses of them: it is laid out anew."""
    assert session.input is not None
    n = len(session.input.puzzle)
    known = parse_copies(copies, n)
    if saved.layout.turns.any() or int(saved.layout.pieces.max()) >= n + len(known):
        raise InputError(f"Expected a layout of these {n} upright tiles, got another.")
    if copies is None:
        answer = describe_fragments(read_fragments(saved, session.input))[0]
    else:
        answer = describe_board(Board(saved.layout, known), session.input, saved.confidence)
    session.answer = dump_answer(answer)
    session.phase = "answer"


def read_board(session: Session, data: dict[str, Any], pins: Pins) -> EditedBoard:
    """The board of a message, judged, and its fragments."""
    if session.input is None:
        raise InputError("Expected tiles: there are none yet.")
    n, answer = len(session.input.puzzle), session.parse_answer()
    copies = parse_copies(data.get("copies"), n)
    known = {"format": layout_file.FORMAT, "version": layout_file.VERSION, "piece": [1, 1]}
    layout = layout_file.from_data(known | {key: data.get(key) for key in ("rows", "cols", "pieces")}).layout
    used = max([int(layout.pieces.max()), *pins.pieces()])
    if used >= n + len(copies) or layout.pieces.size > MAX_CELLS:
        raise InputError(f"Expected a board of {n} tiles and {len(copies)} copies, got another.")
    saved = layout_file.from_data(answer["layout"])
    before = Known(Board(saved.layout, tuple(answer["copies"])), saved.confidence, session.candidates)
    return judge_board(Board(layout, copies), session.input, before, pins)


def plan_fragments(session: Session, request: SolveRequest) -> FragmentsTask:
    """Fragments from nothing, or the board of the page with more. Takes long for a large board."""
    if request.board is None:
        return FragmentsTask(request.min_confidence)
    edited = read_board(session, request.board, request.pins)
    assert session.input is not None
    forbidden = name_forbidden(request.pins, edited.board, len(session.input.puzzle))
    return FragmentsTask(request.min_confidence, edited.board, edited.fragments, forbidden)
