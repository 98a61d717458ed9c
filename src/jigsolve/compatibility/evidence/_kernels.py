"""Absolute evidence of single pairs of sides, computed when it is asked for. `e` is the NamedTuple `PairArrays`."""

from functools import cache

import numpy as np

from jigsolve.compatibility import side_features
from jigsolve.compatibility._kernels import (
    FLOORS,
    MEASURES,
    PREDICTED,
    PREDICTED_FLOORS,
    fast,
    measure_joint,
    measure_prediction,
    measure_trend,
)
from jigsolve.compatibility.prediction import STRIPS
from jigsolve.compatibility.trend import TREND_NUMBERS
from jigsolve.dissimilarity.block_grids import BOUNDARY_FACTOR, BOUNDARY_PENALTY, MAX_EVIDENCE, MIN_LOGIT, PHASES
from jigsolve.puzzle._kernels import inner
from jigsolve.runtime._kernels import carray, declare, define, njit, pointer_to

SIZES = 8
SIDES, LONGEST, HEIGHT, WIDTH, REACH, PHASES_AT, SIDES_AT, PREDICTED_AT = range(SIZES)  # entries of `sizes`
HEADER = 4
WEIGHT, PLAIN_WEIGHT, MIN, MAX = range(HEADER)  # entries of the model, before the layers of the network
HIDDEN = (32, 16)
ENERGIES = 5
OUTER = int(side_features.Energy.OUTER)
FLAT_ENERGY = np.float32(side_features.FLAT_ENERGY)
SINGLE_FLOORS = FLOORS.astype(np.float32)
SINGLE_PREDICTED_FLOORS = PREDICTED_FLOORS.astype(np.float32)
EXTRA = 2 * ENERGIES + 4  # features after the levels of all measures
NO_PAIR = -1.0  # in an unused slot of the cache
KEY_FACTOR = 1 << 26  # key of a pair: first side times this plus the second; exact in float64

split_buffer = inner(side_features.split_buffer)


@fast
def fill_features(f, reach, predicted, a, b, buffer, out):
    """Features of a pair, symmetric in its two sides: levels of the measures, `EXTRA` of the sides, the damage.

    f: `BorderArrays`. predicted: rows, trends and damage of `Prediction`, empty for clean borders. buffer: (longest,).
    """
    at = MEASURES
    measure_joint(f, a, b, reach, buffer, out)
    for m in range(MEASURES):
        out[m] = np.log(out[m] + SINGLE_FLOORS[m])
    rows, trends, damage = predicted
    if len(rows) > 0:
        levels = out[at : at + PREDICTED]
        measure_prediction(rows[a], rows[b], np.int64(f.length[a % len(f.length)]), levels)
        measure_trend(trends[a], trends[b], levels)
        for m in range(PREDICTED):
            levels[m] = np.log(levels[m] + SINGLE_PREDICTED_FLOORS[m])
        at += PREDICTED
    for k in range(ENERGIES):
        out[at + k] = min(f.energy[a, k], f.energy[b, k])
        out[at + ENERGIES + k] = max(f.energy[a, k], f.energy[b, k])
    at += 2 * ENERGIES
    step = np.float32(0.0)
    for c in range(3):
        step += (f.colour[a, c] - f.colour[b, c]) ** 2
    out[at] = np.log(np.sqrt(step) + np.float32(0.5))
    out[at + 1] = min(f.colour[a, 0], f.colour[b, 0])
    out[at + 2] = max(f.colour[a, 0], f.colour[b, 0])
    out[at + 3] = np.log(np.float32(f.length[a % len(f.length)]))
    for k in range(len(damage)):
        out[at + 4 + k] = damage[k]


@fast
def apply_layer(network, at, x, outputs, out):
    """A rectified layer of the network, whose weights (outputs, inputs) and biases start at `at`; returns their end."""
    end = at + outputs * len(x)
    weights, biases = network[at:end].reshape((outputs, len(x))), network[end:]
    for j in range(outputs):
        total = biases[j]
        for i in range(len(x)):
            total += x[i] * weights[j, i]
        out[j] = max(np.float32(0.0), total)
    return end + outputs


@fast
def judge(network, x, h1, h2):
    """The network's output for features x; h1 and h2 are buffers for the layers."""
    at = apply_layer(network, HEADER, x, HIDDEN[0], h1)
    at = apply_layer(network, at, h1, HIDDEN[1], h2)
    total = network[at + HIDDEN[1]]
    for j in range(HIDDEN[1]):
        total += h2[j] * network[at + j]
    return np.float64(total)


@inner
def agreement(mine, theirs, a, b):
    """Likelihood ratio that two block grids are one, against chance."""
    total = np.float32(0.0)
    for k in range(PHASES):
        total += mine[a, k] * theirs[b, k]
    return np.float64(total) * PHASES


@inner
def add_block_grids(phases, a, b, nats):
    """Revise the evidence of a pair by its block grids: see `block_grids.revise_logits`."""
    across, facing = phases[0], phases[1]
    grids = np.log(agreement(across, facing, a, b) * agreement(phases[2], phases[3], a, b))
    nats += min(MAX_EVIDENCE, max(-MAX_EVIDENCE, grids))
    same, half = np.float32(0.0), PHASES // 2
    for k in range(half):
        same += (across[a, k] + across[a, k + half]) * (facing[b, k] + facing[b, k + half])
    boundary = (across[a, 0] + across[a, half]) * (facing[b, 0] + facing[b, half]) / same
    return nats - boundary * (BOUNDARY_PENALTY + (1.0 - BOUNDARY_FACTOR) * max(nats, MIN_LOGIT))


@inner
def split_predictions(numbers, longest):
    """Rows (sides, STRIPS, longest), trends (sides, TREND_NUMBERS) and damage, one after the other in a buffer."""
    count = len(numbers) // (STRIPS * longest + TREND_NUMBERS)
    middle = count * STRIPS * longest
    end = middle + count * TREND_NUMBERS
    rows, trends = numbers[:middle].reshape((count, STRIPS, longest)), numbers[middle:end]
    return rows, trends.reshape((count, TREND_NUMBERS)), numbers[end:]


@inner
def is_plain(f, a, b):
    """Have the outermost pixels of both sides one and the same colour?"""
    plain = f.energy[a, OUTER] < FLAT_ENERGY and f.energy[b, OUTER] < FLAT_ENERGY
    for c in range(3):
        plain &= f.outer[a, c, 0] == f.outer[b, c, 0]
    return plain


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def judge_pairs(model, sizes, first, second, limits, out):
    """out[k]: evidence of the pair (first[k], second[k]). limits: the least and the most in nats, weight, weight of a
    pair of plain sides."""
    count, longest = sizes[SIDES], sizes[LONGEST]
    length = np.array([sizes[HEIGHT], sizes[WIDTH], sizes[HEIGHT], sizes[WIDTH]], np.int32)
    phases, sides = model[sizes[PHASES_AT] : sizes[SIDES_AT]], model[sizes[SIDES_AT] : sizes[PREDICTED_AT]]
    predicted = split_predictions(model[sizes[PREDICTED_AT] :], longest)
    f = split_buffer(sides, length, count, longest)
    features = MEASURES + EXTRA
    if len(predicted[0]) > 0:
        features += PREDICTED + len(predicted[2])
    x = np.empty(features, np.float32)
    h1, h2 = np.empty(HIDDEN[0], np.float32), np.empty(HIDDEN[1], np.float32)
    buffer = np.empty(longest, np.float32)
    least, most, weight, plain_weight = limits
    for k in range(len(first)):
        a, b = min(first[k], second[k]), max(first[k], second[k])
        fill_features(f, sizes[REACH], predicted, a, b, buffer, x)
        nats = judge(model, x, h1, h2)
        if len(phases):
            nats = add_block_grids(phases.reshape((4, count, PHASES)), a, b, nats)
        out[k] = min(most, max(least, nats)) * (plain_weight if is_plain(f, a, b) else weight)


@njit(cache=True, nogil=True, error_model="numpy")
def weigh_pairs(model, sizes, first, second, out):
    """The same in units of C, within the model's limits."""
    weight = np.float64(model[WEIGHT])
    limits = np.float64(model[MIN]), np.float64(model[MAX]), weight, weight * np.float64(model[PLAIN_WEIGHT])
    judge_pairs(model, sizes, first, second, limits, out)


SINGLES, INTEGERS, SIDE_IDS, DOUBLES = (pointer_to(t) for t in (np.float32, np.int64, np.int32, np.float64))
weigh_at = declare("jigsolve_weigh_pairs", SINGLES, INTEGERS, INTEGERS, SIDE_IDS, SIDE_IDS, DOUBLES)


@njit(cache=True, nogil=True, error_model="numpy")
def weigh_addresses(model, sizes, counts, first, second, out):
    """`weigh_pairs` of arrays given by their addresses. counts: entries of the model, of `sizes`, and pairs."""
    model, sizes = carray(model, counts[0]), carray(sizes, counts[1])
    weigh_pairs(model, sizes, carray(first, counts[2]), carray(second, counts[2]), carray(out, counts[2]))


@cache
def link_evidence():
    """Make `weigh_at` known to the kernels that call it."""
    define(weigh_at, weigh_addresses)


@inner
def weigh(model, sizes, first, second, out):
    """`weigh_pairs` for other kernels; arrays are contiguous. `link_evidence` comes first."""
    counts = np.array([len(model), len(sizes), len(first)])
    weigh_at(model.ctypes, sizes.ctypes, counts.ctypes, first.ctypes, second.ctypes, out.ctypes)


@inner
def compute(model, sizes, a, b):
    """Evidence of one pair."""
    first, second, out = np.empty(1, np.int32), np.empty(1, np.int32), np.empty(1)
    first[0], second[0] = a, b
    weigh(model, sizes, first, second, out)
    return out[0]


@njit(cache=True, nogil=True, error_model="numpy")
def list_features(f, reach, predicted, first, second, out):
    """(pairs, features) of the pairs (first[k], second[k])."""
    buffer = np.empty(f.outer.shape[2], np.float32)
    for k in range(len(first)):
        fill_features(f, reach, predicted, first[k], second[k], buffer, out[k])
