"""Records of runs for the tests of tables and reports."""

from __future__ import annotations

from typing import Any

from jigsolve.bench.records import Outcome, Record, RunKey
from jigsolve.puzzle.scores import Scores


def make_record(
    dataset: str, picture: str, seed: int = 0, pieces: tuple[int, int] = (18, 24), *, solver: str = "paper",
    protocol: str = "clean", piece: tuple[int, int] = (28, 28), layouts: tuple[Any, ...] = (), **scores: float,
) -> Record:  # fmt: skip
    """pieces: rows and cols. scores: those that are not the usual ones."""
    key = RunKey("0.0.0", dataset, picture, piece, 1, protocol, solver, seed)
    given: dict[str, Any] = {"direct": 0.5, "neighbour": 0.75, "perfect": False, "picture": 0.9, **scores}
    outcome = Outcome(*pieces, Scores(**given), 0.8, wall=2.0, cpu=1.5, peak=100 << 20, layouts=layouts)
    return Record(key, f"/{dataset}/{picture}", outcome)


def make_mit_records(solver: str, dataset: str = "mit", **scores: float) -> list[Record]:
    """Records of all pictures of mit."""
    return [make_record(dataset, f"{k}.png", solver=solver, **scores) for k in range(20)]
