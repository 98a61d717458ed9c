"""Promises, and what became of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from jigsolve.plugins.loading import describe_error


class Promise(NamedTuple):
    """words: what is promised. test: raises Broken with how it is not kept."""

    words: str
    test: Callable[[Any], None]


class Verdict(NamedTuple):
    """broken: a sentence on how the promise is not kept; empty if it is."""

    promise: str
    broken: str = ""


class Broken(Exception):  # noqa: N818
    """A promise is not kept; the message is a sentence."""


class ContractError(AssertionError):
    """Promises are not kept: a line for each."""


def run_checks(thing: object, promises: Sequence[Promise]) -> Iterator[Verdict]:
    """What a thing makes of each promise."""
    for words, test in promises:
        try:
            with during("a small puzzle"):
                test(thing)
        except Broken as broken:
            yield Verdict(words, str(broken))
        else:
            yield Verdict(words)


def all_kept(verdicts: Iterable[Verdict]) -> None:
    """Raise ContractError unless all are."""
    broken = [f"{one.promise}: {one.broken}" for one in verdicts if one.broken]
    if broken:
        raise ContractError("\n".join(broken))


def require(holds: object, sentence: str) -> None:
    if not holds:
        raise Broken(sentence)


@contextmanager
def during(case: str) -> Iterator[None]:
    """Whatever is raised meanwhile breaks the promise."""
    try:
        yield
    except Broken:
        raise
    except Exception as error:
        raise Broken(f"on {case} it raises {describe_error(error)}.") from error
