"""The table of data frames in the documentation: each cell runs, and all libraries have one number."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

import rankworth as rw

PAGE = Path(__file__).parent.parent / "docs" / "howto" / "frames.md"
ROW = re.compile(r"^\| (\w+) \| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|$", re.MULTILINE)
JUDGED = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}
RUN = {"q1": {"b": 0.9, "x": 0.8}, "q2": {"y": 0.3, "c": 0.1}}
ROWS = {library: cells for library, *cells in ROW.findall(PAGE.read_text("utf-8"))}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with the files that the page writes."""
    monkeypatch.chdir(tmp_path)
    for text, path in re.findall(r"printf '([^']+)' > (\S+)", PAGE.read_text("utf-8")):
        Path(path).write_text(text.replace("\\n", "\n"), "utf-8")


def rows_of(frame: Any) -> dict[str, float]:
    """The values of queries in a frame of any library."""
    if hasattr(frame, "collect") and hasattr(frame, "sparkSession"):
        return {row["query"]: row["nDCG@10"] for row in frame.collect()}
    table = frame.to_arrow_table() if hasattr(frame, "to_arrow_table") else frame
    columns = table.to_pydict() if hasattr(table, "to_pydict") else {name: [*table[name]] for name in table.columns}
    return dict(zip(columns["query"], columns["nDCG@10"], strict=True))


def test_the_table_names_five_libraries() -> None:
    assert [*ROWS] == ["pandas", "Polars", "PyArrow", "DuckDB", "Spark"]


@pytest.mark.parametrize("library", ROWS)
def test_the_cells_of_a_library_run_and_give_the_number_of_dicts(library: str, request: pytest.FixtureRequest) -> None:
    read, mean, by_query = ROWS[library]
    names: dict[str, Any] = {"rw": rw}
    if library == "Spark":
        names["spark"] = request.getfixturevalue("spark")
    else:
        names[library.lower()] = importlib.import_module(library.lower())
        importlib.import_module("pyarrow.csv")
    for name in ("judged", "run"):
        names[name] = eval(read.replace("judged.csv", str(Path(f"{name}.csv").absolute())), names)  # noqa: S307 - of our own page
    expected = rw.evaluate(JUDGED, RUN, ["nDCG@10"])
    assert eval(mean, names) == expected["nDCG@10"]  # noqa: S307 - the same
    found = rows_of(eval(by_query, names))  # noqa: S307 - the same
    assert found == {query: values["nDCG@10"] for query, values in expected.per_query.to_dict().items()}
