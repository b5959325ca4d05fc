"""Laws of explanations, for every measure by its being in the catalogue: a trace is its value, bit for bit."""

import math
import warnings
from binascii import crc32
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl
import pytest

import rankworth as rw
from generators import SUBTOPICS, Grades, Scores, about, as_options, by_subtopic, variants
from rankworth.errors import RankworthError
from rankworth.explanation import Difference, Explanation, Share, explain_queries
from rankworth.measures import CATALOGUE, Measure, Terms, building_blocks
from rankworth.profiles import PROFILES, Profile
from rankworth.settings import STANDARD_AVERAGING as PLAIN

RANKINGS: Final = 400
"""how many rankings are explained by each measure"""
BATCH: Final = 20
"""how many of them in one call, each by a profile, a variant and settings of its own"""
GRADES: Final = ((0.0, 1.0), (0.0, 1.0, 2.0, 3.0), (-1.0, 0.0, 1.0, 2.0), (-1.0, 0.0, 0.25, 0.5, 1.0, 2.0, 3.0), (0.0,))
"""what assessors give, one kind for each batch; some tools take only the first ones"""
SETTINGS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"ties": "expected"},
    {"ties": "last"},
    {"ties": "given"},
    {"ties": "id-ascending", "depth": 4},
    {"unjudged": "removed"},
    {"unjudged": "removed", "depth": 5},
    {"depth": 3},
    {"order": "given"},
    {"order": "rank"},
    {"duplicates": "all"},
    {"duplicates": "joined"},
    {"duplicates": "once"},
    {"duplicates": "best"},
    {"exclude": "self"},
    {"exclude": "self", "exclude_from": "run"},
    {"score_type": "float32"},
    {"negative": "zero"},
    {"negative": "dropped"},
    {"grades": "truncated"},
    {"judgements": "relevant"},
    {"pool": "retrieved"},
    {"unretrieved": "last"},
    {"scored": "positive"},
    {"highest": 2.0, "above": "clipped"},
    {"blocks": "separate"},
    {"undefined": "nan"},
    {"undefined": "skip"},
    {"undefined": 0.5, "no_relevant": "keep"},
    {"round_values": 3},
    {"no_hit": "skip"},
)
"""what may be said beside the profile"""
LENIENT: Final[dict[str, Any]] = {"missing": "skip", "extra": "ignore", "undefined": "nan", "fewest": 0}
OWN_RANKS: Final = {
    "IPrec": "the precision at a recall is that of the rank at which it is best",
    "AvgIPrec": "as IPrec, from the greatest recall on",
    "ideal_dcg": "the ranks are those of the ideal ranking",
    "Rndcg": "the ranks are those at which the ideal ranking goes on to a lower gain, and the last one",
}
"""measures whose terms are not those of the documents one by one, and why"""
every_measure = pytest.mark.parametrize("measure", CATALOGUE.values(), ids=str)


class Batch(NamedTuple):
    """Judgements and a run, as both doors take them."""

    qrels: Any
    run: Any
    queries: list[str]
    grades: Grades
    """the judgements as dicts, without subtopics"""


def grades_and_scores(generator: np.random.Generator, size: int, *, tied: bool = True) -> tuple[Grades, Scores]:
    """Random judgements and rankings: short and long, tied and not, with holes, and with nothing judged in them."""
    kind = GRADES[min(int(generator.integers(0, len(GRADES) * 3)) // 3, len(GRADES) - 1)]
    qrels: Grades = {}
    run: Scores = {}
    for number in range(1, size + 1):
        query = str(number)
        every = [f"d{place}" for place in range(1, 16)] + ["é", "字", query]
        order = generator.permutation(every).tolist()
        judged = order[: generator.integers(1, 9)]
        shape = generator.random()
        others = order[len(judged) :] if shape < 0.1 else generator.permutation(every).tolist()
        retrieved = others[: generator.integers(1, 13)]
        retrieved += others[-1:] if retrieved == [query] else []  # something is left without the document of that id
        scores = generator.choice((-1.5, 0.0, 0.1, 0.1 + 1e-9, 3.0), len(retrieved)) if tied else -np.arange(13.0)
        qrels[query] = {document: float(generator.choice(kind)) for document in judged}
        run[query] = dict(zip(retrieved, scores.tolist(), strict=False))
    return qrels, run


def rows_of(grades: Grades) -> pl.DataFrame:
    """Judgements as a frame, for each subtopic."""
    names = ["query", "subtopic", "document", "grade"]
    return pl.DataFrame(by_subtopic(grades), schema=names, orient="row")


def batch(generator: np.random.Generator, measure: Measure, settings: dict[str, Any], size: int = BATCH) -> Batch:
    """A collection through one of the two doors; documents stand in it twice where that is to matter."""
    qrels, run = grades_and_scores(generator, size)
    judgements = rows_of(qrels) if measure.definition.subtopics else qrels
    frame = frame_of(run)
    if "duplicates" in settings:
        frame = frame[[*range(len(frame)), *generator.integers(0, len(frame), len(frame) // 4).tolist()]]
    if "duplicates" in settings or settings.get("order") == "rank" or generator.random() < 0.5:
        rank = pl.int_range(1, pl.len() + 1).over("query").alias("rank")
        scattered = generator.random() < 0.5 or settings.get("blocks") == "separate"
        run_of: Any = frame.with_columns(rank).sample(fraction=1, shuffle=scattered, seed=int(generator.integers(100)))
    else:
        run_of = run
    return Batch(judgements, run_of, list(qrels), qrels)


def quietly(function: Any, *arguments: Any, **settings: Any) -> Any:
    """What comes out, whatever is warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return function(*arguments, **settings)


def anything(function: Any, *arguments: Any, **settings: Any) -> Any:
    """What comes out, or the error."""
    try:
        return quietly(function, *arguments, **settings)
    except RankworthError as error:
        return error


def frame_of(scores: Scores) -> pl.DataFrame:
    """A run as a frame."""
    rows = [(query, one, score) for query, part in scores.items() for one, score in part.items()]
    return pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")


def neutral(profile: Profile) -> Profile:
    """The profile without what settings make of the value that comes out; it is NaN where it is not defined."""
    averaging = {"extra": profile.averaging.extra}
    rules = tuple(
        replace(rule, averaging={name: value for name, value in rule.averaging.items() if name in averaging})
        for rule in profile.rules
    )
    return replace(profile, averaging=replace(PLAIN, undefined="nan", **averaging), rules=rules)


def same(one: float | None, other: float | None) -> bool:
    """Equal bit for bit; NaN equals NaN, and None None."""
    if one is None or other is None:
        return one is other
    return np.float64(one).tobytes() == np.float64(other).tobytes() or (math.isnan(one) and math.isnan(other))


def value_of(told: Explanation) -> float:
    """What the steps come to: the last running total, and the rest, over the norm, through the last step."""
    total = told.terms[-1].running if told.terms else 0.0
    assert total == told.total
    ratio = (total + told.rest) / told.norm if told.norm else math.nan
    if told.link is None:
        return ratio
    assert same(ratio, told.link[0])
    return told.link[1]


def by_query(values: rw.Values) -> dict[str, float]:
    """The values of the one measure; of queries that have one."""
    [label] = values.per_query.measures
    return {query: row[label] for query, row in values.per_query.to_dict().items() if label in row}


def explained(
    measure: Measure, generator: np.random.Generator
) -> Iterator[tuple[Explanation, Batch, float | None, float | None]]:
    """Random rankings, explained by random profiles and settings, until there are as many as there have to be.

    Each comes with the collection, with what the measure alone is worth (NaN where not defined; None where a setting
    leaves the query without judgements), and with the value that evaluation gives it.
    """
    found = 0
    for variant, profile, said in settings_of(measure, generator, RANKINGS):
        if found >= RANKINGS:
            break
        some = batch(generator, measure, said)
        told = anything(explain_queries, some.qrels, some.run, [variant], queries=some.queries, profile=profile)
        values = anything(rw.evaluate, some.qrels, some.run, [variant], profile=profile)
        if isinstance(values, RankworthError) or isinstance(told, RankworthError):
            assert str(told) == str(values), (variant, profile.name, said)
            continue
        raw = by_query(quietly(rw.evaluate, some.qrels, some.run, [variant], profile=neutral(profile)))
        final = by_query(values)
        found += len(told)
        for one in told:
            yield one, some, raw.get(one.query), final.get(one.query)
    assert found >= RANKINGS, "all others are refused"


def settings_of(
    measure: Measure, generator: np.random.Generator, count: int
) -> Iterator[tuple[Measure, Profile, dict[str, Any]]]:
    """The measure or a variant of it, by a random profile, which is mostly lenient, and what is said beside that."""
    every, profiles = variants(measure), list(PROFILES.values())
    for number in range(count):
        variant = every[int(generator.integers(len(every)))] if number % 3 else measure
        said = SETTINGS[int(generator.integers(len(SETTINGS)))] if number % 2 else {}
        lenient = LENIENT if generator.random() < 0.8 else {}
        yield variant, profiles[int(generator.integers(len(profiles)))].derive(**lenient).derive(**said), said


@every_measure
def test_a_trace_is_its_value(measure: Measure) -> None:
    for told, _, raw, value in explained(measure, np.random.default_rng(crc32(str(measure).encode()))):
        where = (told.signature, told.query)
        assert same(value_of(told), raw) if raw is not None else value is None, where
        assert same(told.value, value), where
        running = -0.0
        ranks = [term.rank for term in told.terms]
        assert ranks == sorted(ranks) or measure.name in OWN_RANKS, where
        for term in told.terms:
            running += term.contribution
            assert same(term.running, running), where
            assert math.isclose(term.contribution, term.gain * term.weight, rel_tol=1e-12, abs_tol=1e-12), where
        if told.ideal:
            assert same(told.ideal[-1].running, told.norm), where


# Doors and company


def plainly(told: Explanation) -> dict[str, Any]:
    """All that an explanation says, without the name of its file."""
    return told.to_dict() | {"run": ""}


def test_explanations_are_the_same_through_every_door_and_in_any_company(tmp_path: Path) -> None:
    grades, scores = grades_and_scores(np.random.default_rng(1), 12)
    frame = frame_of(scores)
    path, judged = tmp_path / "some.run", tmp_path / "some.qrels"
    path.write_text(
        "".join(f"{query} Q0 {one} 1 {score!r} tag\n" for query, one, score in frame.rows()), encoding="utf-8"
    )
    judgements = [(query, one, grade) for query, part in grades.items() for one, grade in part.items()]
    judged.write_text("".join(f"{query} 0 {one} {grade}\n" for query, one, grade in judgements), encoding="utf-8")
    qrels = rw.Qrels(judged).to_frame()
    measures = [measure for measure in CATALOGUE.values() if not measure.definition.subtopics]
    expected = {(one.query, one.measure): one for one in quietly(explain_queries, grades, scores, measures)}
    plain = {key: plainly(one) for key, one in expected.items()}
    assert len(expected) == len(measures) * len(grades)
    apart = {"7": grades["7"]}
    doors: list[tuple[Any, Any, list[str]]] = [
        (grades, frame, list(grades)),
        (qrels, frame.sample(fraction=1, shuffle=True, seed=1), list(grades)),
        (judged, path, list(grades)),
        (judged, scores, ["7"]),
        (grades, frame, ["7"]),
        (qrels, frame.sample(fraction=1, shuffle=True, seed=2), ["3", "7"]),
        (apart, {"7": scores["7"]}, ["7"]),
    ]
    for number, (one, other, queries) in enumerate(doors):
        some = [measure for measure in measures if not measure.definition.elsewhere or one is not apart]
        told = quietly(explain_queries, one, other, some, queries=queries)
        assert len(told) == len(queries) * len(some)
        for each in told:
            assert each.terms == expected[each.query, each.measure].terms, (number, each.measure)
            assert plainly(each) == plain[each.query, each.measure], (number, each.measure)


@pytest.mark.parametrize("measure", [one for one in CATALOGUE.values() if one.definition.subtopics], ids=str)
def test_explanations_by_subtopic_are_the_same_in_any_company(measure: Measure) -> None:
    grades, scores = grades_and_scores(np.random.default_rng(2), 10)
    qrels = rows_of(grades)
    for told in quietly(explain_queries, qrels, scores, [measure]):
        query = told.query
        rows = qrels.filter(query=query).sample(fraction=1, shuffle=True, seed=3)
        [alone] = quietly(explain_queries, rows, frame_of({query: scores[query]}), [measure])
        assert plainly(alone) == plainly(told)
        for term in told.terms:
            assert term.grade == by_hand(grades[query], query, term.document or "")


def by_hand(grades: dict[str, float], query: str, document: str) -> Any:
    """The grades of a document for each subtopic that somebody judged, None for those for which nobody did."""
    if document not in grades:
        return None
    numbers = sorted({number for one in grades for number in about(query, one)})
    rows = {SUBTOPICS.index(row[1]): row[3] for row in by_subtopic({query: {document: grades[document]}})}
    return tuple(rows.get(number) for number in numbers)


# Documents, in the order of the convention


def in_order(scores: dict[str, float], said: dict[str, Any]) -> list[str]:
    """The documents as the settings rank them, by sorting."""
    rows = list(enumerate(scores))
    if said.get("order") == "given":
        return [one for _, one in rows]
    ties = said.get("ties", "id-descending")
    if ties.startswith("id"):
        rows.sort(key=lambda row: row[1].encode(), reverse=ties == "id-descending")
    elif ties == "given-reversed":
        rows.reverse()
    comparable = np.float32 if said.get("score_type") == "float32" else np.float64
    rows.sort(key=lambda row: -comparable(scores[row[1]]))
    return [one for _, one in rows]


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"ties": "id-ascending"},
        {"ties": "given"},
        {"ties": "given-reversed"},
        {"order": "given"},
        {"score_type": "float32"},
        {"score_type": "float32", "ties": "id-ascending"},
        {"depth": 4},
        {"exclude": "self"},
        {"unjudged": "removed"},
        {"unjudged": "removed", "depth": 6, "ties": "given"},
    ],
    ids=str,
)
@pytest.mark.parametrize("as_frame", [False, True])
def test_terms_are_the_documents_in_the_order_of_the_convention(said: dict[str, Any], *, as_frame: bool) -> None:
    grades, scores = grades_and_scores(np.random.default_rng(4), 60)
    run = frame_of(scores) if as_frame else scores
    measures = ["P", "P@3", "nDCG@5", "DCG(judged_only=True)@2", "RR", "Judged@4"]
    told = quietly(explain_queries, grades, run, measures, **said)
    assert len(told) == len(measures) * len(grades)
    for one in told:
        judged = grades[one.query]
        documents = in_order(scores[one.query], said)
        if said.get("exclude") == "self":
            documents = [document for document in documents if document != one.query]
            judged = {document: grade for document, grade in judged.items() if document != one.query}
        documents = documents[: said.get("depth")]
        if "unjudged" in said or one.context.measure.judged_only:
            documents = [document for document in documents if judged.get(document, -1.0) >= 0]
        expected = documents[: one.context.measure.cutoff]
        assert [term.document for term in one.terms] == expected, (one.measure, one.query)
        assert [term.rank for term in one.terms] == list(range(1, len(expected) + 1))
        assert [term.grade for term in one.terms] == [judged.get(document) for document in expected]
        assert [term.score for term in one.terms] == [scores[one.query][document] for document in expected]


def test_the_span_of_a_tie_is_told() -> None:
    scores = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0}
    for said in ({}, {"ties": "expected"}, {"ties": "given"}):
        [told] = explain_queries({"q": {"b": 1}}, {"q": scores}, ["P@4"], **as_options(said))
        assert [(term.first, term.last) for term in told.terms] == [(1, 1), (2, 4), (2, 4), (2, 4)]
        assert [term.tied for term in told.terms] == [False, True, True, True]


def test_who_defines_a_measure_has_its_steps() -> None:
    @rw.measure("Patience")
    def patience(judged: Any, *, rel: float = 1, p: float = 0.5) -> Terms:
        """What a reader finds who loses patience.

        Patience = sum over ranks i of relevant documents of p^i
        """
        return Terms(gain=building_blocks.relevant(judged, rel), weight=p**judged.rank)

    try:
        grades, scores = grades_and_scores(np.random.default_rng(5), 100)
        values = quietly(rw.evaluate, grades, scores, [patience @ 5]).per_query.to_dict()
        told = quietly(explain_queries, grades, scores, [patience @ 5])
        assert len(told) == 100
        for one in told:
            assert same(value_of(one), values[one.query]["Patience@5"])
            assert [term.weight for term in one.terms] == [0.5**term.rank for term in one.terms]
            assert one.formula == "Patience = sum over ranks i of relevant documents of p^i"
    finally:
        del CATALOGUE["Patience"]


# Documents that do not count


class Inserted(NamedTuple):
    """What comes of moving a document to the best of all places."""

    document: str
    grade: float
    rank: int | None
    place: int | None
    value: float | None
    change: float | None


def ordered(documents: list[str]) -> dict[str, float]:
    """A ranking without ties."""
    return {document: float(len(documents) - place) for place, document in enumerate(documents)}


def values_of(measure: Measure, qrels: Any, query: str, rankings: list[list[str]], said: dict[str, Any]) -> list[Any]:
    """What evaluation gives rankings of one query, one by one."""
    found = []
    for ranking in rankings:
        row = by_query(quietly(rw.evaluate, qrels, {query: ordered(ranking)}, [measure], **said))
        found.append(row.get(query))
    return found


def inserted(
    told: Explanation, qrels: Any, grades: dict[str, float], said: dict[str, Any], *, counts: bool
) -> list[Inserted]:
    """Every judged document with a grade above 0 that counts, or does not, at every place that does, by evaluation."""
    measure, query = told.context.measure, told.query
    ranking = [one for one in said["ranking"] if not ("exclude" in said and one == query)]
    settings = {name: value for name, value in said.items() if name != "ranking"}
    condensed = measure.judged_only or "unjudged" in said
    kept = ranking[: said.get("depth")]
    kept = [one for one in kept if grades.get(one, -1.0) >= 0] if condensed else kept
    counted = kept[: measure.cutoff]
    deepest = min(said.get("depth", 99), (None if condensed else measure.cutoff) or 99)
    found = []
    for document, grade in grades.items():
        if grade <= 0 or (document in counted) != counts or ("exclude" in said and document == query):
            continue
        others = [one for one in ranking if one != document]
        every = [[*others[:place], document, *others[place:]] for place in range(len(others) + 1)][:deepest]
        now, *values = values_of(measure, qrels, query, [ranking, *every], settings)
        counting = [one for one in grades if grades[one] >= 0] if condensed else [*ranking, document]
        rank = standing(document, ranking, counting) if document in ranking else None
        real = [(value, place) for place, value in enumerate(values, 1) if value is not None and not math.isnan(value)]
        value, at = max(real, default=(math.nan, 0))
        place = standing(document, every[at - 1], counting)
        known = now is not None and not math.isnan(now)
        if not real or (known and not value > now):
            found.append(Inserted(document, grade, rank, None, None, None))
        else:
            found.append(Inserted(document, grade, rank, place, value, value - now if known else None))
    return found


def standing(document: str, ranking: list[str], counting: list[str]) -> int:
    """The rank of a document among those that have one."""
    return 1 + sum(1 for one in ranking[: ranking.index(document)] if one in counting)


@every_measure
def test_a_document_at_another_place_would_add_what_evaluation_says(measure: Measure) -> None:
    generator = np.random.default_rng(crc32(measure.name.encode()))
    several = (
        {},
        {},
        {"depth": 3},
        {"unjudged": "removed"},
        {"undefined": "nan", "pool": "retrieved"},
        {"exclude": "self"},
    )
    for number, variant in enumerate([*variants(measure)[:3], *generator.choice(variants(measure), 3)]):
        said: dict[str, Any] = several[number]
        grades, scores = grades_and_scores(generator, 2, tied=False)
        qrels = rows_of(grades) if measure.definition.subtopics else grades
        for query in grades:
            told = anything(explain_queries, qrels, scores, [variant], queries=[query], **said)
            if isinstance(told, RankworthError):
                continue
            highest, asked = best(grades[query], query, measure), said | {"ranking": list(scores[query])}
            expected = inserted(told[0], qrels, highest, asked, counts=False)
            assert sorted(map(tuple, told[0].missing)) == sorted(map(tuple, expected)), (variant, said, query)
            changes = [(one.place is None, -(one.change or 0.0)) for one in told[0].missing]
            assert changes == sorted(changes)
            counting = inserted(told[0], qrels, highest, asked, counts=True)
            lost = [one for one in counting if one.place is not None and (one.change is None or one.change > 1e-12)]
            loss = told[0].largest_loss
            assert (loss is None) == (not lost)
            if loss is not None:
                assert tuple(loss) in map(tuple, lost)
                assert (loss.change or loss.value) == max(one.change or one.value for one in lost)


def best(grades: dict[str, float], query: str, measure: Measure) -> dict[str, float]:
    """The grade of each document; by subtopic the best of them."""
    if not measure.definition.subtopics:
        return grades
    rows = by_subtopic({query: grades})
    return {one: max(row[3] for row in rows if row[2] == one) for one in grades}


# Two runs


def shaken(scores: Scores, generator: np.random.Generator) -> Scores:
    """Other rankings of mostly the same documents."""
    return {
        query: {
            one: score + float(generator.choice((-2.0, 0.0, 0.0, 1.0)))
            for one, score in [*part.items(), ("d1", 0.5), ("d16", 0.5)]
            if generator.random() < 0.8 or len(part) < 3
        }
        for query, part in scores.items()
    }


@every_measure
def test_a_difference_is_the_sum_of_its_shares(measure: Measure) -> None:
    generator = np.random.default_rng(crc32(measure.name.encode()) + 1)
    compared = 0
    for variant, profile, _ in settings_of(measure, generator, 12):
        grades, scores = grades_and_scores(generator, 10)
        qrels = rows_of(grades) if measure.definition.subtopics else grades
        runs = (scores, shaken(scores, generator))
        options: dict[str, Any] = {"queries": list(grades), "profile": profile}
        found = anything(explain_queries, qrels, runs[0], [variant], against=runs[1], **options)
        alone = [anything(explain_queries, qrels, run, [variant], **options) for run in runs]
        if isinstance(found, RankworthError):
            assert str(found) in map(str, alone)
            continue
        for told, first, second in zip(found, *alone, strict=True):
            where = (told.first.signature, told.query)
            assert (told.first.terms, told.second.terms) == (first.terms, second.terms), where
            if first.value is None or second.value is None:
                assert math.isnan(told.difference), where
                continue
            assert same(told.difference, second.value - first.value), where
            adds_up(told)
            compared += 1
    assert compared > 0


def adds_up(told: Difference) -> None:
    """Check the shares of a difference against the terms on both sides."""
    where = (told.first.signature, told.query)
    *shares, last = told.shares or [NOTHING]
    if last.document != ROUNDING or last.first_rank or last.second_rank:
        shares.append(last)
        assert math.isnan(told.difference) or math.fsum(one.difference for one in shares) == told.difference, where
    else:
        assert 0 < abs(last.difference) < 1e-14 * max(1.0, *(abs(one.first) + abs(one.second) for one in shares)), where
    if not math.isnan(told.difference):
        total = math.fsum(one.difference for one in told.shares)
        assert total == told.difference or abs(total - told.difference) <= 1e-14, where  # equal where both are infinite
    sides = [{term.document or f"(rank {term.rank})": [] for term in one.terms} for one in (told.first, told.second)]
    for documents, one in zip(sides, (told.first, told.second), strict=True):
        for term in one.terms:
            documents[term.document or f"(rank {term.rank})"].append(term)
    documents = [one for one in shares if one.first_rank or one.second_rank]
    assert {one.document for one in documents} == {*sides[0], *sides[1]}, where
    for one in documents:
        before, after = (side.get(one.document, []) for side in sides)
        ranks = [terms[0].rank if terms else None for terms in (before, after)]
        assert [one.first_rank, one.second_rank] == ranks, where
        assert one.moved == (ranks[0] - ranks[1] if None not in ranks else None), where
        for share, terms, whole in ((one.first, before, told.first), (one.second, after, told.second)):
            part = math.fsum(term.contribution for term in terms) / whole.norm if whole.norm else 0.0
            assert share == pytest.approx(part, rel=1e-12, abs=1e-300), where
        assert one.difference == one.second - one.first
    sizes = [abs(one.difference) for one in documents]
    assert sizes == sorted(sizes, reverse=True)


ROUNDING: Final = "(rounding)"
NOTHING: Final = Share("", None, None, None, None, 0.0, 0.0, 0.0)
