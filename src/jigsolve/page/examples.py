"""The sample photographs as puzzles that visitors of the page can try."""

from functools import cache
from typing import NamedTuple

from jigsolve.io import render
from jigsolve.io.samples import SAMPLES, read_sample
from jigsolve.page.replay.atlas import encode
from jigsolve.page.settings import Settings
from jigsolve.runtime import InputError

THUMBNAIL_PIXELS = 320  # along the longer side


class Example(NamedTuple):
    """How a sample is cut: piece is the side of a piece in pixels."""

    piece: int
    rotated: bool = False

    def settings(self) -> Settings:
        return Settings.from_data(
            {"piece": [self.piece] * 2, "orientation": "turned" if self.rotated else "upright", "shuffle": True}
        )


EXAMPLES = {"coffee": Example(40, rotated=True), "cat": Example(25), "astronaut": Example(20), "rocket": Example(20)}


def find_example(name: str) -> Example:
    if name not in EXAMPLES:
        raise InputError(f"Expected an example out of {', '.join(EXAMPLES)}, got {name[:20]!r}.")
    return EXAMPLES[name]


@cache
def make_thumbnail(name: str) -> bytes:
    """The photograph as a small JPEG file."""
    find_example(name)
    return encode(render.shrink(read_sample(name), THUMBNAIL_PIXELS), "JPEG")


@cache
def list_examples() -> list[dict[str, object]]:
    """What the page shows of each example."""
    return [
        {"name": name, "title": SAMPLES[name].title, "pieces": _count_pieces(name, one.piece), "rotated": one.rotated}
        for name, one in EXAMPLES.items()
    ]


def _count_pieces(name: str, piece: int) -> int:
    height, width, _ = read_sample(name).shape
    return int(height // piece) * int(width // piece)
