"""An answer as data for JSON: the layout file, its confidence, and the alternatives for each side of each piece."""

from typing import Any

import numpy as np

from jigsolve.confidence import Candidates
from jigsolve.io.inputs import Input
from jigsolve.io.layout_file import LayoutFile, to_data
from jigsolve.pipeline import Result

ALTERNATIVES_PER_SIDE = 3


def describe_layout_file(saved: LayoutFile) -> dict[str, Any]:
    """A layout file in the form of `describe_answer`. What the file does not hold is empty or None."""
    verdict = "A saved layout" if saved.confidence is None else saved.confidence.describe()
    return {"layout": to_data(saved), "consistency": None, "verdict": verdict, "seconds": {}, "notes": [],
            "stopped": saved.partial, "params": {}, "alternatives": None}  # fmt: skip


def describe_answer(source: Input, result: Result) -> dict[str, Any]:
    """What the page and the replay show. alternatives: flat lists, `ALTERNATIVES_PER_SIDE` for each side id."""
    saved = LayoutFile(
        result.layout, source.piece, None, result.stopped, source.names, source.margin, result.confidence,
        source.mirrored_pieces,
    )  # fmt: skip
    params = result.params
    shown = {
        "solver": params.solver,
        "compatibility": params.compatibility or "the solver's own",
        "dissimilarity": params.dissimilarity,
        "effort": params.effort,
        "seed": params.seed,
        "time limit": params.time_limit,
        "turned pieces": source.puzzle.rotated,
    }
    return {
        "layout": to_data(saved),
        "consistency": round(result.consistency, 3),
        "verdict": result.confidence.describe(),
        "seconds": {name: round(spent, 3) for name, spent in result.seconds.items()},
        "notes": [*source.notes, *result.notes],
        "stopped": result.stopped,
        "params": {name: value for name, value in shown.items() if value is not None},
        "alternatives": describe_alternatives(result.candidates),
    }


def describe_alternatives(candidates: Candidates) -> dict[str, Any]:
    sides, probabilities = candidates.top(ALTERNATIVES_PER_SIDE)
    return {
        "count": ALTERNATIVES_PER_SIDE,
        "sides": sides.ravel().tolist(),
        "probabilities": np.round(probabilities, 4).ravel().tolist(),
    }
