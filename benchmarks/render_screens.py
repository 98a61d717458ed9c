"""Render screens for the fit of drawn pieces: web pages, consoles, editors and terminals in a real browser.

    python benchmarks/render_screens.py OUT --pages FOLDER ... --code FOLDER ... --editor codemirror-5/package

--pages: folders of HTML files, such as the documentation of Debian packages or the dashboards of npm packages. --code:
folders of source files, shown in an editor with tabs and a list of files, and in terminals. --icons: folders of SVG
files, for consoles that are made up (`write_console.py`). Fonts, sizes, themes, zoom, scroll positions and the
smoothing of letters vary. Every third picture has a window of another one on top. Needs the browser that `make browser`
installs; nothing is fetched, and pages that need the network stay as they are without it.
"""

from __future__ import annotations

import argparse
import html
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Browser, Error, Page, sync_playwright
from write_console import write_console

FONTS = (
    "Noto Sans", "Noto Serif", "Roboto", "Open Sans", "Lato", "Inter", "Cantarell", "DejaVu Sans", "DejaVu Serif",
    "Liberation Sans", "Liberation Serif", "Carlito", "Caladea",
)  # fmt: skip
MONO = ("Fira Code", "JetBrains Mono", "Inconsolata", "Hack", "DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono")
SUFFIXES = {".py": "python", ".js": "javascript", ".css": "css", ".json": "javascript", ".md": "markdown"}
FLAGS = (["--disable-lcd-text"], ["--enable-lcd-text"], ["--font-render-hinting=none", "--disable-lcd-text"])
KINDS = ("page", "code", "terminal", "console")
OVERLAID = 0.33  # share of the pictures with a window on top
TIMEOUT_MS = 6000


def list_files(folders: list[Path], suffixes: set[str]) -> list[Path]:
    return sorted(file for folder in folders for file in folder.rglob("*") if file.suffix in suffixes)


def show_page(page: Page, file: Path, rng: np.random.Generator) -> None:
    page.goto(file.resolve().as_uri(), timeout=TIMEOUT_MS, wait_until="load")
    style = [f"html {{ zoom: {rng.choice([0.8, 0.9, 1.0, 1.0, 1.0, 1.1, 1.25])} }}"]
    if rng.random() < 0.5:
        style.append(f"* {{ font-family: '{rng.choice(FONTS)}' }}")
        style.append(f"code, pre, pre * {{ font-family: '{rng.choice(MONO)}' }}")
    if rng.random() < 0.25:
        dark, light = rng.integers(0, 50, 3), rng.integers(190, 256, 3)
        style.append(f"body {{ background: rgb{tuple(dark.tolist())} }} * {{ color: rgb{tuple(light.tolist())} }}")
    page.add_style_tag(content=" ".join(style))
    page.wait_for_timeout(250)
    height = page.evaluate("document.documentElement.scrollHeight - innerHeight")
    if height > 0 and rng.random() < 0.7:
        page.evaluate(f"scrollTo(0, {int(rng.integers(0, height + 1))})")
    page.wait_for_timeout(100)


def show_code(page: Page, file: Path, others: list[Path], editor: Path, rng: np.random.Generator) -> None:
    """A source file in an editor, with tabs above it and a list of files beside it."""
    themes = sorted(path.stem for path in (editor / "theme").glob("*.css"))
    theme = str(rng.choice(["default", *themes]))
    lines = file.read_text(errors="replace").splitlines()
    start = int(rng.integers(0, max(1, len(lines) - 40)))
    names = [other.name for other in rng.choice(np.array(others), 28)]
    size, mono = int(rng.integers(11, 18)), rng.choice(MONO)
    back, ink, edge = ("#f3f3f3", "#333", "#ddd") if rng.random() < 0.5 else ("#252526", "#ccc", "#111")
    tabs = "".join(f"<span style='padding:8px 14px;border-right:1px solid {edge}'>{n} x</span>" for n in names[:4])
    tree = "".join(f"<div style='padding:2px {12 * int(rng.integers(1, 4))}px'>{n}</div>" for n in names)
    text, width = html.escape("\n".join(lines[start : start + 200])), int(rng.integers(150, 320))
    page.goto("about:blank")
    page.set_content(f"""<body style="margin:0;font:13px '{rng.choice(FONTS)}';background:{back};color:{ink}">
        <div style="display:flex"><div style="width:{width}px;overflow:hidden;white-space:nowrap">{tree}</div>
        <div style="flex:1;min-width:0"><div style="padding:8px 0;white-space:nowrap;overflow:hidden">{tabs}</div>
        <textarea id=t>{text}</textarea></div></div></body>""")
    page.add_style_tag(path=editor / "lib/codemirror.css")
    if theme != "default":
        page.add_style_tag(path=editor / f"theme/{theme}.css")
    page.add_script_tag(path=editor / "lib/codemirror.js")
    mode = SUFFIXES[file.suffix]
    page.add_script_tag(path=editor / f"mode/{mode}/{mode}.js")
    page.add_style_tag(content=f".CodeMirror {{ height: 100vh; font: {size}px '{mono}' }}")
    shown = f"mode: '{mode}', theme: '{theme}', lineNumbers: true, firstLineNumber: {start + 1}"
    page.evaluate(f"CodeMirror.fromTextArea(t, {{{shown}}})")
    page.wait_for_timeout(150)


def show_terminal(page: Page, file: Path, rng: np.random.Generator) -> None:
    lines = file.read_text(errors="replace").splitlines()
    start = int(rng.integers(0, max(1, len(lines) - 30)))
    colours = ["#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#d0d0d0", "#d0d0d0", "#d0d0d0"]
    prompt = f"<span style='color:{rng.choice(colours)}'>user@host:~/{file.parent.name}$</span> "
    shown = []
    for line in lines[start : start + 90]:
        text = html.escape(line)
        if rng.random() < 0.08:
            shown.append(prompt + html.escape(f"grep -n {line.split()[0] if line.split() else 'x'} {file.name}"))
        shown.append(f"<span style='color:{rng.choice(colours)}'>{text}</span>" if rng.random() < 0.3 else text)
    back, ink = (("#000", "#c0c0c0"), ("#0c0c0c", "#ccc"), ("#300a24", "#eee"), ("#fff", "#111"), ("#012456", "#eee"))[
        rng.integers(5)
    ]
    page.goto("about:blank")
    page.set_content(f"""<body style="margin:4px;background:{back};color:{ink}"><pre style="margin:0;line-height:
        {rng.choice(["1.0", "1.15", "1.25", "normal"])};font:{int(rng.integers(11, 19))}px '{rng.choice(MONO)}'">"""
        + "\n".join(shown))  # fmt: skip
    page.wait_for_timeout(100)


def show_console(page: Page, icons: list[Path], rng: np.random.Generator) -> None:
    page.goto("about:blank")
    page.set_content(write_console(rng, icons))
    page.wait_for_timeout(100)


def put_window(below: Image.Image, above: Image.Image, rng: np.random.Generator) -> Image.Image:
    """The upper left part of one picture as a window on top of another, with a title bar and a border."""
    out = below.copy()
    width, height = (int(rng.uniform(0.3, 0.75) * size) for size in out.size)
    window = above.crop((0, 0, min(width, above.width), min(height, above.height)))
    x, y = (int(rng.uniform(0, 0.95) * max(1, a - b)) for a, b in zip(out.size, window.size, strict=True))
    bar = int(rng.integers(22, 36))
    y = max(y, bar)
    colours = (tuple(rng.integers(0, 256, 3).tolist()), *((level,) * 3 for level in (255, 240, 32)))
    colour = colours[max(0, int(rng.integers(-2, 4)))]
    edge = tuple(rng.integers(60, 200, 3).tolist())
    draw = ImageDraw.Draw(out)
    draw.rectangle((x - 1, y - bar - 1, x + window.width, y + window.height), outline=edge, fill=colour)
    light = sum(colour) < 380
    ink = (255,) * 3 if light else (20,) * 3
    draw.text((x + 10, y - bar + 6), "Document - Settings", fill=ink, font=ImageFont.load_default(14))
    out.paste(window, (x, y))
    return out


def render(
    page: Page,
    args: argparse.Namespace,
    sources: tuple[list[list[Path]], list[Path], list[Path]],
    rng: np.random.Generator,
) -> Image.Image:
    pages, code, icons = sources
    page.set_viewport_size({"width": int(rng.integers(1100, 1700)), "height": int(rng.integers(640, 1050))})
    kind = str(rng.choice(KINDS, p=args.shares))
    if kind == "page":
        files = pages[rng.integers(len(pages))]  # every folder counts alike, however large
        show_page(page, files[rng.integers(len(files))], rng)
    elif kind == "code":
        show_code(page, code[rng.integers(len(code))], code, args.editor, rng)
    elif kind == "console":
        show_console(page, icons, rng)
    else:
        show_terminal(page, code[rng.integers(len(code))], rng)
    return Image.open(BytesIO(page.screenshot(animations="disabled", timeout=TIMEOUT_MS))).convert("RGB")


def is_blank(image: Image.Image) -> bool:
    pixels = np.asarray(image)
    return float((pixels[1:, 1:] != pixels[:-1, :-1]).any(axis=2).mean()) < 0.02


def open_page(browser: Browser) -> Page:
    page = browser.new_page()
    page.route("http*://**", lambda route: route.abort())
    page.on("dialog", lambda dialog: dialog.dismiss())
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pages", type=Path, nargs="+", required=True)
    parser.add_argument("--code", type=Path, nargs="+", required=True)
    parser.add_argument("--editor", type=Path, required=True, help="the unpacked npm package codemirror, version 5")
    parser.add_argument("--icons", type=Path, nargs="*", default=[], help="folders of SVG files, for consoles")
    parser.add_argument("--shares", type=float, nargs=len(KINDS), default=(0.4, 0.15, 0.1, 0.35), help=f"of {KINDS}")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="number of the first picture, which is its seed")
    args = parser.parse_args()
    sources = (
        [list_files([folder], {".html"}) for folder in args.pages],
        list_files(args.code, set(SUFFIXES)),
        list_files(args.icons, {".svg"}),
    )
    args.out.mkdir(parents=True, exist_ok=True)
    last: Image.Image | None = None
    with sync_playwright() as playwright:
        for number in range(args.first, args.first + args.count):
            rng = np.random.default_rng(number)
            if number % 25 == 0:
                flags = FLAGS[number // 25 % len(FLAGS)]
                browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", *flags])
                page = open_page(browser)
            try:
                image = render(page, args, sources, rng)
            except Error as error:
                print(f"{number}: {str(error).splitlines()[0]}", flush=True)
                page.close()
                page = open_page(browser)
                continue
            if is_blank(image):
                continue
            shown = put_window(image, last, rng) if last is not None and rng.random() < OVERLAID else image
            shown.save(args.out / f"rendered-{number:04}.png")
            last = image
            if number % 25 == 24:
                browser.close()


if __name__ == "__main__":
    main()
