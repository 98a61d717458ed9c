"""The measures of a candidate joint, and the features that the network sees of it.

All measures are means over the pixels of the border. e is the border extrapolated to the cut, whitening is by the two
sides' own gradients, and "saturated" means x / (x + s), so that single outliers do not decide.
"""

from enum import IntEnum


class Measure(IntEnum):
    """Dissimilarities of a joint, in the order of the columns."""

    ACROSS = 0  # whitened jump of e across the cut
    ALONG = 1  # whitened difference of the steps of e along the border
    ACROSS_SATURATED = 2  # ACROSS, saturated at 8
    ACROSS_SOFT = 3  # the jump of e, whitened with a larger ridge
    JUMP_ROOT = 4  # square root of the jump of e
    LUMA_STEP = 5  # squared step of lightness between the outermost pixels
    CHROMA_STEP = 6  # squared step of colour between the outermost pixels
    OWN_STEP = 7  # step against each side's own mean gradient, whitened
    SLANTED = 8  # step to the best pixel opposite, within the border's reach
    DEEP = 9  # jump of lines fitted to four pixels, whitened
    ACROSS_CENTRED = 10  # ACROSS_SOFT without its mean: coders shift whole blocks by a constant
    CORRELATION = 11  # one minus the correlation of lightness along the two borders
    MAHALANOBIS = 12  # ACROSS plus ALONG: the dissimilarity itself
    ACROSS_SATURATED_LOW = 13  # ACROSS, saturated at 2
    ALONG_SATURATED = 14  # ALONG, saturated at 8
    ACROSS_SOFT_SATURATED = 15  # ACROSS_SOFT, saturated at 8
    ACROSS_SATURATED_HIGH = 16  # ACROSS, saturated at 40
    JUMP_BY_TEXTURE = 17  # jump of e, saturated by the squared gradients around the pixel
    DEEP_SATURATED = 18  # DEEP, saturated at 8
    OWN_STEP_SATURATED = 19  # OWN_STEP, saturated at 8


class Predicted(IntEnum):
    """Dissimilarities of what two damaged sides predict at the cut (`prediction.py`), in the order of the columns.

    Squared differences are divided by the sum of both variances. There are two predictions of each side, and each has
    measures of lightness and of colour.
    """

    SATURATED = 0  # saturated at 2: lightness and colour of the first prediction, then of the second
    LOGARITHM = 4  # log(1 + square), likewise
    ALONG_LIGHT = 8  # of the steps along the border, by the first prediction
    ALONG_COLOUR = 9


class Trend(IntEnum):
    """Dissimilarities of the trends of two damaged sides (`trend.py`), squared: after those of `Predicted`.

    Each has four columns but the slopes: the mean along the border and its other cosines, in lightness, then in colour.
    """

    MEAN = 10  # of the means of the outer rows
    LINE = 14  # of the lines, at the cut: all columns of the first line, then those of the second
    RELIABLE = 22  # the same, divided by both variances
    SLOPE = 30  # of slopes across the cut: lightness and colour


class View(IntEnum):
    """How a measure of a joint compares with those of its rivals, as logarithms of ratios."""

    BEST_RIVAL_MIN = 0  # to the best rival, the smaller of the two sides' values
    BEST_RIVAL_MAX = 1  # the larger
    MEAN_RIVAL_MIN = 2  # to the mean of the best few
    MEAN_RIVAL_MAX = 3
    TYPICAL = 4  # to the puzzle's typical best joint


class Extra(IntEnum):
    """Features of a joint that are not about rivals, in the order of the columns after the views."""

    GRID_SIMILARITY = 0  # agreement of the 8-pixel block grids across the border, -1 to 1
    GRID_SIMILARITY_TRUSTED = 1  # times ten times the trust
    GRID_CLARITY = 2  # log power of the weaker of the two grids
    GRID_TRUST = 3  # of the puzzle
    ENERGY_MIN = 4  # five energies (see `side_features.Energy`), the smaller of the two sides
    ENERGY_MAX = 9  # the larger
    COLOUR_STEP = 14  # log distance of the mean colours
    ENERGY_STEP = 15  # difference of the two texture energies
    LEVEL = 17  # logs of the measures in `LEVEL_MEASURES`
    LENGTH = 21  # log of the pixels along the border
    RIVAL_COUNT = 22  # log of the sides that each side may face
    TURNED = 23  # pieces may be turned


EXTRA_COUNT = 24
PREDICTED_COUNT = 32  # of `Predicted` and `Trend`
LEVEL_MEASURES = (Measure.ACROSS, Measure.ALONG, Measure.LUMA_STEP, Measure.CHROMA_STEP)
# What the later networks see again, besides logits: lengths, rivals, turns, and energies of both sides.
CONTEXT = (
    Extra.LENGTH, Extra.RIVAL_COUNT, Extra.TURNED, Extra.ENERGY_MIN, Extra.ENERGY_MIN + 1, Extra.ENERGY_MAX,
    Extra.ENERGY_MAX + 1,
)  # fmt: skip
