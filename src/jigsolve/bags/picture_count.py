"""How many pictures to look for: one rule for the command line and the page."""

from typing import Literal


def choose_picture_count(wanted: int | Literal["auto"] | None, holds_pieces: bool, is_described: bool) -> int | None:
    """The number of pictures; None to find it.

    wanted: what the person said; None for nothing. holds_pieces: each file is one piece, so that they may belong to
    several pictures. is_described: something is known about the one picture that they make.
    """
    if wanted is None:
        wanted = "auto" if holds_pieces and not is_described else 1
    return None if wanted == "auto" else wanted
