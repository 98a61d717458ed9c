"""Reading puzzles: sheets, folders and zips of pieces, with and without options."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import jigsolve
from jigsolve.io import files, inputs, render
from jigsolve.io.composition import compose_picture
from jigsolve.io.layout_file import LayoutFile
from jigsolve.puzzle import UNKNOWN, PinnedCell, Pins, Puzzle, cut, find_piece_classes, scramble
from jigsolve.runtime.errors import InputError
from pictures import photograph


def test_a_sheet(tmp_path: Path) -> None:
    puzzle, truth = scramble(cut(photograph("chelsea"), (30, 40)), True, 3)
    files.write_picture(tmp_path / "p.png", render.render_sheet(puzzle))
    read = jigsolve.read_puzzle(tmp_path / "p.png", rotated=True)
    np.testing.assert_array_equal(read.puzzle.pieces, puzzle.pieces)
    assert (read.puzzle.rows, read.puzzle.cols, read.puzzle.rotated) == (7, 15, True)
    assert (read.piece, read.names, read.margin) == ((30, 40), None, (0, 0, 0, 0))
    assert len(read.notes) == 1
    assert read.notes[0].startswith("Pieces of 30x40 found (confidence 0.9")
    np.testing.assert_array_equal(compose_picture(read, truth), render.render_picture(puzzle, truth))
    assert jigsolve.read_puzzle(str(tmp_path / "p.png"), (30, 40)).notes == ()


def write_pieces(folder: Path, puzzle: Puzzle) -> Path:
    """Writes each piece of a puzzle into its own file."""
    folder.mkdir()
    for k, piece in enumerate(puzzle.pieces):
        files.write_picture(folder / f"piece{k + 1}.png", piece)
    return folder


@pytest.mark.parametrize("shape", [(4, None), (None, 6), (4, 6), (None, None)])
def test_a_folder(tmp_path: Path, shape: tuple[int | None, int | None]) -> None:
    puzzle, truth = scramble(cut(photograph("chelsea")[:240, 60:420], 60), False, 3)
    folder = write_pieces(tmp_path / "p", puzzle)
    (folder / "notes.txt").write_text("not a piece")
    read = jigsolve.read_puzzle(folder, rows=shape[0], cols=shape[1])
    np.testing.assert_array_equal(read.puzzle.pieces, puzzle.pieces)  # piece10 after piece9
    assert (read.puzzle.rows, read.puzzle.cols) == ((4, 6) if any(shape) else UNKNOWN)
    assert read.names == tuple(f"piece{k + 1}.png" for k in range(24))
    assert read.notes[:2] == (
        "Skipped 1 files that are no pictures: notes.txt.",
        "24 pieces of 60x60: piece1.png, piece2.png, ..., piece24.png.",
    )
    assert jigsolve.solve(read.puzzle).layout == truth


def test_a_folder_with_pieces_missing(tmp_path: Path) -> None:
    puzzle, truth = scramble(cut(photograph("chelsea")[:240, 60:420], 60), False, 3)
    folder = write_pieces(tmp_path / "p", puzzle)
    (folder / f"piece{truth.pieces[1, 2] + 1}.png").unlink()
    read = jigsolve.read_puzzle(folder, rows=4, cols=6)
    assert read.notes[-1] == "Of 4 rows x 6 cols, 1 pieces are missing."
    found = jigsolve.solve(read.puzzle).layout.pieces
    assert np.argwhere(found == -1).tolist() == [[1, 2]]


def test_a_folder_of_pieces_worn_unequally(tmp_path: Path) -> None:
    folder = write_pieces(tmp_path / "p", cut(photograph("coffee"), 100))
    for k, file in enumerate(sorted(folder.iterdir())[::2]):
        files.write_picture(file, files.read_picture(file)[k % 3 : 100 - k % 3, k % 3 : 100 - k % 3])
    given = jigsolve.read_puzzle(folder)
    assert given.puzzle.filled
    assert not jigsolve.read_puzzle(write_pieces(tmp_path / "whole", cut(photograph("coffee"), 100))).puzzle.filled
    assert "8 of 24 pieces were up to 4 px smaller: filled up to 100x100." in given.notes


def test_a_zip(tmp_path: Path) -> None:
    puzzle, _ = scramble(cut(photograph("chelsea"), 60), False, 3)
    folder = write_pieces(tmp_path / "p", puzzle)
    shutil.make_archive(str(tmp_path / "a"), "zip", folder)
    read = jigsolve.read_puzzle(tmp_path / "a.zip", rows=5)
    np.testing.assert_array_equal(read.puzzle.pieces, puzzle.pieces)
    assert (read.puzzle.rows, read.puzzle.cols) == (5, 7)


def test_several_frames_give_a_note(tmp_path: Path) -> None:
    sheets = [
        Image.fromarray(render.render_sheet(scramble(cut(photograph("chelsea"), 60), False, k)[0])) for k in (1, 2)
    ]
    sheets[0].save(tmp_path / "a.tif", save_all=True, append_images=sheets[1:])
    assert jigsolve.read_puzzle(tmp_path / "a.tif").notes[0] == "a.tif has several frames: the first is taken."


def test_folders_without_a_puzzle_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="got 0 pictures"):
        jigsolve.read_puzzle(tmp_path)
    files.write_picture(tmp_path / "a.png", photograph("chelsea"))
    with pytest.raises(InputError, match="got 1 pictures"):
        jigsolve.read_puzzle(tmp_path)
    files.write_picture(tmp_path / "b.png", photograph("coffee"))
    with pytest.raises(InputError, match=r"one size, 451x300 within 50 pixels, got 600x400 in b\.png"):
        jigsolve.read_puzzle(tmp_path)
    with pytest.raises(InputError, match="2 pieces, got 3"):
        jigsolve.read_puzzle(write_pieces(tmp_path / "p", cut(photograph("chelsea"), (451, 150))), rows=3)


def test_a_given_size_leaves_a_margin() -> None:
    whole = photograph("chelsea")  # 451 x 300
    puzzle, truth = scramble(cut(whole, 40), False, 3)
    sheet = whole.copy()
    sheet[:280, :440] = render.render_sheet(puzzle)
    read = inputs.from_sheet(sheet, (40, 40))
    assert read.margin == (0, 0, 11, 20)
    assert read.notes == (
        "Margin of 12100 pixels outside whole pieces (11 right, 20 bottom): no part of the puzzle, kept as it is,"
        " unless pieces are turned.",
    )
    np.testing.assert_array_equal(read.puzzle.pieces, puzzle.pieces)
    np.testing.assert_array_equal(compose_picture(read, truth), whole)


def test_a_frame_is_found_and_kept() -> None:
    whole = np.pad(photograph("chelsea")[:280, :440], ((13, 7), (5, 60), (0, 0)), constant_values=255)
    puzzle, truth = scramble(cut(whole[13:293, 5:445], 40), False, 3)
    sheet = whole.copy()
    sheet[13:293, 5:445] = render.render_sheet(puzzle)
    for size in ("auto", (40, 40)):
        read = inputs.from_sheet(sheet, size)
        assert read.margin == (5, 13, 60, 7)
        np.testing.assert_array_equal(compose_picture(read, truth), whole)


def test_a_margin_is_dropped_if_the_shape_changes() -> None:
    whole = photograph("chelsea")
    turned = inputs.from_sheet(whole, (40, 40), rotated=True)
    assert "left off the picture" in turned.notes[0]
    _, truth = scramble(turned.puzzle, False, 0)
    assert compose_picture(turned, truth).shape == (280, 440, 3)
    other = inputs.from_sheet(whole, (40, 40), rows=11, cols=7)
    assert compose_picture(other, scramble(other.puzzle, False, 0)[1]).shape == (440, 280, 3)


def test_a_bag_has_neither_grid_nor_margin(tmp_path: Path) -> None:
    whole = photograph("chelsea")
    files.write_picture(tmp_path / "bag.png", whole)
    bag = jigsolve.read_puzzle(tmp_path / "bag.png", (40, 40), bag=True)
    assert (bag.puzzle.rows, bag.puzzle.cols, len(bag.puzzle)) == (0, 0, 77)
    assert bag.notes[0].endswith("no part of the puzzle, left off.")
    _, truth = scramble(cut(whole, 40), False, 0)
    assert compose_picture(bag, truth).shape == (280, 440, 3)


def test_given_rows_and_cols() -> None:
    sheet = render.render_sheet(scramble(cut(photograph("chelsea"), (45, 50)), False, 0)[0])  # 6 rows, 10 cols
    for given_shape, shape in (
        ((None, None), (6, 10)),
        ((5, None), (5, 12)),
        ((None, 20), (3, 20)),
        ((4, 15), (4, 15)),
    ):
        puzzle = inputs.from_sheet(sheet, (45, 50), False, *given_shape).puzzle
        assert (puzzle.rows, puzzle.cols) == shape
        assert len(puzzle) == 60
    found = inputs.from_sheet(sheet, rows=5, cols=12)  # the number of pieces that were found, in another shape
    assert found.piece == (45, 50)
    coarse = inputs.from_sheet(sheet, rows=3, cols=5)  # another number of pieces: determines the size instead
    assert (coarse.piece, coarse.puzzle.rows, coarse.puzzle.cols) == ((90, 100), 3, 5)
    assert coarse.notes == ("Pieces of 90x100, by 3 rows x 5 cols.",)


def test_an_unsure_size_gives_a_note() -> None:
    hard = scramble(cut(photograph("clock"), (200, 150)), False, 0)[0]  # two by two
    (note,) = inputs.from_sheet(render.render_sheet(hard)).notes
    assert note.startswith("Unsure of the piece size: ")
    assert "200x150" in note
    assert note.count("x") >= 4
    assert "--piece overrides it" in note


@pytest.mark.parametrize(
    ("options", "message"),
    [({"piece": "some"}, "'auto'"), ({"piece": (41, 500)}, "no larger"), ({"piece": (40, 40), "rows": 8}, "77 pieces"),
     ({"piece": (40, 40), "cols": 80}, "77 pieces"), ({"piece": (40, 40), "rows": 7, "cols": 7}, "77 pieces"),
     ({"rows": 400, "cols": 3}, "at least 2 pixels"),
     ({"rows": 0}, "rows of at least 1"), ({"cols": -3}, "cols of at least 1")],
)  # fmt: skip
def test_bad_options_give_errors_of_one_line(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        inputs.from_sheet(photograph("chelsea"), **options)
    assert "\n" not in str(caught.value)


def test_options_are_checked_when_they_are_made() -> None:
    for wrong in ({"piece": "some"}, {"piece": (1, 40)}, {"rows": 0}, {"cols": -1}, {"memory_limit": 0.0}):
        with pytest.raises(InputError):
            inputs.ReadOptions(**wrong)


def test_reprs_are_one_short_line() -> None:
    read = inputs.from_sheet(photograph("chelsea"), (40, 40), rotated=True)
    assert repr(read) == "Input(Puzzle(77 pieces of 40x40x3 uint8, 7 rows x 11 cols, rotated))"
    bag = inputs.from_sheet(photograph("chelsea"), (40, 40), bag=True)
    assert repr(bag.puzzle) == "Puzzle(77 pieces of 40x40x3 uint8, unknown grid, upright)"
    assert repr(find_piece_classes(read.puzzle)) == "PieceClasses(77 classes of 77 pieces)"
    layout = scramble(read.puzzle, False, 0)[1]
    assert repr(layout) == "Layout(7 rows x 11 cols, 0 holes)"
    assert repr(Pins((PinnedCell(0, 0, 0, 0),))) == "Pins(1 cells, 0 joints, 0 forbidden)"
    appearances = read.puzzle.appearances()
    assert len(repr(LayoutFile(layout, (40, 40), appearances, names=("piece.png",) * 77))) < 200


def write_sheet(path: Path, sheet: np.ndarray) -> None:
    """Writes a sheet in the variant that the stem of the path names."""
    image = Image.fromarray(sheet)
    variant, exif = path.stem, Image.Exif()
    exif[0x0112] = 8  # upright after an anticlockwise quarter turn
    if variant in ("deep", "deep-alpha", "alpha"):
        alpha = np.linspace(120, 255, sheet.shape[0], dtype=np.uint8)[:, None, None].repeat(sheet.shape[1], axis=1)
        pixels = sheet if variant == "deep" else np.concatenate([sheet, alpha], axis=2)
        files.write_picture(path, pixels * np.uint16(257) if variant != "alpha" else pixels)
    elif variant == "deep-grey":
        files.write_picture(path, sheet[..., 1:2] * np.uint16(257))
    elif variant == "sideways":
        Image.fromarray(np.rot90(sheet, -1)).save(path, exif=exif, quality=95)
    elif variant in ("L", "P", "CMYK"):
        image.convert(variant).save(path)
    else:
        image.save(path, **({"lossless": True} if path.suffix == ".webp" else {}))


@pytest.mark.parametrize(
    ("name", "channels", "depth"),
    [("L.png", 1, 8), ("alpha.png", 4, 8), ("alpha.tif", 4, 8), ("alpha.webp", 4, 8), ("deep-grey.png", 1, 16),
     ("deep-grey.tif", 1, 16), ("deep.png", 3, 16), ("deep.tif", 3, 16), ("deep-alpha.png", 4, 16), ("CMYK.tif", 3, 8),
     ("CMYK.jpg", 3, 8), ("P.png", 3, 8), ("a.gif", 3, 8), ("a.bmp", 3, 8), ("a.webp", 3, 8), ("a.tif", 3, 8),
     ("sideways.jpg", 3, 8)],
)  # fmt: skip
def test_every_picture_format_is_solved(tmp_path: Path, name: str, channels: int, depth: int) -> None:
    puzzle, truth = scramble(cut(photograph("coffee")[:, :400], 50), False, 3)
    write_sheet(tmp_path / name, render.render_sheet(puzzle))
    read = jigsolve.read_puzzle(tmp_path / name)
    assert read.piece == (50, 50)
    assert read.puzzle.pieces.shape[3] == channels
    assert read.puzzle.pieces.dtype.itemsize * 8 == depth
    layout = jigsolve.solve(read.puzzle).layout
    assert layout == truth
    solved = compose_picture(read, layout)
    files.write_picture(tmp_path / "solved.png", solved)
    back = files.read_picture(tmp_path / "solved.png")
    np.testing.assert_array_equal(back, solved)  # alpha and depth are kept
    assert back.dtype == solved.dtype


def test_a_size_as_large_as_the_sheet_makes_one_piece() -> None:
    assert len(inputs.from_sheet(photograph("chelsea"), (451, 300)).puzzle) == 1
