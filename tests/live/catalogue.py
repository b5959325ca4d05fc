"""Small data sets, and what tools give for measures beside relevance: `PYTHON tests/live/catalogue.py TOOL > FILE`.

Such measures look at the history of all users and at what is known of the items: popularity, novelty, coverage,
concentration, diversity within lists, serendipity. The script runs in an environment of the tool, without rankworth:

- rectools: `pip install rectools==0.19.0`
- replay: `pip install replay-rec==0.22.0`
- recommenders: `pip install "pandas<3" scikit-learn` and `pip install --no-deps recommenders==1.2.1`
- lenskit: `pip install lenskit==2026.4.0`, with Python 3.12.5 or later
- lenskit-2025: `pip install lenskit==2025.8.1`
- evidently: `pip install evidently==0.7.23`

`python tests/live/catalogue.py join FILE... > tests/golden/catalogue.json` puts the tools into one file.

Values are written as the shortest text that stands for the same float64; null where the tool gave NaN, or gives none of
that kind. An entry with an error has no values: the tool refused, or broke. Tools are handed the best `k` of each list
where the measure itself has no `k`; the text of the call says so.

Values move by up to 5e-16 between versions of NumPy and pandas, and means of Polars from run to run, because numbers
are added in other orders. LensKit computes `Entropy`, and in 2025 `ExposureGini`, in single precision.
"""

import contextlib
import json
import logging
import math
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any, Final

SEED: Final = 41
CUTOFFS: Final = (3, 5)
LENGTH: Final = 6
USERS: Final = tuple(f"u{number:02}" for number in range(1, 13))
NEW_USERS: Final = ("u13", "u14")
"""users without history; only the first of them is in the test data"""
ITEMS: Final = tuple(f"i{number:02}" for number in range(1, 26))
COLD: Final = ITEMS[20:]
"""items that no history has"""
UNKNOWN: Final = ("i26", "i27")
"""items that the table of items does not have, either"""
CATEGORIES: Final = ("crime", "history", "poetry", "travel")

Set = dict[str, list[list[Any]]]
"""`{"history": [[user, item, weight]], "items": [[item, category, vector]], "run": [[user, item, score]],
"test": [[user, item, grade]], "popular_run": [[user, item, score]]}`"""
Entry = dict[str, Any]


def sets(seed: int = SEED) -> dict[str, Set]:
    """The data sets; each has one trait that the first has not.

    - plain: all lists are full; items are from the history, of other users.
    - cold: lists have items that no history has.
    - short: lists of 1 to 6 items; a user with history and test data has no list; a list of popular items is short.
    - new: two users have lists, but no history; one of them has no test data, either.
    - seen: the same, and lists have items that their users have had already.
    - unknown: lists have items that the table of items does not have.
    - repeated: the history has some pairs of user and item more than once.
    - twice: lists have an item at two ranks.

    """
    return {
        name: make(Random(f"{seed} {name}"))  # noqa: S311 - no secret
        for name, make in (
            ("plain", _plain),
            ("cold", partial(_plain, rare=COLD)),
            ("short", _short),
            ("new", partial(_plain, users=USERS + NEW_USERS)),
            ("seen", partial(_plain, users=USERS + NEW_USERS, seen=True)),
            ("unknown", partial(_plain, rare=UNKNOWN)),
            ("repeated", partial(_plain, repeated=True)),
            ("twice", partial(_plain, twice=True)),
        )
    }


def _plain(
    random: Random,
    *,
    users: tuple[str, ...] = USERS,
    rare: tuple[str, ...] = (),
    seen: bool = False,
    repeated: bool = False,
    twice: bool = False,
) -> Set:
    table = [[item, random.choice(CATEGORIES), [round(random.uniform(-0.4, 1), 3) for _ in range(3)]] for item in ITEMS]
    history = [[user, item, random.randint(1, 5)] for user in USERS for item in _taken(random)]
    in_history = sorted({item for _, item, _ in history})
    had = {user: [item for other, item, _ in history if other == user] for user in users}
    run, test = [], []
    for turn, user in enumerate(users):
        chosen = random.sample([item for item in in_history if item not in had[user]], LENGTH)
        if rare and turn % 3:
            chosen[turn % 4 : turn % 4 + 2] = random.sample(rare, 2)
        if seen and had[user] and turn % 3 == 0:
            chosen[turn % 4 : turn % 4 + 2] = random.sample(had[user], 2)
        if twice and turn % 3:
            chosen[turn % 4 + 1] = chosen[turn % 2]
        scores = sorted(random.sample(range(1, 1000), LENGTH), reverse=True)
        run += [[user, item, score / 100] for item, score in zip(chosen, scores, strict=True)]
        if user != NEW_USERS[1]:
            wanted = {*random.sample(chosen, random.randint(0, 3)), random.choice(COLD)}
            test += [[user, item, random.randint(1, 3)] for item in sorted(wanted)]
    if repeated:
        history += [[user, item, random.randint(1, 5)] for user, item, _ in random.choices(history, k=15)]
    return {"history": history, "items": table, "run": run, "test": test, "popular_run": _popular(history)}


def _taken(random: Random) -> list[str]:
    """Five to seven items, the first ones of the table more often than the last."""
    taken: list[str] = []
    warm = ITEMS[: len(ITEMS) - len(COLD)]
    wanted = random.randint(5, 7)
    while len(taken) < wanted:
        [item] = random.choices(warm, [1 / (rank + 1) for rank in range(len(warm))])
        if item not in taken:
            taken.append(item)
    return taken


def _popular(history: list[list[Any]]) -> list[list[Any]]:
    """For each user of the history the items that most users had, without those that the user had."""
    pairs = {(user, item) for user, item, _ in history}
    counts = Counter(item for _, item in pairs)
    best = sorted(counts, key=lambda item: (-counts[item], item))
    lists = {user: [item for item in best if (user, item) not in pairs][:LENGTH] for user in USERS}
    return [[user, item, float(LENGTH - rank)] for user, each in lists.items() for rank, item in enumerate(each)]


def _short(random: Random) -> Set:
    made = _plain(random)
    lengths = {user: turn % LENGTH + 1 for turn, user in enumerate(USERS[:-1])}
    made["run"] = [row for user in lengths for row in [row for row in made["run"] if row[0] == user][: lengths[user]]]
    base = made["popular_run"]
    made["popular_run"] = [row for row in base if row[0] != USERS[2] or row[2] > LENGTH - 2]
    return made


def entry(
    measure: str,
    k: int,
    whole: Callable[[], Any],
    each: Callable[[], Mapping[Any, Any]] | None = None,
    per: str = "per_user",
) -> Entry:
    """The value of a measure and those of single users or items, or what the tool said instead."""
    values: Entry = {"measure": measure, "k": k, "value": None, "per_user": None, "error": None}
    try:
        value = _number(whole())
        single = {str(key): _number(number) for key, number in each().items()} if each else None
    except Exception as error:  # noqa: BLE001 - whatever a tool raises is how it refuses
        return values | {"error": f"{type(error).__name__}: {error}"[:300]}
    return values | {"value": value, per: single}


def _number(value: Any) -> float | None:
    return None if value is None or math.isnan(float(value)) else float(value)


def best(rows: list[list[Any]], k: int) -> list[list[Any]]:
    """The first `k` rows of each user; rows stand in the order of the scores."""
    before: Counter[str] = Counter()
    kept = []
    for row in rows:
        before[row[0]] += 1
        if before[row[0]] <= k:
            kept.append(row)
    return kept


def rectools(data: Set) -> Iterator[Entry]:
    """Ranks are those of the scores; the catalogue is the table of items; categories are numbers for the distance."""
    import pandas as pd  # noqa: PLC0415 - as the tools
    from rectools import metrics as tool  # noqa: PLC0415 - where it is

    before: Counter[str] = Counter()
    for user, _, _ in data["run"]:
        before[user] += 1
    ranks = [rank for user in before for rank in range(1, before[user] + 1)]
    reco = pd.DataFrame([row[:2] for row in data["run"]], columns=["user_id", "item_id"]).assign(rank=ranks)
    previous = pd.DataFrame([row[:2] for row in data["history"]], columns=["user_id", "item_id"])
    test = pd.DataFrame([row[:2] for row in data["test"]], columns=["user_id", "item_id"])
    catalog = [item for item, _, _ in data["items"]]
    features = pd.DataFrame(
        {"category": [CATEGORIES.index(category) for _, category, _ in data["items"]]}, index=catalog
    )
    distance = tool.PairwiseHammingDistanceCalculator(features)
    names = {
        id(reco): "reco",
        id(previous): "prev_interactions",
        id(test): "interactions",
        id(catalog): "catalog=items",
    }
    for name, options, arguments in (
        ("MeanInvUserFreq", {}, (reco, previous)),
        ("IntraListDiversity", {"distance_calculator": distance}, (reco,)),
        ("Serendipity", {}, (reco, test, previous, catalog)),
        ("AvgRecPopularity", {"normalize": False}, (reco, previous)),
        ("AvgRecPopularity", {"normalize": True}, (reco, previous)),
        ("CatalogCoverage", {"normalize": False}, (reco, catalog)),
        ("CatalogCoverage", {"normalize": True}, (reco, catalog)),
        ("SufficientReco", {"deep": False}, (reco,)),
        ("SufficientReco", {"deep": True}, (reco,)),
        ("UnrepeatedReco", {"deep": False}, (reco,)),
        ("UnrepeatedReco", {"deep": True}, (reco,)),
        ("CoveredUsers", {}, (reco, test)),
    ):
        for k in CUTOFFS:
            metric = getattr(tool, name)(k=k, **options)
            shown = "".join(
                f", {key}={'PairwiseHammingDistanceCalculator(category)' if value is distance else value}"
                for key, value in options.items()
            )
            call = f"{name}(k={k}{shown}).calc({', '.join(names[id(argument)] for argument in arguments)})"
            each = partial(metric.calc_per_user, *arguments) if hasattr(metric, "calc_per_user") else None
            yield entry(call, k, partial(metric.calc, *arguments), each)


def replay(data: Set) -> Iterator[Entry]:
    """Frames of pandas and of polars, which take different ways through the tool."""
    import pandas as pd  # noqa: PLC0415 - as the tools
    import polars as pl  # noqa: PLC0415 - as the tools
    from replay import metrics as tool  # noqa: PLC0415 - where it is

    columns = ["query_id", "item_id", "rating"]
    category = {item: name for item, name, _ in data["items"]}
    categories = [[user, category.get(item), score] for user, item, score in data["run"]]
    for library, frame in (("pandas", pd.DataFrame), ("polars", partial(pl.DataFrame, orient="row"))):
        made = partial(frame, columns=columns) if library == "pandas" else partial(frame, schema=columns)
        run, train, base = (made(data[name]) for name in ("run", "history", "popular_run"))
        if library == "pandas":
            labelled = pd.DataFrame(categories, columns=["query_id", "category_id", "rating"])
        else:
            labelled = pl.DataFrame(categories, schema=["query_id", "category_id", "rating"], orient="row")
        for name, arguments, shown in (
            ("Coverage", (run, train), "recommendations, train"),
            ("Novelty", (run, train), "recommendations, train"),
            ("Surprisal", (run, train), "recommendations, train"),
            ("Unexpectedness", (run, base), "recommendations, base_recommendations=popular_run"),
            ("CategoricalDiversity", (labelled,), "recommendations with category_id"),
        ):
            for k in CUTOFFS:
                metric = getattr(tool, name)

                def whole(metric: Any = metric, arguments: Any = arguments, k: int = k) -> float:
                    [value] = metric(k)(*arguments).values()
                    return value

                def each(metric: Any = metric, arguments: Any = arguments, k: int = k) -> Mapping[str, float]:
                    [values] = metric(k, mode=tool.PerUser())(*arguments).values()
                    return values

                yield entry(f"{library}: {name}({k})({shown})", k, whole, None if name == "Coverage" else each)


def recommenders(data: Set) -> Iterator[Entry]:
    """The best `k` of each list as `reco_df`; an item is relevant if the test data have it."""
    import numpy as np  # noqa: PLC0415 - as the tools
    import pandas as pd  # noqa: PLC0415 - as the tools
    from recommenders.evaluation import python_evaluation as tool  # noqa: PLC0415 - where it is

    train = pd.DataFrame([row[:2] for row in data["history"]], columns=["userID", "itemID"])
    wanted = {(user, item) for user, item, _ in data["test"]}
    vectors = pd.DataFrame({"itemID": [row[0] for row in data["items"]]})
    vectors["features"] = [np.array(row[2]) for row in data["items"]]
    count = ({}, "")
    vector = (
        {"item_feature_df": vectors, "item_sim_measure": "item_feature_vector"},
        ", item_feature_df, item_sim_measure='item_feature_vector'",
    )
    for k in CUTOFFS:
        rows = [[user, item, float((user, item) in wanted)] for user, item, _ in best(data["run"], k)]
        reco = pd.DataFrame(rows, columns=["userID", "itemID", "relevance"])

        def single(
            function: Callable[..., Any], key: str, column: str, options: Mapping[str, Any], reco: Any = reco
        ) -> Mapping[str, float]:
            frame = function(train.copy(), reco.copy(), **options)
            return dict(zip(frame[key], frame[column], strict=True))

        for name in ("catalog_coverage", "distributional_coverage", "novelty"):
            function = getattr(tool, name)
            yield entry(f"{name}(train_df, reco_df[:{k}])", k, partial(function, train.copy(), reco.copy()))
        each = partial(single, tool.historical_item_novelty, "itemID", "item_novelty", {})
        call = f"historical_item_novelty(train_df, reco_df[:{k}])"
        yield entry(call, k, lambda: None, each, "per_item")
        for options, shown in (count, vector):
            each = partial(single, tool.user_diversity, "userID", "user_diversity", options)
            whole = partial(tool.diversity, train.copy(), reco.copy(), **options)
            yield entry(f"diversity(train_df, reco_df[:{k}]{shown})", k, whole, each)
            for relevance, named in (({}, ""), ({"col_relevance": "relevance"}, ", col_relevance='relevance'")):
                both = {**options, **relevance}
                each = partial(single, tool.user_serendipity, "userID", "user_serendipity", both)
                whole = partial(tool.serendipity, train.copy(), reco.copy(), **both)
                yield entry(f"serendipity(train_df, reco_df[:{k}]{shown}{named})", k, whole, each)


def lenskit(data: Set) -> Iterator[Entry]:
    """Datasets of all items of the table, and of the items of the history only.

    The first ones have the category of an item, or its vector as a dense or sparse attribute.
    """
    import numpy as np  # noqa: PLC0415 - as the tools
    from lenskit.data import DatasetBuilder  # noqa: PLC0415 - where it is
    from lenskit.metrics import MeasurementCollector, ranking  # noqa: PLC0415
    from scipy.sparse import csr_array  # noqa: PLC0415 - as the tools

    items = [item for item, _, _ in data["items"]]
    vectors = np.array([vector for _, _, vector in data["items"]])

    def built(attribute: str, values: Any) -> Any:
        builder = DatasetBuilder()
        builder.add_entities("item", items)
        add = builder.add_scalar_attribute if attribute == "category" else builder.add_vector_attribute
        add("item", attribute, items, values)
        return _dataset(builder, data)

    full = built("category", [category for _, category, _ in data["items"]])
    datasets = {"items": full, "history": _dataset(DatasetBuilder(), data)}
    described = {"category": full, "dense": built("dense", vectors), "sparse": built("sparse", csr_array(vectors))}
    listed, wanted = _lists(data)

    def measured(metric: Callable[[], Any]) -> tuple[float, Mapping[str, float]]:
        collector = MeasurementCollector()
        collector.add_metric(metric(), "it")
        summary, single = collector.measure_run(listed, wanted)
        return summary.get("it.mean", summary.get("it")), single["it"].to_dict() if "it" in single else {}

    later = {"weight": ranking.LogRankWeight(offset=1)}
    shown_later = ", weight=LogRankWeight(offset=1)"
    for k in CUTOFFS:
        for of, dataset in datasets.items():
            for name, options, shown in (
                ("ListGini", {}, ""),
                ("ExposureGini", {}, ""),
                ("ExposureGini", later, shown_later),
            ):
                metric = partial(getattr(ranking, name), k, items=dataset, **options)
                call = f"{name}({k}, items=dataset of {of}{shown})"
                yield entry(call, k, lambda metric=metric: measured(metric)[0])
            for count in ("users", "interactions"):
                metric = partial(ranking.MeanPopRank, dataset, n=k, count=count)
                call = f"MeanPopRank(dataset of {of}, n={k}, count={count!r})"
                yield entry(
                    call, k, lambda metric=metric: measured(metric)[0], lambda metric=metric: measured(metric)[1]
                )
        for name, attribute, options, shown in (
            ("ILS", "category", {}, ""),
            ("ILS", "dense", {}, ""),
            ("ILS", "sparse", {}, ""),
            ("Entropy", "category", {}, ""),
            ("RankBiasedEntropy", "category", {}, ""),
            ("RankBiasedEntropy", "category", later, shown_later),
        ):
            metric = partial(getattr(ranking, name), described[attribute], attribute, n=k, **options)
            call = f"{name}(dataset of items, {attribute!r}, n={k}{shown})"
            yield entry(call, k, lambda metric=metric: measured(metric)[0], lambda metric=metric: measured(metric)[1])


def _dataset(builder: Any, data: Set) -> Any:
    import pandas as pd  # noqa: PLC0415 - as the tools

    frame = pd.DataFrame(data["history"], columns=["user_id", "item_id", "weight"])
    builder.add_interactions("click", frame, entities=["user", "item"], missing="insert", allow_repeats=True)
    return builder.build()


def _lists(data: Set) -> tuple[Any, Any]:
    from lenskit.data import ItemList, ItemListCollection  # noqa: PLC0415 - where the tool is

    listed, wanted = ItemListCollection(["user_id"]), ItemListCollection(["user_id"])
    for collection, rows in ((listed, data["run"]), (wanted, data["test"])):
        for user in dict.fromkeys(row[0] for row in rows):
            collection.add(ItemList([row[1] for row in rows if row[0] == user], ordered=collection is listed), user)
    return listed, wanted


def lenskit_2025(data: Set) -> Iterator[Entry]:
    """The version before, which counts items, and takes a matrix of categories of the items of one list."""
    import numpy as np  # noqa: PLC0415 - as the tools
    from lenskit.data import DatasetBuilder, ItemList  # noqa: PLC0415 - where it is
    from lenskit.metrics import RunAnalysis, entropy, rank_biased_entropy, ranking  # noqa: PLC0415

    builder = DatasetBuilder()
    builder.add_entities("item", [item for item, _, _ in data["items"]])
    dataset = _dataset(builder, data)
    listed, wanted = _lists(data)
    category = {item: name for item, name, _ in data["items"]}

    def measured(metric: Callable[[], Any]) -> Any:
        analysis = RunAnalysis()
        analysis.add_metric(metric(), "it")
        return analysis.measure(listed, wanted)

    def entropies(function: Callable[..., float], k: int) -> Mapping[str, float]:
        lists: dict[str, list[str]] = {}
        for user, item, _ in data["run"]:
            lists.setdefault(user, []).append(item)
        matrices = {
            user: np.array([[float(category.get(item) == name) for name in CATEGORIES] for item in items])
            for user, items in lists.items()
        }
        return {user: function(ItemList(lists[user], ordered=True), matrices[user], n=k) for user in lists}

    for k in CUTOFFS:
        for name in ("ListGini", "ExposureGini"):
            metric = partial(getattr(ranking, name), k, items=len(ITEMS))
            call = f"{name}({k}, items={len(ITEMS)})"
            yield entry(call, k, lambda metric=metric: measured(metric).global_metrics()["it"])
        for count in ("users", "interactions"):
            metric = partial(ranking.MeanPopRank, dataset, n=k, count=count)
            call = f"MeanPopRank(dataset of items, n={k}, count={count!r})"
            yield entry(
                call,
                k,
                lambda metric=metric: measured(metric).list_summary().loc["it", "mean"],
                lambda metric=metric: measured(metric).list_metrics()["it"].to_dict(),
            )
        for function in (entropy, rank_biased_entropy):
            call = f"{function.__name__}(list, categories of the list, n={k})"
            yield entry(call, k, lambda: None, partial(entropies, function, k))


def evidently(data: Set) -> Iterator[Entry]:
    """Reports of the older interface, which the newer wraps; rows are those of the run, with the grade as target."""
    import pandas as pd  # noqa: PLC0415 - as the tools
    from evidently.legacy import metrics as tool  # noqa: PLC0415 - where it is
    from evidently.legacy.pipeline.column_mapping import ColumnMapping, RecomType  # noqa: PLC0415
    from evidently.legacy.report import Report  # noqa: PLC0415

    vector = ["v1", "v2", "v3"]
    features = {item: values for item, _, values in data["items"]}
    nothing = [math.nan] * 3
    grades = {(user, item): grade for user, item, grade in data["test"]}
    current = pd.DataFrame(
        [[*row, grades.get((row[0], row[1]), 0), *features.get(row[1], nothing)] for row in data["run"]],
        columns=["user_id", "item_id", "prediction", "target", *vector],
    )
    train = pd.DataFrame(
        [[*row, *features.get(row[1], nothing)] for row in data["history"]],
        columns=["user_id", "item_id", "target", *vector],
    )
    mapping = ColumnMapping(
        recommendations_type=RecomType.SCORE,
        user_id="user_id",
        item_id="item_id",
        prediction="prediction",
        target="target",
        numerical_features=vector,
    )

    def measured(metric: Callable[[], Any], result: str) -> float:
        made = metric()
        report = Report(metrics=[made])
        report.run(
            reference_data=None,
            current_data=current.copy(),
            column_mapping=mapping,
            additional_data={"current_train_data": train.copy()},
        )
        return getattr(made.get_result(), result)

    value = "current_value"
    for k in CUTOFFS:
        for name, options, results in (
            ("PopularityBias", {}, ("current_apr", "current_coverage", "current_gini")),
            ("PopularityBias", {"normalize_arp": True}, ("current_apr",)),
            ("NoveltyMetric", {}, (value,)),
            ("DiversityMetric", {"item_features": vector}, (value,)),
            ("SerendipityMetric", {"item_features": vector}, (value,)),
            ("SerendipityMetric", {"item_features": vector, "min_rel_score": 2}, (value,)),
            ("PersonalizationMetric", {}, (value,)),
        ):
            shown = "".join(f", {key}={option}" for key, option in options.items())
            metric = partial(getattr(tool, name), k=k, **options)
            for result in results:
                yield entry(f"{name}(k={k}{shown}).{result}", k, partial(measured, metric, result))


TOOLS: Final = {
    "rectools": (rectools, "rectools"),
    "replay": (replay, "replay-rec"),
    "recommenders": (recommenders, "recommenders"),
    "lenskit": (lenskit, "lenskit"),
    "lenskit-2025": (lenskit_2025, "lenskit"),
    "evidently": (evidently, "evidently"),
}
"""functions and packages"""


def recorded(name: str) -> dict[str, Any]:
    """The data sets, and all values of a tool."""
    function, package = TOOLS[name]
    made = sets()
    values = [{"set": label, **found} for label, data in made.items() for found in function(data)]
    return {"sets": made, "tools": {name: {"version": version(package), "values": values}}}


def joined(paths: list[str]) -> dict[str, Any]:
    """What was recorded of several tools, as one.

    Raises:
        ValueError: they were not handed the same data.

    """
    parts = [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]
    if any(part["sets"] != parts[0]["sets"] for part in parts):
        raise ValueError("the files have different data sets")
    tools = {name: tool for part in parts for name, tool in part["tools"].items()}
    return {"sets": parts[0]["sets"], "tools": {name: tools[name] for name in TOOLS if name in tools}}


def written(found: Mapping[str, Any]) -> str:
    """JSON with a row of data, or an entry, on each line."""
    parts = [f'"sets": {{\n{_members(found["sets"], lambda data: "{" + _members(data, _rows) + "}")}\n}}']
    tools = {
        name: f'{{"version": {json.dumps(tool["version"])}, "values": {_rows(tool["values"])}}}'
        for name, tool in found["tools"].items()
    }
    parts.append(f'"tools": {{\n{_members(tools, str)}\n}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _members(values: Mapping[str, Any], text: Callable[[Any], str]) -> str:
    return ",\n".join(f"{json.dumps(key)}: {text(value)}" for key, value in values.items())


def _rows(rows: list[Any]) -> str:
    return "[\n" + ",\n".join(json.dumps(row, allow_nan=False) for row in rows) + "\n]"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable()
    with contextlib.redirect_stdout(sys.stderr):  # what tools print themselves
        found = joined(sys.argv[2:]) if sys.argv[1] == "join" else recorded(sys.argv[1])
    sys.stdout.write(written(found))
