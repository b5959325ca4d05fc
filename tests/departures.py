"""Departures from conventions, planted in random collections in which every convention can matter."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import polars as pl

import rankworth as rw
from rankworth.measures import Measure
from rankworth.settings import QUIRKS, VALUES

MEASURES = ("nDCG@10", "AP", "RR", "P@5", "ERR@10")
NUMBERS = {
    "depth": (1, 5, 10),
    "no_relevant": (0.0, 1.0),
    "neither": (0.0, 1.0),
    "undefined": (0.0, 1.0),
    "highest": (3.0,),
    "round_values": (3, 4, 5),
    "round_means": (4, 5),
}
PARAMETERS = {"rel": (2,), "base": (2, 10), "max_grade": (4,), "cutoff": (5, None)}


class Planted(NamedTuple):
    """Changes of the standard conventions, and what a measure gives under them."""

    measure: str
    changes: tuple[tuple[str, Any], ...]
    qrels: Any
    run: Any
    value: float
    per_query: dict[str, str]


def collection(seed: int, queries: int = 24) -> tuple[rw.Qrels, rw.Run]:
    """Judgements and a run with ties, fractions, negative grades, self-matches, and queries that do not meet."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    names, ids = [f"q{number}" for number in range(queries)], [f"d{number}" for number in range(40)]
    qrels = {query: {one: draw.choice([0, 0, 1, 1.5, 2, 3, 4]) for one in draw.sample(ids, 15)} for query in names}
    qrels |= {query: dict.fromkeys(draw.sample(ids, 5), 0.0) for query in ("q3", "q4")}
    qrels["q5"] = dict.fromkeys(draw.sample(ids, 5), -1.0)
    for query in names[6:12]:
        qrels[query] |= {query: 1.0, draw.choice(ids): -2.0, draw.choice(ids): -1.0}
    blocks = []
    for query in [*names[2:], "new1", "new2"]:
        documents = draw.sample(ids, 22) + ([query] if query in names[6:12] else [])
        rows = [(query, one, draw.choice([-0.5, 0.25, 0.5, 0.5 + 1e-12, 0.75])) for one in documents]
        blocks += [rows[:9], rows[9:]]
    draw.shuffle(blocks)
    rows = [row for block in blocks for row in block]
    return rw.Qrels(qrels), rw.Run(pl.DataFrame(rows, ["query", "document", "score"], orient="row"))


def changes_of(measure: str) -> Iterator[tuple[str, Any]]:
    """Every value of every setting, parameter and cutoff that does not only refuse; but for settings that are data."""
    for name, taken in VALUES.items():
        values = [word for word in taken.words if not word.startswith("error")] + [*NUMBERS.get(name, ())]
        yield from ((name, value) for value in (values if taken.number is not bool else [True]))
    yield "exclude", "self"
    quantity = rw.parse(measure)
    assert isinstance(quantity, Measure)
    for name, parameter in quantity.definition.parameters.items():
        yield from ((name, value) for value in (*parameter.words, *PARAMETERS.get(name, ())))
    yield from (("cutoff", cutoff) for cutoff in PARAMETERS["cutoff"])


def values_under(qrels: Any, run: Any, measure: str, changes: tuple[tuple[str, Any], ...]) -> Any:
    """The values of queries and their mean under changes of the standard conventions, by `evaluate`."""
    quantity: Any = rw.parse(measure)
    settings: dict[str, Any] = {"quirks": {}}
    for name, value in changes:
        if name == "cutoff":
            bare = str(quantity).partition("@")[0]
            quantity = rw.parse(bare if value is None else f"{bare}@{value}")
        elif name in VALUES or name == "exclude":
            (settings["quirks"] if name in QUIRKS else settings)[name] = value
        else:
            quantity = quantity(**{name: value})
    return rw.evaluate(qrels, run, [quantity], **settings)


def planted(size: int, seed: int) -> Iterator[Planted]:
    """Random departures of some size that move the mean and that are not refused."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    data = [collection(100 * seed + number) for number in range(5)]
    while True:
        (qrels, run), measure = draw.choice(data), draw.choice(MEASURES)
        changes = tuple(draw.sample([*changes_of(measure)], size))
        if len({name for name, _ in changes}) < size:
            continue
        try:
            values = values_under(qrels, run, measure, changes)
        except rw.RankworthError:
            continue
        [value], [own] = values.values(), values_under(qrels, run, measure, ()).values()
        if value == value and abs(value - own) > 1e-12:  # noqa: PLR0124 - NaN
            yield Planted(measure, changes, qrels, run, value, per_query(values))


def per_query(values: rw.Values) -> dict[str, str]:
    """The values of queries by one measure, to 11 decimals."""
    return {query: f"{value:.11f}" for query, row in values.per_query.to_dict().items() for value in row.values()}


def is_named(plant: Planted) -> bool:
    """Whether an audit names the departure, or others that give every query the same value."""
    result = rw.audit(plant.qrels, plant.run, f"{plant.measure}={plant.value:.13f}")
    if not result.exact:
        return False
    written = {f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in plant.changes}
    if any({*map(str, each.changes)} == written for each in result.candidates):
        return True
    same = (each.convention for each in result.candidates)
    measured = (rw.evaluate_profiles(plant.qrels, plant.run, [one.quantity], profiles=one.profile) for one in same)
    return any(per_query(values) == plant.per_query for by_profile in measured for values in by_profile.values())


def missed(number: int, size: int, seed: int) -> list[Planted]:
    """The departures that audits do not name, of some number of planted ones."""
    return [plant for plant in islice(planted(size, seed), number) if not is_named(plant)]
