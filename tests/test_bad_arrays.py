"""Bad arguments of the library get one line of `InputError`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.sparse import csr_array

from jigsolve import InputError, Puzzle, SolveParams, cut, solve
from jigsolve.io import inputs
from jigsolve.puzzle.layout import Layout
from jigsolve.puzzle.pins import PinnedCell, Pins
from jigsolve.puzzle.scores import score
from jigsolve.solvers import GridProblem
from pictures import photograph

CAT = photograph("chelsea")[:120, :160]
WHOLE = np.zeros((80, 80, 3), np.uint8)
ARRAYS: dict[str, Callable[[], object]] = {
    "floats": lambda: cut(np.full((80, 80, 3), 0.5), 40),  # type: ignore[arg-type]
    "NaN": lambda: Puzzle(np.full((4, 8, 8, 3), np.nan), 2, 2),  # type: ignore[arg-type]
    "infinite": lambda: inputs.from_sheet(np.full((80, 80, 3), np.inf), (40, 40)),  # type: ignore[arg-type]
    "floats without a size": lambda: inputs.from_sheet(np.full((80, 80, 3), np.nan)),  # type: ignore[arg-type]
    "signed": lambda: cut(WHOLE.astype(np.int32), 40),  # type: ignore[arg-type]
    "flat": lambda: cut(WHOLE[..., 0], 40),
    "no array": lambda: Puzzle([[1, 2], [3, 4]], 1, 1),  # type: ignore[arg-type]
    "nothing": lambda: inputs.from_sheet(None, (40, 40)),  # type: ignore[arg-type]
    "no pixels": lambda: inputs.from_sheet(WHOLE[:0], (40, 40)),
    "no pieces": lambda: Puzzle(np.zeros((0, 8, 8, 3), np.uint8), 1, 1),
    "no channels": lambda: Puzzle(np.zeros((4, 8, 8, 0), np.uint8), 2, 2),
    "pieces of a pixel": lambda: Puzzle(np.zeros((4, 1, 1, 3), np.uint8), 2, 2),
    "piece of 0": lambda: inputs.from_sheet(WHOLE, (0, 0)),
    "piece below 0": lambda: inputs.from_sheet(WHOLE, (-40, 40)),
    "piece of halves": lambda: inputs.from_sheet(WHOLE, (2.5, 40)),  # type: ignore[arg-type]
    "piece without height": lambda: inputs.from_sheet(WHOLE, (40,)),  # type: ignore[arg-type]
    "piece too large": lambda: inputs.from_sheet(WHOLE, (81, 40)),
    "cut by 0": lambda: cut(WHOLE, (40, 0)),
    "grid too small": lambda: Puzzle(np.zeros((4, 8, 8, 3), np.uint8), 1, 3),
    "grid below 0": lambda: Puzzle(np.zeros((4, 8, 8, 3), np.uint8), -2, -2),
    "grid of halves": lambda: Puzzle(np.zeros((4, 8, 8, 3), np.uint8), 2.5, 2),  # type: ignore[arg-type]
    "pins that contradict": lambda: solve(cut(CAT, 40), pins=Pins((PinnedCell(0, 0, 0, 0), PinnedCell(1, 0, 0, 0)))),
    "reference of floats": lambda: solve(cut(CAT, 40), reference=np.full((9, 9, 3), np.nan)),  # type: ignore[arg-type]
    "reference without colour": lambda: solve(cut(CAT, 40), reference=CAT[..., 0]),
    "layout of floats": lambda: Layout(np.array([[0.0, np.nan]]), np.zeros((1, 2), int)),  # type: ignore[arg-type]
    "layout and turns apart": lambda: Layout(np.array([[0, 1]]), np.zeros((2, 1), int)),
    "layouts of two grids": lambda: score(
        Layout(np.array([[0, 1]]), np.zeros((1, 2), int)), Layout(np.arange(4).reshape(2, 2), np.zeros((2, 2), int))
    ),
    "C of NaN": lambda: GridProblem(csr_array(np.full((8, 8), np.nan)), 1, 2),
    "C infinite": lambda: GridProblem(csr_array(np.full((8, 8), np.inf)), 1, 2),
    "C too large to square": lambda: GridProblem(csr_array(np.full((8, 8), 1e200)), 1, 2),
    "C below 0": lambda: GridProblem(csr_array(-np.ones((8, 8))), 1, 2),
    "C one way": lambda: GridProblem(csr_array(np.triu(np.ones((8, 8)))), 1, 2),
    "C of other pieces": lambda: GridProblem(csr_array(np.ones((12, 12))), 1, 2),
    "C of half a piece": lambda: GridProblem(csr_array(np.ones((6, 6))), 1, 2),
    "time limit of NaN": lambda: SolveParams(time_limit=float("nan")),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_bad_arrays(name: str) -> None:
    with pytest.raises(InputError) as caught:
        ARRAYS[name]()
    assert "\n" not in str(caught.value)
