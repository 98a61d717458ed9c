"""The data model: pieces, layouts, geometry, pins, scores."""

from jigsolve.puzzle.layout import HOLE, Layout, facing_sides
from jigsolve.puzzle.piece_classes import PieceClasses, find_piece_classes, merge_copies
from jigsolve.puzzle.pieces import UNKNOWN, Pixels, Puzzle, Size, check_picture, cut, cut_sheet, mix, scramble
from jigsolve.puzzle.pins import NO_PINS, PinnedCell, PinnedJoint, Pins, check_pins
from jigsolve.puzzle.scores import Scores, joint_ids, match_pictures, score

__all__ = ["HOLE", "NO_PINS", "UNKNOWN", "Layout", "PieceClasses", "PinnedCell", "PinnedJoint", "Pins", "Pixels",
           "Puzzle", "Scores", "Size", "check_picture", "check_pins", "cut", "cut_sheet", "facing_sides",
           "find_piece_classes", "joint_ids", "match_pictures", "merge_copies", "mix", "score", "scramble"]  # fmt: skip
