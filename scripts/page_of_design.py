"""The page on the design of report, explorer, charts and site, made from `pages/design.css`, and its picture."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from rankworth.reference import page, table

_BLOCK: Final = re.compile(r"^:root \{(.*?)^\}", re.DOTALL | re.MULTILINE)
_VARIABLE: Final = re.compile(r"--([\w-]+): ([^;]+);")
_COLORS: Final = re.compile(r"light-dark\((#\w+), (#\w+)\)")
_SIZES: Final = {
    "title": "the verdict of a report, the title of a page",
    "heading": "headings, and the figures of a card",
    "body": "text, tables, titles within a part",
    "small": "notes, units, labels of charts, code",
}
_WEIGHTS: Final = {"regular": "text", "strong": "headings, and the word that a line is about"}
_FOR: Final = {
    "page": "the background",
    "panel": "cards, code, what stands apart",
    "text": "words and numbers",
    "muted": "what stands beside them",
    "edge": "the border of what can be pressed or filled in",
    "line": "lines between parts, and the grid of a chart",
    "accent": "better, more, links, the first series",
    "warning": "worse, less, the second series",
    "third": "the third series",
    "tint": "the background of what is chosen",
}
_FLAT: Final = ("page", "panel", "line", "tint")
"""colours that carry neither words nor shapes"""
_INTRODUCTION: Final = """\
How the report, the explorer, the charts and this site look. It is written once: `src/rankworth/pages/design.css` has
it for pages, and `plots/palette.py` has the same colours for matplotlib. `scripts/design-page` makes this page of the
former."""
_TEXT: Final = """\
No other size and no other weight. Figures are tabular, so that digits stand below digits. Fonts are those of the
reader's system; nothing is fetched."""
_COLOR: Final = """\
One accent and one warning, which readers with any kind of colour blindness tell apart. Text has a contrast of 4.5 or
more, shapes of 3 or more. Colour never stands alone: a sign, a shape or a word says the same (▲ +0.0412 better)."""
_EXAMPLE: Final = """\
```python
>>> from rankworth.plots.palette import DARK, LIGHT
>>> LIGHT.more, LIGHT.less, DARK.more, DARK.less
('#0072B2', '#B34700', '#56B4E9', '#E69F00')

```"""
_ROOT: Final = Path(__file__).resolve().parent.parent
_ROOT_SIZE: Final = 16
"""pixels of 1rem"""
_WIDTH, _ROW = 360, 30


class Color(NamedTuple):
    """A colour on light and on dark pages."""

    name: str
    light: str
    dark: str


def variables() -> dict[str, str]:
    """Return the texts of the variables, by name."""
    [block] = _BLOCK.findall((_ROOT / "src" / "rankworth" / "pages" / "design.css").read_text("utf-8"))
    return dict(_VARIABLE.findall(block))


def colors() -> dict[str, Color]:
    """Return the colours, by name."""
    return {name: Color(name, *pair) for name, text in variables().items() for pair in _COLORS.findall(text)}


def files() -> dict[str, dict[str, str]]:
    """Return the texts of the files, by folder of docs and by name."""
    sizes, listed = variables(), [*colors().values()]
    return {"": {"design.md": _page(sizes, listed)}, "pictures": {"design.svg": _picture(sizes, listed)}}


def _page(sizes: dict[str, str], listed: list[Color]) -> str:
    """The page."""
    backgrounds = listed[[color.name for color in listed].index("page")]
    spaces = {name: text for name, text in sizes.items() if re.fullmatch(r"s\d+", name)}

    def contrasts(color: Color) -> str:
        pairs = zip((color.light, color.dark), (backgrounds.light, backgrounds.dark), strict=True)
        return "" if color.name in _FLAT else ", ".join(f"{contrast(*pair):.1f}" for pair in pairs)

    blocks = [
        "# Design",
        _INTRODUCTION,
        "![Sizes of text, spaces and colours, on light and on dark pages](pictures/design.svg)",
        "## Text",
        table(
            ("variable", "pixels", "for"),
            ((f"`--{name}`", f"{_pixels(sizes[name]):g}", use) for name, use in _SIZES.items()),
        ),
        table(("variable", "weight", "for"), ((f"`--{name}`", sizes[name], use) for name, use in _WEIGHTS.items())),
        _TEXT,
        "## Space",
        table(("variable", "pixels"), ((f"`--{name}`", text.removesuffix("px")) for name, text in spaces.items())),
        f"Distances are multiples of 4 pixels. Corners are round by {sizes['radius'].removesuffix('px')} pixels.",
        "## Colours",
        table(
            ("variable", "light", "dark", "contrast with the page", "for"),
            (
                (f"`--{color.name}`", f"`{color.light}`", f"`{color.dark}`", contrasts(color), _FOR[color.name])
                for color in listed
            ),
        ),
        _COLOR,
        "## In a chart of your own",
        _EXAMPLE,
    ]
    return page(blocks)


def contrast(first: str, second: str) -> float:
    """Compute the contrast of two colours as the Web Content Accessibility Guidelines define it, 1 to 21."""
    darker, lighter = sorted(map(_luminance, (first, second)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    digits = color.removeprefix("#")
    digits = "".join(digit * 2 for digit in digits) if len(digits) == len("abc") else digits
    parts = [int(digits[start : start + 2], 16) / 255 for start in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]  # noqa: PLR2004 - sRGB
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _pixels(size: str) -> float:
    return float(size.removesuffix("rem")) * _ROOT_SIZE


def _picture(sizes: dict[str, str], listed: list[Color]) -> str:
    """The picture: light at the left, dark at the right."""
    halves = [
        line
        for number, theme in enumerate(("light", "dark"))
        for line in _half(sizes, {color.name: getattr(color, theme) for color in listed}, number * _WIDTH)
    ]
    height = 190 + 40 + _ROW * len(listed) + 16
    box = f'viewBox="0 0 {2 * _WIDTH} {height}" font-family="system-ui, sans-serif"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box}>'
    return "\n".join([head, *halves, "</svg>"]) + "\n"


def _half(sizes: dict[str, str], palette: dict[str, str], left: int) -> Iterator[str]:
    """The sizes, the spaces and the colours on one background."""
    yield f'<rect x="{left}" width="{_WIDTH}" height="100%" fill="{palette["page"]}"/>'
    down = 12.0
    for name, weight in (("title", "strong"), ("heading", "strong"), ("body", "regular"), ("small", "regular")):
        pixels = _pixels(sizes[name])
        down += pixels * 1.4
        color = palette["muted" if name == "small" else "text"]
        yield (
            f'<text x="{left + 20}" y="{down:g}" font-size="{pixels:g}" font-weight="{sizes[weight]}"'
            f' fill="{color}">{name.capitalize()}, {pixels:g} pixels</text>'
        )
    down, across = 150.0, left + 20.0
    for name in (name for name in sizes if re.fullmatch(r"s\d+", name)):
        side = float(sizes[name].removesuffix("px"))
        yield f'<rect x="{across:g}" y="{down:g}" width="{side:g}" height="{side:g}" fill="{palette["accent"]}"/>'
        across += side + 16
    down = 222.0
    for name, color in palette.items():
        yield (
            f'<rect x="{left + 20}" y="{down:g}" width="44" height="20" fill="{color}" stroke="{palette["edge"]}"/>'
            f'<text x="{left + 76}" y="{down + 15:g}" font-size="13" fill="{palette["text"]}">{name}</text>'
            f'<text x="{left + 160}" y="{down + 15:g}" font-size="13" fill="{palette["muted"]}">{color}</text>'
        )
        down += _ROW
