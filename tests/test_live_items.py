"""Measures of items are those of RePlay, RecTools and recommenders, run on random lists, histories and tables."""

import math
import random
import warnings
from collections.abc import Iterator
from typing import Any, Final

import pytest

import rankworth as rw
from live import environments
from live.lines import ALL, ERROR
from live.runners import Runner
from live.tools import Tool

ITEMS: Final = tuple("abcdefghij")
USERS: Final = ("u1", "u2", "u3", "u4", "u5", "u6")
PROFILES: Final = {
    "RePlay frames": "replay-0.22",
    "RePlay dicts": "replay-0.22-dict",
    "RecTools": "rectools-0.19",
    "recommenders": "recommenders-1.2",
}
COLLECTIONS: Final = 60
AGREED: Final = {"RePlay frames": 2000, "RePlay dicts": 2000, "RecTools": 3000, "recommenders": 400}
"""numbers that agree on them, at least"""

Collection = dict[str, Any]


def collection(seed: str, how: str) -> Collection:
    """Lists, relevant items, a history, an expected run and groups of items; each lacks some of the users or items."""
    draw = random.Random(seed)  # noqa: S311 - no secret

    def lists(users: list[str], least: int, most: int) -> dict[str, list[str]]:
        return {user: draw.sample(ITEMS, draw.randint(least, most)) for user in users}

    def some(share: float) -> list[str]:
        return [user for user in USERS if draw.random() < share] or [draw.choice(USERS)]

    history = lists(some(draw.choice((0.2, 0.7, 1.0))), 1, 5)
    if draw.random() < 0.1:
        history = lists([draw.choice(USERS)], 1, 3)
    shown = lists(some(0.8), 1, 5)
    if how == "recommenders":  # which refuses lists with items of the history
        shown = {user: [item for item in items if item not in history.get(user, ())] for user, items in shown.items()}
        shown = {user: items for user, items in shown.items() if items} or {"u9": ["a"]}
    if how == "RePlay dicts" and draw.random() < 0.5:
        shown["u7"] = []
    expected = {
        user: [[item, float(draw.randint(1, 3))] for item in items] for user, items in lists(some(0.7), 1, 4).items()
    }
    items = {item: draw.choice(("x", "y", "y", "")) for item in draw.sample(ITEMS, draw.randint(4, 9))}
    relevant = lists(some(0.8), 1, 4)
    return {"lists": shown, "relevant": relevant, "history": history, "expected": expected, "items": items, "how": how}


def evaluated(drawn: Collection, measures: list[str], profile: str) -> rw.Values:
    """The values by a profile, whatever is warned of."""
    qrels = {user: dict.fromkeys(items, 1) for user, items in drawn["relevant"].items()}
    items = {item: {"group": group or None} for item, group in drawn["items"].items()}
    expected = {user: dict(map(tuple, pairs)) for user, pairs in drawn["expected"].items()}
    data = {"history": drawn["history"], "items": items, "expected_run": expected}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate(qrels, drawn["lists"], measures, profile=profile, **data)


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """Give the process in which the tools run."""
    if reason := environments.missing("recommending"):
        pytest.fail(f"RePlay, RecTools and recommenders cannot be run: {reason}", pytrace=False)
    with Runner(Tool("measures of items", "run_items.py", tuple(PROFILES), environment="recommending")) as started:
        yield started


@pytest.mark.parametrize("how", PROFILES)
def test_values_of_users_and_means_are_those_of_the_tool(how: str, runner: Runner) -> None:
    agreed, apart, refused = 0, [], 0
    for number in range(COLLECTIONS):
        drawn = collection(f"{how} {number}", how)
        answer = runner.answer(drawn, how)
        try:
            found = evaluated(drawn, list(answer), PROFILES[how])
        except rw.InputError as error:
            if error.slug != "no-match":  # for which tools give numbers
                raise
            refused += 1
            continue
        per_query = found.per_query.to_dict()
        for measure, values in answer.items():
            assert ERROR not in values, (measure, values, drawn)
            for user, theirs in values.items():
                ours = found[measure] if user == ALL else per_query.get(user, {}).get(measure, math.nan)
                if ours == pytest.approx(theirs, rel=1e-12, abs=1e-12, nan_ok=True):
                    agreed += 1
                else:
                    apart.append((measure, user, theirs, ours, drawn))
    assert not apart, (len(apart), sorted({each[0] for each in apart}), apart[0])
    assert refused <= COLLECTIONS // 10
    assert agreed > AGREED[how]
