"""The sheet of paper: Axes made or taken, their style, and words on them; it knows no measures.

Nothing here outlives a call but the Axes: settings of matplotlib are changed for a moment only, and a new figure is the
only thing that pyplot hears of.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import UsageError
from rankworth.plots.fonts import families
from rankworth.plots.labels import cut, fitting, label, literal, points, runs_left, wrapped
from rankworth.plots.palette import LIGHT, Palette, Style, palette_on
from rankworth.plots.places import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SINCE: Final = (3, 11)
_SENTENCE: Final = 240
_WIDTH: Final = 7.0
_INCH: Final = 72.0
_LINE: Final = 1.25
_LEFT_TO_RIGHT: Final = "\N{LEFT-TO-RIGHT MARK}"
"""before a sentence in English that may begin with an id of any script"""
_MARKED: Final = 24
"""how many points of a line have a mark each"""
_ASIDE_FROM: Final = 1.02
"""where words right of the Axes stand, in widths of the Axes"""
_MARKS_AFTER, _NAMES_AFTER = 14, 22
"""how many points right of the Axes the marks and the names of lines stand"""
_NAME_SHARE: Final = 0.4
"""how wide a name is at most, in widths of the Axes"""
_MOMENT: Final = {
    "text.usetex": False,
    "text.parse_math": True,
    "axes.formatter.use_locale": False,
    "axes.unicode_minus": True,
}
"""settings without which labels would not say what they should"""


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
        self.ax.set_xticks([])
        self.ax.set_yticks([])
        self.ax.text(
            0.5, 0.5, label(text), transform=self.ax.transAxes, ha="center", va="center", color=self.palette.muted
        )

    def aside(self, row: float, text: str) -> None:
        """Put words right of the Axes, beside a row."""
        self.ax.text(
            _ASIDE_FROM,
            row,
            text,
            transform=self.ax.get_yaxis_transform(),
            va="center",
            fontsize="small",
            color=self.palette.text,
        )

    def legend(self, **settings: Any) -> None:  # noqa: ANN401 - as matplotlib has them
        """Say what is what, where names cannot stand beside it."""
        behind = self.ax.get_facecolor()
        legend = self.ax.legend(fontsize="small", edgecolor="none", facecolor=behind, **settings)
        for text in legend.get_texts():
            text.set_color(self.palette.text)

    def lines(self, series: Sequence[tuple[str, Sequence[float], Sequence[float]]], *, faint: bool = False) -> None:
        """Draw series with their names at their ends.

        Args:
            series: of each its name, where its points are and how high; NaN leaves a gap.
            faint: whether what leads to the names is not to be taken for a part of the series.

        """
        for place, (name, across, up) in enumerate(series):
            style = self.palette.style(place)
            self.ax.plot(
                across,
                up,
                label=label(name),
                color=style.color,
                marker=style.marker,
                markersize=style.size,
                markevery=1 + len(across) // _MARKED,
                linestyle=style.dashes,
                linewidth=1.5,
                zorder=3,
            )
        self._end_names(series, faint=faint)

    def _end_names(self, series: Sequence[tuple[str, Sequence[float], Sequence[float]]], *, faint: bool) -> None:
        """Names right of the Axes, each as near to the end of its line as the others let it be."""
        ends = []
        for place, (name, across, up) in enumerate(series):
            known = [(one, other) for one, other in zip(across, up, strict=True) if other == other]  # noqa: PLR0124 - NaN test
            ends.append((name, known[-1] if known else None, self.palette.style(place)))
        low, high = self.ax.get_ylim()
        wanted = [(end[1] - low) / (high - low) if end else 0.0 for _, end, _ in ends]
        gap = points("small") * _LINE / _INCH / self._inches()[1]
        for (name, end, style), height in zip(ends, spread(wanted, gap), strict=True):
            leading = self.palette.grid if faint else style.color
            self._end_name(name if end else f"{name} (n/a)", end, height, style, leading)

    def _end_name(self, name: str, end: tuple[float, float] | None, height: float, style: Style, leading: str) -> None:
        """A name with the mark of its line, and a thin line to the last point."""
        ax = self.ax
        if end:
            thin = {"arrowstyle": "-", "color": leading, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 3}
            ax.annotate(
                "",
                xy=end,
                xytext=(1, height),
                textcoords=self._right(_MARKS_AFTER),
                annotation_clip=False,
                arrowprops=thin,
                zorder=1,  # below marks
            )
        ax.plot(
            [1],
            [height],
            transform=self._right(_MARKS_AFTER),
            clip_on=False,
            color=style.color,
            marker=style.marker,
            markersize=5,
            linestyle="none",
            label="_",
        )
        ax.text(
            1,
            height,
            label(name, fitting(self.room() * _NAME_SHARE, "small")),
            transform=self._right(_NAMES_AFTER),
            va="center",
            fontsize="small",
            color=self.palette.text,
        )

    def _right(self, gap: float) -> Any:  # noqa: ANN401 - a transform
        """Fractions of the Axes, moved to the right by some points."""
        from matplotlib.transforms import ScaledTranslation  # noqa: PLC0415 - optional library

        figure = self.ax.get_figure(root=True)
        moved = ScaledTranslation(gap / _INCH, 0, figure.dpi_scale_trans) if figure else None
        return self.ax.transAxes + moved if moved else self.ax.transAxes

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
    if (
        ax is None
    ):  # before settings are changed: a notebook's backend sets some for good when the first figure loads it
        figure, ax = _new(rows, polar=polar)
    try:
        with matplotlib.rc_context(_MOMENT):
            style = Canvas(ax, _palette(ax))
            _make_room(ax)
            _dress(style, grid)
            yield style
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


def _new(rows: float, *, polar: bool) -> tuple["Figure", "Axes"]:
    """A figure of its own."""
    made: tuple[Figure, Axes] = import_module("matplotlib.pyplot").subplots(
        figsize=size(rows), layout="constrained", subplot_kw={"projection": "polar"} if polar else None
    )
    return made


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


def _dress(style: Canvas, grid: str) -> None:
    """Quiet lines, words that can be read."""
    ax, palette = style.ax, style.palette
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
