"""Which settings each analysis follows: one table, and one error for all that it does not follow."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from rankworth.errors import UsageError
from rankworth.settings import BY_GRADE, ITEM_DATA, as_typed

Analysis = Literal["bounds over ties", "bounds over grades", "matrices", "frames of Spark", "rows without positions"]


@dataclass(frozen=True)
class Limit:
    """What an analysis follows of one setting.

    Attributes:
        follows: whether it follows a value.
        why: what keeps it from the others, as the end of a sentence.
        usual: a value that it follows, which the error proposes.

    """

    follows: Callable[[Any], bool]
    why: str
    usual: object


def _only(*values: object, why: str) -> Limit:
    """Return the limit of an analysis to certain values of a setting; the first of them is proposed."""
    return Limit(lambda value: any(value is followed or value == followed for followed in values), why, values[0])


def _but(*values: object, why: str, usual: object) -> Limit:
    """Return the limit of an analysis that follows all values of a setting but some."""
    return Limit(lambda value: value not in values, why, usual)


_BY_GRADES: Final = "whether a query counts depends on its grades then, and these vary"
_BY_TIES: Final = "whether a query counts depends on the order of ties then, which varies"
_BY_SCORES: Final = "documents with scores of 0 and below never count as relevant then, whatever their grades"
_POOL: Final = "what is known of a query depends on the grades that vary then"
_ROWS: Final = "nothing says the order of rows"
_QUERIES: Final = "nothing says the order of queries"
_IDS: Final = "a matrix has no ids and no more documents than its columns"
_MEMORY: Final = "measures of items are measured in memory, not by an engine"

LIMITS: Final[Mapping[Analysis, Mapping[str, Limit]]] = {
    "bounds over ties": {"no_hit": _only("keep", why=_BY_TIES)},
    "bounds over grades": {
        "no_relevant": _only("keep", why=_BY_GRADES),
        "neither": _only("keep", why=_BY_GRADES),
        "all_negative": _only("keep", why=_BY_GRADES),
        "no_hit": _only("keep", why=_BY_GRADES),
        "undefined": Limit(lambda value: not isinstance(value, str), _BY_GRADES, 0.0),
        "judgements": _only("all", why=_POOL),
        "pool": _only("judged", why=_POOL),
        "unretrieved": _only("absent", why=_POOL),
        "scored": _only("all", why=_BY_SCORES),
        "ties": _but(*BY_GRADE, why="where a tied document stands depends on its grade then", usual="id-descending"),
    },
    "matrices": {
        "depth": _only(None, why="the columns of a matrix are all that is looked at"),
        "unretrieved": _only("absent", why=_IDS),
        "above": _only("error", why="grades of a matrix count as they are"),
        "neither": _only("keep", why="every row of a matrix has results"),
        "no_hit": _only("keep", why="a row of a matrix keeps its value"),
        "nan": _only("propagate", why="a row of a matrix keeps its value"),
        "weights": _only(None, why="the queries of a matrix have no ids"),
        "macro": _only(None, why="the queries of a matrix have no ids"),
        **dict.fromkeys(ITEM_DATA, _only(None, why=_IDS)),
        "undefined": _but("error", why="a matrix is never refused for a value", usual=0.0),
        "no_relevant": _but(
            "error", "silence", why="a matrix is never refused for a value, and every row has results", usual="keep"
        ),
        "ties": _but(
            "last",
            "given-reversed",
            *BY_GRADE,
            why="the columns of a matrix are its order of ties",
            usual="id-descending",
        ),
    },
    "frames of Spark": {
        "duplicate_judgements": _but("first", "last", why=_ROWS, usual="max"),
        "all_negative": _only("keep", why=_QUERIES),
        "no_relevant_counts": _only("weighted", why="weights come in once values are known"),
        **dict.fromkeys(ITEM_DATA, _only(None, why=_MEMORY)),
    },
    "rows without positions": {
        "blocks": _only("joined", why=_QUERIES),
        "pairing": _only("id", why=_QUERIES),
        "order": _only("score", "auto", why=_ROWS),
        "ties": _but("given", "given-reversed", why=_ROWS, usual="id-descending"),
        "duplicates": _but("first", "last", why=_ROWS, usual="best"),
        **dict.fromkeys(ITEM_DATA, _only(None, why=_MEMORY)),
    },
}
"""By analysis, what it follows of each setting; of a setting that is not named, every value. All others follow all
settings: evaluate, explain, audit and check; what takes values of queries (compare, correlate, results files, gates,
report) follows them as values and weights, and shows means without the decimals of a tool."""


def unfollowed(analysis: Analysis, *settings: object) -> dict[str, Any]:
    """Return the settings whose values an analysis does not follow, in the order of its limits, with these values."""
    values = {name: value for part in settings for name, value in vars(part).items()}
    limits = LIMITS[analysis].items()
    return {name: values[name] for name, limit in limits if name in values and not limit.follows(values[name])}


def refuse(analysis: Analysis, *settings: object, label: str = "", but: Collection[str] = (), more: str = "") -> None:
    """Refuse settings that an analysis does not follow.

    Args:
        analysis: the analysis.
        *settings: those of a measure, and its data.
        label: the measure.
        but: settings that it can follow here.
        more: what helps besides.

    Raises:
        UsageError: `unfollowed-setting`.

    """
    for name, value in unfollowed(analysis, *settings).items():
        if name not in but:
            raise refusal(analysis, name, value, label=label, more=more)


def reason(analysis: Analysis, name: str, value: object, why: str = "") -> str:
    """Return what keeps an analysis from following a setting, as a sentence."""
    return f"{name}={getattr(value, 'label', value)!r}: {why or LIMITS[analysis][name].why}"


def refusal(
    analysis: Analysis, name: str, value: object, *, label: str = "", why: str = "", more: str = ""
) -> UsageError:
    """Return the error for a setting that an analysis does not follow.

    Args:
        analysis: the analysis.
        name: of the setting.
        value: of the setting.
        label: the measure.
        why: what keeps the analysis from it, where that is not what the table says.
        more: what helps besides.

    """
    limit = LIMITS[analysis][name]
    of = f" (asked for by {label})" if label else ""
    text = f"{analysis} do not follow {reason(analysis, name, value, why)}{of}"
    typed = "" if limit.usual is None else f" ({' '.join(as_typed(name, limit.usual))})"
    return UsageError("unfollowed-setting", text, remedy=f"{analysis} take {name}={limit.usual!r}{typed}{more}")
