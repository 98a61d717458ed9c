"""Reading bitmap caches: both formats, all depths, run-length coding, damaged files."""

from __future__ import annotations

import random

import numpy as np
import pytest

from caches import cut_tiles, draw_screen, encode, to_pels, write_bin, write_bmc
from jigsolve.io import cache_file, interleaved_rle
from jigsolve.io.cache_file import make_palette, parse
from jigsolve.runtime import InputError

TILES = cut_tiles(draw_screen(150, 200, 1))


def test_tiles_of_a_bin_file() -> None:
    raw = write_bin(TILES)
    found = parse(raw, "Cache0000.bin")
    assert found.notes == ()
    assert [tile.key for tile in found.tiles] == list(range(1000, 1000 + len(TILES)))
    for tile, true in zip(found.tiles, TILES, strict=True):
        np.testing.assert_array_equal(tile.pixels, true)
        assert raw[tile.offset : tile.offset + 8] == tile.key.to_bytes(8, "little")


@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_tiles_of_a_bmc_file(depth: int, coded: bool) -> None:
    raw = write_bmc(TILES, depth, random.Random(depth) if coded else None)
    found = parse(raw, "bcache.bmc")
    assert len(found.notes) == (depth == 1)
    for tile, true in zip(found.tiles, TILES, strict=True):
        expected = true
        if depth == 1:
            expected = make_palette()[true[..., 0]]
        elif depth == 2:
            fives, sixes = true >> 3, true >> 2
            expected = fives << 3 | fives >> 2
            expected[..., 1] = sixes[..., 1] << 2 | sixes[..., 1] >> 4
        np.testing.assert_array_equal(tile.pixels, expected)
        assert raw[tile.offset : tile.offset + 8] == tile.key.to_bytes(8, "little")


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_every_order_is_decoded(depth: int) -> None:
    """Bitmaps of few colours, coded at random: all orders occur."""
    used: set[str] = set()
    for seed in range(60):
        rng = random.Random(seed)
        width, height = rng.randrange(1, 65), rng.randrange(1, 65)
        colours = [0, (1 << 8 * depth) - 1, *(rng.randrange(1 << 8 * depth) for _ in range(seed % 3))]
        row = [rng.choice(colours) for _ in range(width)]
        pels = []
        for _ in range(height):
            row = [rng.choice(colours) if rng.random() < 0.1 else pel for pel in row]
            if rng.random() < 0.2:
                row = [rng.choice(colours)] * width
            pels += row
            if pels[width:] and width > 8 and rng.random() < 0.3:  # one of the two special masks, at any place
                at, mask = len(pels) - rng.randrange(8, width), rng.choice((3, 5))
                for k in range(8):
                    pels[at + k] = pels[at + k - width] ^ (colours[1] if mask >> k & 1 else 0)
        data = encode(pels, width, depth, rng, used)
        assert interleaved_rle.decode(data, width, height, depth) == pels
    assert used == {"background", "foreground", "set foreground", "masked", "set masked", "special 3", "special 5",
                    "colour", "image", "dithered", "white", "black"}  # fmt: skip


def test_orders_by_hand() -> None:
    """A run of background is black in the first row and the row above later; two runs have a mark between them."""
    first = bytes([0x62, 7, 0x02])  # two pixels of colour 7, two of background
    second = bytes([0x01, 0x03])  # one of background; then a mark and two of background
    assert interleaved_rle.decode(first + second, 4, 2, 1) == [7, 7, 0, 0, 7, 7 ^ 255, 0, 0]
    assert interleaved_rle.decode(bytes([0xC2, 9, 0x42, 0b10, 1]), 2, 9, 1)[:4] == [9, 9, 9, 0]


@pytest.mark.parametrize("data", [b"", b"\x01", b"\xf5\x01\x00", b"\x63", b"\xf3\xff\xff\x01", b"\xf8\x03\x00\x01\x02"])
def test_bad_run_length_codes(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        interleaved_rle.decode(data, 2, 2, 1)


def test_a_truncated_bin_file_keeps_its_whole_tiles() -> None:
    raw = write_bin(TILES)
    found = parse(raw[:-5], "Cache0000.bin")
    assert len(found.tiles) == len(TILES) - 1
    assert "hold no whole tile" in found.notes[0]
    with pytest.raises(InputError, match=r"Expected tiles in a bitmap cache: a.bin: the last 4 bytes"):
        parse(raw[:16], "a.bin")
    with pytest.raises(InputError, match="holds none"):
        parse(raw[:12], "a.bin")


def test_bad_slots_of_a_bmc_file_are_left_out() -> None:
    raw = bytearray(write_bmc(TILES, 2, random.Random(0)))
    slot = 20 + 2 * 64 * 64
    raw[slot + 8] = 200  # a tile 200 pixels wide
    raw[3 * slot + 20] = 0xF5  # no such order
    found = parse(bytes(raw[: -(slot // 2)]) + b"", "bcache22.bmc")
    assert len(found.tiles) == len(TILES) - 2 - (raw[-slot + 12] + 256 * raw[-slot + 13] > slot // 2)
    assert found.notes[0].startswith("bcache22.bmc: ")
    assert "tiles could not be read (first at offset 8212: a tile of 200 x 64 pixels)" in found.notes[0]
    with pytest.raises(InputError, match="no header of a tile"):
        parse(b"\xff" * 9000, "a.bmc")


def test_unused_slots_are_no_tiles() -> None:
    raw = write_bmc(TILES[:2], 4) + bytes(20 + 4 * 64 * 64)
    found = parse(raw, "bcache24.bmc")
    assert len(found.tiles) == 2
    assert found.notes == ()


def test_the_name_decides_the_depth_of_a_single_coded_tile() -> None:
    tile = np.zeros((64, 64, 3), np.uint8)
    for depth, name in ((1, "bcache2.bmc"), (2, "Bcache22.bmc"), (4, "x/bcache24.bmc")):
        raw = write_bmc([tile], depth, random.Random(1))
        assert parse(raw, name).tiles[0].pixels.shape == (64, 64, 3)


def test_the_palette_has_the_fixed_colours() -> None:
    palette = make_palette()
    assert palette.shape == (256, 3)
    assert palette[[0, 7, 255, 249, 10]].tolist() == [[0] * 3, [192] * 3, [255] * 3, [255, 0, 0], [64, 32, 0]]


def test_what_a_cache_is() -> None:
    assert cache_file.is_cache("a.bin", b"RDP8bmp\0")
    assert cache_file.is_cache("A.BMC", b"")
    assert not cache_file.is_cache("a.bin", b"MZ")
    assert to_pels(np.array([[[255, 0, 0]]], np.uint8), 2) == [0xF800]
