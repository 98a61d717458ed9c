"""Stages from plugins: loading them, and checking that they fulfil the contract of their stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jigsolve.plugins.checks import check_compatibility, check_dissimilarity, check_solver

__all__ = ["check_compatibility", "check_dissimilarity", "check_solver"]


def __getattr__(name: str) -> Any:
    """The checks are loaded when they are first used: a solve does not need them."""
    if name not in __all__:
        raise AttributeError(f"module 'jigsolve.plugins' has no attribute {name!r}")
    from jigsolve.plugins import checks

    return getattr(checks, name)
