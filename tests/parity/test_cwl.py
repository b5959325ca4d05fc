"""C/W/L measures, Compat and Accuracy have the values that ir_measures and cwl-eval give, or the right ones."""

import logging
import math
import warnings
from collections.abc import Mapping
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
from scipy.special import polygamma

import rankworth as rw
from rankworth.measures.sums import geometric_tail, inverse_squares

# Some rankings are deep, others a handful; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]
Table = dict[str, float]

RELATIVE: Final = 1e-12
"""It adds and multiplies rank by rank where rankworth goes from one judged document to the next."""


class Collection(NamedTuple):
    """Judgements, and a run in descending order without ties."""

    qrels: Grades
    run: Scores


def collection(
    seed: int,
    *,
    queries: int = 12,
    deepest: int = 60,
    density: float = 0.5,
    low: float = 0.0,
    grades: Any = (0, 1, 2, 3),
) -> Collection:
    """Documents of which some are judged, some of these not retrieved; scores differ and start at `low`."""
    random = np.random.default_rng(seed)
    qrels: Grades = {}
    run: Scores = {}
    for query in map(str, range(queries)):
        depth = int(random.integers(1, deepest + 1))
        documents = [f"d{number:04}" for number in random.permutation(depth + 10)]
        judged = [document for document in documents if random.random() < density] or documents[:1]
        qrels[query] = {document: int(random.choice(grades)) for document in judged}
        run[query] = {document: low + (depth - place) / 16 for place, document in enumerate(documents[:depth])}
    return Collection(qrels, run)


COLLECTIONS: Final = {
    "short": collection(1, deepest=12),
    "middling": collection(2, grades=(0, 0, 0, 1, 2, 3)),
    "all judged": collection(3, density=1.0, grades=(1, 2, 3)),
    "negative grades": collection(4, grades=(-2, -1, 0, 1, 2, 3)),
    "beyond a thousand": collection(5, queries=4, deepest=3000, density=0.05),
    "all judged, beyond a thousand": collection(6, queries=3, deepest=3000, density=1.0),
}
every_collection = pytest.mark.parametrize("name", COLLECTIONS)


def ours(data: Collection, *measures: str) -> list[Table]:
    rows = rw.evaluate(*data, measures).per_query.to_dict()
    return [{query: row[measure] for query, row in rows.items()} for measure in measures]


def ir_measures(data: Collection, *measures: str) -> list[Table]:
    with warnings.catch_warnings():
        # cwl-eval's docstrings have escapes that Python warns of when it compiles them.
        warnings.simplefilter("ignore")
        import ir_measures as peer  # noqa: PLC0415 - slow to import

        logging.getLogger("ir_measures").setLevel(logging.ERROR)  # it remarks on the range of grades
        found: dict[Any, Table] = {peer.parse_measure(measure): {} for measure in measures}
        for metric in peer.iter_calc(list(found), *data):
            found[metric.measure][metric.query_id] = float(metric.value)
        return list(found.values())


def cwl_eval(kind: str, gains: list[float], ranks: int, **parameters: float) -> float:
    """cwl-eval itself, which takes gains instead of grades, and how deep a reader may go."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cwl.ruler import cwl_ruler as peer  # noqa: PLC0415 - as above

        ranking = peer.Ranking("1", gains, [1.0] * len(gains), max_n=ranks)
        return float(getattr(peer, f"{kind}CWLMetric")(**parameters).measure(ranking))


def agrees(theirs: Mapping[str, float], here: Mapping[str, float]) -> None:
    assert theirs == pytest.approx(here, rel=RELATIVE, abs=0)


SCALES: Final = [f"min_grade={low}, max_grade={high}" for low, high in ((0, 3), (1, 3), (0, 4))]
MEASURES: Final = [
    *(
        f"{kind}(T={wanted}, {scale})"
        for kind, wanted, scale in product(("INST", "INSQ", "NERR11"), (0.5, 1.0, 2.0, 3.7), SCALES)
    ),
    *(f"NERR10(p={p}, {scale})" for p, scale in product((0.5, 0.9, 0.99), SCALES)),
    *(f"{kind}({scale})@{k}" for kind, scale, k in product(("SDCG", "NERR8", "NERR9"), SCALES, (1, 5, 100, 2000))),
    # Gains are multiples of 1/2 or 1/4 here; for those whose sums are rounded see below.
    *(f"BPM(T={wanted}, {scale})@{k}" for wanted, scale, k in product((0.5, 1.0, 4.5), SCALES[1:], (1, 5, 20, 2000))),
    *(f"Compat(p={p}, normalize={one})" for p, one in product((0.5, 0.8, 0.95, 0.99, 0.999), (True, False))),
]


@every_collection
def test_values_equal_ir_measures(name: str) -> None:
    data = COLLECTIONS[name]
    theirs = ir_measures(data, *(measure.replace("_grade", "_rel") for measure in MEASURES))
    for peer, here in zip(theirs, ours(data, *MEASURES), strict=True):
        assert peer.keys() == data.qrels.keys()
        agrees(peer, here)


@every_collection
@pytest.mark.parametrize("rel", [1, 2])
def test_binary_gains_equal_ir_measures_of_grades_up_to_1(name: str, rel: int) -> None:
    data = COLLECTIONS[name]
    binary = {query: {one: int(grade >= rel) for one, grade in grades.items()} for query, grades in data.qrels.items()}
    names = {
        "INST(max_rel=1)": f"INST(rel={rel})",
        "INST(T=3.0,max_rel=1)": f"INST(rel={rel}, T=3)",
        "INSQ(max_rel=1)": f"INSQ(rel={rel})",
        "SDCG(max_rel=1)@10": f"SDCG(rel={rel})@10",
        "BPM(T=3.0,max_rel=1)@10": f"BPM(rel={rel}, T=3)@10",
        "NERR8(max_rel=1)@10": f"NERR8(rel={rel})@10",
        "NERR9(max_rel=1)@10": f"NERR9(rel={rel})@10",
        "NERR10(max_rel=1)": f"NERR10(rel={rel})",
        "NERR11(max_rel=1)": f"NERR11(rel={rel})",
    }
    for peer, here in zip(ir_measures(Collection(binary, data.run), *names), ours(data, *names.values()), strict=True):
        agrees(peer, here)


@pytest.mark.parametrize("ranks", [1, 2, 7, 100])
def test_other_depths_than_a_thousand_ranks_equal_cwl_eval(ranks: int) -> None:
    random = np.random.default_rng(ranks)
    for _ in range(20):
        grades = random.integers(0, 5, 12).tolist()
        gains = [grade / 4 for grade in grades]
        scale = f"max_grade=4, ranks={ranks}"
        for kind, parameters, here in (
            ("INST", {"T": 1}, f"INST({scale})"),
            ("INST", {"T": 2.5}, f"INST(T=2.5, {scale})"),
            ("INSQ", {"T": 2}, f"INSQ(T=2, {scale})"),
            ("BPM", {"T": 1.5, "K": 5}, f"BPM(T=1.5, {scale})@5"),
            ("BPM", {"T": 2, "K": ranks}, f"BPM(T=2, {scale})"),
            ("NDCG", {"k": ranks}, f"SDCG({scale})"),
            ("NERReq8", {"k": ranks}, f"NERR8({scale})"),
            ("NERReq9", {"k": ranks}, f"NERR9({scale})"),
            ("NERReq10", {"phi": 0.7}, f"NERR10(p=0.7, {scale})"),
            ("NERReq11", {"T": 0.3}, f"NERR11(T=0.3, {scale})"),
        ):
            value = rw.score(grades, here)
            assert value == pytest.approx(cwl_eval(kind, gains, ranks, **parameters), rel=RELATIVE, abs=0), here


def test_a_gain_is_reached_when_it_is_reached() -> None:
    """cwl-eval adds up 2/3 + 1 + 1/3 and has a little less than 2; grades are added up here."""
    data = Collection({"q": {"a": 2, "b": 3, "c": 1}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}})
    assert ir_measures(data, "BPM(T=2.0,max_rel=3)@10") == [{"q": pytest.approx((2 / 3 + 1 + 1 / 3) / 10)}]
    assert ours(data, "BPM(T=2, max_grade=3)@10") == [{"q": (2 + 3 + 1) / 3 / 3}]


def test_documents_that_were_not_retrieved_come_last_in_the_ideal_ranking_whatever_the_scores() -> None:
    """ir_measures gives them the score 0, so that they stand before retrieved documents with scores below."""
    below, above = (collection(7, low=low, density=0.8) for low in (-10.0, 10.0))
    [theirs], [wrong] = ir_measures(above, "Compat"), ir_measures(below, "Compat")
    for data in (above, below):
        agrees(theirs, *ours(data, "Compat"))
    assert sum(abs(wrong[query] - theirs[query]) > 0.001 for query in wrong) > 5


@every_collection
@pytest.mark.parametrize(
    "measure", ["Accuracy", "Accuracy(rel=2)", "Accuracy@3", "Accuracy(rel=2)@20", "Accuracy(rel=3)@1"]
)
def test_accuracy_equals_ir_measures_where_there_is_something_to_compare(name: str, measure: str) -> None:
    """It divides by the documents that are not relevant, and says nothing where none is relevant."""
    data = COLLECTIONS[name]
    rel = rw.parse(measure).parameters["rel"]
    depth = rw.parse(measure).cutoff
    [here] = ours(data, measure)
    for query, documents in data.run.items():
        alone = Collection({query: data.qrels[query]}, {query: documents})
        found = [data.qrels[query].get(document, 0) >= rel for document in list(documents)[:depth]]
        if all(found):
            with pytest.raises(ZeroDivisionError):
                ir_measures(alone, measure)
            assert here[query] == 1
        elif not any(found):
            assert ir_measures(alone, measure) == [{}]
            assert here[query] == 0
        else:
            pairs = [
                upper > lower for place, upper in enumerate(found) for lower in found[place + 1 :] if upper != lower
            ]
            assert here[query] == sum(pairs) / len(pairs)
            assert ir_measures(alone, measure)[0][query] == pytest.approx(here[query], rel=0, abs=RELATIVE)


def test_rounding_puts_no_value_above_1() -> None:
    for ranks in range(1, 40):
        for wanted in (0.5, 0.6, 1, 2, 4.5, 20):
            value = rw.score([1] * ranks, f"INST(T={wanted}, ranks={ranks})")
            assert 1 - 1e-13 < value <= 1


def test_sums_without_end_equal_scipy() -> None:
    start = np.concatenate([np.linspace(1, 60, 500), np.geomspace(60, 1e6, 200)])
    assert inverse_squares(start) == pytest.approx(polygamma(1, start), rel=1e-15, abs=0)
    for p in (0.3, 0.95, 0.999):
        tail = geometric_tail(p)
        # The sum from rank 1 on is -log(1 - p) / p.
        assert tail(1) == pytest.approx(-math.log1p(-p) / p, rel=1e-14)
        assert tail(20) - tail(21) == pytest.approx(p**19 / 20, rel=1e-12)
        assert tail(10**7) == 0
