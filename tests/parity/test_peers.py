"""Random collections have the same values here, through every door, as at the peers that are installed beside us."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import polars as pl
import pytest

import rankworth as rw
from judge import judge

# Some runs are shallow and miss queries on purpose; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

Ids = list[str]
Judgements = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]
Table = dict[tuple[str, str], float]
"""values by measure, as the peer calls it, and query"""

QUERY_IDS: Final = [
    "9",
    "10",
    "007",
    "7",
    "q-1",
    "q_1",
    "Q1",
    "كيف",
    "検索",
    "été",
    "🙂",
    "a.b",
    "1e3",
    "+1",
    *map(str, range(100, 130)),
]
DOCUMENT_IDS: Final = [
    *(
        "001",
        "01",
        "1",
        "1.0",
        "d9",
        "d10",
        "D9",
        "é1",
        "e1",
        "وثيقة",
        "文書",
        "\ue000",
        "\U0001f600",
        "#1",
        "a#b",
        "-",
        '"quoted"',
        "a,b",
    ),
    *(f"d{number:03}" for number in range(60)),
]
"""Ids that look like numbers, differ by zeros or case, hold signs that parsers stumble over, or lie beyond the basic
plane, where UTF-8 and UTF-16 order differently."""


class Collection(NamedTuple):
    """Judgements, and a run over them."""

    qrels: Judgements
    run: Scores


def collection(
    seed: int,
    *,
    ties: bool,
    queries: Ids = QUERY_IDS,
    grades: tuple[int, int] = (-2, 3),
    deepest: int = 60,
    whole: bool = False,
) -> Collection:
    """Judgements and a run over few documents, so that most are judged, and some of each kind are not.

    Args:
        seed: of the generator.
        ties: scores are whole numbers from 0 to 5, or else all different; both are exact in float32.
        queries: ids to draw from; with `whole` every query is judged and answered, or else a fifth lacks one side.
        grades: the lowest and the highest; for an eighth of the queries nothing is relevant; negative grades are rare.
        deepest: how many documents a query lists at most; at least 1.
        whole: see `queries`.

    """
    random = np.random.default_rng(seed)
    qrels: Judgements = {}
    run: Scores = {}
    for query in queries:
        answered, judged = (True, True) if whole else random.random(2) > 0.2
        n_judged, depth = random.integers(1, 60), random.integers(1, deepest + 1)
        pool = random.permutation(DOCUMENT_IDS)[: max(n_judged, depth) + 5]
        if judged:
            best = random.choice([0, 1, *[grades[1]] * 6])
            given = random.integers(0, best + 1, n_judged)
            if grades[0] < 0:
                # The first stays: pytrec_eval crashes where all of a query's grades are negative.
                negative = np.flatnonzero(random.random(n_judged) < 0.1)[1:]
                given[negative] = random.integers(grades[0], 0, negative.size)
            qrels[query] = dict(zip(random.permutation(pool)[:n_judged].tolist(), given.tolist(), strict=True))
        if answered:
            distinct = (random.permutation(4 * depth)[:depth] - depth) / 64
            scores = random.integers(0, 6, depth).astype(float) if ties else distinct
            run[query] = dict(zip(random.permutation(pool)[:depth].tolist(), scores.tolist(), strict=True))
    return Collection(qrels, run)


Door = Literal["dict", "polars", "pandas", "pyarrow", "file"]
DOORS: Final[tuple[Door, ...]] = ("dict", "polars", "pandas", "pyarrow", "file")


def through(door: Door, data: Collection, folder: Path, seed: int) -> tuple[object, object]:
    """Judgements and run as a door takes them; rows are shuffled, so that queries lie scattered over them."""
    if door == "dict":
        return data
    random = np.random.default_rng(seed)
    tables = []
    for side, number in zip(data, ("grade", "score"), strict=True):
        rows = [(query, document, value) for query, documents in side.items() for document, value in documents.items()]
        shuffled = [rows[place] for place in random.permutation(len(rows))]
        tables.append(pl.DataFrame(shuffled, schema=["query", "document", number], orient="row"))
    if door == "file":
        qrels, run = folder / "random.qrels", folder / "random.run"
        qrels.write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in tables[0].rows()))
        run.write_text("".join(f"{q} Q0 {d} 0 {score!r} tag\n" for q, d, score in tables[1].rows()))
        return qrels, run
    if door == "polars":
        return tables[0], tables[1]
    return tuple(table.to_pandas() if door == "pandas" else table.to_arrow() for table in tables)  # type: ignore[return-value]


def ours(qrels: object, run: object, names: dict[str, str]) -> Table:
    """Values by the peer's name of the measure and the query, also of unanswered queries, and the means under `all`."""
    values = rw.evaluate(qrels, run, names.values())
    rows = [*values.per_query.to_dict().items(), ("all", values.mean())]
    return {(theirs, query): row[name] for query, row in rows for theirs, name in names.items()}


def added_up(values: Iterable[float]) -> float:
    """The sum from left to right; Python's own compensates for roundings since 3.12."""
    return reduce(add, values)


def both(data: Collection) -> set[str]:
    """The queries that are judged and answered."""
    return data.qrels.keys() & data.run.keys()


def differing(
    peer: Table, here: Table, agree: Callable[[str, float, float], bool]
) -> dict[tuple[str, str], tuple[float, float]]:
    """What the peer has and what is here where the two do not agree."""
    return {key: (value, here[key]) for key, value in peer.items() if not agree(key[0], value, here[key])}


def exactly(_: str, theirs: float, here: float) -> bool:
    return theirs == here


def within(ulps: int) -> Callable[[str, float, float], bool]:
    """Agreement up to some roundings of float64."""
    return lambda _, theirs, here: abs(theirs - here) <= ulps * 2.0**-53 * abs(theirs)


# --- pytrec_eval-terrier: trec_eval 9, so scores are float32, in which all scores here are exact ----------------------

CUTOFFS: Final = (1, 3, 5, 10, 15, 20, 50, 100, 1000)
PYTREC: Final = {
    "map": "AP",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "set_P": "P",
    "set_recall": "R",
    **{f"ndcg_cut_{k}": f"nDCG@{k}" for k in CUTOFFS},
    **{f"P_{k}": f"P@{k}" for k in CUTOFFS},
    **{f"recall_{k}": f"R@{k}" for k in CUTOFFS},
    **{f"success_{k}": f"Success@{k}" for k in CUTOFFS},
    **{f"map_cut_{k}": f"AP@{k}" for k in CUTOFFS},
}
SEVEN: Final = within(7)
"""F is four quotients there and one here."""


def pytrec_eval(data: Collection, names: Iterable[str], rel: int = 1) -> Table:
    import pytrec_eval as peer  # noqa: PLC0415 - peers are imported where they are needed

    values = peer.RelevanceEvaluator(data.qrels, set(names), relevance_level=rel).evaluate(data.run)
    return {(name, query): value for query, row in values.items() for name, value in row.items()}


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("door", DOORS)
def test_values_have_the_bits_of_pytrec_eval(door: Door, ties: bool, rel: int, tmp_path: Path) -> None:
    """With and without ties; ndcg takes no account of the relevance level."""
    names = PYTREC
    if rel != 1:
        names = {theirs: str(m(rel=rel) if "rel" in m.parameters else m) for theirs, m in parsed(PYTREC)}
    compared = 0
    for seed in range(6):
        data = collection(seed, ties=ties)
        peer = pytrec_eval(data, names, rel)
        here = ours(*through(door, data, tmp_path, seed), names)
        assert {query for _, query in peer} == both(data)
        assert {query for _, query in here} == {*data.qrels, "all"}
        assert differing(peer, here, exactly) == {}
        assert not any(here[name, query] for name, query in here if query not in {*data.run, "all"})
        # trec_eval adds up in the order of the ids' bytes, and divides by the number of judged queries with -c.
        order = sorted(data.qrels, key=str.encode)
        means = {(name, "all"): added_up(peer.get((name, q), 0.0) for q in order) / len(order) for name in PYTREC}
        assert differing(means, here, exactly) == {}
        assert len(peer) == len(PYTREC) * len(both(data))
        compared += len(peer)
        # A comparison of zeros and ones would prove little.
        assert len(set(peer.values())) > 200
    assert compared > 8000


def test_f_is_that_of_pytrec_eval() -> None:
    for seed in range(6):
        data = collection(seed, ties=True)
        peer = pytrec_eval(data, {"set_F"})
        assert differing(peer, ours(*data, {"set_F": "F"}), SEVEN) == {}
        assert len(set(peer.values())) > 10


def test_query_with_an_empty_list_is_zero_as_in_pytrec_eval() -> None:
    data = collection(7, ties=False)
    for query in ("", "007", "zzz"):  # before all others, among them, and after
        data.qrels[query] = {"d1": 1}
        data.run[query] = {}
    peer = pytrec_eval(data, PYTREC)
    assert {"", "007", "zzz"} <= {query for _, query in peer}
    assert differing(peer, ours(*data, PYTREC), exactly) == {}


@pytest.mark.parametrize("ties", [False, True])
def test_deep_lists_have_the_bits_of_pytrec_eval(ties: bool) -> None:
    random = np.random.default_rng(8)
    documents = [f"d{number}" for number in range(6000)]
    run = {}
    qrels = {}
    for query in map(str, range(3)):
        scores = random.integers(0, 300, 5000) if ties else random.permutation(5000)
        run[query] = dict(
            zip(random.permutation(documents)[:5000].tolist(), scores.astype(float).tolist(), strict=True)
        )
        given = random.integers(0, 4, 2000).tolist()
        qrels[query] = dict(zip(random.permutation(documents)[:2000].tolist(), given, strict=True))
    data = Collection(qrels, run)
    assert differing(pytrec_eval(data, PYTREC), ours(*data, PYTREC), exactly) == {}


# --- ir_measures --------------------------------------------------------------------------------------------------

NUMERIC: Final = [str(number) for number in range(1, 31)]
"""gdeval takes no other query ids."""


def ir_measures(data: Collection, names: dict[str, Any]) -> Table:
    """Values of ir_measures by our names; its measures are made as objects."""
    import ir_measures as peer  # noqa: PLC0415 - as above

    by_measure = {measure: name for name, measure in names.items()}
    return {
        (by_measure[metric.measure], metric.query_id): metric.value
        for metric in peer.iter_calc(list(by_measure), data.qrels, data.run)
    }


@pytest.mark.parametrize("ties", [False, True])
def test_values_equal_ir_measures(ties: bool) -> None:
    """Measures of its pytrec_eval provider, which breaks ties as rankworth does."""
    import ir_measures as irm  # noqa: PLC0415 - as above

    names = {f"nDCG@{k}": irm.nDCG @ k for k in (5, 10, 100)} | {"nDCG": irm.nDCG}
    names |= {f"P@{k}": irm.P @ k for k in (1, 10)} | {"P(rel=2)@5": irm.P(rel=2) @ 5, "P": irm.SetP}
    names |= {f"R@{k}": irm.R @ k for k in (10, 100)} | {"R(rel=3)@5": irm.R(rel=3) @ 5, "R": irm.SetR}
    names |= {"AP": irm.AP, "AP@10": irm.AP @ 10, "AP(rel=2)": irm.AP(rel=2), "RR": irm.RR, "RR(rel=2)": irm.RR(rel=2)}
    names |= {"Rprec": irm.Rprec, "Bpref": irm.Bpref, "Bpref(rel=2)": irm.Bpref(rel=2)}
    names |= {f"Success@{k}": irm.Success @ k for k in (1, 5)} | {"Success(rel=2)@5": irm.Success(rel=2) @ 5}
    for seed in range(3):
        data = collection(10 + seed, ties=ties)
        peer = ir_measures(data, names)
        # It gives all judged queries a value, 0 if the run does not answer them, but for one without a name.
        assert {query for _, query in peer} == data.qrels.keys()
        assert len(peer) == len(names) * len(data.qrels)
        assert differing(peer, ours(*data, {name: name for name in names}), exactly) == {}


def test_reciprocal_rank_at_a_cutoff_and_judged_equal_ir_measures_without_ties() -> None:
    """Its providers for these break ties by ascending id."""
    import ir_measures as irm  # noqa: PLC0415 - as above

    names = {f"RR@{k}": irm.RR @ k for k in (1, 10)} | {"RR(rel=2)@5": irm.RR(rel=2) @ 5}
    names |= {f"Judged@{k}": irm.Judged @ k for k in (1, 10, 100)} | {"Judged": irm.Judged}
    for seed in range(3):
        data = collection(20 + seed, ties=False)
        peer = ir_measures(data, names)
        assert len(peer) == len(names) * len(data.qrels)
        assert differing(peer, ours(*data, {name: name for name in names}), exactly) == {}


@pytest.mark.parametrize("ties", [False, True])
def test_err_and_exponential_ndcg_equal_gdeval_in_ir_measures(ties: bool) -> None:
    """To the five digits that gdeval prints; it takes grades up to 4."""
    import ir_measures as irm  # noqa: PLC0415 - as above

    names = {f"ERR@{k}": irm.ERR @ k for k in (3, 20)}
    names |= {f"nDCG(gain=exp2)@{k}": irm.nDCG(dcg="exp-log2") @ k for k in (3, 20)}
    for seed in range(2):
        data = collection(30 + seed, ties=ties, queries=NUMERIC, grades=(-2, 4))
        peer = ir_measures(data, names)
        assert len(peer) == len(names) * len(data.qrels)
        here = ours(*data, {name: name for name in names})
        assert differing(peer, here, lambda _, theirs, value: f"{theirs:.5f}" == f"{value:.5f}") == {}
        assert len(set(peer.values())) > 30


# --- ranx ---------------------------------------------------------------------------------------------------------

RANX: Final = {
    "map": "AP",
    "mrr": "RR",
    "ndcg": "nDCG",
    "ndcg_burges": "nDCG(gain=exp2)",
    "dcg": "DCG",
    "dcg_burges": "DCG(gain=exp2)",
    "r-precision": "Rprec",
    "precision": "P",
    "recall": "R",
    "hit_rate": "Success",
    "map-l2": "AP(rel=2)",
    "precision@3-l2": "P(rel=2)@3",
    "recall@3-l2": "R(rel=2)@3",
    **{f"map@{k}": f"AP@{k}" for k in (1, 5, 10)},
    **{f"mrr@{k}": f"RR@{k}" for k in (1, 5, 10)},
    **{f"ndcg@{k}": f"nDCG@{k}" for k in (1, 5, 10)},
    **{f"ndcg_burges@{k}": f"nDCG(gain=exp2)@{k}" for k in (1, 5, 10)},
    **{f"precision@{k}": f"P@{k}" for k in (1, 5, 10)},
    **{f"recall@{k}": f"R@{k}" for k in (1, 5, 10)},
    **{f"hit_rate@{k}": f"Success@{k}" for k in (1, 5, 10)},
}


Ranx = Callable[[Collection, Iterable[str]], Table]


@pytest.fixture
def ranx(ranx_runner: Any) -> Ranx:
    def values(data: Collection, names: Iterable[str]) -> Table:
        qrels = [(query, one, grade) for query, grades in data.qrels.items() for one, grade in grades.items()]
        run = [(query, one, 0, score) for query, scores in data.run.items() for one, score in scores.items()]
        answer = ranx_runner.answer({"qrels": qrels, "run": run, "measures": list(names)}, "make_comparable=False")
        return {(name, query): value for name, row in answer.items() for query, value in row.items() if query != "all"}

    return values


@pytest.fixture(scope="module")
def shallow() -> Collection:
    """No ties, no negative grades, and lists of up to 15 documents, as ranx sorts no more of them stably."""
    return collection(40, ties=False, grades=(0, 3), deepest=15, whole=True)


def test_values_have_the_bits_of_ranx(ranx: Ranx, shallow: Collection) -> None:
    peer = ranx(shallow, RANX)
    assert len(peer) == len(RANX) * len(QUERY_IDS)
    assert differing(peer, ours(*shallow, RANX), exactly) == {}
    assert len(set(peer.values())) > 200


def test_f_equals_ranx(ranx: Ranx, shallow: Collection) -> None:
    names = {"f1": "F", "f1@5": "F@5"}
    peer = ranx(shallow, names)
    assert len(peer) == len(names) * len(QUERY_IDS)
    assert differing(peer, ours(*shallow, names), SEVEN) == {}


def test_bpref_has_the_bits_of_ranx(ranx: Ranx, shallow: Collection) -> None:
    """Of queries with relevant and non-relevant documents: a division by 0 costs other queries their value there."""
    defined = {query for query, judged in shallow.qrels.items() if min(judged.values()) < 1 <= max(judged.values())}
    data = Collection(*({query: side[query] for query in QUERY_IDS if query in defined} for side in shallow))
    peer = ranx(data, ["bpref"])
    assert len(peer) == len(defined) > 30
    assert differing(peer, ours(*data, {"bpref": "Bpref"}), exactly) == {}
    assert len(set(peer.values())) > 20


def test_rbp_equals_ranx_where_grades_are_binary(ranx: Ranx) -> None:
    """Gains are the grades themselves there; 1 - p is a factor of the sum, here of each of up to 15 terms."""
    data = collection(41, ties=False, grades=(0, 1), deepest=15, whole=True)
    names = {"rbp.50": "RBP(p=0.5)", "rbp.80": "RBP(p=0.8)", "rbp.95": "RBP(p=0.95)"}
    peer = ranx(data, names)
    assert len(peer) == len(names) * len(QUERY_IDS)
    assert differing(peer, ours(*data, names), within(2 * 15)) == {}


# --- scikit-learn -------------------------------------------------------------------------------------------------

# A query is a list of retrieved documents there, so the ideal holds no others. DCG is a dot product with inverse
# logarithms there: a product is rounded three times, and then the sum of up to 60 of them; nDCG has two such sums.
DOT: Final = within(2 * (3 + 60))


def scikit_learn(data: Collection) -> Iterator[tuple[str, str, float]]:
    """Give nDCG with both gains, and DCG, of every list."""
    from sklearn.metrics import dcg_score, ndcg_score  # noqa: PLC0415 - as above

    for query, documents in data.run.items():
        grade = np.array([[max(data.qrels[query].get(document, 0), 0) for document in documents]], dtype=float)
        score = np.array([list(documents.values())])
        for k in (None, 1, 5, 10):
            at = "" if k is None else f"@{k}"
            yield f"nDCG(ideal=retrieved){at}", query, float(ndcg_score(grade, score, k=k))
            yield f"nDCG(gain=exp2, ideal=retrieved){at}", query, float(ndcg_score(2.0**grade - 1, score, k=k))
            yield f"DCG{at}", query, float(dcg_score(grade, score, k=k))


def lists_of_two_and_more(seed: int, *, ties: bool) -> Collection:
    data = collection(seed, ties=ties, whole=True)
    single = {query for query, documents in data.run.items() if len(documents) == 1}
    keep = [{query: rows for query, rows in side.items() if query not in single} for side in data]
    return Collection(*keep)


def test_values_equal_scikit_learn_without_ties() -> None:
    data = lists_of_two_and_more(50, ties=False)
    peer = {(name, query): value for name, query, value in scikit_learn(data)}
    here = ours(*data, {name: name for name, _ in peer})
    assert len(peer) == 12 * len(data.run)
    assert differing(peer, here, DOT) == {}


def test_expected_values_over_ties_equal_scikit_learn() -> None:
    """It shares the discounts of a tie group among its documents; here the group is shared by all linear measures."""
    data = lists_of_two_and_more(51, ties=True)
    peer = {(name, query): value for name, query, value in scikit_learn(data)}
    qrels = rw.Qrels(data.qrels)
    block = replace(judge(qrels, rw.Run(data.run)).hits.block(np.arange(len(qrels))), ties="expected")
    measures = {name: rw.parse(name).values(block).tolist() for name, _ in peer}
    here = {
        (name, query): 0.0 if value != value else value  # noqa: PLR0124 - undefined where nothing is worth anything
        for name, values in measures.items()
        for query, value in zip(qrels.queries, values, strict=True)
    }
    assert len(peer) == 12 * len(data.run)
    assert differing(peer, here, DOT) == {}
    broken = ours(*data, {name: name for name, _ in peer})
    assert len(differing(peer, broken, DOT)) > len(peer) // 4


def parsed(names: dict[str, str]) -> Iterator[tuple[str, rw.Measure]]:
    return ((theirs, rw.parse(name)) for theirs, name in names.items())
