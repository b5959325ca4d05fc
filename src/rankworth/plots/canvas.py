"""The sheet of paper: Axes made or taken, their style and colours, words on them, and their way into a file.

Nothing here outlives a call but the Axes: settings of matplotlib are changed for a moment only, and a new figure is the
only thing that pyplot hears of.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import UsageError
from rankworth.io import atomic
from rankworth.plots.text import cut, families, label, literal, points, runs_left, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SINCE: Final = (3, 11)
_SENTENCE: Final = 240
_WIDTH: Final = 7.0
_INCH: Final = 72.0
_LEFT_TO_RIGHT: Final = "\N{LEFT-TO-RIGHT MARK}"
"""before a sentence in English that may begin with an id of any script"""
_MARKED: Final = 24
"""how many points of a line have a mark each"""
_ASIDE_FROM: Final = 1.02
"""where words right of the Axes stand, in widths of the Axes"""
_MOMENT: Final = {
    "text.usetex": False,
    "text.parse_math": True,
    "axes.formatter.use_locale": False,
    "axes.unicode_minus": True,
}
"""settings without which labels would not say what they should"""
METADATA: Final[dict[str, dict[str, Any]]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
"""the formats, and what they would say of the hour and should not"""
_DOTS: Final = 200
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: Final[tuple[str | tuple[int, tuple[float, ...]], ...]] = (
    "-",
    (0, (5, 2)),
    (0, (1.2, 1.6)),
    (0, (6, 2, 1.2, 2)),
    (0, (3, 1.4)),
)
_SIZES: Final = (7.0, 5.5, 4.5)
_DARK_BELOW: Final = 0.18
"""the luminance at which black and white text are read equally well"""


@dataclass(frozen=True)
class Style:
    """How one series is drawn: three signs, of which any two would do.

    Attributes:
        color: of line and marker.
        marker: its shape.
        dashes: of the line.
        size: of the marker in points; neighbours differ, so that one shows behind the other where values coincide.

    """

    color: str
    marker: str
    dashes: str | tuple[int, tuple[float, ...]]
    size: float


@dataclass(frozen=True)
class Palette:
    """Colours for one background.

    Attributes:
        text: of words and numbers.
        muted: of what is said beside them.
        grid: of lines that help to read.
        more: of what is better or more, and of the only series.
        less: of what is worse or less.
        series: of all series in their order; the first two are `more` and `less`.

    """

    text: str
    muted: str
    grid: str
    series: tuple[str, ...]

    @property
    def more(self) -> str:
        """Of what is better or more, and of the only series."""
        return self.series[0]

    @property
    def less(self) -> str:
        """Of what is worse or less."""
        return self.series[1]

    def style(self, place: int) -> Style:
        """How the series at this place is drawn; 280 places look different.

        >>> LIGHT.style(0).color, LIGHT.style(7).color, LIGHT.style(0) == LIGHT.style(7)
        ('#0072B2', '#0072B2', False)
        """
        return Style(
            self.series[place % len(self.series)],
            MARKERS[place % len(MARKERS)],
            DASHES[place % len(DASHES)],
            _SIZES[place % len(_SIZES)],
        )


LIGHT: Final = Palette(
    text="#1B1F24",
    muted="#59616B",
    grid="#E1E5EA",
    series=("#0072B2", "#B34700", "#009E73", "#A4528A", "#3A3F46", "#56B4E9", "#E69F00"),
)
DARK: Final = Palette(
    text="#E8EBEF",
    muted="#A9B1BB",
    grid="#343A42",
    series=("#56B4E9", "#E69F00", "#00B88A", "#D998BC", "#E8EBEF", "#F0E442", "#E8703A"),
)


def palette_on(red: float, green: float, blue: float) -> Palette:
    """The palette for a background, whose parts go from 0 to 1.

    >>> palette_on(1, 1, 1) is LIGHT, palette_on(0.1, 0.1, 0.12) is DARK
    (True, True)
    """
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]  # noqa: PLR2004 - sRGB
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return DARK if luminance < _DARK_BELOW else LIGHT


@dataclass(frozen=True)
class Canvas:
    """Axes that are being drawn on.

    Attributes:
        ax: the Axes.
        palette: colours that can be seen on them.

    """

    ax: "Axes"
    palette: Palette

    def title(self, *texts: str) -> None:
        """Put lines above, as many as the width wants; what is as long as a page is cut."""
        room = self.room()
        lines = [line for text in texts for line in wrapped(cut(text, _SENTENCE), room)]
        lines = [f"{_LEFT_TO_RIGHT}{line}" if runs_left(line) else line for line in lines]
        self.ax.set_title("\n".join(map(literal, lines)), loc="left", fontsize="medium", color=self.palette.text)

    def names(self, horizontal: str = "", vertical: str = "") -> None:
        """Say what the axes are, in as many lines as they want."""
        sides = zip((horizontal, vertical), self._inches(), strict=True)
        across, up = ("\n".join(map(literal, wrapped(text, side * _INCH, "small"))) for text, side in sides)
        self.ax.set_xlabel(across, color=self.palette.muted, fontsize="small")
        self.ax.set_ylabel(up, color=self.palette.muted, fontsize="small")

    def note(self, text: str) -> None:
        """Say something where there is nothing to draw."""
        self.ax.set(xticks=[], yticks=[])
        middle = {"ha": "center", "va": "center", "color": self.palette.muted}
        self.ax.text(0.5, 0.5, label(text), transform=self.ax.transAxes, **middle)  # type: ignore[arg-type]

    def aside(self, row: float, text: str) -> None:
        """Put words right of the Axes, beside a row."""
        beside = self.ax.get_yaxis_transform()
        self.ax.text(_ASIDE_FROM, row, text, transform=beside, va="center", fontsize="small", color=self.palette.text)

    def beside(self, text: str, at: tuple[float, float], offset: tuple[float, float], **settings: Any) -> None:  # noqa: ANN401 - as matplotlib has them
        """Put words beside a point, so many points of type away from it."""
        settings = {"ha": "center", "fontsize": "small", "color": self.palette.text} | settings
        self.ax.annotate(text, xy=at, xytext=offset, textcoords="offset points", **settings)

    def marks(self, across: Sequence[float], up: Sequence[float], marker: str, color: str, **settings: Any) -> None:  # noqa: ANN401 - as matplotlib has them
        """Draw points without a line."""
        self.ax.plot(across, up, marker=marker, color=color, linestyle="none", **settings)

    def legend(self, **settings: Any) -> None:  # noqa: ANN401 - as matplotlib has them
        """Say what is what, where names cannot stand beside it."""
        behind = self.ax.get_facecolor()
        legend = self.ax.legend(fontsize="small", edgecolor="none", facecolor=behind, **settings)
        for text in legend.get_texts():
            text.set_color(self.palette.text)

    def line(self, place: int, name: str, across: Sequence[float], up: Sequence[float], **settings: Any) -> None:  # noqa: ANN401 - as matplotlib has them
        """Draw the series at a place."""
        style = self.palette.style(place)
        looks = {"color": style.color, "marker": style.marker, "markersize": style.size, "linestyle": style.dashes}
        self.ax.plot(across, up, label=label(name), linewidth=1.5, **looks, **settings)  # type: ignore[arg-type]

    def lines(self, series: Sequence[tuple[str, Sequence[float], Sequence[float]]]) -> None:
        """Draw series with their names in a legend right of the Axes.

        Args:
            series: of each its name, where its points are and how high; NaN leaves a gap.

        """
        for place, (name, across, up) in enumerate(series):
            shown = name if any(value == value for value in up) else f"{name} (n/a)"  # noqa: PLR0124 - NaN test
            self.line(place, shown, across, up, markevery=1 + len(across) // _MARKED, zorder=3)
        self.legend(loc="upper left", bbox_to_anchor=(_ASIDE_FROM, 1))

    def room(self) -> float:
        """How wide the Axes are in points, about."""
        return self._inches()[0] * _INCH

    def _inches(self) -> tuple[float, float]:
        """Width and height of the Axes, about: the layout may still change."""
        figure = self.ax.get_figure(root=True)
        box = self.ax.get_position()
        width, height = figure.get_size_inches() if figure else (_WIDTH, _WIDTH)
        return box.width * width, box.height * height


@contextmanager
def canvas(ax: "Axes | None", rows: float = 12, *, polar: bool = False, grid: str = "both") -> Iterator[Canvas]:
    """Axes to draw on, in the style of the house, with fonts for what was written when the block ends.

    Args:
        ax: Axes to take; new ones on a new figure where None.
        rows: how many lines of text a new figure is high.
        polar: whether the Axes must be round.
        grid: along which axis lines help to read: x, y, both.

    Raises:
        UsageError: `missing-library`; `unknown-setting` where round Axes are needed and the given ones are not.

    """
    matplotlib = library()
    if polar and ax is not None and ax.name != "polar":
        raise UsageError(
            "unknown-setting", "a radar needs round Axes", remedy='make them with subplot_kw={"projection": "polar"}'
        )
    figure = None
    if ax is None:  # before settings change: a notebook's backend sets some for good when the first figure loads it
        projection = {"projection": "polar"} if polar else None
        plots = import_module("matplotlib.pyplot")
        figure, ax = plots.subplots(figsize=size(rows), layout="constrained", subplot_kw=projection)
    try:
        with matplotlib.rc_context(_MOMENT):
            sheet = Canvas(ax, _palette(ax))
            _make_room(ax)
            _dress(sheet, grid)
            yield sheet
            _write_as_it_is(ax)
    except BaseException:
        if figure is not None:
            import_module("matplotlib.pyplot").close(figure)
        raise


def size(rows: float) -> tuple[float, float]:
    """How many inches a figure is wide, and how high for so many lines of text and what stands around them."""
    return _WIDTH, max(rows, 12) * points() * 1.75 / _INCH + 1


def library() -> Any:  # noqa: ANN401 - a module
    """The library that draws.

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


def _make_room(ax: "Axes") -> None:
    """Let a figure make room for words around its Axes, unless it was told how its Axes stand."""
    figure = ax.get_figure(root=True)
    if figure is None or ax.get_figure() is not figure or figure.get_layout_engine() is not None:
        return
    if ax.get_subplotspec() is None or figure.subplotpars.to_dict() != type(figure.subplotpars)().to_dict():
        return
    figure.set_layout_engine("constrained")


def _palette(ax: "Axes") -> Palette:
    """The palette for what is behind the Axes."""
    from matplotlib.colors import to_rgba  # noqa: PLC0415 - optional library

    figure = ax.get_figure(root=True)
    for face in (ax.get_facecolor(), figure.get_facecolor() if figure else "none"):
        red, green, blue, seen = to_rgba(face)
        if seen:
            return palette_on(red, green, blue)
    return LIGHT


def _dress(sheet: Canvas, grid: str) -> None:
    """Quiet lines, words that can be read."""
    ax, palette = sheet.ax, sheet.palette
    ax.set_axisbelow(True)
    ax.grid(visible=False)
    ax.grid(visible=True, axis=grid, color=palette.grid, linewidth=0.8)  # type: ignore[arg-type]
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom", "polar"))
        spine.set_color(palette.grid)
    ax.tick_params(colors=palette.muted, labelcolor=palette.text, labelsize="small", length=0)
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_offset_text().set(size="small", color=palette.muted)


def _write_as_it_is(ax: "Axes") -> None:
    """Take no words for TeX, and give those that the usual font cannot write fonts that can."""
    from matplotlib import rcParams  # noqa: PLC0415 - optional library
    from matplotlib.text import Text  # noqa: PLC0415 - optional library

    texts = [text for text in ax.findobj(Text) if isinstance(text, Text)]
    usual = list(rcParams["font.family"])
    found = families((text.get_text() for text in texts), usual)
    for text in texts:
        text.set_usetex(False)
        if found != usual and not text.get_text().isascii():
            text.set_fontfamily(found)


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
    if form not in METADATA:
        raise UsageError("unknown-format", f"{path}: pictures are written as {' '.join(METADATA)}")
    if refused := atomic.refusal(target, ()):
        raise UsageError("unwritable-output", f"{path}: {refused}")
    atomic.write({target: rendered(ax, form)})


def rendered(ax: "Axes", form: str) -> bytes:
    """The figure of some Axes as the content of a file; equal figures become equal bytes.

    Args:
        ax: any Axes of the figure.
        form: png, svg or pdf.

    """
    figure = ax.get_figure(root=True)
    content = BytesIO()
    if figure is None:
        return b""
    before = [(one, one.get_position(original=True), one.get_position(), one.get_in_layout()) for one in figure.axes]
    with library().rc_context({"svg.hashsalt": "rankworth"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # it was said when they were drawn
        figure.savefig(content, format=form, dpi=_DOTS, metadata=METADATA[form])
    for one, original, active, laid_out in before:  # or the next layout would begin where this one ended
        one.set_position(original, "original")
        one.set_position(active, "active")
        one.set_in_layout(laid_out)
    return content.getvalue()
