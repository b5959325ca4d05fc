"""What must not appear: measures against plain sets, the exact bound of their share, and the gate."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import rankworth as rw
from rankworth import cli
from rankworth.errors import InputError, MeasureError, RankworthWarning
from rankworth.stats.proportions import clopper_pearson, described_share

few = settings(max_examples=50, deadline=None)
IDS = "abcdefg"
LISTS = st.lists(st.sampled_from(IDS), unique=True, min_size=1)
QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
RUN = {"q1": ["a", "b", "c"], "q2": ["b", "c"], "q3": ["d"]}


def means(*arguments: Any, **options: Any) -> dict[str, float]:
    """Means, whatever the warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankworthWarning)
        return dict(rw.evaluate(*arguments, **options).mean())


@few
@given(
    run=st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), LISTS, min_size=1),
    forbidden=st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.sets(st.sampled_from(IDS), min_size=1)),
    k=st.integers(1, 8),
)
def test_measures_are_those_of_plain_sets(run: dict[str, list[str]], forbidden: dict[str, set[str]], k: int) -> None:
    pairs = {**{query: [*ids] for query, ids in forbidden.items()}, next(iter(run)): ["a"]}
    leaks, ranks = [], []
    for query, ids in run.items():
        found = [rank for rank, each in enumerate(ids[:k], 1) if each in pairs.get(query, ())]
        leaks.append(float(bool(found)))
        ranks.append(float(found[0] if found else k + 1))
    values = means({query: {"a": 1} for query in run}, run, [f"Leak@{k}", f"LeakRank@{k}"], forbidden=pairs)
    assert values == pytest.approx(
        {f"Leak@{k}": sum(leaks) / len(leaks), f"LeakRank@{k}": sum(ranks) / len(ranks)}, rel=1e-15
    )


@few
@given(number=st.integers(1, 300), data=st.data(), level=st.sampled_from([0.9, 0.95, 0.99]))
def test_the_interval_is_exact(number: int, data: st.DataObject, level: float) -> None:
    count = data.draw(st.integers(0, number))
    exact = binomtest(count, number).proportion_ci(level, method="exact")
    assert clopper_pearson(count, number, level=level) == pytest.approx((exact.low, exact.high), rel=1e-9, abs=1e-12)


def test_no_leak_is_no_proof() -> None:
    assert clopper_pearson(0, 200)[1] == pytest.approx(1 - 0.025 ** (1 / 200), rel=1e-12)
    assert described_share(0, 200) == "0 of 200 queries, at most 1.8 % (exact 95 % interval)"
    assert described_share(3, 3) == "3 of 3 queries, at least 29 % (exact 95 % interval)"
    values = rw.evaluate(QRELS, RUN, ["Leak@2"], forbidden={"q1": ["c"]})
    assert "Leak@2 of the run: 0 of 2 queries, at most 84 %" in str(values)


def test_queries_that_nobody_judged_count_where_extra_ones_do() -> None:
    forbidden = {"q3": ["d"]}
    assert means(QRELS, RUN, ["Leak@2"], forbidden={**forbidden, "q1": ["z"]}) == {"Leak@2": 0.0}
    assert means(QRELS, RUN, ["Leak@2"], forbidden=forbidden, extra="zero") == {"Leak@2": 1 / 3}


def test_pairs_come_as_files_dicts_and_rows(tmp_path: Path) -> None:
    texts = {"pairs.txt": "q1 c\n", "pairs.qrels": "q1 0 c 0\n", "pairs.csv": "query,document\nq1,c\n"}
    forms: list[Any] = [{"q1": ["c"]}, {"q1": {"c"}}, [("q1", "c")]]
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        forms.append(str(tmp_path / name))
    assert [means(QRELS, RUN, ["Leak@3"], forbidden=form) for form in forms] == [{"Leak@3": 0.5}] * len(forms)


def test_pairs_that_are_about_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="about 0 of 2 queries"):
        means(QRELS, RUN, ["Leak@3"], forbidden={"q9": ["c"]})
    with pytest.raises(InputError, match="leading zeros"):
        means({"q1": {"01": 1}}, {"q1": ["01", "02"]}, ["Leak@3"], forbidden={"q1": ["1", "2"]})
    with pytest.raises(MeasureError, match="Leak needs forbidden"):
        means(QRELS, RUN, ["Leak@3"])


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A baseline, a run with a document that q2 and q3 must not see, and pairs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "base.run").write_text("q1 Q0 a 1 2 x\nq2 Q0 b 1 2 x\n")
    (tmp_path / "new.run").write_text("q1 Q0 a 1 2 x\nq2 Q0 b 1 2 x\nq2 Q0 s 2 1 x\nq3 Q0 s 1 1 x\n")
    (tmp_path / "tenants.txt").write_text("q2 s\nq3 s\n")
    (tmp_path / "harmless.txt").write_text("q1 s\n")


COMMAND = ["compare", "qrels.txt", "base.run", "new.run", "-m", "P@1"]


@pytest.mark.usefixtures("files")
def test_the_gate_names_query_and_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*COMMAND, "--no-leak", "tenants.txt"]) == 1
    shown = capsys.readouterr().out
    assert "FAIL  no-leak tenants.txt  new" in shown
    assert "2 forbidden documents in 2 of 3 queries" in shown
    assert "q3 s at rank 1, q2 s at rank 2" in shown
    assert cli.main([*COMMAND, "--no-leak", "harmless.txt"]) == 0
    assert "no forbidden document: 0 of 3 queries, at most 71 %" in capsys.readouterr().out


@pytest.mark.usefixtures("files")
def test_the_gate_is_data_and_a_test_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*COMMAND, "--no-leak", "tenants.txt", "--fail-under", "P@1=0.5", "-f", "json"]) == 1
    gates = json.loads(capsys.readouterr().out)["gates"]
    assert [(gate["gate"], gate["measure"], gate["passed"]) for gate in gates] == [
        ("fail-under", "P@1", True),
        ("no-leak", "tenants.txt", False),
    ]
    assert cli.main([*COMMAND, "--no-leak", "tenants.txt", "-o", "gates.xml"]) == 1
    assert 'name="no-leak tenants.txt"' in Path("gates.xml").read_text()


@pytest.mark.usefixtures("files")
def test_the_gate_needs_documents(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["evaluate", "qrels.txt", "new.run", "-m", "P@1", "-q", "-o", "new.json"]) == 0
    command = ["compare", "qrels.txt", "base.run", "new.json", "-m", "P@1", "--no-leak", "tenants.txt"]
    assert cli.main(command) == 2
    assert "of new there are values only" in capsys.readouterr().err
