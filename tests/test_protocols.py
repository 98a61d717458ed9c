"""Puzzles as people have them: what each protocol makes of a picture, and how answers are scored."""

from __future__ import annotations

import re

import numpy as np
import pytest

from jigsolve.bench.alignment import align
from jigsolve.bench.protocols import PICTURE_CONDITIONS, PUZZLE_CONDITIONS, Case, make_bag, make_case, parse_protocol
from jigsolve.bench.scoring import mirror_back, score_bag, score_case
from jigsolve.cli.names import PROTOCOLS, pattern_of
from jigsolve.io import render
from jigsolve.pipeline import SolveParams, solve
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.puzzle.scores import Scores
from jigsolve.runtime.errors import InputError
from pictures import photograph

COFFEE = photograph("coffee")[:300, :400]
FAST = SolveParams(effort="fast", threads=1)


def make(protocol: str, rotate: bool = False, seed: int = 3) -> Case:
    return make_case(protocol, COFFEE, (50, 50), rotate, seed)


def test_the_names_users_see_are_those_there_are() -> None:
    tables = PICTURE_CONDITIONS, PUZZLE_CONDITIONS
    real = [name if one.hi == 0 else f"{name}-N" for table in tables for name, one in table.items()]
    assert list(PROTOCOLS) == ["clean", *real, "cache-N", "mixed-N"]
    for word in ("clean", "worn-2", "missing-5+unknown-grid", "grey+jpeg-90", "scaled-0.75+jpeg-90"):
        assert re.fullmatch(pattern_of(PROTOCOLS, "+"), word)
    for word in ("mit", "worn", "worn-x", "data/mcgill", "worn-2+mit"):
        assert not re.fullmatch(pattern_of(PROTOCOLS, "+"), word)


def test_names() -> None:
    assert parse_protocol("clean") == {}
    assert parse_protocol("scaled-0.75") == parse_protocol("scaled-75") == {"scaled": 75}
    assert parse_protocol("missing-5+unknown-grid+grey") == {"missing": 5, "unknown-grid": 0, "grey": 0}
    for wrong in (
        "",
        "worn",
        "grey-3",
        "worn-0",
        "worn-2+worn-3",
        "clean+worn-2",
        "worn-",
        "-3",
        "worn-2.5",
        "strips+",
        "jpeg-0.9",
        "scaled-.",
    ):
        with pytest.raises(InputError, match="Expected a protocol"):
            parse_protocol(wrong)
    for wrong in ("missing-99", "jpeg-101", "scaled-2", "few-1"):
        with pytest.raises(InputError, match="with N from"):
            parse_protocol(wrong)
    with pytest.raises(InputError, match="strips or shreds"):
        parse_protocol("strips+shreds")
    with pytest.raises(InputError, match="gaps or lines"):
        parse_protocol("gaps-2+lines-2")
    with pytest.raises(InputError, match="in a mixed bag"):
        parse_protocol("mixed-2+pinned-5")


@pytest.mark.parametrize(
    ("protocol", "rotate"),
    [(name.replace("-N", "-2"), rotate) for name in PROTOCOLS if name not in ("reference-N", "scaled-N")
     for rotate in (False, True) if rotate or name != "in-place"],
)  # fmt: skip
def test_the_truth_is_right(protocol: str, rotate: bool) -> None:
    """Whatever happens to the pieces: laid out as the truth says, they are the picture again, or what is left of it."""
    one = make(protocol, rotate)
    scores = score_case(one, one.truth)
    assert (scores.direct, scores.neighbour, scores.perfect, scores.picture) == (1.0, 1.0, True, 1.0)
    assert one.puzzle.rotated == rotate
    if protocol in ("lines-2", "cropped-2"):
        return  # pieces have lost pixels
    given = one.puzzle if protocol == "few-2" else one.given.puzzle  # so few are found by solving
    if one.mirrored is not None:
        given = mirror_back(one, one.mirrored).puzzle
    shown = render.render_picture(given, one.truth)[..., :3].astype(float)
    if one.puzzle.pieces.dtype == np.uint16:
        shown /= 257
    if protocol in ("worn-2", "ragged-2"):
        left = one.puzzle.pieces.shape[1]
        kept = slice((50 - left) // 2, (50 + left) // 2)
        shown = shown.reshape(6, left, 8, left, 3)
        whole = one.whole.reshape(6, 50, 8, 50, 3)[:, kept, :, kept]
    else:
        whole = one.whole
    wrong = np.abs(shown - whole)
    if protocol == "missing-2":
        wrong = wrong.reshape(6, 50, 8, 50, 3)[one.truth.pieces[:, None, :, None].repeat(50, 1).repeat(50, 3) != HOLE]
    near = {"noise-2": 10, "faded-2": 6, "eroded-2": 255, "jpeg-2": 255, "webp-2": 255}.get(protocol, 0)
    assert np.quantile(wrong, 0.8 if protocol in ("uneven-2", "ragged-2") else 1.0) <= near


def test_protocols_share_a_shuffle_and_depend_on_the_seed_alone() -> None:
    assert make("worn-2").truth == make("noise-5").truth == make("clean").truth
    assert np.array_equal(make("noise-5+missing-20").puzzle.pieces, make("missing-20+noise-5").puzzle.pieces)
    assert not np.array_equal(make("noise-5").puzzle.pieces, make("noise-5", seed=4).puzzle.pieces)


def test_missing_pieces_leave_holes() -> None:
    one = make("missing-20")
    assert len(one.puzzle) == 48 - 10 == (one.truth.pieces != HOLE).sum()
    assert sorted(one.truth.pieces[one.truth.pieces != HOLE]) == list(range(38))


@pytest.mark.parametrize(
    "protocol", ["strips", "shreds", "grey", "deep", "alpha", "margin", "unknown-size", "unknown-grid", "missing-5",
                 "pinned-10", "reference-40", "worn-1", "noise-4", "gaps-1", "gaps-2+jpeg-90", "gaps-3+scaled-0.8",
                 "lines-2", "scaled-0.75", "scaled-130", "cropped-3", "few-3", "webp-90"],
)  # fmt: skip
def test_a_photograph_is_solved(protocol: str) -> None:
    one = make_case(protocol, COFFEE, (20 if protocol in ("strips", "shreds") else 50, 50), False, 3)
    layout = solve(one.given, FAST, pins=one.pins, reference=one.reference).layout
    assert score_case(one, layout).neighbour > 0.95


def test_an_unknown_grid_counts_how_pieces_lie_together() -> None:
    one = make("unknown-grid")
    pieces = np.full((9, 9), HOLE)
    pieces[2:8, :8] = one.truth.pieces
    assert score_case(one, Layout(pieces, np.zeros_like(pieces))).perfect
    pieces[2, 0], pieces[0, 8] = HOLE, pieces[2, 0]  # outside the picture
    scores = score_case(one, Layout(pieces, np.zeros_like(pieces)))
    assert scores.direct == pytest.approx(47 / 48)
    assert scores.neighbour == pytest.approx(1 - 2 / (6 * 7 + 5 * 8))


def test_frames_of_turned_answers() -> None:
    one = make("missing-20+unknown-grid", rotate=True)
    for quarter in range(4):
        layout, truth = align(one.truth.rotate(quarter), one.truth, True)
        assert layout == truth
        assert score_case(one, one.truth.rotate(quarter)).perfect


def test_misread_pieces_score_nothing() -> None:
    one = make("unknown-size")
    half = Layout(np.arange(12).reshape(3, 4), np.zeros((3, 4), dtype=int))
    assert score_case(one, half).neighbour == 0.0


def test_the_way_up_counts_where_it_is_known() -> None:
    one = make("pinned-10", rotate=True)
    assert score_case(one, one.truth.rotate(2)).direct == 0.0
    assert score_case(make("clean", rotate=True), one.truth.rotate(2)).direct == 1.0


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("protocol", ["mixed-2", "mixed-2+unknown-grid", "mixed-2+missing-10+worn-2"])
def test_a_bag_is_scored_picture_by_picture(protocol: str, rotate: bool) -> None:
    pictures = [COFFEE, photograph("chelsea")[:300, :400]]
    given = make_bag(protocol, pictures, (50, 50), rotate, 3)
    is_known = "unknown-grid" not in protocol
    assert (given.pictures, given.shape) == ((2, (6, 8)) if is_known else (None, (0, 0)))
    assert score_bag(given, given.truths[::-1]) == (Scores(1.0, 1.0, True, 1.0), 1.0)
    scores, own = score_bag(given, given.truths[:1])
    assert (scores.direct, scores.perfect, own) == (0.5, False, 0.5)
    first, second = (truth.pieces.copy() for truth in given.truths)
    at = tuple(np.argwhere((first != HOLE) & (second != HOLE))[0])
    first[at], second[at] = second[at], first[at]  # two pieces in the wrong picture
    layouts = [Layout(pieces, truth.turns) for pieces, truth in zip((first, second), given.truths, strict=True)]
    n = len(given.puzzle)
    scores, own = score_bag(given, layouts)
    assert own == pytest.approx(1.0 - 2 / n)
    assert scores.direct == pytest.approx(1.0 - 2 / n, abs=1e-3)


def test_pictures_of_a_bag_may_differ_in_shape() -> None:
    given = make_bag("mixed-2", [COFFEE, photograph("chelsea")], (50, 50), False, 3)
    assert (given.pictures, given.shape) == (2, (0, 0))
