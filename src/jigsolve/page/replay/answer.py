"""An answer as data for JSON: the layout file, what is believed of it, and what else could lie beside each piece."""

from __future__ import annotations

from typing import Any

import numpy as np

from jigsolve.io.inputs import Input
from jigsolve.io.layout_file import LayoutFile, to_data
from jigsolve.pipeline import Result

ALTERNATIVES = 3  # told of every side


def kept_answer(kept: LayoutFile) -> dict[str, Any]:
    """The same of a layout file: what is not in it is not known."""
    verdict = "A kept layout" if kept.confidence is None else kept.confidence.describe()
    return {"layout": to_data(kept), "consistency": None, "verdict": verdict, "seconds": {}, "notes": [],
            "stopped": kept.partial, "params": {}, "alternatives": None}  # fmt: skip


def answer_data(given: Input, result: Result) -> dict[str, Any]:
    """What the page and the replay show of an answer.

    alternatives: sides and chances, both flat, `ALTERNATIVES` for each of the four sides of each piece.
    """
    kept = LayoutFile(result.layout, given.piece, None, result.stopped, given.names, given.margin, result.confidence)
    sides, chances = result.candidates.top(ALTERNATIVES)
    params = result.params
    shown = {
        "solver": params.solver,
        "compatibility": params.compatibility or "the solver's own",
        "dissimilarity": params.dissimilarity,
        "effort": params.effort,
        "seed": params.seed,
        "time limit": params.time_limit,
        "turned pieces": result.puzzle.rotated,
    }
    return {
        "layout": to_data(kept),
        "consistency": round(result.consistency, 3),
        "verdict": result.confidence.describe(),
        "seconds": {name: round(spent, 3) for name, spent in result.seconds.items()},
        "notes": [*given.notes, *result.notes],
        "stopped": result.stopped,
        "params": {name: value for name, value in shown.items() if value is not None},
        "alternatives": {
            "count": ALTERNATIVES,
            "sides": sides.ravel().tolist(),
            "chances": np.round(chances, 4).ravel().tolist(),
        },
    }
