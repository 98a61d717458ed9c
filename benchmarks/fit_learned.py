"""Fit the weights of the learned compatibility on a folder of photographs.

    python benchmarks/fit_learned.py PHOTOS [--out weights.npz] [--held-out held_out.npz] [--puzzles 7]

Every photograph becomes several puzzles: scaled, cropped, sharpened, blurred, with noise or more contrast, coded as
JPEG, made grey, cut into pieces of many sizes. The first fit leaves out every fourth photograph and is evaluated on
those; the second one, with the same settings, uses all and is saved with --out. Without --out nothing is written: the
weights of the program, src/jigsolve/compatibility/weights.npz, are replaced only if that path is given. The same
photographs and seed give the same weights. Takes about ten minutes on one core and 5 GB of memory.

The weights for damaged borders (src/jigsolve/compatibility/rough.npz) come from `fit_damaged.py`, which uses the same
functions.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from jigsolve.bench.damage import erode, wear
from jigsolve.compatibility import Learned, learned
from jigsolve.compatibility.joint_features import JointFeatures, context_columns
from jigsolve.compatibility.learned import CANDIDATES, MIN_LOGIT
from jigsolve.compatibility.measures import Measure, View
from jigsolve.compatibility.network import NETWORKS, Network
from jigsolve.dissimilarity import CLEAN, NOISY, WORN, Mahalanobis, Pairs, find_pairs, restore_pieces
from jigsolve.dissimilarity.damage import detect_damage, estimate_step, find_sheet_joints, find_tainted
from jigsolve.io.render import render_sheet
from jigsolve.puzzle.geometry import SIDES
from jigsolve.puzzle.layout import Layout, facing_sides
from jigsolve.puzzle.pieces import Puzzle, cut, scramble
from jigsolve.runtime.workers import split_range

SIZES = [28] * 9 + [8, 10, 14, 14, 20, 20, 24, 36, 40, 56, 64]
MAX_PIECES = 3000
ROUGH_SIZES = [28] * 9 + [16, 20, 24, 24, 36, 40, 40, 50, 56, 64]
FIRST, LATER = (64, 24), (16, 8)  # hidden units of the first part and of the later ones
SAMPLE = 12_000  # joints of each puzzle in the fit of the first network
HELD_OUT = 4  # one photograph in four is held out


@dataclass
class Example:
    """The candidate joints of one puzzle, their features, and which of them are true."""

    photo: int
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    features: NDArray[np.float16]
    true: NDArray[np.bool_]
    partner: NDArray[np.int64]
    damage: str = ""

    @property
    def weight(self) -> float:
        """Large puzzles count for more than small ones, but less than in proportion."""
        return float(max(1, (self.partner >= 0).sum()) ** -0.7)


def find_partners(truth: Layout) -> NDArray[np.int64]:
    """(4n,) the true partner of each side, -1 at the border of the picture."""
    out = np.full(SIDES * truth.pieces.size, -1, dtype=np.int64)
    for a, b in facing_sides(truth.pieces, truth.turns):
        out[a], out[b] = b, a
    return out


# Puzzles


def vary(photo: Image.Image, area: float, rng: np.random.Generator) -> Image.Image:
    """A part of the photograph with about `area` pixels, filtered at random."""
    if rng.random() < 0.35:
        share = rng.uniform(0.45, 0.85)
        x, y = rng.uniform(0, 1 - share, 2) * photo.size
        photo = photo.crop((int(x), int(y), int(x + share * photo.width), int(y + share * photo.height)))
    scale = min(1.0, (area / (photo.width * photo.height)) ** 0.5)
    filters = [Image.Resampling.LANCZOS, Image.Resampling.BICUBIC, Image.Resampling.BOX, Image.Resampling.LANCZOS]
    picture = photo.resize((int(photo.width * scale), int(photo.height * scale)), filters[rng.integers(4)])
    draw = rng.random()
    if draw < 0.07:
        picture = picture.filter(ImageFilter.GaussianBlur(rng.uniform(0.4, 0.8)))
    elif draw < 0.20:
        picture = picture.filter(ImageFilter.UnsharpMask(1.0, int(rng.uniform(40, 120)), 0))
    elif draw < 0.27:
        picture = shift_levels(picture, 1.0, rng.normal(0, rng.uniform(1, 6), (picture.height, picture.width, 3)))
    if rng.random() < 0.12:
        picture = shift_levels(picture, rng.uniform(1.1, 1.5), rng.uniform(-20, 30))
    return picture


def shift_levels(picture: Image.Image, contrast: float, add: float | NDArray[np.float64]) -> Image.Image:
    return Image.fromarray(np.clip((np.asarray(picture) - 128.0) * contrast + 128.0 + add, 0, 255).astype(np.uint8))


def recode(picture: Image.Image, rng: np.random.Generator) -> Image.Image:
    """The picture after a pass through JPEG, mostly with halved chroma."""
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=int(rng.integers(70, 93)), subsampling=2 if rng.random() < 0.85 else 0)
    return Image.open(buffer).convert("RGB")


def make_puzzle(
    photo: Image.Image, rng: np.random.Generator, sizes: list[int] = SIZES, pieces: int = MAX_PIECES
) -> tuple[Puzzle, Layout]:
    """A puzzle from a photograph, and its truth."""
    high = int(rng.choice(sizes))
    wide = round(high * rng.uniform(0.5, 1.9)) if rng.random() < 0.1 else high
    area = 1e6 * np.exp(rng.uniform(np.log(0.3), np.log(1.6))) * (1.6 if high >= 36 else 1.0)
    picture = vary(photo, area, rng)
    if rng.random() < 0.6:
        picture = recode(picture, rng)
    pixels = np.asarray(picture.convert("L"))[:, :, None] if rng.random() < 0.12 else np.asarray(picture)
    if rng.random() < 0.25:  # a block grid that does not start at the corner
        x, y = rng.integers(0, 16, 2)
        pixels = pixels[y:, x:]
    most = int(rng.integers(24, 150)) if rng.random() < 0.12 else pieces
    rows, cols = pixels.shape[0] // high, pixels.shape[1] // wide
    share = min(1.0, (most / (rows * cols)) ** 0.5)
    pixels = pixels[: max(2, int(rows * share)) * high, : max(2, int(cols * share)) * wide]
    whole = cut(np.ascontiguousarray(pixels), (wide, high))
    puzzle, truth = scramble(whole, bool(rng.random() < 0.55), int(rng.integers(1 << 30)))
    if rng.random() < 0.08 and pixels.shape[2] == 3:  # coded after scrambling: its block grid is uninformative
        coarse = np.asarray(recode(Image.fromarray(render_sheet(puzzle)), rng))
        puzzle = replace(puzzle, pieces=cut(coarse, (wide, high)).pieces)
    return puzzle, truth


def damage_pieces(puzzle: Puzzle, rng: np.random.Generator) -> tuple[Puzzle, str]:
    """The puzzle with worn pieces, a coded sheet, or noise; and the name of the damage."""
    pieces, draw = puzzle.pieces, rng.random()
    name = ""
    if draw < 0.43:
        lost = rng.choice([1, 2, 3, 4, 5, 6], p=[0.26, 0.28, 0.22, 0.14, 0.06, 0.04])
        lost = int(min(lost, min(pieces.shape[1:3]) // 6))
        is_enlarged = rng.random() < 0.15
        pieces, name = (erode if is_enlarged else wear)(pieces, lost, rng), f"worn-{lost}"
    elif draw < 0.78:
        is_jpeg = draw < 0.70
        quality = int(rng.integers(60, 98) if is_jpeg else rng.integers(70, 96))
        options = {"subsampling": 2 if rng.random() < 0.85 else 0} if is_jpeg else {}
        pixels = render_sheet(puzzle) if pieces.shape[3] == 3 else render_sheet(puzzle)[..., 0]
        buffer, format = io.BytesIO(), "JPEG" if is_jpeg else "WEBP"
        Image.fromarray(pixels).save(buffer, format, quality=quality, **options)
        coded = Image.open(buffer).convert("RGB" if pieces.shape[3] == 3 else "L")
        pieces = cut(np.atleast_3d(np.asarray(coded)), pieces.shape[2:0:-1]).pieces
        name = f"{format.lower()}-{quality // 10}x"
    if draw > 0.78 or (name.startswith("worn") and rng.random() < 0.1):
        deviation = float(np.exp(rng.uniform(np.log(2.5), np.log(25.0))))
        pieces = np.clip(np.rint(pieces + rng.normal(0.0, deviation, pieces.shape)), 0, 255).astype(np.uint8)
        name = f"{name} noise-{'low' if deviation < 8 else 'high'}".strip()
    return replace(puzzle, pieces=np.ascontiguousarray(pieces)), name


def read_photos(folder: Path) -> Iterator[tuple[int, Image.Image]]:
    """The photographs of a folder, numbered in the order of their names."""
    for number, path in enumerate(sorted(p for p in folder.iterdir() if p.suffix.lower() in (".jpg", ".png"))):
        yield number, read_photo(path)


def read_photo(path: Path) -> Image.Image:
    image = Image.open(path)
    image.draft("RGB", (2400, 2400))
    return image.convert("RGB")


def make_examples(folder: Path, each: int, seed: int) -> Iterator[Example]:
    for number, photo in read_photos(folder):
        for k in range(each):
            puzzle, truth = make_puzzle(photo, np.random.default_rng([seed, number, k]))
            pairs = find_pairs(puzzle, Mahalanobis(), CANDIDATES)
            yield make_example(number, JointFeatures(pairs, pairs.sides.shape[1]), find_partners(truth))


def read_damage(pairs: Pairs, damage: str) -> Pairs:
    """The pairs of a damaged puzzle as the program reads them, or as their damage asks for if it finds none."""
    puzzle, sheet = pairs.puzzle, find_sheet_joints(pairs.puzzle)
    found, restored = detect_damage(pairs, sheet), restore_pieces(puzzle)
    if found.border is CLEAN:
        found = replace(found, border=WORN if damage.startswith("worn") else NOISY)
    if restored is not None:
        found = replace(found, border=NOISY, coded=True)
    if found.coded:
        found = replace(found, tainted=find_tainted(puzzle, (0, 0)), step=estimate_step(puzzle, (0, 0)))
    if restored is not None:
        puzzle = replace(puzzle, pieces=restored)
    count = Learned().count_candidates(puzzle, found.border)
    pairs = find_pairs(puzzle, Mahalanobis(border=found.border), count, damage=found)
    return pairs.without(*sheet) if found.coded else pairs


def make_example(photo: int, joints: JointFeatures, partner: NDArray[np.int64], damage: str = "") -> Example:
    features = np.concatenate(
        [joints.features(*part).astype(np.float16) for part in split_range(len(joints.first), 1 << 15)]
    )
    return Example(
        photo, joints.first, joints.second, features, partner[joints.first] == joints.second, partner, damage
    )


# Fitting


def fit_net(
    x: NDArray[np.float32],
    y: NDArray[np.bool_],
    w: NDArray[np.float32],
    hidden: tuple[int, ...],
    epochs: int,
    seed: int,
) -> Network:
    """Adam on the weighted cross-entropy, with a warm start and a cosine towards zero."""
    rng = np.random.default_rng(seed)
    mean, scale = x.mean(axis=0), x.std(axis=0) + np.float32(1e-3)
    x = x - mean
    x /= scale
    np.clip(x, -6.0, 6.0, out=x)
    sizes = (x.shape[1], *hidden, 1)
    theta = []
    for i, o in pairwise(sizes):
        theta += [(rng.normal(size=(i, o)) * np.sqrt(2.0 / i)).astype(np.float32), np.zeros(o, dtype=np.float32)]
    first, second = [np.zeros_like(p) for p in theta], [np.zeros_like(p) for p in theta]
    batch, rate, step = 1024, 2e-3, 0
    last = epochs * (len(x) // batch)
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for lo in range(0, len(x) - batch + 1, batch):
            pick = order[lo : lo + batch]
            step += 1
            pace = rate * 0.5 * (1.0 + np.cos(np.pi * step / last)) * min(1.0, step / 200)
            for k, g in enumerate(_gradient(theta, x[pick], y[pick], w[pick])):
                first[k] += 0.1 * (g - first[k])
                second[k] += 0.002 * (g * g - second[k])
                move = (first[k] / (1 - 0.9**step)) / (np.sqrt(second[k] / (1 - 0.998**step)) + 1e-8)
                theta[k] -= (pace * (move + 1e-5 * theta[k])).astype(np.float32)
    return Network(mean, scale, tuple(zip(theta[::2], theta[1::2], strict=True)))


def _gradient(
    theta: list[NDArray[np.float32]], x: NDArray[np.float32], y: NDArray[np.bool_], w: NDArray[np.float32]
) -> list[NDArray[np.float32]]:
    layers = [x]
    for k in range(0, len(theta) - 2, 2):
        layers.append(np.maximum(layers[-1] @ theta[k] + theta[k + 1], 0.0))
    logit = (layers[-1] @ theta[-2] + theta[-1])[:, 0]
    back = ((1.0 / (1.0 + np.exp(-np.clip(logit, -30.0, 30.0))) - y) * w / len(x)).astype(np.float32)[:, None]
    out: list[NDArray[np.float32]] = [x] * len(theta)
    for k in range(len(theta) - 2, -1, -2):
        out[k], out[k + 1] = layers[k // 2].T @ back, back.sum(axis=0)
        if k:
            back = (back @ theta[k].T) * (layers[k // 2] > 0.0)
    return out


def fit(shown: list[Example], seed: int, sample: int = SAMPLE, hidden: tuple[int, ...] = FIRST) -> list[Network]:
    """The three networks, each on the logits of the one before.

    sample: joints of each puzzle that the first sees. hidden: units of the first.
    """
    rng = np.random.default_rng(seed)
    near_best = len(View) * Measure.MAHALANOBIS  # gap to the best rival, the better of the two views
    x, y, w = [], [], []
    for e in shown:
        hard = e.true | (e.features[:, near_best] < 0.1)  # others are many and easy: a quarter, with weight four
        chance = np.where(hard, 1.0, 0.25)
        chance *= min(1.0, sample / chance.sum())
        pick = rng.random(len(chance)) < chance
        x.append(e.features[pick])
        y.append(e.true[pick])
        w.append(e.weight / chance[pick])
    parts = [fit_net(*_stack(x, y, w), hidden, 8, seed)]
    logit = [compute_logits(parts[0], e) for e in shown]
    for stage in range(2):
        x, y, w = [], [], []
        for e, z in zip(shown, logit, strict=True):
            alive = np.nonzero(z > MIN_LOGIT)[0]
            pick = rng.choice(alive, min(len(alive), 8000), replace=False)
            x.append(np.hstack([surroundings_of(e, z, stage).features(pick), context_of(e)[pick]]))
            y.append(e.true[pick])
            w.append(np.full(len(pick), e.weight * len(alive) / max(1, len(pick))))
        net = fit_net(*_stack(x, y, w), LATER, 8, seed + 1 + stage)
        old = zip(shown, logit, strict=True)
        logit = [learned.judge_again(net, z, surroundings_of(e, z, stage), context_of(e)) for e, z in old]
        parts.append(net)
    return parts


def _stack(x: list, y: list, w: list) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.float32]]:
    weight = np.concatenate(w)
    return np.concatenate(x).astype(np.float32), np.concatenate(y), (weight / weight.mean()).astype(np.float32)


def compute_logits(first: Network, e: Example) -> NDArray[np.float64]:
    step = 1 << 15
    parts = [first(e.features[lo : lo + step].astype(np.float32)) for lo in range(0, len(e.features), step)]
    return np.concatenate(parts).astype(np.float64)


def surroundings_of(e: Example, logit: NDArray[np.float64], stage: int) -> learned.Surroundings:
    return learned.Surroundings(e.first, e.second, len(e.partner), logit, with_loops=stage > 0)


def context_of(e: Example) -> NDArray[np.float32]:
    return e.features[:, context_columns(NOISY if e.damage else CLEAN)].astype(np.float32)


# Evaluating


def evaluate(parts: list[Network], hidden: list[Example]) -> str:
    """Top-1 and log loss as means over puzzles; calibration over all joints."""
    top, loss, true, said = [], [], [], []
    for e in hidden:
        logit = compute_logits(parts[0], e)
        for stage, net in enumerate(parts[1:]):
            logit = learned.judge_again(net, logit, surroundings_of(e, logit, stage), context_of(e))
        p = np.where(logit > MIN_LOGIT, learned.to_probability(logit), 0.0)
        top.append(top_1_share(e, p))
        q = np.clip(p, 1e-6, 1 - 1e-6)
        loss.append(-np.where(e.true, np.log(q), np.log1p(-q)).sum() / max(1, e.true.sum()))
        true.append(e.true)
        said.append(p)
    y, p = np.concatenate(true), np.concatenate(said)
    lines = [f"top-1 {100 * np.mean(top):.2f} %, log loss a true joint {np.mean(loss):.4f}"]
    for damage in sorted({e.damage for e in hidden} - {""}):
        some = [t for t, e in zip(top, hidden, strict=True) if e.damage == damage]
        lines.append(f"{damage}: top-1 {100 * np.mean(some):.2f} % of {len(some)} puzzles")
    edges = np.array([0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01])
    error, count = 0.0, (p >= edges[0]).sum()
    for lo, hi in pairwise(edges):
        m = (p >= lo) & (p < hi)
        if m.any():
            error += abs(p[m].mean() - y[m].mean()) * m.sum() / count
            lines.append(f"| {lo:.2f}-{min(1.0, hi):.2f} | {m.sum()} | {p[m].mean():.3f} | {y[m].mean():.3f} |")
    return "\n".join([*lines, f"calibration error {error:.4f}"])


def top_1_share(e: Example, p: NDArray[np.float64]) -> float:
    """The share of sides whose partner is the likeliest one; ties share."""
    a, b = e.first, e.second
    best = np.full(len(e.partner), -1.0)
    np.maximum.at(best, a, p)
    np.maximum.at(best, b, p)
    ties = np.bincount(a, p >= best[a], len(best)) + np.bincount(b, p >= best[b], len(best))
    hits = sum(((p >= best[s]) / np.maximum(1, ties[s]))[e.true].sum() for s in (a, b))
    return float(hits / max(1, (e.partner >= 0).sum()))


def save(networks: dict[str, Network], path: Path) -> None:
    """Save networks by their names. Others that the file has stay."""
    stored: dict[str, NDArray[np.float32]] = {}
    if path.exists():
        with np.load(path) as old:
            stored = {key: old[key] for key in old if key.split("_")[0] not in networks}
    for name, net in networks.items():
        stored |= {f"{name}_mean": net.mean, f"{name}_scale": net.scale}
        for k, (weight, bias) in enumerate(net.layers):
            stored |= {f"{name}_w{k}": weight, f"{name}_b{k}": bias}
    np.savez_compressed(path, **{key: value.astype(np.float32) for key, value in stored.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=Path)
    parser.add_argument("--out", type=Path, help="where to save the fit on all photographs; without it, none is made")
    parser.add_argument("--held-out", type=Path, help="where to save the fit without the held-out photographs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--puzzles", type=int, default=7, help="puzzles made of each photograph")
    args = parser.parse_args()
    every = list(make_examples(args.photos, args.puzzles, args.seed))
    print(f"{len(every)} puzzles, {sum(len(e.true) for e in every)} candidate joints", flush=True)
    held = [e for e in every if e.photo % HELD_OUT == 2]
    if not held:
        parser.error("expected at least three photographs, or none is held out")
    blind = fit([e for e in every if e.photo % HELD_OUT != 2], args.seed)
    for count in (1, 2, 3):
        print(f"by {count} of 3 parts: {evaluate(blind[:count], held)}", flush=True)
    if args.held_out:
        save(dict(zip(NETWORKS, blind, strict=True)), args.held_out)
    if args.out:
        save(dict(zip(NETWORKS, fit(every, args.seed), strict=True)), args.out)


if __name__ == "__main__":
    main()
