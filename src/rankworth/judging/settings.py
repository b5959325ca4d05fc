"""How to judge: what the judging of a run can be told."""

import math
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Final, Literal, NamedTuple, get_args, get_type_hints

from rankworth.errors import UsageError
from rankworth.io.duplicates import DuplicateJudgements, Duplicates, check
from rankworth.judging.exclusion import Exclusion

Order = Literal["auto", "score", "rank", "given"]
ScoreType = Literal["float64", "float32"]
Ties = Literal["id-descending", "id-ascending", "given", "given-reversed", "expected", "last"]
Unjudged = Literal["kept", "removed"]
Grades = Literal["given", "truncated", "whole"]
Negative = Literal["pooled", "zero", "dropped", "error", "error-retrieved"]
Judgements = Literal["all", "relevant"]
Pool = Literal["judged", "retrieved"]
Unretrieved = Literal["absent", "last"]
Scored = Literal["all", "positive"]
Above = Literal["error", "clipped"]
Blocks = Literal["joined", "separate", "judged"]
QueryIds = Literal["any", "numbers"]
Pairing = Literal["id", "position"]
ExcludeFrom = Literal["both", "run"]


class Ordering(NamedTuple):
    """The settings that decide which rows a run has and where they stand; all others come after."""

    order: Order
    score_type: ScoreType
    ties: Ties
    duplicates: Duplicates
    exclude: Exclusion | None


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
            at the `last` of these ranks.
        duplicates: a document that a query ranks twice is an error, or one of its rows counts: that with the highest
            score (`best`, as for passages of documents), or that which comes `first` or `last`; ranks are closed up. Or
            `all` rows count, each again; the first counts and the others keep their ranks (`once`); or all count, and
            add to what is relevant, too (`joined`).
        depth: how many documents of each query are looked at; all if None (`-M` in trec_eval). By the rank column,
            those up to this rank.
        unjudged: documents that nobody judged keep their ranks (`kept`), or are removed before ranks are counted
            (`removed`, `-J` in trec_eval), those with a negative grade among them; after `depth` has cut the run.
        duplicate_judgements: a document that is judged twice for a query (and one subtopic) is an error, or one of the
            grades counts: the highest (`max`), the `first` or the `last`. Or `all` count, as if they were several
            documents at one rank, or at ranks of their own (`spread`); or one is found, and all are `wanted`.
        exclude: pairs of query and document that are taken out before anything else.
        exclude_from: they are taken out of run and judgements (`both`), or of the `run` alone.
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

    order: Order = "auto"
    score_type: ScoreType = "float64"
    ties: Ties = "id-descending"
    duplicates: Duplicates = "error"
    depth: int | None = None
    unjudged: Unjudged = "kept"
    duplicate_judgements: DuplicateJudgements = "error"
    exclude: Exclusion | None = None
    exclude_from: ExcludeFrom = "both"
    grades: Grades = "given"
    negative: Negative = "pooled"
    judgements: Judgements = "all"
    pool: Pool = "judged"
    unretrieved: Unretrieved = "absent"
    scored: Scored = "all"
    highest: float | None = None
    above: Above = "error"
    blocks: Blocks = "joined"
    pairing: Pairing = "id"
    query_ids: QueryIds = "any"

    def __post_init__(self) -> None:
        """Refuse what is no setting."""
        if self.depth is not None and not (_is_number(self.depth) and self.depth >= 1 and self.depth % 1 == 0):
            raise UsageError(
                "unknown-setting", f"depth={self.depth!r}: how much of a run is read is a whole number from 1"
            )
        if self.highest is not None and not (_is_number(self.highest) and math.isfinite(self.highest)):
            raise UsageError("unknown-setting", f"highest={self.highest!r}: the best grade there may be is a number")
        check("duplicates", self.duplicates, Duplicates)
        check("duplicate_judgements", self.duplicate_judgements, DuplicateJudgements)
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                said = " or ".join(map(repr, choices))
                what = "what becomes of them" if name == "unjudged" else name
                raise UsageError("unknown-setting", f"{name}={getattr(self, name)!r}: {what} is {said}")

    @property
    def bare(self) -> "Judging":
        """The same without the pairs that are excluded, of which the label says enough."""
        return self if self.exclude is None else replace(self, exclude=self.exclude.bare)

    @property
    def ordering(self) -> Ordering:
        """What decides rows and ranks; ties that share ranks stand by descending id, as if they were broken."""
        shared = self.ties in ("expected", "last")
        return Ordering(
            self.order,
            self.score_type,
            "id-descending" if shared else self.ties,
            self.duplicates,
            self.exclude,
        )


def _choices() -> dict[str, tuple[str, ...]]:
    """The words that each setting takes, of those that take words."""
    hints = get_type_hints(Judging)
    words = {setting.name: get_args(hints[setting.name]) for setting in fields(Judging)}
    return {name: some for name, some in words.items() if all(isinstance(word, str) for word in some) and some}


CHOICES: Final = _choices()
"""The words that settings take."""

STANDARD: Final = Judging()


def _is_number(item: object) -> bool:
    """Whether something is a number, and no truth value."""
    return isinstance(item, Real) and not isinstance(item, bool)
