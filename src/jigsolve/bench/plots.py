"""Sections and records -> plots; the only module that knows matplotlib (extra `plot`).

Each plot is drawn twice, for light and for dark ground. Colours are after Paul Tol, and Okabe and Ito, whose palettes
can be told apart with any kind of colour vision; where lines are many, each carries its solver's name.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator

from jigsolve.bench import published
from jigsolve.bench.interval import Mean, mean_of
from jigsolve.bench.lines import FIRST, Line, Section, by_picture, ranked
from jigsolve.bench.protocols import CLEAN
from jigsolve.bench.records import Record

WIDTH = 11.5  # inches; 72 points each
COLUMNS = 4  # panels beside each other
TALL = 0.25  # inches a row of dots
LABELS = 0.8  # inches that title and labels take of a panel's height, about


class Look(NamedTuple):
    """Colours of one ground: letters, what is quiet, grid lines; for and against; solvers, ours first."""

    ink: str
    quiet: str
    grid: str
    good: str
    bad: str
    first: str
    others: tuple[str, ...]


LIGHT = Look("#23262d", "#646a75", "#e3e0d8", "#0072b2", "#d55e00", "#12757f",
             ("#332288", "#cc6677", "#117733", "#882255", "#999933", "#aa4499", "#5a7bd0", "#661100", "#44aa99",
              "#c9a227", "#6f6f6f"))  # fmt: skip
DARK = Look("#eceae5", "#a0a6b2", "#343943", "#56b4e9", "#f08a4b", "#6fd3dd",
            ("#9a93e8", "#ee99aa", "#66c285", "#d989b0", "#d3d36a", "#d9a3ea", "#8fb4ff", "#e08a6a", "#7fd8c8",
             "#ffd166", "#b5b5b5"))  # fmt: skip
MARKERS = "oD^vPs*Xp<>h"


class Plot(NamedTuple):
    """name: of its files. svg: for light ground, and for dark; png: for light."""

    name: str
    title: str
    about: str
    svg: tuple[bytes, bytes]
    png: bytes


Draw = Callable[[Look], Figure]


def plots(sections: Sequence[Section], records: Sequence[Record], pair: tuple[str, str] | None) -> list[Plot]:
    """All plots that the results give reason for. pair: two solvers to compare picture by picture."""
    clean = [section for section in sections if any(one.ours and one.protocol == CLEAN for one in section.lines)]
    drawn = []
    if clean:
        drawn += [
            _plot("solvers", "Solvers", "NC here, with its interval (filled), and as published (hollow).",
                  lambda look: _solvers(clean, look)),
            _plot("accuracy", "Accuracy against size", "NC against the number of pieces, with intervals.",
                  lambda look: _sizes(clean, look, lambda one: one.neighbour, "NC %", log=False)),
            _plot("time", "Time against size", "CPU seconds a puzzle against the number of pieces.",
                  lambda look: _sizes(clean, look, lambda one: one.seconds, "CPU seconds", log=True)),
        ]  # fmt: skip
    if pair is not None:
        drawn.append(
            _plot("difference", f"{pair[0]} against {pair[1]}",
                  f"NC of {pair[0]} less that of {pair[1]}, picture by picture, in points.",
                  lambda look: _differences(sections, records, pair, look))
        )  # fmt: skip
    several = [section for section in sections if _of_several(section)]
    if several:
        about = "NC of every kind of puzzle, with intervals."
        drawn.append(_plot("protocols", "PieceClasses of puzzles", about, lambda look: _protocols(several, look)))
    return drawn


def _plot(name: str, title: str, about: str, draw: Draw) -> Plot:
    settings: dict[str, Any] = {
        "font.family": "DejaVu Sans", "font.size": 8.5, "svg.hashsalt": name, "axes.spines.top": False,
        "axes.spines.right": False, "axes.titlesize": 9.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
    }  # fmt: skip
    with mpl.rc_context(settings):
        light, dark = _saved(draw, LIGHT, ("svg", "png")), _saved(draw, DARK, ("svg",))
    return Plot(name, title, about, (light[0], dark[0]), light[1])


def _saved(draw: Draw, look: Look, kinds: Sequence[str]) -> list[bytes]:
    """One drawing as files of some kinds, the same at any time."""
    colours = {"text.color": look.ink, "axes.titlecolor": look.ink, "ytick.color": look.ink, "xtick.color": look.quiet,
               "axes.labelcolor": look.quiet, "axes.edgecolor": look.grid, "grid.color": look.grid}  # fmt: skip
    saved = []
    with mpl.rc_context(colours):
        figure = draw(look)
        for kind in kinds:
            file = io.BytesIO()
            meta = {"Date": None} if kind == "svg" else {"Software": None}
            figure.savefig(file, format=kind, dpi=160, transparent=kind == "svg", metadata=meta)
            figure.set_layout_engine("none")  # it is laid out by now
            saved.append(file.getvalue())
    return saved


def _panels(sections: Sequence[Section], heights: Sequence[float], columns: int = COLUMNS) -> tuple[Figure, list[Axes]]:
    """A panel each, at most so many beside each other."""
    cols = min(columns, len(sections))
    rows = -(-len(sections) // cols)
    tall = [max(heights[k : k + cols]) for k in range(0, len(heights), cols)]
    width = WIDTH if len(sections) > 1 else 0.7 * WIDTH
    figure = Figure(figsize=(width, sum(tall)), layout="constrained")
    figure.get_layout_engine().set(wspace=0.05, hspace=0.06)
    axes = figure.subplots(rows, cols, squeeze=False, gridspec_kw={"height_ratios": tall}).ravel()
    for spare in axes[len(sections) :]:
        spare.set_visible(False)
    for ax, section in zip(axes, sections, strict=False):
        ax.set_title(f"{section.folder}, Type {section.kind}")
        ax.set_axisbelow(True)
    return figure, list(axes[: len(sections)])


def _colours(solvers: Iterable[str], look: Look) -> dict[str, tuple[str, str]]:
    """Solver -> its colour and marker; the same in all plots of a report."""
    names = ranked(solvers)
    others = [name for name in names if name != FIRST]
    found = {name: (look.others[k % len(look.others)], MARKERS[1 + k % 11]) for k, name in enumerate(others)}
    return {FIRST: (look.first, MARKERS[0]), **found}


def _all_solvers(sections: Sequence[Section]) -> list[str]:
    return ranked(line.solver for section in sections for line in section.lines if line.ours)


def _dot(ax: Axes, mean: Mean, y: float, colour: str, size: float = 38) -> None:
    if mean.lo is not None and mean.hi is not None:
        ax.plot([mean.lo, mean.hi], [y, y], color=colour, linewidth=2.2, alpha=0.45, solid_capstyle="round")
    ax.scatter([mean.value], [y], color=colour, s=size, zorder=3, linewidths=0)


def _shares(ax: Axes, values: Sequence[float]) -> None:
    """An axis of percents that ends at 100 and begins below what is shown."""
    ax.set_xlim(max(-2.0, np.floor(min(values) / 5) * 5 - 1), 101)
    ax.grid(axis="x", linewidth=0.8)
    ax.tick_params(length=0)
    ax.set_xlabel("NC %")


def _solvers(sections: Sequence[Section], look: Look) -> Figure:
    """A row a solver, in the same order in all panels: ours filled, what its paper says hollow."""
    rows = _rows(sections)
    figure, axes = _panels(sections, [TALL * len(rows) + 0.75] * len(sections))
    for k, (ax, section) in enumerate(zip(axes, sections, strict=True)):
        lines = [line for line in section.lines if line.protocol == CLEAN]
        for y, (solver, papers) in enumerate(rows):
            for line in lines:
                if line.ours and line.solver == solver:
                    _dot(ax, line.neighbour, y, look.first if solver == FIRST else look.ink)
                elif not line.ours and line.source in papers:
                    ax.scatter([line.neighbour.value], [y], s=34, marker="D", facecolors="none",
                               edgecolors=look.bad, linewidths=1.2, zorder=4)  # fmt: skip
        _shares(ax, [line.neighbour.lo or line.neighbour.value for line in lines])
        ax.set_ylim(len(rows) - 0.5, -0.5)
        labels = [solver or papers[0] for solver, papers in rows] if k % COLUMNS == 0 else [""] * len(rows)
        ax.set_yticks(range(len(rows)), labels)
    filled = Line2D([], [], marker="o", linestyle="none", color=look.ink, label="here, with its interval")
    hollow = Line2D([], [], marker="D", linestyle="none", markerfacecolor="none", color=look.bad, label="published")
    figure.legend(handles=[filled, hollow], loc="outside upper right", ncols=2, frameon=False)
    return figure


def _rows(sections: Sequence[Section]) -> list[tuple[str, tuple[str, ...]]]:
    """(solver, its papers), and papers without a solver of ours; the best here first, each against the mean of what it
    was measured on, for not all may have solved all."""
    ahead: dict[str, list[float]] = {}
    for section in sections:
        lines = [line for line in section.lines if line.protocol == CLEAN and line.ours]
        usual = float(np.mean([line.neighbour.value for line in lines]))
        for line in lines:
            ahead.setdefault(line.solver, []).append(line.neighbour.value - usual)
    ours = sorted(ahead, key=lambda name: -float(np.mean(ahead[name])))
    made = published.solvers()
    met = {paper for name in ours for paper in made.get(name, ())}
    shown = {line.source for section in sections for line in section.lines if not line.ours}
    return [
        *((name, made.get(name, ())) for name in ours),
        *(("", (name,)) for name in published.sources() if name in shown - met),
    ]


def _sizes(
    sections: Sequence[Section], look: Look, value: Callable[[Line], Mean | None], label: str, log: bool
) -> Figure:
    """A panel a type, a line a solver."""
    kinds = sorted({section.kind for section in sections})
    colours = _colours(_all_solvers(sections), look)
    shown = [next(section for section in sections if section.kind == kind) for kind in kinds]
    figure, axes = _panels(shown, [max(3.4, 0.19 * len(colours) + 1.2)] * len(shown), columns=2)
    for ax, kind in zip(axes, kinds, strict=True):
        ax.set_title(f"Type {kind}")
        curves: dict[str, list[tuple[float, Mean]]] = {}
        for section in sections:
            for line in section.lines:
                mean = value(line)
                if section.kind == kind and line.ours and line.protocol == CLEAN and mean is not None:
                    curves.setdefault(line.solver, []).append((sum(section.pieces) / 2, mean))
        sizes = sorted({x for points in curves.values() for x, _ in points})
        names = ranked(curves)
        for k, solver in enumerate(names):  # beside each other, so that intervals can be told apart
            beside = (1.25 * sizes[-1] / sizes[0]) ** (0.008 * (k - (len(names) - 1) / 2))
            curves[solver] = [(x * beside, mean) for x, mean in sorted(curves[solver])]
            _curve(ax, curves[solver], *colours[solver], bold=solver == FIRST)
        _size_axis(ax, sizes)
        ax.set_ylabel(label)
        ax.grid(axis="y", linewidth=0.8)
        if log:
            ax.set_yscale("log")
            ax.yaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5)))
            ax.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
            ax.minorticks_off()
        else:
            ax.set_ylim(top=101)
        _name_curves(ax, {solver: points[-1] for solver, points in curves.items()}, colours)
    return figure


def _curve(ax: Axes, points: list[tuple[float, Mean]], colour: str, marker: str, bold: bool) -> None:
    at = [x for x, _ in points]
    ax.plot(at, [mean.value for _, mean in points], color=colour, marker=marker, markersize=6 if bold else 5,
            linewidth=2.4 if bold else 1.3, markeredgewidth=0, zorder=4 if bold else 3)  # fmt: skip
    for x, mean in points:
        if mean.lo is not None and mean.hi is not None:
            ax.plot([x, x], [mean.lo, mean.hi], color=colour, linewidth=1.1, alpha=0.35, zorder=2)


def _size_axis(ax: Axes, sizes: Sequence[float]) -> None:
    ax.set_xscale("log")
    ax.set_xlim(sizes[0] / 1.12, sizes[-1] * 1.12)
    apart = [sizes[0]]
    for size in sizes[1:]:  # figures must not run into each other
        if np.log(size / apart[-1]) > 0.09 * np.log(sizes[-1] * 1.25 / sizes[0]):
            apart.append(size)
    ax.set_xticks(apart, [f"{size:,.0f}" for size in apart])
    ax.minorticks_off()
    ax.tick_params(length=0)
    ax.set_xlabel("pieces")


def _name_curves(ax: Axes, ends: dict[str, tuple[float, Mean]], colours: dict[str, tuple[str, str]]) -> None:
    """Names at the right, as far apart as letters need, each with a thin line to the end of its curve."""
    names = sorted(ends, key=lambda name: ends[name][1].value)
    scale = ax.yaxis.get_transform()
    lo, hi = scale.transform(np.array(ax.get_ylim()))
    wanted = ((scale.transform(np.array([ends[name][1].value for name in names])) - lo) / (hi - lo)).tolist()
    step = 12 / 72 / (ax.figure.get_figheight() - LABELS)
    for name, y in zip(names, apart(wanted, step), strict=True):
        x, mean = ends[name]
        colour = colours[name][0]
        ax.annotate(
            name, (x, mean.value), xytext=(1.04, y), textcoords="axes fraction", color=colour, va="center",
            fontsize=8.5, fontweight="bold" if name == FIRST else "normal", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "alpha": 0.6, "shrinkA": 1, "shrinkB": 3},
        )  # fmt: skip


def apart(wanted: Sequence[float], step: float) -> list[float]:
    """Places in rising order, at least a step from each other, as near to the wanted ones as that allows."""
    places: list[tuple[float, int]] = []  # the middle of a run of places, and how many they are
    for place in wanted:
        middle, count = place, 1
        while places and middle - places[-1][0] < step * (count + places[-1][1]) / 2:
            last, more = places.pop()
            middle, count = (last * more + middle * count) / (more + count), more + count
        places.append((middle, count))
    return [middle + step * (k - (count - 1) / 2) for middle, count in places for k in range(count)]


def differences(section: Section, records: Sequence[Record], pair: tuple[str, str]) -> dict[str, float]:
    """Picture -> NC of the one solver less that of the other, in points; clean puzzles that both have solved."""
    found = []
    for solver in pair:
        wanted = (section.folder, section.kind, list(section.piece), CLEAN, solver)
        mine = [one for one in records if tuple(map(one.get, ("set", "type", "piece", "protocol", "solver"))) == wanted]
        values = by_picture(mine, lambda one: 100 * float(one["scores"]["neighbour"]))
        found.append({name: float(np.mean(seeds)) for name, seeds in values.items()})
    return {name: found[0][name] - found[1][name] for name in found[0] if name in found[1]}


def _differences(sections: Sequence[Section], records: Sequence[Record], pair: tuple[str, str], look: Look) -> Figure:
    compared = [(section, found) for section in sections if (found := differences(section, records, pair))]
    figure, axes = _panels([section for section, _ in compared], [2.7] * len(compared), columns=2)
    for ax, (_, found) in zip(axes, compared, strict=True):
        names = sorted(found, key=lambda name: -found[name])
        bars = [found[name] for name in names]
        ax.bar(range(len(bars)), bars, color=[look.good if bar >= 0 else look.bad for bar in bars], width=0.72)
        ax.axhline(0, color=look.quiet, linewidth=0.9)
        ax.grid(axis="y", linewidth=0.8)
        ax.tick_params(length=0)
        ax.spines["bottom"].set_visible(False)
        if len(names) <= 24:
            short = [name.rpartition(".")[0] or name for name in names]
            steep = 60 if max(map(len, short)) > 3 else 0
            ax.set_xticks(range(len(names)), short, rotation=steep, fontsize=7.5, ha="right" if steep else "center")
        else:
            ax.set_xticks([])
        ax.set_xlabel("picture")
        mean = mean_of([[value] for value in bars])
        told = f"mean {mean.value:+.2f}" + (f" ({mean.lo:+.2f} to {mean.hi:+.2f})" if mean.lo is not None else "")
        better, worse = sum(bar > 0.005 for bar in bars), sum(bar < -0.005 for bar in bars)
        told += f"; {better} better, {len(bars) - better - worse} equal, {worse} worse"
        ax.set_title(told, loc="right", fontsize=8, fontweight="normal", color=look.quiet)
        ax.set_ylabel(f"NC {pair[0]} − {pair[1]}")
        ax.margins(x=0.02, y=0.08)
    return figure


def _protocols(sections: Sequence[Section], look: Look) -> Figure:
    """A row a protocol; only solvers that were asked for several."""
    colours = _colours(_all_solvers(sections), look)
    shown = [_of_several(section) for section in sections]
    heights = [TALL * 1.25 * len({line.protocol for line in lines}) + 1.1 for lines in shown]
    figure, axes = _panels(sections, heights, columns=2)
    for ax, lines in zip(axes, shown, strict=True):
        protocols = list(dict.fromkeys(line.protocol for line in lines))
        solvers = ranked(line.solver for line in lines)
        for line in lines:
            shift = (solvers.index(line.solver) - (len(solvers) - 1) / 2) * min(0.16, 0.7 / len(solvers))
            _dot(ax, line.neighbour, protocols.index(line.protocol) + shift, colours[line.solver][0])
        _shares(ax, [line.neighbour.lo or line.neighbour.value for line in lines])
        ax.set_ylim(len(protocols) - 0.5, -0.5)
        ax.set_yticks(range(len(protocols)), protocols)
    named = ranked(line.solver for lines in shown for line in lines)
    dots = [Line2D([], [], marker="o", linestyle="none", color=colours[name][0], label=name) for name in named]
    figure.legend(handles=dots, loc="outside upper right", ncols=6, frameon=False)
    return figure


def _of_several(section: Section) -> list[Line]:
    ours = [line for line in section.lines if line.ours]
    count = Counter(line.solver for line in ours)
    return [line for line in ours if count[line.solver] > 1]
