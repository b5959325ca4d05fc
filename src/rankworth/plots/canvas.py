"""Axes made or taken: their style, what is written on them, fonts that have its letters, and files.

Nothing here outlives a call but the Axes: settings of matplotlib are changed for a moment only, and a new figure is the
only thing that pyplot hears of.
"""

import math
import textwrap
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeGuard

import numpy as np
from rich.cells import chop_cells

from rankworth.errors import RankworthWarning, UsageError
from rankworth.io import atomic
from rankworth.plots.palette import LIGHT, Palette, palette_on
from rankworth.tables import look
from rankworth.tables.look import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SINCE: Final = (3, 11)
_WIDTH: Final = 7.0
"""of a new figure in inches"""
_INCH: Final = 72.0
"""points of type in an inch"""
_ASIDE_FROM: Final = 1.02
"""where text right of the Axes begins, in widths of the Axes"""
_MARKED: Final = 24
"""how many points of a line have a mark each"""
_SETTINGS: Final = {
    "text.usetex": False,
    "text.parse_math": True,
    "axes.formatter.use_locale": False,
    "axes.unicode_minus": True,
}
"""settings of matplotlib without which labels would not say what they should"""
_METADATA: Final[dict[str, dict[str, Any]]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""the formats of files, without the time at which they are written"""
_DOTS: Final = 200

_LONGEST: Final = 36
"""letters of a label"""
_SENTENCE: Final = 240
"""letters of a line of a title before it is wrapped"""
_LETTER: Final = 0.52
"""the width of a letter, on average, in heights of a line"""
_LEAST: Final = 10
"""how many letters a line has at least"""
_LEFT_TO_RIGHT: Final = "\N{LEFT-TO-RIGHT MARK}"
"""before a sentence in English that begins with an id of another direction"""
_MINUS: Final = str.maketrans("-", "\N{MINUS SIGN}")
_SMALLEST: Final = 0.00005
"""what four decimals round to something"""
ROUNDING: Final = 1e-14
"""up to where a difference is that of the last bits"""
_NARROW: Final = 300.0
"""points below which Axes have no room for a long text beside them"""
_NAMED: Final = 8
"""up to how many series have a legend on the Axes"""
_ROW: Final = 1.15
"""heights of letters from a row to the next at least"""
_TICKS: Final = 24.0
"""points that the numbers below Axes take"""
_KEY: Final = 30.0
"""points of a line of a legend that are not its name"""
_LINE: Final = 1.5
"""heights of a line of text from one to the next"""
_SHIFTED: Final = 1.6
"""how many lines of text a name may stand from the end of its curve"""
FALLBACKS: Final = (
    *("DejaVu Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans CJK TC"),
    *("Noto Sans SC", "Noto Sans JP", "Noto Sans KR", "Noto Sans TC", "Source Han Sans SC", "Source Han Sans JP"),
    *("WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Droid Sans Fallback", "IPAexGothic", "NanumGothic", "PingFang SC"),
    *("Hiragino Sans", "Apple SD Gothic Neo", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "SimHei"),
    *("Arial Unicode MS", "Noto Sans Arabic", "Noto Naskh Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari"),
    *("Noto Sans Bengali", "Noto Sans Thai", "Noto Sans", "Noto Emoji", "Unifont"),
)
"""families that have many of the world's letters, in the order in which they are tried"""


@dataclass(frozen=True)
class Canvas:
    """Axes that are being drawn on.

    Attributes:
        ax: the Axes.
        palette: colours that can be seen on them.

    """

    ax: "Axes"
    palette: Palette

    def title(self, *paragraphs: str) -> None:
        """Put lines above, as many as the width wants; what is as long as a page is cut."""
        lines = [line for text in paragraphs for line in _wrapped(_cut(text, _SENTENCE), self._size()[0])]
        lines = [f"{_LEFT_TO_RIGHT}{line}" if runs_left(line) else line for line in lines]
        self.ax.set_title(_literal("\n".join(lines)), loc="left", fontsize="medium", color=self.palette.text)

    def names(self, horizontal: str = "", vertical: str = "") -> None:
        """Say what the axes are, in as many lines as they want."""
        lengths = zip((horizontal, vertical), self._size(), strict=True)
        across, up = (_literal("\n".join(_wrapped(text, length, "small"))) for text, length in lengths)
        self.ax.set_xlabel(across, color=self.palette.muted, fontsize="small", loc="left")
        self.ax.set_ylabel(up, color=self.palette.muted, fontsize="small")

    def note(self, text: str) -> None:
        """Say something where there is nothing to draw."""
        self.ax.set(xticks=[], yticks=[])
        middle = {"ha": "center", "va": "center", "color": self.palette.muted}
        self.ax.text(0.5, 0.5, label(text), transform=self.ax.transAxes, **middle)  # type: ignore[arg-type]

    def rows(self, names: Sequence[str]) -> None:
        """Make the vertical axis one of rows that have names, the first one above."""
        self.ax.set_ylim(max(len(names), 1) - 0.4, -0.6)
        self.ax.set_yticks(range(len(names)), list(map(label, names)), fontsize=self._row_points())

    def aside(self, row: float, text: str, more: str = "") -> None:
        """Put words right of the Axes, beside a row, and more of them where the Axes are wide."""
        text += f"   {more}" if more and not self.is_narrow else ""
        beside = self.ax.get_yaxis_transform()
        shown = {"va": "center", "fontsize": self._row_points(), "color": self.palette.text}
        self.ax.text(_ASIDE_FROM, row, text, transform=beside, **shown)  # type: ignore[arg-type]

    def beside(self, text: str, at: tuple[float, float], offset: tuple[float, float], **settings: Any) -> None:  # noqa: ANN401 - as matplotlib has them
        """Put words beside a point, so many points of type away from it."""
        settings = {"ha": "center", "fontsize": "small", "color": self.palette.text} | settings
        self.ax.annotate(text, xy=at, xytext=offset, textcoords="offset points", **settings)

    def marks(self, across: Sequence[float], up: Sequence[float], marker: str, color: str, **settings: Any) -> None:  # noqa: ANN401 - as matplotlib has them
        """Draw points without a line."""
        self.ax.plot(across, up, marker=marker, color=color, linestyle="none", **settings)

    def legend(self, **settings: Any) -> None:  # noqa: ANN401 - as matplotlib has them
        """Draw the legend, unless settings say where: right of the Axes, or below where there is no room."""
        width, height = self._size()
        names = self.ax.get_legend_handles_labels()[1]
        line = _LINE * _points("small")
        placement: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (_ASIDE_FROM, 1)}
        if not settings and (self.is_narrow or len(names) * line > height):
            wide = max((_width(name, _points("small")) for name in names), default=0.0) + _KEY
            columns = max(1, min(len(names), int(width / wide)))
            down = _TICKS + line * (1 + self.ax.get_xlabel().count("\n"))
            placement = {"loc": "upper left", "bbox_to_anchor": (0, -down / height), "ncols": columns}
            placement |= {"handlelength": 1.4, "columnspacing": 1.2}
        settings = placement | settings
        behind, color = self.ax.get_facecolor(), self.palette.text
        self.ax.legend(fontsize="small", edgecolor="none", facecolor=behind, labelcolor=color, **settings)

    def line(self, number: int, name: str, across: Sequence[float], up: Sequence[float], **settings: Any) -> None:  # noqa: ANN401 - as matplotlib has them
        """Draw the series of a number."""
        style = self.palette.style(number)
        looks = {"color": style.color, "marker": style.marker, "markersize": style.size, "linestyle": style.dashes}
        self.ax.plot(across, up, label=label(name), linewidth=1.5, **looks, **settings)  # type: ignore[arg-type]

    def lines(self, series: Sequence[tuple[str, Sequence[float], Sequence[float]]]) -> None:
        """Draw series with their names at the ends of curves where they fit, or else in a legend.

        Args:
            series: of each its name, where its points are and how high; NaN leaves a gap.

        """
        for number, (name, across, up) in enumerate(series):
            shown = f"{name} (n/a)" if all(map(math.isnan, up)) else name
            self.line(number, shown, across, up, markevery=1 + len(across) // _MARKED, zorder=3)
        is_curve = all(len(across) > 1 for _, across, _ in series)
        if is_curve and self._name_ends(series):
            return
        if is_curve and len(series) <= _NAMED:
            self.legend_inside()
        else:
            self.legend()

    def legend_inside(self) -> None:
        """Add a legend inside the Axes, if there is room."""
        self.legend(loc="best", bbox_to_anchor=None, framealpha=0.85)

    @property
    def is_narrow(self) -> bool:
        """Whether the Axes are too narrow for words beside them."""
        return self._size()[0] < _NARROW

    def _name_ends(self, series: Sequence[tuple[str, Sequence[float], Sequence[float]]]) -> bool:
        """Put the name of each curve beside its end; return False, and do nothing, where names do not fit there."""
        if any(not real(up[-1]) for _, _, up in series) or len({across[-1] for _, across, _ in series}) > 1:
            return False
        if len(series) < 2 or self.ax.get_legend_handles_labels()[1][len(series) :]:  # noqa: PLR2004 - series
            return False
        into = self.ax.transData - self.ax.transAxes
        self.ax.autoscale_view()
        ends = [tuple(map(float, into.transform((across[-1], up[-1])))) for _, across, up in series]
        line = _LINE * _points("small") / self._size()[1]
        order = sorted(range(len(ends)), key=lambda number: ends[number][1])
        heights = _apart([ends[number][1] for number in order], line)
        if any(abs(height - ends[number][1]) > _SHIFTED * line for number, height in zip(order, heights, strict=True)):
            return False
        for number, height in zip(order, heights, strict=True):
            style, (across, up) = self.palette.style(number), ends[number]
            free: dict[str, Any] = {"transform": self.ax.transAxes, "clip_on": False, "label": "_", "zorder": 1}
            self.ax.plot([across, _ASIDE_FROM], [up, height], color=style.color, linewidth=0.8, alpha=0.6, **free)
            self.ax.text(
                _ASIDE_FROM + 0.01,
                height,
                label(series[number][0]),
                transform=self.ax.transAxes,
                va="center",
                fontsize="small",
                color=self.palette.text,
            )
        return True

    def _row_points(self) -> float:
        """Return how high letters of rows are, which may not touch those above and below."""
        rows = abs(float(np.subtract(*self.ax.get_ylim())))
        return min(_points("small"), self._size()[1] / max(rows, 1.0) / _ROW)

    def _size(self) -> tuple[float, float]:
        """Return width and height of the Axes in points, about: the layout may still change."""
        figure = self.ax.get_figure(root=True)
        box = self.ax.get_position()
        width, height = figure.get_size_inches() if figure else (_WIDTH, _WIDTH)
        return box.width * width * _INCH, box.height * height * _INCH


def _apart(heights: Sequence[float], least: float) -> list[float]:
    """Move ascending heights apart to a least distance, all of them between 0 and 1.

    >>> _apart([0.5, 0.5], 0.25), _apart([0.0, 0.875], 0.25), _apart([0.875, 1.0], 0.25)
    ([0.375, 0.625], [0.125, 0.875], [0.625, 0.875])
    """
    groups: list[tuple[float, int]] = []  # the middle of each group of neighbours that touch, and its size
    for height in heights:
        groups.append((height, 1))
        while True:
            middle, size = groups[-1]
            room = size * least / 2
            middle = min(max(middle, room), 1 - room)
            groups[-1] = (middle, size)
            if len(groups) == 1 or middle - room >= groups[-2][0] + groups[-2][1] * least / 2 - ROUNDING:
                break
            below, count = groups[-2]
            groups[-2:] = [((below * count + middle * size) / (count + size), count + size)]
    return [middle + least * (index - (size - 1) / 2) for middle, size in groups for index in range(size)]


def ends(values: Iterable[float | None], share: float = 0.0) -> tuple[float, float]:
    """Return the ends of an axis: 0 and 1, or as far as the values go, with a share of it left free at both ends.

    >>> ends([0.5, None]), ends([-1.0, 3.0], 0.25)
    ((0.0, 1.0), (-2.0, 4.0))
    """
    numbers = [value for value in values if real(value)]
    low, high = min([0.0, *numbers]), max([1.0, *numbers])
    return low - share * (high - low), high + share * (high - low)


@contextmanager
def canvas(
    ax: "Axes | None", rows: float = 12, *, least: float = 12, polar: bool = False, grid: str = "both"
) -> Iterator[Canvas]:
    """Yield Axes to draw on, and give what was written the fonts it needs when the block ends.

    Args:
        ax: Axes to take; new ones on a new figure where None.
        rows: how many lines of text a new figure is high.
        least: how many it is high at least.
        polar: whether the Axes must be round.
        grid: along which axis lines help to read: x, y, both.

    Raises:
        UsageError: `missing-library`; `unknown-setting` where round Axes are needed and these are not.

    """
    matplotlib = library()
    if polar and ax is not None and ax.name != "polar":
        remedy = 'make them with subplot_kw={"projection": "polar"}'
        raise UsageError("unknown-setting", "a radar needs round Axes", remedy=remedy)
    figure = None
    if ax is None:  # before settings change: a notebook's backend sets some for good when the first figure loads it
        projection = {"projection": "polar"} if polar else None
        plots = import_module("matplotlib.pyplot")
        figure, ax = plots.subplots(figsize=size(rows, least), layout="constrained", subplot_kw=projection)
    try:
        with matplotlib.rc_context(_SETTINGS):
            _lay_out(ax)
            palette = _palette(ax)
            _dress(ax, palette, grid)
            yield Canvas(ax, palette)
            _set_fonts(ax)
    except BaseException:
        if figure is not None:
            plots.close(figure)
        raise


def size(rows: float, least: float = 12) -> tuple[float, float]:
    """Return how many inches a figure is wide, and how high for so many lines of text and what stands around them."""
    return _WIDTH, max(rows, least) * _points() * 1.75 / _INCH + 1


def library() -> Any:  # noqa: ANN401 - a module
    """Import the library that draws.

    Raises:
        UsageError: `missing-library`, also where it is too old for Arabic labels.

    """
    remedy = "pip install 'matplotlib>=3.11'"
    try:
        matplotlib = import_module("matplotlib")
    except ImportError:
        raise UsageError("missing-library", "matplotlib is not installed", remedy=remedy) from None
    if tuple(matplotlib.__version_info__[:2]) < _SINCE:
        needed = ".".join(map(str, _SINCE))
        text = f"matplotlib {matplotlib.__version__} is too old to draw labels in all scripts; {needed} is needed"
        raise UsageError("missing-library", text, remedy=remedy)
    return matplotlib


def _lay_out(ax: "Axes") -> None:
    """Let a figure with Axes placed by matplotlib keep the words around them within the picture."""
    figure = ax.get_figure(root=True)
    if figure is None or figure is not ax.get_figure() or figure.get_layout_engine() or not ax.get_subplotspec():
        return
    if figure.subplotpars.to_dict() == type(figure.subplotpars)().to_dict():
        figure.set_layout_engine("constrained")


def _palette(ax: "Axes") -> Palette:
    """Choose the palette for what is behind the Axes."""
    from matplotlib.colors import to_rgba  # noqa: PLC0415 - optional library

    figure = ax.get_figure(root=True)
    for face in (ax.get_facecolor(), figure.get_facecolor() if figure else "none"):
        red, green, blue, seen = to_rgba(face)
        if seen:
            return palette_on(red, green, blue)
    return LIGHT


def _dress(ax: "Axes", palette: Palette, grid: str) -> None:
    """Make lines quiet and words readable."""
    ax.set_axisbelow(True)
    ax.grid(visible=False)
    ax.grid(visible=True, axis=grid, color=palette.grid, linewidth=0.8)  # type: ignore[arg-type]
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom", "polar"))
        spine.set_color(palette.grid)
    ax.tick_params(colors=palette.muted, labelcolor=palette.text, labelsize="small", length=0)
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_offset_text().set(size="small", color=palette.muted)


def _set_fonts(ax: "Axes") -> None:
    """Draw words without TeX, in fonts that have their letters."""
    from matplotlib import rcParams  # noqa: PLC0415 - optional library
    from matplotlib.text import Text  # noqa: PLC0415 - optional library

    texts = [text for text in ax.findobj(Text) if isinstance(text, Text)]
    usual = list(rcParams["font.family"])
    needed = families((text.get_text() for text in texts), usual)
    for text in texts:
        text.set_usetex(False)
        if needed != usual and not text.get_text().isascii():
            text.set_fontfamily(needed)


def families(texts: Iterable[str], usual: Sequence[str]) -> list[str]:
    """Choose font families that together have all letters of the texts; the usual ones alone if they suffice.

    Args:
        texts: what is to be drawn.
        usual: the families that are used otherwise.

    Warns:
        RankworthWarning: `missing-font`, once for all texts.

    """
    chosen = list(usual)
    letters = {letter for text in texts for letter in text if not letter.isascii()}
    letters -= {letter for letter in letters if unicodedata.category(letter) in ("Cc", "Cf", "Zs")}  # nothing to draw
    for family in usual:
        letters -= _drawn(family, letters) if letters else set()
    for family in FALLBACKS:
        if letters and (drawn := _drawn(family, letters, usual=False)):
            chosen.append(family)
            letters -= drawn
    if letters:
        shown = " ".join(sorted(letters)[:5]) + (" ..." if len(letters) > 5 else "")  # noqa: PLR2004 - as many as fit
        text = f"labels show boxes for {shown}: no font that is known to have them is installed; install one, such as "
        text += "Noto Sans CJK, or put the name of another into matplotlib.rcParams['font.family']"
        warnings.warn(RankworthWarning("missing-font", text), stacklevel=6)
    return chosen


def _drawn(family: str, letters: set[str], *, usual: bool = True) -> set[str]:
    """Return those of some letters that a family has."""
    from matplotlib.font_manager import FontProperties, findfont, get_font  # noqa: PLC0415 - optional library

    try:
        font = get_font(findfont(FontProperties(family=[family]), fallback_to_default=usual))
    except ValueError:  # not installed
        return set()
    return {letter for letter in letters if font.get_char_index(ord(letter))}


def save(ax: "Axes", path: str | PathLike[str]) -> None:
    """Write the figure of some Axes into a file, whole or not at all.

    Args:
        ax: any Axes of the figure.
        path: where to; the suffix says the format: `.png`, `.svg` or `.pdf`.

    Raises:
        UsageError: `unknown-format`, `unwritable-output`.

    >>> from rankworth import evaluate, plots
    >>> ax = plots.scores(evaluate(labels=[[1, 0], [0, 1]], measures=["RR"]), interval=False)
    >>> plots.save(ax, "values.bmp")
    Traceback (most recent call last):
        ...
    rankworth.errors.UsageError: values.bmp: pictures are written as png svg pdf   [unknown-format]
    """
    target = Path(path)
    form = target.suffix.lower().removeprefix(".")
    if form not in _METADATA:
        raise UsageError("unknown-format", f"{path}: pictures are written as {' '.join(_METADATA)}")
    atomic.refuse(target)
    atomic.write({target: rendered(ax, form)})


def rendered(ax: "Axes", form: str) -> bytes:
    """Render the figure of some Axes as the content of a file; equal figures become equal bytes.

    Args:
        ax: any Axes of the figure.
        form: png, svg or pdf.

    """
    figure = ax.get_figure(root=True)
    content = BytesIO()
    if figure is None:
        return b""
    before = [(each, each.get_position(True), each.get_position(), each.get_in_layout()) for each in figure.axes]
    with library().rc_context({"svg.hashsalt": "rankworth"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # `missing-font` said so before
        figure.savefig(content, format=form, dpi=_DOTS, metadata=_METADATA[form])
    for each, original, active, laid_out in before:  # or the next layout would begin where this one ended
        each.set_position(original, "original")
        each.set_position(active, "active")
        each.set_in_layout(laid_out)
    return content.getvalue()


def label(text: str, longest: int = _LONGEST) -> str:
    r"""Turn a text into a label: short, without control characters, and never taken for a formula.

    What is cut out comes from the middle: ids and paths often begin alike.

    >>> print(label("$d_1$\\n"))
    \$d_1\$\n
    >>> label("clueweb12-0000tw-00-00001", 20)
    'clueweb1...-00-00001'
    """
    shown = visible(text)
    if _fitting(shown, longest) < len(shown):
        half = (longest - len("...")) / 2
        end = _fitting(shown[::-1], math.ceil(half))
        shown = f"{shown[: _fitting(shown, math.floor(half))]}...{shown[len(shown) - end :]}"
    return _literal(shown)


def _cut(text: str, longest: int) -> str:
    """Shorten a text without control characters to so many cells, three dots at its end."""
    shown = visible(text)
    return shown if _fitting(shown, longest) == len(shown) else f"{shown[: _fitting(shown, longest - len('...'))]}..."


def _wrapped(text: str, width: float, size: str = "medium") -> list[str]:
    """Wrap a text to lines of at most so many points."""
    height = _points(size)
    lines = textwrap.wrap(text, max(int(width / (height * _LETTER)), _LEAST))
    widest = max((_width(line, height) for line in lines), default=0.0)
    return lines if widest <= width else textwrap.wrap(text, max(int(max(map(len, lines)) * width / widest), _LEAST))


def runs_left(text: str) -> bool:
    """Return whether the first letter of a text makes it run from right to left.

    >>> runs_left("1, query"), runs_left("1, \N{HEBREW LETTER ALEF}, query")
    (False, True)
    """
    kinds = map(unicodedata.bidirectional, text)
    return next((kind for kind in kinds if kind in ("L", "R", "AL")), "L") != "L"


def _literal(text: str) -> str:
    """Escape a text so that no dollar begins a formula."""
    return text.replace("$", r"\$")


def _points(size: str = "medium") -> float:
    """Return the height of letters, in points."""
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415 - optional library

    return FontProperties(size=size).get_size_in_points()


def _fitting(text: str, cells: int) -> int:
    """Count the letters of a text that go into so many cells."""
    return len(next(iter(chop_cells(text, cells)), ""))


def _width(text: str, height: float) -> float:
    """Measure a line in points: as wide as the usual font draws it, and wide letters as wide as high."""
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415 - optional library
    from matplotlib.textpath import text_to_path  # noqa: PLC0415 - optional library

    narrow = "".join(letter for letter in text if unicodedata.east_asian_width(letter) not in "WF")
    drawn, _, _ = text_to_path.get_text_width_height_descent(narrow, FontProperties(size=height), ismath=False)
    return float(drawn) + height * (len(text) - len(narrow))


def number(value: float | None) -> str:
    r"""Format a value; with a power of ten where four decimals would make it 0.

    >>> number(0.5), number(None), number(0.0), ascii(number(3e-7))
    ('0.5000', 'n/a', '0.0000', "'3.0e\\u22127'")
    """
    text = look.Look().number(value, "value")
    if real(value) and ROUNDING < abs(value) < _SMALLEST:
        digits, _, power = f"{value:.1e}".partition("e")
        text = f"{digits}e{int(power)}"
    return text.translate(_MINUS)


def signed(change: float) -> str:
    r"""Format a difference, always with its sign.

    >>> signed(0.0412), ascii(signed(-0.25)), signed(0.0), signed(0.00001)
    ('+0.0412', "'\\u22120.2500'", '0.0000', '+<0.0001')
    """
    return look.signed(change).translate(_MINUS)


def span(low: float, high: float) -> str:
    """Format a range, from one value to another."""
    return f"{number(low)}\N{HORIZONTAL ELLIPSIS}{number(high)}"


def real(value: float | None) -> TypeGuard[float]:
    """Return whether there is a finite number."""
    return value is not None and math.isfinite(value)
