"""The error that bad input raises."""


class InputError(ValueError):
    """Bad input. The message is one line: what was expected, what was found."""
