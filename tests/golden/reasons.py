"""How far apart roundings may take two numbers, and the records that have another number here."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from golden.choosing import Select, records
from golden.records import Key, Record

Ours = float | str | Sequence[float] | Mapping[str, float] | None
"""what rankworth says: a number, the slug of a refusal, numbers in the order of the queries, numbers by query where the
record is about a whole call, or None where there is no row"""

DOUBLE: Final = 2.0**-52
SINGLE: Final = 2.0**-23

ROUNDING: Final[list[tuple[Select, int, float, str]]] = [
    (
        records("torchmetrics", measure=".*(normalized_dcg|NormalizedDCG).*"),
        4,
        SINGLE,
        "float32 throughout: discounted gains are summed, and negative ones cancel the leading digits of others",
    ),
    (
        records("torchmetrics"),
        1,
        SINGLE,
        "float32 throughout: a sum of quotients, which is divided once more",
    ),
    (
        records("trec_eval", version="10", measure="rbp(_resid)?"),
        1,
        DOUBLE,
        "weights are summed there; the residual is 1 less the sum over the judged here",
    ),
    (
        records("cwl-eval", measure="(INSQ|NERR-EQ1[01]).*"),
        16,
        DOUBLE,
        "weights of 1,000 ranks are multiplied up and summed there, and in closed form here",
    ),
    (
        records("ir_measures", measure="(INSQ|NERR1[01]).*"),
        16,
        DOUBLE,
        "computed by cwl-eval: weights of 1,000 ranks",
    ),
    (records("cwl-eval", measure="RBP.*|INST.*|TrAP.*"), 4, DOUBLE, "weights of 1,000 ranks, which fall faster"),
    (records("ir_measures", measure="RBP.*|INST.*"), 4, DOUBLE, "computed by cwl-eval: weights of 1,000 ranks"),
    (records("ir_measures", measure="Compat.*"), 3, DOUBLE, "overlaps are summed from the other end"),
    (records("cwl-eval"), 2, DOUBLE, "a product of every gain and its weight, which is the quotient of two weights"),
    (
        records("ir_measures", measure=r"(SDCG|NERR[89])\b.*|Accuracy|SetF"),
        2,
        DOUBLE,
        "quotients of quotients there, one quotient here",
    ),
    (records("ir_measures", called="(provider )?cwl_eval"), 2, DOUBLE, "computed by cwl-eval"),
    (
        records("scikit-learn", measure=r"dcg_score.*"),
        6,
        DOUBLE,
        "averages of tied discounts as differences of cumulative sums, in which digits cancel",
    ),
    (records("scikit-learn"), 3, DOUBLE, "as before, divided; average precision is a sum of areas"),
    (records("recommenders", measure="(map|ndcg).*"), 2, DOUBLE, "sums of pandas, which carries roundings along"),
    (records("RecTools", measure="(F1Beta|MAP|NDCG).*"), 2, DOUBLE, "sums in another order; F is several quotients"),
    (records("trectools", measure="NDCG.*|.*(RBP|rbp).*|gm_map"), 1, DOUBLE, "powers and logarithms of NumPy"),
    (
        records("ranx", measure=r"f1.*|rbp.*"),
        1,
        DOUBLE,
        "F is four quotients there and one here; the factor 1 - p of RBP stands outside of the sum there",
    ),
    (records("elinor", measure="f1.*"), 1, DOUBLE, "F is four quotients there and one here"),
    (records("seed-001", measure="F1"), 1, DOUBLE, "F is four quotients there and one here"),
]
"""Records whose numbers may differ by roundings; by how many units in the last place of the larger one, of which
precision, and what makes them. The first entry that fits counts. All other numbers have the same bits."""


@dataclass(frozen=True)
class Excuse:
    """Why a record has another number here, and which.

    Attributes:
        verdict: `different`, or `unspecified` where the tool leaves the order of ties open.
        why: the reason.
        ours: the number that rankworth gives.
        instead: settings and spellings of measures with which rankworth gives the number of the tool.

    """

    verdict: str
    why: str
    ours: Ours
    instead: Mapping[str, Mapping[str, Any]] | None


def _excuses(section: str) -> Iterator[tuple[Key, Excuse]]:
    text = Path(__file__).with_name("excuses.json").read_text(encoding="utf-8")
    for group in json.loads(text.replace('"nan"', "NaN"))[section]:
        for case, measure, queries in group["records"]:
            for query, ours in queries.items():
                key = (case, group["tool"], group["version"], group["called"], measure, query, 0)
                yield key, Excuse(group.get("verdict", "different"), group["why"], ours, group.get("instead"))


PROFILES: Final = dict(_excuses("profiles"))
"""records that have another number under the profile of their tool"""
STANDARD: Final = dict(_excuses("standard"))
"""records that have another number by rankworth's own conventions"""
RBP_EVAL: Final = dict(_excuses("rbp_eval"))
"""values of rbp_eval's own specifications that are other ones under its profile"""


def holds(record: Record, ours: Ours, excuses: Mapping[Key, Excuse]) -> bool:
    """Whether a number is that of the tool; for an excused record, whether it is the other one that is known."""
    excuse = excuses.get(record.key)
    agrees = record.expected is not None and near(record, record.expected, ours)
    return agrees if excuse is None else not agrees and near(record, excuse.ours, ours)


def near(record: Record, expected: Ours, ours: Ours) -> bool:
    """Whether what was expected for a record and what came are the same but for the roundings of its tool."""
    if isinstance(expected, float) and isinstance(ours, float):
        if math.isnan(expected) or math.isnan(ours):
            return math.isnan(expected) and math.isnan(ours)
        entry = rounding(record)
        return units_apart(expected, ours, entry[2] if entry else DOUBLE) <= (entry[1] if entry else 0)
    if isinstance(expected, Mapping) and isinstance(ours, Mapping):
        return expected.keys() == ours.keys() and all(near(record, expected[key], ours[key]) for key in expected)
    if isinstance(expected, tuple) and isinstance(ours, list):
        return len(expected) == len(ours) and all(map(near, [record] * len(ours), expected, ours))
    return expected == ours


def rounding(record: Record) -> tuple[Select, int, float, str] | None:
    """The entry of a record in the table of roundings; None where its number has the same bits."""
    return next((entry for entry in ROUNDING if entry[0](record)), None)


def units_apart(one: float, other: float, size: float) -> float:
    """How many units in the last place of the larger number lie between two."""
    return 0.0 if one == other else abs(one - other) / (size * max(abs(one), abs(other)))
