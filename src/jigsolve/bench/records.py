"""Result files: the record of a run as JSON data and back, and all records below some folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from jigsolve.io import files
from jigsolve.puzzle.scores import Scores
from jigsolve.runtime.errors import InputError

T = TypeVar("T")

FORMAT = "jigsolve-run"
VERSION = 2


@dataclass(frozen=True)
class RunKey:
    """Which run a record belongs to.

    program: the version of jigsolve. dataset: the name of the pictures' folder. piece: (width, height).
    type: 1 (upright) or 2 (turned). solver: with its compatibility and dissimilarity, where these were chosen.
    plugins: name and fingerprint of every plugin that the run uses.
    """

    program: str
    dataset: str
    picture: str
    piece: tuple[int, int]
    type: int
    protocol: str
    solver: str
    seed: int
    plugins: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What a run measured.

    rows, cols: of the true picture (the first one of a mixed bag).
    scores: means over the pictures of a mixed bag.
    confidence: the mean probability that the program gives to the joints of its answer.
    wall, cpu: seconds of all stages up to the layout; estimating the confidence is not charged to the solver.
    peak: the largest amount of memory that the process held, in bytes.
    own_picture: the share of a mixed bag's pieces that are in their own picture; None for a single picture.
    seconds: wall seconds by stage, confidence included.
    layouts: every answer, as data of a layout file.
    """

    rows: int
    cols: int
    scores: Scores
    confidence: float
    wall: float
    cpu: float
    peak: int
    own_picture: float | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    consistency: float = 0.0
    notes: tuple[str, ...] = ()
    layouts: tuple[Mapping[str, Any], ...] = ()

    @property
    def is_mixed(self) -> bool:
        return self.own_picture is not None


@dataclass(frozen=True)
class Record:
    """The content of a result file. source: the path of the picture, from which the puzzle can be made again."""

    run: RunKey
    source: str
    outcome: Outcome

    def to_data(self) -> dict[str, Any]:
        """As data for JSON. A mixed bag has lists of shapes and layouts; a single picture has one shape, one layout."""
        run, outcome = self.run, self.outcome
        shapes, mixed = [[layout["rows"], layout["cols"]] for layout in outcome.layouts], outcome.is_mixed
        return {
            "format": FORMAT, "version": VERSION, "jigsolve": run.program, "set": run.dataset,
            "picture": run.picture, "piece": list(run.piece), "type": run.type, "protocol": run.protocol,
            "solver": run.solver, "seed": run.seed, **({"plugins": list(run.plugins)} if run.plugins else {}),
            "source": self.source, "rows": outcome.rows, "cols": outcome.cols,
            "found": shapes if mixed else shapes[0], "scores": asdict(outcome.scores),
            **({"own": outcome.own_picture} if mixed else {}), "believed": outcome.confidence,
            "wall": outcome.wall, "cpu": outcome.cpu, "peak": outcome.peak, "seconds": dict(outcome.seconds),
            "consistency": outcome.consistency, "notes": list(outcome.notes),
            **({"layouts": list(outcome.layouts)} if mixed else {"layout": outcome.layouts[0]}),
        }  # fmt: skip

    @classmethod
    def from_data(cls, data: object) -> Record:
        """From data out of JSON. Layouts are checked where they are used; tables do without them."""
        if not isinstance(data, dict) or (data.get("format"), data.get("version")) != (FORMAT, VERSION):
            raise InputError(f'Expected a record with "format": "{FORMAT}", "version": {VERSION}.')
        scores = _read(data, "scores", dict)
        outcome = Outcome(
            _read_count(data, "rows", 1), _read_count(data, "cols", 1),
            Scores(_read_number(scores, "direct", 1.0), _read_number(scores, "neighbour", 1.0),
                   bool(_read_number(scores, "perfect", 1.0)), _read_number(scores, "picture", 1.0)),
            _read_number(data, "believed", 1.0), _read_number(data, "wall"), _read_number(data, "cpu"),
            _read_count(data, "peak"), _read_number(data, "own", 1.0) if "own" in data else None,
            _read(data, "seconds", dict, {}), _read(data, "consistency", float, 0.0),
            tuple(_read(data, "notes", list, [])),
            tuple(_read(data, "layouts", list, [data["layout"]] if "layout" in data else [])),
        )  # fmt: skip
        return cls(_read_key(data), _read(data, "source", str), outcome)


def _read_key(data: dict[str, Any]) -> RunKey:
    piece, type_ = _read(data, "piece", list), _read_count(data, "type", 1)
    if len(piece) != 2 or not all(isinstance(side, int) for side in piece):
        raise InputError(f"Expected piece as [width, height], got {piece}.")
    if type_ > 2:
        raise InputError(f"Expected type 1 or 2, got {type_}.")
    program, dataset, picture = (_read(data, key, str) for key in ("jigsolve", "set", "picture"))
    protocol, solver = (_read(data, key, str) for key in ("protocol", "solver"))
    plugins = tuple(_read(data, "plugins", list, []))
    return RunKey(program, dataset, picture, (piece[0], piece[1]), type_, protocol, solver, _read_count(data, "seed"),
                  plugins)  # fmt: skip


def _read(data: dict[str, Any], key: str, kind: type[T], default: T | None = None) -> T:
    value = data.get(key, default)
    if not isinstance(value, kind):
        raise InputError(f"Expected {key} as {kind.__name__}, got {type(value).__name__}.")
    return value


def _read_count(data: dict[str, Any], key: str, least: int = 0) -> int:
    value = _read(data, key, int)
    if value < least:
        raise InputError(f"Expected {key} of at least {least}, got {value}.")
    return value


def _read_number(data: dict[str, Any], key: str, most: float = inf) -> float:
    value = data.get(key)
    if not isinstance(value, int | float) or not 0.0 <= value <= most:
        raise InputError(f"Expected {key} from 0 to {most:g}, got {value!r}.")
    return value


def read_record(path: Path) -> Record | None:
    """The record of a result file; None if the file is damaged or holds anything else."""
    try:
        return Record.from_data(files.read_json(path))
    except InputError:
        return None


class Gathered(NamedTuple):
    """foreign: the number of JSON files without a record. duplicates: the number of records of a run met before."""

    records: list[Record]
    foreign: int
    duplicates: int


def gather_records(folders: Sequence[Path]) -> Gathered:
    """All records below some folders. Of several records of one run, by whichever version, the last one counts."""
    found: dict[RunKey, Record] = {}
    foreign = duplicates = 0
    for path in dict.fromkeys(path for folder in folders for path in files.list_json(folder)):
        record = read_record(path)
        if record is None:
            foreign += 1
            continue
        key = replace(record.run, program="", plugins=())
        duplicates += key in found
        found[key] = record
    return Gathered(list(found.values()), foreign, duplicates)
