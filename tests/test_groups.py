"""Gold as groups: (a or b) and c. Measures against plain sets, every way to hand groups in, and what is refused."""

import json
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankworth as rw
from rankworth.errors import InputError, RankworthWarning

few = settings(max_examples=60, deadline=None)
IDS = "abcdefgh"
GROUPS = st.lists(st.sets(st.sampled_from(IDS), min_size=1, max_size=4), min_size=1, max_size=5)
RANKINGS = st.permutations(IDS).flatmap(lambda ids: st.integers(1, len(ids)).map(lambda size: ids[:size]))
GOLD = [{"a", "b"}, {"c"}]
RUN = {"q1": ["a", "x", "c"]}
MEASURES = ["Complete@2", "Complete@3", "GroupR@2", "CompleteRank"]
VALUES = {"Complete@2": 0.0, "Complete@3": 1.0, "GroupR@2": 1 / 2, "CompleteRank": 3.0}


def means(gold: Any, run: Any, measures: Any = MEASURES, **options: Any) -> dict[str, float]:
    """Means, whatever the warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        return dict(rw.evaluate(gold, run, measures, **options).mean())


@few
@given(groups=GROUPS, ranking=RANKINGS, k=st.integers(1, 9))
def test_measures_are_those_of_plain_sets(groups: list[set[str]], ranking: list[str], k: int) -> None:
    found = [bool(group & {*ranking[:k]}) for group in groups]
    each = set.union(*groups) <= {*ranking[:k]}
    down_to = (i for i in range(1, k + 1) if all(group & {*ranking[:i]} for group in groups))
    expected = {
        f"Complete@{k}": float(all(found)),
        f"GroupR@{k}": sum(found) / len(found),
        f"CompleteRank@{k}": float(next(down_to, k + 1)),
        f"Complete(each=document)@{k}": float(each),
    }
    assert means({"q": groups}, {"q": ranking}, list(expected)) == expected


@few
@given(groups=GROUPS, ranking=RANKINGS)
def test_the_order_of_groups_and_a_group_twice_complete_nothing_else(
    groups: list[set[str]], ranking: list[str]
) -> None:
    names = ["Complete@3", "CompleteRank@5"]
    expected = means({"q": groups}, {"q": ranking}, names)
    assert means({"q": groups[::-1]}, {"q": ranking}, names) == expected
    assert means({"q": [*groups, groups[0]]}, {"q": ranking}, names) == expected


ROWS = [("q1", "1", "a", 1), ("q1", "1", "b", 1), ("q1", "2", "c", 1)]


def frame(group: str) -> pl.DataFrame:
    """A row for each member of a group."""
    return pl.DataFrame(ROWS, schema=["query", group, "document", "grade"], orient="row")


def test_groups_come_as_sets_lists_columns_and_fields(tmp_path: Path) -> None:
    forms: dict[str, Any] = {
        "sets": {"q1": GOLD},
        "a set and an id": {"q1": [{"a", "b"}, "c"]},
        "lists that are no pairs": {"q1": [["a", "b"], ["c"]]},
        "rows": [{"query": "q1", "groups": [["a", "b"], ["c"]]}],
        **{name: frame(name) for name in ("group", "group_id", "nugget", "nugget_id", "subtopic")},
    }
    files = {
        "groups.json": json.dumps({"q1": [["a", "b"], ["c"]]}),
        "groups.jsonl": json.dumps({"query": "q1", "groups": [["a", "b"], ["c"]]}),
        "groups.csv": frame("group").write_csv(),
        "groups.qrels": "".join(f"{query} {group} {document} {grade}\n" for query, group, document, grade in ROWS),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        forms[name] = str(tmp_path / name)
    wrong = {name: values for name, form in forms.items() if (values := means(form, RUN)) != VALUES}
    assert not wrong


def test_pairs_of_texts_are_groups_where_their_field_says_so(tmp_path: Path) -> None:
    pairs = [["a", "b"], ["c", "d"]]
    (tmp_path / "gold.jsonl").write_text(json.dumps({"query": "q1", "groups": pairs}))
    assert means(str(tmp_path / "gold.jsonl"), RUN) == VALUES
    with pytest.raises(InputError, match="nothing tells what the lists of two are") as refused:
        means({"q1": pairs}, RUN)
    assert "groups: [[a, b], [c]]" in str(refused.value)


@pytest.mark.parametrize(
    ("gold", "slug", "text"),
    [
        ([{"a"}, set()], "missing-value", "item 1 is a group without a document"),
        ([{"a"}, ["b", ["c"]]], "input-type", "stands in a group, and is no id"),
        ([{"a"}, frozenset({frozenset({"b"})})], "input-type", "stands in a group, and is no id"),
    ],
)
def test_what_is_no_group_is_refused(gold: Any, slug: str, text: str) -> None:
    with pytest.raises(InputError, match=text) as refused:
        means({"q1": gold}, RUN)
    assert refused.value.slug == slug


def test_an_empty_group_is_refused_with_its_line(tmp_path: Path) -> None:
    lines = [{"query": "q1", "groups": [["a"]]}, {"query": "q2", "groups": [["a", "b"], []]}]
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(InputError, match=r"gold\.jsonl:2, item 2 is a group without a document"):
        means(str(tmp_path / "gold.jsonl"), RUN)


def test_all_documents_need_no_subtopics_and_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RankworthWarning)
        values = rw.evaluate({"q1": {"a": 1, "c": 1, "n": 0}}, RUN, ["Complete(each=document)@3"])
    assert values.mean() == {"Complete(each=document)@3": 1.0}


def test_systems_are_compared_and_explained() -> None:
    gold = {f"q{number}": GOLD for number in range(8)}
    runs = {"first": {query: ["a", "c"] for query in gold}, "second": {query: ["a", "b", "c"] for query in gold}}
    table = rw.compare(gold, runs, ["Complete@2", "GroupR@2"])
    assert "Complete@2" in str(table)
    told = rw.explain(gold, runs["second"], "Complete@3", query="q0")
    assert "Complete@3 of q0 is 1: 1 rank adds 1" in str(told)


def test_queries_that_nobody_judged_cover_no_group() -> None:
    values = means({"q1": GOLD}, {**RUN, "q2": ["x"]}, ["GroupR@2", "Complete@3"], extra="zero", undefined=0.0)
    assert values == {"GroupR@2": (1 / 2 + 0) / 2, "Complete@3": (1 + 0) / 2}


@few
@given(data=st.data(), k=st.integers(1, 5))
def test_nuggets_are_supported_by_the_best_document(data: st.DataObject, k: int) -> None:
    size = data.draw(st.integers(1, 4))
    grades = st.sampled_from([0.0, 0.5, 1.0])
    rows = data.draw(st.lists(st.lists(grades, min_size=size, max_size=size), min_size=1, max_size=5))
    best = [max(column) for column in zip(*rows[:k], strict=True)]
    strict = [float(grade == 1) for grade in best]
    assert rw.score(rows, f"NuggetR@{k}") == sum(best) / size
    assert rw.score(rows, f"NuggetR(partial=nothing)@{k}") == sum(strict) / size


@few
@given(groups=GROUPS, ranking=RANKINGS)
def test_means_over_groups_are_those_of_each_group_alone(groups: list[set[str]], ranking: list[str]) -> None:
    names = {"RR_IA": "RR", "AP_IA(norm=found)": "AP(norm=found)", "AP_IA": "AP"}
    found = means({"q": groups}, {"q": ranking}, list(names))
    for over_groups, alone in names.items():
        each = [means({"q": group}, {"q": ranking}, [alone])[alone] for group in groups]
        assert found[over_groups] == pytest.approx(sum(each) / len(each), rel=1e-15)
