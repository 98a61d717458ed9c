"""Files: what goes in comes out, what is broken says so in one line, nothing is half-written."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
import tifffile
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from jigsolve.confidence.values import Confidence
from jigsolve.io import files
from jigsolve.io.layout_file import LayoutFile, from_data, to_data
from jigsolve.puzzle.layout import HOLE, Layout
from jigsolve.runtime.errors import InputError

RNG = np.random.default_rng(0)


def noise(channels: int, dtype: type = np.uint8) -> np.ndarray:
    return RNG.integers(0, np.iinfo(dtype).max, (9, 14, channels), dtype=dtype)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("suffix", [".png", ".tif"])
def test_lossless_round_trip(tmp_path: Path, channels: int, suffix: str) -> None:
    pixels = noise(channels)
    files.write_picture(tmp_path / f"a{suffix}", pixels)
    back = files.read_picture(tmp_path / f"a{suffix}")
    assert back.dtype == np.uint8
    np.testing.assert_array_equal(back, pixels)


@pytest.mark.parametrize(("name", "channels"), [("a.bmp", 1), ("a.BMP", 3), ("a.webp", 3), ("a.webp", 4)])
def test_other_lossless_kinds(tmp_path: Path, name: str, channels: int) -> None:
    pixels = noise(channels)
    files.write_picture(tmp_path / name, pixels)
    np.testing.assert_array_equal(files.read_picture(tmp_path / name), pixels)


@pytest.mark.parametrize(
    ("name", "channels"),
    [("a.png", 1), ("a.tif", 1), ("a.png", 2), ("a.png", 3), ("a.tif", 3), ("a.png", 4), ("a.tif", 4)],
)
def test_sixteen_bits_stay_sixteen_bits(tmp_path: Path, name: str, channels: int) -> None:
    pixels = noise(channels, np.uint16)
    files.write_picture(tmp_path / name, pixels)
    back = files.read_picture(tmp_path / name)
    assert back.dtype == np.uint16
    np.testing.assert_array_equal(back, pixels)
    if channels in (3, 4):
        np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / name)), pixels >> 8)  # what others see


def test_the_field_measures_in_eight_bits(tmp_path: Path) -> None:
    deep, flat = noise(3, np.uint16), noise(3)
    files.write_picture(tmp_path / "deep.png", deep)
    files.write_picture(tmp_path / "flat.png", flat)
    np.testing.assert_array_equal(files.read_picture_8bit(tmp_path / "deep.png"), deep >> 8)
    np.testing.assert_array_equal(files.read_picture_8bit(tmp_path / "flat.png"), flat)
    assert files.read_picture_8bit(tmp_path / "deep.png").dtype == np.uint8


@pytest.mark.parametrize("compression", [None, "zlib"])
@pytest.mark.parametrize("order", ["<", ">"])
def test_sixteen_bits_of_other_programs(tmp_path: Path, compression: str | None, order: str) -> None:
    pixels = noise(3, np.uint16)
    tifffile.imwrite(tmp_path / "a.tif", pixels, photometric="rgb", compression=compression, byteorder=order)
    np.testing.assert_array_equal(files.read_picture(tmp_path / "a.tif"), pixels)


@pytest.mark.parametrize("channels", [2, 3, 4])
def test_sixteen_bits_whatever_the_filter(tmp_path: Path, channels: int) -> None:
    """A PNG whose lines are kept as differences from the pixel to the left, as many programs do."""
    pixels = noise(channels, np.uint16)
    files.write_picture(tmp_path / "up.png", pixels)
    size, lines = 2 * channels, pixels.astype(">u2").view(np.uint8).reshape(9, -1)
    left = np.concatenate([np.zeros((9, size), np.uint8), lines[:, :-size]], axis=1)
    body = zlib.compress(np.concatenate([np.ones((9, 1), np.uint8), lines - left], axis=1).tobytes())
    raw = (tmp_path / "up.png").read_bytes()
    at = raw.index(b"IDAT") - 4
    idat = len(body).to_bytes(4, "big") + b"IDAT" + body + zlib.crc32(b"IDAT" + body).to_bytes(4, "big")
    (tmp_path / "left.png").write_bytes(raw[:at] + idat + raw[-12:])
    np.testing.assert_array_equal(files.read_picture(tmp_path / "left.png"), pixels)


def test_sixteen_bits_of_a_camera_held_sideways(tmp_path: Path) -> None:
    pixels = noise(3, np.uint16)
    tifffile.imwrite(tmp_path / "a.tif", pixels, photometric="rgb", extratags=[(274, "H", 1, 6, True)])
    np.testing.assert_array_equal(files.read_picture(tmp_path / "a.tif"), np.rot90(pixels, -1))


def test_modes_are_read_as_grey_or_colour(tmp_path: Path) -> None:
    image = Image.fromarray(noise(3))
    for mode, channels in (("1", 1), ("L", 1), ("P", 3), ("CMYK", 3)):
        path = tmp_path / f"{mode}.tif"
        image.convert(mode).save(path)
        back = files.read_picture(path)
        assert back.shape == (9, 14, channels), mode
        expected = np.asarray(image.convert(mode).convert("RGB" if channels == 3 else "L"))
        np.testing.assert_array_equal(back.reshape(expected.shape), expected)
    image.convert("CMYK").save(tmp_path / "a.jpg", quality=100)
    assert files.read_picture(tmp_path / "a.jpg").shape == (9, 14, 3)
    image.save(tmp_path / "a.gif")
    assert files.read_picture(tmp_path / "a.gif").shape == (9, 14, 3)
    see_through = image.convert("P")
    see_through.save(tmp_path / "t.png", transparency=0)
    assert files.read_picture(tmp_path / "t.png").shape == (9, 14, 4)


def test_a_camera_that_was_held_sideways(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned a quarter clockwise to be upright
    pixels = noise(3)
    Image.fromarray(pixels).save(tmp_path / "a.png", exif=exif)
    np.testing.assert_array_equal(files.read_picture(tmp_path / "a.png"), np.rot90(pixels, -1))


@pytest.mark.parametrize("name", ["a.gif", "a.tif", "a.png", "a.webp"])
def test_the_first_of_several_frames(tmp_path: Path, name: str) -> None:
    first, second = (np.full((9, 14, 3), shade, np.uint8) for shade in (40, 200))
    more = {"append_images": [Image.fromarray(second)], "save_all": True}
    Image.fromarray(first).save(tmp_path / name, **more, **({"lossless": True} if name == "a.webp" else {}))
    pixels, frames = files.read_frame(tmp_path / name)
    assert frames
    np.testing.assert_array_equal(pixels[..., :3], first)
    Image.fromarray(first).save(tmp_path / name)
    assert not files.read_frame(tmp_path / name).frames


def test_broken_pictures_are_one_line(tmp_path: Path) -> None:
    files.write_picture(tmp_path / "whole.png", noise(3))
    raw = (tmp_path / "whole.png").read_bytes()
    (tmp_path / "half.png").write_bytes(raw[: len(raw) // 2])
    (tmp_path / "text.png").write_text("not a picture")
    (tmp_path / "empty.png").write_bytes(b"")
    Image.fromarray(np.zeros((4, 4), np.float32)).save(tmp_path / "float.tif")
    Image.fromarray(np.full((4, 4), 1 << 20, np.int32)).save(tmp_path / "deep.tif")
    for name in ("half.png", "text.png", "empty.png", "float.tif", "deep.tif", "none.png", "."):
        with pytest.raises(InputError) as caught:
            files.read_picture(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_pictures_too_large_for_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write_picture(tmp_path / "a.png", noise(3))
    for limit in (100, 10):  # Pillow warns above its limit and raises above twice that
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)
        with pytest.raises(InputError, match="megapixels"):
            files.read_picture(tmp_path / "a.png")


@pytest.mark.parametrize(
    ("name", "channels", "dtype"),
    [("a.xyz", 3, np.uint8), ("a", 3, np.uint8), ("a.jpg", 4, np.uint8), ("a.bmp", 2, np.uint8),
     ("a.jpg", 1, np.uint16), ("a.tif", 2, np.uint16), ("a.webp", 3, np.uint16), ("a.png", 5, np.uint8),
     ("none/a.png", 3, np.uint8)],
)  # fmt: skip
def test_what_cannot_be_written(tmp_path: Path, name: str, channels: int, dtype: type) -> None:
    with pytest.raises(InputError):
        files.write_picture(tmp_path / name, noise(channels, dtype))
    assert list(tmp_path.iterdir()) == []


def test_jpeg_is_no_place_for_pieces(tmp_path: Path) -> None:
    assert files.check_picture_target(tmp_path / "a.jpg", noise(3)) == "JPEG"
    with pytest.raises(InputError, match="lossless"):
        files.check_picture_target(tmp_path / "a.jpg", noise(3), lossless=True)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.png"
    files.write_picture(target, noise(3))
    old = target.read_bytes()

    def fail(self: Image.Image, file: object, **_: object) -> None:
        file.write(b"half")  # type: ignore[attr-defined]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", fail)
    with pytest.raises(InputError, match=r"a\.png: No space left"):
        files.write_picture(target, noise(3))
    assert target.read_bytes() == old
    assert list(tmp_path.iterdir()) == [target]


def test_files_that_belong_together_are_all_written_or_none(tmp_path: Path) -> None:
    layout = LayoutFile(Layout(np.array([[0, 1]]), np.zeros((1, 2), int)), (28, 28))
    names = [tmp_path / name for name in ("a.png", "b.json", "c.png")]
    files.write_together({names[0]: noise(3), names[1]: layout, names[2]: noise(1)})
    assert sorted(tmp_path.iterdir()) == names
    old = [path.read_bytes() for path in names]
    (tmp_path / "c.jpg").mkdir()
    with pytest.raises(InputError, match="something else"):
        files.write_together({names[0]: noise(1), names[1]: layout, tmp_path / "c.jpg": noise(3)})
    with pytest.raises(InputError):
        files.write_together({names[0]: noise(1), tmp_path / "c.xyz": noise(3)})
    assert [path.read_bytes() for path in names] == old
    assert sorted(tmp_path.iterdir()) == [names[0], names[1], tmp_path / "c.jpg", names[2]]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    files.write_text(tmp_path / "link.json", "new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "new"


def test_a_folder_is_no_target(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="something else"):
        files.write_text(tmp_path, "x")


@st.composite
def contents(draw: st.DrawFn) -> LayoutFile:
    rows, cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    n = rows * cols
    order = np.array(draw(st.permutations(range(n)))).reshape(rows, cols)
    holes = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n))).reshape(rows, cols)
    turns = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))).reshape(rows, cols)
    layout = Layout(np.where(holes, HOLE, order), np.where(holes, 0, turns))
    looks = np.arange(4 * n, dtype=np.int32).reshape(n, 4) if draw(st.booleans()) else None
    names = tuple(draw(st.lists(st.text(max_size=5), min_size=n, max_size=n))) if draw(st.booleans()) else None
    margin = draw(st.tuples(*[st.integers(0, 9)] * 4))
    size = draw(st.integers(2, 99)), draw(st.integers(2, 99))
    confidence = draw(confidences(rows, cols)) if draw(st.booleans()) else None
    return LayoutFile(layout, size, looks, draw(st.booleans()), names, margin, confidence)


@st.composite
def confidences(draw: st.DrawFn, rows: int, cols: int) -> Confidence:
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    chances, flags = [], []
    for shape in ((rows, cols - 1), (rows - 1, cols), (rows, cols)):
        chances.append(np.where(rng.random(shape) < 0.2, np.nan, rng.random(shape)))
        flags.append(rng.random(shape) < draw(st.sampled_from([0.0, 0.3])))
    return Confidence(chances[0], chances[1], (flags[0], flags[1]), chances[2], rng.random(), rng.random())


@given(contents())
@settings(max_examples=50, deadline=None)
def test_layout_file_round_trip(content: LayoutFile) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "layout.json"
        files.write_layout(path, content)
        back = files.read_layout(path)
        assert len(path.read_text().splitlines()) > content.layout.rows  # one row of the grid a line
    assert back.layout == content.layout
    assert back.piece == content.piece
    assert (back.partial, back.names, back.margin) == (content.partial, content.names, content.margin)
    assert (back.confidence is None) == (content.confidence is None)
    if back.confidence is not None and content.confidence is not None:
        for name in ("right", "down", "pieces", "looks", "exact"):
            found, written = getattr(back.confidence, name), getattr(content.confidence, name)
            np.testing.assert_allclose(found, written, rtol=0, atol=5.1e-5)  # NaN is NaN
        for found, written in zip(back.confidence.undecidable, content.confidence.undecidable, strict=True):
            np.testing.assert_array_equal(found, written)
    assert (back.looks is None) == (content.looks is None)
    if back.looks is not None and content.looks is not None:
        np.testing.assert_array_equal(back.looks, content.looks)


GOOD = to_data(LayoutFile(Layout(np.arange(6).reshape(2, 3), np.zeros((2, 3), int)), (28, 28)))


JOINTS = {"right": [[1, 0.5], [None, 0]], "down": [[0.25, 1.0, 0.0]]}


def test_joints_alone_are_enough() -> None:
    found = from_data({**GOOD, "joints": JOINTS}).confidence
    assert found is not None
    assert found.share == pytest.approx((1 + 0.5 + 0 + 0.25 + 1) / 6)
    assert not any(flags.any() for flags in found.undecidable)
    assert np.isnan(found.pieces).all()
    assert np.isnan(found.picture)
    assert from_data(GOOD).confidence is None


def test_unknown_keys_and_missing_turns_are_fine() -> None:
    data = {**GOOD, "joints": {**JOINTS, "left": 1}, "confidence": {"later": 1}, "later": 1}
    del data["turns"]
    assert from_data(data).layout == from_data(GOOD).layout


@pytest.mark.parametrize(
    "change",
    [{"format": "x"}, {"format": None}, {"version": 2}, {"version": True}, {"version": "1"}, {"rows": 0},
     {"rows": 2.0}, {"rows": True}, {"rows": 3}, {"cols": 10**30}, {"cols": None}, {"piece": 28}, {"piece": [28]},
     {"piece": [28, 0]}, {"piece": ["28", "28"]}, {"pieces": None}, {"pieces": [[0, 1, 2]]},
     {"pieces": [[0, 1, 2], [3, 4]]}, {"pieces": [[0, 1, 2], [3, 4, 4]]}, {"pieces": [[0, 1, 2], [3, 4, -1]]},
     {"pieces": [[0, 1, 2], [3, 4, 2**40]]}, {"pieces": [[0, 1, 2], [3, 4, 10**7]]},
     {"pieces": [[0, 1, 2], [3, 4, "5"]]}, {"pieces": [[0, 1, 2], [3, 4, 5.5]]}, {"pieces": [[0, 1, 2], "abc"]},
     {"turns": [[0, 0, 0], [0, 0, 4]]}, {"turns": [[0, 0, 0], [0, 0, -1]]}, {"turns": 0}, {"looks": [[0, 1, 2, 3]]},
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
def test_bad_layout_files_are_one_line(change: dict[str, object]) -> None:
    with pytest.raises(InputError) as caught:
        from_data({**GOOD, **change})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 160


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '{"rows": ' + "9" * 5000 + "}", "\xff"])
def test_bad_json_is_one_line(tmp_path: Path, text: str) -> None:
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


@given(st.sampled_from([*sorted(GOOD), "joints", "undecidable", "confidence"]), json_values)
@settings(max_examples=200, deadline=None)
def test_any_json_is_read_or_refused(key: str, value: object) -> None:
    data = json.loads(json.dumps({**GOOD, "joints": JOINTS, key: value}))
    told = ""
    try:
        from_data(data)
    except InputError as error:
        told = str(error)
    assert "\n" not in told


def test_missing_and_oversized_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="No such file"):
        files.read_json(tmp_path / "none.json")
    monkeypatch.setattr(files, "MOST_JSON_BYTES", 4)
    (tmp_path / "a.json").write_text("[1, 2, 3]")
    with pytest.raises(InputError, match="at most"):
        files.read_json(tmp_path / "a.json")


def test_pictures_in_natural_order(tmp_path: Path) -> None:
    for name in ("10.png", "2.JPG", "b1.png", "notes.txt", "1.png"):
        (tmp_path / name).touch()
    (tmp_path / "folder.png").mkdir()
    assert [path.name for path in files.list_pictures(tmp_path)] == ["1.png", "2.JPG", "10.png", "b1.png"]
    with pytest.raises(InputError, match="folder"):
        files.list_pictures(tmp_path / "none")


def png_of(pixels: np.ndarray) -> bytes:
    kept = io.BytesIO()
    Image.fromarray(pixels).save(kept, "PNG")
    return kept.getvalue()


def zipped(path: Path, content: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in content.items():
            archive.writestr(name, raw)
    return path


PIECES = {f"{k}.png": png_of(np.full((4, 5, 3), k, np.uint8)) for k in (10, 9, 1, 2)}
JUNK = {".DS_Store": b"x", "__MACOSX/._1.png": b"x", "._2.png": b"x", ".git/3.png": b"x"}


def test_pieces_of_a_zip(tmp_path: Path) -> None:
    path = zipped(tmp_path / "p.zip", {**PIECES, **JUNK, "b/1.png": PIECES["1.png"], "a/README": b"", "a/x.txt": b""})
    assert files.holds_pieces(path)
    read = files.read_pieces(path)
    assert read.names == ("1.png", "2.png", "9.png", "10.png", "b/1.png")
    assert [int(shown.pixels[0, 0, 0]) for shown in read.pictures] == [1, 2, 9, 10, 1]
    assert read.skipped == ("a/README", "a/x.txt")


def test_pieces_of_a_folder(tmp_path: Path) -> None:
    for name, raw in {**PIECES, **JUNK, "b/1.PNG": PIECES["1.png"], "notes.txt": b""}.items():
        (tmp_path / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / name).write_bytes(raw)
    read = files.read_pieces(tmp_path / "p")
    assert read.names == ("1.png", "2.png", "9.png", "10.png", "b/1.PNG")
    assert read.skipped == ("notes.txt",)


def test_nothing_of_a_zip_touches_the_disk(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    names = ("../out.png", "/tmp/../out.png", "a/../../out.png")
    path = zipped(inside / "p.zip", dict.fromkeys(names, PIECES["1.png"]))
    before = sorted(tmp_path.rglob("*"))
    assert len(files.read_pieces(path).names) == 3
    assert sorted(tmp_path.rglob("*")) == before


def test_bad_zips_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = zipped(tmp_path / "whole.zip", PIECES).read_bytes()
    (tmp_path / "half.zip").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "damaged.zip").write_bytes(whole[:50] + b"????" + whole[54:])
    locked = bytearray(whole)  # the bit that says that an entry is encrypted, in both of its headers
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = locked.find(mark)
        while at >= 0:
            locked[at + offset] |= 1
            at = locked.find(mark, at + 4)
    (tmp_path / "locked.zip").write_bytes(locked)
    zipped(tmp_path / "text.zip", {"1.png": b"no picture"})
    for name in ("half.zip", "damaged.zip", "locked.zip", "text.zip"):
        with pytest.raises(InputError) as caught:
            files.read_pieces(tmp_path / name)
        assert "\n" not in str(caught.value)
    assert not files.holds_pieces(tmp_path / "half.zip")
    for limits, says in ((files.Limits(files=3), "at most 3 files"), (files.Limits(bytes=100), "unpacked"),
                         (files.Limits(pixels=79), "megapixels")):  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setattr(files, "LIMITS", limits)
            with pytest.raises(InputError, match=says):
                files.read_pieces(tmp_path / "whole.zip")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    """A header that promises more pixels than memory holds, in a file of some bytes."""
    raw = bytearray(PIECES["1.png"])
    raw[16:24] = (60_000).to_bytes(4, "big") * 2
    raw[29:33] = zlib.crc32(raw[12:29]).to_bytes(4, "big")
    path = zipped(tmp_path / "bomb.zip", {"1.png": bytes(raw)})
    with pytest.raises(InputError, match="megapixels"):
        files.read_pieces(path)
