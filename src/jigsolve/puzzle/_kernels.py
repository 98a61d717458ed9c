"""The geometry for kernels: the functions of `geometry.py`, compiled."""

from jigsolve.puzzle import geometry
from jigsolve.runtime._kernels import njit


def inner(function):
    """Compile a function that only kernels call: without Python wrappers it takes half the time."""
    return njit(cache=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


side_id = inner(geometry.side_id)
piece_of = inner(geometry.piece_of)
side_of = inner(geometry.side_of)
opposite = inner(geometry.opposite)
compose_turns = inner(geometry.compose_turns)
side_facing = inner(geometry.side_facing)
direction_of = inner(geometry.direction_of)
turn_to_face = inner(geometry.turn_to_face)
turn_to_meet = inner(geometry.turn_to_meet)
rotate_side = inner(geometry.rotate_side)
rotate_offset = inner(geometry.rotate_offset)
step_from = inner(geometry.step_from)
