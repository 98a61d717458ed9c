"""jigsolve puts scrambled pictures back together from the picture alone."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jigsolve.bags.mixed import solve_mixed
    from jigsolve.io.inputs import Input, read_puzzle
    from jigsolve.pipeline import Result, SolveParams, solve
    from jigsolve.puzzle.layout import Layout
    from jigsolve.puzzle.pieces import Puzzle, cut, scramble
    from jigsolve.puzzle.scores import Scores, score
    from jigsolve.runtime.errors import InputError

__version__ = "0.1.0"

# Names are loaded when first used: `import jigsolve` and `jigsolve --help` wait for no numerics.
_HOMES = {
    "Input": "io.inputs",
    "InputError": "runtime.errors",
    "Layout": "puzzle.layout",
    "Puzzle": "puzzle.pieces",
    "Result": "pipeline",
    "Scores": "puzzle.scores",
    "SolveParams": "pipeline",
    "cut": "puzzle.pieces",
    "read_puzzle": "io.inputs",
    "score": "puzzle.scores",
    "scramble": "puzzle.pieces",
    "solve": "pipeline",
    "solve_mixed": "bags.mixed",
}

__all__ = ["Input", "InputError", "Layout", "Puzzle", "Result", "Scores", "SolveParams", "__version__", "cut",
           "read_puzzle", "score", "scramble", "solve", "solve_mixed"]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'jigsolve' has no attribute {name!r}")
    value = getattr(import_module(f"jigsolve.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
