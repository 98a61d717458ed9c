"""HTML of made-up web consoles, drawn at random: navigation, forms, tables, cards, panels and menus, as users of remote
desktops have on their screens. `render_screens.py` shows them in a browser."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path
from string import Template

import numpy as np
from draw_pages import pick_words

FONTS = ("Open Sans", "Noto Sans", "Inter", "Roboto", "Lato", "Carlito", "Liberation Sans", "Cantarell", "Ubuntu")
ACCENTS = ("#0078d4", "#0f6cbd", "#106ebe", "#0b57d0", "#1a73e8", "#e8710a", "#0d9488", "#7c3aed", "#107c10", "#c50f1f")
BARS = ("#0078d4", "#1b1a19", "#232f3e", "#ffffff", "#24292f", "#3c4043", "#512bd4", "#f3f2f1")
STATES = ("#107c10", "#d13438", "#ffb900", "#0078d4", "#8a8886")
CALLOUTS = ("#e3000b", "#ff0000", "#c00000", "#f7630c")


STYLE = Template("""<style>
* { box-sizing:border-box }
body { margin:0;font:${size}px '$font',sans-serif;background:$paper;color:$ink;height:100vh;overflow:hidden }
body, .body { display:flex } body { flex-direction:column } .body { flex:1;min-height:0 }
.i { display:inline-block;vertical-align:middle } .i svg { width:100%;height:100% }
.i:not(.logo) path { fill:currentColor }
.l { opacity:.8;display:inline-block;min-width:${label}px } .row { min-height:${row}px }
.b { display:inline-block;padding:5px 16px;border:1px solid #8a8886;border-radius:${radius}px }
.f { display:inline-block;border:1px solid #8a8886;border-radius:${radius}px;padding:4px 8px;overflow:hidden }
.f, header, nav, td, th { white-space:nowrap }
.r { display:inline-block;width:14px;height:14px;border:1px solid currentColor;border-radius:50%;font-size:11px }
.r { line-height:12px;vertical-align:middle } table { border-collapse:collapse;width:100% } p { max-width:760px }
td, th { padding:${cell}px 12px;border-bottom:1px solid $rule;text-align:left }
.card { border:1px solid $rule;border-radius:${radius}px;padding:14px } h4 { margin:6px 0 }
.n { background:$shade;padding:9px 12px } section { margin:0 0 20px }
pre { background:$shade;padding:10px;font:13px 'Cascadia Code','DejaVu Sans Mono',monospace }
nav { width:${wide}px;flex:none;border-right:1px solid $rule;background:$shade;overflow:hidden }
.nav { padding:${item}px 12px } main { flex:1;padding:12px 24px;overflow:hidden }
header { padding:8px 16px;display:flex;gap:14px;align-items:center }
.over { position:fixed;background:$paper;padding:16px 22px;box-shadow:0 4px 22px #0006;overflow:hidden }
.tab { background:#fff;padding:8px 16px;border-radius:8px 8px 0 0;display:inline-block }
footer { border-top:1px solid $rule;padding:12px 24px }
</style>""")


class Console:
    """One console: its colours, its icons, and functions that write its parts."""

    def __init__(self, rng: np.random.Generator, icons: list[Path]) -> None:
        self.rng, self.icons = rng, icons
        dark = rng.random() < 0.22
        light = [("#fff", "#faf9f8", "#323130", "#edebe9"), ("#fff", "#f6f8fa", "#1f2328", "#d1d9e0")]
        night = [("#1b1a19", "#252423", "#f3f2f1", "#3b3a39"), ("#0d1117", "#161b22", "#e6edf3", "#30363d")]
        self.paper, self.shade, self.ink, self.rule = (night if dark else light)[rng.integers(2)]
        self.accent, self.radius = str(rng.choice(ACCENTS)), int(rng.choice([0, 2, 2, 4, 6, 10]))
        self.row = int(rng.integers(28, 44))

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def words(self, least: int, most: int) -> str:
        """A label: the first word with a capital letter, sometimes all."""
        words = [w.strip("`'\".,:;()[]*=<>") for w in pick_words(self.rng, int(self.rng.integers(least, most + 1)))]
        text = " ".join(w for w in words if w) or "Overview"
        return html.escape(text.title() if self.chance(0.2) else text[:1].upper() + text[1:])

    def icon(self, size: int, colour: str | None = None) -> str:
        file = self.icons[self.rng.integers(len(self.icons))]
        fill = colour or str(self.rng.choice([self.accent, self.ink, *STATES]))
        kind = "i" if file.stem.endswith(("_regular", "_filled")) else "'i logo'"  # logos have colours of their own
        return f"<span class={kind} style='width:{size}px;height:{size}px;color:{fill}'>{file.read_text()}</span>"

    def button(self, main: bool = False) -> str:
        style = f"background:{self.accent};color:#fff;border-color:{self.accent}" if main else f"color:{self.ink}"
        return f"<span class=b style='{style}'>{self.words(1, 3)}</span>"

    def link(self, most: int = 3) -> str:
        return f"<span style='color:{self.accent}'>{self.words(1, most)}</span>"

    def field(self, width: int) -> str:
        """A label and what is entered there."""
        star = "<span style='color:#d13438'> *</span>" if self.chance(0.4) else ""
        info = self.icon(14, "#888") if self.chance(0.4) else ""
        kind, value = self.rng.random(), self.words(1, 4)
        if kind < 0.45:
            shown = f"<span class=f style='width:{width}px'>{value}</span>"
        elif kind < 0.7:
            shown = f"<span class=f style='width:{width}px'>{value}<span style='float:right'>&#x2304;</span></span>"
        elif kind < 0.85:
            mark = "radial-gradient(currentColor 45%,transparent 50%)"
            spots = [f"background:{mark}" if k == 0 else "" for k in range(int(self.rng.integers(2, 4)))]
            shown = " &nbsp; ".join(f"<span class=r style='{spot}'></span> {self.words(1, 3)}" for spot in spots)
        else:
            shown = f"<span class=r style='border-radius:2px'>{'&#x2713;' if self.chance(0.5) else ''}</span> {value}"
        return f"<div class=row><span class=l>{self.words(1, 3)}{star} {info}</span><span>{shown}</span></div>"

    def form(self) -> str:
        width = int(self.rng.integers(180, 420))
        rows = "".join(self.field(width) for _ in range(int(self.rng.integers(2, 8))))
        return f"<h3>{self.words(1, 3)}</h3><p>{self.words(8, 40)} {self.link()}</p>{rows}"

    def table(self) -> str:
        columns, rows = int(self.rng.integers(2, 7)), int(self.rng.integers(3, 12))
        first, state = self.chance(0.7), int(self.rng.integers(0, 2 * columns))
        head = "".join(f"<th>{self.words(1, 2)}{' &#x2191;&#x2193;' if self.chance(0.3) else ''}</th>"
                       for _ in range(columns))  # fmt: skip
        body = ""
        for _ in range(rows):
            cells = [self.link() if first and k == 0 else self.words(1, 3) for k in range(columns)]
            if state < columns:
                cells[state] = f"{self.icon(14, str(self.rng.choice(STATES)))} {cells[state]}"
            box = "<td><span class=r style='border-radius:2px'></span></td>" if first else ""
            body += f"<tr>{box}{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        return f"<table><tr>{'<th></th>' if first else ''}{head}</tr>{body}</table>"

    def facts(self) -> str:
        """Keys and values in two columns."""
        cells = "".join(
            f"<div><span class=l>{self.words(1, 3)}</span> : {self.link() if k % 3 == 0 else self.words(1, 4)}</div>"
            for k in range(int(self.rng.integers(4, 14)))
        )
        return f"<div style='display:grid;grid-template-columns:1fr 1fr;row-gap:6px'>{cells}</div>"

    def cards(self) -> str:
        wide, size = int(self.rng.integers(150, 320)), int(self.rng.integers(20, 56))
        cards = "".join(
            f"<div class=card style='width:{wide}px'>{self.icon(size)}<h4>{self.words(1, 4)}</h4>{self.words(4, 20)}"
            f"<div style='margin-top:8px'>{self.link()}</div></div>"
            for _ in range(int(self.rng.integers(2, 9)))
        )
        return f"<div style='display:flex;flex-wrap:wrap;gap:14px'>{cards}</div>"

    def chart(self) -> str:
        values = np.clip(50 + np.cumsum(self.rng.normal(0, 9, 40)), 5, 98)
        if self.chance(0.5):
            shown = "".join(f"<rect x='{12 * k}' y='{100 - v:.0f}' width='8' height='{v:.0f}' fill='{self.accent}'/>"
                            for k, v in enumerate(values))  # fmt: skip
        else:
            points = " ".join(f"{12 * k},{100 - v:.0f}" for k, v in enumerate(values))
            shown = f"<polyline points='{points}' fill='none' stroke='{self.accent}' stroke-width='1.5'/>"
        lines = "".join(f"<line x1='0' x2='480' y1='{y}' y2='{y}' stroke='{self.rule}'/>" for y in (0, 25, 50, 75, 100))
        return f"<h4>{self.words(2, 5)}</h4><svg width='480' height='104'>{lines}{shown}</svg>"

    def notice(self) -> str:
        colour = self.rng.choice(STATES)
        shown = f"{self.icon(16)} {self.words(6, 30)} {self.link()}"
        return f"<div class=n style='border-left:3px solid {colour}'>{shown}</div>"

    def code(self) -> str:
        lines = "\n".join(self.words(2, 9).lower() for _ in range(int(self.rng.integers(3, 12))))
        return f"<pre>{lines}</pre>"

    def content(self, count: int) -> str:
        kinds: list[Callable[[], str]] = [
            self.form, self.form, self.table, self.facts, self.cards, self.chart, self.notice, self.code
        ]  # fmt: skip
        return "".join(f"<section>{kinds[self.rng.integers(len(kinds))]()}</section>" for _ in range(count))

    def navigation(self) -> str:
        items, chosen = "", int(self.rng.integers(2, 12))
        for k in range(int(self.rng.integers(10, 30))):
            if self.chance(0.12):
                items += f"<div class=l style='padding:10px 12px 4px;font-weight:600'>{self.words(1, 2)}</div>"
            back = f"background:{self.rule};box-shadow:inset 3px 0 {self.accent}" if k == chosen else ""
            items += f"<div class=nav style='{back}'>{self.icon(16)} {self.words(1, 3)}</div>"
        return items

    def callout(self) -> str:
        """A frame that a manual draws around what it speaks of, sometimes with a number."""
        x, y, w, h = (int(self.rng.integers(*span)) for span in ((20, 900), (40, 700), (60, 420), (22, 120)))
        colour, thick, number = self.rng.choice(CALLOUTS), int(self.rng.integers(2, 4)), int(self.rng.integers(1, 9))
        spot = "position:absolute;left:-14px;top:-14px;width:24px;height:24px;border-radius:50%;text-align:center"
        spot = f"<span style='{spot};line-height:24px;color:#fff;background:{colour}'>{number}</span>"
        place = f"position:fixed;left:{x}px;top:{y}px;width:{w}px;height:{h}px;border:{thick}px solid {colour}"
        return f"<div style='{place}'>{spot if self.chance(0.3) else ''}</div>"

    def overlay(self) -> str:
        """A panel at the right, a dialog, a menu, or nothing."""
        kind = self.rng.random()
        foot = f"<div style='margin-top:16px'>{self.button(True)} {self.button()}</div>"
        inside = f"<h2>{self.words(2, 5)}</h2>{self.form()}{foot}"
        if kind < 0.2:
            top = int(self.rng.integers(0, 90))
            return f"<div class=over style='right:0;top:{top}px;bottom:0;width:420px'>{inside}</div>"
        if kind < 0.32:
            dim = "<div style='position:fixed;inset:0;background:#0006'></div>" if self.chance(0.7) else ""
            return f"{dim}<div class=over style='left:28%;top:18%;width:460px'>{inside}</div>"
        if kind < 0.45:
            items = "".join(f"<div class=nav>{self.icon(16)} {self.words(1, 4)}</div>" for _ in range(7))
            x, y = int(self.rng.integers(200, 1000)), int(self.rng.integers(80, 500))
            return f"<div class=over style='left:{x}px;top:{y}px;padding:4px'>{items}</div>"
        return ""

    def browser(self) -> str:
        """The tab and the address above a page."""
        address = self.words(1, 3).lower().replace(" ", ".")
        return (
            f"<div style='background:#dee1e6;color:#333;padding:8px 16px 0'><span class=tab>{self.icon(14)}"
            f" {self.words(2, 4)}</span></div><div style='background:#fff;color:#333;padding:5px 12px'>&#x2190;"
            f" &#x2192; &#x21bb; <span class=f style='width:70%;border-radius:14px'>https://{address}</span></div>"
        )

    def header(self) -> str:
        bar = str(self.rng.choice(BARS))
        on_bar = "#111" if bar in ("#ffffff", "#f3f2f1") else "#fff"
        search = f"<span class=f style='flex:1;max-width:520px;background:#fff;color:#666'>{self.words(2, 6)}</span>"
        icons = "".join(self.icon(18, on_bar) for _ in range(int(self.rng.integers(2, 7))))
        shown = f"<b>{self.words(1, 2)}</b>{search}<span style='flex:1'></span>{icons}{self.words(1, 2)}"
        return f"<header style='background:{bar};color:{on_bar}'>{shown}</header>"

    def title(self) -> str:
        """The path, the title, tools and tabs."""
        rng = self.rng
        path = " &gt; ".join(self.link(2) for _ in range(int(rng.integers(1, 4))))
        tools = " &nbsp; ".join(f"{self.icon(16)} {self.words(1, 2)}" for _ in range(int(rng.integers(0, 8))))
        tabs = ""
        for k in range(int(rng.integers(0, 7))):
            line = f"border-bottom:2px solid {self.accent}" if k == 0 else ""
            tabs += f"<span style='padding:6px 10px;{line}'>{self.words(1, 2)}</span>"
        size, name = int(rng.integers(20, 28)), self.words(1, 5)
        return (
            f"<div>{path}</div><h1 style='font-size:{size}px;margin:8px 0'>{self.icon(28)} {name}</h1>"
            f"<div>{tools}</div><div style='margin:10px 0 14px;border-bottom:1px solid {self.rule}'>{tabs}</div>"
        )

    def style(self) -> str:
        rng = self.rng
        return STYLE.substitute(
            size=int(rng.integers(12, 16)), font=rng.choice(FONTS), paper=self.paper, ink=self.ink, shade=self.shade,
            rule=self.rule, radius=self.radius, row=self.row, label=int(rng.integers(90, 240)),
            cell=int(rng.integers(4, 11)), wide=int(rng.integers(170, 300)), item=int(rng.integers(4, 9)),
        )  # fmt: skip

    def write(self) -> str:
        """The whole page."""
        left = f"<nav>{self.navigation()}</nav>" if self.chance(0.75) else ""
        foot = f"<footer>{self.button(True)} {self.button()} {self.button()}</footer>" if self.chance(0.4) else ""
        frame = self.browser() if self.chance(0.25) else ""
        marks = "".join(self.callout() for _ in range(int(self.rng.integers(0, 4)))) if self.chance(0.45) else ""
        inside = f"{left}<main>{self.title()}{self.content(int(self.rng.integers(1, 6)))}</main>"
        return f"{self.style()}{frame}{self.header()}<div class=body>{inside}</div>{foot}{self.overlay()}{marks}"


def write_console(rng: np.random.Generator, icons: list[Path]) -> str:
    return Console(rng, icons).write()
