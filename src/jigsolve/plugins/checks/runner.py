"""Checks of a contract, and their results."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from jigsolve.plugins.loading import describe_error


class Check(NamedTuple):
    """title: what is required. run: raises CheckFailed with the reason if it is not fulfilled."""

    title: str
    run: Callable[[Any], None]


class CheckResult(NamedTuple):
    """failure: a sentence with the reason; empty if the check passed."""

    title: str
    failure: str = ""


class CheckFailed(Exception):  # noqa: N818
    """A requirement is not fulfilled; the message is a sentence."""


class ContractError(AssertionError):
    """Checks failed: a line for each."""


def run_checks(stage: object, checks: Sequence[Check]) -> Iterator[CheckResult]:
    for title, run in checks:
        try:
            with catch_errors("a small puzzle"):
                run(stage)
        except CheckFailed as failure:
            yield CheckResult(title, str(failure))
        else:
            yield CheckResult(title)


def raise_failures(results: Iterable[CheckResult]) -> None:
    failures = [f"{result.title}: {result.failure}" for result in results if result.failure]
    if failures:
        raise ContractError("\n".join(failures))


def require(condition: object, sentence: str) -> None:
    if not condition:
        raise CheckFailed(sentence)


@contextmanager
def catch_errors(case: str) -> Iterator[None]:
    """Turn every exception that is raised on a case into a failed check."""
    try:
        yield
    except CheckFailed:
        raise
    except (Exception, SystemExit) as error:
        raise CheckFailed(f"on {case} it raises {describe_error(error)}.") from error
