"""Checks of data from JSON files, which may come from anywhere. Every error is one short line."""

from typing import Any

from jigsolve.runtime import InputError

MAX_PIECES = 1_000_000  # tables are indexed by piece number: a file must not ask for more memory than this


def check_header(data: object, what: str, name: str, version: int) -> dict[str, Any]:
    """The content of a file, if it has this format name and version."""
    if not isinstance(data, dict) or data.get("format") != name:
        raise InputError(f'Expected a {what} file with "format": "{name}".')
    if data.get("version") != version or isinstance(data["version"], bool):
        raise InputError(f"Expected version {version} of the {what} file, got {describe_value(data.get('version'))}.")
    return data


def check_integer(value: object, key: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InputError(f"Expected whole numbers from {low} to {high} in {key}, got {describe_value(value)}.")
    return value


def check_object(value: object, key: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"Expected {key} as an object, got {describe_value(value)}.")
    return value


def check_list(value: object, key: str, length: int, what: str) -> list[Any]:
    """A list of this length. what: such a list, in the words of the error."""
    if not isinstance(value, list) or len(value) != length:
        raise InputError(f"Expected {key} as {what}, got {describe_value(value)}.")
    return value


def describe_value(value: object) -> str:
    """A value in the words of an error: at most 40 characters, whatever it is."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object of {len(value)} keys"
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
