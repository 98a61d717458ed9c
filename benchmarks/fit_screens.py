"""Fit the strip networks for drawn pieces (`jigsolve.compatibility.drawn.strip_network`).

    python benchmarks/fit_screens.py FOLDER ... [--without NAMES --choose NAMES] [--minutes 40] [--out strips.npz]

Needs PyTorch, which the program itself does not. Pictures of the folders and pictures drawn at random (`draw_pages.py`)
become puzzles; a folder that is named twice counts twice. For every side the network ranks its true partner among
candidates and "none"; the loss is the cross-entropy of that choice. --without names a text file of pictures that are
left out, one stem per line; --choose those of them on which the networks are tested, before and after. Every third
picture is left to `fit_drawn.py`, because the judges need fits that the network has not seen. `--minutes` is the CPU
time for each of the two networks, for a piece with the one to its right and with the one below.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from drawn_puzzles import DrawnPuzzle, list_files, make_puzzles
from numpy.typing import NDArray
from torch import Tensor, nn

from jigsolve.compatibility.drawn._kernels import PAIR_CHANNELS, SCALES
from jigsolve.compatibility.drawn.sides import CHANNELS, read_edges, read_rows
from jigsolve.puzzle.geometry import DOWN, LEFT, RIGHT, SIDES, UP

SIDE_UNITS, PAIR_UNITS, DEEP_UNITS, LAST_UNITS = 144, 96, 88, 56
PAIR_LAYERS = 3
LISTS, CANDIDATES = 120, 20  # of a batch
FLAT_CHANCE = 0.15  # of a side whose border has one colour, to be drawn into a batch
RATE = 2e-3  # of learning, at first; it falls to zero along a cosine
KINDS = {"right": (RIGHT, LEFT), "down": (DOWN, UP)}  # the sides that face each other
Ints = NDArray[np.int64]


class SideEncoder(nn.Module):
    """(n, length, CHANNELS) -> (n, PAIR_UNITS, length) what a side says of each row."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Conv1d(CHANNELS, SIDE_UNITS, 5, padding=2)
        self.two = nn.Conv1d(SIDE_UNITS, SIDE_UNITS, 5, padding=2)
        self.out = nn.Conv1d(SIDE_UNITS + CHANNELS, PAIR_UNITS, 1)

    def forward(self, rows: Tensor) -> Tensor:
        x = rows.transpose(1, 2)
        said: Tensor = self.out(torch.cat([torch.relu(self.two(torch.relu(self.one(x)))), x], 1))
        return said


class StripNet(nn.Module):
    """The network of `strip_network.py`."""

    def __init__(self) -> None:
        super().__init__()
        self.mine, self.theirs = SideEncoder(), SideEncoder()
        self.differences = nn.Conv1d(PAIR_CHANNELS, PAIR_UNITS, 1)
        self.pair = nn.ModuleList(
            nn.Conv1d(DEEP_UNITS if k else PAIR_UNITS, DEEP_UNITS, 3, stride=2, padding=1) for k in range(PAIR_LAYERS)
        )
        self.last = nn.ModuleList([nn.Linear(2 * DEEP_UNITS, LAST_UNITS), nn.Linear(LAST_UNITS, 1)])

    def forward(self, rows: tuple[Tensor, Tensor], first: Tensor, second: Tensor, differences: Tensor) -> Tensor:
        """rows: of the sides in use; first, second: (pairs,) places in them."""
        x = self.mine(rows[0])[first] + self.theirs(rows[1]).flip(2)[second]
        x = torch.relu(x + self.differences(differences.transpose(1, 2)))
        for layer in self.pair:
            x = torch.relu(layer(x))
        fit: Tensor = self.last[1](torch.relu(self.last[0](torch.cat([x.mean(2), x.amax(2)], 1))))
        return fit[:, 0]


def compare_edges(mine: Tensor, theirs: Tensor) -> Tensor:
    """(pairs, length, PAIR_CHANNELS) differences at the cut, as in `_kernels.join_rows`."""
    a, b = mine.float(), theirs.flip(1).float()
    step = (a[..., :3] - b[..., :3]).abs().sum(2)
    jump = 0.5 * ((a[..., 3:] - b[..., :3]).abs().sum(2) + (a[..., :3] - b[..., 3:]).abs().sum(2))
    return torch.stack([x / (x + s) for x, s in zip((step, step, jump, jump), SCALES, strict=True)], 2)


class CandidateLists:
    """Candidate pairs of the sides of one puzzle that may face each other, grouped by side."""

    def __init__(self, puzzle: DrawnPuzzle, mine: int, theirs: int) -> None:
        pieces, size = puzzle.puzzle.pieces, SIDES * len(puzzle.puzzle)
        self.rows = [torch.from_numpy(read_rows(pieces, side)[0].astype(np.float16)) for side in (mine, theirs)]
        self.edges = [torch.from_numpy(read_edges(pieces, side)) for side in (mine, theirs)]
        a, b = np.concatenate([puzzle.first, puzzle.true // size]), np.concatenate([puzzle.second, puzzle.true % size])
        a, b = np.concatenate([a, b]), np.concatenate([b, a])
        kept = (a % SIDES == mine) & (b % SIDES == theirs)
        key = np.unique(a[kept] * size + b[kept])
        a, b = key // size, key % size
        self.true = puzzle.is_true(a, b)
        self.ends = [a // SIDES, b // SIDES]
        self.sides = [_group(ends, len(rows)) for ends, rows in zip(self.ends, self.rows, strict=True)]
        self.chance = []
        for edges, groups in zip(self.edges, self.sides, strict=True):
            flat = (edges == edges[:, :1]).all(2).all(1).numpy()
            chance = np.where(flat, FLAT_CHANCE, 1.0) * [len(group) > 1 for group in groups]
            self.chance.append(chance / chance.sum())

    def draw(self, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
        """Pairs; the list that each of them is in; for each list the place of its true pair, -1 if there is none."""
        pairs: list[int] = []
        lists: list[int] = []
        targets = []
        role = int(rng.integers(2))
        chance = self.chance[role]
        for number, side in enumerate(rng.choice(len(chance), min(LISTS, int((chance > 0).sum())), False, chance)):
            group = self.sides[role][side]
            true, false = group[self.true[group]], rng.permutation(group[~self.true[group]])[: CANDIDATES - 1]
            targets.append(len(pairs) if len(true) else -1)
            chosen = [*rng.permutation(true)[:1], *false]
            pairs += chosen
            lists += [number] * len(chosen)
        return np.array(pairs), np.array(lists), np.array(targets)

    def evaluate(self, net: StripNet, pairs: Ints) -> Tensor:
        a, b = self.ends[0][pairs], self.ends[1][pairs]
        mine, first = np.unique(a, return_inverse=True)
        theirs, second = np.unique(b, return_inverse=True)
        rows = self.rows[0][mine].float(), self.rows[1][theirs].float()
        differences = compare_edges(self.edges[0][a], self.edges[1][b])
        with torch.autocast("cpu", torch.bfloat16):  # three times as fast where the processor has it
            fit: Tensor = net(rows, torch.from_numpy(first), torch.from_numpy(second), differences)
        return fit.float()


def _group(ends: Ints, count: int) -> list[Ints]:
    """For each side the pairs that it is in."""
    order = np.argsort(ends, kind="stable")
    return np.split(order, np.searchsorted(ends[order], np.arange(1, count)))


def compute_loss(net: StripNet, lists: CandidateLists, rng: np.random.Generator) -> Tensor:
    """Mean cross-entropy of the choice among a side's candidates and "none", whose logit is 0."""
    pairs, number, targets = lists.draw(rng)
    fit, of = lists.evaluate(net, pairs), torch.from_numpy(number)
    top = torch.zeros(len(targets)).scatter_reduce(0, of, fit, "amax")
    total = torch.exp(-top).scatter_add(0, of, torch.exp(fit - top[of]))
    own = torch.where(torch.from_numpy(targets >= 0), fit[torch.from_numpy(np.maximum(targets, 0))], torch.zeros(()))
    return (torch.log(total) + top - own).mean()


def rank_partners(net: StripNet, held: list[CandidateLists]) -> str:
    """How often a side whose border shows something ranks its true partner first, and among the first five."""
    hits = np.zeros(3)
    for lists in held:
        parts = np.array_split(np.arange(len(lists.true)), 1 + len(lists.true) // 2000)
        with torch.no_grad():
            fit = torch.cat([lists.evaluate(net, part) for part in parts]).numpy()
        for chance, groups in zip(lists.chance, lists.sides, strict=True):
            for group in (g for g, c in zip(groups, chance, strict=True) if c > 0.5 * chance.max()):
                if lists.true[group].any():
                    rank = (fit[group] > fit[group][lists.true[group]].max()).sum()
                    hits += [1, rank == 0, rank < 5]
    return f"{int(hits[0])} sides, top-1 {100 * hits[1] / hits[0]:.1f} %, top-5 {100 * hits[2] / hits[0]:.1f} %"


def train(net: StripNet, fit: list[CandidateLists], minutes: float, rate: float) -> StripNet:
    rng = np.random.default_rng(0)
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-4)
    begin, step, mean = time.process_time(), 0, 0.0
    while (done := (time.process_time() - begin) / (60.0 * minutes)) < 1.0:
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1.0, step / 100) * 0.5 * (1.0 + np.cos(np.pi * done))
        loss = compute_loss(net, fit[rng.integers(len(fit))], rng)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimizer.step()
        step, mean = step + 1, mean + (float(loss.detach()) - mean) * max(0.01, 1.0 / (step + 1))
        if step % 500 == 0:
            print(f"{step} steps, {100 * done:.0f} %: loss {mean:.4f}", flush=True)
    return net


def list_layers(net: StripNet) -> dict[str, nn.Module]:
    """All layers but that of the differences, by their names in the file, with ? for w or b."""
    parts = {
        "mine": [net.mine.one, net.mine.two, net.mine.out], "theirs": [net.theirs.one, net.theirs.two, net.theirs.out],
        "pair": net.pair, "last": net.last,
    }  # fmt: skip
    return {f"{part}_?{k}": layer for part, layers in parts.items() for k, layer in enumerate(layers)}


def export(net: StripNet, name: str) -> dict[str, NDArray[np.float32]]:
    """The weights as `strip_network.load_strip_network` reads them."""

    def unfold(layer: nn.Module) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        weight, bias = layer.weight.detach(), layer.bias.detach()
        if weight.ndim == 3:
            weight = weight.permute(2, 1, 0).reshape(-1, len(weight)).T
        return weight.T.numpy(), bias.numpy()

    out = {}
    for key, layer in list_layers(net).items():
        out[f"{name}_{key}".replace("?", "w")], out[f"{name}_{key}".replace("?", "b")] = unfold(layer)
    out[f"{name}_differences"], bias = unfold(net.differences)
    out[f"{name}_mine_b2"] = out[f"{name}_mine_b2"] + bias
    return out


def load(net: StripNet, weights: dict[str, NDArray[np.float16]], name: str) -> None:
    """The inverse of `export`. A network with fewer units becomes a part of this one, which then says the same: units
    that are new see all and are not yet heard by those that are old."""
    old = {key.removeprefix(f"{name}_"): value.astype(np.float32) for key, value in weights.items()}
    side, pair = (len(old[f"mine_b{k}"]) for k in (1, 2))
    deep = len(old["pair_b0"])
    kept = {"out": [*range(side), *range(SIDE_UNITS, SIDE_UNITS + CHANNELS)]}
    kept["last"] = [*range(deep), *range(DEEP_UNITS, DEEP_UNITS + deep)]
    for key, layer in list_layers(net).items():
        weight = torch.from_numpy(old[key.replace("?", "w")]).T
        bias = torch.from_numpy(old[key.replace("?", "b")])
        if layer.weight.ndim == 3:
            weight = weight.reshape(len(bias), layer.weight.shape[2], -1).permute(0, 2, 1)
        which = "out" if key in ("mine_?2", "theirs_?2") else "last" if key == "last_?0" else ""
        inputs = torch.tensor(kept.get(which, list(range(weight.shape[1]))))
        with torch.no_grad():
            layer.weight[: len(bias)] = 0.0
            layer.weight[: len(bias), inputs] = weight
            layer.bias[: len(bias)] = bias
    with torch.no_grad():
        net.differences.weight[:pair] = torch.from_numpy(old["differences"]).T[..., None]
        net.differences.bias.zero_()  # it is part of another bias


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--without", type=Path, help="text file with the stems of pictures to leave out")
    parser.add_argument("--minutes", type=float, default=40.0)
    parser.add_argument("--choose", type=Path, help="text file with the stems of pictures to test on")
    parser.add_argument("--rate", type=float, default=RATE, help="of learning")
    parser.add_argument("--each", type=int, default=3, help="puzzles made of each picture")
    parser.add_argument("--drawn", type=int, default=70, help="pictures drawn at random")
    parser.add_argument("--start", type=Path, help="networks to train further")
    parser.add_argument("--seed", type=int, default=1, help="of the puzzles")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--out", type=Path, help="where to save; networks of other kinds in it are kept")
    args = parser.parse_args()
    torch.set_num_threads(1)
    files = list_files(args.folders, args.without)
    left = set(list(dict.fromkeys(files))[2::3])
    files = [file for file in files if file not in left]
    puzzles = list(make_puzzles(files, args.each, args.drawn, args.seed))
    chosen = set(args.choose.read_text().split()) if args.choose else set()
    tested = [file for file in dict.fromkeys(list_files(args.folders)) if file.stem in chosen]
    others = list(make_puzzles(tested, 1, 8 * (not tested), seed=2, pieces=(64,)))
    for name in args.kinds:
        fit = [CandidateLists(puzzle, *KINDS[name]) for puzzle in puzzles]
        held = [CandidateLists(puzzle, *KINDS[name]) for puzzle in others]
        print(f"{name}: {len(fit)} puzzles, {sum(len(one.true) for one in fit)} pairs", flush=True)
        torch.manual_seed(0)
        net = StripNet()
        if args.start:
            load(net, dict(np.load(args.start)), name)
            print(f"held out, at first: {rank_partners(net, held)}", flush=True)
        train(net, fit, args.minutes, args.rate)
        print(f"held out: {rank_partners(net, held)}", flush=True)
        if args.out:
            stored = dict(np.load(args.out)) if args.out.exists() else {}
            stored |= {key: value.astype(np.float16) for key, value in export(net, name).items()}
            np.savez_compressed(args.out, **stored)


if __name__ == "__main__":
    main()
