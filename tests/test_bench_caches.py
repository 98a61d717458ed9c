"""Caches in benchmarks: how they are made, and the scores of fragments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caches import draw_screen
from jigsolve.bench.caches import Cache, make_cache, score_cache
from jigsolve.bench.campaign import Run
from jigsolve.bench.execution import execute_run
from jigsolve.bench.protocols import parse_protocol
from jigsolve.io import files
from jigsolve.puzzle import HOLE, Layout
from jigsolve.runtime import InputError

SCREENS = [draw_screen(150, 200, 1), draw_screen(100, 130, 2)]


@pytest.fixture
def cache() -> Cache:
    return make_cache(SCREENS, (64, 64), 0, 5)


def test_a_cache_holds_every_tile_once(cache: Cache) -> None:
    assert [truth.pieces.shape for truth in cache.truths] == [(3, 4), (2, 3)]
    pieces = np.concatenate([truth.pieces.ravel() for truth in cache.truths])
    assert set(pieces.tolist()) == set(range(len(cache.given.puzzle)))
    twice = make_cache([SCREENS[0], SCREENS[0]], (64, 64), 0, 5)
    assert len(twice.given.puzzle) == len(np.unique(twice.truths[0].pieces)) <= 12
    tile, sizes = int(cache.truths[0].pieces[2, 3]), cache.given.sizes
    assert sizes is not None
    assert sizes[tile].tolist() == [8, 22]
    np.testing.assert_array_equal(cache.given.puzzle.pieces[tile][:22, :8], SCREENS[0][128:, 192:])


def test_lost_tiles_are_holes() -> None:
    lost = make_cache(SCREENS, (64, 64), 50, 5)
    assert len(lost.given.puzzle) == 9
    assert sum(int((truth.pieces == HOLE).sum()) for truth in lost.truths) == 9


def test_scores(cache: Cache) -> None:
    scores, right = score_cache(cache, cache.truths)
    assert (scores.neighbour, scores.direct, scores.perfect, right) == (1.0, 1.0, True, 1.0)
    assert score_cache(cache, []) == (replace(scores, direct=0.0, neighbour=0.0, perfect=False, picture=0.0), 0.0)
    pieces = cache.truths[0].pieces[:1]
    half, right = score_cache(
        cache, [Layout(pieces, np.zeros_like(pieces)), Layout(pieces[:, ::-1], np.zeros_like(pieces))]
    )
    assert right == 0.5
    assert 0.0 < half.neighbour < 0.3


def test_a_run(tmp_path: Path) -> None:
    for k, screen in enumerate(SCREENS):
        files.write_picture(tmp_path / f"{k}.png", screen)
    run = Run(tmp_path / "0.png", (64, 64), 1, "default", 0, "cache-2+missing-10")
    outcome = execute_run(run).outcome
    assert outcome.own_picture is not None
    assert outcome.own_picture > 0.8
    assert outcome.scores.neighbour > 0.3
    assert "fragments" in outcome.seconds
    with pytest.raises(InputError, match="Type 1"):
        execute_run(replace(run, type=2))
    with pytest.raises(InputError, match="nothing but missing"):
        parse_protocol("cache-2+grey")
