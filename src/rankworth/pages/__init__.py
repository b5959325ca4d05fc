"""What the pages of reports and of the explorer share: the variables and elements of their design, and scripts.

`design.css` has the variables of the design; `plots/palette.py` has the same colours for matplotlib, and the site of
the documentation takes the file as it is.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

SHARED: Final[dict[str, Traversable]] = {
    each.name: each for each in files(__name__).iterdir() if each.name.endswith((".css", ".js"))
}
"""the files, by name"""
