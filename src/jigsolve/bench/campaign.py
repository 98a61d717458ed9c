"""A campaign: every picture x type x protocol x solver x seed, one result file a run, so that it can stop and go on."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass
from itertools import product
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from typing import Any

import numpy as np

from jigsolve import __version__
from jigsolve.bags.mixed import solve_mixed
from jigsolve.bench import bags
from jigsolve.bench.protocols import CLEAN, MIXED, case, judged, parsed
from jigsolve.io import files, layout_file
from jigsolve.pipeline import Result, SolveParams, solve
from jigsolve.plugins import loading as plugins
from jigsolve.plugins.loading import Plugin
from jigsolve.puzzle.pieces import Pixels, Puzzle, cut, scramble
from jigsolve.runtime import memory
from jigsolve.runtime.errors import InputError

FORMAT = "jigsolve-run"
VERSION = 2
USUAL = "mahalanobis"  # the dissimilarity that goes without saying


@dataclass(frozen=True)
class Run:
    """One puzzle to solve. kind: Type 1 (upright) or 2 (turned); piece: (width, height).

    compatibility: None for the solver's own. plugins: what the names come from, where they are not ours.
    """

    picture: Path
    piece: tuple[int, int]
    kind: int
    solver: str
    seed: int
    protocol: str = CLEAN
    compatibility: str | None = None
    dissimilarity: str = USUAL
    plugins: tuple[Plugin, ...] = ()

    @property
    def folder(self) -> str:
        """The name of the set the picture belongs to."""
        return Path(os.path.realpath(self.picture)).parent.name

    @property
    def method(self) -> str:
        """The solver, and what else was chosen, as tables call it."""
        measure = None if self.dissimilarity == USUAL else self.dissimilarity
        return ", ".join(filter(None, (self.solver, self.compatibility, measure)))

    @property
    def name(self) -> str:
        """Where its result lies below the campaign's folder."""
        size = f"{self.piece[0]}x{self.piece[1]}"
        method = self.method.replace(", ", "+")
        what = f"{size}-type{self.kind}-{self.protocol}-{method}-seed{self.seed}"
        return f"{self.folder}/{self.picture.name}-{what}.json"

    def identity(self) -> dict[str, Any]:
        """What a result must say to be the result of this run; another version's results are not ours."""
        return {
            "format": FORMAT, "version": VERSION, "jigsolve": __version__, "set": self.folder,
            "picture": self.picture.name, "piece": list(self.piece), "type": self.kind,
            "protocol": self.protocol, "solver": self.method, "seed": self.seed,
            **({"plugins": [plugin.mark for plugin in self.plugins]} if self.plugins else {}),
        }  # fmt: skip

    def params(self) -> SolveParams:
        """On one thread, so that times can be compared. Plugins are taken up: a worker may never have heard of them."""
        for plugin in self.plugins:
            if plugin.source is not None:
                plugins.load_plugin(plugin)
        return SolveParams(
            solver=self.solver,
            dissimilarity=self.dissimilarity,
            compatibility=self.compatibility,
            seed=self.seed,
            threads=1,
        )

    def shuffle_seed(self) -> int:
        """Every picture is shuffled in its own way, the same on every machine, for every protocol and solver."""
        digest = hashlib.sha256(os.fsencode(f"{self.seed}/{self.picture.name}")).digest()
        return int.from_bytes(digest[:6], "big")


def plan(
    folders: Sequence[Path],
    piece: tuple[int, int],
    kinds: Sequence[int],
    solvers: Sequence[str],
    seeds: int,
    protocols: Sequence[str] = (CLEAN,),
    compatibilities: Sequence[str | None] = (None,),
    dissimilarities: Sequence[str] = (USUAL,),
) -> list[Run]:
    """All runs of a campaign, in the order they are started."""
    names = [Path(os.path.realpath(folder)).name for folder in folders]
    if len(set(names)) < len(names):
        raise InputError("Expected folders of different names: results and tables go by the name.")
    methods = list(dict.fromkeys(product(solvers, compatibilities, dissimilarities)))
    for solver, compatibility, dissimilarity in methods:  # misspelt names are found before hours of work
        SolveParams(solver=solver, dissimilarity=dissimilarity, compatibility=compatibility)
    for protocol in protocols:
        parsed(protocol)
    runs = []
    for folder in folders:
        pictures = files.list_pictures(folder)
        if not pictures:
            raise InputError(f"Expected pictures in the folder {folder}, found none.")
        runs += [
            Run(picture, piece, kind, solver, seed, protocol, compatibility, dissimilarity,
                plugins.origins(solver, compatibility, dissimilarity))
            for kind in dict.fromkeys(kinds)
            for protocol in dict.fromkeys(protocols)
            for solver, compatibility, dissimilarity in methods
            for seed in range(seeds)
            for picture in pictures
        ]  # fmt: skip
    return runs


def execute(run: Run) -> dict[str, Any]:
    """Scramble, spoil, solve, score: the record of one run."""
    return _record(run, measured(run, pictures_of(run)))


def _record(run: Run, found: dict[str, Any]) -> dict[str, Any]:
    """All that a result file holds. source: the puzzle can be made again from the picture."""
    return {**run.identity(), "source": os.path.abspath(run.picture), **found}


def pictures_of(run: Run) -> list[Pixels]:
    """The picture of a run and, for a mixed bag, others of its folder, drawn by the seed."""
    more = parsed(run.protocol).get(MIXED, 1) - 1
    others = [path for path in files.list_pictures(run.picture.parent) if path.name != run.picture.name] if more else []
    if len(others) < more:
        raise InputError(f"Expected {more + 1} pictures in {run.picture.parent} for {run.protocol}.")
    drawn = np.random.default_rng([run.shuffle_seed(), 2]).permutation(len(others))[:more]
    return [files.read_picture_8bit(path) for path in (run.picture, *(others[k] for k in drawn))]


def measured(run: Run, pictures: Sequence[Pixels]) -> dict[str, Any]:
    """What a run tells beyond its identity."""
    params = run.params()
    if len(pictures) > 1:
        return _measured_bag(run, pictures, params)
    given = case(run.protocol, pictures[0], run.piece, run.kind == 2, run.shuffle_seed())
    with _taken() as taken:
        result = solve(given.puzzle, params, pins=given.pins, reference=given.reference)
    return {
        "rows": given.truth.rows, "cols": given.truth.cols, "found": [result.layout.rows, result.layout.cols],
        "scores": asdict(judged(given, result.layout)), "believed": result.confidence.share, **taken,
        "seconds": result.seconds, "consistency": result.consistency, "notes": list(result.notes),
        "layout": _kept(result, given.puzzle),
    }  # fmt: skip


def _measured_bag(run: Run, pictures: Sequence[Pixels], params: SolveParams) -> dict[str, Any]:
    """The same of a mixed bag: scores are means over its pictures, times and consistencies sums."""
    given = bags.bag(run.protocol, pictures, run.piece, run.kind == 2, run.shuffle_seed())
    with _taken() as taken:
        results = solve_mixed(given.puzzle, given.pictures, params, shape=given.shape)
    scores, own = bags.judged(given, [result.layout for result in results])
    joints = np.concatenate([result.confidence.joints for result in results])
    seconds = sum((Counter(result.seconds) for result in results), Counter[str]())
    return {
        "rows": given.truths[0].rows, "cols": given.truths[0].cols,
        "found": [[result.layout.rows, result.layout.cols] for result in results],
        "scores": asdict(scores), "own": own, "believed": float(joints.mean()), **taken,
        "seconds": dict(seconds), "consistency": sum(result.consistency for result in results),
        "notes": [note for result in results for note in result.notes],
        "layouts": [_kept(result, given.puzzle) for result in results],
    }  # fmt: skip


@contextmanager
def _taken() -> Iterator[dict[str, Any]]:
    """What is done meanwhile takes: wall and CPU seconds, bytes of memory at the most, Python and kernels included."""
    taken: dict[str, Any] = {}
    memory.reset_peak()
    begin, busy = time.perf_counter(), time.process_time()
    yield taken
    taken |= {"wall": time.perf_counter() - begin, "cpu": time.process_time() - busy, "peak": memory.peak_bytes()}


def _kept(result: Result, puzzle: Puzzle) -> dict[str, Any]:
    """The answer as in a layout file."""
    height, width = puzzle.pieces.shape[1:3]
    return layout_file.to_data(layout_file.LayoutFile(result.layout, (width, height), partial=result.stopped))


def finished(run: Run, out: Path) -> dict[str, Any] | None:
    """The record of a run that is done; None if it is still to do."""
    path = out / run.name
    if not path.is_file():
        return None
    try:
        record = files.read_json(path)
    except InputError:
        return None
    same = isinstance(record, dict) and all(record.get(key) == value for key, value in run.identity().items())
    return record if same and "scores" in record and "wall" in record else None


def carry_out(runs: Sequence[Run], out: Path, jobs: int, cluster: str | None = None) -> Iterator[tuple[Run, str]]:
    """Do the runs and file their results; yields each as it ends, with what went wrong ("" if nothing did).

    jobs: so many at a time, each in a process of its own. cluster: on the workers of this Dask scheduler instead.
    """
    for run, found in _in_processes(runs, jobs) if cluster is None else _on_cluster(runs, cluster):
        if isinstance(found, str):
            yield run, found
            continue
        path = out / run.name
        files.make_folder(path.parent)
        files.write_json(path, found)
        yield run, ""


Found = dict[str, Any] | str  # the record of a run, or what went wrong


def _in_processes(runs: Sequence[Run], jobs: int) -> Iterator[tuple[Run, Found]]:
    others = set(active_children())
    methods = list({(run.solver, run.compatibility, run.dissimilarity): run for run in runs}.values())
    pool = ProcessPoolExecutor(min(jobs, max(1, len(runs))), get_context("spawn"), _settle_in, (methods,))
    try:
        futures = {pool.submit(_executed, run): run for run in runs}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BaseException:  # stopped: whoever still works does so for nobody
        for worker in set(active_children()) - others:
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _on_cluster(runs: Sequence[Run], address: str) -> Iterator[tuple[Run, Found]]:
    """Pictures are read here and sent: workers need not see our files."""
    from jigsolve.runtime.cluster import Cluster, connect

    with connect(address) as client:
        jobs = ((run, _pictures(run)) for run in runs)
        for k, found in Cluster(client).map_unordered(_attempt, jobs):
            yield runs[k], found if isinstance(found, str) else _record(runs[k], found)


def _executed(run: Run) -> Found:
    found = _attempt(run, _pictures(run))
    return found if isinstance(found, str) else _record(run, found)


def _pictures(run: Run) -> list[Pixels] | str:
    try:
        return pictures_of(run)
    except InputError as error:
        return str(error)


def _attempt(run: Run, pictures: list[Pixels] | str) -> Found:
    try:
        return pictures if isinstance(pictures, str) else measured(run, pictures)
    except InputError as error:
        return str(error)
    except Exception as error:
        if not run.plugins:  # a bug of ours keeps its traceback; one of a plugin does not end the campaign
            raise
        return plugins.describe_error(error)


def _settle_in(methods: Sequence[Run]) -> None:
    """A worker goes when it is told to and when its campaign is gone, without a word; it loads before it is timed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_follow_parent, daemon=True).start()
    grey = np.random.default_rng(0).integers(0, 256, (24, 24, 3), dtype=np.uint8)
    for run in methods:
        for rotate in (False, True):
            with suppress(Exception) if run.plugins else nullcontext():  # the runs themselves will tell
                solve(scramble(cut(grey, 8), rotate, 0)[0], run.params())


def _follow_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
