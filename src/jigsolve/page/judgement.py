"""What is known about a layout: the solver's own, one that a person has edited, or one that was saved."""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from jigsolve.confidence import Candidates, Confidence, judge_layout
from jigsolve.io.inputs import Input
from jigsolve.io.layout_file import LayoutFile, to_data
from jigsolve.pipeline.readings import discount
from jigsolve.puzzle import NO_PINS, Layout, Pins, Puzzle, score
from jigsolve.puzzle.geometry import SIDES


@dataclass(frozen=True)
class Judgement:
    """A layout with its confidence, if it can be judged. score: against the truth, if that is known."""

    saved: LayoutFile
    score: dict[str, Any] | None = None

    def to_data(self) -> dict[str, Any]:
        confidence = self.saved.confidence
        verdict = None if confidence is None else confidence.describe()
        return {"layout": to_data(self.saved), "verdict": verdict, "score": self.score}


def judge(
    layout: Layout, answer: LayoutFile, candidates: Candidates | None, given: Input, pins: Pins = NO_PINS
) -> Judgement:
    """The answer itself, also turned as a whole, keeps its confidence; other layouts are judged by the candidates."""
    confidence = None
    turn = next((turn for turn in range(SIDES) if answer.layout.rotate(turn) == layout), None)
    if turn is not None and not pins and answer.confidence is not None:
        confidence = rotate_confidence(answer.confidence, turn)
    elif candidates is not None:
        judged = judge_layout(candidates, layout, given.puzzle.turns, pins)
        confidence = discount(judged, given.size_confidence)
    partial = answer.partial if turn is not None else bool((layout.pieces < 0).any())
    return Judgement(replace(answer, layout=layout, partial=partial, confidence=confidence))


def rotate_confidence(confidence: Confidence, turn: int) -> Confidence:
    """The confidence of a layout that is turned as a whole by clockwise quarter turns."""
    for _ in range(turn):
        right, down = (np.rot90(grid, -1) for grid in (confidence.down, confidence.right))
        flags = confidence.undecidable
        confidence = replace(
            confidence, right=right, down=down, pieces=np.rot90(confidence.pieces, -1),
            undecidable=(np.rot90(flags[1], -1), np.rot90(flags[0], -1)),
        )  # fmt: skip
    return confidence


def describe_score(layout: Layout, truth: Layout, puzzle: Puzzle) -> dict[str, Any] | None:
    """The scores against the truth of a puzzle that was cut here."""
    if layout.pieces.size != truth.pieces.size:
        return None
    return asdict(score(layout, truth, puzzle.appearances()))
