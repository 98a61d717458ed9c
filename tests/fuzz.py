"""Fuzzing: any file is read or refused with an `InputError`, and any C gives a feasible layout.

    python tests/fuzz.py --cases 1000000           all targets, with mutations of good files
    python tests/fuzz.py --target zip --atheris    one target, guided by coverage; needs atheris

A case that fails is saved in tests/corpus, and the tests repeat it from then on.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import random
import signal
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

sys.path.insert(0, str(Path(__file__).parent))

instrumented: AbstractContextManager[object] = nullcontext()
if "--atheris" in sys.argv:
    import atheris

    instrumented = atheris.instrument_imports(include=["jigsolve", "json", "zipfile"])
with instrumented:
    from bad_uploads import body, bomb, encoded, zip_bomb, zipped
    from caches import write_bin, write_bmc
    from jigsolve.io import cache_file, files, pictures
    from jigsolve.io.inputs import from_sheet
    from jigsolve.io.layout_file import LayoutFile
    from jigsolve.io.tiles import make_tiles_input
    from jigsolve.page.boards import load_board, plan_fragments, read_board
    from jigsolve.page.exports import export_board, judge_message
    from jigsolve.page.session import Session
    from jigsolve.page.settings import Built, Settings, build_input, parse_solve_request, read_input
    from jigsolve.page.upload import parse_files, parse_json, parse_work, split_work
    from jigsolve.puzzle.layout import HOLE, Layout
    from jigsolve.puzzle.pins import NO_PINS, check_pins
    from jigsolve.puzzle.scores import score
    from jigsolve.runtime.errors import InputError
    from jigsolve.runtime.events import ignore_event
    from jigsolve.solvers import SOLVERS, Budget, GridProblem

CORPUS = Path(__file__).parent / "corpus"
LIMITS = files.Limits(pixels=200_000, files=50, bytes=1 << 22)
CASE_TIMEOUT_S = 300  # a case that takes longer fails; most take less than a millisecond
SLOW_INTERVAL = 400  # one case in this many is for a slow target: the others read, a thousand and more a second
INTERESTING = (b"\x00", b"\xff", b"\x7f\xff\xff\xff", b"\xff" * 8, b"-1", b"1e999", b"NaN", b"null", b"[", b"{", b'"')
ODD_JSON = (
    "null", "true", "-1", "0", "1", "3", "4", "1000000", "9223372036854775808", "1e-9", "0.5", "1e308", "1e999", "NaN",
    '""', '"a"', r'"\u001b[2J"', r'"\ud800"', "[]", "{}", "[[]]", "[null]", "[0, 1]",
)  # fmt: skip
PNG = b"\x89PNG\r\n\x1a\n"
_MEMORY = Path("/dev/shm")  # files that are in memory, where there is such a folder
_FILE = Path(tempfile.mkdtemp(prefix="jigsolve-fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None)) / "a.json"


def fuzz_picture(raw: bytes) -> None:
    with suppress(InputError):
        found = pictures.decode(io.BytesIO(raw), "a", LIMITS.pixels).pixels
        assert found.ndim == 3
        assert found.dtype in (np.uint8, np.uint16)
        assert 0 < found.shape[0] * found.shape[1] <= LIMITS.pixels


def fuzz_zip(raw: bytes) -> None:
    with suppress(InputError):
        files.read_uploaded([("a.zip", raw)], LIMITS)


def fuzz_layout(raw: bytes) -> None:
    """A layout or a truth file, and its score against itself."""
    _FILE.write_bytes(raw)
    with suppress(InputError):
        content = files.read_layout(_FILE)
        text = files.format_layout(content)
        _FILE.write_text(text)
        assert files.format_layout(files.read_layout(_FILE)) == text
        if (content.layout.pieces != HOLE).any():
            assert score(content.layout, content.layout, content.appearances).direct == 1.0


def fuzz_cache(raw: bytes) -> None:
    """A bitmap cache of either format."""
    with suppress(InputError):
        for tile in cache_file.parse(raw, "a.bmc").tiles:
            height, width, channels = tile.pixels.shape
            assert 0 < height <= cache_file.TILE >= width > 0
            assert channels == 3
            assert 0 <= tile.offset < len(raw)


def fuzz_pins(raw: bytes) -> None:
    _FILE.write_bytes(raw)
    with suppress(InputError):
        check_pins(files.read_pins(_FILE), 12, 3, 4, (0, 1, 2, 3))


def fuzz_upload(raw: bytes) -> None:
    """An upload of the page, up to the pieces."""
    with suppress(InputError):
        given, _ = split_work(parse_files(raw))
        read = files.read_uploaded(given, LIMITS)
        read_input(read if isinstance(read, files.Pieces) else read.pixels, Settings((4, 4)))


def fuzz_trial(raw: bytes) -> None:
    """A sheet drawn from the bytes (flat, of few colours, or noise), whose cuts are found or given, solved quickly."""
    rng = np.random.default_rng(list(raw[:64]) or [0])
    height, width = rng.integers(1, 33, 2)
    colours = rng.integers(0, 256, (int(rng.choice((1, 2, 200))), 3), dtype=np.uint8)
    sheet = colours[rng.integers(0, len(colours), (height, width))]
    with suppress(InputError):
        built = build_input(sheet, Settings((4, 4) if rng.random() < 0.5 else None))
        assert 0 < len(built.input.puzzle) <= height * width


@cache
def _session() -> Session:
    """A puzzle of six pieces with an answer."""
    sheet = np.random.default_rng(0).integers(0, 256, (8, 12, 3), dtype=np.uint8)
    session = Session("a", sheet, Settings((4, 4)), Built(from_sheet(sheet, (4, 4))))
    session.load_answer(LayoutFile(Layout(np.arange(6).reshape(2, 3), np.zeros((2, 3), np.int8)), (4, 4)))
    return session


@cache
def _cache_session() -> Session:
    """Six tiles of a cache on a board, one of them used twice."""
    tiles = np.random.default_rng(0).integers(0, 256, (6, 4, 4, 3), dtype=np.uint8)
    session = Session("a", tiles[0], Settings((4, 4)), Built(make_tiles_input([*tiles], [""] * 6, (4, 4), [])))
    pieces = np.array([[0, 1, HOLE, 6], [2, 3, HOLE, HOLE]])
    load_board(session, LayoutFile(Layout(pieces, np.zeros_like(pieces)), (4, 4)), [0])
    return session


def fuzz_message(raw: bytes) -> None:
    """A message of the page: settings, solve options and pins, saved work, an edited layout, or an edited board."""
    with suppress(InputError):
        data = parse_json(raw)
        for read in (_set, _solve, _edit, _edit_board, parse_work):
            with suppress(InputError):
                read(data)


def _set(data: dict[str, Any]) -> None:
    settings = Settings.from_data(data)
    if settings.piece is not None:  # finding the size is slow: see fuzz_trial
        assert len(read_input(_session().source, settings).input.puzzle) > 0


def _solve(data: dict[str, Any]) -> None:
    request = parse_solve_request(data)
    assert request.params.seed >= 0
    check_pins(request.pins, 6, 2, 3, (0, 1, 2, 3))
    if request.board is not None:
        plan_fragments(_cache_session(), request)


def _edit_board(data: dict[str, Any]) -> None:
    edited = read_board(_cache_session(), data, NO_PINS)
    files.format_layout(export_board(_cache_session(), edited))


def _edit(data: dict[str, Any]) -> None:
    kept = judge_message(_session(), data).saved
    assert int(kept.layout.pieces.max()) < 6
    files.format_layout(kept)


def fuzz_solver(raw: bytes) -> None:
    """A C made of the bytes: zeros, ties, islands, huge and denormal numbers. An asymmetric C is refused."""
    rng = np.random.default_rng(list(raw[:64]) or [0])
    rows, cols = (int(size) for size in rng.integers(1, 5, 2))
    n = int(rng.integers(max(1, rows * cols - 3), rows * cols + 1))
    size, count = 4 * n, int(rng.integers(0, 24 * n + 1))
    a, b = rng.integers(0, size, (2, count))
    scale = [0.0, 5e-324, 1e-300, 1e-12, 1.0, 1e12, 1e99][int(rng.integers(0, 7))]
    values = scale * (rng.integers(0, 3, count) if rng.random() < 0.5 else rng.random(count))
    if rng.random() < 0.3:  # two islands
        a, b, values = (each[(a < size // 2) == (b < size // 2)] for each in (a, b, values))
    lower = coo_array((values, (a, b)), shape=(size, size)).tocsr()
    C = csr_array(lower.maximum(lower.T))
    turns = ((0,), (0, 2), (0, 1, 2, 3))[int(rng.integers(0, 3))]
    if rng.random() < 0.1 and C.nnz:
        asymmetric = C.copy()
        asymmetric.data[0] += 1.0 + abs(asymmetric.data[0])
        if (abs(asymmetric - asymmetric.T) > 1e-9).nnz:
            with suppress(InputError):
                GridProblem(asymmetric, rows, cols, turns)
                raise AssertionError("an asymmetric C was accepted")
    grid = GridProblem(C, rows, cols, turns)
    # the default solver in half of the cases, else any that accepts this puzzle
    names = [name for name, one in SOLVERS.items() if n == rows * cols or one.allows_holes]
    name = "default" if rng.random() < 0.5 else names[int(rng.integers(0, len(names)))]
    answer = SOLVERS[name].solve(grid, int(rng.integers(0, 99)), ignore_event, Budget("fast", time.monotonic() + 0.05))
    placed = answer.layout.pieces[answer.layout.pieces != HOLE]
    assert answer.layout.pieces.shape == (rows, cols)
    assert sorted(placed.tolist()) == list(range(n))
    assert set(answer.layout.turns.ravel().tolist()) <= {0, *turns}
    assert np.isfinite(answer.consistency)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "picture": fuzz_picture, "zip": fuzz_zip, "layout": fuzz_layout, "pins": fuzz_pins, "upload": fuzz_upload,
    "message": fuzz_message, "cache": fuzz_cache, "solver": fuzz_solver, "trial": fuzz_trial,
}  # fmt: skip
SLOW = ("solver", "trial")


def seeds() -> dict[str, list[bytes]]:
    """Good files, and known bad ones, that mutations start from."""
    rng = np.random.default_rng(0)
    small = [rng.integers(0, 256, (9, 7, channels), dtype=np.uint8) for channels in (1, 2, 3, 4)]
    answer = {"format": "jigsolve-layout", "version": 1, "rows": 2, "cols": 2, "piece": [4, 4],
             "pieces": [[0, 1], [2, None]], "turns": [[0, 1], [2, 0]], "partial": True, "names": ["a", "b", "c"],
             "appearances": [[0, 1, 2, 3]] * 3, "margin": [0, 1, 2, 3],
             "joints": {"right": [[0.5], [None]], "down": [[1, 0]]},
             "confidence": {"pieces": [[1, 1], [0.5, None]], "picture": 0.5, "exact": 0.1}}  # fmt: skip
    pinned = {"format": "jigsolve-pins", "version": 1, "cells": [{"piece": 1, "row": 0, "col": 2, "turn": 1}],
              "joints": [{"piece": 3, "side": "right", "other": 4, "other_side": "left"}],
              "forbidden": [{"piece": 5, "side": "down", "other": 6, "other_side": "up"}]}  # fmt: skip
    board = {"rows": 2, "cols": 3, "pieces": [[0, 1, None], [7, None, 6]], "copies": [2, 2]}
    encoded_pictures = [encoded(picture, kind) for picture in small for kind in ("PNG", "TIFF")]
    encoded_pictures += [encoded(small[2], kind) for kind in ("BMP", "JPEG", "WEBP")]
    encoded_pictures += [encoded(small[2] * np.uint16(257), kind) for kind in ("PNG", "TIFF")]
    folder = {f"{k}.png": raw for k, raw in enumerate(encoded_pictures[:3])}
    return {
        "picture": [*encoded_pictures, bomb()],
        "zip": [
            zipped(folder),
            zipped({"../a.png": encoded_pictures[0], "b/c.png": encoded_pictures[1], "d.txt": b""}),
            zip_bomb(),
        ],
        "cache": [write_bin(small[2:3] * 3), write_bmc(small[2:3] * 2, 1, random.Random(0)), write_bmc(small[2:3], 2)],
        "layout": [json.dumps(answer).encode()],
        "pins": [json.dumps(pinned).encode()],
        "upload": [
            body([("a.png", encoded_pictures[4])]),
            body([("a.zip", zipped(folder))]),
            body([*folder.items()]),
            body([("a.png", encoded_pictures[4]), ("layout.json", json.dumps(answer).encode())]),
        ],
        "message": [
            json.dumps(one).encode()
            for one in (
                {"piece": [4, 4], "rotated": True, "rows": 2, "cols": 3, "shuffle": False},
                {"seed": 1, "effort": "fast", "pins": pinned},
                {"rows": 2, "cols": 3, "pieces": [[0, 1, 2], [5, 4, None]], "turns": [[0, 1, 2], [3, 0, 0]]},
                {"min_confidence": 0.5, "pins": pinned | {"cells": []}, "board": board},
                board,
            )
        ],
        "solver": [bytes(range(64))],
        "trial": [bytes(range(64))],
    }


def draw_case(name: str, good: Mapping[str, list[bytes]], rng: random.Random) -> bytes:
    """A case for this target: a mutated file, or a sound zip or upload of mutated files."""
    if name in SLOW:
        return rng.randbytes(64)
    if name in ("zip", "upload") and rng.random() < 0.5:
        parts = [(f"{k}.png", mutate(rng.choice(good["picture"][:-1]), rng)) for k in range(rng.randrange(1, 4))]
        if name == "zip":
            return zipped(dict(parts))
        return body([*parts, ("layout.json", mutate(good["layout"][0], rng))][: rng.randrange(1, 5)])
    return mutate(rng.choice(good[name]), rng)


def mutate(raw: bytes, rng: random.Random) -> bytes:
    """The bytes with a few random changes, or the JSON in them with a changed value or two."""
    if raw.startswith(b"{") and rng.random() < 0.5:
        return _mutate_json(raw, rng)
    out = bytearray(raw)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        at = rng.randrange(len(out) + 1)
        match rng.randrange(6):
            case 0 if out:
                out[at % len(out)] ^= 1 << rng.randrange(8)
            case 1 if out:
                out[at % len(out)] = rng.randrange(256)
            case 2:
                del out[at : at + rng.choice((1, 1, 4, 32, 10**6))]
            case 3:
                out[at:at] = rng.choice(INTERESTING)
            case 4:
                out[at : at + 4] = rng.choice(INTERESTING)
            case _:
                out[at:at] = out[at : at + rng.randrange(1, 40)] * rng.choice((1, 2, 50))
    return _correct_checksums(bytes(out)) if raw.startswith(PNG) and rng.random() < 0.5 else bytes(out)


def _correct_checksums(raw: bytes) -> bytes:
    """A PNG whose chunks have the right checksums, so that what is in them is read."""
    out, at = bytearray(raw), len(PNG)
    while at + 12 <= len(out):
        end = at + 8 + int.from_bytes(out[at : at + 4])
        if end + 4 > len(out):
            break
        out[end : end + 4] = zlib.crc32(out[at + 4 : end]).to_bytes(4)
        at = end + 4
    return bytes(out)


def _mutate_json(raw: bytes, rng: random.Random) -> bytes:
    """JSON that parses: values are replaced by odd ones, taken out, or there twice."""
    data = json.loads(raw)
    for _ in range(rng.choice((1, 1, 2, 4))):
        holder, key = rng.choice(list(_list_places(data)))
        match rng.randrange(4):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, deepcopy(holder[key]))
            case 2:
                holder[key] = [deepcopy(holder[key]) for _ in range(rng.randrange(3))]
            case _:
                holder[key] = json.loads(rng.choice(ODD_JSON))
        if not data:
            break
    return json.dumps(data).encode()


def _list_places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every value inside, as the object or list that holds it and its key."""
    if not isinstance(value, dict | list):
        return
    for key in range(len(value)) if isinstance(value, list) else value:
        yield value, key
        yield from _list_places(value[key])


def _raise_timeout(*_: object) -> None:
    raise TimeoutError("a case takes too long")


def run_case(name: str, raw: bytes) -> None:
    """Run one case. A case that fails is saved."""
    signal.signal(signal.SIGALRM, _raise_timeout)
    signal.alarm(CASE_TIMEOUT_S)
    try:
        TARGETS[name](raw)
    except Exception:
        CORPUS.mkdir(exist_ok=True)
        (CORPUS / f"{name}-{hashlib.sha256(raw).hexdigest()[:12]}").write_bytes(raw)
        raise
    finally:
        signal.alarm(0)


def fuzz(cases: int, seed: int = 0, only: str | None = None) -> Counter[str]:
    """Run this many cases, spread over the targets, or until interrupted. Returns the cases of each target."""
    done = Counter[str]()
    rng, good = random.Random(seed), seeds()
    readers = [name for name in TARGETS if name not in SLOW]
    for name in SLOW if only is None else {only}.intersection(SLOW):
        TARGETS[name](good[name][0])  # compiles kernels, which may take longer than a case
    with suppress(KeyboardInterrupt):
        for k in range(cases):
            slow, rest = divmod(k, SLOW_INTERVAL)
            name = only or (readers[k % len(readers)] if rest else SLOW[slow % len(SLOW)])
            run_case(name, draw_case(name, good, rng))
            done[name] += 1
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--target", choices=TARGETS)
    parser.add_argument("--atheris", action="store_true", help="guided by coverage; needs the package atheris")
    args, rest = parser.parse_known_args()
    if args.atheris:
        name = args.target or "layout"
        start = _FILE.parent / name  # atheris starts from these files and adds its own
        start.mkdir()
        for k, raw in enumerate(seeds()[name]):
            (start / str(k)).write_bytes(raw)
        atheris.Setup([sys.argv[0], f"-runs={args.cases}", *rest, str(start)], lambda raw: run_case(name, raw))
        atheris.Fuzz()
    begin = time.monotonic()
    done = fuzz(args.cases, args.seed, args.target)
    each = ", ".join(f"{name} {count:,}" for name, count in sorted(done.items()))
    sys.stdout.write(
        f"{done.total():,} cases in {time.monotonic() - begin:.0f} s, seed {args.seed}: nothing failed ({each}).\n"
    )


if __name__ == "__main__":
    main()
