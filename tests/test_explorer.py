"""The explorer without a browser: handlers give the library's numbers, and the server refuses what is not its page."""

import base64
import gzip
import json
import math
import re
import shlex
import socket
import subprocess
import sys
import urllib.error
import urllib.request
import warnings
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

import rankworth as rw
import signals
from rankworth import pages
from rankworth.cli.app import main
from rankworth.explorer import playground, server
from rankworth.explorer.inspector import Inspector
from rankworth.explorer.link import fragment
from rankworth.io import query_texts

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")  # of rankings made by chance

TOKEN = "the-token"  # noqa: S105 - of a server in the test
ROOT = Path(__file__).parent.parent
EXAMPLES = playground.examples()
MEASURES = ["nDCG", "RR", "AP", "P", "R", "RBP(p=0.9)"]


@st.composite
def states(draw: st.DrawFn) -> dict[str, Any]:
    """A query with rankings, some of them tied, grades and settings."""
    ids = [f"d{number}" for number in range(draw(st.integers(1, 8)))]
    grades = [draw(st.sampled_from([None, 0, 1, 2, 3])) for _ in ids]
    grades[0] = 2
    rankings = []
    for name in ("A", "B")[: draw(st.integers(1, 2))]:
        documents = draw(st.permutations(ids))[: draw(st.integers(1, len(ids)))]
        scores = sorted((draw(st.integers(0, 4)) for _ in documents), reverse=True)
        rankings.append({"name": name, "documents": documents, "scores": draw(st.sampled_from([None, scores]))})
    return {
        "documents": [{"id": one, "grade": grade, "text": ""} for one, grade in zip(ids, grades, strict=True)],
        "rankings": rankings,
        "measures": draw(st.lists(st.sampled_from(MEASURES), min_size=1, max_size=3, unique=True)),
        "cutoff": draw(st.sampled_from([None, 1, 3, 10])),
        "profile": draw(st.sampled_from(["standard-1", "trec_eval-10.0-c"])),
        "settings": {"ties": draw(st.sampled_from([None, "id-ascending", "id-descending"]))},
    }


@given(states())
def test_values_and_explanations_are_those_of_the_library(state: dict[str, Any]) -> None:
    qrels = {"q": {one["id"]: one["grade"] for one in state["documents"] if one["grade"] is not None}}
    measures = [f"{name}@{state['cutoff']}" if state["cutoff"] else name for name in state["measures"]]
    options = {"profile": state["profile"], **{name: one for name, one in state["settings"].items() if one}}
    found = playground.score(state)
    for ranking, shown in zip(state["rankings"], found["rankings"], strict=True):
        scores = ranking["scores"] or [-rank for rank in range(len(ranking["documents"]))]
        run = {"q": dict(zip(ranking["documents"], scores, strict=True))}
        expected = [rw.evaluate(qrels, run, [one], **options).per_query.to_dict().get("q", {}) for one in measures]
        for name, row in zip(measures, expected, strict=True):
            value = row.get(name, math.nan)
            assert shown["values"][name] == (None if math.isnan(value) else value)
        explained = rw.explain(qrels, run, measures[0], query="q", **options)
        assert shown["explanation"]["value"] == shown["values"][measures[0]]
        assert [term["contribution"] for term in shown["explanation"]["terms"]] == [
            None if term.contribution is None or math.isnan(term.contribution) else term.contribution
            for term in explained.terms
        ]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_each_example_is_measured_and_varied(example: dict[str, Any]) -> None:
    state = example["state"]
    answer = playground.score(state)
    assert all(value is not None for ranking in answer["rankings"] for value in ranking["values"].values())
    assert len(playground.profiles(state)["rows"]) == len(rw.PROFILES)
    assert playground.changes({**state, "document": state["documents"][0]["id"]})["measure"] == answer["lead"]
    if not state["rankings"][0]["documents"]:
        with pytest.raises(rw.UsageError, match="without documents"):
            playground.export({**state, "form": "python"})


def first_of(state: dict[str, Any]) -> dict[str, float | None]:
    """The values of the first ranking on the page."""
    values: dict[str, float | None] = playground.score(state)["rankings"][0]["values"]
    return values


@given(states())
def test_lines_of_python_give_the_numbers_of_the_page(state: dict[str, Any]) -> None:
    results: list[Any] = []
    source = playground.export({**state, "form": "python"})["text"]
    exec(compile(source, "exported", "exec"), {"print": results.append})  # noqa: S102 - our own lines
    values = results[0].per_query.to_dict().get("q", {})
    assert first_of(state) == {name: None if math.isnan(value) else value for name, value in values.items()}
    assert results[1].measure == playground.score(state)["lead"]


PLAIN = {"documents": [{"id": "a", "grade": 2}, {"id": "b b", "grade": 1}, {"id": "c", "grade": None}]}
ORDER = ["c", "b b", "a"]
EXPORTED = [
    *(each["state"] for each in EXAMPLES if each["state"]["rankings"][0]["documents"]),
    *(
        PLAIN | {"rankings": [{"name": "A", "documents": ORDER, "scores": scores}], "measures": ["AP", "nDCG"]} | more
        for scores, more in [
            (None, {"measures": ["num_ret", "AP"], "profile": "trec_eval-10.0-c", "rel": 2}),
            ([3, 2, 2], {"query": "-q", "settings": {"ties": "expected"}}),
            ([1 + 1e-9, 1, 0.5], {"profile": "trec_eval-10.0-c"}),
            ([1, 0, -1], {"profile": "torchmetrics-1.9"}),
            (None, {"settings": {"unjudged": "removed", "fewest": 2}, "cutoff": 3}),
        ]
    ),
]


@pytest.mark.parametrize("state", EXPORTED, ids=range(len(EXPORTED)))
def test_the_command_gives_the_numbers_of_the_page(
    state: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    *files, command = playground.export({**state, "form": "command"})["text"].splitlines()
    for line in files:
        subprocess.run(["sh", "-c", line], check=True)
    assert main([*shlex.split(command)[1:], "-f", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    values = {each["measure"]: each["value"] for each in answer.get("explanations", [answer])}
    shown = first_of(state)
    assert values == {name: shown[name] for name in shown if name != "num_ret"}


def test_what_nobody_judged_is_refused_with_a_remedy() -> None:
    with pytest.raises(rw.UsageError, match="no document has a grade") as refused:
        playground.score(GOOD | {"documents": [{"id": "a", "grade": None}]})
    assert refused.value.remedy == "judge one: keys 0 to 9"


def test_nothing_changes_a_count_but_everything_is_there() -> None:
    answer = playground.changes(GOOD | {"measures": ["num_ret"], "document": "a"})
    assert [answer[name] for name in ("moves", "swap", "position", "grade")] == [[]] * 4
    assert playground.curve(GOOD | {"measures": ["num_ret"]}) == {"rows": []}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_every_cell_of_the_profiles_is_explained(example: dict[str, Any]) -> None:
    """By the first measure, which is explained; a profile that refuses a further one refuses the row."""
    state = example["state"] | {"measures": example["state"]["measures"][:1]}
    table = playground.profiles(state)
    for row in table["rows"]:
        reasons = playground.difference({**state, "other": row["profile"]})
        assert reasons["sentence"]
        assert (reasons["there"]["value"], bool(reasons["there"]["error"])) == (
            (row["values"][0], False) if row["values"] else (None, True)
        )


def test_a_count_is_exported_without_an_explanation() -> None:
    state = GOOD | {"measures": ["num_ret"]}
    assert "explain" not in playground.export({**state, "form": "python"})["text"]
    assert "| A | 1 |" in playground.export({**state, "form": "markdown"})["text"]
    with pytest.raises(rw.UsageError, match="no rank adds"):
        playground.export({**state, "form": "command"})


def test_the_examples_have_the_values_of_the_page_on_seven_ways() -> None:
    examples = {example["name"]: example["state"] for example in playground.start()["examples"]}
    cases = {
        "Worst ranking": ("nDCG(gain=exp2)@3", 0.2097),
        "Mixed ranking": ("nDCG(gain=exp2)@3", 0.5364),
        "Late success": ("nDCG(gain=exp2)@3", 0.2781),
        "The step table": ("nDCG(gain=exp2)@3", 0.6733),
        "3. Make the ideal ranking of what came back": ("nDCG@10", 0.5087),
        "4. Divide by a perfect list of k documents": ("nDCG(gain=binary, ideal=full)@10", 0.4690),
        "5. Keep the gain to yourself": ("nDCG(gain=exp2)@5", 0.9575),
    }
    for name, (measure, value) in cases.items():
        assert round(playground.score(examples[name])["rankings"][0]["values"][measure], 4) == value


def numbers(held: object) -> Iterator[float]:
    """All numbers in an answer."""
    for one in held.values() if isinstance(held, dict) else held if isinstance(held, list) else ():
        yield from [one] if isinstance(one, float) else numbers(one)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_each_number_that_an_example_names_is_on_its_page(example: dict[str, Any]) -> None:
    states = [{**example["state"], "gain": gain} for gain in ("", "linear", "exp2", "binary")]
    found = {*numbers([[playground.score(state), playground.profiles(state)] for state in states])}
    shown = {f"{one:.{digits}f}" for one in found for digits in range(1, 5)}
    assert {*re.findall(r"\d\.\d+", example["see"])} <= shown


def test_a_measure_keeps_the_cutoff_that_it_is_written_with() -> None:
    state = {**playground.examples()[0]["state"], "measures": ["nDCG@10", "P@5", "AP"], "cutoff": 3, "gain": ""}
    assert playground.score(state)["measures"] == ["nDCG@10", "P@5", "AP@3"]


def test_the_command_has_all_digits_of_grades() -> None:
    documents = [{"id": "a", "grade": 1.123456789}, {"id": "b", "grade": 1234567}]
    state = {"documents": documents, "rankings": [{"name": "A", "documents": ["a"]}], "measures": ["DCG"]}
    assert playground.export({**state, "form": "command"})["text"] == (
        "rankworth explain --grades 1.123456789 --missing 1234567 -m DCG\n"
    )


def test_numbers_that_are_too_large_for_a_measure_are_refused() -> None:
    with pytest.raises(rw.MeasureError, match="rel is"):
        playground.score(GOOD | {"measures": [f"P(rel={'9' * 400})"]})


def test_an_empty_ranking_changes_nothing_but_its_own_values() -> None:
    [state] = [each["state"] for each in playground.examples() if each["name"] == "Mixed ranking"]
    [mixed] = state["rankings"]
    alone, empty = playground.score(state), {"name": "Empty", "documents": [], "scores": None}
    for rankings in ([mixed, empty], [empty, mixed]):
        found = playground.score({**state, "rankings": rankings})
        assert {**found, "rankings": None} == {**alone, "rankings": None}
        by_name = {each["name"]: each for each in found["rankings"]}
        assert by_name["Mixed"] == alone["rankings"][0]
        assert set(by_name["Empty"]["values"].values()) == {0.0}


BAD = [
    None,
    [],
    {},
    {"documents": 1},
    {"documents": [{"id": 1}], "rankings": []},
    {"documents": [{"id": "a", "grade": "x"}], "rankings": [{"name": "A", "documents": ["a"]}], "measures": ["AP"]},
    {"documents": [{"id": "a", "grade": True}], "rankings": [{"name": "A", "documents": ["a"]}], "measures": ["AP"]},
    {"documents": [{"id": "a"}, {"id": "a"}], "rankings": [{"name": "A", "documents": []}], "measures": ["AP"]},
    {"documents": [{"id": "a"}], "rankings": [{"name": "A", "documents": ["b"]}], "measures": ["AP"]},
    {"documents": [{"id": "a"}], "rankings": [{"name": "A", "documents": ["a", "a"]}], "measures": ["AP"]},
    {"documents": [{"id": "a"}], "rankings": [{"name": "A", "documents": ["a"], "scores": []}], "measures": ["AP"]},
    {"documents": [{"id": "a"}], "rankings": [{"name": "A", "documents": ["a"]}], "measures": []},
    {
        "documents": [{"id": "a"}],
        "rankings": [{"name": "A", "documents": ["a"]}],
        "measures": ["AP"],
        "settings": {"nothing": 3},
    },
]


GOOD = {"documents": [{"id": "a", "grade": 1}], "rankings": [{"name": "A", "documents": ["a"]}], "measures": ["AP"]}
BAD += [
    GOOD | {"rankings": []},
    GOOD | {"rankings": GOOD["rankings"] * 2},
    GOOD | {"documents": [{"id": "a", "grade": 10**400}]},
    GOOD | {"rankings": [{"name": "A", "documents": ["a"], "scores": [-(10**400)]}]},
    *(GOOD | {"cutoff": cutoff} for cutoff in (-3, 0, 2.5, 10**400, "x", math.inf)),
    GOOD | {"measures": ["AP"] * 21},
]


@pytest.mark.parametrize("state", BAD, ids=range(len(BAD)))
@pytest.mark.parametrize("name", ["score", "curve", "profiles", "difference", "changes", "export"])
def test_what_is_no_state_is_refused(name: str, state: object) -> None:
    with pytest.raises(rw.UsageError) as refused:
        getattr(playground, name)(state)
    assert refused.value.slug == "bad-request"


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Inspector:
    """Two runs of the demonstration."""
    collection = rw.demo()
    texts = query_texts.queries(
        {query.id: {"text": query.text, "language": query.language} for query in collection.queries.values()}
    )
    runs = {name: rw.Run(collection.runs[name], name) for name in ("bm25", "dense")}
    saved = str(tmp_path_factory.mktemp("explorer") / "judged.qrels")
    return Inspector(rw.Qrels(collection.qrels), runs, ["nDCG@10", "AP"], {"profile": "standard-1"}, texts, None, saved)


def test_queries_are_listed_by_value_difference_group_and_filter(inspector: Inspector) -> None:
    collection = rw.demo()
    values = {
        name: rw.evaluate(collection.qrels, collection.runs[name], ["nDCG@10"]).per_query.to_dict()
        for name in ("bm25", "dense")
    }
    rows = inspector.rows({"run": "dense", "base": "bm25", "sort": "loss"})["rows"]
    differences = [values["dense"][row["id"]]["nDCG@10"] - values["bm25"][row["id"]]["nDCG@10"] for row in rows]
    assert [row["difference"] for row in rows] == differences == sorted(differences)
    assert inspector.rows({"sort": "worst"})["rows"][0]["value"] == min(
        row["nDCG@10"] for row in values["bm25"].values()
    )
    assert inspector.rows({"group": "language: ar"})["total"] == 34
    assert [row["id"] for row in inspector.rows({"filter": "MEDIAN of a list"})["rows"]] == ["en08"]
    assert inspector.rows({"sort": "id", "offset": 100})["rows"] == inspector.rows({"sort": "id"})["rows"][100:]


def test_a_query_has_two_rankings_with_what_each_document_adds(inspector: Inspector) -> None:
    collection = rw.demo()
    found = inspector.query({"query": "en08", "runs": ["bm25", "dense"], "depth": 5})
    for ranking in found["rankings"]:
        explained = rw.explain(collection.qrels, collection.runs[ranking["run"]], "nDCG@10", query="en08")
        assert ranking["value"] == explained.value
        assert [row["adds"] for row in ranking["rows"]] == [term.contribution for term in explained.terms[:5]]
    first, second = found["rankings"]
    ranks = {row["document"]: row["rank"] for row in second["rows"]}
    assert all(row["elsewhere"] == ranks[row["document"]] for row in first["rows"] if row["document"] in ranks)


@pytest.mark.parametrize("sort", ["loss", "worst"])
def test_rows_have_what_their_bars_are_drawn_from(inspector: Inspector, sort: str) -> None:
    base = {"base": "bm25"} if sort == "loss" else {}
    found = inspector.rows({"run": "dense", "sort": sort, **base})
    sizes = [abs(row["value" if sort == "worst" else "difference"]) for row in found["rows"]]
    assert found["largest"] == max(sizes)
    assert all(row["difference"] == row["value"] - row["base"] for row in found["rows"] if row["base"] is not None)
    assert all((row["base"] is None) == (sort == "worst") for row in found["rows"])


def test_moves_are_those_that_gain_most_by_trying_each(inspector: Inspector) -> None:
    collection = rw.demo()
    data = {"qrels": collection.qrels, "run": collection.runs["dense"], "query": "en08"}
    found = inspector.moves({"query": "en08", "run": "dense", "measure": "AP"})
    before = rw.explain(data["qrels"], data["run"], "AP", query="en08").value
    assert (found["run"], found["measure"], found["value"]) == ("dense", "AP", before)
    relevant = [document for document, grade in collection.qrels.to_dict()["en08"].items() if grade > 0]
    best = sorted(max(row["value"] for row in rw.vary(measures="AP", **data, document=each).rows) for each in relevant)
    assert [move["value"] for move in found["moves"]] == best[:-4:-1]
    assert [move["change"] for move in found["moves"]] == [value - before for value in best[:-4:-1]]


def test_a_query_counts_what_does_not_count(inspector: Inspector) -> None:
    collection = rw.demo()
    for ranking in inspector.query({"query": "en45", "runs": ["bm25", "dense"]})["rankings"]:
        missing = rw.explain(collection.qrels, collection.runs[ranking["run"]], "nDCG@10", query="en45").missing
        absent = [each for each in missing if each.rank is None]
        assert (ranking["absent"], ranking["low"]) == (len(absent), len(missing) - len(absent))
    unanswered = of_dicts().query({"query": "q1", "runs": ["short"]})["rankings"][0]
    assert (unanswered["absent"], unanswered["low"]) == (2, 0)


def test_a_query_without_results_is_no_unjudged_one() -> None:
    inspector = of_dicts()
    judged = {row["id"]: row["judged"] for row in inspector.rows({"run": "short"})["rows"]}
    assert judged == {"q1": None, "q2": 0.5}
    assert inspector.query({"query": "q1", "runs": ["one\ntwo", "short"]})["judged"] is None
    assert inspector.moves({"query": "q1", "run": "short"}) == {
        "run": "short", "measure": "AP", "value": 0.0, "moves": [], "retrieved": 0
    }  # fmt: skip


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "RBP(p=0.8)", "alpha_nDCG@3"])
def test_the_table_of_steps_is_that_of_explain(measure: str) -> None:
    documents = [{"id": name, "grade": grade} for name, grade in {"a": 3, "b": 0, "c": 1, "d": 2}.items()]
    state = {"documents": documents, "rankings": [{"name": "A", "documents": ["b", "a", "c"]}], "measures": [measure]}
    [table] = playground.score(state)["rankings"][0]["explanation"]["tables"]
    qrels = {"q": {each["id"]: each["grade"] for each in documents}}
    lines = rw.explain(qrels, {"q": ["b", "a", "c"]}, measure, query="q").to_markdown().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    assert [each["name"] for each in table] == cells[0]
    assert [list(row) for row in zip(*(each["cells"] for each in table), strict=True)] == cells[2:]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_what_an_example_proposes_is_of_its_own_documents(example: dict[str, Any]) -> None:
    [(kind, what)] = example["do"].items()
    state = example["state"]
    if kind in ("step", "rank", "grade"):
        assert what.keys() <= {each["id"] for each in state["documents"]}
    elif kind == "set":
        before = [each["values"] for each in playground.score(state)["rankings"]]
        lead = playground.score(state)["lead"]
        found = playground.score(state | what)
        assert ([each["values"] for each in found["rankings"]], found["lead"]) != (before, lead)
    else:
        assert (kind, what) in [("ideal", True), ("ranking", 1), ("view", "Conventions")]


@pytest.mark.parametrize("document", [["a"], {}, 1, "b"])
def test_changes_are_of_a_document_that_is_there(document: object) -> None:
    with pytest.raises(rw.UsageError, match="document"):
        playground.changes(GOOD | {"document": document})


STANDARD = {"profile": "standard-1"}
PAIR = {"q1": {"a b": 1.0, "c": 2.0}, "q2": {"d": 1.0}}
RUNS = {"one\ntwo": {"q1": {"c": 2.0, "e": 1.0}, "q2": {"d": 1.0}}, "short": {"q2": {"d": 2.0, "x": 1.0}}}


def of_dicts(qrels: object = PAIR, measures: Sequence[str] = ("AP", "nDCG@10"), **settings: object) -> Inspector:
    """Two runs, one of which does not answer a query."""
    runs = {name: rw.Run(run, name) for name, run in RUNS.items()}
    return Inspector(rw.Qrels(qrels), runs, measures, {"rel": None, "profile": "standard-1", **settings})


def test_a_query_that_a_run_does_not_answer_shows_what_is_missing_and_is_judged() -> None:
    inspector = of_dicts()
    found = inspector.query({"query": "q1", "runs": ["one\ntwo", "short"], "measure": "AP"})["rankings"]
    assert [each["value"] for each in found] == [0.5, 0.0]
    sentences = ["c (grade 2) was not retrieved", "a b (grade 1) was not retrieved"]
    assert [each["sentence"] for each in found[1]["missing"]] == sentences
    judged = inspector.judge({"query": "q1", "document": "e", "grade": 1})
    assert judged["values"] == {"one\ntwo": [2 / 3, judged["values"]["one\ntwo"][1]], "short": [0.0, 0.0]}
    expected = {name: rw.evaluate({**PAIR, "q1": PAIR["q1"] | {"e": 1}}, run, ["AP"]) for name, run in RUNS.items()}
    assert {name: means[0] for name, means in inspector.means({}).items()} == {
        name: values["AP"] for name, values in expected.items()
    }


@pytest.mark.parametrize("base", ["", "bm25"])
def test_documents_to_judge_are_those_of_the_library_and_follow_new_grades(base: str, inspector: Inspector) -> None:
    collection = rw.demo()
    runs = {name: collection.runs[name] for name in filter(None, [base, "dense" if base else "bm25"])}
    request = {"run": [*runs][-1], "base": base, "measure": "nDCG@10"}
    with warnings.catch_warnings(action="ignore", category=rw.RankworthWarning):
        expected = rw.judge_next(collection.qrels, runs, "nDCG@10", n=50)
        verdict = rw.compare(collection.qrels, runs, ["nDCG@10"]).verdict.sentence if base else ""
    answer = inspector.to_judge(request)
    assert [(row["query"], row["document"], row["effect"]) for row in answer["documents"]] == [
        (row.query, row.document, row.effect) for row in expected.documents
    ]
    assert (answer["left"], answer["can"], answer["verdict"]) == (expected.left, expected.notes[0], verdict)
    first = answer["documents"][0]
    inspector.judge({"query": first["query"], "document": first["document"], "grade": 3})
    after = [(row["query"], row["document"]) for row in inspector.to_judge(request)["documents"]]
    assert (first["query"], first["document"]) not in after
    inspector.judge({"query": first["query"], "document": first["document"], "grade": None})
    assert inspector.to_judge(request) == answer


@pytest.mark.parametrize(
    ("grades", "scale"), [([1, 2], [0, 1, 2]), ([0.5], [0, 0.5]), (list(range(12)), list(range(10)))]
)
def test_a_grade_is_chosen_from_those_of_the_judgements(grades: list[float], scale: list[float]) -> None:
    qrels = {key: {f"d{number}": grade for number, grade in enumerate(grades)} for key in ("q1", "q2")}
    assert of_dicts(qrels).session()["scale"] == scale


def test_findings_are_those_of_check() -> None:
    inspector = of_dicts()
    answer, found = inspector.findings({}), rw.check(PAIR, RUNS, inspector.measures)
    assert answer["verdict"] == found.verdict
    assert answer["findings"] == [f"{one.severity}: {one.text} [{one.slug}]" for one in found.findings] != []


def test_new_grades_of_ids_with_blanks_are_exported_as_lines_of_json() -> None:
    inspector = of_dicts()
    inspector.judge({"query": "q1", "document": "a b", "grade": 3})
    found = inspector.grades({})
    assert found["name"] == "qrels.jsonl"
    assert json.loads(found["text"]) == {"query": "q1", "document": "a b", "grade": 3.0}


def test_a_grade_without_subtopic_is_refused_where_judgements_have_some(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("q1 1 c 1\nq1 2 e 1\nq2 1 d 1\n")
    inspector = of_dicts(path, ["alpha_nDCG@10"])
    with pytest.raises(rw.UsageError, match="subtopics"):
        inspector.judge({"query": "q1", "document": "e", "grade": 1})


@pytest.mark.parametrize("settings", [{}, {"ties": "id-ascending"}, {"quirks": {"pool": "retrieved"}}, {"depth": 7}])
def test_a_query_has_its_values_in_the_playground(settings: dict[str, Any]) -> None:
    collection = rw.demo()
    runs = {name: rw.Run(collection.runs[name], name) for name in ("bm25", "dense")}
    measures = ["AP", "R@100", "nDCG@10", "num_ret"]
    conventions = {"rel": 2.0, "profile": rw.PROFILES["standard-1"], **settings}
    inspector = Inspector(rw.Qrels(collection.qrels), runs, measures, conventions)
    for query in ("en01", "en08", "ar02"):
        rows = [inspector.query({"query": query, "runs": [*runs], "measure": name})["rankings"] for name in measures]
        state = inspector.playground({"query": query, "runs": [*runs]})
        found = playground.score({**state, "lead": 3})
        assert [[one["values"][name] for one in found["rankings"]] for name in measures] == [
            [each["value"] for each in row] for row in rows
        ]
        assert state["note"] == ""
        assert all(bool(each["rows"]) == (query in runs[each["run"]].queries()) for row in rows for each in row)


@pytest.mark.parametrize(("order", "value"), [("auto", 1 / 3), ("score", 1 / 3), ("rank", 1.0), ("given", 1 / 2)])
def test_ranks_and_lines_of_a_file_are_kept(tmp_path: Path, order: str, value: float) -> None:
    trec, table = tmp_path / "ranked.run", tmp_path / "ranked.csv"
    trec.write_text("q Q0 b 2 0.9 t\nq Q0 a 1 0.1 t\nq Q0 c 3 0.5 t\n")
    table.write_text("query,document,rank,score\nq,b,2,0.9\nq,a,1,0.1\nq,c,3,0.5\n")
    for path in (trec, table):
        runs = {"x": rw.Run(str(path), "x")}
        inspector = Inspector(rw.Qrels({"q": {"a": 1}}), runs, ["RR"], STANDARD | {"order": order})
        assert inspector.query({"query": "q"})["rankings"][0]["value"] == value
        assert playground.score(inspector.playground({"query": "q"}))["rankings"][0]["values"] == {"RR": value}


def test_a_ranking_that_is_too_long_for_the_playground_says_so() -> None:
    deep = {f"d{number:04}": -number for number in range(1_200)}
    inspector = Inspector(
        rw.Qrels({"q": {"d0003": 1}}), {"deep": rw.Run({"q": deep})}, ["AP"], {"profile": "standard-1"}
    )
    state = inspector.playground({"query": "q"})
    assert len(state["rankings"][0]["documents"]) == 1_000
    assert state["note"] == "deep has 1,200 documents, of which the first 1,000 are here."
    assert playground.score(state)["rankings"][0]["values"] == {"AP": 1 / 4}


@pytest.mark.parametrize(
    "request_", [[], {"query": []}, {"query": "q9"}, {"query": "q1", "runs": "short"}, {"runs": [["short"]]}]
)
@pytest.mark.parametrize("name", ["rows", "query", "moves", "judge", "playground"])
def test_what_is_no_request_is_refused(name: str, request_: Any) -> None:
    wrong = {"run": 1, "offset": -1, "filter": []} if name in ("rows", "moves") and request_ else request_
    with pytest.raises(rw.UsageError) as refused:
        getattr(of_dicts(), name)(wrong)
    assert refused.value.slug == "bad-request"


def test_new_grades_are_counted_saved_and_taken_back(inspector: Inspector) -> None:
    collection = rw.demo()
    before = inspector.query({"query": "en10"})["rankings"][0]["value"]
    document = inspector.query({"query": "en10", "depth": 50})["rankings"][0]["missing"][0]["document"]
    found = inspector.judge({"query": "en10", "document": document, "grade": 0})
    qrels = collection.qrels.to_dict()
    qrels["en10"][document] = 0
    expected = rw.evaluate(qrels, collection.runs["bm25"], ["nDCG@10"], queries=["en10"])["nDCG@10"]
    assert found["values"]["bm25"][0] == expected != before
    assert Path(inspector.save).read_text() == inspector.grades({})["text"] == f"en10 0 {document} 0\n"
    assert inspector.judge({"query": "en10", "document": document, "grade": None})["values"]["bm25"][0] == before


def test_a_grade_that_cannot_be_saved_is_not_kept(inspector: Inspector, monkeypatch: pytest.MonkeyPatch) -> None:
    before, judged = inspector.query({"query": "en11"}), inspector.grades({})["text"]
    document = before["rankings"][0]["rows"][0]["document"]
    with monkeypatch.context() as patch:
        patch.setattr(inspector, "save", "/nowhere/judged.qrels")
        with pytest.raises(rw.UsageError, match="nowhere"):
            inspector.judge({"query": "en11", "document": document, "grade": 3})
    for odd in ("\ud800", "", 1):
        with pytest.raises(rw.UsageError, match="document"):
            inspector.judge({"query": "en11", "document": odd, "grade": 3})
    assert inspector.grades({})["text"] == judged
    assert inspector.query({"query": "en11"}) == before


def test_two_sessions_never_save_to_one_file(tmp_path: Path) -> None:
    first, second = of_dicts(), of_dicts()
    first.save = second.save = str(tmp_path / "judged.txt")
    for grade in (1, 2):
        first.judge({"query": "q1", "document": "e", "grade": grade})
    with pytest.raises(rw.UsageError, match="exists"):
        second.judge({"query": "q2", "document": "x", "grade": 3})
    assert Path(first.save).read_text() == "q1 0 e 2\n"


def test_a_run_may_answer_queries_only_that_have_no_value() -> None:
    qrels, runs = {"q1": {"a": 1}, "q2": {"b": 0}}, {"A": rw.Run({"q2": {"b": 1.0}}, "A")}
    inspector = Inspector(rw.Qrels(qrels), runs, ["AP"], {"profile": "standard-1", "no_relevant": "skip"})
    assert inspector.query({"query": "q1"})["rankings"][0]["value"] == 0.0


def test_ids_with_blanks_are_saved_where_they_can_be_read(tmp_path: Path) -> None:
    for name in ("judged.txt", "judged.csv", "judged.jsonl"):
        inspector = of_dicts()
        inspector.save = str(tmp_path / name)
        if name == "judged.txt":
            with pytest.raises(rw.UsageError, match="blanks"):
                inspector.judge({"query": "q1", "document": "a b", "grade": 3})
            assert not Path(inspector.save).exists()
        else:
            inspector.judge({"query": "q1", "document": "a b", "grade": 3})
            assert rw.Qrels(inspector.save).to_dict() == {"q1": {"a b": 3.0}}


def test_a_file_that_cannot_hold_the_ids_is_refused_before_the_page_opens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("j.csv").write_text("query,docid,rating\nkids bike,P1,2\nkids bike,P2,0\n")
    Path("r.jsonl").write_text('{"query":"kids bike","hits":["P2","P3","P1"]}\n')
    begun: list[Inspector] = []
    monkeypatch.setattr("rankworth.cli.explore.serve", lambda inspector, **_: begun.append(inspector))
    assert main(["explore", "j.csv", "r.jsonl", "--save-grades", "judged.txt"]) == 2
    said = capsys.readouterr().err
    assert "the query 'kids bike' has blanks or line ends" in said
    [remedy] = re.findall(r"(--save-grades \S+jsonl)", said)
    assert main(["explore", "j.csv", "r.jsonl", *remedy.split()]) == 0
    [inspector] = begun
    inspector.judge({"query": "kids bike", "document": "P3", "grade": 2})
    assert rw.Qrels("judged.jsonl").to_dict() == {"kids bike": {"P3": 2.0}}


def test_grades_are_never_saved_over_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "qrels.txt"
    kept.write_text("q 0 d 1\n")
    for target in (str(kept), str(tmp_path / "nowhere" / "x.txt")):
        assert main(["explore", str(kept), str(kept), "--no-browser", "--save-grades", target]) == 2
        assert "[unwritable-output]" in capsys.readouterr().err
    assert kept.read_text() == "q 0 d 1\n"


@pytest.fixture
def client() -> TestClient:
    """A client that knows the token."""
    found = TestClient(server.application(None, TOKEN, 8123), base_url="http://127.0.0.1:8123", follow_redirects=True)
    found.get(f"/?token={TOKEN}")
    return found


def test_the_page_and_its_files_are_there_with_headers_that_keep_them_here(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert TOKEN not in page.text
    for name in re.findall(r'(?:src|href)="/(page/[^"]+)"', page.text):
        assert client.get(f"/{name}").status_code == 200
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_the_page_and_all_its_files_are_small(client: TestClient) -> None:
    modules = [path.name for path in (Path(server.__file__).parent / "page").iterdir()]
    files = {f"/page/{name}" for name in [*modules, *pages.SHARED]}
    assert len(gzip.compress(b"".join(client.get(name).content for name in sorted(files)))) < 60_000


@pytest.mark.parametrize(
    ("status", "site", "method", "path"),
    [
        (401, "http://127.0.0.1:1", "GET", "/"),
        (401, "http://127.0.0.1:1", "GET", "/?token=x"),
        (401, "http://127.0.0.1:1", "POST", "/api/start"),
        (400, "http://evil.example", "GET", "/"),
        (400, "http://127.0.0.1:2", "GET", f"/?token={TOKEN}"),
        (400, "http://localhost", "GET", f"/?token={TOKEN}"),
        (400, "http://evil.example", "GET", f"/?token={TOKEN}"),
    ],
)
def test_strangers_are_refused(status: int, site: str, method: str, path: str) -> None:
    answer = TestClient(server.application(None, TOKEN, 1), base_url=site).request(method, path)
    assert answer.status_code == status
    assert TOKEN not in answer.text


@pytest.mark.parametrize(
    ("status", "path", "options"),
    [
        (403, "/api/score", {"json": {}, "headers": {"Origin": "http://evil.example"}}),
        (403, "/api/score", {"json": {}, "headers": {"Sec-Fetch-Site": "cross-site"}}),
        (415, "/api/score", {"content": "{}", "headers": {"Content-Type": "text/plain"}}),
        (400, "/api/score", {"content": "{", "headers": {"Content-Type": "application/json"}}),
        (400, "/api/score", {"content": "[" * 100_000, "headers": {"Content-Type": "application/json"}}),
        (413, "/api/score", {"content": b" " * (server.LARGEST + 1), "headers": {"Content-Type": "application/json"}}),
        (400, "/api/score", {"json": {}, "headers": {"Host": "evil.example"}}),
        (404, "/api/%1b[31mred", {"json": {}}),
        (422, "/api/score", {"json": {}}),
        (422, "/api/score", {"content": f'{{"cutoff": {"9" * 400}}}', "headers": {"Content-Type": "application/json"}}),
        (404, "/api/judge", {"json": {}}),
    ],
)
def test_requests_that_are_not_of_the_page_are_refused_and_the_server_goes_on(
    client: TestClient, status: int, path: str, options: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    assert client.post(path, **options).status_code == status
    assert client.post("/api/start", json={}).status_code == 200
    assert ("refused" in caplog.text) == (status != 422)
    assert TOKEN not in caplog.text
    assert "\x1b" not in caplog.text


@pytest.mark.parametrize("kind", ["application/json", "APPLICATION/JSON", "Application/Json; charset=utf-8"])
def test_the_type_of_a_request_may_be_written_in_any_case(client: TestClient, kind: str) -> None:
    assert client.post("/api/start", content="{}", headers={"Content-Type": kind}).status_code == 200


def test_a_request_that_fails_is_answered_with_the_same_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(playground, "start", fail)
    app = server.application(None, TOKEN, 8123)
    client = TestClient(app, base_url="http://localhost:8123", raise_server_exceptions=False)
    client.get(f"/?token={TOKEN}")
    answer = client.post("/api/start", json={})
    assert answer.status_code == 500
    assert {name: answer.headers.get(name) for name in server.HEADERS} == server.HEADERS


@pytest.mark.parametrize("name", ["..%2F..%2Fserver.py", "%2e%2e/server.py", "nothing.js", "..%5Cserver.py"])
def test_no_other_file_is_served(client: TestClient, name: str) -> None:
    assert client.get(f"/page/{name}").status_code == 404


def test_the_command_serves_takes_the_next_port_and_ends_with_ctrl_c() -> None:
    with socket.socket() as taken:
        taken.bind((server.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "rankworth", "explore", "--no-browser", "--port", str(port)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, preexec_fn=signals.usual)  # noqa: PLW1509 - no threads yet
        assert process.stdout
        address = process.stdout.readline().strip()
        assert re.match(r"http://127\.0\.0\.1:\d+/\?token=.{32}$", address)
        assert f":{port}/" not in address
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(address.partition("?")[0])  # noqa: S310 - on this machine
        process.send_signal(2)
        _, said = process.communicate(timeout=60)
    assert f"port {port} is in use" in said
    assert TOKEN not in said
    assert process.returncode == 0


def test_a_link_is_opened_and_a_broken_one_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    def packed(state: object) -> str:
        packer = zlib.compressobj(wbits=-15)
        return (
            base64.urlsafe_b64encode(packer.compress(json.dumps(state).encode()) + packer.flush()).decode().rstrip("=")
        )

    text = packed(GOOD)
    assert fragment(f"http://127.0.0.1:8123/#{text}") == f"#{text}"
    for link in ("abc", "http://127.0.0.1/", text[:-4], "%%%", packed([]), packed(GOOD | {"rankings": []})):
        assert main(["explore", "--no-browser", "--open", link]) == 2
        assert "[bad-request]" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["qrels.txt"], ["--queries", "queries.tsv"], ["--save-grades", "judged.txt"]])
def test_half_of_the_files_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "--no-browser", *arguments]) == 2
    assert "[conflicting-options]" in capsys.readouterr().err


def test_examples_that_the_page_names_for_the_notebooks_are_in_the_playground() -> None:
    page = (ROOT / "docs" / "explorer.md").read_text("utf-8")
    rows = re.findall(r"^\| 00\d \| `.+?` \| (.+) \|$", page, re.MULTILINE)
    assert len(rows) == 20
    examples = {example["name"] for example in playground.start()["examples"]}
    named = {name for row in rows if row.startswith("example") for name in re.findall(r"\*([^*]+)\*", row)}
    assert named
    assert named <= examples
