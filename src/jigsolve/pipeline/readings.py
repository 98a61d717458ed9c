"""Which of several grids a sheet has, by the answers that they give: the most believable answer has the right grid.

With the right grid the answer is a picture without cuts. With pieces that are too large, cuts are left inside them.
With wrong pieces the joints do not fit. With pieces that are too small the answer is as good, but more joints of the
sheet are kept in it, and believed, than chance explains.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from jigsolve.confidence import Confidence
from jigsolve.io import render
from jigsolve.io.grid_detection import GridEstimate
from jigsolve.io.grid_detection.cuts import measure_jumps
from jigsolve.io.inputs import Input, SizeDoubt
from jigsolve.pipeline.result import Result
from jigsolve.puzzle import Layout, Pixels, joint_ids
from jigsolve.puzzle.scores import joint_id_grids

# Weights of a conditional logit over the grids of unsure sheets: photographs, drawings, screens and pages of text
PRIOR_WEIGHT = 0.8  # of the logarithm of the probability that the sheet alone gives a grid
CUTS_WEIGHT = 2.5  # of the logarithm of the cuts that are left in the answer
KEPT_WEIGHT = 0.8  # of a joint of the sheet that is kept in the answer beyond chance
JOINTS_WEIGHT = 4.2  # of the share of new joints that are believed: chance makes one in as many as there are pieces
TEMPERATURE = 1.3  # divides the scores: confidences above 0.9 were wrong too often on screens and pages of text
WHOLE_COST = 1.0  # of a sheet that was not cut at all
MAX_CUT_JUMP = 1.5  # larger jumps count as one cut


def choose_reading(doubt: SizeDoubt, solve: Callable[[Input], Result]) -> Input:
    """The puzzle of a sheet, cut by the grid whose answer is the most believable."""
    scores = np.array([_score(doubt, estimate, solve) for estimate in doubt.estimates])
    probabilities = np.exp((scores - scores.max()) / TEMPERATURE)
    probabilities /= probabilities.sum()
    best = int(np.argmax(probabilities))
    return doubt.read(doubt.estimates[best], float(probabilities[best]))


def _score(doubt: SizeDoubt, estimate: GridEstimate, solve: Callable[[Input], Result]) -> float:
    """How believable a grid is, as a logarithm."""
    prior = PRIOR_WEIGHT * np.log(estimate.confidence)
    if estimate.cells == (1, 1):
        return float(prior - WHOLE_COST - CUTS_WEIGHT * np.log1p(_count_cuts(doubt.sheet)))
    result = solve(doubt.read(estimate, 1.0))
    n, (all_joints, kept, believed) = len(result.puzzle), _count_kept(result)
    cuts = np.log1p(_count_cuts(render.render_picture(result.puzzle, result.layout)))
    moved = JOINTS_WEIGHT * result.confidence.share * (1.0 - kept / all_joints) * np.log(n)
    joints = moved - KEPT_WEIGHT * max(0.0, believed - all_joints / n)
    return float(prior + joints - CUTS_WEIGHT * cuts)


def discount(confidence: Confidence, probability: float) -> Confidence:
    """The confidence of an answer whose pieces are right only with this probability."""
    return replace(
        confidence,
        **{name: getattr(confidence, name) * probability for name in ("right", "down", "pieces", "picture", "exact")},
    )


def _count_cuts(picture: Pixels) -> float:
    """How many lines of pixels jump like cuts."""
    profiles = (measure_jumps(picture).sizes, measure_jumps(picture.swapaxes(0, 1)).sizes)
    return sum(float((np.clip(sizes, 0.0, MAX_CUT_JUMP) ** 2).sum()) for sizes in profiles)


def _count_kept(result: Result) -> tuple[int, int, float]:
    """The number of joints of the answer, how many of them are joints of the sheet, and how many of those are believed.

    Joints between plain sides are not believed, and say nothing: any answer keeps some of them.
    """
    n, rows, cols = len(result.puzzle), result.puzzle.rows, result.puzzle.cols
    ids = np.concatenate([grid.ravel() for grid in joint_id_grids(result.layout)])
    probabilities = np.concatenate([result.confidence.right.ravel(), result.confidence.down.ravel()])[ids >= 0]
    ids = ids[ids >= 0]
    if rows * cols != n:
        return len(ids), 0, 0.0
    sheet = Layout(np.arange(n).reshape(rows, cols), np.zeros((rows, cols), dtype=np.int8))
    is_kept = np.isin(ids, joint_ids(sheet))
    return len(ids), int(is_kept.sum()), float(probabilities[is_kept].sum())
