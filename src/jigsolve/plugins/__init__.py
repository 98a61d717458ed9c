"""Stages from plugins: loading them, and checking that they fulfil the contract of their stage."""

from jigsolve.plugins.checks import check_compatibility, check_dissimilarity, check_solver

__all__ = ["check_compatibility", "check_dissimilarity", "check_solver"]
