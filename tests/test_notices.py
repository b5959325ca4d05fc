"""What deserves a second look is found when somebody reads or hears it: the same notices, whatever happens before."""

import copy
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import rankworth as rw
from rankworth.errors import are_warnings_shown
from rankworth.scoring import diagnosis

QRELS = {f"q{query}": {f"D{query}{number}": number % 3 for number in range(6)} for query in range(9)}
TIED = {query: dict.fromkeys(judged, 1.0) for query, judged in QRELS.items()}
LOWER = {
    query: {document.lower(): float(9 - place) for place, document in enumerate(judged)}
    for query, judged in QRELS.items()
}
MIXED = {query: (LOWER if number % 3 else QRELS)[query] for number, query in enumerate(QRELS)}
RUNS = {"many-ties": TIED, "no-common-documents": LOWER, "similar-ids": MIXED}


def quietly(qrels: object, run: object, measures: str = "AP") -> rw.Values:
    """Evaluate where nobody hears a warning."""
    with warnings.catch_warnings(action="ignore", category=rw.RankworthWarning):
        return rw.evaluate(qrels, run, [measures])


def aloud(qrels: object, run: object, measures: str = "AP") -> tuple[rw.Values, list[str]]:
    """Evaluate where warnings are recorded, and return their slugs."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        values = rw.evaluate(qrels, run, [measures])
    return values, [each.message.slug for each in caught if isinstance(each.message, rw.RankworthWarning)]


@pytest.mark.parametrize("slug", RUNS)
@pytest.mark.parametrize("form", [dict, lambda run: pl.DataFrame(rows(run)), rw.Run])
def test_notices_are_those_of_the_warnings_whoever_reads_them(slug: str, form: Callable[..., object]) -> None:
    shown, slugs = aloud(QRELS, form(RUNS[slug]))
    quiet = quietly(QRELS, form(RUNS[slug]))
    assert slugs == [notice.slug for notice in shown.notices] == [slug]
    assert quiet.notices == shown.notices
    assert quiet == shown


def rows(run: dict[str, dict[str, float]]) -> dict[str, list[object]]:
    """Return the rows of a run as columns."""
    every = [(query, document, float(score)) for query, scores in run.items() for document, score in scores.items()]
    return {name: [row[place] for row in every] for place, name in enumerate(("query", "document", "score"))}


@pytest.mark.parametrize("slug", RUNS)
def test_what_becomes_of_a_dict_after_the_call_is_no_matter(slug: str) -> None:
    run = copy.deepcopy(RUNS[slug])
    values = quietly(QRELS, run)
    for scores in run.values():
        scores.clear()
    run.clear()
    assert values.notices == aloud(QRELS, RUNS[slug])[0].notices


def test_what_becomes_of_a_file_after_the_call_is_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "mixed.run"
    lines = (
        f"{query} Q0 {document} 1 {score} x\n" for query, scores in MIXED.items() for document, score in scores.items()
    )
    path.write_text("".join(lines), "utf-8")
    values = quietly(QRELS, path)
    path.unlink()
    assert [notice.slug for notice in values.notices] == ["similar-ids"]


@pytest.mark.parametrize("slug", RUNS)
def test_notices_are_pickled_and_copied_though_nobody_has_read_them(slug: str) -> None:
    expected = aloud(QRELS, RUNS[slug])[0].notices
    assert pickle.loads(pickle.dumps(quietly(QRELS, RUNS[slug]))).notices == expected
    assert copy.deepcopy(quietly(QRELS, RUNS[slug])).notices == expected


def test_judgements_that_served_before_give_the_notices_of_each_run() -> None:
    prepared = rw.Qrels(QRELS)
    fewer = {query: scores for query, scores in TIED.items() if query != "q0"}
    higher = {query: dict.fromkeys(scores, 2.0**60) for query, scores in TIED.items()}
    other = {
        query: {document.swapcase(): score for document, score in scores.items()} for query, scores in MIXED.items()
    }
    for run in (*RUNS.values(), fewer, higher, other, *RUNS.values()):
        for measure in ("AP", "RR", "Judged@3"):
            once, twice = aloud(prepared, run, measure), aloud(prepared, run, measure)
            assert once[1] == twice[1]
            assert once[0].notices == twice[0].notices == aloud(QRELS, run, measure)[0].notices
    assert pickle.loads(pickle.dumps(prepared)) == prepared


def test_a_pair_of_inputs_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    diagnose = diagnosis.diagnose
    monkeypatch.setattr(diagnosis, "diagnose", lambda *every: looks.append(every) or diagnose(*every))
    prepared = rw.Qrels(QRELS)
    values = quietly(prepared, TIED)
    assert not looks
    assert values.notices == values.notices
    assert aloud(prepared, TIED)[1] == ["many-ties"]
    assert len(looks) == 1
    aloud(prepared, LOWER)
    assert len(looks) == 2


@pytest.mark.parametrize(
    ("filters", "shown"),
    [
        ([("ignore", "", UserWarning, "")], False),
        ([("ignore", "", rw.RankworthWarning, "")], False),
        ([("default", "", Warning, "")], True),
        ([("error", "", rw.RankworthWarning, "")], True),
        ([("ignore", "", DeprecationWarning, "")], True),
        ([("ignore", ".*many-ties", UserWarning, "")], True),
        ([("ignore", "", UserWarning, "elsewhere")], True),
        ([("ignore", "", Warning, ""), ("error", "", DeprecationWarning, "")], False),
        ([("ignore", "", Warning, ""), ("always", "", UserWarning, "")], True),
        ([], True),
    ],
)
def test_warnings_are_heard_as_the_filters_say(filters: list[tuple[str, str, type[Warning], str]], shown: bool) -> None:
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for action, message, category, module in filters:
            warnings.filterwarnings(action, message, category, module)  # type: ignore[arg-type]
        assert are_warnings_shown() is shown
