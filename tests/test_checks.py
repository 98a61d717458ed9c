"""The contract checks: all stages of the package pass, and every broken stage fails with the right sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from jigsolve.cli import run
from jigsolve.compatibility import COMPATIBILITIES, Compatibility, Joints, Percentile
from jigsolve.dissimilarity import DISSIMILARITIES, Dissimilarity, Ssd, Strips, Term
from jigsolve.plugins import check_compatibility, check_dissimilarity, check_solver
from jigsolve.plugins.checks import CHECKS, ContractError, run_checks
from jigsolve.puzzle.geometry import compose_turns, piece_of
from jigsolve.puzzle.layout import Layout
from jigsolve.runtime.context import RunContext
from jigsolve.solvers import SOLVERS, Answer, Genetic, GridProblem, Solver, Tree

QUICK_SOLVERS = {**SOLVERS, "genetic": Genetic(population=20, generations=3)}


@pytest.mark.parametrize("name", DISSIMILARITIES)
def test_our_dissimilarities(name: str) -> None:
    check_dissimilarity(DISSIMILARITIES[name])


@pytest.mark.parametrize("name", COMPATIBILITIES)
def test_our_compatibilities(name: str) -> None:
    check_compatibility(COMPATIBILITIES[name])


@pytest.mark.parametrize("name", SOLVERS)
def test_our_solvers(name: str) -> None:
    check_solver(QUICK_SOLVERS[name], renumbering=name in ("greedy", "tree", "best-buddies"))


def first_failure(word: str, stage: object) -> str:
    return next(f"{title}: {failure}" for title, failure in run_checks(stage, CHECKS[word]) if failure)


Spoil = Callable[[GridProblem, Answer], Any]


@dataclass(frozen=True)
class Spoilt(Solver):
    """Solver `tree` with a defect in its answer."""

    spoil: Spoil
    supports_budget = property(lambda self: self.spoil is unstoppable)
    respects_pins = property(lambda self: self.spoil is forgetful)
    merges_copies = property(lambda self: self.spoil is single)

    def solve(self, problem: GridProblem, seed: int, on_event: Any, budget: Any = None) -> Answer:
        if self.spoil is single:
            problem = replace(problem, classes=None, rows=1, cols=piece_of(problem.C.shape[0]))
        result: Answer = self.spoil(problem, Tree().solve(problem, seed, on_event))
        return result


def make_answer(problem: GridProblem, pieces: np.ndarray, turns: np.ndarray) -> Answer:
    layout = Layout(pieces, turns)
    return Answer(layout, problem.consistency(layout))


def unstoppable(problem: GridProblem, answer: Answer) -> Answer:
    return answer


def forgetful(problem: GridProblem, answer: Answer) -> Answer:
    return answer


def single(problem: GridProblem, answer: Answer) -> Answer:
    return answer


def lossy(problem: GridProblem, answer: Answer) -> Answer:
    pieces = answer.layout.pieces
    return make_answer(problem, np.where(pieces == 0, -1, pieces), np.where(pieces == 0, 0, answer.layout.turns))


def crooked(problem: GridProblem, answer: Answer) -> Answer:
    return make_answer(problem, answer.layout.pieces, compose_turns(answer.layout.turns, 1))


def restless(problem: GridProblem, answer: Answer) -> Answer:
    order = np.random.default_rng().permutation(answer.layout.pieces.size)
    return make_answer(
        problem, answer.layout.pieces.ravel()[order].reshape(answer.layout.pieces.shape), answer.layout.turns
    )


def scribbling(problem: GridProblem, answer: Answer) -> Answer:
    problem.C.data *= 0.5
    return make_answer(problem, answer.layout.pieces, answer.layout.turns)


def blind(problem: GridProblem, answer: Answer) -> Answer:
    pieces = np.arange(len(problem)).reshape(problem.rows, problem.cols)
    return make_answer(problem, pieces, np.zeros_like(pieces))


def picky(problem: GridProblem, answer: Answer) -> Answer:
    return replace(answer, consistency=answer.consistency + 0 / (len(problem) - 1))


BROKEN_SOLVERS: dict[str, Spoil] = {
    "with an allowed turn: on 12 upright pieces it lays piece 0 nowhere.": lossy,
    "on 12 upright pieces it lays turn 1, which no piece may need.": crooked,
    "on 12 upright pieces it lays 4 rows x 3 cols instead of 3 x 4.": lambda problem, a: replace(
        a, layout=a.layout.rotate(1)
    ),
    "solve() gives a Layout, not an Answer.": lambda problem, answer: answer.layout,
    "on one piece it raises ZeroDivisionError: division by zero (test_checks.py, line": picky,
    "it says 1, and its layout has": lambda problem, answer: replace(answer, consistency=1.0),
    "the same seed gives another layout": restless,
    "it writes into C.": scribbling,
    "of the only joints in C": blind,
    "If it supports a budget, it stops at the deadline: it does not say that it was stopped.": unstoppable,
    "pinned pieces do not lie where they are pinned.": forgetful,
    "it lays 1 rows x": single,
}


@pytest.mark.parametrize("sentence", BROKEN_SOLVERS)
def test_broken_solvers(sentence: str) -> None:
    assert sentence in first_failure("solver", Spoilt(BROKEN_SOLVERS[sentence]))


@dataclass(frozen=True)
class SpoiltC(Compatibility):
    """Eq. 10 with a defect."""

    spoil: Callable[..., Any]

    def count_candidates(self, puzzle: Any, border: Any = None) -> int:
        return 0 if self.spoil is None else 10

    def weigh(self, pairs: Any, run: RunContext) -> Joints:
        return Joints(self.spoil(Percentile().weigh(pairs, run).C, pairs, run.workers))


def _selfish(C: csr_array, *_: Any) -> csr_array:
    return csr_array(C + csr_array((np.ones(2), ([0, 2], [2, 0])), shape=C.shape))


def _lopsided(C: csr_array, *_: Any) -> csr_array:
    return csr_array(C + csr_array((np.ones(1), ([0], [C.shape[0] - 2])), shape=C.shape))


def _impossible(C: csr_array, *_: Any) -> csr_array:
    last = C.shape[0] - 4
    return csr_array(C + csr_array((np.ones(2), ([0, last], [last, 0])), shape=C.shape))


def _noisy(C: csr_array, *_: Any) -> csr_array:
    return csr_array(C * np.random.default_rng().random())


def _scribbled(C: csr_array, pairs: Any, _: Any) -> csr_array:
    pairs.distances[:] = 0.0
    return C


def _numbered(C: csr_array, *_: Any) -> csr_array:
    weight = 1.0 + piece_of(np.arange(C.shape[0]))
    return csr_array(C.multiply(np.minimum(weight[:, None], weight[None])))


BROKEN_COMPATIBILITIES: dict[str, Any] = {
    "on 12 upright pieces count_candidates() gives 0, not a number of at least 1.": None,
    "it gives a ndarray, not a csr_array.": lambda C, *_: C.toarray(),
    "C is (47, 47), not (48, 48).": lambda C, *_: C[1:, 1:],
    "not all of C is finite.": lambda C, *_: C * np.nan,
    "C goes down to -": lambda C, *_: -C,
    "C[a, b] and C[b, a] differ by 1.": _lopsided,
    "a piece joins itself.": _selfish,
    "sides join that no turn lets face each other.": _impossible,
    "C is different the second time.": _noisy,
    "two threads make a different C.": lambda C, _, workers: csr_array(C / workers.threads),
    "it writes into the lists of the nearest.": _scribbled,
    "C depends on how pieces are numbered and turned.": _numbered,
    "true joints have a C of 0, sides at random 0.": lambda C, *_: csr_array(C.shape),
}


@pytest.mark.parametrize("sentence", BROKEN_COMPATIBILITIES)
def test_broken_compatibilities(sentence: str) -> None:
    assert sentence in first_failure("compatibility", SpoiltC(BROKEN_COMPATIBILITIES[sentence]))


@dataclass(frozen=True)
class SpoiltD(Dissimilarity):
    """SSD with a defect in its term."""

    spoil: Callable[[Term, Strips], Any]

    def terms(self, strips: Strips) -> Sequence[Term]:
        (term,) = Ssd().terms(strips)
        return [self.spoil(term, strips)]


def _both(term: Term, shown: Any) -> Term:
    return Term(shown, shown, term.weight)


def _written(term: Term, strips: Strips) -> Term:
    strips.lab[:] = strips.lab[:] + 1.0
    return term


BROKEN_DISSIMILARITIES: dict[str, Callable[[Term, Strips], Any]] = {
    "terms() gives something else.": lambda term, strips: 1.0,
    "observed is (12, 16), not (pieces, places, channels).": lambda term, strips: _both(term, term.observed[..., 0]),
    "weight is (12, 2, 2), not (12, 3, 3).": lambda term, strips: replace(term, weight=term.weight[:, :2, :2]),
    "not all numbers are finite.": lambda term, strips: _both(term, term.observed * np.nan),
    "a weight is not symmetric.": lambda term, strips: replace(term, weight=term.weight + np.triu(np.ones((3, 3)), 1)),
    "a weight has the eigenvalue -0.5: D would be negative.": lambda term, strips: replace(term, weight=-term.weight),
    "the first piece has other terms if it comes alone.": lambda term, s: _both(
        term, term.observed - term.observed.mean(axis=0)
    ),
    "centre the values.": lambda term, strips: _both(term, term.observed + 1e5),
    "D depends on how a piece lies": lambda term, s: _both(term, term.observed * (1.0 + s.side)),
    "it writes into the strips.": _written,
    "the same pieces have other distances the second time.": lambda term, s: _both(
        term, term.observed * np.random.default_rng().random()
    ),
    "true joints are": lambda term, strips: replace(term, expected=-term.observed),
}


@pytest.mark.parametrize("sentence", BROKEN_DISSIMILARITIES)
def test_broken_dissimilarities(sentence: str) -> None:
    found = [one.failure for one in run_checks(SpoiltD(BROKEN_DISSIMILARITIES[sentence]), CHECKS["dissimilarity"])]
    assert any(sentence in failure for failure in found), found


def test_all_failures_are_reported_at_once() -> None:
    with pytest.raises(ContractError) as error:
        check_solver(Spoilt(blind), renumbering=True)
    assert len(str(error.value).splitlines()) == 2
    assert "Renumbering pieces changes nothing: with other piece numbers it finds another layout" in str(error.value)
    with pytest.raises(AssertionError, match="C is symmetric"):
        check_compatibility(SpoiltC(_lopsided))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from jigsolve.dissimilarity import Ssd\n"
        "class Noisy(Ssd):\n"
        "    def terms(self, strips):\n"
        "        return super().terms(strips) if strips.side else 1 / 0\n"
        "DISSIMILARITIES = {'fine-ssd': Ssd(), 'no-ssd': Noisy()}\n"
    )
    assert run(["check", str(mine)]) == 2
    printed = capsys.readouterr()
    assert "dissimilarity fine-ssd\n  ok      Terms have the right shapes" in printed.out
    assert "  FAILED  Terms have the right shapes, for all sorts of pieces\n" in printed.out
    assert "on 12 upright pieces it raises ZeroDivisionError: division by zero (mine.py, line 4)." in printed.out
    assert printed.err.startswith("Error: Expected all checks to pass, got ")
    del DISSIMILARITIES["fine-ssd"], DISSIMILARITIES["no-ssd"]
