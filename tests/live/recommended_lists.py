"""Random lists, and what LensKit, implicit and MTEB give for them: `PYTHON tests/live/recommended_lists.py > FILE`.

It runs in an environment of these tools, without rankworth: `pip install lenskit==2025.8.1 implicit==0.7.3
mteb==2.18.18`. Each tool is handed the lists of all users of a collection; implicit, which tells no values of single
users, also those of each user alone.
"""

import json
import logging
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from random import Random
from typing import Any, Final

COLLECTIONS: Final = 72
ITEMS: Final = tuple(f"i{number:02}" for number in range(30))
CUTOFFS: Final = (1, 3, 5, 10)
MEAN: Final = ""
"""stands where a user would for the mean over all of them"""
ERROR: Final = "error"
"""stands there for what a tool says where it gives no number"""

Collection = dict[str, Any]
"""`{"grades": {user: {item: grade}}, "lists": {user: [[item, score]]}, "traits": [trait]}`"""
Values = dict[str, Any]
Lists = Mapping[str, Sequence[tuple[str, float]]]

TRAITS: Final = ("unlisted", "unjudged", "empty", "nothing relevant", "fractions", "repeated")
"""users without a list; lists of users without judgements; empty lists; users to whom nothing is relevant; grades that
are no whole numbers; items that a list has twice"""


def collections(number: int = COLLECTIONS, seed: int = 7) -> list[Collection]:
    """Random collections with ties, short lists and, each in its turn, further traits."""
    random = Random(seed)  # noqa: S311 - no secret
    return [_collection(random, _traits(random, turn)) for turn in range(number)]


def _traits(random: Random, number: int) -> list[str]:
    traits = [trait for turn, trait in enumerate(TRAITS) if number % len(TRAITS) == turn or random.random() < 0.15]
    return [trait for trait in traits if trait != "empty" or "repeated" not in traits]


def _collection(random: Random, traits: Sequence[str]) -> Collection:
    users = [f"u{number}" for number in range(random.choice((1, 2, 5, 9)))]
    best, share = random.choice((1, 2, 4)), random.choice((0.1, 0.3, 0.8))
    grades = {user: _grades(random, best, share, fractions="fractions" in traits) for user in users}
    lists = {user: _list(random, repeated="repeated" in traits) for user in users}
    if "nothing relevant" in traits:
        grades["u of zeros"] = dict.fromkeys(random.sample(ITEMS, 3), 0.0)
        lists["u of zeros"] = _list(random, repeated=False)
    if "unlisted" in traits:
        grades["u without list"] = {ITEMS[0]: 1.0}
    if "unjudged" in traits:
        lists["u unjudged"] = _list(random, repeated=False)
    if "empty" in traits:
        grades["u of nothing"], lists["u of nothing"] = {ITEMS[1]: 1.0}, []
    return {"grades": grades, "lists": lists, "traits": traits}


def _grades(random: Random, best: int, share: float, *, fractions: bool) -> dict[str, float]:
    judged = random.sample(ITEMS, random.choice((2, 4, 8, 20)))
    grades = {item: float(random.randint(1, best)) if random.random() < share else 0.0 for item in judged}
    grades[judged[0]] = float(best)  # something is relevant
    return {item: grade / 4 + 0.25 * bool(grade) for item, grade in grades.items()} if fractions else grades


def _list(random: Random, *, repeated: bool) -> list[tuple[str, float]]:
    size = random.choice((1, 2, 3, 5, 10, 20))
    scores = sorted((random.randint(0, random.choice((3, 40))) / 8 for _ in range(size)), reverse=True)
    if size > 2 and random.random() < 0.2:
        scores[0] = scores[1] + 2.0**-40  # the same in single precision
    items = random.sample(ITEMS, size)
    if repeated and size > 2:
        items[-1] = items[0]
    return list(zip(items, scores, strict=True))


def relevant(collection: Collection) -> dict[str, dict[str, float]]:
    """The grades above 0, and the users who have one."""
    above = {
        user: {item: grade for item, grade in grades.items() if grade > 0}
        for user, grades in collection["grades"].items()
    }
    return {user: grades for user, grades in above.items() if grades}


def attempt(values: Callable[[], Values]) -> Values:
    """Values, or what the tool said instead."""
    try:
        return values()
    except Exception as error:  # noqa: BLE001 - whatever a tool raises is how it refuses
        return {ERROR: f"{type(error).__name__}: {error}"}


def lenskit(collection: Collection) -> Iterator[tuple[str, Values]]:
    """Values of each list and the mean of `list_summary()`; test data are the pairs with a grade above 0."""
    import numpy as np  # noqa: PLC0415 - as the tools
    from lenskit.data import ItemList, ItemListCollection  # noqa: PLC0415 - where it is
    from lenskit.metrics import DCG, NDCG, RBP, Hit, Precision, Recall, RecipRank, RunAnalysis  # noqa: PLC0415
    from lenskit.metrics.ranking import AveragePrecision, LogRankWeight  # noqa: PLC0415

    listed, wanted = ItemListCollection(["user_id"]), ItemListCollection(["user_id"])
    for user, pairs in collection["lists"].items():
        listed.add(ItemList([item for item, _ in pairs], ordered=True), user)
    for user, grades in relevant(collection).items():
        wanted.add(ItemList(list(grades), rating=np.array(list(grades.values()))), user)

    def measured(metric: Any) -> Values:
        found = RunAnalysis(metric).measure(listed, wanted)
        [name] = found.list_metrics().columns
        return found.list_metrics()[name].to_dict() | {MEAN: float(found.list_summary().loc[name, "mean"])}

    later = {"weight": LogRankWeight(offset=1)}
    for name, metric, options in (
        ("NDCG", NDCG, {}),
        ("NDCG(gain=rating)", NDCG, {"gain": "rating"}),
        ("NDCG(weight=LogRankWeight(offset=1))", NDCG, later),
        ("NDCG(weight=LogRankWeight(offset=1), gain=rating)", NDCG, {"gain": "rating"} | later),
        ("DCG", DCG, {}),
        ("DCG(gain=rating)", DCG, {"gain": "rating"}),
        ("DCG(weight=LogRankWeight(offset=1))", DCG, later),
        ("RecipRank", RecipRank, {}),
        ("RBP", RBP, {}),
        ("RBP(patience=0.5)", RBP, {"patience": 0.5}),
        ("Precision", Precision, {}),
        ("Recall", Recall, {}),
        ("Hit", Hit, {}),
        ("AveragePrecision", AveragePrecision, {}),
    ):
        for cutoff in (None, *CUTOFFS):
            label = name if cutoff is None else f"{name}@{cutoff}"
            yield label, attempt(partial(measured, metric(cutoff, **options)))


class _Model:
    """A model that recommends lists that are there already, as implicit's models do."""

    def __init__(self, ids: Any) -> None:
        self._ids = ids

    def recommend(self, users: Any, _liked: Any, N: int) -> tuple[Any, None]:  # noqa: N803 - implicit's name
        """The first N items of each user."""
        return self._ids[users][:, :N], None


def implicit(collection: Collection) -> Iterator[tuple[str, Values]]:
    """Means, and those of each user alone as values; likes are the pairs with a grade above 0."""
    import numpy as np  # noqa: PLC0415 - as the tools
    from implicit.evaluation import ranking_metrics_at_k  # noqa: PLC0415 - where it is
    from scipy.sparse import csr_matrix  # noqa: PLC0415 - as the tools

    liked = relevant(collection)

    def measured(users: Sequence[str], cutoff: int) -> dict[str, float]:
        ids = np.full((len(users), cutoff), -1, dtype=np.int32)
        likes = np.zeros((len(users), len(ITEMS)))
        for row, user in enumerate(users):
            items = [ITEMS.index(item) for item, _ in collection["lists"].get(user, ())][:cutoff]
            ids[row, : len(items)] = items
            for item, grade in liked.get(user, {}).items():
                likes[row, ITEMS.index(item)] = grade
        matrix = csr_matrix(likes)
        return ranking_metrics_at_k(_Model(ids), csr_matrix(likes.shape), matrix, K=cutoff, show_progress=False)

    everyone = list({**collection["lists"], **collection["grades"]})
    for cutoff in CUTOFFS:
        alone = {user: measured([user], cutoff) for user in liked}
        together = measured(everyone, cutoff)
        for name in ("precision", "map", "ndcg"):
            values = {user: each[name] for user, each in alone.items()}
            yield f"{name}@{cutoff}", values | {MEAN: together[name]}


def mteb(collection: Collection) -> Iterator[tuple[str, Values]]:
    """Means of `calculate_retrieval_scores`, and the lists of values of the tool's own four measures."""
    from mteb._evaluators import retrieval_metrics as tool  # noqa: PLC0415 - where it is

    if {"repeated", "fractions"} & {*collection["traits"]}:
        return
    qrels = {user: {item: int(grade) for item, grade in each.items()} for user, each in collection["grades"].items()}
    results = {user: dict(pairs) for user, pairs in collection["lists"].items()}
    scores = attempt(lambda: tool.calculate_retrieval_scores(results, qrels, CUTOFFS)._asdict())
    for family in ("ndcg", "map", "recall", "precision", "hit_rate", "mrr"):
        named = scores.get(family, {})
        for cutoff in CUTOFFS:
            [value] = [value for name, value in named.items() if name.endswith(f"@{cutoff}")] or [None]
            yield f"{family}_at_{cutoff}", scores if ERROR in scores else {MEAN: value}
    labels = {"mrr": "MRR@", "recall_cap": "R_cap_at_", "hole": "Hole_at_", "top_k_accuracy": "Accuracy@"}
    for function, label in labels.items():
        lists = attempt(partial(getattr(tool, function), qrels, results, CUTOFFS))
        for cutoff in CUTOFFS:
            values = lists.get(f"{label}{cutoff}", [])
            users = map(str, range(len(values))) if function == "top_k_accuracy" else results  # hits only, of nobody
            yield f"{label}{cutoff}", lists if ERROR in lists else dict(zip(users, values, strict=True))


TOOLS: Final = {"lenskit": lenskit, "implicit": implicit, "mteb": mteb}


def recorded(number: int = COLLECTIONS, seed: int = 7) -> dict[str, Any]:
    """Collections, and for each all values by tool and measure."""
    chosen = collections(number, seed)
    found = {name: [dict(tool(collection)) for collection in chosen] for name, tool in TOOLS.items()}
    return {"versions": {name: version(name) for name in TOOLS}, "collections": chosen, "values": found}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable()
    json.dump(recorded(*map(int, sys.argv[1:])), sys.stdout)
