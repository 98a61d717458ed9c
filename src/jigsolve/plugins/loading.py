"""Load solvers, compatibilities and dissimilarities from plugin files or installed packages.

A plugin file has one or more of the name tables SOLVERS, COMPATIBILITIES and DISSIMILARITIES. An installed package has
entry points in the groups jigsolve.solvers and so on; it is imported when one of its names is asked for.
"""

import re
import sys
import traceback
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import PurePath
from types import ModuleType
from typing import Any

from jigsolve.compatibility import COMPATIBILITIES
from jigsolve.dissimilarity import DISSIMILARITIES
from jigsolve.runtime import InputError
from jigsolve.solvers import SOLVERS


@dataclass(frozen=True)
class Plugin:
    """Where a name comes from: a file, whose source is sent along with a run, or a package, which must be installed."""

    name: str
    source: bytes | None = None

    @cached_property
    def mark(self) -> str:
        """Name and digest, which identify a version."""
        if self.source is None:
            return self.name
        return f"{PurePath(self.name).name} {sha256(self.source).hexdigest()[:16]}"


@dataclass(frozen=True)
class Stage:
    """A stage of the pipeline with a name table. needs: attributes that every entry must have."""

    name: str
    table_name: str
    table: dict[str, Any]
    needs: tuple[str, ...]

    def installed(self) -> dict[str, EntryPoint]:
        return {entry.name: entry for entry in entry_points(group=f"jigsolve.{self.table_name.lower()}")}


STAGES = {
    stage.name: stage
    for stage in (
        Stage("solver", "SOLVERS", SOLVERS,
              ("solve", "compatibility", "line_compatibility", "merges_copies", "allows_holes", "respects_pins",
               "supports_budget", "is_dense")),
        Stage("compatibility", "COMPATIBILITIES", COMPATIBILITIES,
              ("count_candidates", "weigh", "reads_damage", "uses_block_grids")),
        Stage("dissimilarity", "DISSIMILARITIES", DISSIMILARITIES, ("terms", "for_border")),
    )
}  # fmt: skip
_ORIGIN: dict[tuple[str, str], Plugin] = {}  # by stage and name; built-in ones have none
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")  # names become parts of file names


def load_plugin(plugin: Plugin) -> dict[str, dict[str, Any]]:
    """Register everything that a plugin file names, or nothing if one entry is bad. Returns it by stage and name.

    A file may be loaded again after it was edited, or from another place; the later version counts.
    """
    found: dict[str, dict[str, Any]] = {}
    for stage, table in _read_tables(plugin):
        if table:
            found[stage.name] = {name: _make_entry(stage, name, table[name], plugin) for name in table}
    if not found:
        titles = ", ".join(stage.table_name for stage in STAGES.values())
        raise InputError(f"Expected a table in {plugin.name}, one of {titles}, got none.")
    for word, named in found.items():
        STAGES[word].table.update(named)
        _ORIGIN.update({(word, name): plugin for name in named})
    return found


def _read_tables(plugin: Plugin) -> list[tuple[Stage, dict[Any, Any]]]:
    """What a plugin file adds to each stage. It may import our tables, extend copies of them, or write into them."""
    known = {stage.name: dict(stage.table) for stage in STAGES.values()}
    added = []
    try:
        module = _execute(plugin)
        for stage in STAGES.values():
            table = getattr(module, stage.table_name, {})
            if not isinstance(table, Mapping):
                raise InputError(f"Expected {stage.table_name} of {plugin.name} to be a dict of names, got {table!r}.")
            ours = known[stage.name]
            added.append((stage, {name: table[name] for name in table if ours.get(name) is not table[name]}))
    finally:
        for stage in STAGES.values():
            stage.table.clear()
            stage.table.update(known[stage.name])
    return added


def resolve_name(word: str, name: str) -> None:
    """Check that a name exists in a stage's table; an installed plugin is registered now."""
    stage = STAGES[word]
    if name in stage.table:
        return
    installed = stage.installed()
    if name not in installed:
        names = sorted({*stage.table, *installed})
        raise InputError(f"Expected a {word} out of {', '.join(names)}, got {name!r}.")
    entry = installed[name]
    package = Plugin(entry.value if entry.dist is None else f"{entry.dist.name} {entry.dist.version}")
    try:
        value = entry.load()
    except (Exception, SystemExit) as error:
        raise InputError(f"Expected {word} {name!r} in {package.name}, got {describe_error(error)}.") from error
    stage.table[name] = _make_entry(stage, name, value, package)
    _ORIGIN[word, name] = package


def origins(solver: str, compatibility: str | None, dissimilarity: str) -> tuple[Plugin, ...]:
    """The plugins that a solve with these names uses."""
    rule = compatibility or SOLVERS[solver].compatibility
    used = {"solver": solver, "compatibility": rule, "dissimilarity": dissimilarity}.items()
    return tuple(dict.fromkeys(_ORIGIN[each] for each in used if each in _ORIGIN))


@contextmanager
def blame(used: Collection[Plugin]) -> Iterator[None]:
    """Report errors in one line if plugins are in use, since they are likely theirs; others are bugs of ours."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        if not used:
            raise
        names = " ".join(plugin.name for plugin in used)
        line = f"Expected {names} to work, got {describe_error(error)}; jigsolve check says what is wrong."
        raise InputError(line) from error


def describe_error(error: BaseException) -> str:
    """An exception in one line, with the place where it was raised."""
    what = " ".join("".join(traceback.format_exception_only(error)[-1:]).split())
    if isinstance(error, SyntaxError):
        return f"{what} (line {error.lineno})"
    calls = list(traceback.extract_tb(error.__traceback__))
    files = {plugin.name for plugin in _ORIGIN.values()}
    calls = [call for call in calls if call.filename in files] or calls  # not where it calls a library wrongly
    return f"{what} ({PurePath(calls[-1].filename).name}, line {calls[-1].lineno})" if calls else what


def _execute(plugin: Plugin) -> ModuleType:
    """Execute a plugin file. Its source may come from another machine, so it cannot be imported by path."""
    assert plugin.source is not None
    module = ModuleType(f"jigsolve_plugin_{sha256(plugin.source).hexdigest()[:16]}")
    module.__file__ = plugin.name
    sys.modules[module.__name__] = module  # dataclasses look up their own module there
    try:
        exec(compile(plugin.source, plugin.name, "exec", dont_inherit=True), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise InputError(f"Expected a plugin in {plugin.name}, got {describe_error(error)}.") from error
    return module


def _make_entry(stage: Stage, name: object, value: Any, plugin: Plugin) -> Any:
    """Check an entry of a plugin's table; a class is instantiated."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(f"Expected a {stage.name}'s name of letters, digits and -, got {name!r} in {plugin.name}.")
    before = _ORIGIN.get((stage.name, name))
    is_same = before is not None and (before.name == plugin.name or before.mark == plugin.mark)
    if name in stage.table and not is_same:
        raise InputError(f"Expected a new name for a {stage.name}, got {name!r} in {plugin.name}, which is taken.")
    what = f"{stage.name} {name!r} of {plugin.name}"
    try:
        value = value() if isinstance(value, type) else value
        lacking = [need for need in stage.needs if not hasattr(value, need)]
    except (Exception, SystemExit) as error:
        raise InputError(f"Expected {what}, got {describe_error(error)}.") from error
    if lacking:
        raise InputError(f"Expected {what} to have {', '.join(lacking)}.")
    return value
