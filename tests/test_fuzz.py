"""A short run of the fuzzer, and all cases that once failed. `make fuzz` does a long run."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzz


def test_a_short_run() -> None:
    done = fuzz.fuzz(4000, seed=1)
    assert done.total() == 4000
    assert set(done) == set(fuzz.TARGETS)
    assert min(done.values()) >= 5


@pytest.mark.parametrize("name", sorted(fuzz.TARGETS))
def test_seeds_pass(name: str) -> None:
    for raw in fuzz.seeds()[name]:
        fuzz.TARGETS[name](raw)


@pytest.mark.parametrize("path", sorted(path for path in fuzz.CORPUS.glob("*-*")), ids=lambda path: path.name)
def test_cases_that_once_failed(path) -> None:
    fuzz.run_case(path.name.partition("-")[0], path.read_bytes())


@pytest.mark.parametrize("name", sorted(fuzz.TARGETS.keys() - {*fuzz.SLOW}))
def test_any_bytes(name: str) -> None:
    @settings(max_examples=100)
    @given(st.binary(max_size=200))
    def holds(raw: bytes) -> None:
        fuzz.TARGETS[name](raw)

    holds()


@settings(max_examples=60)
@given(st.binary(min_size=1, max_size=64))
def test_any_matrix(raw: bytes) -> None:
    fuzz.fuzz_solver(raw)


def test_a_case_that_fails_is_saved(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(raw: bytes) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(fuzz, "CORPUS", tmp_path / "corpus")
    monkeypatch.setitem(fuzz.TARGETS, "pins", fail)
    with pytest.raises(ZeroDivisionError):
        fuzz.run_case("pins", b"a bad case")
    (saved,) = (tmp_path / "corpus").iterdir()
    assert saved.read_bytes() == b"a bad case"
    assert fuzz.mutate(b"abc", random.Random(0)) == fuzz.mutate(b"abc", random.Random(0))
