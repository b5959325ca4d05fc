"""The section of a report on a pipeline: its numbers are those of `trace`, and nothing in it needs a script."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankworth as rw
from helpers import Command, command_of
from rankworth.errors import RankworthError
from rankworth.plots import data
from rankworth.report import make

pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}, "q3": {"a": 1}}
FIRST = {"q1": ["x", "a", "b"], "q2": ["y", "z"], "q3": ["a", "b"]}
SECOND = {"q1": ["b", "y"], "q2": ["c", "y"], "q3": ["x"]}
LAST = {"q1": ["a", "x"], "q2": ["y", "c"], "q3": ["x", "a"]}
STAGES = [{"bm25": FIRST, "dense": SECOND}, {"last": LAST}]
RUNS = {"bm25": FIRST, "dense": SECOND, "last": LAST}
HOSTILE = "</script><img src=x onerror=alert(1)>&\"'"


def section(page: str) -> str:
    """The section of a page."""
    return page.partition('<section id="pipeline" aria-label="Pipeline">')[2].partition("</section>")[0]


def text_of(markup: str) -> str:
    """The words of a section."""
    return " ".join(re.sub("<[^>]*>", " ", markup).replace("\N{MINUS SIGN}", "-").split())


def test_the_section_says_what_trace_says() -> None:
    traced = rw.trace(QRELS, STAGES, "nDCG@2")
    report = make(QRELS, RUNS, ["nDCG@2", "RR"], stages=STAGES, profiles=False)
    shown = text_of(section(report.html))
    assert report.record["pipeline"]["verdict"] == traced.verdict
    assert text_of(report.html).count(f"Pipeline: {traced.verdict}") == 2  # on the first screen, and above the section
    for stage in traced.stages:
        assert f"{stage.ceiling:.3f} {stage.realised:.3f} {100 * stage.share:.0f} %" in shown
    step = traced.stages[1]
    assert f"{step.difference:+.3f}" in shown
    assert f"{traced.stages[0].run} → {step.run}" in shown
    for loss in traced.losses:
        assert f"{loss.stage} {loss.kind} {loss.loss:.3f} {loss.documents}" in shown
    for row in traced.queries:
        assert f"{row.query} {-row.loss:+.3f}" in shown
    depths = " ".join(f"{row.ceiling:.3f}" for row in traced.depths if row.stage == "last")
    assert f"last {depths}" in shown
    assert make(QRELS, RUNS, ["nDCG@2"], profiles=False).record["pipeline"] is None


def test_groups_and_texts_are_shown_as_trace_has_them() -> None:
    table = {query: {"text": f"what {query} asks", "kind": "even" if query == "q2" else "odd"} for query in QRELS}
    traced = rw.trace(QRELS, STAGES, "R@2", table=table, by="kind")
    report = make(QRELS, RUNS, ["R@2"], stages=STAGES, queries=table, comparing={"by": "kind"}, profiles=False)
    shown = text_of(section(report.html))
    for group in ("even", "odd"):
        rows = [row for row in traced.groups if row.group == group]
        assert f"{group} {rows[0].queries} {' '.join(f'{row.loss:.3f}' for row in rows)}" in shown
    for row in traced.queries:
        assert f"what {row.query} asks {-row.loss:+.3f}" in shown


def heights(drawing: str, kind: str) -> list[float]:
    """The heights of the parts of bars of one kind, from the first stage to the last."""
    return [float(each) for each in re.findall(rf'<rect class="{kind}" x="[^"]*" y="[^"]*" width="[^"]*" height="([^"]*)"', drawing)]  # fmt: skip  # noqa: E501


@settings(max_examples=60)
@given(st.data())
def test_the_flow_is_drawn_to_scale(drawn: st.DataObject) -> None:
    documents = st.lists(st.sampled_from("abcdef"), unique=True, min_size=1)
    qrels = {f"q{number}": drawn.draw(st.dictionaries(st.sampled_from("abcd"), st.just(1), min_size=1)) for number in range(3)}  # fmt: skip  # noqa: E501
    runs = {name: {query: drawn.draw(documents) for query in qrels} for name in ("one", "two", "three")}
    stages = [{"one": runs["one"]}, {"two": runs["two"]}, {"three": runs["three"]}]
    rows = data.flow(rw.trace(qrels, stages, "R@2")).to_dicts()
    total = sum(map(len, qrels.values()))
    drawing = section(make(qrels, runs, ["R@2"], stages=stages, profiles=False).html).partition("<h3>What becomes")[2]
    for state, kind in (("on the first ranks", "first"), ("below", "below"), ("absent", "absent")):
        counts = dict.fromkeys(runs, 0) | {
            row["stage"]: row["documents"] for row in rows if row["state"] == state and not row["next_stage"]
        }
        assert heights(drawing, kind) == pytest.approx([100 * count / total for count in counts.values()], abs=1e-3)
    assert drawing.count("<path") == sum(bool(row["next_stage"]) for row in rows)


def test_nothing_that_people_wrote_is_markup() -> None:
    qrels = {HOSTILE: {HOSTILE: 1, "x": 1}, "q": {"x": 1}}
    first, last = {HOSTILE: [HOSTILE, "y"], "q": ["x"]}, {HOSTILE: ["z"], "q": ["y", "x"]}
    stages = [{HOSTILE: first}, {"last": last}]
    page = make(qrels, {HOSTILE: first, "last": last}, ["RR"], stages=stages, queries={HOSTILE: HOSTILE}).html
    assert "<img" not in page
    assert page.count("</script>") == 2


@pytest.mark.parametrize(
    ("options", "slug", "text"),
    [
        ({"measures": ["AUC"]}, "measure-syntax", "the best grade first"),
        ({"ties": "best"}, "unfollowed-setting", "changes ranks"),
        ({"comparing": {"by": ["a", "b"]}, "queries": {"q1": {"text": "t", "a": "1", "b": "1"}}}, "", "one column"),
        ({"stages": [{"a": FIRST}, {"a": LAST}]}, "run-names", "two runs of the pipeline"),
    ],
)
def test_what_cannot_be_traced_is_refused(options: dict[str, Any], slug: str, text: str) -> None:
    arguments = {"measures": ["RR"], "stages": STAGES, "profiles": False, **options}
    with pytest.raises(RankworthError, match=text) as refused:
        make(QRELS, RUNS, arguments.pop("measures"), **arguments)
    assert refused.value.slug == (slug or "conflicting-options")


def test_results_files_alone_have_no_pipeline() -> None:
    stored = {name: rw.evaluate(QRELS, run, ["RR"]) for name, run in RUNS.items()}
    with pytest.raises(RankworthError, match="a pipeline is traced by judgements"):
        make(None, stored, stages=STAGES)


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command in this process, in a folder with judgements and runs."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{query} 0 {document} {grade}\n" for query, each in QRELS.items() for document, grade in each.items()]
    Path("qrels.txt").write_text("".join(lines), encoding="utf-8")
    for name, run in RUNS.items():
        rows = [
            f"{query} Q0 {document} {rank} {1 / rank} {name}\n"
            for query, documents in run.items()
            for rank, document in enumerate(documents, 1)
        ]
        Path(f"{name}.run").write_text("".join(rows), encoding="utf-8")
    return command_of(capsysbinary, "report")


def test_the_command_takes_stages_beside_runs_and_alone(command: Command) -> None:
    options = ("-m", "nDCG@2", "--no-profiles", "--quiet")
    stages = ("--stages", "bm25.run,dense.run", "last.run")
    sentence = f"Pipeline: {rw.trace(QRELS, STAGES, 'nDCG@2').verdict}"
    for runs, about in (((), "bm25"), (("dense.run", "last.run"), "dense"), (("last.run",), "last")):
        status, _, err = command("qrels.txt", *runs, *stages, *options)
        assert (status, err) == (0, "")
        page = Path("report.html").read_text("utf-8")
        assert sentence in text_of(page), runs
        assert f"<bdi>{about}</bdi>" in page.partition("</header>")[0]
    named = ("--stages", "words=bm25.run,vectors=dense.run", "end=last.run")
    status, _, err = command("qrels.txt", "last.run", *named, *options)
    assert (status, err) == (0, "")
    assert "words + vectors" in text_of(section(Path("report.html").read_text("utf-8")))


def test_mistakes_of_the_command_are_named(command: Command) -> None:
    for arguments, text in (
        (("qrels.txt", "--stages", "bm25.run,bm25.run"), "stand side by side have one name"),
        (("qrels.txt", "last.run", "--stages", "bm25.run", "bm25.run"), "two runs of the pipeline"),
        (("qrels.txt", "--stages", "none.run"), "none.run"),
        (("--stages", "bm25.run", "last.run"), "the judgements come first"),
    ):
        status, _, err = command(*arguments, "--no-profiles")
        assert (status, text in err) == (2, True), err
        assert not Path("report.html").exists()
