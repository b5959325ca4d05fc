"""How libraries of learning and recommendation, BEIR, MTEB, ranx, trectools and the notebooks are asked for."""

from typing import Final

from golden.asking import Way
from golden.choosing import Select, records

_SINGLE: Final = 2e-6
"""torchmetrics adds and divides float32 numbers: relative to its value, this is what that may cost."""
_K: Final = {r"(\w+)\(k=(\d+)\)": r"\1@\2", r"(\w+)\[(\w+),(\w+)\]\(k=(\d+)\)": r"\1[\2,\3]@\4"}

OTHERS: Final[list[tuple[Select, Way]]] = [
    (records("ranx", called="dict"), Way("ranx-0.3-dict")),
    (records("ranx", called="make_comparable=True"), Way("ranx-0.3-comparable")),
    (records("ranx", called="from_file"), Way("ranx-0.3")),
    (records("ranx"), Way("ranx-0.3", dicts=True)),
    (records("beir", called="ignore_identical_ids=False"), Way("beir-2.2-identical", dicts=True)),
    (records("beir"), Way("beir-2.2", dicts=True)),
    (
        records("mteb"),
        Way("mteb-2.26", dicts=True, spelt={r"\w+:(\S+) \(raw list\)": r"\1"}),
    ),
    (records("sentence-transformers", version="5"), Way("sentence-transformers-5")),
    (records("sentence-transformers", version="6"), Way("sentence-transformers-6")),
    (
        records("torchmetrics", measure=r"retrieval_.*"),
        Way("torchmetrics-1.9", alone=True, dicts=True, tolerance=_SINGLE, relative=True),
    ),
    (records("torchmetrics"), Way("torchmetrics-1.9", tolerance=_SINGLE, relative=True)),
    (
        records("scikit-learn", called="retrieved docs only"),
        Way("scikit-learn-1.9", alone=True, dicts=True),
    ),
    (records("scikit-learn"), Way("scikit-learn-1.9-all", alone=True, dicts=True)),
    (records("trectools", version="0.0.50 (pandas 3"), Way("trectools-0.0.50")),
    (records("trectools"), Way("trectools-0.0.50-pandas2")),
    (records("recommenders", called="rating_true = rel>0"), Way("recommenders-1.2", grades="relevant")),
    (records("recommenders"), Way("recommenders-1.2-all")),
    (records("RecTools", called="interactions = rel>0"), Way("rectools-0.19", grades="relevant")),
    (records("RecTools"), Way("rectools-0.19")),
    (records("RePlay", called="dict"), Way("replay-0.22-dict", grades="relevant")),
    (records("RePlay"), Way("replay-0.22", grades="relevant")),
    (records("seed-000"), Way("seed-000", alone=True, dicts=True)),
    (records("seed-001"), Way("seed-001", dicts=True)),
    (records("seed-002"), Way("seed-002", dicts=True)),
    (records("seed-003"), Way("seed-003", alone=True, dicts=True)),
]
OTHERS_UNSPECIFIED: Final[list[tuple[Select, str]]] = []
OTHERS_DIFFERENT: Final[list[tuple[Select, str]]] = []
