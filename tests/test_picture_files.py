"""Picture files: pixels survive a round trip, and broken files give an error of one line."""

from __future__ import annotations

import io
import json
import zlib
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image
from starlette.testclient import TestClient

from bad_uploads import body
from jigsolve import cut, read_puzzle, solve
from jigsolve.cli import run
from jigsolve.io import files, pictures, render
from jigsolve.io.layout_file import LayoutFile, to_data
from jigsolve.io.pictures import Picture
from jigsolve.page.app import create_app
from jigsolve.runtime.errors import InputError
from pictures import noise, photograph, small_puzzle


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("suffix", [".png", ".tif"])
def test_lossless_round_trip(tmp_path: Path, channels: int, suffix: str) -> None:
    pixels = noise(9, 14, channels)
    files.write_picture(tmp_path / f"a{suffix}", pixels)
    back = files.read_picture(tmp_path / f"a{suffix}")
    assert back.dtype == np.uint8
    np.testing.assert_array_equal(back, pixels)


@pytest.mark.parametrize(("name", "channels"), [("a.bmp", 1), ("a.BMP", 3), ("a.webp", 3), ("a.webp", 4)])
def test_other_lossless_formats(tmp_path: Path, name: str, channels: int) -> None:
    pixels = noise(9, 14, channels)
    files.write_picture(tmp_path / name, pixels)
    np.testing.assert_array_equal(files.read_picture(tmp_path / name), pixels)


@pytest.mark.parametrize(
    ("name", "channels"),
    [("a.png", 1), ("a.tif", 1), ("a.png", 2), ("a.png", 3), ("a.tif", 3), ("a.png", 4), ("a.tif", 4)],
)
def test_16_bits_round_trip(tmp_path: Path, name: str, channels: int) -> None:
    pixels = noise(9, 14, channels, np.uint16)
    files.write_picture(tmp_path / name, pixels)
    back = files.read_picture(tmp_path / name)
    assert back.dtype == np.uint16
    np.testing.assert_array_equal(back, pixels)
    if channels in (3, 4):
        np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / name)), pixels >> 8)  # what other programs read


def test_read_in_8_bits(tmp_path: Path) -> None:
    deep, flat = noise(9, 14, 3, np.uint16), noise(9, 14, 3)
    files.write_picture(tmp_path / "deep.png", deep)
    files.write_picture(tmp_path / "flat.png", flat)
    np.testing.assert_array_equal(files.read_picture_8bit(tmp_path / "deep.png"), deep >> 8)
    np.testing.assert_array_equal(files.read_picture_8bit(tmp_path / "flat.png"), flat)
    assert files.read_picture_8bit(tmp_path / "deep.png").dtype == np.uint8


@pytest.mark.parametrize("compression", [None, "zlib"])
@pytest.mark.parametrize("order", ["<", ">"])
def test_16_bits_of_other_programs(tmp_path: Path, compression: str | None, order: str) -> None:
    pixels = noise(9, 14, 3, np.uint16)
    tifffile.imwrite(tmp_path / "a.tif", pixels, photometric="rgb", compression=compression, byteorder=order)
    np.testing.assert_array_equal(files.read_picture(tmp_path / "a.tif"), pixels)


@pytest.mark.parametrize("channels", [2, 3, 4])
def test_16_bits_with_another_png_filter(tmp_path: Path, channels: int) -> None:
    """A PNG that stores the differences from the pixel to the left, as many programs do."""
    pixels = noise(9, 14, channels, np.uint16)
    files.write_picture(tmp_path / "up.png", pixels)
    size, lines = 2 * channels, pixels.astype(">u2").view(np.uint8).reshape(9, -1)
    left = np.concatenate([np.zeros((9, size), np.uint8), lines[:, :-size]], axis=1)
    body = zlib.compress(np.concatenate([np.ones((9, 1), np.uint8), lines - left], axis=1).tobytes())
    raw = (tmp_path / "up.png").read_bytes()
    at = raw.index(b"IDAT") - 4
    idat = len(body).to_bytes(4, "big") + b"IDAT" + body + zlib.crc32(b"IDAT" + body).to_bytes(4, "big")
    (tmp_path / "left.png").write_bytes(raw[:at] + idat + raw[-12:])
    np.testing.assert_array_equal(files.read_picture(tmp_path / "left.png"), pixels)


def test_16_bits_are_rotated_by_exif(tmp_path: Path) -> None:
    pixels = noise(9, 14, 3, np.uint16)
    tifffile.imwrite(tmp_path / "a.tif", pixels, photometric="rgb", extratags=[(274, "H", 1, 6, True)])
    np.testing.assert_array_equal(files.read_picture(tmp_path / "a.tif"), np.rot90(pixels, -1))


def test_modes_are_read_as_grey_or_colour(tmp_path: Path) -> None:
    image = Image.fromarray(noise(9, 14, 3))
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
    transparent = image.convert("P")
    transparent.save(tmp_path / "t.png", transparency=0)
    assert files.read_picture(tmp_path / "t.png").shape == (9, 14, 4)


def test_pictures_are_rotated_by_exif(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # upright after a clockwise quarter turn
    pixels = noise(9, 14, 3)
    Image.fromarray(pixels).save(tmp_path / "a.png", exif=exif)
    np.testing.assert_array_equal(files.read_picture(tmp_path / "a.png"), np.rot90(pixels, -1))


@pytest.mark.parametrize("name", ["a.gif", "a.tif", "a.png", "a.webp"])
def test_the_first_of_several_frames_is_read(tmp_path: Path, name: str) -> None:
    first, second = (np.full((9, 14, 3), shade, np.uint8) for shade in (40, 200))
    more = {"append_images": [Image.fromarray(second)], "save_all": True}
    Image.fromarray(first).save(tmp_path / name, **more, **({"lossless": True} if name == "a.webp" else {}))
    pixels, has_more_frames, _ = files.read_frame(tmp_path / name)
    assert has_more_frames
    np.testing.assert_array_equal(pixels[..., :3], first)
    Image.fromarray(first).save(tmp_path / name)
    assert not files.read_frame(tmp_path / name).has_more_frames


def test_broken_pictures_give_errors_of_one_line(tmp_path: Path) -> None:
    files.write_picture(tmp_path / "whole.png", noise(9, 14, 3))
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


def test_large_pictures_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write_picture(tmp_path / "a.png", noise(9, 14, 3))
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
def test_pictures_that_cannot_be_written(tmp_path: Path, name: str, channels: int, dtype: type) -> None:
    with pytest.raises(InputError):
        files.write_picture(tmp_path / name, noise(9, 14, channels, dtype))
    assert list(tmp_path.iterdir()) == []


def test_jpeg_is_refused_where_pixels_must_be_exact(tmp_path: Path) -> None:
    assert files.check_picture_target(tmp_path / "a.jpg", noise(9, 14, 3)) == "JPEG"
    with pytest.raises(InputError, match="lossless"):
        files.check_picture_target(tmp_path / "a.jpg", noise(9, 14, 3), lossless=True)


def test_the_first_of_several_pictures_in_a_jpeg_file_is_read(tmp_path: Path) -> None:
    """As cameras with two lenses write them: Pillow has a name of its own for them."""
    first, second = (Image.fromarray(np.full((16, 16, 3), level, dtype=np.uint8)) for level in (60, 200))
    first.save(tmp_path / "a.jpg", format="MPO", save_all=True, append_images=[second])
    assert np.allclose(files.read_picture(tmp_path / "a.jpg"), 60, atol=2)


def make_profile(space: bytes) -> bytes:
    """The header of an ICC profile for these channels, and nothing else: readers keep it as it is."""
    return (132).to_bytes(4, "big") + bytes(8) + b"mntr" + space + b"XYZ " + bytes(12) + b"acsp" + bytes(92)


@pytest.mark.parametrize(
    "name", ["a.png", "a.jpg", "a.tif", "a.webp", "deep.png", "deep.tif", "grey.png", "grey16.png"]
)
def test_colour_profiles_are_kept(name: str, tmp_path: Path) -> None:
    channels = 1 if "grey" in name else 3
    pixels = noise(40, 60, channels, np.uint16 if name.startswith("deep") or "16" in name else np.uint8)
    profile = make_profile(b"GRAY" if channels == 1 else b"RGB ")
    files.write_picture(tmp_path / name, Picture(pixels, profile=profile))
    read = files.read_frame(tmp_path / name)
    assert read.profile == profile
    assert read.pixels.shape == pixels.shape
    if not name.endswith(".jpg"):
        assert np.array_equal(read.pixels, pixels)


@pytest.mark.parametrize("space", [b"CMYK", b"GRAY", b"Lab ", b""])
def test_profiles_of_other_channels_are_left_out(space: bytes, tmp_path: Path) -> None:
    files.write_picture(tmp_path / "a.png", Picture(noise(8, 8), profile=make_profile(space) if space else b"x"))
    assert files.read_frame(tmp_path / "a.png").profile == b""
    files.write_picture(tmp_path / "a.bmp", Picture(noise(8, 8), profile=make_profile(b"RGB ")))


def test_the_answer_has_the_profile_of_the_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    profile = make_profile(b"RGB ")
    files.write_picture(Path("photo.png"), Picture(photograph("chelsea")[:120, :160], profile=profile))
    assert run(["scramble", "photo.png", "--piece", "40", "--output", "p.png"]) == 0
    assert run(["solve", "p.png", "--piece", "40", "--effort", "fast", "--output", "s.png"]) == 0
    solve("p.png", piece=(40, 40), effort="fast").save("saved.png")
    for name in ("p.png", "s.png", "saved.png"):
        assert files.read_frame(Path(name)).profile == profile
    for folder, others in (("same", profile), ("mixed", make_profile(b"RGB ")[:-1] + b"2")):
        Path(folder).mkdir()
        for k, piece in enumerate(cut(photograph("chelsea")[:80, :80], 40).pieces):
            files.write_picture(Path(folder) / f"{k}.png", Picture(piece, profile=others if k == 2 else profile))
        assert read_puzzle(folder).profile == (profile if folder == "same" else b"")


def test_the_page_keeps_the_profile() -> None:
    file = io.BytesIO()
    puzzle, truth = small_puzzle("chelsea", 40, 2, 3)
    pictures.encode(file, "PNG", render.render_sheet(puzzle), make_profile(b"RGB "))
    saved = json.dumps(to_data(LayoutFile(truth, (40, 40)))).encode()
    with TestClient(create_app(), "http://127.0.0.1:8420") as client:
        state = client.post("/api/sessions", content=body([("a.png", file.getvalue()), ("a.json", saved)])).json()
        layout = {"rows": 2, "cols": 3, "pieces": truth.pieces.tolist()}
        shown = client.post(f"/api/sessions/{state['key']}/picture", json=layout)
    assert pictures.decode(io.BytesIO(shown.content), "shown", 10**6).profile == make_profile(b"RGB ")
