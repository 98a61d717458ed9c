"""Writing and listing files: no file is half-written, and errors are one line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from jigsolve.io import files
from jigsolve.io.layout_file import LayoutFile
from jigsolve.puzzle.layout import Layout
from jigsolve.runtime.errors import InputError
from pictures import noise


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.png"
    files.write_picture(target, noise(9, 14, 3))
    old = target.read_bytes()

    def fail(self: Image.Image, file: object, **_: object) -> None:
        file.write(b"half")  # type: ignore[attr-defined]
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Image.Image, "save", fail)
    with pytest.raises(InputError, match=r"a\.png: No space left"):
        files.write_picture(target, noise(9, 14, 3))
    assert target.read_bytes() == old
    assert list(tmp_path.iterdir()) == [target]


def test_all_files_of_a_group_are_written_or_none(tmp_path: Path) -> None:
    layout = LayoutFile(Layout(np.array([[0, 1]]), np.zeros((1, 2), int)), (28, 28))
    names = [tmp_path / name for name in ("a.png", "b.json", "c.png")]
    files.write_together({names[0]: noise(9, 14, 3), names[1]: layout, names[2]: noise(9, 14, 1)})
    assert sorted(tmp_path.iterdir()) == names
    old = [path.read_bytes() for path in names]
    (tmp_path / "c.jpg").mkdir()
    with pytest.raises(InputError, match="something else"):
        files.write_together({names[0]: noise(9, 14, 1), names[1]: layout, tmp_path / "c.jpg": noise(9, 14, 3)})
    with pytest.raises(InputError):
        files.write_together({names[0]: noise(9, 14, 1), tmp_path / "c.xyz": noise(9, 14, 3)})
    assert [path.read_bytes() for path in names] == old
    assert sorted(tmp_path.iterdir()) == [names[0], names[1], tmp_path / "c.jpg", names[2]]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    files.write_text(tmp_path / "link.json", "new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "new"


def test_a_folder_is_refused_as_a_target(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="something else"):
        files.write_text(tmp_path, "x")


def test_missing_and_oversized_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="No such file"):
        files.read_json(tmp_path / "none.json")
    monkeypatch.setattr(files, "MAX_JSON_BYTES", 4)
    (tmp_path / "a.json").write_text("[1, 2, 3]")
    with pytest.raises(InputError, match="at most"):
        files.read_json(tmp_path / "a.json")


def test_pictures_are_listed_in_natural_order(tmp_path: Path) -> None:
    for name in ("10.png", "2.JPG", "b1.png", "notes.txt", "1.png"):
        (tmp_path / name).touch()
    (tmp_path / "folder.png").mkdir()
    assert [path.name for path in files.list_pictures(tmp_path)] == ["1.png", "2.JPG", "10.png", "b1.png"]
    with pytest.raises(InputError, match="folder"):
        files.list_pictures(tmp_path / "none")
