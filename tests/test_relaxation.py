"""Relaxation labeling from its theory, on problems that are no puzzles."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from jigsolve.relaxation import (
    FREE,
    Assignment,
    DenseCoefficients,
    PhaseParams,
    RelaxParams,
    Workspace,
    compute_consistency,
    compute_support,
    consistency_of_anchors,
    multiphase,
    relax,
    update,
)
from jigsolve.relaxation.balance import balance, relax_balanced
from jigsolve.runtime.errors import InputError

seeds = st.integers(0, 10_000)


def symmetric_coefficients(seed: int, objects: int, labels: int, sparse: float = 0.5) -> DenseCoefficients:
    rng = np.random.default_rng(seed)
    r = rng.random((objects, labels, objects, labels)) * (rng.random((objects, labels, objects, labels)) < sparse)
    r[np.arange(objects), :, np.arange(objects), :] = 0.0
    return DenseCoefficients(r + r.transpose(2, 3, 0, 1))


def any_labeling(seed: int, objects: int, labels: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(labels), objects)


@given(seeds, st.integers(2, 6), st.integers(2, 5))
def test_support_is_the_double_sum_of_eq_3(seed, objects, labels):
    c, p = symmetric_coefficients(seed, objects, labels), any_labeling(seed, objects, labels)
    q = np.zeros_like(p)
    for i in range(objects):
        for x in range(labels):
            q[i, x] = sum(c.r[i, x, j, y] * p[j, y] for j in range(objects) for y in range(labels))
    np.testing.assert_allclose(compute_support(c, p), q, atol=1e-12)


@given(seeds, st.integers(2, 6), st.integers(2, 5))
def test_rows_stay_on_the_simplex_and_consistency_never_falls(seed, objects, labels):
    c, p = symmetric_coefficients(seed, objects, labels), any_labeling(seed, objects, labels)
    before = -np.inf
    for _ in range(30):
        q = compute_support(c, p)
        now = compute_consistency(p, q)
        assert now >= before - 1e-9
        before = now
        p = update(p, q)
        assert (p >= 0.0).all()
        np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-9)


def test_a_row_without_support_stays_put():
    p = any_labeling(0, 3, 4)
    np.testing.assert_array_equal(update(p, np.zeros_like(p)), p)


@given(seeds)
def test_binary_rows_never_change(seed):
    """The paper's reason why anchored rows and columns are safe."""
    c, p = symmetric_coefficients(seed, 5, 5, sparse=0.9), any_labeling(seed, 5, 5)
    p[0] = [0, 1, 0, 0, 0]
    p[1:, 1] = 0.0
    p[1:] /= p[1:].sum(axis=1, keepdims=True)
    for _ in range(10):
        p = update(p, compute_support(c, p))
    np.testing.assert_array_equal(p[0], [0, 1, 0, 0, 0])
    assert (p[1:, 1] == 0.0).all()


@given(seeds)
def test_anchored_support_as_a_constant_is_exact(seed):
    """Relaxing the free objects with a bias is the same as relaxing all with binary rows."""
    c = symmetric_coefficients(seed, 5, 5, sparse=0.9)
    anchors = np.array([2, FREE, FREE, 0, FREE], dtype=np.int32)
    whole = np.zeros((5, 5))
    whole[0, 2] = whole[3, 0] = 1.0
    whole[np.ix_([1, 2, 4], [1, 3, 4])] = 1.0 / 3.0
    space = Workspace(5, 5)
    space.p[:] = whole
    done = relax(c, space, anchors, RelaxParams(iterations=7, epsilon=1e-12))
    for _ in range(done):
        whole = update(whole, compute_support(c, whole))
    free = [1, 2, 4]
    np.testing.assert_allclose(space.p[free], whole[free], atol=1e-12)


@given(seeds, st.integers(2, 7))
def test_multiphase_is_always_feasible(seed, n):
    c = symmetric_coefficients(seed, n, n, sparse=0.3)
    end = multiphase(Assignment(c))
    assert sorted(end.anchors) == list(range(n))
    p = np.eye(n)[end.anchors]
    assert end.consistency == pytest.approx(compute_consistency(p, compute_support(c, p)))
    assert end.consistency == pytest.approx(consistency_of_anchors(c, end.anchors))


@given(seeds)
def test_multiphase_finds_a_linear_assignment(seed):
    """Coefficients that only say how well each object likes each label: the best anchors are the best assignment."""
    n = 6
    rng = np.random.default_rng(seed)
    best = rng.permutation(n)
    likes = 0.1 * rng.random((n, n))
    likes[np.arange(n), best] += 1.0
    r = likes[:, :, None, None] + likes[None, None]
    r[np.arange(n), :, np.arange(n), :] = 0.0
    end = multiphase(Assignment(DenseCoefficients(r)))
    np.testing.assert_array_equal(end.anchors, linear_sum_assignment(likes, maximize=True)[1])


def test_anchors_once_made_stay():
    seen: list[np.ndarray] = []
    multiphase(Assignment(symmetric_coefficients(3, 6, 6)), on_event=lambda phase: seen.append(phase.anchors))
    for before, after in pairwise(seen):
        held = before != FREE
        np.testing.assert_array_equal(before[held], after[held])
        assert (after != FREE).sum() == held.sum() + 1


@given(seeds)
def test_balancing_makes_rows_and_slots_sum_to_one(seed):
    p = balance(np.random.default_rng(seed).random((6, 6)) + 0.01, np.arange(6, dtype=np.int32), sweeps=500)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(p.sum(axis=0), 1.0, atol=2e-3)


def test_balancing_shares_slots_of_several_labels():
    slots = np.tile(np.arange(4, dtype=np.int32), 2)
    p = balance(np.random.default_rng(1).random((4, 8)) + 0.01, slots, sweeps=500)
    np.testing.assert_allclose(p.reshape(4, 2, 4).sum(axis=(0, 1)), 1.0, atol=2e-3)


def test_balanced_relaxation_keeps_equal_rows_equal():
    """The known weakness of balancing: identical objects keep identical rows."""
    c = symmetric_coefficients(5, 4, 4)
    r = c.r.copy()
    swap = [1, 0, 2, 3]
    r = 0.5 * (r + r[swap][:, :, swap])
    p = relax_balanced(DenseCoefficients(r), np.full((4, 4), 0.25), np.arange(4, dtype=np.int32))
    np.testing.assert_allclose(p[0], p[1], atol=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RelaxParams(epsilon=0.0), "Expected epsilon above 0, got 0.0."),
        (lambda: RelaxParams(iterations=0), "Expected at least 1 iteration, got 0."),
        (lambda: PhaseParams(anchor_threshold=3.0), "Expected anchor_threshold in (0, 1], got 3.0."),
        (lambda: DenseCoefficients(np.zeros((2, 2, 2))), "Expected r of shape"),
        (lambda: DenseCoefficients(-np.ones((2, 2, 2, 2))), "Expected finite coefficients"),
        (lambda: DenseCoefficients(np.arange(16.0).reshape(2, 2, 2, 2)), "Expected symmetric coefficients"),
    ],
)
def test_bad_parameters_are_refused_at_birth(make, message):
    with pytest.raises(InputError) as error:
        make()
    assert message in str(error.value)
