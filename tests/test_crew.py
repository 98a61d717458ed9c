"""The crew: the same results for any number of threads, in order; errors come through; time may run out."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from jigsolve.crew import Crew, blas_threads, chunks, cores

teams = pytest.mark.parametrize("threads", [1, 2, 5])


@teams
def test_results_come_in_order_and_progress_is_told(threads: int) -> None:
    told: list[float] = []
    crew = Crew(threads, told.append)
    assert list(crew.each(divmod, [(k, 3) for k in range(20)], 20, 0.5)) == [divmod(k, 3) for k in range(20)]
    assert len(told) == 20
    assert told == sorted(told)
    assert told[-1] == pytest.approx(0.5)
    crew.all(lambda k: None, [(1,), (2,)], 1.0)
    assert told[-2:] == pytest.approx([0.75, 1.0])


def test_threads_work_at_the_same_time() -> None:
    meeting = threading.Barrier(2, timeout=30.0)  # nobody gets by alone
    Crew(2).all(meeting.wait, [()] * 4, 1.0)


@teams
def test_jobs_are_drawn_when_they_are_due(threads: int) -> None:
    drawn: list[int] = []

    def jobs() -> Iterator[tuple[int]]:
        for k in range(100):
            drawn.append(k)
            yield (k,)

    results = Crew(threads).each(abs, jobs(), 100, 1.0)
    assert next(results) == 0
    assert len(drawn) <= 2 * threads + 1
    results.close()  # type: ignore[attr-defined]


@teams
def test_errors_come_through_and_nobody_is_left_behind(threads: int) -> None:
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        list(Crew(threads).each(divmod, [(1, k) for k in (2, 1, 0, 1, 2, 3, 4, 5)], 8, 1.0))
    assert threading.active_count() == before


@teams
def test_what_there_is_no_time_for_is_left_undone(threads: int) -> None:
    asked = iter([False] * 6)
    crew = Crew(threads, late=lambda: next(asked, True))
    assert list(crew.spread(abs, [(k,) for k in range(50)], 50, 1.0)) == list(enumerate(range(6)))
    assert crew.cut_short
    crew = Crew(threads)
    assert len(list(crew.spread(abs, [(k,) for k in range(50)], 50, 1.0))) == 50
    assert not crew.cut_short


def test_chunks() -> None:
    assert chunks(7, 3) == [(0, 3), (3, 6), (6, 7)]
    assert chunks(6, 3) == [(0, 3), (3, 6)]
    assert chunks(0, 3) == []


def test_blas_is_held_to_its_threads() -> None:
    from threadpoolctl import threadpool_info

    assert cores() >= 1
    with blas_threads(1):
        assert {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"} <= {1}
