"""Fit the network by which damaged sides predict the cut (`jigsolve.compatibility.prediction`), with PyTorch.

    python benchmarks/fit_prediction.py FOLDER ... --without NAMES [--out prediction.npz] [--minutes 60] [--puzzles 20]
        [--start OLD.npz]

Every photograph becomes several damaged puzzles, as in `fit_damaged.py`. The network is trained to tell a
side's true partner from its nearest rivals: a small pair network turns the measures of two predictions into a score,
the loss is the cross-entropy of the true partner, and the pair network is then thrown away. Photographs that --without
names are left out of the fit and are what it is evaluated on. Takes the given minutes on one core.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from fit_learned import ROUGH_SIZES, damage_pieces, find_partners, make_puzzle, read_damage, read_photo
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from jigsolve.compatibility import prediction
from jigsolve.compatibility.learned import CANDIDATES
from jigsolve.compatibility.measures import Trend
from jigsolve.compatibility.prediction import BASIS, DEPTH, GROUPS, HEADS, LAYERS, RAW
from jigsolve.dissimilarity import NO_SIDE, UNDAMAGED, Mahalanobis, Strips, find_pairs
from jigsolve.puzzle.geometry import SIDES

MAX_PIECES = 300
MEASURES = int(Trend.MEAN)  # of predictions, which come before those of trends
UNITS, TAPS = 64, 5
RIVALS, SIDES_AT_A_TIME = 18, 250
NEAREST = 8  # rivals that are always shown; the others are drawn from the rest of the list
RATE = 3e-3


@dataclass
class Example:
    """The sides of one puzzle: strips, tainted pixels, what is told of the damage, true partners and candidates."""

    photo: int
    damage: str
    strips: NDArray[np.float32]
    tainted: NDArray[np.float32]
    told: NDArray[np.float32]
    partner: NDArray[np.int64]
    sides: NDArray[np.int32]


class Predictor(nn.Module):
    """The network of `prediction.predict`, and the pair network that it is trained with."""

    def __init__(self) -> None:
        super().__init__()
        inputs = 2 * 3 * DEPTH + GROUPS * DEPTH + len(UNDAMAGED.describe())
        self.input = nn.Linear(inputs, UNITS)
        for layer in LAYERS:
            self.add_module(layer, nn.Conv1d(UNITS, UNITS, TAPS, padding=TAPS // 2))
        self.output = nn.Linear(2 * UNITS, HEADS * GROUPS * (BASIS + 1))
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)
        base = torch.zeros(HEADS, GROUPS, BASIS)
        base[0, :, 0] = 1.0  # at first, the outermost pixel, and the mean of the outermost two, smoothed
        base[1, :, RAW], base[1, :, RAW + 1] = 0.6, 0.4
        self.base = nn.Parameter(base)
        self.pair = nn.Sequential(nn.Linear(MEASURES, 24), nn.ReLU(), nn.Linear(24, 1))

    def read(self, e: Example, sides: NDArray[np.int64]) -> tuple[torch.Tensor, ...]:
        """Predictions and variances, as `prediction.predict` has them."""
        seen = e.strips[sides]
        hidden = functional.relu(self.input(torch.from_numpy(prediction._list_inputs(seen, e.tainted[sides], e.told))))
        deep = hidden.transpose(1, 2)
        for layer in LAYERS:
            deep = functional.relu(self.get_submodule(layer)(deep))
        out = self.output(torch.cat([hidden, deep.transpose(1, 2)], 2))
        n, length = seen.shape[:2]
        blend = out[..., : HEADS * GROUPS * BASIS].reshape(n, length, HEADS, GROUPS, BASIS) + self.base
        blend = blend + (1.0 - blend.sum(-1, keepdim=True)) / BASIS
        basis = torch.from_numpy(np.concatenate([seen[:, :, :RAW], prediction._smooth(seen)], axis=2))
        light = torch.einsum("nlhb,nlb->nlh", blend[..., 0, :], basis[..., 0])[..., None]
        colour = torch.einsum("nlhb,nlbc->nlhc", blend[..., 1, :], basis[..., 1:])
        variance = torch.exp(out[..., HEADS * GROUPS * BASIS :].clamp(-5.0, 8.0)).reshape(n, length, HEADS, GROUPS)
        return torch.cat([light, colour], -1), variance

    def score(self, edge: torch.Tensor, variance: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        """(pairs,) how well the sides a and b agree."""
        return self.pair(torch.log(measure(edge, variance, a, b) + 0.01) + 1.5)[:, 0]


def measure(edge: torch.Tensor, variance: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """(pairs, MEASURES) see `measures.Predicted`."""
    jump = edge[a] - edge[b].flip(1)
    spread = variance[a] + variance[b].flip(1) + 0.05
    square = _square(jump) / spread
    along = _square(jump[:, 1:, 0] - jump[:, :-1, 0]) / (spread[:, 1:, 0] + spread[:, :-1, 0])
    parts = (square / (square + 2.0)).mean(1), torch.log1p(square).mean(1), torch.log1p(along).mean(1)
    return torch.cat([part.flatten(1) for part in parts], 1)


def _square(jump: torch.Tensor) -> torch.Tensor:
    """Squares of lightness and of colour."""
    return torch.stack([jump[..., 0] ** 2, 0.5 * (jump[..., 1:] ** 2).sum(-1)], -1)


def make_example(path: Path, number: int, k: int) -> Example | None:
    """Puzzle k of a photograph, None if its pieces are not square: strips of one length make a tensor."""
    rng = np.random.default_rng([77, number, k])
    puzzle, truth = make_puzzle(read_photo(path), rng, ROUGH_SIZES, MAX_PIECES)
    n, length, width = puzzle.pieces.shape[:3]
    if length != width:
        return None
    puzzle, damage = damage_pieces(puzzle, rng)
    pairs = read_damage(find_pairs(puzzle, Mahalanobis(), CANDIDATES), damage)
    length = puzzle.pieces.shape[1]
    strips = np.stack([Strips(pairs.puzzle.pieces, side).lab_to_depth(DEPTH) for side in range(SIDES)], axis=1)
    strips = strips.reshape(SIDES * n, length, DEPTH, 3).astype(np.float32)
    tainted = pairs.damage.tainted_pixels(slice(0, SIDES * n, 1), DEPTH)
    told = pairs.damage.describe().astype(np.float32)
    return Example(number, damage, strips, tainted, told, find_partners(truth), pairs.sides)


def list_rivals(e: Example, rng: np.random.Generator | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sides with a partner, and for each its partner and its rivals; -1 where there is none. rng: draw some of both."""
    sides = np.flatnonzero(e.partner >= 0)
    if rng is not None and len(sides) > SIDES_AT_A_TIME:
        sides = rng.choice(sides, SIDES_AT_A_TIME, replace=False)
    rivals = e.sides[sides].astype(np.int64)
    if rng is not None and rivals.shape[1] > RIVALS:
        drawn = rng.integers(NEAREST, rivals.shape[1], (len(sides), RIVALS - NEAREST))
        rivals = np.concatenate([rivals[:, :NEAREST], np.take_along_axis(rivals, drawn, 1)], axis=1)
    partner = e.partner[sides][:, None]
    return sides, np.concatenate([partner, np.where((rivals == NO_SIDE) | (rivals == partner), -1, rivals)], axis=1)


def score_rivals(net: Predictor, e: Example, sides: NDArray[np.int64], rivals: NDArray[np.int64]) -> torch.Tensor:
    """(sides, rivals) scores; very low where there is no rival."""
    used, place = np.unique(np.concatenate([sides, np.where(rivals < 0, sides[:, None], rivals).ravel()]),
                            return_inverse=True)  # fmt: skip
    edge, variance = net.read(e, used)
    a = torch.from_numpy(np.repeat(place[: len(sides)], rivals.shape[1]))
    scores = net.score(edge, variance, a, torch.from_numpy(place[len(sides) :])).reshape(rivals.shape)
    return scores.masked_fill(torch.from_numpy(rivals < 0), -1e4)


def fit(shown: list[Example], minutes: float, start: Path | None) -> Predictor:
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    net = Predictor()
    if start is not None:
        load(net, start)
    optimiser = torch.optim.Adam(net.parameters(), RATE)
    begun, step, losses = time.monotonic(), 0, []
    while (share := (time.monotonic() - begun) / (60.0 * minutes)) < 1.0:
        step += 1
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, step / 50) * (0.5 + 0.5 * np.cos(np.pi * share) + 0.01)
        e = shown[rng.integers(len(shown))]
        scores = score_rivals(net, e, *list_rivals(e, rng))
        loss = -torch.log_softmax(scores, 1)[:, 0].mean()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
        if step % 200 == 0:
            print(f"{step} steps: loss {np.mean(losses[-200:]):.4f}", flush=True)
    return net


def evaluate(net: Predictor, held: list[Example]) -> None:
    """Print the share of sides whose partner scores highest among its candidates, by damage."""
    hits: dict[str, list[float]] = {}
    with torch.no_grad():
        for e in held:
            best = score_rivals(net, e, *list_rivals(e, None)).argmax(1)
            hits.setdefault(e.damage, []).append(float((best == 0).float().mean()))
    for damage, shares in sorted(hits.items()):
        print(f"{damage}: top-1 {100 * np.mean(shares):.1f} % of {len(shares)} puzzles")


def to_arrays(net: Predictor) -> dict[str, NDArray[np.float32]]:
    """The weights by the names that `prediction` has for them."""
    found = {"base": net.base.detach().numpy()}
    for name in ("input", "output"):
        layer = getattr(net, name)
        found |= {f"{name}_w": layer.weight.detach().numpy().T, f"{name}_b": layer.bias.detach().numpy()}
    for name in LAYERS:
        layer = getattr(net, name)
        weight = layer.weight.detach().numpy().transpose(2, 1, 0)
        found |= {f"{name}_w": weight.reshape(-1, weight.shape[2]), f"{name}_b": layer.bias.detach().numpy()}
    return found


def load(net: Predictor, path: Path) -> None:
    with np.load(path) as stored, torch.no_grad():
        net.base.copy_(torch.from_numpy(stored["base"]))
        for name in ("input", "output"):
            getattr(net, name).weight.copy_(torch.from_numpy(stored[f"{name}_w"].T.copy()))
            getattr(net, name).bias.copy_(torch.from_numpy(stored[f"{name}_b"]))
        for name in LAYERS:
            weight = stored[f"{name}_w"].reshape(TAPS, UNITS, UNITS).transpose(2, 1, 0).copy()
            getattr(net, name).weight.copy_(torch.from_numpy(weight))
            getattr(net, name).bias.copy_(torch.from_numpy(stored[f"{name}_b"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--without", nargs="*", default=[], help="photographs to evaluate on, as folder/name")
    parser.add_argument("--out", type=Path, help="where to save the weights")
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--puzzles", type=int, default=20, help="puzzles made of each photograph")
    parser.add_argument("--jobs", type=int, default=1, help="processes that make puzzles")
    args = parser.parse_args()
    torch.set_num_threads(1)
    paths = [p for folder in args.folders for p in sorted(folder.iterdir()) if p.suffix.lower() in (".jpg", ".png")]
    held = {k for k, path in enumerate(paths) if f"{path.parent.name}/{path.stem}" in args.without}
    jobs = [(path, number, k) for number, path in enumerate(paths) for k in range(args.puzzles)]
    with ProcessPoolExecutor(args.jobs) as pool:
        every = [e for e in pool.map(make_example, *zip(*jobs, strict=True)) if e is not None]
    shown = [e for e in every if e.photo not in held]
    print(f"{len(every)} puzzles of {len(paths)} photographs, {len(shown)} of them to fit on", flush=True)
    net = fit(shown, args.minutes, args.start)
    if args.out:
        np.savez_compressed(args.out, **to_arrays(net))
    evaluate(net, [e for e in every if e.photo in held])


if __name__ == "__main__":
    main()
