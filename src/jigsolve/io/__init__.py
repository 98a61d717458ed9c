"""From files to `Input`, and from answers to files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jigsolve.io.inputs import Input, ReadOptions, read_puzzle
    from jigsolve.io.layout_file import LayoutFile

__all__ = ["Input", "LayoutFile", "ReadOptions", "read_puzzle"]


def __getattr__(name: str) -> Any:
    """Names are loaded when they are first used: layout files do not need Pillow."""
    if name not in __all__:
        raise AttributeError(f"module 'jigsolve.io' has no attribute {name!r}")
    return getattr(import_module(f"jigsolve.io.{'layout_file' if name == 'LayoutFile' else 'inputs'}"), name)
