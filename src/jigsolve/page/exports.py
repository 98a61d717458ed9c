"""What can be downloaded from a session. Rendering takes long, so callers run these functions on another thread."""

import io
from typing import Any

from jigsolve.io import pictures, render
from jigsolve.io.composition import compose_picture
from jigsolve.io.inputs import Input
from jigsolve.io.pin_file import from_data as parse_pins
from jigsolve.page.judgement import Judgement
from jigsolve.page.replay.animation import render_frames
from jigsolve.page.replay.atlas import encode
from jigsolve.page.replay.html import render_html
from jigsolve.page.session import Session
from jigsolve.puzzle import NO_PINS
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


def _input_of(session: Session) -> Input:
    if session.input is None:
        raise InputError("Expected pieces: there are none yet.")
    return session.input
