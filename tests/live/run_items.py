"""Runs the measures of items of RePlay, RecTools and recommenders, each on what it is handed of a collection.

How: the name of the tool, and of RePlay `"RePlay frames"` or `"RePlay dicts"`.
"""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import rectools.metrics as rectools
from lines import ALL, Answer, Collection, attempt, serve
from recommenders.evaluation import python_evaluation as recommenders
from rectools.metrics.distances import PairwiseHammingDistanceCalculator
from replay.metrics import Coverage, Novelty, PerUser, Surprisal, Unexpectedness

CUTOFFS = (1, 2, 4)


def answer(collection: Collection) -> Answer:
    """Every measure of the tool at every cutoff."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = TOOLS[collection["how"]](collection)
        return {name: attempt(lambda called=call: values(called())) for name, call in found.items()}


def values(found: Any) -> Mapping[str, float]:
    """Values of users, where there are any, and the mean."""
    return found if isinstance(found, Mapping) else {ALL: found}


def rows(pairs: Any, names: tuple[str, ...]) -> pd.DataFrame:
    """A frame, whose columns are texts where nothing is in it."""
    frame = pd.DataFrame([tuple(pair) for pair in pairs], columns=names)
    return frame.astype(dict.fromkeys(names[:2], object))


def recommended(collection: Collection) -> list[tuple[str, str, int]]:
    """User, item and rank."""
    return [(user, item, rank) for user, items in collection["lists"].items() for rank, item in enumerate(items, 1)]


def pairs_of(lists: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """User and item."""
    return [(user, item) for user, items in lists.items() for item in items]


def scored(lists: Mapping[str, list[Any]]) -> dict[str, list[tuple[str, float]]]:
    """Items with scores; those of the expected run may be equal."""
    return {
        user: [tuple(item) if isinstance(item, list) else (item, -float(rank)) for rank, item in enumerate(items)]
        for user, items in lists.items()
    }


def of_replay(collection: Collection) -> dict[str, Callable[[], Any]]:
    """RePlay with frames or dicts."""
    run, expected, history = scored(collection["lists"]), scored(collection["expected"]), collection["history"]
    if collection["how"] == "RePlay frames":
        names = ("query_id", "item_id", "rating")
        run, expected = (
            rows([(user, *pair) for user, items in lists.items() for pair in items], names) for lists in (run, expected)
        )
        history = rows(pairs_of(history), ("query_id", "item_id"))

    def called(measure: Any, k: int, other: Any) -> Callable[[], Any]:
        def both() -> dict[str, float]:
            (mean,) = measure(k)(run, other).values()
            users = {} if measure is Coverage else next(iter(measure(k, mode=PerUser())(run, other).values()))
            return {**users, ALL: mean}

        return both

    measures = ((Novelty, history), (Coverage, history), (Surprisal, history), (Unexpectedness, expected))
    return {f"{measure.__name__}@{k}": called(measure, k, other) for measure, other in measures for k in CUTOFFS}


def of_rectools(collection: Collection) -> dict[str, Callable[[], Any]]:
    """RecTools; features are one column of numbers, which some items have no row for."""
    reco = rows(recommended(collection), ("user_id", "item_id", "rank"))
    reco["rank"] = reco["rank"].astype(int)
    before = rows(pairs_of(collection["history"]), ("user_id", "item_id"))
    after = rows(pairs_of(collection["relevant"]), ("user_id", "item_id"))
    catalog = np.array(list(collection["items"]), dtype=object)
    known = {item: ord(group) for item, group in collection["items"].items() if group}
    features = pd.DataFrame({"group": [float(number) for number in known.values()]}, index=list(known))
    distances = PairwiseHammingDistanceCalculator(features)
    found: dict[str, Callable[[], Any]] = {}
    for k in CUTOFFS:
        for name, measure, arguments in (
            ("MeanInvUserFreq", rectools.MeanInvUserFreq(k=k), (before,)),
            ("AvgRecPopularity", rectools.AvgRecPopularity(k=k), (before,)),
            ("AvgRecPopularity(normalize=True)", rectools.AvgRecPopularity(k=k, normalize=True), (before,)),
            ("Serendipity", rectools.Serendipity(k=k), (after, before, catalog)),
            ("IntraListDiversity", rectools.IntraListDiversity(k=k, distance_calculator=distances), ()),
        ):
            found[f"{name}@{k}"] = lambda m=measure, a=arguments: {
                **m.calc_per_user(reco.copy(), *a),
                ALL: m.calc(reco.copy(), *a),
            }
        coverage = rectools.CatalogCoverage(k=k, normalize=True)
        found[f"CatalogCoverage(normalize=True)@{k}"] = lambda m=coverage: m.calc(reco.copy(), catalog)
    return found


def of_recommenders(collection: Collection) -> dict[str, Callable[[], Any]]:
    """Recommenders, which has no cutoff: it is handed the first k items; relevant ones are worth 1, others 0."""
    train = rows(pairs_of(collection["history"]), ("userID", "itemID"))
    relevant = dict.fromkeys(pairs_of(collection["relevant"]), 1.0)
    found: dict[str, Callable[[], Any]] = {}
    for k in CUTOFFS:
        cut = [
            (user, item, relevant.get((user, item), 0.0)) for user, item, rank in recommended(collection) if rank <= k
        ]
        reco = rows(cut, ("userID", "itemID", "relevance"))
        reco["relevance"] = reco["relevance"].astype(float)
        found |= {
            f"diversity@{k}": lambda r=reco: recommenders.diversity(train, r.copy()),
            f"serendipity@{k}": lambda r=reco: recommenders.serendipity(train, r.copy(), col_relevance="relevance"),
            f"catalog_coverage@{k}": lambda r=reco: recommenders.catalog_coverage(train, r.copy()),
            f"distributional_coverage@{k}": lambda r=reco: recommenders.distributional_coverage(train, r.copy()),
        }
    return found


TOOLS = {
    "RePlay frames": of_replay,
    "RePlay dicts": of_replay,
    "RecTools": of_rectools,
    "recommenders": of_recommenders,
}

if __name__ == "__main__":
    serve(answer)
