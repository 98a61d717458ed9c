"""The one error a user can cause."""


class InputError(ValueError):
    """Bad input. The message is one line: what was expected, what was found."""
