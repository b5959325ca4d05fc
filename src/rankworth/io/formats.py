"""The formats of files: their names, their suffixes, how they begin, and which module reads each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Format:
    """A format of files, by the name that options take.

    Attributes:
        name: what options call it.
        called: what messages call it.
        module: which module of `rankworth.io` reads it, by a function `batches(source, layout, reading, observed)`.
        suffixes: how names of such files end.
        magic: how such files begin, where that tells.
        delimiters: what may stand between cells, the likely ones first.
        is_readable: whether a run or judgements are read from it.
        is_writable: whether `convert` writes it.
        is_binary: whether it is no text.
        is_detected: whether `detect` tells it by what a text holds; where neither this nor `magic` does, suffixes tell.

    """

    name: str
    called: str
    module: str
    suffixes: tuple[str, ...] = ()
    magic: tuple[bytes, ...] = ()
    delimiters: str = ""
    is_readable: bool = True
    is_writable: bool = True
    is_binary: bool = False
    is_detected: bool = False


_EVERY: Final = (
    Format("trec", "TREC's lines", "trec", (".run", ".qrels", ".trec", ".txt", ".res"), is_detected=True),
    Format("tsv", "TSV", "delimited", (".tsv",), delimiters="\t", is_detected=True),
    Format("csv", "CSV", "delimited", (".csv",), delimiters=",;|\t", is_detected=True),
    Format("msmarco", "MS MARCO's lines", "delimited", delimiters="\t", is_detected=True),
    Format("jsonl", "JSON", "jsonl", (".jsonl", ".ndjson"), is_detected=True),
    Format("json", "JSON", "json", (".json",), is_detected=True),
    Format("parquet", "Parquet", "parquet", (".parquet",), (b"PAR1",), is_binary=True),
    Format("arrow", "Arrow IPC", "parquet", (".arrow", ".feather"), (b"ARROW1", b"\xff" * 4), is_binary=True),
    Format("svmlight", "a learning-to-rank file", "svmlight", is_writable=False, is_detected=True),
    Format("npy", "NumPy", "neighbours", (".npy",), (b"\x93NUMPY",), is_writable=False, is_binary=True),
    Format("ivecs", "ivecs", "neighbours", (".ivecs",), is_writable=False, is_binary=True),
    Format("ibin", "ibin", "neighbours", (".ibin",), is_writable=False, is_binary=True),
    Format("fbin", "fbin", "neighbours", (".fbin",), is_writable=False, is_binary=True),
    Format("npz", "NumPy's npz", "neighbours", (".npz",), is_writable=False, is_binary=True),
    Format("fvecs", "fvecs", "neighbours", (".fvecs",), is_writable=False, is_binary=True),
    Format(
        *("hdf5", "HDF5", "neighbours", (".hdf5", ".h5"), (b"\x89HDF\r\n\x1a\n",)), is_writable=False, is_binary=True
    ),
    Format(
        *("lists", "lines of a query and its documents", "list_lines"),
        delimiters="\t,;| ",
        is_writable=False,
        is_detected=True,
    ),
    Format("scores", "scores without ids", "row_scores", is_writable=False, is_detected=True),
)
FORMATS: Final[Mapping[str, Format]] = {each.name: each for each in _EVERY}
"""Every format by its name, in the order in which messages list them."""
READ: Final = tuple(each.name for each in _EVERY if each.is_readable)
"""What can be read, by the names that options take."""
WRITTEN: Final = tuple(each.name for each in _EVERY if each.is_writable)
"""What `convert` writes."""
SUFFIXES: Final[Mapping[str, str]] = {suffix: each.name for each in _EVERY for suffix in each.suffixes}
"""What the suffix of a file says of its format."""
MAGIC: Final[Mapping[bytes, str]] = {magic: each.name for each in _EVERY for magic in each.magic}
"""How files begin that say so which format they have."""
BY_SUFFIX: Final[Mapping[str, str]] = {
    suffix: each.name for each in _EVERY if not each.magic and not each.is_detected for suffix in each.suffixes
}
"""What the suffix of a file says of its format, where nothing in it does."""


def has_module(form: str, *modules: str) -> bool:
    """Return whether one of some modules reads a format."""
    return form in FORMATS and FORMATS[form].module in modules
