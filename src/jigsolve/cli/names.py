"""Names that a user can choose from, and defaults, without loading the code. A test compares them with real ones."""

import re

SOLVERS = {
    "default": "relaxation on the frontier with a search around it",
    "paper": "multi-phase relaxation labeling, Vardi et al. 2023",
    "balanced": "Sinkhorn-balanced relaxation labeling, Khoroshiltseva et al. 2021",
    "greedy": "placer, segmenter, shifter, Pomeranz et al. 2011",
    "tree": "constrained spanning tree, Gallagher 2012",
    "best-buddies": "the surest piece first, Paikin and Tal 2015",
    "loops": "loops of loops, Son et al. 2014 and 2018",
    "genetic": "kernel-growing crossover, Sholomon et al. 2013/2014",
    "psqp": "quadratic program, Andaló et al. 2016",
    "gcl": "graph connection Laplacian, Huroyan et al. 2020",
    "belief": "loopy belief propagation, Cho et al. 2010",
    "linear": "linear programs, Yu et al. 2016",
}
COMPATIBILITIES = {
    "learned": "a calibrated probability",
    "learned-no-grids": "the same without the blocks of JPEG coders",
    "percentile": "Eq. 10 of the paper",
    "quartile": "Eq. 9, Andaló et al. 2016",
    "ratio": "distance against the second best, Gallagher 2012",
}
EFFORTS = ("fast", "normal", "thorough")
MIN_CONFIDENCE = 0.7  # of the joints of fragments
BORDERS = {
    "clean": "as they were cut",
    "worn": "pixels are lost around every piece",
    "noisy": "noise, or a sheet saved as JPEG",
}
DISSIMILARITIES = {
    "mahalanobis": "Mahalanobis gradients in CIELAB, Son et al. 2018",
    "mgc": "Mahalanobis gradient compatibility, Gallagher 2012",
    "ssd": "sum of squared differences, Cho et al. 2010",
}
PROTOCOLS = {
    "clean": "a shuffled picture, all of it known",
    "strips": "one column of strips as wide as the picture",
    "shreds": "one row of strips as high as it",
    "few-N": "N rows and N columns, piece size unknown",
    "grey": "without colour",
    "white-N": "the brightest N % overexposed",
    "in-place": "every piece in its place, only turned: Type 3, with --type 2",
    "worn-N": "N pixels lost at every side of every piece",
    "ragged-N": "the same, one more or one less at each piece",
    "eroded-N": "as worn-N, and enlarged to the old size",
    "faded-N": "every piece faded, by up to N %",
    "noise-N": "Gaussian noise of N levels",
    "uneven-N": "some pieces up to N pixels smaller",
    "mirrored": "half of the pieces mirrored, which ones unknown",
    "gaps-N": "N pixels between whole pieces, piece size unknown",
    "lines-N": "lines of N pixels over the cuts, piece size unknown",
    "scattered-N": "pieces at irregular places on a plain background, at least N pixels apart",
    "scaled-N": "the sheet scaled to N % (scaled-75 or scaled-0.75), piece size unknown",
    "cropped-N": "N pixels cut off some sides of the sheet, piece size unknown",
    "jpeg-N": "the sheet saved as JPEG of quality N",
    "webp-N": "the sheet saved as WebP of quality N",
    "deep": "16 bits a channel",
    "alpha": "with alpha",
    "margin": "a sheet with a margin, piece size unknown",
    "unknown-size": "piece size unknown",
    "pinned-N": "N % of the pieces pinned",
    "reference-N": "a thumbnail of the picture, N pixels wide, is given",
    "missing-N": "N % of the pieces lost",
    "unknown-grid": "rows and columns unknown",
    "unknown-turns": "whether pieces are turned unknown",
    "cache-N": "fragments of a cache of N screens, Type 1; with missing-N only",
    "mixed-N": "N pictures of the folder in one bag",
}


def pattern_of(names: dict[str, str], separator: str = "") -> str:
    """A regular expression for such names, with digits for N; with a separator, for several names in one word."""
    one = "(?:" + "|".join(re.escape(name).replace(r"\-N", r"-\d+(?:\.\d+)?") for name in names) + ")"
    return f"{one}(?:{re.escape(separator)}{one})*" if separator else one


def choices_of(names: dict[str, str]) -> str:
    """Names and their meanings, for a help text."""
    return "; ".join(f"{name} ({meaning})" for name, meaning in names.items())
