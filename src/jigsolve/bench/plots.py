"""Sections and records -> plots. The only module that imports matplotlib (extra `plot`).

Each plot is drawn for light and for dark backgrounds. The colours are those of Paul Tol, and Okabe and Ito, which are
distinguishable with any colour vision; curves carry the names of their solvers.
"""

import io
from collections import Counter
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator

from jigsolve.bench import published
from jigsolve.bench.page import Plot
from jigsolve.bench.protocols import CLEAN
from jigsolve.bench.records import Record
from jigsolve.bench.sections import FIRST_SOLVER, Line, Mean, Section, group_by_picture, mean_of, rank_solvers

WIDTH = 11.5  # inches; 72 points each
MAX_COLUMNS = 4  # of panels
ROW_HEIGHT = 0.25  # inches, of a row of dots
LABEL_HEIGHT = 0.8  # inches of a panel's height for title and labels, about
MAX_NAMED_BARS = 24
EQUAL_NC = 0.005  # points: smaller differences count as equal


class Palette(NamedTuple):
    """Colours for one background. solvers: all but the first one's."""

    ink: str
    quiet: str
    grid: str
    good: str
    bad: str
    first_solver: str
    solvers: tuple[str, ...]


LIGHT = Palette("#23262d", "#646a75", "#e3e0d8", "#0072b2", "#d55e00", "#12757f",
                ("#332288", "#cc6677", "#117733", "#882255", "#999933", "#aa4499", "#5a7bd0", "#661100", "#44aa99",
                 "#c9a227", "#6f6f6f"))  # fmt: skip
DARK = Palette("#eceae5", "#a0a6b2", "#343943", "#56b4e9", "#f08a4b", "#6fd3dd",
               ("#9a93e8", "#ee99aa", "#66c285", "#d989b0", "#d3d36a", "#d9a3ea", "#8fb4ff", "#e08a6a", "#7fd8c8",
                "#ffd166", "#b5b5b5"))  # fmt: skip
MARKERS = "oD^vPs*Xp<>h"  # the first is that of the first solver


Draw = Callable[[Palette], Figure]
Style = tuple[str, str]  # colour and marker
Point = tuple[float, Mean]  # a number of pieces, and what is plotted against it


def draw_plots(sections: Sequence[Section], records: Sequence[Record], pair: tuple[str, str] | None) -> list[Plot]:
    """All plots that the results allow. pair: two solvers to compare picture by picture."""
    clean = [section for section in sections if any(one.ours and one.protocol == CLEAN for one in section.lines)]
    several = [section for section in sections if _lines_of_several_protocols(section)]
    plots = []
    if clean:
        plots += [
            _make_plot("solvers", "Solvers", "NC here, with its interval (filled), and as published (hollow).",
                       lambda palette: _draw_solvers(clean, palette)),
            _make_plot("accuracy", "Accuracy against size", "NC against the number of pieces, with intervals.",
                       lambda palette: _draw_sizes(clean, palette, lambda one: one.neighbour, "NC %", log=False)),
            _make_plot("time", "Time against size", "CPU seconds a puzzle against the number of pieces.",
                       lambda palette: _draw_sizes(clean, palette, lambda one: one.cpu, "CPU seconds", log=True)),
        ]  # fmt: skip
    if pair is not None:
        about = f"NC of {pair[0]} minus that of {pair[1]}, picture by picture, in points."
        plots.append(_make_plot("difference", f"{pair[0]} against {pair[1]}", about,
                                lambda palette: _draw_differences(sections, records, pair, palette)))  # fmt: skip
    if several:
        about = "NC under every protocol, with intervals."
        plots.append(_make_plot("protocols", "Protocols", about, lambda palette: _draw_protocols(several, palette)))
    return plots


def _make_plot(name: str, title: str, about: str, draw: Draw) -> Plot:
    (light, png), (dark,) = _save(name, draw, LIGHT, ("svg", "png")), _save(name, draw, DARK, ("svg",))
    return Plot(name, title, about, (light, dark), png)


def _save(name: str, draw: Draw, palette: Palette, formats: Sequence[str]) -> list[bytes]:
    """One drawing in several file formats, reproducible to the byte."""
    settings: dict[str, Any] = {
        "font.family": "DejaVu Sans", "font.size": 8.5, "svg.hashsalt": name, "axes.spines.top": False,
        "axes.spines.right": False, "axes.titlesize": 9.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
        "text.color": palette.ink, "axes.titlecolor": palette.ink, "ytick.color": palette.ink,
        "xtick.color": palette.quiet, "axes.labelcolor": palette.quiet, "axes.edgecolor": palette.grid,
        "grid.color": palette.grid,
    }  # fmt: skip
    saved = []
    with mpl.rc_context(settings):
        figure = draw(palette)
        for format_ in formats:
            file = io.BytesIO()
            meta = {"Date": None} if format_ == "svg" else {"Software": None}
            figure.savefig(file, format=format_, dpi=160, transparent=format_ == "svg", metadata=meta)
            figure.set_layout_engine("none")  # the first save has laid it out
            saved.append(file.getvalue())
    return saved


def _make_panels(
    sections: Sequence[Section], heights: Sequence[float], columns: int = MAX_COLUMNS
) -> tuple[Figure, list[Axes]]:
    """A figure with a panel for each section. heights: inches of each; columns: the largest number of them."""
    cols = min(columns, len(sections))
    rows = -(-len(sections) // cols)
    tall = [max(heights[k : k + cols]) for k in range(0, len(heights), cols)]
    width = WIDTH if len(sections) > 1 else 0.7 * WIDTH
    figure = Figure(figsize=(width, sum(tall)), layout="constrained")
    figure.get_layout_engine().set(wspace=0.05, hspace=0.06)
    axes = figure.subplots(rows, cols, squeeze=False, gridspec_kw={"height_ratios": tall}).ravel()
    for unused in axes[len(sections) :]:
        unused.set_visible(False)
    for ax, section in zip(axes, sections, strict=False):
        ax.set_title(f"{section.dataset}, Type {section.type}")
        ax.set_axisbelow(True)
    return figure, list(axes[: len(sections)])


def _choose_styles(sections: Sequence[Section], palette: Palette) -> dict[str, Style]:
    """The style of each of our solvers."""
    names = rank_solvers(line.solver for section in sections for line in section.lines if line.ours)
    others = [name for name in names if name != FIRST_SOLVER]
    colours, markers = palette.solvers, MARKERS[1:]
    found = {name: (colours[k % len(colours)], markers[k % len(markers)]) for k, name in enumerate(others)}
    return {FIRST_SOLVER: (palette.first_solver, MARKERS[0]), **found}


def _draw_dot(ax: Axes, mean: Mean, y: float, colour: str) -> None:
    if mean.lo is not None and mean.hi is not None:
        ax.plot([mean.lo, mean.hi], [y, y], color=colour, linewidth=2.2, alpha=0.45, solid_capstyle="round")
    ax.scatter([mean.value], [y], color=colour, s=38, zorder=3, linewidths=0, clip_on=False)


def _set_dot_axes(ax: Axes, lines: Sequence[Line], labels: Sequence[str]) -> None:
    """NC in percent across, up to 100 and from below the lowest interval; a label for each row of dots."""
    lowest = min(line.neighbour.lo or line.neighbour.value for line in lines)
    ax.set_xlim(max(-2.0, np.floor(lowest / 5) * 5 - 1), 100)
    ax.grid(axis="x", linewidth=0.8)
    ax.tick_params(length=0)
    ax.set_xlabel("NC %")
    ax.set_ylim(len(labels) - 0.5, -0.5)
    ax.set_yticks(range(len(labels)), labels)


def _draw_solvers(sections: Sequence[Section], palette: Palette) -> Figure:
    """A row for each solver, in the same order in all panels: ours filled, its paper's figure hollow."""
    rows = _order_rows(sections)
    figure, axes = _make_panels(sections, [ROW_HEIGHT * len(rows) + 0.75] * len(sections))
    for k, (ax, section) in enumerate(zip(axes, sections, strict=True)):
        lines = [line for line in section.lines if line.protocol == CLEAN]
        for y, (solver, papers) in enumerate(rows):
            for line in lines:
                if line.ours and line.solver == solver:
                    colour = palette.first_solver if solver == FIRST_SOLVER else palette.ink
                    _draw_dot(ax, line.neighbour, y, colour)
                elif not line.ours and line.source in papers:
                    ax.scatter([line.neighbour.value], [y], s=34, marker="D", facecolors="none",
                               edgecolors=palette.bad, linewidths=1.2, zorder=4)  # fmt: skip
        names = [solver or papers[0] for solver, papers in rows]
        _set_dot_axes(ax, lines, names if k % MAX_COLUMNS == 0 else [""] * len(rows))
    filled = Line2D([], [], marker="o", linestyle="none", color=palette.ink, label="here, with its interval")
    hollow = Line2D([], [], marker="D", linestyle="none", markerfacecolor="none", color=palette.bad, label="published")
    figure.legend(handles=[filled, hollow], loc="outside upper right", ncols=2, frameon=False)
    return figure


def _order_rows(sections: Sequence[Section]) -> list[tuple[str, tuple[str, ...]]]:
    """(solver, its papers), best first, then papers without a solver of ours.

    A solver's NC counts relative to the mean of each section, since not all solvers may have solved all sections.
    """
    lead: dict[str, list[float]] = {}
    for section in sections:
        lines = [line for line in section.lines if line.protocol == CLEAN and line.ours]
        mean = float(np.mean([line.neighbour.value for line in lines]))
        for line in lines:
            lead.setdefault(line.solver, []).append(line.neighbour.value - mean)
    ours = sorted(lead, key=lambda name: -float(np.mean(lead[name])))
    papers = published.papers_by_solver()
    covered = {paper for name in ours for paper in papers.get(name, ())}
    shown = {line.source for section in sections for line in section.lines if not line.ours}
    return [
        *((name, papers.get(name, ())) for name in ours),
        *(("", (name,)) for name in published.load_sources() if name in shown - covered),
    ]


def _draw_sizes(
    sections: Sequence[Section], palette: Palette, value: Callable[[Line], Mean | None], label: str, log: bool
) -> Figure:
    """A panel for each type, a curve for each solver."""
    types = sorted({section.type for section in sections})
    styles = _choose_styles(sections, palette)
    firsts = [next(section for section in sections if section.type == type_) for type_ in types]
    figure, axes = _make_panels(firsts, [max(3.4, 0.19 * len(styles) + 1.2)] * len(firsts), columns=2)
    for ax, type_ in zip(axes, types, strict=True):
        ax.set_title(f"Type {type_}")
        curves: dict[str, list[Point]] = {}
        for section in sections:
            for line in section.lines:
                mean = value(line)
                if section.type == type_ and line.ours and line.protocol == CLEAN and mean is not None:
                    curves.setdefault(line.solver, []).append((sum(section.pieces) / 2, mean))
        sizes = sorted({x for points in curves.values() for x, _ in points})
        names = rank_solvers(curves)
        for k, solver in enumerate(names):  # beside each other, so that intervals do not overlap
            shift = (1.25 * sizes[-1] / sizes[0]) ** (0.008 * (k - (len(names) - 1) / 2))
            curves[solver] = [(x * shift, mean) for x, mean in sorted(curves[solver])]
            _draw_curve(ax, curves[solver], styles[solver], bold=solver == FIRST_SOLVER)
        _set_size_axis(ax, sizes)
        ax.set_ylabel(label)
        ax.grid(axis="y", linewidth=0.8)
        if log:
            ax.set_yscale("log")
            ax.yaxis.set_major_locator(LogLocator(10, subs=(1, 2, 5)))
            ax.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
            ax.minorticks_off()
        else:
            ax.set_ylim(top=100)
        _name_curves(ax, {solver: points[-1] for solver, points in curves.items()}, styles)
    return figure


def _draw_curve(ax: Axes, points: Sequence[Point], style: Style, bold: bool) -> None:
    colour, marker = style
    ax.plot([x for x, _ in points], [mean.value for _, mean in points], color=colour, marker=marker,
            markersize=6 if bold else 5, linewidth=2.4 if bold else 1.3, markeredgewidth=0, clip_on=False,
            zorder=4 if bold else 3)  # fmt: skip
    for x, mean in points:
        if mean.lo is not None and mean.hi is not None:
            ax.plot([x, x], [mean.lo, mean.hi], color=colour, linewidth=1.1, alpha=0.35, zorder=2)


def _set_size_axis(ax: Axes, sizes: Sequence[float]) -> None:
    ax.set_xscale("log")
    ax.set_xlim(sizes[0] / 1.12, sizes[-1] * 1.12)
    ticks = [sizes[0]]
    for size in sizes[1:]:  # labels must not overlap
        if np.log(size / ticks[-1]) > 0.09 * np.log(sizes[-1] * 1.25 / sizes[0]):
            ticks.append(size)
    ax.set_xticks(ticks, [f"{size:,.0f}" for size in ticks])
    ax.minorticks_off()
    ax.tick_params(length=0)
    ax.set_xlabel("pieces")


def _name_curves(ax: Axes, ends: dict[str, Point], styles: dict[str, Style]) -> None:
    """Names on the right without overlaps, each with a thin line to the end of its curve."""
    names = sorted(ends, key=lambda name: ends[name][1].value)
    scale = ax.yaxis.get_transform()
    lo, hi = scale.transform(np.array(ax.get_ylim()))
    wanted = ((scale.transform(np.array([ends[name][1].value for name in names])) - lo) / (hi - lo)).tolist()
    step = 12 / 72 / (ax.figure.get_figheight() - LABEL_HEIGHT)
    for name, y in zip(names, spread_out(wanted, step), strict=True):
        x, mean = ends[name]
        colour = styles[name][0]
        ax.annotate(
            name, (x, mean.value), xytext=(1.04, y), textcoords="axes fraction", color=colour, va="center",
            fontsize=8.5, fontweight="bold" if name == FIRST_SOLVER else "normal", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "alpha": 0.6, "shrinkA": 1, "shrinkB": 3},
        )  # fmt: skip


def spread_out(wanted: Sequence[float], step: float) -> list[float]:
    """Positions in rising order with at least `step` between them, as near to the wanted ones as possible."""
    runs: list[tuple[float, int]] = []  # the middle and the length of each run of adjacent positions
    for position in wanted:
        middle, count = position, 1
        while runs and middle - runs[-1][0] < step * (count + runs[-1][1]) / 2:
            last, more = runs.pop()
            middle, count = (last * more + middle * count) / (more + count), more + count
        runs.append((middle, count))
    return [middle + step * (k - (count - 1) / 2) for middle, count in runs for k in range(count)]


def compute_differences(section: Section, records: Sequence[Record], pair: tuple[str, str]) -> dict[str, float]:
    """Picture -> NC of the first solver minus that of the second, in points, on clean puzzles that both have solved."""
    found, key_of = [], attrgetter("dataset", "type", "piece", "protocol", "solver")
    for solver in pair:
        key = section.dataset, section.type, section.piece, CLEAN, solver
        wanted = [one for one in records if key_of(one.run) == key]
        values = group_by_picture(wanted, lambda one: 100 * one.scores.neighbour)
        found.append({name: float(np.mean(seeds)) for name, seeds in values.items()})
    return {name: found[0][name] - found[1][name] for name in found[0] if name in found[1]}


def _draw_differences(
    sections: Sequence[Section], records: Sequence[Record], pair: tuple[str, str], palette: Palette
) -> Figure:
    compared = [(section, found) for section in sections if (found := compute_differences(section, records, pair))]
    figure, axes = _make_panels([section for section, _ in compared], [2.7] * len(compared), columns=2)
    for ax, (_, found) in zip(axes, compared, strict=True):
        names = sorted(found, key=lambda name: -found[name])
        bars = [found[name] for name in names]
        ax.bar(range(len(bars)), bars, color=[palette.good if bar >= 0 else palette.bad for bar in bars], width=0.72)
        ax.axhline(0, color=palette.quiet, linewidth=0.9)
        ax.grid(axis="y", linewidth=0.8)
        ax.tick_params(length=0)
        ax.spines["bottom"].set_visible(False)
        if len(names) <= MAX_NAMED_BARS:
            short = [name.rpartition(".")[0] or name for name in names]
            steep = 60 if max(map(len, short)) > 3 else 0
            ax.set_xticks(range(len(names)), short, rotation=steep, fontsize=7.5, ha="right" if steep else "center")
        else:
            ax.set_xticks([])
        ax.set_xlabel("picture")
        ax.set_title(_describe_bars(bars), loc="right", fontsize=8, fontweight="normal", color=palette.quiet)
        ax.set_ylabel(f"NC {pair[0]} − {pair[1]}")
        ax.margins(x=0.02, y=0.08)
    return figure


def _describe_bars(bars: Sequence[float]) -> str:
    mean = mean_of([[value] for value in bars])
    interval = f" ({mean.lo:+.2f} to {mean.hi:+.2f})" if mean.lo is not None else ""
    better, worse = sum(bar > EQUAL_NC for bar in bars), sum(bar < -EQUAL_NC for bar in bars)
    return f"mean {mean.value:+.2f}{interval}; {better} better, {len(bars) - better - worse} equal, {worse} worse"


def _draw_protocols(sections: Sequence[Section], palette: Palette) -> Figure:
    """A row for each protocol; only solvers that were run under several."""
    styles = _choose_styles(sections, palette)
    shown = [_lines_of_several_protocols(section) for section in sections]
    heights = [ROW_HEIGHT * 1.25 * len({line.protocol for line in lines}) + 1.1 for lines in shown]
    figure, axes = _make_panels(sections, heights, columns=2)
    for ax, lines in zip(axes, shown, strict=True):
        protocols = list(dict.fromkeys(line.protocol for line in lines))
        solvers = rank_solvers(line.solver for line in lines)
        for line in lines:
            shift = (solvers.index(line.solver) - (len(solvers) - 1) / 2) * min(0.16, 0.7 / len(solvers))
            _draw_dot(ax, line.neighbour, protocols.index(line.protocol) + shift, styles[line.solver][0])
        _set_dot_axes(ax, lines, protocols)
    named = rank_solvers(line.solver for lines in shown for line in lines)
    dots = [Line2D([], [], marker="o", linestyle="none", color=styles[name][0], label=name) for name in named]
    figure.legend(handles=dots, loc="outside upper right", ncols=6, frameon=False)
    return figure


def _lines_of_several_protocols(section: Section) -> list[Line]:
    """The lines of our solvers that were run under several protocols."""
    ours = [line for line in section.lines if line.ours]
    count = Counter(line.solver for line in ours)
    return [line for line in ours if count[line.solver] > 1]
