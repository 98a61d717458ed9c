"""The workers: the same results for any number of threads, in order; errors come through; time may run out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from jigsolve import SolveParams, solve
from jigsolve.runtime.workers import Step, Workers, available_cores, limit_blas_threads, split_range
from pictures import small_puzzle

teams = pytest.mark.parametrize("threads", [1, 2, 5])


@teams
def test_results_come_in_order_and_progress_is_reported(threads: int) -> None:
    shares: list[float] = []
    workers = Workers(threads, shares.append)
    jobs = [(k, 3) for k in range(20)]
    assert list(workers.map(divmod, jobs, 20, Step.TERMS)) == [divmod(k, 3) for k in range(20)]
    assert len(shares) == 20
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(Step.TERMS.value[1])
    workers.run(lambda k: None, [(1,), (2,)], Step.TILES)
    begin, end = Step.TILES.value
    assert shares[-2:] == pytest.approx([(begin + end) / 2, end])
    workers.run(lambda k: None, [(1,)])
    assert len(shares) == 22  # a job without a step reports nothing


def test_steps_follow_each_other_and_fill_their_stage() -> None:
    ends = [0.0]
    for step in Step:
        begin, end = step.value
        assert begin in (0.0, ends[-1])
        assert begin != 0.0 or ends[-1] in (0.0, 1.0)
        assert begin < end
        ends.append(end)
    assert ends[-1] == 1.0


def test_threads_work_at_the_same_time() -> None:
    meeting = threading.Barrier(2, timeout=30.0)  # nobody gets by alone
    Workers(2).run(meeting.wait, [()] * 4)


@teams
def test_jobs_are_drawn_when_they_are_due(threads: int) -> None:
    drawn: list[int] = []

    def jobs() -> Iterator[tuple[int]]:
        for k in range(100):
            drawn.append(k)
            yield (k,)

    results = Workers(threads).map(abs, jobs())
    assert next(results) == 0
    assert len(drawn) <= 2 * threads + 1
    results.close()  # type: ignore[attr-defined]


@teams
def test_errors_come_through_and_nobody_is_left_behind(threads: int) -> None:
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        list(Workers(threads).map(divmod, [(1, k) for k in (2, 1, 0, 1, 2, 3, 4, 5)]))
    assert threading.active_count() == before


@teams
def test_what_there_is_no_time_for_is_left_undone(threads: int) -> None:
    asked = iter([False] * 6)
    workers = Workers(threads, is_late=lambda: next(asked, True))
    assert list(workers.map_unordered(abs, [(k,) for k in range(50)])) == list(enumerate(range(6)))
    assert workers.incomplete
    workers = Workers(threads)
    assert len(list(workers.map_unordered(abs, [(k,) for k in range(50)]))) == 50
    assert not workers.incomplete


def test_chunks() -> None:
    assert split_range(7, 3) == [(0, 3), (3, 6), (6, 7)]
    assert split_range(6, 3) == [(0, 3), (3, 6)]
    assert split_range(0, 3) == []


def test_blas_is_held_to_its_threads() -> None:
    assert available_cores() >= 1
    with limit_blas_threads(1):
        assert {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"} <= {1}


def count_blas_threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


def test_limits_of_blas_may_overlap() -> None:
    """As those of solves in two threads: one begins before the other ends, and ends after it."""
    with limit_blas_threads(3):
        first, second = limit_blas_threads(1), limit_blas_threads(2)
        first.__enter__()
        second.__enter__()
        assert count_blas_threads() == {1}
        first.__exit__(None, None, None)
        assert count_blas_threads() == {2}
        second.__exit__(None, None, None)
        assert count_blas_threads() == {3}


def test_solves_in_threads_leave_blas_as_it_was() -> None:
    puzzle, _ = small_puzzle("coffee", 40, 4, 5)
    with threadpool_limits(2, "blas"):
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda seed: solve(puzzle, SolveParams(effort="fast", seed=seed)), range(8)))
        assert count_blas_threads() == {2}
