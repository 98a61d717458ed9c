"""Fragments of a bag: from an input to what is believed of it.

input -> pairs -> joints -> assembly of tiles that occur once -> growth with tiles that occur again -> fragments
"""

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.special import expit

from jigsolve.confidence import Candidates, Confidence
from jigsolve.fragments.assembly import Assembly, Grid
from jigsolve.fragments.contacts import Contacts, Pair, Tiles
from jigsolve.fragments.growth import Grown, grow
from jigsolve.fragments.values import Fragment, Fragments
from jigsolve.io.inputs import Input
from jigsolve.io.tiles import read_tiles
from jigsolve.pipeline import SolveParams
from jigsolve.pipeline.stages import measure, weigh
from jigsolve.pipeline.task import make_task
from jigsolve.puzzle import HOLE, Layout, PieceClasses
from jigsolve.puzzle.geometry import DOWN, RIGHT, opposite, piece_of, side_id, side_of
from jigsolve.runtime import Clock, EventHandler, InputError, ignore_event

MIN_CONFIDENCE = 0.7  # default of the joints that are shown
MIN_KNOWN = 1e-6  # least probability of a joint in a fragment that is held


def solve_fragments(
    source: Path | str | Input,
    params: SolveParams | None = None,
    on_event: EventHandler = ignore_event,
    min_confidence: float = MIN_CONFIDENCE,
    held: Sequence[Fragment] = (),
    forbidden: Collection[Pair] = (),
) -> Fragments:
    """The fragments of a cache or of any bag of upright pieces.

    source: the path of a cache, or of a folder of caches or tiles; or an `Input`.
    min_confidence: a joint is shown only if it is at least this likely.
    held: fragments that are kept as they lie, such as those of an earlier answer, or what a person has put together.
    More tiles may join them. forbidden: pairs of sides that must not face each other, as `side_id(piece, side)`.
    """
    if not 0.0 < min_confidence < 1.0:
        raise InputError(f"Expected a confidence between 0 and 1, got {min_confidence}.")
    given = source if isinstance(source, Input) else read_tiles(Path(source))
    if given.puzzle.rotated:
        raise InputError("Expected upright pieces for fragments, got rotated ones.")
    params = replace(params or SolveParams(), solver="default", dissimilarity="mahalanobis", compatibility="learned")
    clock = Clock(on_event)
    deadline = time.monotonic() + (params.time_limit or math.inf)
    task = make_task(given, params, clock, deadline=deadline)
    pairs = measure(task)
    joints = weigh(task, pairs)
    assert pairs.classes is not None
    clock.start_stage("fragments")
    grown: list[Grown] = []
    stopped = joints.P is None
    tiles = Tiles(pairs.puzzle, _find_sizes(given, pairs.classes))
    if not stopped:
        contacts = Contacts(tiles, joints, _name_sides(forbidden, pairs.classes))
        assembly = Assembly(contacts, np.flatnonzero(~tiles.plain).tolist())
        for one in held:
            assembly.hold(*_read_held(one, contacts, pairs.classes))
        try:
            assembly.run(to_score(min_confidence), task.run.is_over, clock.report_progress)
        except KeyboardInterrupt:
            stopped = True
        stopped |= task.run.is_over()
        grown = grow(assembly, to_score(min_confidence))
    clock.finish()
    if joints.P is None:  # stopped before anything was known
        return Fragments(tuple(held), given, params, min_confidence, (), clock.seconds, stopped=True)
    found = _collect(given, params, min_confidence, pairs.classes, grown, clock, stopped)
    return replace(found, candidates=Candidates(joints.P, pairs.classes))


def to_score(probability: float) -> float:
    """Log odds of a probability; those of a certain joint have no bound."""
    return math.inf if probability >= 1.0 else math.log(probability / (1.0 - probability))


def _name_sides(forbidden: Collection[Pair], classes: PieceClasses) -> set[Pair]:
    """Pairs of sides of pieces as sides of tiles, the right or lower one first."""
    named = set()
    for pair in forbidden:
        a, b = sorted(pair, key=side_of)
        if side_of(b) != opposite(side_of(a)):
            raise InputError(f"Expected forbidden sides that could face each other, got {pair[0]} and {pair[1]}.")
        named.add(tuple(side_id(int(classes.class_of[piece_of(side)]), side_of(side)) for side in (a, b)))
    return named


def _read_held(one: Fragment, contacts: Contacts, classes: PieceClasses) -> tuple[Grid, dict[Pair, float]]:
    """Tiles by cell, and the scores of their contacts: those of the fragment, or what is known without it."""
    layout, confidence = one.layout, one.confidence
    if layout.turns.any() or layout.pieces.max() >= len(classes.class_of):
        raise InputError(f"Expected held fragments of {len(classes.class_of)} upright pieces, got others.")
    grid = {
        (row, col): int(classes.class_of[layout.pieces[row, col]])
        for row, col in np.argwhere(layout.pieces != HOLE).tolist()
    }
    joined = {}
    for (row, col), tile in grid.items():
        for side, cell, values in ((RIGHT, (row, col + 1), confidence.right), (DOWN, (row + 1, col), confidence.down)):
            if cell in grid:
                pair = side_id(tile, side), side_id(grid[cell], opposite(side))
                known = float(values[row, col])
                joined[pair] = contacts.estimate(pair) if math.isnan(known) else to_score(max(known, MIN_KNOWN))
    return grid, joined


def _find_sizes(given: Input, classes: PieceClasses) -> np.ndarray:
    """(classes, 2) width and height of the tiles."""
    sizes = (
        np.tile(np.array(given.piece, dtype=np.int32), (len(given.puzzle), 1)) if given.sizes is None else given.sizes
    )
    return sizes[classes.representative]


def _collect(
    given: Input, params: SolveParams, min_confidence: float, classes: PieceClasses,
    grown: list[Grown], clock: Clock, stopped: bool,
) -> Fragments:  # fmt: skip
    content = measure_content(given)
    found = [_make_fragment(one, classes, content) for one in grown if len(one.grid) > 1]
    found.sort(key=lambda one: (-one.content, one.layout.pieces.min()))
    used = {int(piece) for one in found for piece in one.layout.pieces.ravel()}
    single = [int(classes.representative[tile]) for one in grown if len(one.grid) == 1 for tile in one.grid.values()]
    left = tuple(piece for piece in single if piece not in used)
    return Fragments(tuple(found), given, params, min_confidence, left, clock.seconds, stopped=stopped)


def measure_content(given: Input) -> np.ndarray:
    """(pieces,) thousands of pixels of each piece that differ from the one to the right or below."""
    pieces = given.puzzle.pieces
    right = (pieces[:, :, 1:] != pieces[:, :, :-1]).any(axis=3).sum(axis=(1, 2))
    down = (pieces[:, 1:] != pieces[:, :-1]).any(axis=3).sum(axis=(1, 2))
    return np.asarray((right + down) / 1000.0)


def _make_fragment(one: Grown, classes: PieceClasses, content: np.ndarray) -> Fragment:
    grid, joined = one.grid, one.joined
    top, left = min(row for row, _ in grid), min(col for _, col in grid)
    rows, cols = max(row for row, _ in grid) - top + 1, max(col for _, col in grid) - left + 1
    pieces = np.full((rows, cols), HOLE, dtype=np.int32)
    right, down = np.full((rows, cols - 1), np.nan), np.full((rows - 1, cols), np.nan)
    for (row, col), tile in grid.items():
        pieces[row - top, col - left] = classes.representative[tile]
        for out, side, cell in ((right, RIGHT, (row, col + 1)), (down, DOWN, (row + 1, col))):
            if cell in grid:
                score = joined[side_id(tile, side), side_id(grid[cell], opposite(side))]
                out[row - top, col - left] = expit(score)
    flags = np.zeros(right.shape, dtype=np.bool_), np.zeros(down.shape, dtype=np.bool_)
    likely = judge_pieces(pieces, right, down)
    whole = float(np.nanprod([*right.ravel(), *down.ravel()]))
    confidence = Confidence(right, down, flags, likely, whole, whole)
    layout = Layout(pieces, np.zeros_like(pieces), repeats=True)
    variants = {
        (row - top, col - left): [(int(classes.representative[tile]), float(expit(score))) for tile, score in others]
        for (row, col), others in one.variants.items()
    }
    return Fragment(layout, confidence, float(content[pieces[pieces != HOLE]].sum()), variants)


def judge_pieces(pieces: np.ndarray, right: np.ndarray, down: np.ndarray) -> np.ndarray:
    """(rows, cols) the probability of the surest joint of each piece; NaN in holes."""
    best = np.full(pieces.shape, -1.0)
    for part, value in (
        (best[:, 1:], right), (best[:, :-1], right), (best[1:], down), (best[:-1], down)
    ):  # fmt: skip
        np.fmax(part, value, out=part)
    return np.where(pieces == HOLE, np.nan, np.clip(best, 0.0, 1.0))
