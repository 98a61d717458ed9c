"""jigsolve puts scrambled pictures back together from the picture alone."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jigsolve.bags.mixed import solve_mixed
    from jigsolve.compatibility import Joints
    from jigsolve.confidence import Candidates, Confidence
    from jigsolve.dissimilarity import Pairs
    from jigsolve.fragments.root import solve_fragments
    from jigsolve.io.inputs import Input, read_puzzle
    from jigsolve.pipeline import Result, SolveParams, solve
    from jigsolve.puzzle import Layout, Pins, Puzzle, Scores, cut, score, scramble
    from jigsolve.runtime import EventHandler, InputError

__version__ = "1.0.0"

# Names are loaded when first used, so that `import jigsolve` and `jigsolve --help` do not load NumPy and numba.
_HOMES = {
    "Candidates": "confidence",
    "Confidence": "confidence",
    "EventHandler": "runtime",
    "Input": "io.inputs",
    "InputError": "runtime",
    "Joints": "compatibility",
    "Layout": "puzzle",
    "Pairs": "dissimilarity",
    "Pins": "puzzle",
    "Puzzle": "puzzle",
    "Result": "pipeline",
    "Scores": "puzzle",
    "SolveParams": "pipeline",
    "cut": "puzzle",
    "read_puzzle": "io.inputs",
    "score": "puzzle",
    "scramble": "puzzle",
    "solve": "pipeline",
    "solve_fragments": "fragments.root",
    "solve_mixed": "bags.mixed",
}

__all__ = [
    "Candidates", "Confidence", "EventHandler", "Input", "InputError", "Joints", "Layout", "Pairs", "Pins", "Puzzle",
    "Result", "Scores", "SolveParams", "__version__", "cut", "read_puzzle", "score", "scramble", "solve",
    "solve_fragments", "solve_mixed",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'jigsolve' has no attribute {name!r}")
    value = getattr(import_module(f"jigsolve.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
