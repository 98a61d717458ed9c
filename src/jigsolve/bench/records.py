"""Result files: the record of a run as JSON data and back, and all records below some folders."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar, cast

from jigsolve.io import files
from jigsolve.io.json_checks import check_header, check_integer, check_list, check_object, describe_value
from jigsolve.puzzle import Scores
from jigsolve.runtime import InputError

T = TypeVar("T")

FORMAT = "jigsolve-run"
VERSION = 2
MAX_PIXELS = 1_000_000  # along a piece


@dataclass(frozen=True)
class RunKey:
    """Which run a record belongs to."""

    program: str  # the version of jigsolve
    dataset: str  # the name of the pictures' folder
    picture: str
    piece: tuple[int, int]  # (width, height)
    type: int  # 1 (upright) or 2 (turned)
    protocol: str
    solver: str  # with its compatibility and dissimilarity, where these were chosen
    seed: int
    plugins: tuple[str, ...] = ()  # name and fingerprint of every plugin that the run uses


@dataclass(frozen=True)
class Outcome:
    """What a run measured. Estimating the confidence is not charged to the solver."""

    rows: int  # of the true picture (the first one of a mixed bag)
    cols: int
    scores: Scores  # means over the pictures of a mixed bag
    confidence: float  # the mean probability that the program gives to the joints of its answer
    wall: float  # seconds of all stages up to the layout
    cpu: float  # the same
    peak: int  # the largest amount of memory that the process held, in bytes
    own_picture: float | None = None  # share of a mixed bag's pieces in their own picture; None for a single picture
    seconds: Mapping[str, float] = field(default_factory=dict)  # wall seconds by stage, confidence included
    consistency: float = 0.0
    notes: tuple[str, ...] = ()
    layouts: tuple[Mapping[str, Any], ...] = ()  # every answer, as data of a layout file

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
    def from_data(cls, data: object) -> Self:
        """From data out of JSON. Layouts are checked where they are used; tables do without them."""
        data = check_header(data, "result", FORMAT, VERSION)
        answers = [data["layout"]] if "layout" in data else []
        data = {"plugins": [], "seconds": {}, "consistency": 0.0, "notes": [], "layouts": answers} | data
        scores = check_object(data.get("scores"), "scores")
        width, height = check_list(data.get("piece"), "piece", 2, "[width, height]")
        piece = check_integer(width, "piece", 1, MAX_PIXELS), check_integer(height, "piece", 1, MAX_PIXELS)
        run = RunKey(
            _read(data, "jigsolve", str), _read(data, "set", str), _read(data, "picture", str), piece,
            _read(data, "type", int, 1, 2), _read(data, "protocol", str), _read(data, "solver", str),
            _read(data, "seed", int), tuple(_read(data, "plugins", list)),
        )  # fmt: skip
        direct, neighbour, perfect, picture = (
            _read(scores, key, float, most=1.0) for key in ("direct", "neighbour", "perfect", "picture")
        )
        outcome = Outcome(
            rows=_read(data, "rows", int, 1), cols=_read(data, "cols", int, 1),
            scores=Scores(direct, neighbour, bool(perfect), picture),
            confidence=_read(data, "believed", float, most=1.0), wall=_read(data, "wall", float),
            cpu=_read(data, "cpu", float), peak=_read(data, "peak", int),
            own_picture=_read(data, "own", float, most=1.0) if "own" in data else None,
            seconds=_read(data, "seconds", dict), consistency=_read(data, "consistency", float, -inf),
            notes=tuple(_read(data, "notes", list)), layouts=tuple(_read(data, "layouts", list)),
        )  # fmt: skip
        return cls(run, _read(data, "source", str), outcome)


def _read(data: dict[str, Any], key: str, type_: type[T], least: float = 0.0, most: float = inf) -> T:
    """A checked value of a JSON object. least, most: bounds of numbers."""
    value = data.get(key)
    if not isinstance(value, int | float if type_ is float else type_):
        raise InputError(f"Expected {key} as {type_.__name__}, got {describe_value(value)}.")
    if isinstance(value, int | float) and not least <= value <= most:
        raise InputError(f"Expected {key} from {least:g} to {most:g}, got {value}.")
    return cast(T, value)


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
