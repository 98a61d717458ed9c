"""Same input, same seed, same layout: whatever the threads, the order of files, the machine's load or the shuffle."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bad_uploads import encoded
from jigsolve import Puzzle, SolveParams, read_puzzle, solve
from pictures import small_puzzle


@pytest.mark.parametrize("rotate", [False, True])
def test_threads_and_load_change_nothing(rotate: bool) -> None:
    puzzle, _ = small_puzzle("coffee", 40, 6, 8, rotate)
    quiet = solve(puzzle, SolveParams(effort="fast", threads=1))
    over = threading.Event()

    def busy() -> None:
        while not over.is_set():
            np.linalg.svd(np.ones((40, 40)))

    others = [threading.Thread(target=busy) for _ in range(3)]
    for other in others:
        other.start()
    try:
        loaded = solve(puzzle, SolveParams(effort="fast", threads=3))
    finally:
        over.set()
        for other in others:
            other.join()
    assert loaded.layout == quiet.layout
    assert loaded.consistency == quiet.consistency
    np.testing.assert_array_equal(loaded.confidence.right, quiet.confidence.right)


def test_the_order_of_files_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle, _ = small_puzzle("coffee", 40, 4, 6)
    for k, piece in enumerate(puzzle.pieces):
        (tmp_path / f"{k}.png").write_bytes(encoded(piece))
    one = read_puzzle(tmp_path, rows=4)
    plain = os.walk

    def backwards(top: str) -> Iterator[tuple[str, list[str], list[str]]]:
        for where, folders, names in plain(top):
            yield where, folders, sorted(names, reverse=True)

    monkeypatch.setattr(os, "walk", backwards)
    two = read_puzzle(tmp_path, rows=4)
    assert one.names == two.names
    np.testing.assert_array_equal(one.puzzle.pieces, two.puzzle.pieces)


@pytest.mark.parametrize("rotate", [False, True])
def test_a_shuffle_changes_nothing_but_the_numbering(rotate: bool) -> None:
    puzzle, _ = small_puzzle("chelsea", 40, 5, 7, rotate)
    order = np.random.default_rng(0).permutation(len(puzzle))
    first = solve(puzzle, SolveParams(effort="fast")).layout
    second = solve(Puzzle(puzzle.pieces[order], 5, 7, rotate), SolveParams(effort="fast")).layout
    np.testing.assert_array_equal(order[second.pieces], first.pieces)
    np.testing.assert_array_equal(second.turns, first.turns)
