"""Photographs that come with scikit-image, as examples to scramble."""

from __future__ import annotations

import io
from functools import cache
from importlib.resources import as_file
from importlib.resources import files as resources
from typing import NamedTuple

from jigsolve.io import files, pictures, render
from jigsolve.puzzle.pieces import Pixels
from jigsolve.runtime.errors import InputError

THUMBNAIL = 320  # pixels


class Example(NamedTuple):
    """title: what it shows. file: in scikit-image's wheel. piece: pixels. rotated: are its pieces turned as well?"""

    title: str
    file: str
    piece: int
    rotated: bool = False


EXAMPLES = {
    "coffee": Example("Coffee", "coffee.png", 40, rotated=True),
    "cat": Example("Cat", "chelsea.png", 25),
    "astronaut": Example("Astronaut", "astronaut.png", 32),
    "rocket": Example("Rocket", "rocket.jpg", 20),
    "motorcycle": Example("Motorcycle", "motorcycle_left.png", 28, rotated=True),
    "galaxies": Example("Galaxies", "hubble_deep_field.jpg", 25),
}


def example(name: str) -> Example:
    if name not in EXAMPLES:
        raise InputError(f"Expected an example out of {', '.join(EXAMPLES)}, got {name[:20]!r}.")
    return EXAMPLES[name]


def photograph(name: str) -> Pixels:
    with as_file(resources("skimage.data") / example(name).file) as path:
        return files.read_picture(path)


@cache
def thumbnail(name: str) -> bytes:
    file = io.BytesIO()
    pictures.encode(file, "JPEG", render.shrink(photograph(name), THUMBNAIL)[..., :3])
    return file.getvalue()


@cache
def listed() -> list[dict[str, object]]:
    """For the page."""
    return [
        {"name": name, "title": one.title, "pieces": _count(photograph(name), one.piece), "rotated": one.rotated}
        for name, one in EXAMPLES.items()
    ]


def _count(picture: Pixels, piece: int) -> int:
    return int((picture.shape[0] // piece) * (picture.shape[1] // piece))
