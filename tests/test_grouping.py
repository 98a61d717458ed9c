"""Groups of tied pieces: what belongs together, and how many pictures that makes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from jigsolve.bags.grouping import Ties, find_groups, find_ties, merge_groups


def joints_of(shapes: list[tuple[int, int]], strong: float, false: list[tuple[int, int, float]] = ()) -> csr_array:
    """P of pictures of these shapes whose true joints are all as likely; false: sides that only seem to join, and P."""
    entries = list(false)
    first = 0
    for rows, cols in shapes:
        piece = first + np.arange(rows * cols).reshape(rows, cols)
        right = zip(4 * piece[:, :-1].ravel(), 4 * piece[:, 1:].ravel() + 2, strict=True)
        down = zip(4 * piece[:-1].ravel() + 1, 4 * piece[1:].ravel() + 3, strict=True)
        entries += [(int(a), int(b), strong) for a, b in (*right, *down)]
        first += rows * cols
    a, b, value = (np.array(column) for column in zip(*entries, strict=True))
    both = (np.concatenate([value, value]), (np.concatenate([a, b]), np.concatenate([b, a])))
    return csr_array(coo_array(both, shape=(4 * first, 4 * first)))


def ones(n: int) -> np.ndarray:
    return np.ones(n, dtype=np.int32)


@pytest.mark.parametrize("strong", [0.95, 0.3])  # if few joints are likely, the others count as well
@pytest.mark.parametrize("pictures", [None, 3])
def test_pictures_fall_apart(strong: float, pictures: int | None) -> None:
    found = find_groups(joints_of([(6, 8), (5, 6), (4, 4)], strong), ones(94), pictures)
    assert [group.tolist() for group in found] == [list(range(48)), list(range(48, 78)), list(range(78, 94))]


def test_one_likely_joint_makes_no_picture_of_two() -> None:
    P = joints_of([(10, 10), (10, 10)], 0.9, [(0, 4 * 100 + 2, 0.85)])
    assert [len(group) for group in find_groups(P, ones(200))] == [100, 100]
    seam = [(4 * (10 * y + 9), 4 * (100 + 10 * y) + 2, 0.6) for y in range(5)]
    assert [len(group) for group in find_groups(joints_of([(10, 10), (10, 10)], 0.9, seam), ones(200))] == [200]


def test_a_number_of_pictures_cuts_the_weakest_ties_or_joins_what_is_left() -> None:
    seam = [(4 * (10 * y + 9), 4 * (100 + 10 * y) + 2, 0.6) for y in range(5)]
    P = joints_of([(10, 10), (10, 10), (10, 10)], 0.9, seam)
    assert [len(group) for group in find_groups(P, ones(300))] == [200, 100]
    assert [len(group) for group in find_groups(P, ones(300), 3)] == [100, 100, 100]
    weak = [(4 * (10 * y + 9), 4 * (100 + 10 * y) + 2, 0.6) for y in range(1)]
    P = joints_of([(10, 10), (10, 10), (10, 10)], 0.9, weak)
    assert [len(group) for group in find_groups(P, ones(300), 2)] == [200, 100]
    assert len(find_groups(P, ones(300), 80)) < 80  # pictures have six pieces at least


def test_a_small_group_with_many_weak_ties_is_loose() -> None:
    weak = [(4 * (10 * y + 9), 4 * (100 + 5 * y) + 2, 0.2) for y in range(5)]
    assert [len(group) for group in find_groups(joints_of([(10, 10), (5, 5)], 0.9), ones(125))] == [100, 25]
    assert [len(group) for group in find_groups(joints_of([(10, 10), (5, 5)], 0.9, weak), ones(125))] == [100]
    assert [len(group) for group in find_groups(joints_of([(10, 10), (5, 5)], 0.9, weak), ones(125), 2)] == [100, 25]


def test_crumbs_and_copies_are_loose() -> None:
    P = joints_of([(10, 10), (2, 2), (10, 10)], 0.9)
    assert [len(group) for group in find_groups(P, ones(204))] == [100, 100]
    copies = ones(204)
    copies[:10] = 3
    first, second = find_groups(P, copies)
    assert (len(first), second.tolist()) == (100, list(range(10, 100)))


def test_two_pieces_are_tied_once() -> None:
    P = joints_of([(1, 2)], 0.5, [(1, 7, 0.2)])
    tied = find_ties(P, ones(2), 0.0)
    assert (tied.a.tolist(), tied.b.tolist(), tied.P.tolist()) == ([0], [1], [0.5])
    assert len(find_ties(P, ones(2), 0.6).a) == 0


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11), st.floats(0.01, 1.0)), max_size=30))
def test_merges_are_those_of_a_plain_twin(some: list[tuple[int, int, float]]) -> None:
    tied = {(min(a, b), max(a, b)): p for a, b, p in some if a != b}
    arrays = [np.array([pair[end] for pair in tied], dtype=np.int64) for end in (0, 1)]
    found = merge_groups(Ties(arrays[0], arrays[1], np.array(list(tied.values()))), 12)
    parts = [{k} for k in range(12)]
    for merge in found:
        strongest = max(
            sum(p for (a, b), p in tied.items() if {a, b} & one and {a, b} & other) / min(len(one), len(other)) ** 0.5
            for one in parts
            for other in parts
            if one is not other
        )
        one, other = (next(part for part in parts if piece in part) for piece in (merge.a, merge.b))
        assert one is not other
        assert merge.strength == pytest.approx(strongest)
        assert merge.size == len(other) <= len(one)
        parts.remove(other)
        one |= other
    assert not any({a, b} & one and {a, b} & other for a, b in tied for one in parts for other in parts if one != other)
