"""The names a user can choose from, known without loading what they name. A test holds them to the real tables."""

SOLVERS = {
    "default": "relaxation on the frontier with a search around it",
    "paper": "multi-phase relaxation labeling, Vardi et al. 2023",
    "balanced": "Sinkhorn-balanced relaxation labeling, Khoroshiltseva et al. 2021",
}
COMPATIBILITIES = {
    "learned": "a calibrated probability",
    "percentile": "Eq. 10 of the paper",
    "quartile": "Eq. 9, Andaló et al. 2016",
}
EFFORTS = ("fast", "normal", "thorough")
DISSIMILARITIES = {
    "mahalanobis": "Mahalanobis gradients in CIELAB, Son et al. 2018",
    "mgc": "Mahalanobis gradient compatibility, Gallagher 2012",
    "ssd": "sum of squared differences, Cho et al. 2010",
}


def choice(names: dict[str, str]) -> str:
    """For a help text."""
    return "; ".join(f"{name} ({what})" for name, what in names.items())
