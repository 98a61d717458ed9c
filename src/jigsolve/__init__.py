"""jigsolve puts scrambled pictures back together from the picture alone."""

__version__ = "0.1.0"
