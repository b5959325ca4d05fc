"""Where the statistics come from, as BibTeX: the keys that results name, and those of effects and of planning."""

from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import Final

_ENTRIES: Final = files("rankworth.stats").joinpath("references.bib").read_text(encoding="utf-8").split("\n@")

BIBTEX: Final[Mapping[str, str]] = MappingProxyType(
    {entry[entry.index("{") + 1 : entry.index(",")]: f"@{entry.strip().lstrip('@')}" for entry in _ENTRIES}
)
"""Entries by key."""
