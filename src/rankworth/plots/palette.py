"""Colours, markers and dashes: no two series differ by colour alone, and each colour has a light and a dark form."""

from dataclasses import dataclass
from typing import Final

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
        """Of what is better or more."""
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
