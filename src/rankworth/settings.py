"""Conventions: every setting of an evaluation once, with its values, its default and what it does.

`Judging` has the settings of the step from judgements and run to a judged run, `Averaging` those from values of queries
to a mean. Options are what users choose; quirks are what one or two tools need. From here follow the keys of
profiles, signatures, options of the command line, keywords of calls (`settings_keywords`) and the pages of conventions.
"""

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from numbers import Real
from types import UnionType
from typing import Any, Final, Literal, NamedTuple, Union, get_args, get_origin

from rankworth.errors import UsageError

Duplicates = Literal["error", "best", "first", "last", "sum", "mean-top-3", "all", "once", "joined"]
Order = Literal["auto", "score", "rank", "given"]
ScoreType = Literal["float64", "float32"]
Ties = Literal["id-descending", "id-ascending", "given", "given-reversed", "expected", "last", "best", "worst"]
DuplicateJudgements = Literal["error", "max", "first", "last", "all", "wanted", "spread"]
Unjudged = Literal["kept", "removed"]
Grades = Literal["given", "truncated", "whole"]
Negative = Literal["pooled", "zero", "dropped", "error", "error-retrieved"]
Missing = Literal["zero", "nought", "nan", "skip", "absent", "error"]
Extra = Literal["ignore", "zero", "error"]
NoRelevant = float | Literal["keep", "nan", "skip", "error", "silence"]
Undefined = float | Literal["nan", "skip", "error"]
BY_GRADE: Final = ("best", "worst")
"""orders of ties that follow the grades of the documents"""
UNBROKEN: Final = ("expected", "last", *BY_GRADE)
"""what becomes of ties only once grades are known; until then they are ordered by ids"""


def option(default: Any, help: str, *, metavar: str = "HOW", alias: str = "") -> Any:  # noqa: A002, ANN401 - any setting
    """Declare a setting that users choose: one sentence of help that names its words, and how it is typed."""
    return field(default=default, metadata={"help": help, "metavar": metavar} | ({"alias": alias} if alias else {}))


def quirk(default: Any) -> Any:  # noqa: ANN401 - any setting
    """Declare a setting that one or two tools need."""
    return field(default=default, metadata={"quirk": True})


@dataclass(frozen=True)
class Judging:
    """Settings of the judging.

    Attributes:
        order: documents stand by their `score`; by the `rank` column, which is taken as it is; or as they were `given`.
            With `auto` a list that belongs to one query is its ranking, whose equal scores are no ties, and in tables
            scores decide; scores that contradict the order of a list are an error.
        score_type: scores are compared as `float64`, or as `float32`, in which scores may be equal that were not.
        ties: documents with equal scores stand in descending order of their ids, compared as UTF-8 bytes
            (`id-descending`, as trec_eval does), in ascending order (`id-ascending`), as they were `given` or the other
            way round (`given-reversed`); or each has the `expected` weight of the ranks that they share; or all stand
            at the `last` of these ranks; or the highest grade is first among them (`best`), or last (`worst`, as
            CatBoost does), where an unjudged document counts as one of grade 0.
        duplicates: a document that a query ranks twice is an error, or one of its rows counts: that with the highest
            score (`best`, as for passages of documents), or that which comes `first` or `last`; or the document has the
            `sum` of its scores, or the mean of its three highest, or of all that it has if these are fewer
            (`mean-top-3`); ranks are closed up. Or `all` rows count, each again; the first counts and the others keep
            their ranks (`once`); or all count, and add to what is relevant, too (`joined`).
        depth: how many documents of each query are looked at; all if None (`-M` in trec_eval). By the rank column,
            those up to this rank.
        unjudged: documents that nobody judged keep their ranks (`kept`), or are removed before ranks are counted
            (`removed`, `-J` in trec_eval), those with a negative grade among them; after `depth` has cut the run.
        duplicate_judgements: a document that is judged twice for a query (and one subtopic) is an error, or one of the
            grades counts: the highest (`max`), the `first` or the `last`. Or `all` count, as if they were several
            documents at one rank, or at ranks of their own (`spread`); or one is found, and all are `wanted`.
        span_share: a piece of a source is relevant from this share of a gold span on that it holds; with 0, a character
            is enough. Where judgements are no spans it does nothing.
        exclude_from: the pairs of `exclude` are taken out of run and judgements (`both`), or of the `run` alone.
        grades: grades count as `given`, without their fraction (`truncated`), or have to be `whole`.
        negative: a document with a negative grade was chosen to be judged and was not (`pooled`, as in trec_eval), is
            judged 0 (`zero`), is not judged at all (`dropped`), or an `error`, maybe only where it was retrieved
            (`error-retrieved`).
        judgements: `all` count, or only those above 0 (`relevant`), so that a query without one is not judged.
        pool: what is known of a query is what was `judged`, or only what was `retrieved`.
        unretrieved: judged documents that were not retrieved are `absent` from the ranking, or stand at its end, tied
            (`last`).
        scored: documents with `all` scores count, or with `positive` ones; others count as not relevant.
        highest: the best grade there may be; any where None.
        above: grades above the highest are an `error`, or count as the highest (`clipped`).
        blocks: rows of a query that stand apart in the run are one ranking (`joined`), or each block of them is a
            ranking of its own (`separate`), and the query has several values; or that is so once the rows of queries
            that nobody judged are gone (`judged`).
        query_ids: `any`, or those only that are digits, behind the last hyphen if there is one (`numbers`).
        pairing: a query of the run is judged by that of the same `id`; or, where both have the same ones, the first
            query of the run by the first one judged, and so on (`position`).

    """

    order: Order = option(
        "auto", "What orders documents: auto (lists stand as given, tables by score), score, rank, given."
    )
    score_type: ScoreType = option("float64", "Scores compared as float64 or float32.", metavar="TYPE")
    ties: Ties = option(
        "id-descending", "Among equal scores: id-descending id-ascending given given-reversed expected last best worst."
    )
    duplicates: Duplicates = option(
        "error",
        "Documents that a query ranks twice: error best (its highest score) first last sum mean-top-3 all once joined.",
    )
    depth: int | None = option(
        None, "Look at the first N documents of each query only (trec_eval's -M).", metavar="N", alias="-M"
    )
    unjudged: Unjudged = option("kept", "Documents that nobody judged: kept or removed.")
    duplicate_judgements: DuplicateJudgements = option(
        "error", "Documents that a query judges twice: error max first last all wanted spread."
    )
    span_share: float = option(0.5, "Least share of a gold span that a relevant piece holds.", metavar="SHARE")
    exclude_from: Literal["both", "run"] = quirk("both")
    grades: Grades = option("given", "Grades as given, truncated (1.9 is 1), or whole (others refused).")
    negative: Negative = option("pooled", "Negative grades: pooled zero dropped error error-retrieved.")
    judgements: Literal["all", "relevant"] = quirk("all")
    pool: Literal["judged", "retrieved"] = quirk("judged")
    unretrieved: Literal["absent", "last"] = quirk("absent")
    scored: Literal["all", "positive"] = quirk("all")
    highest: float | None = quirk(None)
    above: Literal["error", "clipped"] = quirk("error")
    blocks: Literal["joined", "separate", "judged"] = quirk("joined")
    pairing: Literal["id", "position"] = quirk("id")
    query_ids: Literal["any", "numbers"] = quirk("any")

    def __post_init__(self) -> None:
        """Refuse values that a setting does not take."""
        _check(self)
        if not 0 <= self.span_share <= 1:
            text = f"span_share={self.span_share!r}: span_share is a share of a gold span, from 0 to 1"
            raise UsageError("unknown-setting", text)


@dataclass(frozen=True)
class Averaging:
    """How values of queries become one number.

    Attributes:
        missing: a judged query for which the run has nothing counts as an empty ranking, which is mostly worth 0
            (`zero`, as `-c` in trec_eval 10), as the number 0 whatever it would be worth (`nought`), or as `nan`; it is
            left out (`skip`), has no value of its own but counts in the mean (`absent`, `-c` in trec_eval 9), or is
            refused (`error`).
        extra: a query of the run that nobody judged is not looked at (`ignore`), counts as a ranking without judged
            documents (`zero`), or is refused (`error`).
        empty: a query that the run has with an empty list is `missing`, counts as an empty ranking (`zero`), has `nan`
            for its value, is left out (`skip`), or is refused (`error`).
        no_relevant: a judged query without a relevant document is kept (`keep`), left out (`skip`), refused (`error`),
            or has this number for its value; or the value is 1 if the run returns nothing for it, and 0 if it returns
            anything (`silence`), by measures of relevance of which more is better; others keep theirs.
        no_relevant_counts: in a mean with weights a query without a relevant document counts by its weight
            (`weighted`), or its value is added as it is, while the divisor has the weight (`unweighted`: an error of
            LightGBM and XGBoost, which is repeated under their profiles).
        relevant_by: a query has a relevant document if a `grade` is above 0, or if the `sum` of the grades is not 0.
        neither: a query without a relevant document and without results is as others are (`keep`), or has this number
            for its value.
        all_negative: the value of a query whose grades are all negative is its own (`keep`), or that of the query
            before it (`previous`), 0 for the first.
        undefined: what a value without a divisor becomes, such as the recall of a query without relevant documents: a
            number, `nan`; or the query is left out (`skip`), or refused (`error`).
        no_hit: a value of 0 for a query with relevant documents is kept (`keep`), becomes `nan`, or is left out
            (`skip`).
        nan: a value that is NaN makes the mean NaN (`propagate`), counts as 0 in it (`zero`), or is left out of it
            (`skip`).
        divisor: a mean is taken over the `rows`, or their sum is divided by the number of all `judged` queries, or of
            all queries that the `run` has; where no query has a value, that is the mean over no queries.
        logarithms: whether queries show the logarithms of which a geometric mean is made.
        fewest: queries with fewer retrieved documents are refused.
        round_values: the decimals of each value; all where None.
        round_means: the decimals of the mean.
        halves: what lies in the middle is rounded as Python does (`even`), or `up`.
        no_queries: the mean over no queries is NaN (`nan`), 0 (`zero`), 0 where no judged document was retrieved for
            any query and NaN otherwise (`hits`), or refused (`error`).

    """

    missing: Missing = option("zero", "Judged queries without results: zero nought nan skip absent error.")
    extra: Extra = option("ignore", "Queries that nobody judged: ignore zero error.")
    empty: Literal["missing", "zero", "nan", "skip", "error"] = quirk("missing")
    no_relevant: NoRelevant = option(
        "keep",
        "Queries without a relevant document: keep nan skip error, silence (1 for no results, 0 for any), or a value.",
    )
    no_relevant_counts: Literal["weighted", "unweighted"] = quirk("weighted")
    relevant_by: Literal["grade", "sum"] = quirk("grade")
    neither: float | Literal["keep", "nan"] = quirk("keep")
    all_negative: Literal["keep", "previous"] = quirk("keep")
    undefined: Undefined = option(0.0, "Values without a divisor: a number, nan skip error.")
    no_hit: Literal["keep", "nan", "skip"] = quirk("keep")
    nan: Literal["propagate", "zero", "skip"] = quirk("propagate")
    divisor: Literal["rows", "judged", "run"] = quirk("rows")
    logarithms: bool = quirk(False)
    fewest: int = quirk(0)
    round_values: int | None = option(None, "Decimals of the value of each query.", metavar="N")
    round_means: int | None = quirk(None)
    halves: Literal["even", "up"] = quirk("even")
    no_queries: Literal["nan", "zero", "hits", "error"] = quirk("nan")

    def __post_init__(self) -> None:
        """Refuse values that a setting does not take."""
        _check(self)


class Values(NamedTuple):
    """What a setting takes: words, a number or a truth value, and whether it may be None."""

    words: tuple[str, ...]
    number: Any
    optional: bool

    @classmethod
    def of(cls, annotation: Any) -> "Values":  # noqa: ANN401 - any type
        """Read what the type of a field says."""
        parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
        words = tuple(word for part in parts if get_origin(part) is Literal for word in get_args(part))
        number = next((part for part in parts if part in (int, float, bool)), None)
        return cls(words, number, type(None) in parts)

    def take(self, value: Any) -> bool:  # noqa: ANN401 - whatever is handed in
        """Return whether a setting takes a value."""
        if isinstance(value, str):
            return value in self.words
        if value is None or isinstance(value, bool):
            return self.optional if value is None else self.number is bool
        if self.number not in (int, float) or not issubclass(type(value), Real):
            return False
        if self.number is int:
            return bool(value >= 0 and value % 1 == 0)
        return math.isfinite(value) or (math.isnan(value) and "nan" in self.words)

    def __str__(self) -> str:
        """Say in words what is taken."""
        numbers = {int: "a whole number", float: "a finite number", bool: "True or False"}
        return " or ".join([*([numbers[self.number]] if self.number else ()), *map(repr, self.words)])


SETTINGS: Final[Mapping[str, Field[Any]]] = {
    setting.name: setting for step in (Judging, Averaging) for setting in fields(step)
}
"""All settings by name, those of judging first."""
VALUES: Final = {name: Values.of(setting.type) for name, setting in SETTINGS.items()}
"""What each setting takes."""
QUIRKS: Final = tuple(name for name, setting in SETTINGS.items() if "quirk" in setting.metadata)
"""Settings that one or two tools need: `quirks={"blocks": "separate"}`, `--set blocks=separate`."""
OPTIONS: Final = tuple(name for name in SETTINGS if name not in QUIRKS)
"""Settings that users choose."""
DATA: Final = ("exclude", "weights", "macro", "history", "items", "expected_run", "forbidden")
"""Options beside the settings that are data, `rankworth.profiles.CallData`."""
ITEM_DATA: Final = DATA[DATA.index("history") :]
"""Those that are about items."""
_QUERIES_OF_LISTS: Final = (
    "dict(zip(query_ids, lists)) says which query each list answers; of a response of several searches, "
    'dict(zip(query_ids, response["ids"]))'
)


def _check(settings: Judging | Averaging) -> None:
    """Refuse values that a setting does not take; NaN is the word, and numbers beside words are floats.

    Raises:
        UsageError: `unknown-setting`.

    """
    for name, value in vars(settings).items():
        if value is SETTINGS[name].default:
            continue
        taken = VALUES[name]
        if not taken.take(value) or (name == "depth" and value == 0):
            least = "" if taken.number is not int else " from 1" if name == "depth" else " from 0"
            raise UsageError("unknown-setting", f"{name}={value!r}: {name} is {taken}{least}")
        if taken.words and not isinstance(value, str):
            object.__setattr__(settings, name, "nan" if math.isnan(value) else float(value))


STANDARD_JUDGING: Final = Judging()
STANDARD_AVERAGING: Final = Averaging()


def parsed(name: str, text: str) -> Any:  # noqa: ANN401 - what the setting takes
    """Read the value of a setting from text, as signatures and the command line have it; text where it is none.

    >>> parsed("no_relevant", "skip"), parsed("no_relevant", "1"), parsed("fewest", "3"), parsed("logarithms", "true")
    ('skip', 1.0, 3, True)
    """
    taken = VALUES.get(name)
    if taken is None or taken.number is None or text in taken.words:
        return text
    if taken.number is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    with suppress(ValueError):
        number = float(text)
        return int(number) if taken.number is int and number.is_integer() else number
    return text


def explained_by(settings: type) -> dict[str, str]:
    """Tell what each attribute of a class does, in the words of its docstring."""
    import inspect  # noqa: PLC0415 - rarely needed

    block = inspect.cleandoc(settings.__doc__ or "").partition("Attributes:\n")[2]
    entries = re.findall(r"(?m)^(\w+): (.+(?:\n .+)*)", inspect.cleandoc(block))
    return {name: " ".join(text.split()) for name, text in entries}


def as_typed(name: str, value: object) -> list[str]:
    """Write a setting as it is typed on the command line.

    >>> as_typed("no_hit", "skip"), as_typed("no_relevant", "skip")
    (['--set', 'no_hit=skip'], ['--no-relevant', 'skip'])
    """
    return ["--set", f"{name}={value}"] if name in QUIRKS else [f"--{name.replace('_', '-')}", str(value)]


def with_quirks(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of an evaluation, with those of `quirks` among them.

    Raises:
        UsageError: `unknown-setting`, where a quirk is given as an option, or an option as a quirk.

    >>> with_quirks({"depth": 10, "quirks": {"fewest": 3}})
    {'depth': 10, 'fewest': 3}
    """
    quirks = settings.get("quirks") or {}
    options = {name: value for name, value in settings.items() if name != "quirks"}
    if not isinstance(quirks, Mapping):
        raise UsageError("unknown-setting", f"quirks={quirks!r} is no dict", remedy='as in quirks={"fewest": 3}')
    for name, value in (*options.items(), *quirks.items()):
        if name in ((*OPTIONS, *DATA) if name in quirks else QUIRKS) and value is not None:
            if name in QUIRKS and not VALUES[name].take(value):
                text = f"there is no argument {name!r}; the quirk of that name is {VALUES[name]}, not {value!r}"
                raise UsageError("unknown-setting", text, remedy=_QUERIES_OF_LISTS if name == "query_ids" else "")
            kind = (
                "an option, and no quirk" if name in quirks else "no option: it exists only to reproduce certain tools"
            )
            ways = [
                f"{' '.join(as_typed(name, value))}, in Python {name}={value!r}",
                f"--set {name}={value}, in Python quirks={{{name!r}: {value!r}}}",
            ]
            wrong, right = reversed(ways) if name in quirks else ways
            text = f"{name}={value!r}: {name} is {kind}"
            raise UsageError("unknown-setting", text, remedy=f"in place of {wrong}: {right}")
        if name in quirks and name not in QUIRKS:
            near = get_close_matches(str(name), QUIRKS, 1)
            text = f"there is no quirk {name!r}; there are {', '.join(QUIRKS)}"
            raise UsageError("unknown-setting", text, remedy=f"did you mean {near[0]}?" if near else "")
    return options | dict(quirks)
