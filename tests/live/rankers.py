"""Random groups, and what LightGBM, XGBoost and CatBoost give for them: `PYTHON tests/live/rankers.py > FILE`.

It runs in the environment of these tools, without rankworth. Each group is handed over alone, so that each value is
that of one query, and then all groups of a kind together, with weights and without. Scores are start values of a model
without trees, so that nothing is learned from them.
"""

import json
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from random import Random
from typing import Any, Final

KINDS: Final = ("whole", "binary", "fractional")
GROUPS: Final = 100
"""of each kind"""

Group = dict[str, list[float]]
Values = dict[str, float]
Ask = Callable[[Sequence[Group], Sequence[str], Sequence[Sequence[float]] | None], Values]
"""from groups, names of measures and weights of rows to means over the groups"""

WIDTHS: Final = (1, 2, 2, 3, 4, 5, 6, 8, 10, 12, 20, 45)
MEASURES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "lightgbm": {
        "whole": ("ndcg@1", "ndcg@3", "ndcg@10", "ndcg@100", "map@1", "map@3", "map@10", "map@100"),
        "binary": ("ndcg@3", "map@3", "map@100", "auc"),
        "fractional": ("map@3", "map@100"),
    },
    "xgboost": {
        "whole": ("ndcg@1", "ndcg@3", "ndcg@10", "ndcg", "ndcg@3-", "ndcg-", "ndcg@10(ndcg_exp_gain=false)"),
        "binary": ("ndcg@3", "map@1", "map@3", "map", "map@3-", "map-", "pre@3", "pre"),
        "fractional": ("ndcg@10(ndcg_exp_gain=false)", "ndcg@3-(ndcg_exp_gain=false)"),
    },
    "catboost": {
        "whole": (
            *("NDCG", "NDCG:top=3", "NDCG:type=Exp", "NDCG:type=Exp;top=3", "NDCG:denominator=Position"),
            *("NDCG:denominator=Position;top=3", "NDCG:type=Exp;denominator=Position;top=3", "DCG", "DCG:top=3"),
            *("DCG:type=Exp;top=3", "DCG:denominator=Position", "PFound:top=3", "MAP", "MAP:top=3", "MRR", "MRR:top=3"),
            *("RecallAt:top=3", "PrecisionAt:top=3"),
        ),
        "binary": ("NDCG:top=3", "MAP:top=3", "QueryAUC", "PFound", "RecallAt:top=1", "PrecisionAt:top=10"),
        "fractional": (
            *("NDCG", "NDCG:top=3", "NDCG:type=Exp;top=3", "DCG", "PFound", "PFound:top=3", "PFound:decay=0.5", "MAP"),
            *("MAP:top=3", "MRR", "RecallAt:top=3", "PrecisionAt:top=3"),
        ),
    },
}


def single(number: float) -> float:
    """The number in single precision, in which XGBoost keeps scores."""
    return float(struct.unpack("f", struct.pack("f", number))[0])


def groups(kind: str, number: int = GROUPS, seed: int = 41) -> list[Group]:
    """Random groups: of one row, without a relevant one, with ties, ties in single precision, and large labels."""
    random = Random(f"{kind} {seed}")  # noqa: S311 - no secret
    return [_group(random, kind) for _ in range(number)]


def _group(random: Random, kind: str) -> Group:
    size = random.choice(WIDTHS)
    best = {"whole": random.choice((1, 2, 4, 4, 30)), "binary": 1, "fractional": random.choice((4, 4, 10))}[kind]
    labels = [
        float(random.randint(0, best)) if random.random() < random.choice((0.3, 0.9)) else 0.0 for _ in range(size)
    ]
    if random.random() < 0.12:
        labels = [0.0] * size
    if kind == "fractional":
        labels = [label / 4 for label in labels]  # exact in single precision, in which CatBoost keeps labels
    spread = random.choice((2, 5, 1000, 1000))
    scores = [single(random.randint(-spread, spread) / 8) for _ in range(size)]
    if spread == 1000 and random.random() < 0.2:
        scores[-1] = scores[0] + 2.0**-40  # the same in single precision
    return {"labels": labels, "scores": scores}


def row_weights(kind: str, sizes: Sequence[int]) -> list[list[float]]:
    """Weights of rows, the same for all rows of a group, as XGBoost and CatBoost take them."""
    random = Random(kind)  # noqa: S311 - no secret
    return [[random.choice((0.5, 1.0, 2.0, 8.0))] * size for size in sizes]


def _flat(lists: Sequence[Sequence[float]]) -> Any:
    import numpy as np  # noqa: PLC0415 - as the tools

    return np.concatenate([np.asarray(part, dtype=np.float64) for part in lists])


def lightgbm(chosen: Sequence[Group], names: Sequence[str], weights: Sequence[Sequence[float]] | None) -> Values:
    """Values of a booster without trees, whose scores are the start values of its validation data."""
    import lightgbm as tool  # noqa: PLC0415 - where it is

    labels, scores = (_flat([group[key] for group in chosen]) for key in ("labels", "scores"))
    rows = [[float(place)] for place in range(labels.size)]
    cutoffs = sorted({int(name.partition("@")[2]) for name in names if "@" in name})
    params = {
        "objective": "lambdarank" if (labels % 1 == 0).all() else "regression",
        "metric": sorted({name.partition("@")[0] for name in names}),
        "eval_at": cutoffs,
        "verbosity": -1,
        "num_threads": 1,
        "min_data_in_bin": 1,
        "min_data_in_leaf": 1,
        "feature_pre_filter": False,
    }
    sizes = [len(group["labels"]) for group in chosen]
    train = tool.Dataset(_flat(rows).reshape(-1, 1), label=labels, group=sizes, params=params, free_raw_data=False)
    booster = tool.Booster(params, train)
    weight = None if weights is None else _flat(weights)
    valid = tool.Dataset(
        *(_flat(rows).reshape(-1, 1), labels),
        reference=train,
        group=sizes,
        init_score=scores,
        weight=weight,
        params=params,
    )
    booster.add_valid(valid, "valid")
    return {name: float(value) for _, name, value, _ in booster.eval_valid()}


def xgboost(chosen: Sequence[Group], names: Sequence[str], weights: Sequence[Sequence[float]] | None) -> Values:
    """Values of a booster without trees, whose scores are the base margin."""
    import numpy as np  # noqa: PLC0415 - as the tools
    import xgboost as tool  # noqa: PLC0415 - where it is

    labels, scores = (_flat([group[key] for group in chosen]) for key in ("labels", "scores"))
    data = tool.DMatrix(np.zeros((labels.size, 1)), label=labels, base_margin=scores.astype(np.float32))
    data.set_group([len(group["labels"]) for group in chosen])
    if weights is not None:
        data.set_weight([part[0] for part in weights])
    values = {}
    for suffix, gain in (("", True), ("(ndcg_exp_gain=false)", False)):
        asked = [name.removesuffix(suffix) for name in names if name.endswith(suffix) and (suffix or "(" not in name)]
        if asked:
            params = {"objective": "rank:pairwise", "eval_metric": asked, "nthread": 1, "ndcg_exp_gain": gain}
            told = tool.train(params, data, num_boost_round=0).eval(data)
            pairs = (entry.rsplit(":", 1) for entry in told.split("\t")[1:])
            values |= {name.removeprefix("eval-") + suffix: float(value) for name, value in pairs}
    return values


def catboost(chosen: Sequence[Group], names: Sequence[str], weights: Sequence[Sequence[float]] | None) -> Values:
    """Values of `eval_metric`."""
    import numpy as np  # noqa: PLC0415 - as the tools
    from catboost.utils import eval_metric  # noqa: PLC0415 - where it is

    labels, scores = (_flat([group[key] for group in chosen]) for key in ("labels", "scores"))
    ids = np.repeat(np.arange(len(chosen)), [len(group["labels"]) for group in chosen])
    weight = None if weights is None else _flat(weights)
    ask = {"group_id": ids, "group_weight": weight, "thread_count": 1}
    return {name: float(eval_metric(labels, scores, name, **ask)[0]) for name in names}


TOOLS: Final[dict[str, Ask]] = {"lightgbm": lightgbm, "xgboost": xgboost, "catboost": catboost}


def values(tool: str, kind: str, chosen: Sequence[Group]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give for each measure the values of the groups, their mean, and their weighted mean."""
    names, ask = MEASURES[tool][kind], TOOLS[tool]
    alone = [ask([group], names, None) for group in chosen]
    weights = row_weights(kind, [len(group["labels"]) for group in chosen])
    plain, weighted = (ask(chosen, names, each) for each in (None, weights))
    for name in names:
        yield name, {"values": [each[name] for each in alone], "mean": plain[name], "weighted": weighted[name]}


def recorded(number: int = GROUPS, seed: int = 41) -> dict[str, Any]:
    """Groups and all values."""
    chosen = {kind: groups(kind, number, seed) for kind in KINDS}
    told = {
        tool: {"version": version("xgboost-cpu" if tool == "xgboost" else tool)}
        | {kind: dict(values(tool, kind, chosen[kind])) for kind in KINDS}
        for tool in TOOLS
    }
    return {"groups": chosen, "tools": told}


if __name__ == "__main__":
    json.dump(recorded(*map(int, sys.argv[1:])), sys.stdout)
