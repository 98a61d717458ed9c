"""How far a stage is: the steps of each stage and the share of the stage at which they begin and end.

Numerics name the step that they do; only this table knows how long steps take relative to each other. The shares are
CPU time at 5,000 to 22,755 pieces.
"""

from enum import Enum


class Step(Enum):
    """A step of a stage. Values: shares of the stage at its begin and its end."""

    # stage "pairs"
    TERMS = (0.0, 0.1)
    TILES = (0.1, 0.85)
    RESCORING = (0.85, 1.0)
    # stage "compatibility"
    BORDERS = (0.0, 0.2)
    MEASURES = (0.2, 0.5)
    RIVALS = (0.5, 0.55)
    GRIDS = (0.55, 0.57)
    FIRST_NETWORK = (0.57, 0.8)
    SECOND_NETWORK = (0.8, 0.9)
    THIRD_NETWORK = (0.9, 1.0)

    def share(self, done: int, total: int) -> float:
        """Share of the stage that is done after `done` of `total` jobs of this step."""
        begin, end = self.value
        return begin + (end - begin) * min(1.0, done / max(1, total))
