"""Agreement of two judges: whether two sets of judgements give the same grades to the same documents."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Final, NamedTuple, get_args

import numpy as np

from rankworth.arrays import Floats, Integers, expand
from rankworth.correlation.judges_result import (
    Agreement,
    Bias,
    Estimate,
    Figures,
    GradeAgreement,
    Judged,
    QueryAgreement,
    QueryAgreements,
    Word,
)
from rankworth.correlation.methods import names_of
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.groups import Slices
from rankworth.io import validate
from rankworth.io.duplicates import OneJudgement
from rankworth.io.reading import Blank, is_path
from rankworth.judging import inputs
from rankworth.model import Qrels, stem
from rankworth.stats import t_test
from rankworth.stats.agreement import (
    ConfusionTables,
    Distance,
    Scale,
    cluster_intervals,
    grade_kappas,
    specific,
)
from rankworth.stats.samples import check_sampling

_MANY_QUERIES: Final = 1_000
"""beyond that many a tenth of the samples is drawn"""
_GRADES: Final = 128
"""more grades than that are scores"""
_FEW_QUERIES: Final = 10
_ALONE: Final = 0.2
"""the share of pairs judged by one judge alone from which there is a warning"""
_DOMINANT: Final = 0.8
"""the share of one grade in all grades from which it may hide disagreement"""
_HIGH: Final = 0.8
_LOW: Final = 0.6
"""a share of equal grades from the one on and a kappa below the other look like a contradiction"""


def agreement(
    qrels_a: object,
    qrels_b: object,
    *,
    names: Sequence[str] | None = None,
    queries: Iterable[object] | None = None,
    table: object = None,
    by: object = None,
    rel: float | None = None,
    distance: Distance = "steps",
    duplicate_judgements: OneJudgement = "error",
    columns: Mapping[str, str] | None = None,
    blank: Blank | None = None,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> Agreement:
    """How far two sets of judgements agree: do they give the same grades to the same documents?

    Only pairs of a query and a document that both have judged are looked at; the result says how many one judge alone
    has. Computed are the share of equal grades, Cohen's kappa without weights, with linear and with quadratic ones,
    Krippendorff's alpha for names, orders and numbers, the mean difference of grades, the agreement on each grade, and
    on each query. Intervals are bias-corrected and accelerated, from samples of queries: documents of one query are
    judged alike, and so they are drawn together. Formulas and sources stand in `rankworth.stats.agreement`.

    Grades may be any numbers, negative and fractional ones too, 128 different ones at most. Where all grades are one
    and the same nothing could disagree, and kappa and alpha are NaN.

    Args:
        qrels_a: judgements, as for `evaluate`; of the first judge, say people.
        qrels_b: judgements of the second one, say a model.
        names: what to call them; by default the names of files, otherwise `first` and `second`.
        queries: the ids of the queries to look at; all by default.
        table: columns of the queries, as `rankworth.io.metadata.queries` reads them.
        by: as for `evaluate`: the column by whose groups agreement is computed, too.
        rel: the grade from which a document counts as relevant, to compute the agreement on that, too.
        distance: how far two grades are apart in a weighted kappa: `steps` counts the steps between them among the
            grades that the pairs have, as scikit-learn does, `grades` takes their difference; both give the same where
            the grades are 0, 1, 2 and so on and all of them occur. Alpha for numbers always takes the difference.
        duplicate_judgements: what becomes of several grades of one document: an `error`, the best (`max`), the `first`
            or the `last` counts.
        columns: as for `evaluate`, of judgements.
        blank: as for `evaluate`.
        level: of the intervals; 1 - level is the chance to say that a judge grades higher where none does.
        resamples: how many samples; by default 9,999, and 999 where there are more than 1,000 queries.
        seed: of these samples.

    Returns:
        An `Agreement`.

    Raises:
        InputError: as `Qrels`; `no-common-pairs`; `many-grades`; `unjudged-queries` where neither judged a query;
            `input-type` where documents are judged for several subtopics of a query.
        UsageError: `unknown-setting`, `conflicting-options`, `run-names`.

    >>> human = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 0, "b": 1, "d": 1}}
    >>> model = {"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"a": 0, "b": 1, "c": 2}}
    >>> found = agreement(human, model, names=("human", "model"))
    >>> found.pairs, found.equal.value, round(found.kappa.value, 4)  # kappa: 1 - 1 * 5 / (2 * 4 + 2 * 2 + 1 * 4)
    (5, 0.8, 0.6875)
    >>> found.bias.mean, found.bias.word
    (0.2, 'unclear')
    """
    _check_settings(distance, rel, level, resamples, seed, duplicate_judgements)
    judges = judge_names(names, (qrels_a, qrels_b))
    slices = Slices.of(table, by=by)
    sources, _ = inputs.InputOptions({"columns": columns, "blank": blank}).read((qrels_a, qrels_b), ())
    both = [one if isinstance(one, Qrels) else Qrels(one, duplicate_judgements=duplicate_judgements) for one in sources]
    first, second = _select(both, judges, queries)
    pairs = _pairs(first, second, judges)
    scale, tables = _count(pairs, judges, distance, rel)
    samples = resamples or resamples_for(tables.queries)

    def figures(group: str, part: ConfusionTables) -> Figures:
        values = scale.coefficients(part.total()[None])[0]
        low, high = cluster_intervals(part, scale.coefficients, level=level, resamples=samples, seed=seed)
        estimates = map(Estimate, values.tolist(), low.tolist(), high.tolist())
        return Figures(group, int(part.pairs.sum()), part.queries, *estimates)

    overall, groups = figures("", tables), {}
    if slices.by is not None:
        slices.by.shown(pairs.queries)
        parts = slices.by.parts(pairs.queries)
        groups = {name: figures(name, tables.only(parts.of(name))) for name in parts.names}
    total, of_each = tables.total(), tables.of_each(scale.coefficients)
    each = of_each[:, [scale.names.index(name) for name in QueryAgreement._fields[2:]]].T.tolist()
    each = [tables.pairs.astype(np.int64).tolist(), *each]
    counts = total.astype(np.int64)
    counts.setflags(write=False)
    return Agreement(
        names=judges,
        judged=pairs.judged,
        grades=tuple((scale.grades + 0.0).tolist()),
        table=counts,
        overall=overall,
        per_grade=tuple(_per_grade(total, scale.grades + 0.0)),
        bias=_bias(tables, overall.bias, of_each[:, scale.names.index("bias")], level),
        queries=QueryAgreements(map(QueryAgreement, first.kinds.back("query", pairs.queries), *each)),
        groups=groups,
        by="" if slices.by is None else slices.by.name,
        distance=distance,
        rel=rel,
        level=level,
        resamples=samples,
        seed=seed,
        notes=tuple(_notes(overall, scale, total)),
        warnings=tuple(_warnings(overall, pairs.judged, total, scale, judges)),
    )


def resamples_for(queries: int) -> int:
    """How many samples of queries are drawn by default."""
    return 9_999 if queries <= _MANY_QUERIES else 999


def _check_settings(
    distance: object, rel: object, level: object, resamples: object, seed: object, duplicates: object
) -> None:
    """Raise a UsageError (`unknown-setting`) for a value that a setting cannot have."""
    for name, word, words in (
        ("distance", distance, get_args(Distance)),
        ("duplicate_judgements", duplicates, get_args(OneJudgement)),
    ):
        if word not in words:
            raise UsageError("unknown-setting", f"{name}={word!r}: {name} is {' or '.join(map(repr, words))}")
    if rel is not None and (isinstance(rel, bool) or not isinstance(rel, Real) or not math.isfinite(float(rel))):
        raise UsageError("unknown-setting", f"rel={rel!r}: the grade from which documents are relevant is a number")
    check_sampling(level, seed, 1 if resamples is None else resamples)


def judge_names(names: Sequence[str] | None, sources: Iterable[object]) -> tuple[str, str]:
    """The names of two judges: those that users chose, or those of their files.

    Raises:
        UsageError: `run-names`.

    """
    stems = [stem(source).removesuffix(".qrels") if is_path(source) else "" for source in sources]
    return names_of(names, stems, ("first", "second"))


def _select(both: list[Qrels], names: tuple[str, str], queries: Iterable[object] | None) -> list[Qrels]:
    """The judgements of both for the queries to look at.

    Raises:
        InputError: `input-type`, `unjudged-queries`, `empty-input`, `no-common-pairs`.

    """
    for qrels, name in zip(both, names, strict=True):
        if qrels.merged or qrels.copies.size:
            text = f"{name}: documents are judged for several subtopics of a query, or several times"
            remedy = "agreement is about one grade for each document: give one subtopic, or each as a query of its own"
            raise InputError("input-type", text, remedy=remedy)
    if queries is None:
        return both
    wanted = validate.ids(queries)
    known = [set(qrels.queries) for qrels in both]
    if unjudged := [query for query in wanted if query not in known[0] | known[1]]:
        text = f"{len(unjudged):,} of {counted(len(wanted))} judged by neither of the two: {quoted(unjudged)}"
        remedy = f"judged are {quoted(both[0].queries)}; leave out the queries without judgements"
        raise InputError("unjudged-queries", text, remedy=remedy)
    if not wanted:
        raise InputError("empty-input", "the list of queries to keep is empty")
    parts = [[query for query in wanted if query in ids] for ids in known]
    for part, name in zip(parts, names, strict=True):
        if not part:
            raise InputError("no-common-pairs", f"{name} judged none of the queries asked for: {quoted(wanted)}")
    return [Qrels(qrels, queries=part) for qrels, part in zip(both, parts, strict=True)]


class _Pairs(NamedTuple):
    """The pairs of a query and a document that both have judged."""

    judged: Judged
    queries: list[str]
    """the queries of the pairs, in the order of their UTF-8 bytes"""
    owner: Integers
    """`[N]`, the query of each pair, ascending"""
    first: Floats
    """`[N]`, the grade of the first judge"""
    second: Floats
    """`[N]`, the grade of the second judge"""


def _pairs(first: Qrels, second: Qrels, names: tuple[str, str]) -> _Pairs:
    """The pairs that both have judged.

    Raises:
        InputError: `no-common-pairs`.

    """
    index = {query: number for number, query in enumerate(second.queries)}
    common = [(number, index[query]) for number, query in enumerate(first.queries) if query in index]
    rows, others = _common_rows(first, second, *np.array(common, dtype=np.int64).reshape(-1, 2).T)
    if not rows.size:
        raise _nothing_common(first, second, len(common), names)
    owner = np.searchsorted(first.offsets, rows, side="right") - 1
    changes = np.concatenate(([True], owner[1:] != owner[:-1]))
    queries = [first.queries[number] for number in owner[changes].tolist()]
    both, ours, theirs = rows.size, first.grades.size, second.grades.size
    each = (len(first.queries), len(second.queries), len(queries))
    judged = Judged(ours, theirs, both, ours - both, theirs - both, *each)
    return _Pairs(judged, queries, np.cumsum(changes) - 1, first.grades[rows], second.grades[others])


def _common_rows(first: Qrels, second: Qrels, ours: Integers, theirs: Integers) -> tuple[Integers, Integers]:
    """The rows of both sides with the same query and document; `ours` and `theirs` number the common queries."""
    import polars as pl  # noqa: PLC0415 - not needed to correlate two lists

    sides = []
    for qrels, numbers in ((first, ours), (second, theirs)):
        rows = expand(qrels.offsets[numbers], qrels.lengths[numbers])
        documents = qrels.document_series
        documents = documents if rows.size == len(documents) else documents.gather(rows)
        query = np.repeat(np.arange(len(numbers), dtype=np.int32), qrels.lengths[numbers])
        sides.append(pl.DataFrame({"query": query, "document": documents, "row": rows}))
    left, right = sides
    keys = ["query", "document"]
    if not left.select(keys).equals(right.select(keys)):
        left = left.join(right, on=keys, how="inner", maintain_order="left")
        return left["row"].to_numpy(), left["row_right"].to_numpy()
    return left["row"].to_numpy(), right["row"].to_numpy()


def _nothing_common(first: Qrels, second: Qrels, common: int, names: tuple[str, str]) -> InputError:
    """The error for judgements that have no pair in common."""
    if common:
        shared = next(iter(set(first.queries).intersection(second.queries)))
        each = [qrels.documents_of(qrels.queries.index(shared)) for qrels in (first, second)]
        text = f"{names[0]} and {names[1]} have queries in common ({common:,}), and no document that both judged"
        remedy = f"query {shared}: {names[0]} judged {quoted(each[0])}, {names[1]} {quoted(each[1])}"
    else:
        text = f"no query of {names[1]} is judged by {names[0]}"
        remedy = f"{names[0]} judged {quoted(first.queries)}, {names[1]} {quoted(second.queries)}"
    return InputError("no-common-pairs", text, remedy=f"{remedy}; are these ids of one collection?")


def _count(
    pairs: _Pairs, names: tuple[str, str], distance: Distance, rel: float | None
) -> tuple[Scale, ConfusionTables]:
    """The grades that the pairs have, and the confusion table of each query.

    Raises:
        InputError: `many-grades`.

    """
    used = [np.unique(side) for side in (pairs.first, pairs.second)]
    grades = np.unique(np.concatenate(used))
    if grades.size > _GRADES:
        each = ", ".join(f"{name} {side.size:,}" for name, side in zip(names, used, strict=True))
        text = f"there are {grades.size:,} different grades ({each})"
        most = names[0] if used[0].size >= used[1].size else names[1]
        remedy = f"up to {_GRADES} are counted; round those of {most}, or correlate them as scores"
        raise InputError("many-grades", text, remedy=remedy)
    first, second = (np.searchsorted(grades, side) for side in (pairs.first, pairs.second))
    tables = ConfusionTables.of(pairs.owner, first, second, len(pairs.queries), grades.size)
    return Scale(grades, distance, rel), tables


def _per_grade(table: Floats, grades: Floats) -> Iterator[GradeAgreement]:
    """The agreement on each grade of `[C]`, from the table `[C, C]`."""
    rows, columns, both = table.sum(axis=1), table.sum(axis=0), np.diagonal(table)
    shares, kappas = specific(table), grade_kappas(table)
    others = table - np.diag(both)
    for index, grade in enumerate(grades.tolist()):
        most = int(others[index].argmax())
        differs = others[index, most] > 0
        first, second, same = int(rows[index]), int(columns[index]), int(both[index])
        yield GradeAgreement(
            grade,
            first,
            second,
            same,
            first_same=same / first if first else np.nan,
            second_same=same / second if second else np.nan,
            agreement=float(shares[index]),
            kappa=float(kappas[index]),
            instead=float(grades[most]) if differs else np.nan,
            instead_share=float(others[index, most] / first) if differs else np.nan,
        )


def _bias(tables: ConfusionTables, mean: Estimate, of_each: Floats, level: float) -> Bias:
    """Who grades higher, from the mean difference of grades, over all queries and, `[Q]`, of each."""
    table = tables.total()
    higher, lower = int(np.triu(table, 1).sum()), int(np.tril(table, -1).sum())
    p = float(t_test(of_each[:, None], tables.pairs).p[0])
    direction: Word = "higher" if mean.value > 0 else "lower"
    word: Word = direction if p < 1 - level else "unclear" if higher or lower else "equal"
    return Bias(*mean, higher, int(np.trace(table)), lower, p, word)


def _warnings(
    figures: Figures, judged: Judged, table: Floats, scale: Scale, names: tuple[str, str]
) -> Iterator[tuple[str, str]]:
    """Slug and text of what makes agreement easily misread: few queries, one dominant grade, pairs of one judge."""
    if figures.queries < _FEW_QUERIES:
        single = figures.queries == 1
        text = f"{figures.queries:,} {'query is' if single else 'queries are'} few: intervals"
        yield "few-queries", text + (" cannot be had of one" if single else " of so few are too narrow, if anything")
    shares = (table.sum(axis=0) + table.sum(axis=1)) / (2 * table.sum())
    most = int(shares.argmax())
    if figures.equal.value >= _HIGH and figures.kappa.value < _LOW and shares[most] >= _DOMINANT:
        text = f"{100 * figures.equal.value:.1f} % of the grades are equal, and kappa is {figures.kappa.value:.2f}"
        grade = f"{100 * shares[most]:.1f} % of all grades are {scale.grades[most] + 0.0:g}"
        yield "dominant-grade", f"{text}: {grade}, where two judges meet by chance; look at the other grades one by one"
    union = judged.both + judged.first_only + judged.second_only
    counts = zip(names, (judged.first_only, judged.second_only), strict=True)
    alone = [f"{name} {100 * count / union:.1f} %" for name, count in counts if count >= _ALONE * union]
    if alone:
        text = f"judged by one alone: {', '.join(alone)} of {union:,} pairs, and agreement leaves them out"
        yield "judged-by-one", text


def _notes(figures: Figures, scale: Scale, table: Floats) -> Iterator[str]:
    """What must be said about the coefficients: one grade alone, uneven grades, all relevant or none."""
    grades = [f"{grade:g}" for grade in (scale.grades + 0.0).tolist()]
    if len(grades) == 1:
        yield f"every grade is {grades[0]}: nothing could disagree, and neither kappa nor alpha is defined"
    elif not scale.even:
        shown = " ".join(grades[:8]) + (" ..." if len(grades) > 8 else "")  # noqa: PLR2004 - as many as shown
        weights = (
            'weights of kappa count the steps between them; distance="grades" takes their differences'
            if scale.distance == "steps"
            else "weights of kappa are their differences"
        )
        yield f"the grades are {shown}: {weights}"
    if scale.rel is not None and figures.relevant_kappa is not None and math.isnan(figures.relevant_kappa.value):
        relevant = scale.relevant(table)
        if relevant.sum() in (relevant[0, 0], relevant[1, 1]):
            side = "reach" if relevant[1, 1] else "are below"
            yield f"all grades {side} {scale.rel:g}: there is no kappa of relevant and not relevant"
