"""The multi-phase scheme (section 3 of the paper) for any permutation-like labeling.

Labels fall into slots (a cell of a grid, a place in a tour); each object takes one label, each slot one object.
A phase relaxes from the barycenter of what is still free until one hypothesis is trusted, anchors it, and hands
over. After as many phases as objects the labeling is feasible, whatever the coefficients are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from jigsolve.relaxation import _kernels
from jigsolve.relaxation.coefficients import FREE, Anchors, Coefficients
from jigsolve.relaxation.relax import RelaxParams, Space, consistency_of, relax
from jigsolve.runtime.errors import InputError


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
        """(objects, labels) the hypotheses of the initial labeling that are not ruled out."""
        ...

    @property
    def start(self) -> Anchors:
        """(objects,) what is anchored before the first phase, if anything is."""
        ...

    def reachable(self, anchors: Anchors) -> NDArray[np.bool_]:
        """(labels,) the open labels that a phase may anchor."""
        ...

    def settle(self, before: Anchors, after: Anchors) -> list[Anchors]:
        """What the anchors may be moved to once a phase is over; more than one: the computation branches."""
        ...


@dataclass(frozen=True, eq=False)
class Assignment:
    """The plainest problem: one slot a label, every hypothesis allowed, nothing moves.

    anchored: what is known, or kept from another run; None if nothing is.
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
    """anchor_threshold: alpha of the paper, the p at which a hypothesis is trusted.

    At a symmetric saddle rounding doubles with every iteration. After 32 it is still too small to decide a phase.
    """

    anchor_threshold: float = 0.7
    relax: RelaxParams = field(default_factory=lambda: RelaxParams(iterations=32))

    def __post_init__(self) -> None:
        if not 0.0 < self.anchor_threshold <= 1.0:
            raise InputError(f"Expected anchor_threshold in (0, 1], got {self.anchor_threshold}.")


@dataclass(frozen=True, eq=False)
class Phase:
    """One finished phase: what it anchored, how long it relaxed, and all anchors so far (before they settle)."""

    object: int
    label: int
    iterations: int
    anchors: Anchors


@dataclass(frozen=True, eq=False)
class Feasible:
    """A labeling in which every object is anchored in a slot of its own."""

    anchors: Anchors
    consistency: float


def multiphase(
    problem: Problem, params: PhaseParams | None = None, on_event: Callable[[Phase], None] | None = None
) -> Feasible:
    """Anchor one object a phase until none is free; of several branches the most consistent one is returned."""
    params = params or PhaseParams()
    coefficients = problem.coefficients
    engine = _Engine(problem, params)
    branches = problem.settle(np.full_like(problem.start, FREE), problem.start)
    found: Feasible | None = None
    while branches:
        anchors = branches.pop()
        while (anchors == FREE).any():
            phase = engine.phase(anchors)
            if on_event is not None:
                on_event(phase)
            anchors, *others = problem.settle(anchors, phase.anchors)
            branches += others
        end = Feasible(anchors, consistency_of(coefficients, anchors))
        if found is None or end.consistency > found.consistency:
            found = end
    assert found is not None
    return found


class _Engine:
    """Runs phases in one space, whose rows are reset and not made anew."""

    def __init__(self, problem: Problem, params: PhaseParams) -> None:
        self.problem, self.params = problem, params
        self.slots, self.allowed = problem.slots, problem.allowed
        self.space = Space(*self.allowed.shape)

    def phase(self, anchors: Anchors) -> Phase:
        free = np.flatnonzero(anchors == FREE)
        taken = np.zeros(int(self.slots.max()) + 1, dtype=bool)
        taken[self.slots[anchors[anchors != FREE]]] = True
        open_labels = ~taken[self.slots]
        reachable = self.problem.reachable(anchors) & open_labels
        _kernels.barycenter(self.space.p, self.allowed, open_labels, free)
        spot = (-1, -1, False)

        def trusted(space: Space) -> bool:
            nonlocal spot
            spot = _kernels.best(space.p, space.q, free, reachable, self.params.anchor_threshold)
            return bool(spot[2])

        iterations = relax(self.problem.coefficients, self.space, anchors, self.params.relax, trusted)
        after = anchors.copy()
        after[spot[0]] = spot[1]
        return Phase(spot[0], spot[1], iterations, after)
