"""Calibration of a judge: how a model errs by some labels of people, and the share of relevant that this corrects."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, get_args

import numpy as np

from rankworth.arrays import Floats
from rankworth.correlation.judged_pairs import by_item, graded_rows
from rankworth.correlation.judges import Estimate, agreement, stems_of
from rankworth.errors import InputError, UsageError, counted
from rankworth.io.duplicates import OneJudgement
from rankworth.io.options import Blank
from rankworth.io.validate import ids as valid_ids
from rankworth.io.validate import is_number
from rankworth.model import Qrels
from rankworth.scoring import inputs
from rankworth.stats.clusters import ClusteredShare, clustered_mean, clustered_share, corrected_share
from rankworth.stats.samples import check_sampling
from rankworth.tables.analysis import Analysis, estimated
from rankworth.tables.columns import Column, Sheet, by_name
from rankworth.tables.look import p_value
from rankworth.version import __version__

if TYPE_CHECKING:
    import polars as pl

LEAST: Final = 100
"""fewer labels of people do not tell how a judge errs"""
LEAST_OF_EACH: Final = 10
"""so many of them are relevant, and so many are not"""
FEW: Final = 15
"""queries with labels, below which intervals may be too narrow"""
Word = Literal["more often", "less often", "unclear", "equal"]
Rows = Literal["judges", "drift"]


class JudgeErrors(NamedTuple):
    """The errors of a judge, and their effect on the mean of all its judgements."""

    judge: str
    labels: int
    """pairs that people judged, too"""
    queries: int
    """queries of these pairs"""
    kappa: Estimate
    """Cohen's kappa of relevant and not relevant"""
    sensitivity: Estimate
    """of what people call relevant, the share that the judge calls so"""
    specificity: Estimate
    """of what people do not call relevant, the share that the judge does not call so"""
    judged: int
    """pairs that the judge judged"""
    share: float
    """of these, the share that the judge calls relevant"""
    corrected: Estimate
    """the share of relevant pairs, corrected for how the judge errs"""
    people: Estimate
    """the share of relevant pairs by people alone, over what they judged"""


class Drift(NamedTuple):
    """What changed from one version of a judge to the next."""

    judged: int
    """pairs that both versions judged"""
    risen: int
    """pairs that only the new version calls relevant"""
    fallen: int
    """pairs that only the old version calls relevant"""
    change: Estimate
    """the share that the new version calls relevant minus that of the old one"""
    p: float
    """of no change"""
    word: Word
    """how the new version calls pairs relevant"""
    labels: int
    """of the pairs, those that people judged, too"""
    improvement: Estimate
    """the share of these on which the new version agrees with people, minus that of the old one"""
    improvement_p: float
    """of no change"""


@dataclass(frozen=True, repr=False)
class Calibration(Analysis[Rows]):
    """How a judge errs by the labels of people, and how two versions of it differ.

    The tables of columns: `judges` has a row for each version of the judge, `drift` one for two versions.

    Attributes:
        names: people, the judge, and its version before, if there is one.
        rel: the grade from which a pair is relevant.
        level: of the intervals.
        judges: the judge, and its version before, if there is one.
        drift: what changed between the two; None where there is one version.
        notes: sentences that explain the numbers.
        warnings: slug and text of each warning.

    """

    _SCHEMA: ClassVar = "rankworth.calibration/1"
    _TABLES: ClassVar = get_args(Rows)
    _RECORD: ClassVar = ("names", "rel", "level", "judges", "drift")
    names: tuple[str, ...]
    rel: float
    level: float
    judges: tuple[JudgeErrors, ...]
    drift: Drift | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()

    @property
    def judge(self) -> JudgeErrors:
        """The judge."""
        return self.judges[0]

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa of the judge and people, of relevant and not relevant."""
        return self.judge.kappa

    @property
    def sensitivity(self) -> Estimate:
        """The share of the pairs relevant to people that the judge calls relevant."""
        return self.judge.sensitivity

    @property
    def specificity(self) -> Estimate:
        """The share of the pairs not relevant to people that the judge calls not relevant."""
        return self.judge.specificity

    @property
    def corrected(self) -> Estimate:
        """The share of relevant pairs among all that the judge judged, corrected for how it errs."""
        return self.judge.corrected

    def _columns(self, of: str) -> dict[str, list[Any]]:
        rows: Sequence[Any] = self.judges if of == "judges" else [self.drift] if self.drift else []
        fields = JudgeErrors._fields if of == "judges" else Drift._fields
        columns: dict[str, list[Any]] = {}
        for name, cells in by_name(fields, rows).items():
            is_estimated = any(isinstance(cell, Estimate) for cell in cells)
            parts = Estimate._fields if is_estimated else ("",)
            for part in parts:
                title = name if part in ("", "value") else f"{name}_{part}"
                columns[title] = [getattr(cell, part) for cell in cells] if part else list(cells)
        return columns

    def sheets(self) -> list[Sheet]:
        """Return the errors of the judge, the corrected shares, and the changes between two versions."""
        rows, people = self.judges, self.names[0]
        judges = Column("judge", "text", [row.judge for row in rows])
        errors = (
            judges,
            Column("labels", "count", [row.labels for row in rows]),
            *(
                estimated(name, "value", [getattr(row, name) for row in rows])
                for name in ("kappa", "sensitivity", "specificity")
            ),
        )
        shares = (
            judges,
            Column("judged", "count", [row.judged for row in rows]),
            Column("by the judge", "value", [row.share for row in rows]),
            estimated("corrected", "value", [row.corrected for row in rows]),
            estimated(f"{people} alone", "value", [row.people for row in rows]),
        )
        count = f"{counted(self.judge.labels, 'label', 'labels')} of {counted(self.judge.queries)}"
        sheets = [
            Sheet(errors, title=f"how {self.names[1]} errs, by {count} of {people}"),
            Sheet(shares, title=f"share of relevant (grade {self.rel:g} and more)"),
        ]
        if self.drift is not None:
            sheets.append(self._drift_sheet(self.drift))
        comment = f"calibration|rel:{self.rel:g}|rankworth:{__version__}"
        last = sheets[-1]
        sheets[-1] = Sheet(last.columns, self.notes, comment, self._defects, last.title)
        return sheets

    def _drift_sheet(self, drift: Drift) -> Sheet:
        people, new, old = self.names
        columns = (
            Column("of", "text", ["calls relevant", f"agrees with {people}"]),
            Column("pairs", "count", [drift.judged, drift.labels]),
            estimated("change", "number", [drift.change, drift.improvement]),
            Column("p", "number", [p_value(drift.p), p_value(drift.improvement_p)]),
        )
        flips = f"{drift.risen:,} become relevant, {drift.fallen:,} no longer are"
        return Sheet(columns, title=f"from {old} to {new}: {flips}")


def calibrate(
    people: object,
    judge: object,
    *,
    before: object = None,
    names: Sequence[str] | None = None,
    rel: float = 1.0,
    queries: Iterable[object] | None = None,
    grades: Mapping[str, float] | None = None,
    duplicate_judgements: OneJudgement = "error",
    columns: Mapping[str, str] | None = None,
    blank: Blank | None = None,
    ids: object = None,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> Calibration:
    """Tell by some hundred labels of people how a judge errs, and correct the share that it calls relevant.

    On pairs that both judged: Cohen's kappa of relevant and not relevant with its interval, the sensitivity and the
    specificity of the judge. With these, of all pairs that the judge judged, the share that is relevant (Rogan and
    Gladen), with an interval that knows that sensitivity and specificity are estimates (Lang and Reiczigel). Documents
    of one query are judged alike, and intervals know that: formulas and sources stand in
    `rankworth.stats.clustered_share` and `corrected_share`.

    People are to judge a random sample of what the judge judged, drawn without a look at what it said.

    Args:
        people: judgements of people, as for `evaluate`. Or a list of grades, None for an item without one: each item is
            a query of its own then.
        judge: judgements of the judge, or the grades of the same items.
        before: judgements of an earlier version of the judge, to tell what changed.
        names: what to call people, the judge and the version before; by default the names of files, otherwise
            `people`, `judge` and `before`.
        rel: the grade from which a pair is relevant.
        queries: the ids of the queries to look at; all by default.
        grades: as for `evaluate`: the grades that words mean, `{"no": 0, "yes": 1}`.
        duplicate_judgements: as for `agreement`.
        columns: as for `evaluate`, of judgements.
        blank: as for `evaluate`.
        ids: as for `evaluate`, of judgements: how documents are renamed.
        level: of the intervals.
        resamples: how many samples of queries the interval of kappa is from, as for `agreement`.
        seed: of these samples.

    Returns:
        A `Calibration`.

    Raises:
        InputError: `few-labels` where people judged fewer than 100 pairs of the judge's, or fewer than 10 of them are
            relevant or fewer than 10 are not; as `agreement`.
        UsageError: `unknown-setting`, `run-names`.

    >>> people = [1] * 60 + [0] * 40 + [None] * 100
    >>> judge = [1] * 54 + [0] * 6 + [0] * 32 + [1] * 8 + [1] * 60 + [0] * 40
    >>> found = calibrate(people, judge)
    >>> found.sensitivity.value, found.specificity.value  # 54 of 60, 32 of 40
    (0.9, 0.8)
    >>> found.judge.share, round(found.corrected.value, 4)  # 122 of 200; (0.61 + 0.8 - 1) / (0.9 + 0.8 - 1)
    (0.61, 0.5857)
    """
    check_sampling(level, seed, 1 if resamples is None else resamples)
    if isinstance(rel, bool) or not is_number(rel, infinite=False):
        raise UsageError("unknown-setting", f"rel={rel!r}: the grade from which pairs are relevant is a number")
    judgements = [people, judge] if before is None else [people, judge, before]
    called = _names(names, judgements)
    reading = inputs.InputOptions({"columns": columns, "blank": blank, "grades": grades, "ids": ids})
    listed = [by_item((people, source), called, reading.grades) for source in judgements[1:]]
    sources, _ = reading.read([listed[0][0], *(pair[1] for pair in listed)], ())
    read = [
        source if isinstance(source, Qrels) else Qrels(source, duplicate_judgements=duplicate_judgements)
        for source in sources
    ]
    only = None if queries is None else set(valid_ids(queries))
    numbers = {query: number for number, query in enumerate(sorted({name for each in read for name in each.queries}))}
    wanted = numbers if only is None else {query: number for query, number in numbers.items() if query in only}
    labelled, *versions = (_relevant(qrels, wanted, rel) for qrels in read)
    judges = []
    for name, qrels, version in zip(called[1:], read[1:], versions, strict=True):
        pairs = labelled.join(version, on=["query", "document"])
        _refuse_few(pairs, called[0], name)
        agreed = agreement(
            read[0], qrels, names=(called[0], name), queries=only, rel=rel, level=level, resamples=resamples, seed=seed
        )
        kappa = agreed.relevant_kappa or Estimate(*[float("nan")] * 3)
        judges.append(_errors(name, pairs, version, kappa, level))
    drift = None if before is None else _drift(labelled, versions[0], versions[1], level)
    return Calibration(
        names=called,
        rel=float(rel),
        level=level,
        judges=tuple(judges),
        drift=drift,
        notes=tuple(_notes(judges, called, drift, level)),
        warnings=tuple(_warnings(judges)),
    )


def _names(names: Sequence[str] | None, sources: Sequence[object]) -> tuple[str, ...]:
    """Return what to call people, the judge and its version before.

    Raises:
        UsageError: `run-names`.

    """
    usual = ("people", "judge", "before")
    called = [name or other for name, other in zip(stems_of(sources), usual, strict=False)]
    if names is not None:
        called = [str(name) for name in names]
    if len(called) != len(sources) or not all(called) or len(set(called)) < len(called):
        text = f"names={list(called)}: there are {len(sources)} sets of judgements, each with a name of its own"
        remedy = f"as in names={list(usual[: len(sources)])}, on the command line NAME=FILE"
        raise UsageError("run-names", text, remedy=remedy)
    return tuple(called)


def _relevant(qrels: Qrels, numbers: Mapping[str, int], rel: float) -> "pl.DataFrame":
    """Return a row for each judgement: the number of its query, its document, and whether it is relevant."""
    import polars as pl  # noqa: PLC0415 - not needed to correlate two lists

    frame = graded_rows(qrels, numbers)
    return frame.select("query", "document", (pl.col("grade") >= rel).alias("relevant"))


def _refuse_few(pairs: "pl.DataFrame", people: str, judge: str) -> None:
    """Refuse to tell how a judge errs by too few labels.

    Raises:
        InputError: `few-labels`.

    """
    relevant = int(pairs["relevant"].sum())
    counts = {"": pairs.height, " that are relevant": relevant, " that are not relevant": pairs.height - relevant}
    for kind, number in counts.items():
        least = LEAST_OF_EACH if kind else LEAST
        if number < least:
            judged = f"{people} judged {counted(number, 'pair', 'pairs')} of {judge}'s{kind}"
            text = f"{judged}, which tell too little of how {judge} errs: {least} are needed"
            remedy = f"let people judge {least - number:,} more{kind}, drawn at random from what {judge} judged"
            raise InputError("few-labels", text, remedy=remedy)


def _errors(name: str, pairs: "pl.DataFrame", version: "pl.DataFrame", kappa: Estimate, level: float) -> JudgeErrors:
    """Compute how a judge errs, and the share of relevant pairs that follows."""
    query, truth = pairs["query"].to_numpy(), pairs["relevant"].to_numpy()  # [N] each
    says = pairs["relevant_right"].to_numpy()  # [N]
    sensitivity = clustered_share(*_by_query(query, truth & says, truth), level=level)
    specificity = clustered_share(*_by_query(query, ~truth & ~says, ~truth), level=level)
    people = clustered_share(*_by_query(query, truth, np.ones_like(truth)), level=level)
    every = version["relevant"].to_numpy()  # [M]
    share = clustered_share(*_by_query(version["query"].to_numpy(), every, np.ones_like(every)), level=level)
    parts = [(part.value, part.effective) for part in (share, sensitivity, specificity)]
    corrected = Estimate(*corrected_share(*parts, level=level))
    return JudgeErrors(
        name,
        pairs.height,
        pairs["query"].n_unique(),
        kappa,
        _estimate(sensitivity),
        _estimate(specificity),
        version.height,
        share.value,
        corrected,
        _estimate(people),
    )


def _by_query(query: Floats, counts: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Return `[Q]` sums of both columns by query, of `[N]` rows."""
    _, owner = np.unique(query, return_inverse=True)
    return np.bincount(owner, weights=counts).astype(np.float64), np.bincount(owner, weights=sizes).astype(np.float64)


def _estimate(share: ClusteredShare) -> Estimate:
    return Estimate(share.value, share.low, share.high)


def _drift(labelled: "pl.DataFrame", new: "pl.DataFrame", old: "pl.DataFrame", level: float) -> Drift:
    """Compare two versions of a judge, on all pairs of both and on the pairs that people judged too."""
    keys = ["query", "document"]
    both = new.join(old, on=keys)
    now, then = both["relevant"].to_numpy(), both["relevant_right"].to_numpy()  # [N] each
    change, p = _mean(both["query"].to_numpy(), now.astype(float) - then, level)
    judged = labelled.join(new, on=keys, suffix="_new").join(old, on=keys, suffix="_old")
    truth, says, said = (judged[name].to_numpy() for name in ("relevant", "relevant_new", "relevant_old"))  # [L] each
    better = (says == truth).astype(float) - (said == truth)
    improvement, improvement_p = _mean(judged["query"].to_numpy(), better, level)
    risen, fallen = int((now & ~then).sum()), int((then & ~now).sum())
    direction: Word = "more often" if change.value > 0 else "less often"
    word: Word = direction if p < 1 - level else "unclear" if risen or fallen else "equal"
    return Drift(both.height, risen, fallen, change, p, word, judged.height, improvement, improvement_p)


def _mean(query: Floats, differences: Floats, level: float) -> tuple[Estimate, float]:
    """Return the mean over `[N]` pairs with its interval, and p of no difference."""
    *estimate, p = clustered_mean(*_by_query(query, differences, np.ones_like(differences)), level=level)
    return Estimate(*estimate), p


def _notes(judges: Sequence[JudgeErrors], names: Sequence[str], drift: Drift | None, level: float) -> Iterable[str]:
    """Yield notes on the meaning and the requirements of the numbers."""
    people = names[0]
    yield (
        f"sensitivity: of what is relevant by {people}, the share that the judge calls so; specificity: of what is "
        "not, the share that it does not call so"
    )
    yield (
        "corrected: (by the judge + specificity - 1) / (sensitivity + specificity - 1), right if the labels are a "
        f"random sample; {100 * level:g} % intervals regard that pairs of a query are alike"
    )
    for row in judges:
        if np.isnan(row.corrected.value):
            yield f"{row.judge}: sensitivity and specificity add up to 1 or less; by such a judge nothing is corrected"
    if drift is not None:
        said = {
            "equal": "the versions say the same",
            "unclear": "the versions cannot be told to differ in how often they say relevant",
        }
        usual = f"{names[1]} calls pairs relevant {drift.word} than {names[2]} (t test over queries)"
        yield said.get(drift.word, usual)


def _warnings(judges: Sequence[JudgeErrors]) -> Iterable[tuple[str, str]]:
    """Yield slug and text of what makes the numbers easy to misread."""
    if (row := judges[0]).queries < FEW:
        text = f"the labels are of {counted(row.queries)}: intervals of so few are too narrow, if anything"
        yield "few-queries", text
