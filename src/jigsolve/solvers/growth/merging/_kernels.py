"""Contacts between clusters of pieces. `c` is the NamedTuple `Places`, `g` the NamedTuple `Grids`."""

from jigsolve.puzzle._kernels import (
    compose_turns,
    direction_of,
    inner,
    opposite,
    piece_of,
    rotate_offset,
    side_facing,
    side_id,
    step_from,
    turn_to_meet,
)
from jigsolve.puzzle.geometry import SIDES
from jigsolve.runtime._kernels import njit

TOP, WEST, HEIGHT, WIDTH, START = range(5)  # rows of the boxes


@njit(cache=True, error_model="numpy")
def fill_poses(c, first, second, out):
    """out[k]: turn, row and col of the motion after which side first[k] faces second[k], whose cluster stays."""
    for k in range(len(first)):
        own, other = piece_of(first[k]), piece_of(second[k])
        direction = direction_of(second[k], c.turn[other])
        turn = compose_turns(turn_to_meet(first[k], direction), -c.turn[own])
        row, col = step_from(c.row[other], c.col[other], direction)
        own_row, own_col = rotate_offset(c.row[own], c.col[own], turn)
        out[k, 0], out[k, 1], out[k, 2] = turn, row - own_row, col - own_col


@inner
def piece_at(g, cluster, y, x):
    """The piece of a cluster in a cell of its box, -1 if there is none."""
    if y < 0 or x < 0 or y >= g.boxes[HEIGHT, cluster] or x >= g.boxes[WIDTH, cluster]:
        return -1
    return g.cells[g.boxes[START, cluster] + y * g.boxes[WIDTH, cluster] + x]


@inner
def fits(g, cluster, y, x):
    """Does a cluster fit the grid if a cell, relative to its box, is added to it?"""
    high = max(g.boxes[HEIGHT, cluster] - 1, y) - min(0, y)
    wide = max(g.boxes[WIDTH, cluster] - 1, x) - min(0, x)
    upright = high < g.shape[0] and wide < g.shape[1]
    return upright or (g.shape[2] == 1 and high < g.shape[1] and wide < g.shape[0])


@njit(cache=True, error_model="numpy")
def list_contacts(c, g, first, second, poses, counts, out):
    """Count the pairs of sides that meet if the cluster of side first[k] moves by poses[k], or list them.

    counts: (proposals,) receives their numbers, 0 if the clusters overlap or do not fit the grid together. out:
    (2, contacts) sides of the cluster that moves and of the one that stays; empty to count only.
    """
    total = 0
    for k in range(len(first)):
        own, other = c.cluster[piece_of(first[k])], c.cluster[piece_of(second[k])]
        if out.shape[1] > 0 and counts[k] == 0:
            continue
        found = 0
        for i in range(g.starts[own], g.starts[own + 1]):
            piece = g.members[i]
            y, x = rotate_offset(c.row[piece], c.col[piece], poses[k, 0])
            y, x = y + poses[k, 1] - g.boxes[TOP, other], x + poses[k, 2] - g.boxes[WEST, other]
            if piece_at(g, other, y, x) >= 0 or not fits(g, other, y, x):
                found = 0
                break
            turn = compose_turns(c.turn[piece], poses[k, 0])
            for d in range(SIDES):
                beside = piece_at(g, other, *step_from(y, x, d))
                if beside >= 0:
                    if out.shape[1] > 0:
                        out[0, total + found] = side_id(piece, side_facing(d, turn))
                        out[1, total + found] = side_id(beside, side_facing(opposite(d), c.turn[beside]))
                    found += 1
        if out.shape[1] == 0:
            counts[k] = found
        total += found
