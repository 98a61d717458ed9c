"""The pipeline: Input -> Pairs -> Joints -> Answer -> Result."""

from jigsolve.pipeline.params import SolveParams
from jigsolve.pipeline.result import Result
from jigsolve.pipeline.root import solve

__all__ = ["Result", "SolveParams", "solve"]
