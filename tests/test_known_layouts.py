"""Documents of JSON that tools write are read as they are: OpenSearch, MTEB, BioASQ, the Rated Ranking Evaluator."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

import rankworth as rw

GRADES: Final = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d4": 1}}
RUN: Final = {"q1": {"d2": 9.5, "d1": 8.5, "d3": 7.5}, "q2": {"d1": 9.5, "d4": 8.5}}
RATED: Final[dict[str, Any]] = {
    "index": "core",
    "id_field": "id",
    "topics": [
        {
            "description": "hats",
            "query_groups": [
                {
                    "name": "red",
                    "queries": [
                        {"template": "only_q.json", "placeholders": {"$query": "red hat"}},
                        {"template": "only_q.json", "placeholders": {"$query": "hat, red"}},
                    ],
                    "relevant_documents": {"2": ["d1"], "1": ["d3", "d4"]},
                }
            ],
        }
    ],
    "query_groups": [
        {"name": "shoe", "queries": ["shoe"], "relevant_documents": {"d7": {"gain": 3}, "d8": {"gain": 1}}}
    ],
    "query_placeholder": "$query",
}
OPENSEARCH: Final = {
    "id": "j1",
    "name": "imported",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {"query": query, "ratings": [{"docId": document, "rating": f"{grade}.0"} for document, grade in row.items()]}
        for query, row in GRADES.items()
    ],
}
QUESTIONS: Final = {
    "questions": [
        {"id": "q1", "body": "what?", "type": "factoid", "documents": ["d1", "d3"], "snippets": []},
        {"id": "q2", "body": "who?", "type": "list", "documents": ["d4"]},
    ]
}
MTEB: Final = {"mteb_model_meta": {"model_name": "m", "revision": "r"}, "default": {"test": RUN}}


def written(value: Any, folder: Path) -> Path:
    """Write a document of JSON."""
    (folder / "file.json").write_text(json.dumps(value))
    return folder / "file.json"


@pytest.mark.parametrize("is_file", [True, False])
def test_judgements_are_told_by_their_keys(is_file: bool, tmp_path: Path) -> None:
    def read(value: Any) -> dict[str, dict[str, float]]:
        return rw.Qrels(written(value, tmp_path) if is_file else value).to_dict()

    assert read(OPENSEARCH) == GRADES
    assert read(QUESTIONS) == {"q1": {"d1": 1.0, "d3": 1.0}, "q2": {"d4": 1.0}}
    of_group = {"d1": 2.0, "d3": 1.0, "d4": 1.0}
    assert read(RATED) == {"red hat": of_group, "hat, red": of_group, "shoe": {"d7": 3.0, "d8": 1.0}}


@pytest.mark.parametrize("is_file", [True, False])
def test_runs_are_told_by_their_keys(is_file: bool, tmp_path: Path) -> None:
    for value in (MTEB, QUESTIONS):
        source = written(value, tmp_path) if is_file else value
        assert rw.evaluate({"q1": {"d1": 1}, "q2": {"d4": 1}}, source, ["RR"])["RR"] == (0.5 if value is MTEB else 1.0)


def test_what_is_named_is_read_as_before(tmp_path: Path) -> None:
    path = written(MTEB, tmp_path)
    assert rw.evaluate(GRADES, path, ["RR"], run_columns={"root": "default.test"})["RR"] == 0.5
    columns = {"root": "judgmentRatings", "document": "ratings"}
    assert rw.Qrels(OPENSEARCH, columns=columns).to_dict() == GRADES


def test_several_subsets_are_asked_about() -> None:
    several = {**MTEB, "en": {"test": RUN, "dev": RUN}}
    with pytest.raises(rw.InputError, match=r"for default\.test en\.test en\.dev") as caught:
        rw.Run(several)
    assert (caught.value.slug, "--run-columns root=default.test" in caught.value.remedy) == ("frame-columns", True)


@pytest.mark.parametrize(
    ("value", "called"), [(OPENSEARCH, "judgements of OpenSearch"), (RATED, "ratings of the Rated")]
)
def test_judgements_are_no_run(value: Any, called: str) -> None:
    with pytest.raises(rw.InputError, match=f"these are {called}") as caught:
        rw.Run(value)
    assert caught.value.slug == "input-type"
    with pytest.raises(rw.InputError, match="these are predictions of MTEB"):
        rw.Qrels(MTEB)
