"""What a compatibility is."""

from typing import Protocol

from jigsolve.compatibility.joints import Joints
from jigsolve.dissimilarity import CLEAN, Border, Pairs
from jigsolve.puzzle import Puzzle
from jigsolve.runtime import RunContext


class Compatibility(Protocol):
    """Pairs -> joints: distances become C.

    Derive a class from this one and define `count_candidates` and `weigh`; the rest has defaults.
    """

    @property
    def reads_damage(self) -> bool:
        """Can it weigh pairs whose borders are not clean?"""
        return False

    @property
    def uses_block_grids(self) -> bool:
        """Should block grids be read, and take part in the choice of candidates?"""
        return False

    def count_candidates(self, puzzle: Puzzle, border: Border = CLEAN) -> int:
        """How many nearest sides of every side it needs."""
        ...

    def weigh(self, pairs: Pairs, run: RunContext) -> Joints:
        """C[a, b] = C[b, a] >= 0 over side ids, and P if it has one."""
        ...
