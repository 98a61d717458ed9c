"""The travelling salesman by multi-phase relaxation labeling: no puzzle in sight.

Objects are stretches of the tour, labels are places in it, each in two directions; two stretches agree if the ends that
meet are near each other. At first every city is a stretch of its own, and a multi-phase run grows a tour from one of
them. Then the tour is cut around some city, again and again, and grown anew from the stretches, under noise; a shorter
tour is kept, while it is hot also one that is a little longer. The optimum is that of an integer program.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from jigsolve.relaxation import FREE, PhaseParams, multiphase

CITIES, ROUNDS = 32, 500
AROUND = 6  # cities at which the tour is cut
NOISE = 0.3  # of the logarithm of nearness
HEAT = 0.1  # of the mean leg, in the beginning


class Stretches:
    """The labeling problem, and its coefficients: how near the ends are that meet, of stretches in places that follow.

    A label is 2 * place + direction. The first stretch is anchored: a tour may begin anywhere.
    """

    def __init__(self, near, stretches):
        n = len(stretches)
        begin = np.array([[one[0], one[-1]] for one in stretches])  # (stretch, direction)
        self.meet = near[begin[:, ::-1, None, None], begin]  # [i, s, j, t]: i in direction s, and then j in t
        self.objects, self.labels, self.coefficients = n, 2 * n, self
        self.slots = np.repeat(np.arange(n, dtype=np.int32), 2)
        single = np.array([len(one) == 1 for one in stretches])
        self.allowed = ~(single[:, None] & (np.arange(2 * n) % 2 == 1))  # a city alone has no direction
        self.start = np.where(np.arange(n) == 0, 0, FREE).astype(np.int32)

    def support(self, p, free, q):
        q[free] = self._asked(free, free, p[free])

    def bias(self, anchors, rows, q):
        held = np.flatnonzero(anchors != FREE)
        q[rows] = self._asked(rows, held, np.eye(self.labels)[anchors[held]])

    def _asked(self, rows, others, p):
        """What the others, labelled by p, ask of the rows: of those before them, and of those behind."""
        place = p.reshape(len(others), self.objects, 2)
        before = np.tensordot(self.meet[rows][:, :, others], np.roll(place, -1, axis=1), axes=((2, 3), (0, 2)))
        behind = np.tensordot(self.meet[others][:, :, rows], np.roll(place, 1, axis=1), axes=((0, 1), (0, 2)))
        return (before + behind).swapaxes(1, 2).reshape(len(rows), -1)  # both were (rows, directions, places)

    def reachable(self, anchors):
        """The tour grows at its two ends."""
        taken = np.isin(np.arange(self.objects), anchors[anchors != FREE] // 2)
        return np.repeat(np.roll(taken, 1) | np.roll(taken, -1), 2)

    def settle(self, before, after):
        return [after]


def grown(near, stretches):
    """One multi-phase run: the cities in the order of the tour."""
    label = multiphase(Stretches(near, stretches), PhaseParams()).anchors
    return np.concatenate([stretches[k][:: -1 if label[k] % 2 else 1] for k in np.argsort(label)])


def tour(distance, seed):
    """A tour, and the one that the first multi-phase run had found."""
    n, rng = len(distance), np.random.default_rng(seed)
    usual = np.sort(distance, axis=1)[:, 1].mean()  # from a city to the nearest
    near = np.exp(-0.5 * distance / usual)
    first = now = best = grown(near, np.arange(n)[:, None])
    for k in range(ROUNDS):
        around = np.argsort(distance[rng.integers(n)])[:AROUND]
        at = np.flatnonzero(np.isin(now, around))
        cuts = np.unique([at, (at + 1) % n])
        noise = np.exp(NOISE * rng.normal(size=near.shape))
        new = grown(near * (noise + noise.T), np.split(np.roll(now, -cuts[0]), cuts[1:] - cuts[0]))
        heat = HEAT * length(distance, first) / n * (1.0 - k / ROUNDS)
        if length(distance, new) <= length(distance, now) - heat * np.log(rng.random()):
            now = new
        best = min(best, now, key=lambda order: length(distance, order))
    return best, first


def length(distance, order):
    return distance[order, np.roll(order, -1)].sum()


def optimum(distance):
    """Two legs at every city; where legs close too early, that is forbidden, and the program solved again."""
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


if __name__ == "__main__":
    for seed in range(int(sys.argv[1]) if sys.argv[1:] else 1):
        cities = np.random.default_rng(seed).random((CITIES, 2))
        distance = np.linalg.norm(cities[:, None] - cities, axis=2)
        best, first = tour(distance, seed)
        least = optimum(distance)
        found = {"one multi-phase run": length(distance, first), "with search": length(distance, best)}
        told = ", ".join(f"{name} {value:.4f} ({abs(value / least - 1.0):.2%} above)" for name, value in found.items())
        print(f"{CITIES} cities, seed {seed}: optimum {least:.4f}, {told}")
