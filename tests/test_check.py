"""`rankworth check` finds every defect that is planted, and reports nothing but notes of what is sound."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankworth as rw
from planted import KINDS, Collection
from rankworth import demonstration
from rankworth.checking.reading import RowFacts
from rankworth.cli.app import main
from rankworth.errors import InputError, UsageError, slugs
from rankworth.io.source import Source


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Collection]:
    """The collection that comes with rankworth, and its English part under numbers."""
    folder = tmp_path_factory.mktemp("demo")
    demonstration.write(folder)
    texts = {name: (folder / f"{name}.run").read_text() for name in ("dense", "dense-translated", "fused")}
    whole = Collection.of((folder / "qrels.txt").read_text(), texts)
    numbered = whole.copy()
    for lines in (numbered.qrels, *numbered.runs.values()):
        lines[:] = [[line[0].replace("en", "10"), *line[1:]] for line in lines if line[0].startswith("en")]
    return {"all": whole, "English, numbered": numbered}


def loud(result: rw.Check) -> list[tuple[str, str]]:
    """What is no note."""
    return [(finding.slug, finding.text) for finding in result.findings if finding.severity != "note"]


@pytest.mark.parametrize("name", ["all", "English, numbered"])
def test_a_sound_collection_has_notes_only(name: str, collections: dict[str, Collection], tmp_path: Path) -> None:
    result = rw.check(**collections[name].write(tmp_path))
    assert loud(result) == []
    assert {"no-relevant-documents", "unretrieved-documents"} <= {finding.slug for finding in result.findings}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["all", "English, numbered"])
def test_a_planted_defect_is_found(kind: str, name: str, collections: dict[str, Collection], tmp_path: Path) -> None:
    data, defect = collections[name].copy(), KINDS[kind]
    defect.plant(data, random.Random(f"{kind} {name}"))  # noqa: S311 - planted
    result = rw.check(**data.write(tmp_path))
    found = [
        finding for finding in result.findings if (finding.slug, finding.severity) == (defect.slug, defect.severity)
    ]
    assert found, result
    assert data.line is None or data.line in [finding.line for finding in found]


def test_there_are_kinds_enough() -> None:
    assert len(KINDS) >= 25
    assert {kind.slug for kind in KINDS.values()} <= set(slugs())


QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 0}}


def test_all_lines_with_problems_are_named_and_the_others_measured(tmp_path: Path) -> None:
    lines = [f"q1 Q0 d{number} {number} {-number} x" for number in range(1, 41)]
    for number in range(0, 40, 2):
        lines[number] = lines[number].replace(" Q0", "")
    lines[1] = "q1 Q0 a 2 50 x"
    (tmp_path / "bad.run").write_text("\n".join(lines))
    result = rw.check({"q1": {"a": 1}}, tmp_path / "bad.run", ["RR"])
    assert [finding.line for finding in result.errors] == list(range(1, 41, 2))
    assert {finding.slug for finding in result.errors} == {"run-columns"}
    assert {finding.file for finding in result.errors} == {str(tmp_path / "bad.run")}
    assert result.sources[1].mean == {"RR": 1.0}
    assert result.sources[1].rows == 20


def test_repeated_lines_are_all_named_and_the_best_counts(tmp_path: Path) -> None:
    lines = [f"q1 Q0 d{number} {number} {-number} x" for number in range(1, 21)]
    (tmp_path / "twice.run").write_text("\n".join([*lines, *lines]))
    result = rw.check({"q1": {"d2": 1}}, tmp_path / "twice.run", ["RR"])
    assert [finding.line for finding in result.errors] == list(range(21, 41))
    assert result.sources[1].mean == {"RR": 1 / 2}


def test_queries_without_results_have_the_mean_both_ways() -> None:
    judged = {f"q{number}": {"a": 1} for number in range(20)}
    run = {f"q{number}": {"a": 1.0} for number in range(19)}
    finding, *_ = rw.check(judged, {"most": run}, ["RR"]).findings
    assert (finding.slug, finding.severity, finding.queries) == ("many-unanswered", "note", ("q19",))
    assert f"RR is {19 / 20:.4f} if they count as empty rankings, 1.0000 without them" in finding.text


def test_ties_have_the_range_of_the_mean() -> None:
    run = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 2.0, "c": 1.0}}
    [finding] = rw.check(QRELS, {"tied": run}, ["RR"]).findings
    assert (finding.slug, finding.severity) == ("many-ties", "warning")
    assert f"over all orders, RR is between {(1 / 2 + 1) / 2:.4f} and {1:.4f}" in finding.text
    with pytest.warns(rw.RankworthWarning) as warned:
        rw.evaluate(QRELS, rw.Run(run, "tied"), ["RR"])
    assert finding.text.startswith(str(warned[0].message).partition("   [")[0])


def test_self_matches_have_the_mean_without_them() -> None:
    judged = {"a": {"b": 1}, "c": {"d": 1}}
    run = {"a": {"a": 2.0, "b": 1.0}, "c": {"c": 2.0, "d": 1.0}}
    finding = next(each for each in rw.check(judged, {"own": run}, ["RR"]).findings if each.slug == "self-matches")
    assert "RR is 0.5000 with and 1.0000 without them" in finding.text
    assert finding.queries == ("a", "c")
    assert "self-matches" not in [each.slug for each in rw.check(judged, {"own": run}, ["RR"], exclude="self").findings]


ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=8)


@given(ROWS)
def test_ranks_contradict_scores_as_pairs_say(rows: list[tuple[str, int, int]]) -> None:
    """Scores are distinct within a query, so that each pair has an order."""
    rows = [(query, 4 * score + place / 10, rank) for place, (query, score, rank) in enumerate(rows)]
    contradicting = {
        query
        for query, score, rank in rows
        for other, lower, earlier in rows
        if query == other and score > lower and rank > earlier
    }
    frame = pl.DataFrame(rows, schema=["query", "score", "rank"], orient="row").with_row_index("document")
    seen = RowFacts()
    seen.look_at(frame.with_columns(pl.col("document").cast(pl.String), pl.col("rank").cast(pl.Float64)))
    assert {*seen.contradicting} == contradicting


@pytest.mark.parametrize(
    "readable",
    [
        pytest.param(lambda run, _: {"x": run}, id="dict"),
        pytest.param(lambda run, _: run, id="one dict"),
        pytest.param(lambda run, _: {"x": frame_of(run)}, id="frame"),
        pytest.param(lambda run, _: [rw.Run(run, "x")], id="Run"),
        pytest.param(lambda run, folder: [written(run, folder / "x.run")], id="file"),
        pytest.param(lambda run, folder: written(run, folder / "x.run"), id="one file"),
    ],
)
def test_findings_are_those_of_any_input(readable: Callable[[Any, Path], Any], tmp_path: Path) -> None:
    run = {"q1": {"q1": 3.0, "b": 2.0}, "q9": {"a": 1.0}}
    result = rw.check(QRELS, readable(run, tmp_path), ["RR"])
    assert [(finding.severity, finding.slug) for finding in result.findings] == [
        ("error", "no-relevant-retrieved"),
        ("warning", "many-unanswered"),
        ("warning", "self-matches"),
        ("note", "ignored-queries"),
        ("note", "unjudged-documents"),
        ("note", "unretrieved-documents"),
    ]


def frame_of(run: dict[str, dict[str, float]]) -> pl.DataFrame:
    """A run as a frame."""
    rows = [(query, document, score) for query, documents in run.items() for document, score in documents.items()]
    return pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")


def written(run: dict[str, dict[str, float]], path: Path) -> Path:
    """A run as a file of TREC's lines."""
    rows = frame_of(run).iter_rows()
    path.write_text(
        "".join(f"{query} Q0 {document} {place} {-place} x\n" for place, (query, document, _) in enumerate(rows))
    )
    return path


@pytest.mark.parametrize(
    ("scores", "is_suspected"),
    [
        pytest.param([1, 2, 3, 4, 5, 6], True, id="ranks"),
        pytest.param([0.1, 0.2, 0.25, 0.5, 0.75, 0.9], True, id="distances"),
        pytest.param([6, 5, 4, 3, 2, 1], False, id="falling"),
        pytest.param([1, 2, 3, 4, 4, 5], True, id="distances of which two are equal"),
        pytest.param([1, 2, 3, 5, 4, 6], False, id="not always rising"),
        pytest.param([1, 1, 1, 1, 1, 1], False, id="all equal"),
        pytest.param([1, 2, 3, 4], False, id="few"),
    ],
)
@pytest.mark.parametrize("best", [0, -1], ids=["the first is relevant", "the last is relevant"])
@pytest.mark.parametrize("form", ["dict", "frame", "file"])
def test_scores_that_rise_are_suspected_where_the_order_of_lines_is_worth_more(
    form: str, best: int, scores: list[float], is_suspected: bool, tmp_path: Path
) -> None:
    documents = [f"d{place}" for place in range(len(scores))]
    judged = {f"q{number}": {documents[best]: 1} for number in range(3)}
    run: Any = {query: dict(zip(documents, map(float, scores), strict=True)) for query in judged}
    if form == "file":
        run = tmp_path / "x.csv"
        frame_of({query: dict(zip(documents, map(float, scores), strict=True)) for query in judged}).write_csv(run)
    result = rw.check(judged, {"x": frame_of(run) if form == "frame" else run}, ["RR"])
    suspected = [finding.text for finding in result.findings if finding.slug == "contradicting-ranks"]
    assert bool(suspected) == (is_suspected and best == 0)
    assert all("RR is 0.1667, and 1.0000 in the order of lines" in text for text in suspected)


def test_users_and_items_that_are_both_numbered_are_no_self_matches() -> None:
    run = {str(user): [str(item) for item in range(40, 0, -1)] for user in range(1, 31)}
    result = rw.check({user: {"7": 1} for user in run}, {"popular": run}, ["RR"])
    assert [each.severity for each in result.findings if each.slug == "self-matches"] == ["note"]


def test_documents_of_the_neighbouring_query_are_found() -> None:
    documents = {number: [f"d{number // 2}", *(f"d{number}-{place}" for place in range(4))] for number in range(9)}
    judged = {f"q{number}": dict.fromkeys(own, 1) for number, own in documents.items()}
    run = {f"q{number}": own for number, own in documents.items()}
    assert "no-common-documents" not in {finding.slug for finding in rw.check(judged, {"x": run}).findings}
    shifted = {f"q{number}": documents[(number - 1) % 9] for number in range(9)}
    [finding] = [each for each in rw.check(judged, {"x": shifted}).errors if each.slug == "no-common-documents"]
    assert "4 are judged for their query and 45 for the query before it in the run" in finding.text


def test_unjudged_documents_have_the_bounds_of_the_mean() -> None:
    judged = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
    run = {"q1": {"x": 3.0, "b": 2.0}, "q2": {"a": 1.0}}
    result = rw.check(judged, {"holes": run}, ["RR@10"], bounds="unjudged")
    text = next(finding.text for finding in result.findings if finding.slug == "unjudged-documents")
    assert f"RR@10 is {1 / 2:.4f}, and between {1 / 2:.4f} and {1:.4f} whatever they are worth" in text


def test_runs_are_read_where_judgements_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "bad.run").write_text("q1 Q0 a 1 high x\n")
    result = rw.check({"q1": {"a": "high"}}, tmp_path / "bad.run")
    assert [finding.slug for finding in result.errors] == ["bad-grade", "bad-score"]


def test_judgements_alone_are_checked() -> None:
    result = rw.check({"q1": {"a": 0.5, "b": 2}, "q2": {"a": 0}})
    assert [(finding.severity, finding.slug, finding.queries) for finding in result.findings] == [
        ("warning", "fractional-grades", ("q1",)),
        ("warning", "no-relevant-documents", ("q2",)),
    ]


def test_what_is_in_a_file_is_a_finding_and_a_file_that_is_not_there_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        rw.check(QRELS, tmp_path / "nothing.run")
    assert raised.value.slug == "missing-file"
    (tmp_path / "empty.run").write_text("")
    (tmp_path / "zeros.run").write_bytes(b"q1 Q0 a 1 1 x\n\0\0\n")
    result = rw.check(QRELS, [tmp_path / "empty.run", tmp_path / "zeros.run"], ["RR"])
    assert [finding.slug for finding in result.errors] == ["empty-input", "binary-file"]
    for scores in ({"a": "high"}, {"a": 1.0, "b": "high", "c": 2.0, "d": 3.0, "e": 4.0}):
        assert [finding.slug for finding in rw.check(QRELS, {"x": {"q1": scores}}, ["RR"]).errors] == ["bad-score"]


def test_two_runs_of_one_name_are_refused(tmp_path: Path) -> None:
    run = written({"q1": {"a": 1.0}}, tmp_path / "x.run")
    with pytest.raises(UsageError) as raised:
        rw.check(QRELS, [run, run], ["RR"])
    assert raised.value.slug == "run-names"


def test_profiles_stand_side_by_side() -> None:
    run = {"q1": {"b": 2.0, "a": 2.0}, "q2": {"a": 1.0}}
    result = rw.check(QRELS, {"x": run}, ["RR"], profiles=["trec_eval-10.0", "elinor-0.4"])
    values = {name: each["RR"] for name, each in result.profiles["x"].items() if isinstance(each, rw.Values)}
    assert values == {"trec_eval-10.0": (1 / 2 + 1) / 2, "elinor-0.4": 1.0}
    [of_run] = result.to_dict()["profiles"]
    assert [each["profile"] for each in of_run["profiles"]] == ["trec_eval-10.0", "elinor-0.4"]
    assert "elinor-0.4" in result.to_markdown()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgements, a run with a fault, and a sound one, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\n")
    Path("sound.run").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\n")
    Path("100%,a:b.run").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 high x\n")


@pytest.mark.usefixtures("files")
def test_the_exit_status_says_whether_there_are_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "qrels.txt", "sound.run"]) == 0
    assert main(["check", "qrels.txt", "100%,a:b.run"]) == 1
    assert main(["check", "qrels.txt", "nothing.run"]) == 2
    assert "missing-file" in capsys.readouterr().err
    assert main(["check", "qrels.txt", "sound.run", "-f", "nothing"]) == 2
    assert main(["check", "qrels.txt"]) == 0


@pytest.mark.usefixtures("files")
def test_github_gets_one_line_for_each_finding_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "qrels.txt", "100%,a:b.run", "-m", "RR", "-f", "github"]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    place, text = first.removeprefix("::error ").split("::", 1)
    assert place == "file=100%25%2Ca%3Ab.run,line=2,title=bad-score"
    assert text.startswith("100%25,a:b.run:2: the score is 'high', not a number%0A")


@pytest.mark.usefixtures("files")
def test_json_has_all_fields_of_all_findings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "qrels.txt", "100%,a:b.run", "-m", "RR", "-f", "json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["schema"] == "rankworth.check/1"
    assert record["counts"] == {"error": 1, "warning": 0, "note": 0}
    assert [source["name"] for source in record["inputs"]] == ["judgements", "100%,a:b"]
    assert record["inputs"][1]["mean"] == {"RR": 1.0}
    [finding] = record["findings"]
    assert (finding["slug"], finding["line"], finding["run"]) == ("bad-score", 2, "100%,a:b")


@pytest.mark.usefixtures("files")
def test_tables_show_ten_of_a_kind_and_rows_all(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.run").write_text("q1 Q0 a 1 9 x\n" + "".join(f"q1 Q0 d{number} 1 high x\n" for number in range(15)))
    main(["check", "qrels.txt", "bad.run", "-m", "RR"])
    table = capsys.readouterr().out
    assert table.count("[bad-score]") == 10
    assert "... and 5 more" in table
    main(["check", "qrels.txt", "bad.run", "-m", "RR", "-f", "csv"])
    assert capsys.readouterr().out.count("bad-score") == 15


def test_a_run_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written({"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}}, tmp_path / "x.run")
    opened = []
    raw = Source._raw
    monkeypatch.setattr(Source, "_raw", lambda self: opened.append(self.path) or raw(self))
    rw.check(QRELS, path, ["RR"])
    assert opened == [str(path)]


def lists(sizes: dict[str, int], relevant: dict[str, set[int]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judge some ranks of lists of documents."""
    run = {query: {f"{query}-{rank}": float(-rank) for rank in range(1, size + 1)} for query, size in sizes.items()}
    qrels = {query: {f"{query}-{rank}": 1 for rank in ranks} for query, ranks in relevant.items()}
    return qrels, run


SIX = [f"q{number}" for number in range(6)]
CANDIDATES: dict[str, tuple[dict[str, int], dict[str, set[int]], list[str], bool]] = {
    "lists as long as the cutoff that hold all": (dict.fromkeys(SIX, 10), {key: {3} for key in SIX}, ["nDCG@10"], True),
    "shorter ones": ({query: 4 + place for place, query in enumerate(SIX)}, {key: {2} for key in SIX}, ["R@10"], True),
    "a cutoff below": (dict.fromkeys(SIX, 11), {key: {3} for key in SIX}, ["nDCG@10"], False),
    "no cutoff": (dict.fromkeys(SIX, 10), {key: {3} for key in SIX}, ["AP"], False),
    "a relevant document that is not there": (
        dict.fromkeys(SIX, 10),
        {key: {3} for key in SIX} | {"q0": {11}},
        ["R@10"],
        False,
    ),
    "four queries": (dict.fromkeys(SIX[:4], 10), {key: {3} for key in SIX[:4]}, ["nDCG@10"], False),
    "only relevant documents": (dict.fromkeys(SIX, 2), {key: {1, 2} for key in SIX}, ["R@10"], False),
}


@pytest.mark.parametrize("case", CANDIDATES)
def test_candidates_among_which_all_is_found_are_told(case: str) -> None:
    sizes, relevant, measures, is_told = CANDIDATES[case]
    qrels, run = lists(sizes, relevant)
    found = [
        finding for finding in rw.check(qrels, {"run": run}, measures).findings if finding.slug == "few-candidates"
    ]
    assert len(found) == is_told
    assert not is_told or ("1 by construction" in found[0].text) == (measures == ["R@10"])


TWELVE = [f"q{number}" for number in range(12)]


@pytest.mark.parametrize(
    ("relevant", "is_told"),
    [
        ({key: {1, 2} for key in TWELVE}, True),
        ({key: {1} for key in TWELVE}, False),  # the first document is right, as of a good run
        ({key: {1, 2} for key in TWELVE} | {"q0": {1, 3}}, False),
        ({key: {1, 2} for key in TWELVE} | {"q0": {1, 2, 3}}, False),
        ({key: {1, 2} for key in TWELVE[:9]}, False),
    ],
)
def test_small_gold_that_one_run_wrote_is_told(relevant: dict[str, set[int]], is_told: bool) -> None:
    qrels, run = lists(dict.fromkeys(TWELVE, 20), relevant)
    slugs_found = [finding.slug for finding in rw.check(qrels, {"run": run}, ["RR"]).findings]
    assert ("one-run-pool" in slugs_found) == is_told


TEXTS = {"a": "Red shoes", "b": "red\n SHOES", "c": "Red shoe", "d": "Red shoes"}


@pytest.mark.parametrize(
    ("qrels", "queries"),
    [
        ({"q1": {"a": 1, "b": 2}, "q2": {"a": 1}}, ("q1",)),
        ({"q1": {"a": 1, "c": 1}, "q2": {"b": 1}}, ()),
        ({"q1": {"a": 1, "d": 0}}, ()),  # one of them is not relevant
        ({"q1": {"a": 1, "missing": 1, "gone": 1}}, ()),
        ({"q1": {"a": 1, "d": 1}, "q2": {"b": 1, "d": 1, "c": 1}}, ("q1", "q2")),
    ],
)
def test_relevant_documents_of_one_text_are_told(qrels: dict[str, Any], queries: tuple[str, ...]) -> None:
    result = rw.check(qrels, {"run": {query: {"a": 1.0} for query in qrels}}, ["RR"], docs=TEXTS)
    assert (
        tuple(query for finding in result.findings if finding.slug == "same-texts" for query in finding.queries)
        == queries
    )


def test_gold_spans_of_one_text_are_told() -> None:
    gold, sources = {"q1": [("s", 0, 4), ("s", 5, 9)], "q2": [("s", 0, 4)]}, {"s": "red. RED. blue."}
    result = rw.check(gold, {"run": {"q1": [("s", 0, 4)], "q2": [("s", 0, 4)]}}, ["RR"], sources=sources)
    assert [finding.queries for finding in result.findings if finding.slug == "same-texts"] == [("q1",)]


@pytest.mark.parametrize(
    ("name", "text", "column"),
    [
        ("run.csv", "query,document,score,parent\nq1,c1,2,d1\nq1,c2,1,d9\n", "parent"),
        (
            "run.jsonl",
            '{"query": "q1", "document": "c1", "score": 2, "metadata": {"source": "d1"}}\n',
            "metadata.source",
        ),
        ("run.jsonl", '{"query": "q1", "document": "c1", "score": 2, "metadata": {"source": "d9"}}\n', ""),
    ],
)
def test_the_column_of_judged_ids_is_named(name: str, text: str, column: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    result = rw.check({"q1": {"d1": 1, "d2": 0}}, [tmp_path / name], ["RR"])
    [finding] = [finding for finding in result.findings if finding.slug == "no-common-documents"]
    assert ("--run-columns document=" in finding.text) == bool(column)
    if column:
        assert f"--run-columns document={column}, in Python run_columns={{'document': '{column}'}}" in finding.text
        again = rw.check({"q1": {"d1": 1, "d2": 0}}, [tmp_path / name], ["RR"], run_columns={"document": column})
        assert "no-common-documents" not in [each.slug for each in again.findings]
