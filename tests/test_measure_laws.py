"""Laws that hold for every measure by being in the catalogue; bitwise where the arithmetic is the same."""

import math
import warnings
from dataclasses import fields, replace
from itertools import permutations
from typing import Any

import array_api_strict
import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import rankworth as rw
from generators import (
    GRADES,
    Grades,
    Scores,
    about,
    batches,
    beside,
    block_of,
    cut,
    hits_of,
    other_values,
    values_of,
    variants,
    whole,
)
from judge import judge
from rankworth import names
from rankworth.errors import MeasureError
from rankworth.judged import Judged
from rankworth.judging import judged_run
from rankworth.judging.judged_run import JudgedRows
from rankworth.measures import CATALOGUE, Measure, building_blocks
from rankworth.model import Qrels, Run
from rankworth.scoring import inputs
from rankworth.spellings import AMBIGUOUS, TREC_EVAL

VARIANTS = [variant for measure in CATALOGUE.values() for variant in variants(measure)]
GROWING = [
    variant for variant in VARIANTS if variant.definition.monotone and variant.parameters.get("of", "rate") == "rate"
]
"""the variants that are monotone: not the totals and depths of readers, who may stop where they found something"""

every_measure = pytest.mark.parametrize("measure", CATALOGUE.values(), ids=str)
few = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
large = settings(few, max_examples=6)
"""for batches, which together hold more queries than 20 collections do"""
AS_ZERO_EXCEPT = {
    "Bpref": "counts judged non-relevant documents",
    "Judged": "counts judgements",
    "Hole": "counts judgements",
    "Unjudged": "counts judgements",
    "infAP": "takes unjudged documents of the pool for relevant in part",
    "NuggetR": "counts nuggets that nothing supports",
    "RBP_residual": "counts judgements",
    "rbp_resid": "counts judgements",
}
"""measures for which an unjudged document is something else than one of grade 0, and why"""

NAMES_DECIDE = {
    "alpha_nDCG": "the ideal order takes the greatest id of the documents that are equally new",
    "nERR_IA": "as alpha_nDCG",
    "nNRBP": "as alpha_nDCG",
}
"""measures for which the order of ids matters even without ties, and why"""

ROUNDING = 1e-15
"""sums of other addends may differ in the last bit"""


def same(one: list[float], other: list[float]) -> bool:
    """Equal bit for bit; NaN equals NaN."""
    return np.array(one).tobytes() == np.array(other).tobytes()


@large
@given(collection=batches(), draw=st.data())
def test_a_query_alone_has_the_value_it_has_in_a_batch(collection: tuple[Grades, Scores], draw: st.DataObject) -> None:
    hits = hits_of(*collection)
    some = draw.draw(st.lists(st.integers(0, hits.n_retrieved.size - 1), min_size=1, max_size=5, unique=True))
    blocks = [hits.block(np.array([query])) for query in some]
    together = whole(hits)
    for variant in VARIANTS:
        alone = [float(variant.values(block)[0]) for block in blocks]
        values = values_of(variant, together)
        assert same([values[query] for query in some], alone), variant


@large
@given(collection=batches())
def test_padding_changes_nothing(collection: tuple[Grades, Scores]) -> None:
    block = block_of(*collection)
    wider = padded(block, 13)
    for variant in VARIANTS:
        assert same(list(variant.values(block)), list(variant.values(wider))), variant


def padded(judged: Judged, more: int) -> Judged:
    """The same rankings in wider arrays."""

    def widen(array: Any, value: float) -> Any:
        return np.concatenate([array, np.full((array.shape[0], more), value, dtype=array.dtype)], axis=1)

    wide = {name: widen(getattr(judged, name), 1) for name in ("rank", "tie_first", "tie_last")}
    wide |= {name: widen(getattr(judged, name), 0) for name in ("grade", "is_judged", "retrieved", "pool", "in_pool")}
    for name in ("aspects", "pool_aspects"):
        wide[name] = np.pad(getattr(judged, name), ((0, 0), (0, more), (0, 2)), constant_values=-np.inf)
    return Judged(**wide, n_retrieved=judged.n_retrieved)


@large
@given(collection=batches())
def test_compact_and_full_layout_agree(collection: tuple[Grades, Scores]) -> None:
    compact, full = block_of(*collection, layout="compact"), block_of(*collection, layout="full")
    for variant in VARIANTS:
        if variant.positions == "judged":
            assert same(values_of(variant, compact), values_of(variant, full)), variant


@large
@given(collection=batches())
def test_the_last_running_total_is_the_value(collection: tuple[Grades, Scores]) -> None:
    block = block_of(*collection)
    for variant in VARIANTS:
        terms = variant.terms(block)
        running = terms.running()
        last = running[:, -1] if running.shape[1] else np.zeros(running.shape[0])
        with np.errstate(divide="ignore", invalid="ignore"):
            value = (last + terms.rest) / terms.norm
        value = np.where(np.equal(terms.norm, 0), math.nan, value if terms.link is None else terms.link(value))
        assert same(list(value), list(variant.values(block))), variant


def test_a_name_goes_round() -> None:
    for measure in VARIANTS:
        assert names.parse(str(measure)) == measure
        assert str(names.parse(str(measure))) == str(measure)


@every_measure
def test_every_spelling_means_the_measure(measure: Measure) -> None:
    for spelling in (measure.name, measure.name.lower(), measure.name.upper(), *measure.definition.aliases):
        if spelling != measure.name and spelling.lower() in AMBIGUOUS:
            assert names.parse(measure.name) == measure
            with pytest.raises(rw.MeasureError, match="ambiguous-measure"):
                names.parse(spelling)
            continue
        assert names.parse(spelling) == measure
        if measure.definition.at:
            assert names.parse(f"{spelling}@0.5") == measure(**{measure.definition.at: 0.5})
        else:
            assert names.parse(f"{spelling}@7") == measure @ 7
            if spelling not in TREC_EVAL:  # there, what follows the name may be a parameter
                assert names.parse(f"{spelling}_7") == measure @ 7


@few
@given(collection=batches(), cutoff=st.sampled_from((None, 1, 3, 10)))
def test_values_stay_in_the_declared_range(collection: tuple[Grades, Scores], cutoff: int | None) -> None:
    block = block_of(*collection)
    for measure in CATALOGUE.values():
        low, high = measure.definition.range
        for value in values_of(cut(measure, cutoff), block):
            assert math.isnan(value) or low <= value <= high, measure


@given(grades=st.lists(st.sampled_from(GRADES), min_size=1, max_size=60))
def test_a_normalised_measure_gives_one_to_the_best_order(grades: list[float]) -> None:
    assume(max(grades) >= 1)
    ordered = sorted(grades, reverse=True)
    for measure in CATALOGUE.values():
        if measure.definition.normalised:
            assert rw.score(ordered, measure) == 1, measure


def test_other_measures_do_not_give_one_to_every_best_order() -> None:
    shallow = ([1.0] + [0.0] * 20, [1.0, 1.0], [1.0, 0.5])
    for measure in CATALOGUE.values():
        if not measure.definition.normalised and measure.definition.range[1] == 1:
            assert any(rw.score(grades, variant) < 1 for variant in variants(measure) for grades in shallow), measure


@large
@given(collection=batches())
def test_an_unjudged_document_counts_as_one_of_grade_zero(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    holes = block_of(qrels, run)
    none = block_of(filled(qrels, run, 0.0), run)
    for variant in VARIANTS:
        signed = variant.parameters.get("gain") in building_blocks.SIGNED and "ideal" in variant.parameters
        # a document of grade 0 stands above negative ones in the ideal ranking of all judged documents
        if variant.name not in AS_ZERO_EXCEPT and variant.parameters.get("rel", 1) > 0 and not signed:
            assert same(values_of(variant, holes), values_of(variant, none)), variant


def filled(qrels: Grades, run: Scores, grade: float) -> Grades:
    """The judgements, with a grade for every retrieved document that has none."""
    return {
        query: grades | {document: grade for document in run.get(query, {}) if document not in grades}
        for query, grades in qrels.items()
    }


@large
@given(collection=batches())
def test_filling_holes_brackets_the_value_of_a_monotone_measure(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    holes = block_of(qrels, run)
    worst, best = block_of(filled(qrels, run, 0.0), run), block_of(filled(qrels, run, max(GRADES)), run)
    for variant in GROWING:
        bounds = zip(values_of(variant, worst), values_of(variant, holes), values_of(variant, best), strict=True)
        for low, value, high in bounds:
            adds_nuggets = variant.name == "NuggetR"  # whose divisor are those judged of any document
            assert math.isnan(value) or adds_nuggets or value <= high + ROUNDING, variant
            assert math.isnan(value) or variant.name in AS_ZERO_EXCEPT or low <= value, variant


@large
@given(collection=batches(), data=st.data())
def test_a_better_grade_never_lowers_a_monotone_measure(collection: tuple[Grades, Scores], data: st.DataObject) -> None:
    qrels, run = collection
    shared = {query: [one for one in run.get(query, {}) if one in grades] for query, grades in qrels.items()}
    better = dict(qrels)
    for query, documents in shared.items():
        if documents:
            document = data.draw(st.sampled_from(documents))
            higher = data.draw(st.sampled_from([grade for grade in GRADES if grade >= qrels[query][document]]))
            better[query] = qrels[query] | {document: higher}
    before, after = block_of(qrels, run), block_of(better, run)
    for variant in GROWING:
        if not isinstance(variant.parameters.get("gain"), tuple):
            for low, high in zip(values_of(variant, before), values_of(variant, after), strict=True):
                assert math.isnan(low) or low <= high + ROUNDING, variant


@every_measure
def test_a_measure_that_is_not_monotone_is_not_called_so_for_nothing(measure: Measure) -> None:
    """Somewhere a better grade, or one where there was none, does lower it, or the declaration could promise more."""
    if measure.definition.monotone:
        return
    generator = np.random.default_rng(0)
    for _ in range(2000):
        grades = generator.integers(-1, 3, (5, 3) if measure.definition.subtopics else 5).astype(float)
        place = int(generator.integers(0, grades.size))
        better = grades.copy()
        better.reshape(-1)[place] += 1
        grades, raised = grades.tolist(), better.tolist()
        hole = [None if number == place else grade for number, grade in enumerate(grades)]
        for variant in (measure, cut(measure, 2), *_graded(measure), *variants(measure)[1:]):
            low = rw.score(raised, variant) + 1e-12
            if low < rw.score(grades, variant) or (measure.definition.elsewhere and low < rw.score(hole, variant)):
                return
    pytest.fail(f"no better grade lowered {measure} in 2,000 rankings: declare it monotone")


def _graded(measure: Measure) -> list[Measure]:
    """The measure with gains by grade where it is binary unless told the best grade."""
    return [measure(max_grade=3)] if measure.parameters.get("max_grade", 0) is None else []


@large
@given(collection=batches())
def test_the_expected_value_over_ties_is_the_mean_over_permutations(collection: tuple[Grades, Scores]) -> None:
    hits = hits_of(*collection, layout="full")
    expecting = replace(whole(hits), ties="expected")
    orders = [(query, whole(order)) for query in range(len(expecting.grade)) for order in tie_orders(hits, query)]
    assume(orders)
    each = stacked(orders)
    for variant in VARIANTS:
        if not variant.definition.linear and not variant.definition.tied:
            with pytest.raises(MeasureError, match=r"(?s)is not linear: .* such as P, R, AP, RR, Success, nDCG"):
                variant.terms(expecting)
            continue
        if variant.parameters.get("norm") == "found" and variant.cutoff is not None:
            with pytest.raises(MeasureError, match=r"AP\(norm=found\) with a cutoff is not linear"):
                variant.terms(expecting)
            continue
        if variant.parameters.get("area") == "trapezoid":
            with pytest.raises(MeasureError, match=r"AP\(area=trapezoid\) is not linear"):
                variant.terms(expecting)
            continue
        if variant.name == "AUC" and variant.cutoff is not None:
            with pytest.raises(MeasureError, match="AUC with a cutoff is not linear"):
                variant.terms(expecting)
            continue
        found: dict[int, list[float]] = {}
        for (query, _), value in zip(orders, variant.values(each), strict=True):
            found.setdefault(query, []).append(float(value))
        expected = variant.values(expecting)
        for query, values in found.items():
            mean = math.fsum(values) / len(values)
            assert float(expected[query]) == pytest.approx(mean, rel=1e-12, abs=1e-15, nan_ok=True), variant


def stacked(rankings: list[tuple[int, Judged]]) -> Judged:
    """One query of each of these blocks, in one block."""
    arrays = [field.name for field in fields(Judged) if isinstance(getattr(rankings[0][1], field.name), np.ndarray)]
    return Judged(**{name: np.stack([getattr(block, name)[query] for query, block in rankings]) for name in arrays})


def tie_orders(hits: JudgedRows, query: int) -> Any:
    """The same rows in every order that the ties of one query leave open; none if there are too many."""
    start, end = int(hits.offsets[query]), int(hits.offsets[query + 1])
    groups: dict[int, list[int]] = {}
    for row in range(start, end):
        groups.setdefault(int(hits.tie_first[row]), []).append(row)

    def orders(remaining: list[list[int]]) -> Any:
        if not remaining:
            yield []
            return
        for first in permutations(remaining[0]):
            for rest in orders(remaining[1:]):
                yield [*first, *rest]

    if math.prod(math.factorial(len(group)) for group in groups.values()) > 120:
        return
    for order in orders(list(groups.values())):
        grade, is_judged = hits.grade.copy(), hits.is_judged.copy()
        grade[start:end], is_judged[start:end] = hits.grade[order], hits.is_judged[order]
        judgement = hits.judgement.copy()  # type: ignore[union-attr]
        judgement[start:end] = judgement[order]
        yield replace(hits, grade=grade, is_judged=is_judged, judgement=judgement)


@pytest.mark.parametrize(
    ("measure", "parameter"),
    [(measure, parameter) for measure in CATALOGUE.values() for parameter in measure.definition.parameters],
    ids=str,
)
def test_every_value_of_every_parameter_matters(measure: Measure, parameter: str) -> None:
    generator = np.random.default_rng(1)
    measure = measure(**beside(measure, parameter))
    cutoff = None if parameter == "absent" else 4  # of documents beyond the end of a ranking that is not cut
    for value in other_values(measure, parameter):
        changed = measure(**{parameter: value})
        for _ in range(3000):
            grades = generator.choice(GRADES, generator.integers(2, 7)).tolist()
            ranking = judged_run.ranking(grades, missing=generator.choice(GRADES, 3).tolist())
            if not same(*(list(cut(one, cutoff).values(ranking)) for one in (measure, changed))):
                break
        else:
            pytest.fail(f"{changed} never differed from {measure}")


@settings(large, max_examples=3)  # what they call depends on shapes and hardly on values
@given(collection=batches())
def test_building_blocks_need_the_array_api_standard_and_nothing_else(collection: tuple[Grades, Scores]) -> None:
    block = block_of(*collection)
    arrays = [field.name for field in fields(block) if isinstance(getattr(block, field.name), np.ndarray)]
    strict = Judged(**{name: array_api_strict.asarray(getattr(block, name)) for name in arrays})
    for variant in VARIANTS:
        assert same(list(variant.values(block)), [float(value) for value in variant.values(strict)]), variant


@few
@given(collection=batches(), layout=st.sampled_from(("compact", "full")))
def test_all_forms_of_judging_agree(collection: tuple[Grades, Scores], layout: Any) -> None:
    qrels, run = Qrels(collection[0]), Run(collection[1])
    frame, judgements = run.to_frame(), qrels.to_frame()
    shuffled = frame.sample(fraction=1, shuffle=True, seed=len(frame))
    engine = duckdb.connect()
    relation = inputs.run(engine.from_arrow(shuffled.to_arrow()))
    judged = [
        judge(qrels, run, layout=layout),
        judge(qrels, Run(frame), layout=layout),
        judge(Qrels(judgements), Run(shuffled), layout=layout),
        judge(Qrels(judgements), run, layout=layout),
        judge(qrels, relation, layout=layout),
    ]
    first = judged[0]
    for other in judged[1:]:
        assert other.unjudged == first.unjudged
        for name, array in first.hits.__dict__.items():
            theirs = getattr(other.hits, name)
            assert np.array_equal(array, theirs) or (name == "score" and theirs is None), name  # engines keep scores


@large
@given(collection=batches())
def test_values_are_the_same_whatever_the_input_and_whatever_else_is_evaluated(
    collection: tuple[Grades, Scores],
) -> None:
    qrels, run = collection
    together = rw_evaluate(qrels, run, VARIANTS)
    frame = rw_evaluate(qrels, Run(run).to_frame(), VARIANTS)
    assert together.tobytes() == frame.tobytes()
    for place in range(0, len(VARIANTS), 7):
        alone = rw_evaluate(qrels, run, [VARIANTS[place]])
        assert alone.tobytes() == np.ascontiguousarray(together[:, place : place + 1]).tobytes()


def rw_evaluate(qrels: object, run: object, measures: list[Measure]) -> Any:
    """The values, whatever the warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(qrels, run, measures).per_query.array


@few
@given(collection=batches(ties=False))
def test_names_of_documents_do_not_matter_without_ties(collection: tuple[Grades, Scores]) -> None:
    every = sorted({document for side in collection for part in side.values() for document in part})
    shuffled = {document: f"{hash(document) % 97}-{document[::-1]}" for document in every}
    in_order = {document: f"{place:03}" for place, document in enumerate(every)}
    decided, free = (
        [measure for measure in CATALOGUE.values() if (measure.name in NAMES_DECIDE) == decide]
        for decide in (True, False)
    )
    before = block_of(*collection)
    for name, measures in ((in_order, decided), (shuffled, free)):
        back = {new: old for old, new in name.items()}
        renamed = [
            {query: {name[one]: value for one, value in part.items()} for query, part in side.items()}
            for side in collection
        ]
        after = block_of(*renamed, numbers=lambda query, document, back=back: about(query, back[document]))
        for measure in measures:
            assert same(values_of(measure, before), values_of(measure, after)), measure


@few
@given(collection=batches())
def test_only_the_order_of_scores_matters(collection: tuple[Grades, Scores]) -> None:
    qrels, run = collection
    other = {
        query: {document: sorted(set(part.values())).index(score) * 7.0 - 100 for document, score in part.items()}
        for query, part in run.items()
    }
    before, after = block_of(qrels, run), block_of(qrels, other)
    for measure in CATALOGUE.values():
        assert same(values_of(measure, before), values_of(measure, after)), measure
