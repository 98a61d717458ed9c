"""
Quadratic assignment
====================

Quadratic assignment by multi-phase relaxation labeling: twelve departments on a floor of 3 x 4 places.

Objects are departments, labels are places. The coefficient of two departments in two places is the flow between them
times the nearness of the places, so that the most consistent labeling is the cheapest plan. A multi-phase run makes a
first plan. A search then repeatedly frees some departments and places them again under noise; the others stay anchored.

The instance is nug12 of QAPLIB (Nugent, Vollmann, Ruml 1968; Burkard, Karisch, Rendl 1997): its optimum is 578.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import quadratic_assignment

from jigsolve.relaxation import FREE, Assignment, DenseCoefficients, PhaseParams, multiphase

OPTIMUM = 578
FLOW = np.array([
    [0, 5, 2, 4, 1, 0, 0, 6, 2, 1, 1, 1],
    [5, 0, 3, 0, 2, 2, 2, 0, 4, 5, 0, 0],
    [2, 3, 0, 0, 0, 0, 0, 5, 5, 2, 2, 2],
    [4, 0, 0, 0, 5, 2, 2, 10, 0, 0, 5, 5],
    [1, 2, 0, 5, 0, 10, 0, 0, 0, 5, 1, 1],
    [0, 2, 0, 2, 10, 0, 5, 1, 1, 5, 4, 0],
    [0, 2, 0, 2, 0, 5, 0, 10, 5, 2, 3, 3],
    [6, 0, 5, 10, 0, 1, 10, 0, 0, 0, 5, 0],
    [2, 4, 5, 0, 0, 1, 5, 0, 0, 0, 10, 10],
    [1, 5, 2, 0, 5, 5, 2, 0, 0, 0, 5, 0],
    [1, 0, 2, 5, 1, 4, 3, 5, 10, 5, 0, 2],
    [1, 0, 2, 5, 1, 0, 3, 0, 10, 0, 2, 0],
])  # fmt: skip
ROW, COLUMN = np.divmod(np.arange(12), 4)
DISTANCE = np.abs(np.subtract.outer(ROW, ROW)) + np.abs(np.subtract.outer(COLUMN, COLUMN))
ROUNDS, FREED, NOISE, TEMPERATURE = 400, 6, 0.3, 20.0


def cost_of(place):
    return int((FLOW * DISTANCE[np.ix_(place, place)]).sum())


def run_phases(flow, start=None):
    """The place of each department after one multi-phase run; `start` holds departments that stay anchored."""
    near = np.where(DISTANCE > 0, DISTANCE.max() + 1.0 - DISTANCE, 0.0)
    r = flow[:, None, :, None] * near[None, :, None, :]
    return multiphase(Assignment(DenseCoefficients(r / r.max()), start), PhaseParams(anchor_threshold=0.5)).anchors


def search_plan(seed):
    """The best plan of the search, and the plan of the first multi-phase run."""
    rng = np.random.default_rng(seed)
    n = len(FLOW)
    first = now = best = run_phases(FLOW)
    for k in range(ROUNDS):
        start = now.copy()
        start[rng.choice(n, FREED, replace=False)] = FREE
        noise = np.exp(NOISE * rng.normal(size=(n, n)))
        new = run_phases(FLOW * (noise + noise.T), start)
        if cost_of(new) <= cost_of(now) - TEMPERATURE * (1.0 - k / ROUNDS) * np.log(rng.random()):
            now = new
        best = min(best, now, key=cost_of)
    return best, first


def run_scipy(method, seed):
    """The plan that SciPy finds from one start."""
    found = quadratic_assignment(FLOW, DISTANCE, method=method, options={"rng": np.random.default_rng(seed)})
    return found.col_ind


def draw_plans(plans):
    """Departments on the floor; lines are flows, thicker if larger."""
    _, places = plt.subplots(1, len(plans), figsize=(9, 3), layout="constrained")
    for axes, (title, place) in zip(places, plans.items(), strict=True):
        at = np.stack([COLUMN[place], -ROW[place]], axis=1)
        for a, b in np.argwhere(np.triu(FLOW)):
            axes.plot(*at[[a, b]].T, color="tab:blue", linewidth=FLOW[a, b] / 2, alpha=0.4)
        for department, (x, y) in enumerate(at):
            axes.text(x, y, str(department + 1), ha="center", va="center", bbox={"facecolor": "white"})
        axes.set_title(f"{title}: {cost_of(place)}")
        axes.axis("off")
    plt.show()


if __name__ == "__main__":
    for seed in range(int(sys.argv[1]) if sys.argv[1:] else 1):
        best, first = search_plan(seed)
        plans = {"one multi-phase run": first, "with search": best, "SciPy's faq": run_scipy("faq", seed),
                 "SciPy's 2opt": run_scipy("2opt", seed)}  # fmt: skip
        costs = {name: cost_of(place) for name, place in plans.items()}
        results = ", ".join(f"{name} {cost} ({cost / OPTIMUM - 1.0:.1%} above)" for name, cost in costs.items())
        print(f"nug12, seed {seed}: optimum {OPTIMUM}, {results}")
        draw_plans({"one multi-phase run": first, "with search": best})
