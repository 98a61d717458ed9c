"""The small networks of the learned compatibility, and their weights."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]

CLEAN_WEIGHTS = Path(__file__).with_name("weights.npz")
DAMAGED_WEIGHTS = Path(__file__).with_name("rough.npz")
NETWORKS = ("first", "second", "third")  # names in the weight files
MAX_INPUT = 6.0  # standard deviations


@dataclass(frozen=True)
class Network:
    """Fully connected ReLU layers with one output, a logit."""

    mean: Singles
    scale: Singles
    layers: tuple[tuple[Singles, Singles], ...]

    def __call__(self, features: Singles) -> Singles:
        x: Singles = features - self.mean
        x /= self.scale
        np.clip(x, -MAX_INPUT, MAX_INPUT, out=x)
        for weight, bias in self.layers[:-1]:
            x = x @ weight
            x += bias
            np.maximum(x, 0.0, out=x)
        weight, bias = self.layers[-1]
        logits: Singles = (x @ weight + bias)[:, 0]
        return logits


@cache
def load_networks(path: Path) -> tuple[Network, ...]:
    """The three networks of a weight file."""
    with np.load(path) as stored:
        weights = dict(stored)
    return tuple(_make_network(weights, name) for name in NETWORKS)


@cache
def load_network(path: Path, name: str) -> Network:
    """One network of a weight file."""
    with np.load(path) as stored:
        return _make_network(dict(stored), name)


def _make_network(weights: dict[str, Singles], name: str) -> Network:
    depth = sum(key.startswith(f"{name}_w") for key in weights)
    layers = tuple((weights[f"{name}_w{k}"], weights[f"{name}_b{k}"]) for k in range(depth))
    return Network(weights[f"{name}_mean"], weights[f"{name}_scale"], layers)


def convolve_rows(x: Singles, weight: Singles, bias: Singles) -> Singles:
    """Along the rows of (n, length, channels), with zeros beyond the ends. weight: (taps * channels, outputs)."""
    n, length, channels = x.shape
    taps = len(weight) // channels
    padded = np.pad(x, ((0, 0), (taps // 2, taps // 2), (0, 0)))
    windows = np.concatenate([padded[:, k : k + length] for k in range(taps)], axis=2)
    found: Singles = np.maximum(windows.reshape(n * length, -1) @ weight + bias, 0.0)
    return found.reshape(n, length, -1)
