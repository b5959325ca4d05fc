"""Intervals of measures of a whole run, and what measures of items cost.

    python benchmarks/whole_runs.py [--repeat 300] [--users 20000]
    python benchmarks/whole_runs.py --only end --repeat 200    # coverage by users and items: the table of the page

First the share of intervals of 95 % that hold the mean over all samples, of a population whose users are drawn again
and again, and the mean standard error over the standard deviation of the values; for coverage also the share of
percentile intervals of a bootstrap over users that hold it. Then the processor's time of measures over that of nDCG@10.
"""

import argparse
import time
import warnings
from itertools import product
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import t

import rankworth as rw

MEASURES = ("Coverage@5", "Gini@5", "Entropy@5", "EEL(group=group, target=even)@5")
POPULATIONS = ((50, 200, 0.8), (200, 200, 0.8), (200, 1000, 1.0), (1000, 300, 1.0), (1000, 5000, 1.0), (30, 1000, 0.5))
"""users, items, and how fast popularity falls"""
LISTS = ("SelfInformation@10", "ARP@10", "Unseen@10", "ILD(of=group)@10", "ILD(of=vector)@10", "ILD(of=history)@10")
COSTS = (*LISTS, "Serendipity@10", "Coverage@10", "Gini@10", "Entropy@10", "AWRF(group=group)@10")


def shown(draw: np.random.Generator, users: int, items: int, slope: float, k: int) -> NDArray[np.int64]:
    """`[users, k]`, items by popularity and chance, of users whose tastes are for an eighth of the items."""
    logits = -slope * np.log(np.arange(1, items + 1))
    tastes = draw.integers(0, 8, users)
    lists = [
        np.argsort(-(logits + 2.0 * (np.arange(items) % 8 == taste) + draw.gumbel(size=items)))[:k] for taste in tastes
    ]
    return np.array(lists)


def run_of(lists: NDArray[np.int64]) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """Judgements, which do not matter, and a run."""
    run = {f"u{user}": [f"i{item}" for item in row] for user, row in enumerate(lists.tolist())}
    return {user: {items[0]: 1} for user, items in run.items()}, run


def coverage(repeat: int) -> None:
    """Print which share of intervals holds the expected value."""
    print("| users | items | measure | mean | error / deviation | covered | bootstrap |\n|--:|--:|---|--:|--:|--:|--:|")
    for users, items, slope in POPULATIONS:
        draw = np.random.default_rng(7)
        table = {f"i{item}": {"group": "xyz"[item % 3]} for item in range(items)}
        means, errors, ends, resampled = [], [], [], []
        for _ in range(repeat):
            lists = shown(draw, users, items, slope, 5)
            values = rw.evaluate(*run_of(lists), MEASURES, items=table)
            means.append(list(values.mean().values()))
            narrow = values.interval().values()
            errors.append([(each.high - each.low) / 2 / t.ppf(0.975, users - 1) for each in narrow])
            ends.append([(each.low, each.high) for each in values.interval().values()])
            samples = [np.unique(lists[draw.integers(0, users, users)]).size / items for _ in range(100)]
            resampled.append(np.quantile(samples, (0.025, 0.975)))
        expected, bounds = np.mean(means, axis=0), np.array(ends)
        covered = ((bounds[..., 0] <= expected) & (expected <= bounds[..., 1])).mean(axis=0)
        ratio = np.mean(errors, axis=0) / np.std(means, axis=0, ddof=1)
        low, high = np.array(resampled).T
        by_bootstrap = f"{((low <= expected[0]) & (expected[0] <= high)).mean():.2f}"
        for column, measure in enumerate(MEASURES):
            cells = (f"{expected[column]:.3f}", f"{ratio[column]:.2f}", f"{covered[column]:.3f}")
            print(
                f"| {users} | {items} | {measure} | {' | '.join(cells)} | {'' if column else by_bootstrap} |",
                flush=True,
            )


def near_its_end(repeat: int) -> None:
    """Print by users and items how much is shown on average, and which share of intervals of coverage holds that."""
    print("| users | items | mean coverage | interval, mean width | holds the mean |\n|--:|--:|--:|--:|--:|")
    for users, items in product((50, 200, 1000), (100, 300, 1000)):
        draw, table = np.random.default_rng(7), {f"i{item}": {} for item in range(items)}
        rows = []
        for _ in range(repeat):
            judged, run = run_of(shown(draw, users, items, 0.5, 5))
            values = rw.evaluate(judged, run, ["Coverage@5"], items=table)
            [end] = values.interval().values()
            rows.append((values["Coverage@5"], end.low, end.high))
        mean, low, high = np.array(rows).T
        held = ((low <= mean.mean()) & (mean.mean() <= high)).mean()
        print(f"| {users:,} | {items:,} | {mean.mean():.4f} | {(high - low).mean():.4f} | {held:.3f} |", flush=True)


def costs(users: int) -> None:
    """Print seconds of the processor, and their ratio to nDCG@10."""
    draw, items, k = np.random.default_rng(0), 5000, 50
    lists = np.concatenate([draw.permutation(shown(draw, 2000, items, 1.0, k)) for _ in range(users // 2000)])
    names = np.array([f"u{user}" for user in range(len(lists))])
    run = {
        "query": np.repeat(names, k),
        "document": [f"i{item}" for item in lists.ravel()],
        "score": np.tile(np.arange(k, 0, -1.0), len(lists)),
    }
    judged = {
        "query": np.repeat(names, 5),
        "document": [f"i{item}" for item in draw.integers(0, items, 5 * len(names))],
    }
    qrels = rw.Qrels(pl.DataFrame(judged).unique().with_columns(grade=1))
    popular = 1 / np.arange(1, items + 1)
    had = draw.choice(items, 20 * len(names), p=popular / popular.sum())
    from rankworth.judging.item_data import History, Items  # noqa: PLC0415 - read once, outside of what is timed

    table = {f"i{item}": {"group": f"g{item % 7}", "vector": draw.normal(size=8).tolist()} for item in range(items)}
    data: dict[str, Any] = {
        "history": History.of(pl.DataFrame({"user": np.repeat(names, 20), "item": [f"i{item}" for item in had]})),
        "items": Items.of(table),
    }
    frame = rw.Run(pl.DataFrame(run))

    def seconds(measure: str, **beside: Any) -> float:  # noqa: ANN401 - as for evaluate
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            rw.evaluate(qrels, frame, [measure], **beside)
            best = min(best, time.process_time() - start)
        return best

    plain = seconds("nDCG@10")
    print(
        f"\n{len(names):,} users, {len(run['score']):,} rows, nDCG@10: {plain:.3f} s\n"
        "\n| measure | s | ratio |\n|---|--:|--:|"
    )
    for measure in ("Hole@10", *COSTS):
        took = seconds(measure, **data)
        print(f"| {measure} | {took:.3f} | {took / plain:.1f} |", flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=300)
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--only", choices=("end", "intervals", "costs"))
    asked = parser.parse_args()
    warnings.simplefilter("ignore", rw.RankworthWarning)
    if asked.only in (None, "intervals"):
        coverage(asked.repeat)
    if asked.only in (None, "end"):
        near_its_end(asked.repeat)
    if asked.only in (None, "costs"):
        costs(asked.users)


if __name__ == "__main__":
    main()
