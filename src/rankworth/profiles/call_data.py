"""What a call gives beside its settings: pairs to exclude, weights and groups of queries, data about items."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import cache
from typing import Any, Final

from rankworth.errors import UsageError
from rankworth.groups import ROW_WEIGHTS, Groups, Weights
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.item_data import ExpectedRun, Forbidden, History, Items
from rankworth.settings import ITEM_DATA, Averaging, Judging, explained_by


@dataclass(frozen=True)
class CallData:
    """Arguments of a call that are data and no settings; equal if their labels are.

    Attributes:
        exclude: pairs of query and document that are taken out before anything else.
        weights: how much each query counts: a mean is the sum of weight times value over the sum of the weights, of all
            queries that the mean is taken over; sums are not weighted.
        macro: groups that count alike: a mean is that of the means of the groups; sums are those of all queries.
        history: which user had which item before, for measures of novelty and popularity.
        items: a table of items, for measures of diversity, coverage and exposure.
        expected_run: the run that users expect, for unexpectedness.
        forbidden: pairs of query and document that must not appear, for leaks.

    """

    exclude: Exclusion | None = None
    weights: Weights | None = None
    macro: Groups | None = None
    history: History | None = None
    items: Items | None = None
    expected_run: ExpectedRun | None = None
    forbidden: Forbidden | None = None

    @property
    def bare(self) -> "CallData":
        """The data without pairs and rows, of which the labels say enough."""
        labelled = {name: data.bare for name in LABELLED if (data := getattr(self, name)) is not None}
        return replace(self, **labelled) if labelled else self


NO_DATA: Final = CallData()
READERS: Final[Mapping[str, Callable[..., Any]]] = {
    "exclude": Exclusion.of,
    "weights": Weights.of,
    "macro": Groups.of,
    "history": History.of,
    "items": Items.of,
    "expected_run": ExpectedRun.of,
    "forbidden": Forbidden.of,
}
"""what reads each argument"""
LABELLED: Final = ("exclude", *ITEM_DATA)
"""data of which a signature tells a label alone"""
_OF_OTHER_TOOLS: Final = {
    "mask": "of rows, evaluate(labels=..., padding=~numpy.asarray(mask)) leaves out those that are none",
    **dict.fromkeys(
        ("groups", "group_id", "query_id"),
        "of rows, evaluate(labels=..., qid=...) takes the query of each row, group= how many rows each query has",
    ),
    **dict.fromkeys(("sample_weight", "weight"), ROW_WEIGHTS),
    **dict.fromkeys(("k", "ks", "k_values", "cutoff", "cutoffs", "at"), "a cutoff belongs to a measure, as in nDCG@10"),
    **dict.fromkeys(("metric", "metrics"), 'did you mean measures=["nDCG@10"]?'),
}
"""arguments of other tools, and what helps"""
_ARGUMENTS: Final = (
    *("measures", "measure", "qrels_columns", "run_columns", "columns", "qrels_format", "run_format"),
    *("profile", "group", "qid", "labels", "scores"),
)
"""arguments of evaluations that are no settings, for suggestions"""
_JUDGING: Final = tuple(setting.name for setting in fields(Judging))
_PLACE: Final = _JUDGING.index("exclude_from")
JUDGING: Final = (*_JUDGING[:_PLACE], "exclude", *_JUDGING[_PLACE:])
"""what decides how a run is judged, in the order of signatures: the settings, and what is excluded"""
AVERAGING: Final = (*(setting.name for setting in fields(Averaging)), "weights", "macro", *ITEM_DATA)
"""what decides about values and means, in the order of signatures: the settings, weights, groups, data about items"""


def refuse_unknown(names: Iterable[str]) -> None:
    """Refuse a name that is neither an argument nor a setting, and propose one of nearly that name.

    Raises:
        UsageError: `unknown-setting`.

    """
    for unknown in (name for name in names if name not in (*JUDGING, *AVERAGING)):
        arguments = [name for name in (*_ARGUMENTS, *JUDGING, *AVERAGING) if name != unknown]
        near = get_close_matches(unknown, arguments, 1, 0.7)
        remedy = f"a cutoff belongs to a measure, as in nDCG@10; settings are {', '.join((*JUDGING, *AVERAGING))}"
        remedy = _OF_OTHER_TOOLS.get(unknown, f"did you mean {near[0]}=?" if near else remedy)
        raise UsageError("unknown-setting", f"there is no argument or setting {unknown!r}", remedy=remedy)


def conventions_by_name(judging: Judging, averaging: Averaging, data: CallData) -> dict[str, Any]:
    """Put settings and data by name, in the order of signatures."""
    values = vars(judging) | vars(averaging) | vars(data)
    return {name: values[name] for name in (*JUDGING, *AVERAGING)}


@cache
def explained() -> Mapping[str, str]:
    """Tell what each setting and each argument does, in the words of its docstring."""
    return explained_by(Judging) | explained_by(Averaging) | explained_by(CallData)
