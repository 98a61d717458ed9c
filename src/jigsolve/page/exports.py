"""What can be downloaded from a session. Rendering takes long, so callers run these functions on another thread."""

import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import numpy as np

from jigsolve import __version__
from jigsolve.fragments.pictures import render_fragment
from jigsolve.fragments.report import render_report
from jigsolve.fragments.values import Fragments
from jigsolve.io import files, pictures, render
from jigsolve.io.composition import compose_picture
from jigsolve.io.inputs import Input
from jigsolve.io.layout_file import LayoutFile, to_data
from jigsolve.io.pin_file import from_data as parse_pins
from jigsolve.io.tiles import list_origins
from jigsolve.page.board import EditedBoard, describe, find_single
from jigsolve.page.judgement import Judgement
from jigsolve.page.replay.animation import render_frames
from jigsolve.page.replay.atlas import encode
from jigsolve.page.replay.html import render_html
from jigsolve.page.session import Session
from jigsolve.puzzle import NO_PINS, Layout
from jigsolve.runtime import InputError


def judge_message(session: Session, message: dict[str, Any]) -> Judgement:
    """What is known about the layout in a message, with its pins."""
    pins = message.get("pins")
    return session.judge(message, NO_PINS if pins is None else parse_pins(pins))


def render_picture(session: Session, found: Judgement) -> bytes:
    picture = compose_picture(_input_of(session), found.saved.layout)
    return encode(render.clear_holes(picture, found.saved.layout), "PNG", session.profile)


def render_overlay(session: Session, found: Judgement) -> bytes:
    """The picture with doubtful joints marked."""
    if found.saved.confidence is None:
        raise InputError("Expected a layout that can be judged: solve it once.")
    picture = render.render_picture(_input_of(session).puzzle, found.saved.layout)
    return encode(render.mark_doubts(picture, found.saved.layout, found.saved.confidence), "PNG")


def render_replay(session: Session) -> bytes:
    answer = session.parse_answer()
    return render_html(session.title, _input_of(session).puzzle, list(session.timeline), answer).encode()


def render_animation(session: Session) -> bytes:
    if not session.timeline:
        raise InputError("Expected a solve to show: this answer was opened from a file.")
    layout = session.layout().layout
    frames, durations = render_frames(_input_of(session).puzzle, list(session.timeline), layout.rows, layout.cols)
    file = io.BytesIO()
    pictures.encode_animation(file, frames, durations)
    return file.getvalue()


def describe_edited(session: Session, edited: EditedBoard) -> str:
    """A judgement of the board, as JSON (`Judgement.to_data`)."""
    given = _input_of(session)
    saved = LayoutFile(edited.board.layout, given.piece, confidence=edited.confidence)
    verdict = describe(edited.confidence, len(edited.fragments), len(given.puzzle))
    return json.dumps({"layout": to_data(saved), "verdict": verdict, "score": None})


def export_board(session: Session, edited: EditedBoard) -> LayoutFile:
    """A layout file with the tiles on the board."""
    given = _input_of(session)
    tiles = edited.board.find_tiles(edited.board.layout.pieces, len(given.puzzle)).astype(np.int32)
    layout = Layout(tiles, np.zeros_like(tiles), repeats=True)
    names, origins = list_origins(given, layout)
    return LayoutFile(layout, given.piece, names=names, confidence=edited.confidence, origins=origins)


def render_fragments_report(session: Session, edited: EditedBoard) -> bytes:
    """The report of the command line, of what lies on the board."""
    return render_report(session.title, _collect(session, edited), session.uploaded, __version__).encode()


def pack_fragments(session: Session, edited: EditedBoard) -> bytes:
    """The report, and the picture and the layout file of every fragment, as a zip."""
    found = _collect(session, edited)
    given = found.input
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("report.html", render_fragments_report(session, edited))
        for k, one in enumerate(found.fragments, start=1):
            archive.writestr(f"fragment-{k}.png", encode(render_fragment(given, one.layout), "PNG"))
            names, origins = list_origins(given, one.layout)
            saved = LayoutFile(one.layout, given.piece, names=names, confidence=one.confidence, origins=origins)
            archive.writestr(f"fragment-{k}.json", files.format_layout(saved))
    return file.getvalue()


def _collect(session: Session, edited: EditedBoard) -> Fragments:
    """What lies on the board; notes say what a person has decided."""
    given, answer = _input_of(session), session.parse_answer()
    found = Fragments(edited.fragments, given, session.params, session.min_confidence, stopped=answer["stopped"])
    by_hand = f"On the page, {edited.accepted} joints were accepted and {edited.cut} were cut by hand."
    notes = (by_hand,) if edited.accepted or edited.cut else ()
    return replace(found, single=find_single(given, edited.fragments), notes=notes)


def _input_of(session: Session) -> Input:
    if session.input is None:
        raise InputError("Expected pieces: there are none yet.")
    return session.input
