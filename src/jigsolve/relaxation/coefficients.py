"""Compatibility coefficients r_ij(lambda, mu): how well two hypotheses agree (the paper's section 2.2)."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from jigsolve.runtime import InputError

Labeling = NDArray[np.float64]  # (objects, labels), rows on the simplex
Anchors = NDArray[np.int32]  # (objects,) the label of each anchored object, FREE otherwise
FREE = -1


class Coefficients(Protocol):
    """Coefficients over any objects and labels. If symmetric and not negative, the consistency never falls."""

    @property
    def objects(self) -> int: ...

    @property
    def labels(self) -> int: ...

    def support(self, p: Labeling, free: NDArray[np.intp], q: Labeling) -> None:
        """Eq. 3 among the free objects: q[i] = sum over free j and all mu of r_ij(., mu) p_j(mu), for free i."""
        ...

    def bias(self, anchors: Anchors, rows: NDArray[np.intp], q: Labeling) -> None:
        """Write the part of Eq. 3 from anchored objects into the given rows of q. It is constant during a phase."""
        ...


@dataclass(frozen=True, eq=False)
class DenseCoefficients:
    """Coefficients stored in full: r (objects, labels, objects, labels)."""

    r: NDArray[np.float64]

    def __post_init__(self) -> None:
        r = self.r
        if r.ndim != 4 or r.shape[:2] != r.shape[2:]:
            raise InputError(f"Expected r of shape (objects, labels, objects, labels), got {r.shape}.")
        if not np.isfinite(r).all() or (r < 0.0).any():
            raise InputError("Expected finite coefficients of at least 0.")
        if not np.allclose(r, r.transpose(2, 3, 0, 1)):
            raise InputError("Expected symmetric coefficients: r_ij(lambda, mu) = r_ji(mu, lambda).")

    @property
    def objects(self) -> int:
        return int(self.r.shape[0])

    @property
    def labels(self) -> int:
        return int(self.r.shape[1])

    def support(self, p: Labeling, free: NDArray[np.intp], q: Labeling) -> None:
        among = self.r[free][:, :, free]
        q[free] = np.einsum("ixjy,jy->ix", among, p[free])

    def bias(self, anchors: Anchors, rows: NDArray[np.intp], q: Labeling) -> None:
        held = np.flatnonzero(anchors != FREE)
        q[rows] = self.r[rows][:, :, held, anchors[held]].sum(axis=2)
