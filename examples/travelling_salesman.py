"""
The travelling salesman
=======================

The travelling salesman by multi-phase relaxation labeling, without puzzles.

Objects are stretches of the tour, labels are places in it, each in two directions. Two stretches are compatible if the
ends that meet are near each other. At first every city is a stretch, and a multi-phase run grows a tour from one of
them. A search then repeatedly cuts the tour around some city and grows it again from the stretches, under noise. It
accepts shorter tours, and at high temperature slightly longer ones. An integer program gives the optimum.
"""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from jigsolve.relaxation import FREE, PhaseParams, multiphase

CITIES, ROUNDS = 32, 500
AROUND = 6  # cities at which the tour is cut
NOISE = 0.3  # of the logarithm of nearness
TEMPERATURE = 0.1  # at the start, relative to the mean leg


class Stretches:
    """The labeling problem and its coefficients: the nearness of the ends that meet, for stretches in adjacent places.

    A label is 2 * place + direction. The first stretch is anchored, because a tour may begin anywhere.
    """

    def __init__(self, near, stretches):
        n = len(stretches)
        begin = np.array([[one[0], one[-1]] for one in stretches])  # (stretch, direction)
        self.meet = near[begin[:, ::-1, None, None], begin]  # [i, s, j, t]: j in direction t follows i in s
        self.objects, self.labels, self.coefficients = n, 2 * n, self
        self.slots = np.repeat(np.arange(n, dtype=np.int32), 2)
        single = np.array([len(one) == 1 for one in stretches])
        self.allowed = ~(single[:, None] & (np.arange(2 * n) % 2 == 1))  # a single city has no direction
        self.start = np.where(np.arange(n) == 0, 0, FREE).astype(np.int32)

    def support(self, p, free, q):
        q[free] = self._sum_support(free, free, p[free])

    def bias(self, anchors, rows, q):
        held = np.flatnonzero(anchors != FREE)
        q[rows] = self._sum_support(rows, held, np.eye(self.labels)[anchors[held]])

    def _sum_support(self, rows, others, p):
        """Support of the rows by the others, with probabilities p: by those before them and those after them."""
        place = p.reshape(len(others), self.objects, 2)
        before = np.tensordot(self.meet[rows][:, :, others], np.roll(place, -1, axis=1), axes=((2, 3), (0, 2)))
        after = np.tensordot(self.meet[others][:, :, rows], np.roll(place, 1, axis=1), axes=((0, 1), (0, 2)))
        return (before + after).swapaxes(1, 2).reshape(len(rows), -1)  # both are (rows, directions, places)

    def reachable(self, anchors):
        """The tour grows at its two ends."""
        taken = np.isin(np.arange(self.objects), anchors[anchors != FREE] // 2)
        return np.repeat(np.roll(taken, 1) | np.roll(taken, -1), 2)

    def settle(self, before, after):
        return [after]


def grow(near, stretches):
    """The cities in the order of the tour that one multi-phase run grows."""
    label = multiphase(Stretches(near, stretches), PhaseParams()).anchors
    return np.concatenate([stretches[k][:: -1 if label[k] % 2 else 1] for k in np.argsort(label)])


def search_tour(distance, seed):
    """The best tour of the search, and the tour of the first multi-phase run."""
    n, rng = len(distance), np.random.default_rng(seed)
    spacing = np.sort(distance, axis=1)[:, 1].mean()  # mean distance to the nearest city
    near = np.exp(-0.5 * distance / spacing)
    first = now = best = grow(near, np.arange(n)[:, None])
    for k in range(ROUNDS):
        around = np.argsort(distance[rng.integers(n)])[:AROUND]
        at = np.flatnonzero(np.isin(now, around))
        cuts = np.unique([at, (at + 1) % n])
        noise = np.exp(NOISE * rng.normal(size=near.shape))
        new = grow(near * (noise + noise.T), np.split(np.roll(now, -cuts[0]), cuts[1:] - cuts[0]))
        temperature = TEMPERATURE * length_of(distance, first) / n * (1.0 - k / ROUNDS)
        if length_of(distance, new) <= length_of(distance, now) - temperature * np.log(rng.random()):
            now = new
        best = min(best, now, key=lambda order: length_of(distance, order))
    return best, first


def length_of(distance, order):
    return distance[order, np.roll(order, -1)].sum()


def find_optimum(distance):
    """The length of the shortest tour: two legs per city; subtours are forbidden one by one until none is left."""
    n = len(distance)
    a, b = np.triu_indices(n, 1)
    rules = [((a == city) | (b == city), 2, 2) for city in range(n)]
    while True:
        rows, low, high = (np.array(part, dtype=float) for part in zip(*rules, strict=True))
        found = milp(distance[a, b], integrality=np.ones(len(a)), bounds=Bounds(0, 1),
                     constraints=LinearConstraint(rows, low, high))  # fmt: skip
        leg = found.x > 0.5
        parts, part = connected_components(csr_array((leg[leg], (a[leg], b[leg])), shape=(n, n)), directed=False)
        if parts == 1:
            return found.fun
        rules += [((part[a] == k) & (part[b] == k), 0, (part == k).sum() - 1) for k in range(parts)]


def draw_tours(cities, tours):
    """Each tour with its length, side by side."""
    _, places = plt.subplots(1, len(tours), figsize=(8, 4), layout="constrained")
    for place, (title, order) in zip(places, tours.items(), strict=True):
        place.plot(*cities[np.append(order, order[0])].T, "o-")
        place.set_title(title)
        place.axis("equal")
        place.axis("off")
    plt.show()


if __name__ == "__main__":
    for seed in range(int(sys.argv[1]) if sys.argv[1:] else 1):
        cities = np.random.default_rng(seed).random((CITIES, 2))
        distance = np.linalg.norm(cities[:, None] - cities, axis=2)
        best, first = search_tour(distance, seed)
        shortest = find_optimum(distance)
        found = {"one multi-phase run": length_of(distance, first), "with search": length_of(distance, best)}
        results = ", ".join(
            f"{name} {value:.4f} ({abs(value / shortest - 1):.2%} above)" for name, value in found.items()
        )
        print(f"{CITIES} cities, seed {seed}: optimum {shortest:.4f}, {results}")
        draw_tours(cities, {"one multi-phase run": first, "with search": best})
