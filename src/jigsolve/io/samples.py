"""Photographs that come with the package: for the demo, the page and the examples."""

from importlib.resources import as_file
from importlib.resources import files as resources
from typing import NamedTuple

from jigsolve.io import files
from jigsolve.puzzle import Pixels
from jigsolve.runtime import InputError


class Sample(NamedTuple):
    """Where a photograph comes from; samples/LICENCE.md has the details."""

    title: str
    author: str
    licence: str


SAMPLES = {
    "coffee": Sample("Coffee", "Rachel Michetti", "CC0"),
    "cat": Sample("Cat", "Stefan van der Walt", "CC0"),
    "astronaut": Sample("Astronaut", "NASA", "public domain"),
    "rocket": Sample("Rocket", "SpaceX", "public domain"),
}


def read_sample(name: str) -> Pixels:
    """(height, width, 3) uint8: one of `SAMPLES`, from a lossless file."""
    if name not in SAMPLES:
        raise InputError(f"Expected a sample out of {', '.join(SAMPLES)}, got {name[:20]!r}.")
    with as_file(resources("jigsolve.io") / "samples" / f"{name}.webp") as path:
        return files.read_picture(path)
