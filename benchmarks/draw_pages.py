"""Pictures that are not photographs, drawn at random: pages of text, terminals, forms, charts and maps.

    python benchmarks/draw_pages.py FOLDER --kind page --count 6 --size 1200x1600 --seed 500

writes some of one kind as PNG files, to test with: fits draw theirs with other seeds. The text is
that of Python's own library: prose from its docstrings, code as it stands. Nothing has to be fetched.
"""

from __future__ import annotations

import argparse
import re
import sysconfig
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
from PIL import Image, ImageDraw, ImageFont

FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "C:/Windows/Fonts")
Colour = tuple[int, int, int]
THEMES: tuple[tuple[Colour, Colour], ...] = (
    ((255, 255, 255), (0, 0, 0)), ((255, 255, 255), (50, 49, 48)), ((250, 249, 248), (32, 31, 30)),
    ((30, 30, 30), (212, 212, 212)), ((12, 12, 12), (204, 204, 204)), ((1, 36, 86), (238, 237, 240)),
    ((43, 43, 43), (169, 183, 198)), ((255, 255, 240), (40, 40, 40)), ((240, 240, 240), (0, 0, 0)),
)  # fmt: skip


@cache
def find_fonts() -> tuple[list[Path], list[Path]]:
    """Files of proportional and of fixed-width fonts that have Latin letters."""
    files = sorted(path for folder in FONT_FOLDERS for path in Path(folder).rglob("*.ttf"))
    latin = [p for p in files if not re.search(r"Symbol|Emoji|Math|Noto(Sans|Serif)[A-Z](?!ono)|CJK|Awesome", p.stem)]
    fixed = [p for p in latin if re.search(r"Mono|Courier|Hack|Code|Console", p.stem)]
    return [p for p in latin if p not in fixed], fixed


@cache
def read_sources() -> tuple[list[str], list[str]]:
    """Words of prose, and lines of code."""
    words: list[str] = []
    lines: list[str] = []
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[:120]:
        text = path.read_text(encoding="utf-8", errors="ignore")
        for prose in re.findall(r'"""(.*?)"""', text, re.DOTALL):
            words += prose.split()
        lines += [line.rstrip()[:150] for line in text.splitlines()]
    return words, lines


def pick_font(rng: np.random.Generator, fixed: bool, least: int = 10, most: int = 22) -> ImageFont.FreeTypeFont:
    files = find_fonts()[int(fixed)]
    return ImageFont.truetype(str(files[rng.integers(len(files))]), int(rng.integers(least, most)))


def pick_words(rng: np.random.Generator, count: int) -> list[str]:
    words = read_sources()[0]
    at = int(rng.integers(len(words) - count))
    return words[at : at + count]


def pick_colour(rng: np.random.Generator) -> Colour:
    red, green, blue = (int(v) for v in rng.integers(0, 256, 3))
    return red, green, blue


def write_paragraph(
    draw: ImageDraw.ImageDraw, box: tuple[int, int, int, int], font: ImageFont.FreeTypeFont, ink: Colour,
    rng: np.random.Generator,
) -> int:  # fmt: skip
    """Fill a box with prose; returns where it ends."""
    left, top, right, bottom = box
    pitch = int(font.size * rng.uniform(1.15, 1.7))
    y = top
    while y + pitch < bottom:
        count = int(rng.integers(8, 60))
        line = ""
        for word in pick_words(rng, count):
            if draw.textlength(f"{line} {word}", font=font) > right - left:
                draw.text((left, y), line, font=font, fill=ink)
                y, line = y + pitch, word
                if y + pitch >= bottom:
                    return y
            else:
                line = f"{line} {word}".strip()
        draw.text((left, y), line, font=font, fill=ink)
        y += int(pitch * rng.uniform(1.0, 2.0))
    return y


def draw_page(rng: np.random.Generator, size: tuple[int, int]) -> Image.Image:
    """Prose in one to three columns, with headings."""
    paper, ink = THEMES[rng.integers(len(THEMES))]
    image = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(image)
    columns = int(rng.integers(1, 4))
    margin = int(rng.integers(15, 70))
    width = (size[0] - margin) // columns
    font, heading = pick_font(rng, fixed=False), pick_font(rng, fixed=False, least=20, most=40)
    draw.text((margin, margin // 2), " ".join(pick_words(rng, 5)), font=heading, fill=ink)
    for k in range(columns):
        left = margin + k * width
        write_paragraph(draw, (left, margin + 30, left + width - margin // 2, size[1] - margin), font, ink, rng)
    return image


def draw_terminal(rng: np.random.Generator, size: tuple[int, int]) -> Image.Image:
    """Code or a log in a fixed-width font, some of it coloured."""
    paper, ink = THEMES[rng.integers(len(THEMES))]
    image = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(image)
    font, lines = pick_font(rng, fixed=True), read_sources()[1]
    at, pitch = int(rng.integers(len(lines) - 200)), int(font.size * rng.uniform(1.1, 1.5))
    accents = [ink, ink, *(pick_colour(rng) for _ in range(3))]
    left = int(rng.integers(2, 60))
    step = draw.textlength("x", font=font)
    for k, y in enumerate(range(4, size[1] - pitch, pitch)):
        x = float(left)
        for part in re.split(r"(\W+)", lines[at + k]):
            if part.strip():
                draw.text((x, y), part, font=font, fill=accents[crc32(part.encode()) % len(accents)])
            x += step * len(part)
        if left > 30:
            draw.text((2, y), str(at + k), font=font, fill=(128, 128, 128))
    return image


def draw_form(rng: np.random.Generator, size: tuple[int, int]) -> Image.Image:
    """Panels with frames, labels, fields, buttons and tables."""
    paper, ink = THEMES[rng.integers(len(THEMES))]
    image = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(image)
    font = pick_font(rng, fixed=False, least=10, most=17)
    bar = int(rng.integers(20, 60))
    draw.rectangle((0, 0, size[0], bar), fill=pick_colour(rng))
    draw.text((12, bar // 3), "   ".join(pick_words(rng, 8)), font=font, fill=paper)
    rule = tuple(int(0.85 * p + 0.15 * i) for p, i in zip(paper, ink, strict=True))
    left = int(rng.integers(120, 300))
    draw.rectangle((0, bar, left, size[1]), fill=tuple(max(0, p - 8) for p in paper), outline=rule)
    for y in range(bar + 12, size[1] - 20, int(rng.integers(22, 40))):
        draw.text((16, y), " ".join(pick_words(rng, int(rng.integers(1, 4)))), font=font, fill=ink)
    pitch = int(rng.integers(24, 48))
    for y in range(bar + 16, size[1] - pitch, pitch):
        kind = rng.random()
        if kind < 0.4:
            draw.line((left + 20, y, size[0] - 20, y), fill=rule)
            for x in range(left + 24, size[0] - 100, 180):
                draw.text((x, y + 5), " ".join(pick_words(rng, 2))[:22], font=font, fill=ink)
        elif kind < 0.7:
            draw.text((left + 24, y + 5), " ".join(pick_words(rng, 3)), font=font, fill=ink)
            draw.rectangle((left + 220, y, max(left + 220, size[0] - 60), y + pitch - 8), outline=rule)
            draw.text((left + 228, y + 4), " ".join(pick_words(rng, 4)), font=font, fill=ink)
        elif kind < 0.85:
            end = left + 24 + int(rng.integers(60, 200))
            draw.rounded_rectangle((left + 24, y, end, y + pitch - 6), 4, fill=pick_colour(rng), outline=rule)
            draw.text((left + 32, y + 4), pick_words(rng, 1)[0], font=font, fill=(255, 255, 255))
        else:
            draw.text((left + 24, y + 5), " ".join(pick_words(rng, 16)), font=font, fill=ink)
    return image


def draw_chart(rng: np.random.Generator, size: tuple[int, int]) -> Image.Image:
    """Axes, grid lines, bars or curves with labels, at twice the size and reduced, so that lines are smooth."""
    paper, ink = THEMES[rng.integers(len(THEMES))]
    image = Image.new("RGB", (2 * size[0], 2 * size[1]), paper)
    draw = ImageDraw.Draw(image)
    font = pick_font(rng, fixed=False, least=22, most=36)
    wide, high = image.size
    for y in range(120, high - 100, int(rng.integers(60, 200))):
        draw.line((100, y, wide - 60, y), fill=(200, 200, 200), width=2)
        draw.text((10, y - 14), f"{high - y}", font=font, fill=ink)
    draw.line((100, 60, 100, high - 80, wide - 60, high - 80), fill=ink, width=3)
    draw.text((140, 20), " ".join(pick_words(rng, 6)), font=font, fill=ink)
    for _ in range(int(rng.integers(1, 6))):
        colour = pick_colour(rng)
        xs = np.arange(110, wide - 60, int(rng.integers(20, 120)))
        ys = high / 2 + np.clip(np.cumsum(rng.normal(0, high / 14, len(xs))), -0.4 * high, 0.4 * high)
        if rng.random() < 0.4:
            for x, y in zip(xs, ys, strict=True):
                draw.rectangle((int(x), int(y), int(x) + 14, high - 82), fill=colour)
        else:
            draw.line(
                [(int(x), int(y)) for x, y in zip(xs, ys, strict=True)], fill=colour, width=int(rng.integers(3, 9))
            )
    return image.resize(size, Image.Resampling.LANCZOS)


def draw_map(rng: np.random.Generator, size: tuple[int, int]) -> Image.Image:
    """Areas, roads and names, at twice the size and reduced."""
    image = Image.new("RGB", (2 * size[0], 2 * size[1]), (242, 239, 233))
    draw = ImageDraw.Draw(image)
    wide, high = image.size
    for _ in range(int(rng.integers(6, 30))):
        centre = rng.uniform(0, 1, 2) * (wide, high)
        angle = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(4, 14))))
        radius = rng.uniform(40, 500, len(angle))
        points = np.stack([np.cos(angle), np.sin(angle)], axis=1) * radius[:, None] + centre
        draw.polygon([(float(x), float(y)) for x, y in points], fill=pick_colour(rng), outline=pick_colour(rng))
    for _ in range(int(rng.integers(8, 50))):
        steps = rng.normal(0, 120, (int(rng.integers(2, 12)), 2))
        points = np.cumsum(steps, axis=0) + rng.uniform(0, 1, 2) * (wide, high)
        line, width = [(float(x), float(y)) for x, y in points], int(rng.integers(3, 18))
        draw.line(line, fill=(120, 120, 120), width=width + 4, joint="curve")
        draw.line(line, fill=pick_colour(rng) if rng.random() < 0.5 else (255, 255, 255), width=width, joint="curve")
    for _ in range(int(rng.integers(10, 60))):
        x, y = (int(v) for v in rng.uniform(0, 1, 2) * (wide, high))
        font = pick_font(rng, fixed=False, least=20, most=40)
        draw.text((x, y), " ".join(pick_words(rng, int(rng.integers(1, 3)))), font=font, fill=(60, 60, 60))
    return image.resize(size, Image.Resampling.LANCZOS)


KINDS = {"page": draw_page, "terminal": draw_terminal, "form": draw_form, "chart": draw_chart, "map": draw_map}


def draw_picture(rng: np.random.Generator) -> Image.Image:
    """Any of these, 700 to 1,300 pixels wide."""
    size = int(rng.integers(700, 1300)), int(rng.integers(500, 1000))
    kinds = (draw_page, draw_page, draw_terminal, draw_terminal, draw_form, draw_form, draw_chart, draw_map)
    return kinds[rng.integers(len(kinds))](rng, size)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=["page"])
    parser.add_argument("--count", type=int, default=6, help="of each kind")
    parser.add_argument("--size", default="1200x1600", help="width x height in pixels")
    parser.add_argument("--seed", type=int, default=500)
    args = parser.parse_args()
    width, height = map(int, args.size.split("x"))
    args.folder.mkdir(parents=True, exist_ok=True)
    for kind in args.kind:
        for number in range(args.count):
            rng = np.random.default_rng([args.seed, number])
            KINDS[kind](rng, (width, height)).save(args.folder / f"{kind}-{number}.png")


if __name__ == "__main__":
    main()
