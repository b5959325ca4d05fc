"""The colours and signs of charts, as `pages/design.css` has them for pages: each for light and dark backgrounds."""

from dataclasses import dataclass
from typing import Final

_DARK_BELOW: Final = 0.18
"""the luminance at which black and white text are read equally well"""


@dataclass(frozen=True)
class Style:
    """How a series is drawn: three signs, of which any two would do.

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


_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
_DASHES: Final = ("-", (0, (5.0, 2.0)), (0, (1.2, 1.6)), (0, (6.0, 2.0, 1.2, 2.0)), (0, (3.0, 1.4)))
_SIZES: Final = (7.0, 5.5, 4.5)


@dataclass(frozen=True)
class Palette:
    """Colours for one background.

    Attributes:
        text: of words and numbers.
        muted: of what stands beside them.
        grid: of lines that help to read.
        series: of all series in their order: the first is also what is better or more, the second what is worse.

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

    def style(self, number: int) -> Style:
        """Choose how a series is drawn, by its number; 280 of them look different.

        >>> LIGHT.style(0).color, LIGHT.style(7).color, LIGHT.style(0) == LIGHT.style(7)
        ('#0072B2', '#0072B2', False)
        """
        return Style(*(signs[number % len(signs)] for signs in (self.series, _MARKERS, _DASHES, _SIZES)))  # type: ignore[arg-type]


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
    """Choose the palette for a background, whose parts (red, green, blue) go from 0 to 1.

    >>> palette_on(1, 1, 1) is LIGHT, palette_on(0.1, 0.1, 0.12) is DARK
    (True, True)
    """
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]  # noqa: PLR2004 - sRGB
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return DARK if luminance < _DARK_BELOW else LIGHT
