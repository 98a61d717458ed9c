"""The bundled photographs: their pixels, their size, their licences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import skimage.data

import jigsolve.io
from jigsolve import InputError
from jigsolve.io.samples import SAMPLES, read_sample
from jigsolve.page.examples import EXAMPLES

FOLDER = Path(jigsolve.io.__file__).parent / "samples"


def test_the_demo_keeps_its_pixels() -> None:
    np.testing.assert_array_equal(read_sample("coffee"), skimage.data.coffee())
    np.testing.assert_array_equal(read_sample("cat"), skimage.data.chelsea())


def test_samples_are_small_and_free() -> None:
    assert {path.stem for path in FOLDER.glob("*.webp")} == SAMPLES.keys() == EXAMPLES.keys()
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 800_000
    notes = (FOLDER / "LICENCE.md").read_text()
    for name, sample in SAMPLES.items():
        height, width, channels = read_sample(name).shape
        assert channels == 3
        (row,) = [line for line in notes.splitlines() if line.startswith(f"| {name}.webp | {width} x {height} |")]
        assert sample.author in row
        assert sample.licence in row


def test_unknown_samples_are_refused() -> None:
    with pytest.raises(InputError, match="a sample out of coffee, cat"):
        read_sample("../coffee")
