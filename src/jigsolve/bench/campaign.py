"""What a campaign runs: every picture x type x protocol x solver x seed, with one result file for each run."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from jigsolve import __version__
from jigsolve.bench.protocols import CLEAN, parse_protocol
from jigsolve.bench.records import Record, RunKey, read_record
from jigsolve.io import files
from jigsolve.pipeline import SolveParams
from jigsolve.plugins import loading as plugins
from jigsolve.plugins.loading import Plugin
from jigsolve.runtime import InputError

USUAL_DISSIMILARITY = "mahalanobis"  # tables do not name it


@dataclass(frozen=True)
class Run:
    """One puzzle to solve."""

    picture: Path
    piece: tuple[int, int]  # (width, height)
    type: int  # 1 (upright) or 2 (turned)
    solver: str
    seed: int
    protocol: str = CLEAN
    compatibility: str | None = None  # None for the solver's own
    dissimilarity: str = USUAL_DISSIMILARITY
    plugins: tuple[Plugin, ...] = ()  # where names that are not built in come from

    @property
    def key(self) -> RunKey:
        """What a record must have to be the result of this run. Results of other versions do not count."""
        dataset = Path(os.path.realpath(self.picture)).parent.name
        marks = tuple(plugin.mark for plugin in self.plugins)
        return RunKey(__version__, dataset, self.picture.name, self.piece, self.type, self.protocol, self.method,
                      self.seed, marks)  # fmt: skip

    @property
    def method(self) -> str:
        """The solver with its compatibility and dissimilarity, where these were chosen, as tables name it."""
        measure = None if self.dissimilarity == USUAL_DISSIMILARITY else self.dissimilarity
        return ", ".join(filter(None, (self.solver, self.compatibility, measure)))

    @property
    def name(self) -> str:
        """The path of its result file, relative to the campaign's folder."""
        size, method = f"{self.piece[0]}x{self.piece[1]}", self.method.replace(", ", "+")
        file = f"{self.picture.name}-{size}-type{self.type}-{self.protocol}-{method}-seed{self.seed}.json"
        return f"{self.key.dataset}/{file}"

    def params(self) -> SolveParams:
        """For one thread, so that times are comparable. Loads plugins: the worker process may not know them."""
        for plugin in self.plugins:
            if plugin.source is not None:
                plugins.load_plugin(plugin)
        return SolveParams(
            solver=self.solver, dissimilarity=self.dissimilarity, compatibility=self.compatibility, seed=self.seed,
            threads=1,
        )  # fmt: skip

    def shuffle_seed(self) -> int:
        """By picture and seed: the same on every machine, for every protocol and solver."""
        digest = hashlib.sha256(os.fsencode(f"{self.seed}/{self.picture.name}")).digest()
        return int.from_bytes(digest[:6], "big")


@dataclass(frozen=True)
class Campaign:
    """What to run: all combinations. Names are checked at once, before hours of work."""

    folders: Sequence[Path]  # one for each set of pictures
    piece: tuple[int, int]  # (width, height)
    types: Sequence[int]
    solvers: Sequence[str]
    seeds: int = 1  # the number of shuffles of every picture
    protocols: Sequence[str] = (CLEAN,)
    compatibilities: Sequence[str | None] = (None,)
    dissimilarities: Sequence[str] = (USUAL_DISSIMILARITY,)

    def __post_init__(self) -> None:
        names = {Path(os.path.realpath(folder)).name for folder in self.folders}
        if len(names) < len(self.folders):
            raise InputError("Expected folders of different names: results and tables go by the name.")
        for solver, compatibility, dissimilarity in self._methods():
            SolveParams(solver=solver, dissimilarity=dissimilarity, compatibility=compatibility)
        for protocol in self.protocols:
            parse_protocol(protocol)

    def _methods(self) -> list[tuple[str, str | None, str]]:
        return list(dict.fromkeys(product(self.solvers, self.compatibilities, self.dissimilarities)))

    def list_runs(self) -> list[Run]:
        """All runs, in the order in which they start."""
        runs = []
        for folder in self.folders:
            pictures = files.list_pictures(folder)
            if not pictures:
                raise InputError(f"Expected pictures in the folder {folder}, found none.")
            runs += [
                Run(picture, self.piece, type_, method[0], seed, protocol, *method[1:], plugins.origins(*method))
                for type_ in dict.fromkeys(self.types)
                for protocol in dict.fromkeys(self.protocols)
                for method in self._methods()
                for seed in range(self.seeds)
                for picture in pictures
            ]
        return runs


def load_record(run: Run, folder: Path) -> Record | None:
    """The record of a finished run in a campaign's folder; None if the run is still to do."""
    record = read_record(folder / run.name)
    return record if record is not None and record.run == run.key else None
