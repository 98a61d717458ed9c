"""The multi-phase scheme (section 3 of the paper) for any permutation-like labeling.

Labels belong to slots (a cell of a grid, a position in a tour). Each object takes one label, each slot one object. A
phase relaxes from the barycenter of the free objects and labels until one hypothesis reaches the anchor threshold, and
anchors it. After one phase for each object the labeling is feasible for any coefficients.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from jigsolve.relaxation import _kernels
from jigsolve.relaxation.coefficients import FREE, Anchors, Coefficients
from jigsolve.relaxation.relax import RelaxParams, Workspace, consistency_of_anchors, relax
from jigsolve.runtime import InputError


class Problem(Protocol):
    """A permutation-like labeling problem."""

    @property
    def coefficients(self) -> Coefficients: ...

    @property
    def slots(self) -> NDArray[np.int32]:
        """(labels,) the slot of each label: labels of one slot exclude each other."""
        ...

    @property
    def allowed(self) -> NDArray[np.bool_]:
        """(objects, labels) the hypotheses that are not excluded."""
        ...

    @property
    def start(self) -> Anchors:
        """(objects,) the anchors before the first phase."""
        ...

    def reachable(self, anchors: Anchors) -> NDArray[np.bool_]:
        """(labels,) the open labels that a phase may anchor."""
        ...

    def settle(self, before: Anchors, after: Anchors) -> list[Anchors]:
        """The anchors to continue with after a phase. With more than one the computation branches."""
        ...


@dataclass(frozen=True, eq=False)
class Assignment:
    """The simplest problem: every label is a slot, every hypothesis is allowed, anchors do not move.

    anchored: known anchors; None for none.
    """

    coefficients: Coefficients
    anchored: Anchors | None = None

    @property
    def slots(self) -> NDArray[np.int32]:
        return np.arange(self.coefficients.labels, dtype=np.int32)

    @property
    def allowed(self) -> NDArray[np.bool_]:
        return np.ones((self.coefficients.objects, self.coefficients.labels), dtype=bool)

    @property
    def start(self) -> Anchors:
        if self.anchored is not None:
            return self.anchored
        return np.full(self.coefficients.objects, FREE, dtype=np.int32)

    def reachable(self, anchors: Anchors) -> NDArray[np.bool_]:
        return np.ones(self.coefficients.labels, dtype=bool)

    def settle(self, before: Anchors, after: Anchors) -> list[Anchors]:
        return [after]


@dataclass(frozen=True)
class PhaseParams:
    """anchor_threshold: alpha of the paper, the p at which a hypothesis is anchored.

    At a symmetric saddle point rounding errors double with each iteration. After 32 they are too small to matter.
    """

    anchor_threshold: float = 0.7
    relax: RelaxParams = field(default_factory=lambda: RelaxParams(iterations=32))

    def __post_init__(self) -> None:
        if not 0.0 < self.anchor_threshold <= 1.0:
            raise InputError(f"Expected anchor_threshold in (0, 1], got {self.anchor_threshold}.")


@dataclass(frozen=True, eq=False)
class Phase:
    """A finished phase: the anchored object and label, the iterations, and all anchors so far (before `settle`)."""

    object: int
    label: int
    iterations: int
    anchors: Anchors


@dataclass(frozen=True, eq=False)
class FeasibleLabeling:
    """A labeling in which every object is anchored in its own slot."""

    anchors: Anchors
    consistency: float


def multiphase(
    problem: Problem, params: PhaseParams | None = None, on_event: Callable[[Phase], None] | None = None
) -> FeasibleLabeling:
    """Anchor one object in each phase until none is free. Returns the most consistent branch."""
    params = params or PhaseParams()
    coefficients = problem.coefficients
    runner = _PhaseRunner(problem, params)
    branches = problem.settle(np.full_like(problem.start, FREE), problem.start)
    best: FeasibleLabeling | None = None
    while branches:
        anchors = branches.pop()
        while (anchors == FREE).any():
            phase = runner.run(anchors)
            if on_event is not None:
                on_event(phase)
            anchors, *others = problem.settle(anchors, phase.anchors)
            branches += others
        result = FeasibleLabeling(anchors, consistency_of_anchors(coefficients, anchors))
        if best is None or result.consistency > best.consistency:
            best = result
    assert best is not None
    return best


class _PhaseRunner:
    """Runs phases in one workspace."""

    def __init__(self, problem: Problem, params: PhaseParams) -> None:
        self.problem, self.params = problem, params
        self.slots, self.allowed = problem.slots, problem.allowed
        self.space = Workspace(*self.allowed.shape)

    def run(self, anchors: Anchors) -> Phase:
        free = np.flatnonzero(anchors == FREE)
        taken = np.zeros(int(self.slots.max()) + 1, dtype=bool)
        taken[self.slots[anchors[anchors != FREE]]] = True
        open_labels = ~taken[self.slots]
        reachable = self.problem.reachable(anchors) & open_labels
        _kernels.fill_barycenter(self.space.p, self.allowed, open_labels, free)
        best, label = -1, -1

        def reaches_threshold(space: Workspace) -> bool:
            nonlocal best, label
            threshold = self.params.anchor_threshold
            best, label, reached = _kernels.find_best_hypothesis(space.p, space.q, free, reachable, threshold)
            return bool(reached)

        iterations = relax(self.problem.coefficients, self.space, anchors, self.params.relax, reaches_threshold)
        after = anchors.copy()
        after[best] = label
        return Phase(best, label, iterations, after)
