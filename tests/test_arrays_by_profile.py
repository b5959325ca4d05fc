"""By every profile, labels in lists, groups of rows, tables of items and matrices have the values of dicts with ids."""

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankworth as rw
from rankworth.errors import RankworthError
from rankworth.tensors import prepared
from test_tensors_profiles import names

Rows = dict[str, dict[str, float]]


class Labels:
    """Labels and scores with ties, as arrays, and as dicts under ids."""

    def __init__(self, seed: int) -> None:
        """Draw them."""
        draw = np.random.default_rng(seed)
        shape = int(draw.integers(1, 4)), int(draw.integers(2, 8))
        self.scores, self.grades = draw.choice([0.5, 1.0, 1.5, 3.25], shape), draw.choice([0.0, 0.0, 1.0, 2.0], shape)

    def dicts(self, *, ranked: bool = False, falling: bool = False) -> tuple[Rows, Rows]:
        """Return judgements and a run under ids that rise or fall from column to column, ranked already or not."""
        queries, columns = self.scores.shape
        ids = [f"d{columns - column if falling else column}" for column in range(columns)]
        pairs = [dict(zip(ids, row.tolist(), strict=True)) for row in self.scores]
        if ranked:
            pairs = [dict(sorted(row.items(), key=lambda pair: -pair[1])) for row in pairs]
        grades = {str(query): dict(zip(ids, self.grades[query].tolist(), strict=True)) for query in range(queries)}
        return grades, {str(query): row for query, row in enumerate(pairs)}

    def arrays(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the ways in for labels without ids, by name."""
        queries, columns = self.scores.shape
        grades, scores = self.grades.ravel(), self.scores.ravel()
        rows = {"query": np.repeat(np.arange(queries), columns), "label": grades, "score": scores}
        yield "lists", {"labels": self.grades.tolist(), "scores": self.scores.tolist()}
        yield "groups", {"labels": grades, "scores": scores, "group": [columns] * queries}
        yield "table", {"labels": pl.DataFrame(rows)}


def outcome(call: Callable[[], Rows]) -> Rows | str:
    """Return values by query and measure, or the slug of the error that refuses them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rw.RankworthWarning)
            return call()
    except RankworthError as refusal:
        return refusal.slug


def per_query(values: rw.Values) -> Rows:
    """Return values by query and measure."""
    return {str(query): dict(row) for query, row in values.per_query.to_dict().items()}


NEEDS_MORE = {"cwl_eval-1.0", "nuggetizer"}
"""profiles whose measures all refuse grades of 2 or judgements without groups"""
PROFILES = [name for name in rw.PROFILES if names(name)]


def taken(profile: str, labels: Labels) -> list[str]:
    """Return the names of a tool's measures that take these labels."""

    def is_taken(name: str) -> bool:
        return isinstance(outcome(lambda: per_query(rw.evaluate(*labels.dicts(), [name], profile=profile))), dict)

    return [name for name in names(profile) if is_taken(name)]


@pytest.mark.parametrize("profile", PROFILES)
def test_labels_without_ids_have_the_values_of_dicts(profile: str) -> None:
    labels = Labels(1)
    measures = taken(profile, labels)
    if not measures:
        assert profile in NEEDS_MORE
        return
    expected = outcome(lambda: per_query(rw.evaluate(*labels.dicts(), measures, profile=profile)))
    for way, arrays in labels.arrays():
        got = outcome(lambda arrays=arrays: per_query(rw.evaluate(measures=measures, profile=profile, **arrays)))
        assert repr(got) == repr(expected), way


@pytest.mark.parametrize("profile", PROFILES)
def test_matrices_with_ties_have_the_values_of_ids_by_column(profile: str) -> None:
    """An order of ties by id is that of the columns."""
    labels = Labels(2)
    for name in names(profile):
        [resolved] = rw.PROFILES[profile].ask([name])
        qrels, run = labels.dicts(ranked=True, falling="asc" not in resolved.judging.ties)
        expected = outcome(lambda name=name, pair=(qrels, run): per_query(rw.evaluate(*pair, [name], profile=profile)))
        try:
            [values] = prepared([name], profile=profile)(labels.scores, labels.grades).values()
        except RankworthError:
            continue
        assert isinstance(expected, dict), name
        decimals = resolved.averaging.round_values
        tolerance = 1e-12 if decimals is None else 0.51 * 10.0**-decimals
        for query, row in expected.items():
            [value] = row.values()
            got = float(values[int(query)])
            is_equal = math.isclose(got, value, rel_tol=1e-12, abs_tol=tolerance)
            assert is_equal or (math.isnan(got) and math.isnan(value)), name


def test_no_label_is_the_query_itself() -> None:
    """BEIR leaves out the document whose id is that of the query, which an item without an id is not."""
    labels, scores = [[1, 0, 2]], [[3.0, 2.0, 1.0]]
    ideal = 2 + 1 / math.log2(3)
    for arrays in (
        {"labels": labels, "scores": scores},
        {"labels": labels[0], "scores": scores[0], "group": [3]},
    ):
        values = rw.evaluate(measures=["nDCG"], profile="beir-2.2", **arrays)  # type: ignore[arg-type]
        assert values["nDCG"] == round((1 + 2 / math.log2(4)) / ideal, 5)
        with pytest.raises(rw.UsageError, match="labels give documents no ids"):
            rw.evaluate(measures=["nDCG"], exclude="self", **arrays)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"undefined": "skip", "no_relevant": "nan"}, "a value is to be NaN"),
        ({"undefined": math.nan, "no_relevant": "skip"}, "a value is to be NaN"),
        ({"undefined": "skip", "divisor": "judged"}, "divisor=judged counts them"),
    ],
)
def test_a_matrix_refuses_what_it_cannot_tell_from_rows_left_out(settings: dict[str, Any], says: str) -> None:
    profile = rw.PROFILES["standard-1"].derive(**settings)
    with pytest.raises(rw.UsageError, match=says) as refusal:
        rw.tensors.evaluate([[2.0, 1.0]], [[1.0, 0.0]], ["AP"], profile=profile)
    assert refusal.value.slug == "unfollowed-setting"
