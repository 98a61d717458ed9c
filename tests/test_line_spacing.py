"""Lines of text above and below a blank cut."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from jigsolve import solve
from jigsolve.compatibility.drawn import _kernels
from jigsolve.compatibility.drawn.line_spacing import MAX_DEPTH, list_chains, measure_lines, rate_spacing
from jigsolve.puzzle.geometry import DOWN, UP, side_id
from jigsolve.puzzle.pieces import cut, scramble

PITCH, HEIGHT, WIDTH = 26, 40, 400
BASELINE = 14  # of the first line, from its top
WORDS = ("gives", "many", "pages", "of", "text", "by", "joints", "line", "and", "every")


def text_page(lines: int = 40) -> NDArray[np.uint8]:
    """Lines of words at equal distances."""
    image = Image.new("RGB", (WIDTH, lines * PITCH), (255, 255, 255))
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(15)
    rng = np.random.default_rng(0)
    for k in range(lines):
        line = " ".join(WORDS[word] for word in rng.integers(0, len(WORDS), 8))
        draw.text((10, k * PITCH + BASELINE), line, font=font, fill=(0, 0, 0), anchor="ls")
    return np.asarray(image)


def sides(pieces: NDArray[np.int32], side: int) -> NDArray[np.int32]:
    return np.asarray(side_id(pieces, side), dtype=np.int32)


def test_baselines_are_found_from_both_ends() -> None:
    rows = np.asarray(255 - text_page(3)[..., 0], dtype=np.float32).sum(axis=1) / 255.0
    gaps = np.zeros(2 * MAX_DEPTH + 1)
    assert _kernels.measure_lines(rows, gaps) == (BASELINE, 3 * PITCH - BASELINE - 2 * PITCH)
    assert np.flatnonzero(gaps).tolist() == [PITCH]
    assert gaps[PITCH] > 2  # both cuts through the blank rows, and those beside them


def test_a_line_that_is_cut_off_has_no_baseline() -> None:
    rows = np.asarray(255 - text_page(3)[: BASELINE - 4, :, 0], dtype=np.float32).sum(axis=1)
    assert _kernels.measure_lines(rows, np.zeros(2 * MAX_DEPTH + 1)) == (-1, -1)
    assert _kernels.measure_lines(np.zeros(9, dtype=np.float32), np.zeros(2 * MAX_DEPTH + 1)) == (-1, -1)


def test_chains_follow_the_surest_joints_and_leave_rings_out() -> None:
    upper, lower = np.array([0, 1, 0, 3, 4], np.int32), np.array([1, 2, 2, 4, 3], np.int32)
    assert list_chains(6, sides(upper, DOWN), sides(lower, UP)) == [[0, 1, 2], [5]]
    assert list_chains(6, sides(lower, UP), sides(upper, DOWN)) == [[0, 1, 2], [5]]


def test_depths_are_those_of_the_ends_of_chains() -> None:
    pieces = cut(text_page(), (WIDTH, HEIGHT)).pieces
    alone, _ = measure_lines(pieces, [[k] for k in range(len(pieces))])
    depth, gaps = measure_lines(pieces, [[0, 1, 2]])
    assert depth[0, UP] == alone[0, UP] == BASELINE
    assert depth[2, DOWN] == alone[2, DOWN]
    assert (np.delete(depth.ravel(), [side_id(0, UP), side_id(2, DOWN)]) == -1).all()
    assert np.flatnonzero(gaps).tolist() == [PITCH]


def test_a_true_joint_at_a_blank_cut_is_worth_more_than_its_rivals() -> None:
    pieces = cut(text_page(), (WIDTH, HEIGHT)).pieces
    n = len(pieces)
    upper, lower = (grid.ravel().astype(np.int32) for grid in np.meshgrid(range(n), range(n), indexing="ij"))
    nats = rate_spacing(pieces, sides(upper, DOWN), sides(lower, UP), np.full(n * n, -3.0)).reshape(n, n)
    blank = [k for k in range(n - 1) if nats[k, k + 1] != 0.0]
    assert len(blank) >= 5
    assert all(nats[k, k + 1] > 1.0 and nats[k, k + 1] >= nats[k].max() - 0.5 for k in blank)
    assert np.median(nats[nats != 0.0]) < 0.0


def test_squares_are_left_alone() -> None:
    pieces = cut(text_page(), HEIGHT).pieces
    first, second = sides(np.arange(9, dtype=np.int32), DOWN), sides(np.arange(1, 10, dtype=np.int32), UP)
    assert not rate_spacing(pieces, first, second, np.zeros(9)).any()


def test_lines_whose_order_nothing_shows_are_not_believed() -> None:
    puzzle, truth = scramble(cut(text_page(24), (WIDTH, PITCH)), rotate=False, seed=1)
    result = solve(puzzle, threads=1)
    place = np.argsort(truth.pieces.ravel())
    right = (np.diff(place[result.layout.pieces.ravel()]) == 1).mean()
    assert right < 0.4
    assert result.confidence.share < right + 0.3
