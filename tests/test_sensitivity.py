"""What would change a value: laws against evaluation of rankings that really are changed, figures of the notebook."""

import inspect
import json
import math
import re
import warnings
from binascii import crc32
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, groupby, permutations, product
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
import pytest

import rankworth as rw
from generators import variants
from rankworth.errors import InputError, MeasureError, RankworthError, UsageError
from rankworth.evaluation import runner
from rankworth.explanation import BY, EXPERIMENTS, SCENARIOS, Variation
from rankworth.measures import CATALOGUE, Measure, Terms
from rankworth.measures.building_blocks import relevant
from rankworth.profiles import PROFILES, Profile
from rankworth.settings import BY_GRADE, UNBROKEN

CASES: Final = json.loads((Path(__file__).parent / "data" / "notebook_cases.json").read_text(encoding="utf-8"))
LENIENT: Final[dict[str, Any]] = {"missing": "skip", "extra": "ignore", "undefined": "nan", "fewest": 0}
SETTINGS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {},
    {"depth": 3},
    {"unjudged": "removed"},
    {"ties": "expected"},
    {"ties": "last"},
    {"ties": "given"},
    {"negative": "zero"},
    {"negative": "dropped"},
    {"judgements": "relevant"},
    {"pool": "retrieved"},
    {"unretrieved": "last"},
    {"scored": "positive"},
    {"undefined": "nan"},
    {"round_values": 3},
    {"no_hit": "skip"},
    {"grades": "truncated"},
)
REFUSED: Final = (
    *(
        "duplicate-document",
        "bad-cutoff",
        "conflicting-options",
        "unknown-document",
        "bad-definition",
        "refused-input",
        "ambiguous-measure",
    ),
)
"""errors with which a change is refused that evaluation of the ranking as it is does not know"""
KINDS: Final = ((0.0, 1.0), (0.0, 1.0, 2.0), (0.0, 1.0, 2.0, 3.0), (-1.0, 0.0, 1.0, 2.0), (0.0, 0.5, 1.0))
CHANGES: Final = 20
"""how many rankings are changed by each measure and way"""
QRELS: Final = {"q": {"a": 2, "b": 0, "c": 1, "d": 1}}
RUN: Final = {"q": {"b": 4.0, "a": 3.0, "x": 3.0, "c": 1.0}}

Grades = dict[str, float]
Scores = dict[str, float]
Pair = tuple[Grades, Scores]

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

# Laws: each value is that of the ranking as it would be


def values_of(pairs: Sequence[Pair], measure: Measure, profile: Profile) -> list[float | None]:
    """What evaluation gives queries; None where it gives nothing."""
    if measure.definition.elsewhere:  # depends on what is judged for others
        return [one for pair in pairs for one in together([pair], measure, profile)]
    return together(pairs, measure, profile)


def together(
    pairs: Sequence[Pair], measure: Measure, profile: Profile, *, has_companion: bool = True
) -> list[float | None]:
    """The values of queries beside another one; by themselves where all are refused, as some tools take one query."""
    companion = [({"x": 1.0, "y": 0.0}, {"x": 1.0, "y": 0.5})] if has_companion else []  # fewer documents are refused
    every = [*companion, *pairs]
    qrels, run = ({str(place): pair[side] for place, pair in enumerate(every)} for side in (0, 1))
    try:
        found = rw.evaluate(qrels, run, [measure], profile=profile).per_query
    except RankworthError:
        if len(pairs) > 1:
            return [one for pair in pairs for one in together([pair], measure, profile)]
        return together(pairs, measure, profile, has_companion=False) if has_companion else [None] * len(pairs)
    [label] = found.measures
    rows = found.to_dict()
    return [rows.get(str(place), {}).get(label) for place in range(len(companion), len(every))]


def same(one: float | None, other: float | None) -> bool:
    """Equal bit for bit; NaN equals NaN, and None None."""
    if one is None or other is None:
        return one is other
    return one == other or (math.isnan(one) and math.isnan(other))


def spread(order: list[str]) -> Scores:
    """Scores without ties."""
    return {document: float(len(order) - place) for place, document in enumerate(order)}


def ranked(scores: Scores, judging: Any, grades: Grades) -> list[str]:
    """The documents as settings rank them, by sorting."""
    rows = list(scores)
    if judging.order == "given":
        return rows
    if judging.order != "rank" and (judging.ties.startswith("id") or judging.ties in UNBROKEN):
        rows.sort(key=lambda document: document.encode(), reverse=judging.ties != "id-ascending")
    elif judging.ties == "given-reversed":
        rows.reverse()
    if judging.ties in BY_GRADE:
        sign = -1 if judging.ties == "best" else 1
        rows.sort(key=lambda document: (sign * grades.get(document, 0.0), document not in grades))
    return sorted(rows, key=lambda document: -scores[document])


class Ranking:
    """A random ranking, and what evaluation makes of it after some change."""

    def __init__(self, generator: np.random.Generator, measure: Measure, profile: Profile) -> None:
        """Draw it."""
        self.measure, self.profile = measure, profile
        documents = [f"d{place}" for place in range(1, 10)]
        kind = KINDS[int(generator.integers(len(KINDS)))]
        judged, retrieved = (generator.permutation(documents)[: generator.integers(1, 8)].tolist() for _ in range(2))
        self.grades: Grades = {document: float(generator.choice(kind)) for document in judged}
        tied = generator.choice([1.0, 2.0, 3.0], len(retrieved))
        scores = tied if generator.random() < 0.6 else np.arange(len(retrieved), 0, -1.0)
        self.scores: Scores = dict(zip(retrieved, scores.tolist(), strict=True))
        self.document = str(generator.choice(sorted({*judged, *retrieved})))
        [asked] = runner.planned(profile, [measure], None, {}).measures
        self.order = ranked(self.scores, asked.judging, self.grades)
        self.shared = (
            asked.judging.ties in UNBROKEN
            and asked.judging.order != "given"
            and len(set(scores.tolist())) < len(scores)
        )

    @cached_property
    def now(self) -> float | None:
        """The value of the ranking as it is."""
        [value] = self.values([self.changed()])
        return value

    def changed(self, grades: Grades | None = None, scores: Scores | None = None) -> Pair:
        """The ranking with other grades or other scores."""
        return self.grades | (grades or {}), self.scores if scores is None else scores

    def values(
        self, pairs: Sequence[Pair], measure: Measure | None = None, profile: Profile | None = None
    ) -> list[float | None]:
        """The values of the ranking as it was changed in each of some ways."""
        return values_of(pairs, measure or self.measure, profile or self.profile)

    def vary(self, by: Any, **options: Any) -> Variation | None:
        """The same by `vary`; None where it is refused as evaluation is, or because changes would not be clear."""
        sides = ({"0": {"x": 1.0}, "1": one} for one in (self.grades, self.scores))
        said = dict(zip(("qrels", "run"), sides, strict=True))
        try:
            return rw.vary(measures=self.measure, by=by, query="1", profile=self.profile, **said, **options)
        except RankworthError as error:
            refused = error.slug
        assert self.now is None or refused in REFUSED
        return None

    def moved(self, place: int) -> Pair:
        """With the document at another place, where it has a score of its own."""
        others = [one for one in self.order if one != self.document]
        order = [*others[: place - 1], self.document, *others[place - 1 :]]
        if not self.shared:
            return self.changed(scores=spread(order))
        if self.document in self.order and self.order.index(self.document) == place - 1:
            return self.changed()
        above = self.scores[others[place - 2]] if place > 1 else 10.0
        below = self.scores[others[place - 1]] if place <= len(others) else 1e-4
        moved = {one: self.scores.get(one, 0.0) for one in order}
        return self.changed(scores=moved | {self.document: (above + below) / 2})

    def swapped(self, upper: str, lower: str) -> Pair:
        """With two neighbours in each other's place."""
        first = self.order.index(upper)
        assert self.order[first + 1] == lower
        if self.shared:
            return self.changed(scores=self.scores | {upper: self.scores[lower], lower: self.scores[upper]})
        return self.changed(scores=spread([*self.order[:first], lower, upper, *self.order[first + 2 :]]))


def rankings(measure: Measure, way: str) -> Iterator[Ranking]:
    """Random rankings, by variants of the measure and random profiles."""
    generator = np.random.default_rng(crc32(f"{measure} {way}".encode()))
    every, profiles = variants(measure), list(PROFILES.values())
    for number in range(CHANGES):
        variant = every[int(generator.integers(len(every)))] if number % 2 else measure
        profile = profiles[int(generator.integers(len(profiles)))] if number % 3 else PROFILES["standard-1"]
        lenient = LENIENT if generator.random() < 0.8 else {}
        said = SETTINGS[int(generator.integers(len(SETTINGS)))]
        try:
            yield Ranking(generator, variant, profile.derive(**lenient).derive(**said))
        except RankworthError:  # the profile does not have the measure
            continue


every_measure = pytest.mark.parametrize("measure", CATALOGUE.values(), ids=str)


def near(one: float | None, other: float | None, ranking: Ranking) -> bool:
    """Equal bit for bit, but means over ties up to rounding, since ties of other documents are added up otherwise."""
    if ranking.shared and one is not None and other is not None:
        return same(one, other) or math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-15)
    return same(one, other)


@every_measure
def test_a_position_has_the_value_of_the_ranking_that_has_the_document_there(measure: Measure) -> None:
    for ranking in rankings(measure, "position"):
        told = ranking.vary("position", document=ranking.document)
        rows = told.rows if told else ()
        values = ranking.values([ranking.moved(row["position"]) for row in rows])
        for row, value in zip(rows, values, strict=True):
            assert near(row["value"], value, ranking), row


@every_measure
def test_a_grade_has_the_value_of_the_judgements_that_have_it(measure: Measure) -> None:
    if measure.definition.subtopics:
        with pytest.raises(UsageError, match="by subtopic"):
            rw.vary(measures=measure, by="grade", qrels=by_subtopic(), run=RUN, query="q")
        return
    for ranking in rankings(measure, "grade"):
        told = ranking.vary("grade", document=ranking.document, grade=[0.0, 1.0, 2.0, 3.0])
        for row in told.rows if told else ():
            assert near(row["value"], *ranking.values([ranking.changed({ranking.document: row["grade"]})]), ranking), (
                row
            )


def by_subtopic() -> pl.DataFrame:
    """Judgements with subtopics."""
    rows = [("q", "1", "a", 1), ("q", "2", "a", 0), ("q", "2", "b", 1)]
    return pl.DataFrame(rows, schema=["query", "subtopic", "document", "grade"], orient="row")


@every_measure
def test_a_swap_has_the_value_of_the_ranking_that_has_it(measure: Measure) -> None:
    for ranking in rankings(measure, "swap"):
        told = ranking.vary("swap")
        if told is None:
            continue
        values = ranking.values([ranking.swapped(row["document"], row["other"]) for row in told.rows])
        for row, value in zip(told.rows, values, strict=True):
            assert near(row["value"], value, ranking), row
        known = [one for one in values if one is not None and not math.isnan(one)]
        for best, sign in ((told.best, 1), (told.worst, -1)):
            for row in best.values():
                assert sign * row["value"] == max(sign * one for one in known)
            if not best and ranking.now is not None and not math.isnan(ranking.now):
                assert all(sign * one <= sign * ranking.now for one in known)


@every_measure
def test_ties_have_the_least_and_the_greatest_value_of_all_orders(measure: Measure) -> None:
    for ranking in rankings(measure, "ties"):
        tied = [list(some) for _, some in groupby(ranking.order, key=lambda one: ranking.scores[one])]
        if math.prod(math.factorial(len(some)) for some in tied) > 150:
            continue
        told = ranking.vary("ties")
        if told is None or (asked := runner.planned(ranking.profile, [ranking.measure], None, {}).measures[0]) is None:
            continue
        groups = [[one] for one in ranking.order] if asked.judging.order == "given" else tied
        broken = ranking.profile.derive(ties="id-descending")
        orders = [list(chain(*each)) for each in product(*map(permutations, groups))]
        values = ranking.values([ranking.changed(scores=spread(order)) for order in orders], profile=broken)
        known = [one for one in values if one is not None and not math.isnan(one)]
        found = {row["ties"]: row["value"] for row in told.rows}
        assert same(found["as it is"], ranking.now)
        assert same(found["lowest"], min(known, default=None))
        assert same(found["highest"], max(known, default=None))
        if known and len(known) == len(values):
            assert math.isclose(found["mean"], math.fsum(known) / len(known), rel_tol=1e-12, abs_tol=1e-12)
            assert found["lowest"] <= found["mean"] <= found["highest"]


@every_measure
def test_unjudged_documents_have_the_values_of_the_judgements_that_have_them(measure: Measure) -> None:
    if measure.definition.subtopics:
        with pytest.raises(UsageError, match="by subtopic"):
            rw.vary(measures=measure, by="unjudged", qrels=by_subtopic(), run=RUN, query="q")
        return
    for ranking in rankings(measure, "unjudged"):
        told = ranking.vary("unjudged")
        if told is None:
            continue
        best = max(1.0, *ranking.grades.values())  # of both queries
        unjudged = [one for one in ranking.order if one not in ranking.grades]
        ways = [dict(zip(unjudged, each, strict=True)) for each in product((0.0, best), repeat=len(unjudged))]
        every = ranking.values([ranking.changed(each) for each in ways])
        known = [one for one in every if one is not None and not math.isnan(one)]
        found = {row["unjudged"]: row["value"] for row in told.rows}
        assert near(found["none relevant"], every[0], ranking)
        assert near(found["all relevant"], every[-1], ranking)
        assert near(found["lowest"], min(known, default=None), ranking)
        assert near(found["highest"], max(known, default=None), ranking)
        alone = {row["document"]: row["value"] for row in told.rows if row["unjudged"] == "alone"}
        assert list(alone) == unjudged
        values = ranking.values([ranking.changed({document: best}) for document in alone])
        for one, expected in zip(alone.values(), values, strict=True):
            assert near(one, expected, ranking)


@every_measure
def test_a_cutoff_has_the_value_of_the_measure_that_has_it(measure: Measure) -> None:
    for ranking in rankings(measure, "cutoff"):
        told = ranking.vary("cutoff", cutoffs=[1, 2, 5])
        for row in told.rows if told else ():
            assert same(row["value"], *ranking.values([ranking.changed()], measure=ranking.measure @ row["cutoff"])), (
                row
            )


# The notebook


def notebook(case: str, measure: str) -> Any:
    """The figures of a case of the first notebook; by name of what is compared where it has several."""
    found = [one for one in CASES if (one["seed"], one["case"], one["measure"]) == ("000", case, measure)]
    assert found, (case, measure)
    return found


def rows_of(told: Variation, measure: str) -> list[float]:
    """The values of one measure."""
    return [row["value"] for row in told.rows if row["measure"] == measure]


def test_all_scenarios_and_experiments_of_the_notebook() -> None:
    names = {"RR": "RR(rel=2)", "RR (relevant from grade 2)": "RR(rel=2)", "AP@3 (divided by all relevant)": "AP@3"}
    names |= {"AP@3 (relevant from grade 1)": "AP@3", "nDCG@3 (exponential gain)": "nDCG(gain=exp2)@3"}
    figures = {}
    for one in CASES:
        if one["seed"] == "000" and "scores" in one["inputs"] and one["measure"] in names:
            key = (tuple(one["inputs"]["grades"]), tuple(one["inputs"]["scores"]))
            figures[key, names[one["measure"]]] = one["value"]
    found = {}
    for scenarios in (SCENARIOS, EXPERIMENTS):
        told = rw.scenarios(scenarios)
        assert list(told) == [one.name for one in scenarios]
        for one in scenarios:
            found |= {((one.grades, one.scores), measure): number for measure, number in told[one.name].items()}
    compared = {key: number for key, number in figures.items() if key in found}
    assert len(compared) == 3 * (4 + 3)
    assert {key: found[key] for key in compared} == pytest.approx(compared, rel=1e-15)


def test_the_position_of_a_document_in_the_notebook() -> None:
    told = rw.vary(measures=["nDCG(gain=exp2)@5", "RR(rel=2)", "AP@5"], by="position")
    [ndcg] = notebook("position sensitivity", "nDCG@5")
    [rr] = notebook("position sensitivity", "RR")
    assert ndcg["value"] == [1 / math.log2(rank + 1) for rank in range(1, 6)]
    assert rows_of(told, "nDCG(gain=exp2)@5") == pytest.approx(ndcg["value"], rel=1e-15)
    assert rows_of(told, "RR(rel=2)") == rr["value"] == [1 / rank for rank in range(1, 6)]
    assert rows_of(told, "AP@5") == [1 / rank for rank in range(1, 6)]
    assert {row["change"] for row in told.rows} == {None}
    assert told.baseline == {}


def test_the_grade_of_a_document_in_the_notebook() -> None:
    told = rw.vary(measures=["nDCG(gain=exp2)@3", "DCG(gain=exp2)@3", "RR(rel=2)"], by="grade")
    found = {(row["measure"], row["beside"], row["grade"]): row["value"] for row in told.rows}
    best, second = 3.0, 1 / math.log2(3)
    assert [found["nDCG(gain=exp2)@3", None, grade] for grade in (0, 1, 2)] == [0, 1, 1]
    assert [found["DCG(gain=exp2)@3", None, grade] for grade in (0, 1, 2)] == [0, 1, 3]
    assert [found["RR(rel=2)", None, grade] for grade in (0, 1, 2)] == [0, 0, 1]
    expected = [best * second / best, (1 + best * second) / (best + second), 1]
    assert [found["nDCG(gain=exp2)@3", 2, grade] for grade in (0, 1, 2)] == pytest.approx(expected, rel=1e-15)


def test_the_cutoffs_of_the_notebook() -> None:
    told = rw.vary(measures="nDCG(gain=exp2)", by="cutoff", grades=[2, 1, 0, 1, 2])
    [case] = notebook("cutoff sensitivity", "nDCG@k of the list as given")
    assert rows_of(told, "nDCG(gain=exp2)@k") == pytest.approx(case["value"], rel=1e-15)
    found = [one for one in CASES if one["seed"] == "000" and one["measure"] == "AP@k"]
    for one in found:
        grades, scores = one["inputs"]["grades"], one["inputs"]["scores"]
        order = sorted(range(len(grades)), key=lambda place: -scores[place])
        told = rw.vary(
            measures="AP", by="cutoff", grades=[grades[place] for place in order], cutoffs=one["inputs"]["k"]
        )
        assert rows_of(told, "AP@k") == pytest.approx(one["value"], rel=1e-15)
    assert found


# Examples


def test_the_swaps_of_a_list() -> None:
    told = rw.vary(measures="DCG@3", by="swap", grades=[0, 2, 0, 1])
    at = [1 / math.log2(rank + 1) for rank in range(1, 4)]
    assert rows_of(told, "DCG@3") == [2 * at[0], 2 * at[2], 2 * at[1] + 1 * at[2]]
    assert (told.best["DCG@3"]["swap"], told.worst["DCG@3"]["swap"]) == ("1-2", "2-3")
    assert told.baseline == {"DCG@3": 2 * at[1]}
    assert "best swap for DCG@3: ranks 1-2 (+0.7381)" in repr(told)


def test_the_orders_of_a_tie() -> None:
    told = rw.vary(measures="RR", by="ties", qrels={"q": {"b": 1}}, run={"q": dict.fromkeys("abc", 1.0)}, query="q")
    assert {row["ties"]: row["value"] for row in told.rows} == {
        "as it is": 1 / 2,
        "lowest": 1 / 3,
        "mean": pytest.approx((1 + 1 / 2 + 1 / 3) / 3, rel=1e-15),
        "highest": 1,
    }


def test_a_measure_without_a_formula_for_ties_has_the_mean_over_orders() -> None:
    for said in ({}, {"profile": "elinor-0.4"}):
        told = rw.vary(
            measures="AP(norm=found)@2",
            by="ties",
            qrels={"q": {"b": 1}},
            run={"q": dict.fromkeys("abc", 1.0)},
            **said,
            query="q",
        )
        found = {row["ties"]: row["value"] for row in told.rows}
        assert (found["lowest"], found["mean"], found["highest"]) == (
            0,
            pytest.approx((1 + 1 / 2 + 0) / 3, rel=1e-15),
            1,
        )
        assert told.notes == ("AP(norm=found)@2: over all 3 orders that differ",)


def test_many_ties_are_sampled_and_it_is_said() -> None:
    documents = [f"d{place}" for place in range(40)]
    qrels, run = {"q": dict.fromkeys(documents[::5], 2)}, {"q": dict.fromkeys(documents, 1.0)}
    told = rw.vary(measures=["RR", "ERR"], by="ties", qrels=qrels, run=run, query="q")
    found = {(row["measure"], row["ties"]): row["value"] for row in told.rows}
    assert (found["RR", "highest"], found["RR", "lowest"]) == (1.0, 1 / 33)  # 8 of 40 are relevant
    for measure in ("RR", "ERR"):
        assert found[measure, "lowest"] < found[measure, "mean"] < found[measure, "highest"]
    assert any("random orders (seed 0)" in note for note in told.notes)


def test_a_document_that_was_not_retrieved_moves_too() -> None:
    told = rw.vary(measures="RR", qrels=QRELS, run={"q": ["b", "x"]}, query="q", document="a")
    assert [row["position"] for row in told.rows] == [1, 2, 3]
    assert rows_of(told, "RR") == [row["change"] for row in told.rows] == [1, 1 / 2, 1 / 3]
    assert (told.run, told.query, told.document) == ("", "q", "a")
    assert {(row["document"], row["grade"]) for row in told.rows} == {("a", 2.0)}


def test_long_rankings_are_varied() -> None:
    documents = [f"d{place}" for place in range(3000)]
    told = rw.vary(
        measures=["nDCG@10", "AP"],
        qrels={"q": {"d5": 1, "d700": 2}},
        run={"q": documents},
        query="q",
        document="d700",
        n=1000,
    )
    found = rows_of(told, "AP")
    assert len(found) == 1000
    assert found[700] == told.baseline["AP"] == pytest.approx((1 / 6 + 2 / 701) / 2, rel=1e-15)
    assert found[0] == (1 + 2 / 7) / 2


def test_very_long_rankings_are_varied_where_it_matters_and_it_is_said() -> None:
    documents = [f"d{place}" for place in range(10_000)]
    judged = {"d3": 1, "d6": 2, "d9000": 1}
    real: dict[str, Any] = {"qrels": {"q": judged}, "query": "q"}
    told = rw.vary(measures="RR", by="swap", run={"q": documents}, **real)
    assert [row["swap"] for row in told.rows] == [f"{rank}-{rank + 1}" for rank in range(1, 1000)]
    assert (told.best["RR"]["value"], told.worst["RR"]["value"]) == (1 / 3, 1 / 5)
    assert told.notes == ("10,000 ranks, of which the first 1,000 are varied; n says how many",)
    assert rw.vary(measures="RR", by="swap", run={"q": documents}, n=5, **real).notes == ()
    open_ones = rw.vary(measures="P@5", by="unjudged", run={"q": documents[:2000]}, **real)
    assert [row["value"] for row in open_ones.rows[:5]] == [1 / 5, 1 / 5, 1, 1 / 5, 1]
    assert len(open_ones.rows) == 5 + 1000 - 2  # d3 and d6 are judged
    assert open_ones.notes[0] == "2,000 ranks, of which the first 1,000 are varied; n says how many"
    assert len(rw.vary(measures="RR", by="cutoff", grades=[0, 1] * 100).rows) == 100
    assert len(rw.vary(measures="RR", by="cutoff", grades=[0, 1] * 100, n=150).rows) == 150


def test_many_ties_of_a_long_ranking_keep_their_ranks() -> None:
    documents = {f"d{place}": float(-(place // 4)) for place in range(4000)}  # four of each score
    qrels = {"q": {f"d{place}": place % 2 for place in range(0, 4000, 3)}}
    told = rw.vary(measures="P@6", by="ties", qrels=qrels, run={"q": documents}, query="q")
    found = {row["ties"]: row["value"] for row in told.rows}
    # d3 of the first four is relevant, none of d4 to d7, of which d6 is judged
    assert (found["lowest"], found["mean"], found["highest"]) == (1 / 6, pytest.approx(1 / 6, rel=1e-15), 1 / 6)
    found = {
        row["ties"]: row["value"]
        for row in rw.vary(measures="P@2", by="ties", qrels=qrels, run={"q": documents}, query="q").rows
    }
    assert (found["lowest"], found["mean"], found["highest"]) == (0, pytest.approx(1 / 4, rel=1e-15), 1 / 2)


def test_what_varies_is_said_with_its_grade_and_rank() -> None:
    sentence = rw.vary(measures="RR", grades=[0, 1], document=2).sentence
    assert sentence == "document 2 (grade 1, rank 2) at every rank of the list of grades"
    assert (
        rw.vary(measures="RR", **REAL, document="d").sentence
        == "document d (grade 1, not retrieved) at every rank of q"
    )
    told = rw.vary(measures="RR", by="grade", **REAL, document="x")
    assert told.sentence == "document x (nobody judged it, rank 2) of q with every grade"
    assert rw.vary(measures="RR", by="cutoff", grades=[0, 1]).sentence == "the list of grades, cut at every rank to 2"
    assert (
        rw.vary(measures="RR", by="cutoff", grades=[0, 1], cutoffs=[1, 1, 9]).sentence
        == "the list of grades, cut at some ranks"
    )


def test_what_has_no_value_is_said() -> None:
    undefined = rw.vary(measures="AP", by="swap", grades=[0, 0], undefined="nan")
    assert "as it is: AP n/a" in repr(undefined)
    assert (undefined.best, undefined.worst) == ({}, {})
    refused = rw.vary(measures="ERR", by="unjudged", grade=5)  # max_grade is 4
    assert [row["value"] for row in refused.rows if row["unjudged"] in ("all relevant", "alone")] == [None] * 3
    assert any("has no value for the grade 5: a document is graded 5, but max_grade=4" in one for one in refused.notes)
    assert "ERR: 3 of 4 ways have no value" in refused.notes
    alone = rw.vary(measures="AP", by="swap", grades=[1])
    assert (alone.rows, alone.notes) == ([], ("there are no two neighbours",))
    assert repr(alone).splitlines()[3].split() == ["ranks", "AP", "change"]
    one = rw.vary(measures="AP", by="unjudged", grades=[1, None])
    assert one.notes == ("AP: lowest and highest over all 2 ways to give one document grade 0 or 1",)


def test_measures_of_ones_own_are_varied() -> None:
    @rw.measure("Half")
    def half(judged: Any, *, rel: float = 1) -> Terms:
        """Half of what is relevant.

        Half = relevant documents / 2
        """
        return Terms(gain=relevant(judged, rel), norm=2.0)

    try:
        assert rows_of(rw.vary(measures=half @ 2, n=3), "Half@2") == [0.5, 0.5, 0.0]
    finally:
        del CATALOGUE["Half"]


# Scenarios


def test_scenarios_by_scores_orders_labels_and_runs() -> None:
    expected = {"good": {"RR": 1.0}, "bad": {"RR": 0.5}}
    scores = {"good": [2.0, 1.0], "bad": [1.0, 2.0]}
    assert dict(rw.scenarios(labels=[1, 0], scores=scores, measures=["RR"])) == expected
    assert dict(rw.scenarios(labels=[1, 0], orders={"good": [0, 1], "bad": [1, 0]}, measures=["RR"])) == expected
    assert dict(rw.scenarios(labels={"good": [1, 0], "bad": [0, 1]}, measures=["RR"])) == expected
    runs = {"good": {"q": ["a", "b"]}, "bad": {"q": ["b", "a"]}}
    told = rw.scenarios(qrels={"q": {"a": 1}}, runs=runs, query="q", measures=["RR"])
    assert dict(told) == expected
    assert told.to_frame().to_dict(as_series=False) == {
        "scenario": ["good", "bad"],
        "measure": ["RR", "RR"],
        "value": [1.0, 0.5],
    }


@pytest.mark.parametrize(
    ("said", "slug"),
    [
        ({"labels": [1], "qrels": {}}, "conflicting-options"),
        ({"scores": {"a": [1.0]}}, "conflicting-options"),
        ({"labels": [1, 0]}, "conflicting-options"),
        ({"labels": [1, 0], "scores": {"a": [1, 2]}, "orders": {"a": [0, 1]}}, "conflicting-options"),
        ({"labels": [1, 0], "scores": [[1.0, 2.0]]}, "input-type"),
        ({"labels": {"a": [1]}, "scores": {"b": [1.0]}}, "input-type"),
        ({"qrels": {"q": {"a": 1}}, "query": "q"}, "conflicting-options"),
        ({"runs": {"a": {"q": ["a"]}}, "query": "q"}, "conflicting-options"),
        ({"several": []}, "empty-input"),
    ],
)
def test_scenarios_that_are_not_clear_are_refused(said: Mapping[str, Any], slug: str) -> None:
    with pytest.raises(RankworthError) as caught:
        rw.scenarios(**said)
    assert caught.value.slug == slug


# What is refused

REAL: Final[dict[str, Any]] = {"qrels": QRELS, "run": RUN, "query": "q"}
MORE: Final = QRELS | {"r": {"a": 1}}


@pytest.mark.parametrize(
    ("said", "error", "slug"),
    [
        ({"by": "rank"}, UsageError, "unknown-setting"),
        ({"by": "position", **REAL, "document": "aa"}, InputError, "unknown-document"),
        ({"by": "position", **REAL, "query": "qq"}, InputError, "unknown-query"),
        (
            {"by": "position", "qrels": QRELS, "run": RUN | {"r": {"a": 1.0}}, "query": "r"},
            InputError,
            "unjudged-queries",
        ),
        ({"by": "position", "qrels": MORE, "run": RUN, "query": "r"}, InputError, "unanswered-query"),
        ({"by": "position", "qrels": QRELS, "run": RUN}, UsageError, "conflicting-options"),
        ({"by": "position", "grades": [1], "query": "q"}, UsageError, "conflicting-options"),
        ({"by": "position", "missing": [1]}, UsageError, "conflicting-options"),
        ({"by": "position", "document": "a"}, UsageError, "conflicting-options"),
        ({"by": "position", "grade": 3, **REAL}, UsageError, "conflicting-options"),
        ({"by": "position", "grade": 3, "grades": [1, 0]}, UsageError, "conflicting-options"),
        ({"by": "position", "grade": [1, 2]}, InputError, "bad-grade"),
        ({"by": "unjudged", "grade": [1, 2], **REAL}, InputError, "bad-grade"),
        ({"by": "position", "grades": 3}, InputError, "bad-grade"),
        ({"by": "position", "grades": [3], "missing": 0}, InputError, "bad-grade"),
        ({"by": "position", "grades": [3, "x"]}, InputError, "bad-grade"),
        ({"by": "position", "grades": [3], "document": "2"}, InputError, "unknown-document"),
        ({"by": "unjudged", "grades": [None]}, InputError, "empty-input"),
        ({"by": "swap", "document": "a", **REAL}, UsageError, "conflicting-options"),
        ({"by": "grade", "grade": "high"}, InputError, "bad-grade"),
        ({"by": "grade", "grade": math.nan}, InputError, "bad-grade"),
        ({"by": "position", "n": 0}, UsageError, "unknown-setting"),
        ({"by": "cutoff", "cutoffs": []}, UsageError, "unknown-setting"),
        ({"by": "cutoff", "cutoffs": [0]}, MeasureError, "bad-cutoff"),
        ({"by": "cutoff", "cutoffs": [1.5]}, MeasureError, "bad-cutoff"),
        ({"by": "cutoff", "cutoffs": [[1]]}, MeasureError, "bad-cutoff"),
        ({"by": "cutoff", "cutoffs": 5}, MeasureError, "bad-cutoff"),
        ({"by": "cutoff", "cutoffs": "15"}, MeasureError, "bad-cutoff"),
        ({"by": "cutoff", "cutoffs": [1, 5], "n": 3}, UsageError, "conflicting-options"),
        ({"by": "cutoff", "measures": "IPrec@0.5"}, MeasureError, "bad-cutoff"),
        ({"by": "position", "measures": "NumRel"}, MeasureError, "measure-syntax"),
        ({"by": "position", "measures": "nDGC"}, MeasureError, "unknown-measure"),
        ({"by": "position", "measures": 5}, MeasureError, "measure-syntax"),
        ({"by": "position", "colour": "red"}, UsageError, "unknown-setting"),
        ({"by": "swap", "grades": []}, InputError, "empty-input"),
    ],
    ids=str,
)
def test_what_cannot_be_varied_is_refused(said: dict[str, Any], error: type[RankworthError], slug: str) -> None:
    with pytest.raises(error) as caught:
        rw.vary(**({"measures": "nDCG@3"} | said))
    assert caught.value.slug == slug


def test_an_unknown_document_is_told_the_nearest_ones() -> None:
    with pytest.raises(InputError, match=r"q has no document 'aa', neither judged nor retrieved") as caught:
        rw.vary(measures="RR", **REAL, document="aa")
    assert "did you mean a?" in str(caught.value)
    assert "There are 5 documents" in str(caught.value)
    with pytest.raises(InputError, match=r"the list of grades has no document '9', neither"):
        rw.vary(measures="RR", grades=[0, 1], document=9)


# Forms


@pytest.mark.parametrize("by", BY)
def test_every_variation_is_tidy_and_shows_itself(by: Any) -> None:
    told = rw.vary(measures=["nDCG@3", "RR"], by=by)
    frame = told.to_frame()
    assert frame.columns[:4] == ["measure", by, "value", "change"]
    assert frame.height == len(told.rows) > 1
    assert told.to_frame("pyarrow").to_pydict() == frame.to_dict(as_series=False)
    values = {f"{number:.4f}" for number in frame["value"].drop_nulls()}
    for shown in (repr(told), told.to_markdown(), told.to_latex(), re.sub(r"<[^>]+>", " ", told.to_html())):
        assert values <= set(re.findall(r"\d\.\d{4}", shown))
    assert "<script" not in told._repr_html_()


def test_scenarios_show_themselves() -> None:
    told = rw.scenarios()
    for shown in (repr(told), told.to_markdown(), told.to_latex(), told._repr_html_()):
        assert "Late success" in shown
        assert "0.5364" in shown
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert told.to_frame("pandas").shape == (12, 3)


def test_tables_of_many_swaps_and_unjudged_documents_show_what_changes() -> None:
    documents = [f"d{place}" for place in range(300)]
    qrels = {"q": {"d2": 1, "d250": 1}}
    run = {"q": {document: 300.0 - place for place, document in enumerate(documents)}}
    swaps = rw.vary(measures=["nDCG@10", "P@5"], by="swap", qrels=qrels, run=run, query="q")
    [sheet] = swaps.sheets()
    assert sheet.columns[0].values == ["2-3", "3-4"]
    assert "297 other swaps of neighbours change nothing" in sheet.notes
    assert len(swaps.rows) == 2 * 299
    alone = rw.vary(measures="nDCG@10", by="unjudged", qrels=qrels, run=run, query="q")
    [sheet] = alone.sheets()
    shown = [document for document in sheet.columns[2].values if document]
    assert shown == [document for document in documents[:10] if document != "d2"]
    told = "289 other unjudged documents stand beyond rank 10, where they change the ideal at most, or change nothing"
    assert told in sheet.notes
    few = rw.vary(measures="P@1", by="swap", qrels=qrels, run={"q": dict(list(run["q"].items())[:6])}, query="q")
    assert len(few.sheets()[0].columns[0].values) == 5


@pytest.mark.parametrize("arguments", [("RR",), ("RR", "swap"), (["RR", "P@1"], "swap"), (rw.RR,)], ids=str)
def test_measures_before_judgements_work_with_a_warning(arguments: Any) -> None:
    real: Any = {"qrels": {"q": {"a": 1}}, "run": {"q": ["b", "a"]}, "query": "q"}
    names = dict(zip(("measures", "by"), arguments, strict=False))
    for data in (real, {"grades": [0, 1]}, {}):
        with pytest.warns(
            DeprecationWarning, match=r"before measures, as evaluate does: vary\(qrels, run, measures, by\)"
        ):
            before = rw.vary(*arguments, **data)
        assert before.rows == rw.vary(**names, **data).rows


def test_arguments_stand_in_the_order_of_evaluate(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 b 1 2 r\nq Q0 a 2 1 r\n")
    qrels, run = str(tmp_path / "qrels"), str(tmp_path / "run")
    for found in (
        rw.vary(qrels, run, "RR", "swap", query="q"),
        rw.vary(qrels, run=run, measures="RR", by="swap", query="q"),
    ):
        assert found.best["RR"]["value"] == 1
    assert rw.vary(qrels, run, query="q").measures == ("nDCG@10",)
    ordered = [
        list(inspect.signature(function).parameters)[:2] for function in (rw.evaluate, rw.explain, rw.vary, rw.audit)
    ]
    assert ordered == [["qrels", "run"]] * 4
