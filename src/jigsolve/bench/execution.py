"""Executes the runs of a campaign, in processes or on a cluster, and writes their result files."""

import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import nullcontext, suppress
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from typing import Any

import numpy as np

from jigsolve.bags.mixed import solve_mixed
from jigsolve.bench.caches import make_cache, score_cache
from jigsolve.bench.campaign import Run
from jigsolve.bench.protocols import CACHE, MIXED, Bag, make_bag, make_case, parse_protocol
from jigsolve.bench.records import Outcome, Record
from jigsolve.bench.scoring import score_bag, score_case
from jigsolve.fragments.root import solve_fragments
from jigsolve.io import files, layout_file
from jigsolve.pipeline import Result, solve
from jigsolve.plugins import loading as plugins
from jigsolve.puzzle import Pixels, cut, scramble
from jigsolve.runtime import Clock, InputError, memory

Attempt = Outcome | str  # what a run measured, or its error message


def execute_runs(runs: Sequence[Run], folder: Path, jobs: int, cluster: str | None = None) -> Iterator[tuple[Run, str]]:
    """Execute runs and write their result files. Yields each run when it ends, with its error message ("" if none).

    jobs: the number of processes. cluster: the address of a Dask scheduler whose workers are used instead.
    """
    attempts = _execute_in_processes(runs, jobs) if cluster is None else _execute_on_cluster(runs, cluster)
    for run, attempt in attempts:
        if isinstance(attempt, str):
            yield run, attempt
            continue
        path = folder / run.name
        files.make_folder(path.parent)
        files.write_json(path, _to_record(run, attempt).to_data())
        yield run, ""


def execute_run(run: Run) -> Record:
    """Make the puzzle, solve it and score the answer, in this process."""
    return _to_record(run, measure(run, load_pictures(run)))


def _to_record(run: Run, outcome: Outcome) -> Record:
    return Record(run.key, os.path.abspath(run.picture), outcome)


def load_pictures(run: Run) -> list[Pixels]:
    """The picture of a run and, for a mixed bag or a cache, others of its folder, drawn by the seed."""
    numbers = parse_protocol(run.protocol)
    more = numbers.get(MIXED, numbers.get(CACHE, 1)) - 1
    others = [path for path in files.list_pictures(run.picture.parent) if path.name != run.picture.name] if more else []
    if len(others) < more:
        raise InputError(f"Expected {more + 1} pictures in {run.picture.parent} for {run.protocol}.")
    drawn = np.random.default_rng([run.shuffle_seed(), 2]).permutation(len(others))[:more]
    return [files.read_picture_8bit(path) for path in (run.picture, *(others[k] for k in drawn))]


def measure(run: Run, pictures: Sequence[Pixels]) -> Outcome:
    """Make the puzzle of a run from its pictures, solve it and score the answer."""
    if CACHE in parse_protocol(run.protocol):
        return _measure_cache(run, pictures)
    params = run.params()
    settings = run.piece, run.type == 2, run.shuffle_seed()
    mixed = len(pictures) > 1
    case = make_bag(run.protocol, pictures, *settings) if mixed else make_case(run.protocol, pictures[0], *settings)
    clock = Clock()
    memory.reset_peak()
    if isinstance(case, Bag):
        results = solve_mixed(case.puzzle, case.pictures, params, clock.forward, case.shape)
    else:
        results = [solve(case.given, params, clock.forward, case.pins, case.reference)]
    clock.finish()
    peak = memory.peak_bytes()
    if isinstance(case, Bag):
        truth, (scores, own_picture) = case.truths[0], score_bag(case, [result.layout for result in results])
    else:
        truth, scores, own_picture = case.truth, score_case(case, results[0].layout, results[0].input.mirrored), None
    joints = np.concatenate([result.confidence.joints for result in results])
    return Outcome(
        rows=truth.rows, cols=truth.cols, scores=scores, confidence=float(joints.mean()) if len(joints) else 1.0,
        wall=sum_charged(clock.seconds), cpu=sum_charged(clock.cpu_seconds), peak=peak, own_picture=own_picture,
        seconds=clock.seconds, consistency=sum(result.consistency for result in results),
        notes=tuple(note for result in results for note in result.notes), layouts=tuple(map(_layout_data, results)),
    )  # fmt: skip


def _measure_cache(run: Run, pictures: Sequence[Pixels]) -> Outcome:
    """The same for fragments of a cache."""
    if run.type == 2:
        raise InputError(f"Expected Type 1 with {run.protocol}: tiles of a cache lie upright.")
    cache = make_cache(pictures, run.piece, parse_protocol(run.protocol).get("missing", 0), run.shuffle_seed())
    clock = Clock()
    memory.reset_peak()
    found = solve_fragments(cache.given, run.params(), clock.forward)
    clock.finish()
    scores, right = score_cache(cache, [one.layout for one in found.fragments])
    files_data = [layout_file.LayoutFile(one.layout, run.piece, partial=found.stopped) for one in found.fragments]
    return Outcome(
        rows=cache.truths[0].rows, cols=cache.truths[0].cols, scores=scores, confidence=found.share,
        wall=sum_charged(clock.seconds), cpu=sum_charged(clock.cpu_seconds), peak=memory.peak_bytes(),
        own_picture=right, seconds=clock.seconds, layouts=tuple(map(layout_file.to_data, files_data)),
    )  # fmt: skip


def sum_charged(seconds: Mapping[str, float]) -> float:
    """The seconds that a solver is charged for: its own stages up to the layout, without the confidence's."""
    return sum(spent for stage, spent in seconds.items() if stage != "confidence")


def _layout_data(result: Result) -> dict[str, Any]:
    height, width = result.puzzle.pieces.shape[1:3]
    mirrored = result.input.mirrored_pieces
    saved = layout_file.LayoutFile(result.layout, (width, height), partial=result.stopped, mirrored=mirrored)
    return layout_file.to_data(saved)


def _execute_in_processes(runs: Sequence[Run], jobs: int) -> Iterator[tuple[Run, Attempt]]:
    others = set(active_children())
    methods = list({(run.solver, run.compatibility, run.dissimilarity): run for run in runs}.values())
    pool = ProcessPoolExecutor(min(jobs, max(1, len(runs))), get_context("spawn"), _prepare_worker, (methods,))
    try:
        futures = {pool.submit(_attempt, run): run for run in runs}
        for future in as_completed(futures):
            yield futures[future], future.result()
    except BaseException:  # stopped: nothing waits for the runs that are still under way
        for worker in set(active_children()) - others:
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _execute_on_cluster(runs: Sequence[Run], address: str) -> Iterator[tuple[Run, Attempt]]:
    """Pictures are read here and sent: the workers may have no access to our files."""
    from jigsolve.runtime.cluster import Cluster, connect

    with connect(address) as client:
        jobs = ((run, _try_loading(run)) for run in runs)
        for k, attempt in Cluster(client).map_unordered(_attempt, jobs):
            yield runs[k], attempt


def _try_loading(run: Run) -> list[Pixels] | str:
    try:
        return load_pictures(run)
    except InputError as error:
        return str(error)


def _attempt(run: Run, pictures: list[Pixels] | str | None = None) -> Attempt:
    """Measure a run; pictures: those that were loaded already, or the error of loading them."""
    pictures = _try_loading(run) if pictures is None else pictures
    try:
        return pictures if isinstance(pictures, str) else measure(run, pictures)
    except InputError as error:
        return str(error)
    except (Exception, SystemExit) as error:
        if not run.plugins:  # a bug of ours keeps its traceback; one of a plugin does not end the campaign
            raise
        return plugins.describe_error(error)


def _prepare_worker(methods: Sequence[Run]) -> None:
    """A worker ends silently on Ctrl-C and when its campaign is gone. It loads everything before it is timed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_follow_parent, daemon=True).start()
    noise = np.random.default_rng(0).integers(0, 256, (24, 24, 3), dtype=np.uint8)
    for run in methods:
        for rotate in (False, True):
            with suppress(Exception, SystemExit) if run.plugins else nullcontext():  # the runs themselves report it
                solve(scramble(cut(noise, 8), rotate, 0)[0], run.params())


def _follow_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
