"""Layout files: content survives a round trip, older keys are read, and bad data gives an error of one line."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jigsolve.confidence.values import Confidence
from jigsolve.io import files
from jigsolve.io.layout_file import LayoutFile, from_data, to_data
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.runtime.errors import InputError


@st.composite
def layout_files(draw: st.DrawFn) -> LayoutFile:
    rows, cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    n = rows * cols
    order = np.array(draw(st.permutations(range(n)))).reshape(rows, cols)
    holes = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n))).reshape(rows, cols)
    turns = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))).reshape(rows, cols)
    layout = Layout(np.where(holes, HOLE, order), np.where(holes, 0, turns))
    appearances = np.arange(4 * n, dtype=np.int32).reshape(n, 4) if draw(st.booleans()) else None
    names = tuple(draw(st.lists(st.text(max_size=5), min_size=n, max_size=n))) if draw(st.booleans()) else None
    margin = draw(st.tuples(*[st.integers(0, 9)] * 4))
    size = draw(st.integers(2, 99)), draw(st.integers(2, 99))
    confidence = draw(confidences(rows, cols)) if draw(st.booleans()) else None
    return LayoutFile(layout, size, appearances, draw(st.booleans()), names, margin, confidence)


@st.composite
def confidences(draw: st.DrawFn, rows: int, cols: int) -> Confidence:
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    grids, flags = [], []
    for shape in ((rows, cols - 1), (rows - 1, cols), (rows, cols)):
        grids.append(np.where(rng.random(shape) < 0.2, np.nan, rng.random(shape)))
        flags.append(rng.random(shape) < draw(st.sampled_from([0.0, 0.3])))
    return Confidence(grids[0], grids[1], (flags[0], flags[1]), grids[2], rng.random(), rng.random())


@given(layout_files())
@settings(max_examples=50, deadline=None)
def test_layout_file_round_trip(content: LayoutFile) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layout.json"
        files.write_layout(path, content)
        back = files.read_layout(path)
        assert len(path.read_text().splitlines()) > content.layout.rows  # each row of the grid on its own line
    assert back.layout == content.layout
    assert back.piece == content.piece
    assert (back.partial, back.names, back.margin) == (content.partial, content.names, content.margin)
    assert (back.confidence is None) == (content.confidence is None)
    if back.confidence is not None and content.confidence is not None:
        for name in ("right", "down", "pieces", "picture", "exact"):
            found, written = getattr(back.confidence, name), getattr(content.confidence, name)
            np.testing.assert_allclose(found, written, rtol=0, atol=5.1e-5)  # NaN is NaN
        for found, written in zip(back.confidence.undecidable, content.confidence.undecidable, strict=True):
            np.testing.assert_array_equal(found, written)
    assert (back.appearances is None) == (content.appearances is None)
    if back.appearances is not None and content.appearances is not None:
        np.testing.assert_array_equal(back.appearances, content.appearances)


GOOD = to_data(LayoutFile(Layout(np.arange(6).reshape(2, 3), np.zeros((2, 3), int)), (28, 28)))


JOINTS = {"right": [[1, 0.5], [None, 0]], "down": [[0.25, 1.0, 0.0]]}


def test_confidence_needs_only_joints() -> None:
    found = from_data({**GOOD, "joints": JOINTS}).confidence
    assert found is not None
    assert found.share == pytest.approx((1 + 0.5 + 0 + 0.25 + 1) / 6)
    assert not any(flags.any() for flags in found.undecidable)
    assert np.isnan(found.pieces).all()
    assert np.isnan(found.picture)
    assert from_data(GOOD).confidence is None


def test_unknown_keys_and_missing_turns_are_accepted() -> None:
    data = {**GOOD, "joints": {**JOINTS, "left": 1}, "confidence": {"later": 1}, "later": 1}
    del data["turns"]
    assert from_data(data).layout == from_data(GOOD).layout


def test_keys_of_older_files() -> None:
    table = [[0, 1, 2, 3]] * 6
    old = from_data({**GOOD, "looks": table, "joints": JOINTS, "confidence": {"looks": 0.25}})
    assert old.appearances is not None
    assert old.appearances.tolist() == table
    assert old.confidence is not None
    assert old.confidence.picture == 0.25
    data = to_data(old)
    assert (data["appearances"], data["confidence"]["picture"]) == (table, 0.25)
    assert "looks" not in data
    assert "looks" not in data["confidence"]


@pytest.mark.parametrize(
    "change",
    [{"format": "x"}, {"format": None}, {"version": 2}, {"version": True}, {"version": "1"}, {"rows": 0},
     {"rows": 2.0}, {"rows": True}, {"rows": 3}, {"cols": 10**30}, {"cols": None}, {"piece": 28}, {"piece": [28]},
     {"piece": [28, 0]}, {"piece": ["28", "28"]}, {"pieces": None}, {"pieces": [[0, 1, 2]]},
     {"pieces": [[0, 1, 2], [3, 4]]}, {"pieces": [[0, 1, 2], [3, 4, 4]]}, {"pieces": [[0, 1, 2], [3, 4, -1]]},
     {"pieces": [[0, 1, 2], [3, 4, 2**40]]}, {"pieces": [[0, 1, 2], [3, 4, 10**7]]},
     {"pieces": [[0, 1, 2], [3, 4, "5"]]}, {"pieces": [[0, 1, 2], [3, 4, 5.5]]}, {"pieces": [[0, 1, 2], "abc"]},
     {"turns": [[0, 0, 0], [0, 0, 4]]}, {"turns": [[0, 0, 0], [0, 0, -1]]}, {"turns": 0}, {"looks": [[0, 1, 2, 3]]},
     {"appearances": [[0, 1, 2, 3]]}, {"appearances": {}}, {"appearances": [[0, 1, 2]] * 6},
     {"appearances": [[0, 1, 2, None]] * 6}, {"joints": JOINTS, "confidence": {"picture": 2}},
     {"looks": {}}, {"looks": [[0, 1, 2]] * 6}, {"looks": [[0, 1, 2, None]] * 6}, {"names": ["a"] * 5},
     {"names": [1] * 6}, {"names": "abcdef"}, {"margin": [0, 0, 0]}, {"margin": [0, 0, 0, -1]}, {"margin": 3},
     {"rows": 10**400}, {"joints": []}, {"joints": {}}, {"joints": {**JOINTS, "down": None}},
     {"joints": {**JOINTS, "down": [[0, 0]]}},
     {"joints": {**JOINTS, "down": [[0, 0, 1.01]]}}, {"joints": {**JOINTS, "down": [[0, 0, -0.1]]}},
     {"joints": {**JOINTS, "down": [[0, 0, float("nan")]]}}, {"joints": {**JOINTS, "down": [[0, 0, True]]}},
     {"joints": {**JOINTS, "down": [[0, 0, "1"]]}}, {"joints": {**JOINTS, "down": [[0, 0, 10**400]]}},
     {"joints": JOINTS, "undecidable": JOINTS}, {"joints": JOINTS, "undecidable": 1},
     {"joints": JOINTS, "confidence": {"pieces": [[1]]}}, {"joints": JOINTS, "confidence": {"looks": 2}}],
)  # fmt: skip
def test_bad_layout_files_give_errors_of_one_line(change: dict[str, object]) -> None:
    with pytest.raises(InputError) as caught:
        from_data({**GOOD, **change})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 160


@pytest.mark.parametrize(
    ("change", "says"),
    [({"rows": 0}, "from 1 to 1000000 in rows, got 0"),
     ({"turns": [[0, 0, 0], [0, 0, 4]]}, "from 0 to 3 in turns, got 4"),
     ({"pieces": [[0, 1, 2], [3, 4, 1_000_000]]}, "from 0 to 999999 in pieces, got 1000000")],
)  # fmt: skip
def test_bounds_are_exact_and_named(change: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        from_data({**GOOD, **change})
    assert from_data({**GOOD, "pieces": [[0, 1, 2], [3, 4, 999_999]]}).layout.pieces.max() == 999_999


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '{"rows": ' + "9" * 5000 + "}", "\xff"])
def test_bad_json_gives_errors_of_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as caught:
        files.read_layout(path)
    assert "\n" not in str(caught.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=8,
)


@given(st.sampled_from([*sorted(GOOD), "appearances", "looks", "joints", "undecidable", "confidence"]), json_values)
@settings(max_examples=200, deadline=None)
def test_any_json_is_read_or_refused(key: str, value: object) -> None:
    data = json.loads(json.dumps({**GOOD, "joints": JOINTS, key: value}))
    message = ""
    try:
        from_data(data)
    except InputError as error:
        message = str(error)
    assert "\n" not in message
