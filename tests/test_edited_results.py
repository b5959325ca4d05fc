"""Results files that were edited, merged or damaged: whatever changes what they say is refused, in JSON and Parquet."""

import copy
import json
import math
import subprocess
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rankworth as rw
from generators import Grades, Scores, collections
from rankworth import cli
from rankworth.errors import InputError, RankworthError
from rankworth.results import file, loading
from rankworth.testing import assert_not_worse

QRELS: Final = {f"q{number:02}": {"a": 1, "b": 2, "c": 0} for number in range(12)}
OLD: Final = {query: {"b": 3.0, "x": 2.0, "a": 1.0 + number} for number, query in enumerate(QRELS)}
NEW: Final = {query: {"x": 3.0, "c": 2.5, "a": 2.0, "b": 1.0} for query in QRELS}
REFUSED: Final = {"bad-results", "newer-results", "means-only", "bad-json", "input-type", "truncated-file"}
"""what may be said of a file that is not as it was written"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of one's own, with judgements and two runs."""
    monkeypatch.chdir(tmp_path)
    rows = [(query, document, grade) for query, some in QRELS.items() for document, grade in some.items()]
    Path("qrels.txt").write_text("".join(f"{query} 0 {document} {grade}\n" for query, document, grade in rows))
    for name, run in (("old", OLD), ("new", NEW)):
        lines = [f"{query} Q0 {one} 0 {score} x\n" for query, some in run.items() for one, score in some.items()]
        Path(f"{name}.run").write_text("".join(lines))
    Path("queries.tsv").write_text(
        "query\tlanguage\tvisits\n"
        + "".join(f"{one}\t{'ar' if one > 'q06' else 'en'}\t{int(one[1:]) + 1}\n" for one in QRELS)
    )


def command(*words: str) -> int:
    """The exit status of a command."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cli.main(list(words))


def written(path: str, *more: str) -> None:
    """Write a file with all that a file may hold."""
    words = ["-m", "nDCG@10", "AP", "NumRel", "relstring", "runid", "-q", "-o", path, "--quiet"]
    words += ["--interval"] if path.endswith(".json") else []
    assert command("evaluate", "qrels.txt", "old.run", "new.run", *words, *more) == 0


def slug(path: str) -> str:
    """What is said of a file; nothing where it is read."""
    try:
        loading.load(path)
    except InputError as error:
        return error.slug
    return ""


# Every leaf

Way = tuple[str | int, ...]


def nodes(value: Any, way: Way = ()) -> Iterator[tuple[Way, Any]]:
    """All parts of a document with the way to each, the whole left out."""
    if way:
        yield way, value
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from nodes(inner, (*way, key))


def at(document: Any, way: Way) -> Any:
    """A part of a document."""
    for step in way:
        document = document[step]
    return document


def others(value: Any) -> list[Any]:
    """What may stand in a place instead."""
    if isinstance(value, bool) or value is None:
        return [0, "", 0.5]
    if isinstance(value, int | float):
        near = [math.nextafter(value, math.inf)] if isinstance(value, float) else []
        return [value + 1, -value - 0.25, 1e308, -1e308, math.nan, math.inf, None, str(value), True, [value], *near]
    if isinstance(value, str):
        return [f"{value}x", value[1:], value.swapcase(), None, 0, [value]]
    return [None, 0, "", [], {}]


def edits(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every part of a document replaced, removed, renamed, doubled and swapped with its neighbour."""
    for way, value in nodes(document):
        for other in others(value):
            changed = copy.deepcopy(document)
            at(changed, way[:-1])[way[-1]] = other
            yield f"{way} is {other!r}", changed
        changed = copy.deepcopy(document)
        parent = at(changed, way[:-1])
        moved = parent.pop(way[-1])
        yield f"no {way}", copy.deepcopy(changed)
        if isinstance(parent, dict):
            parent[f"{way[-1]} "] = moved
            yield f"{way} renamed", changed
        else:
            parent[way[-1] : way[-1]] = [moved, moved]  # type: ignore[misc]
            yield f"{way} twice", changed
        if isinstance(value, dict):
            changed = copy.deepcopy(document)
            at(changed, way)["more"] = 1
            yield f"{way} with more", changed
        before = [key for key, _ in at_items(at(document, way[:-1]))]
        if (place := before.index(way[-1])) and at(document, (*way[:-1], before[place - 1])) != value:
            changed = copy.deepcopy(document)
            parent, neighbour = at(changed, way[:-1]), before[place - 1]
            parent[neighbour], parent[way[-1]] = parent[way[-1]], parent[neighbour]
            yield f"{way} and {neighbour} swapped", changed


def at_items(value: Any) -> list[tuple[Any, Any]]:
    """The members of a dict or a list."""
    return list(value.items() if isinstance(value, dict) else enumerate(value))


def test_every_edit_of_json_is_refused() -> None:
    Path("few.txt").write_text("q05\nq06\nq07\n")
    written("x.json", "--queries", "queries.tsv", "--by", "language", "--weights", "visits", "--only", "few.txt")
    document = json.loads(Path("x.json").read_text())
    assert slug("x.json") == ""
    passed, count = [], 0
    for what, changed in edits(document):
        if file.digest(changed) == file.digest(document) and changed.get("digest") == document["digest"]:
            continue  # the same in other words: 1 for 1.0
        Path("y.json").write_text(json.dumps(changed))
        count += 1
        if slug("y.json") not in REFUSED:
            passed.append(what)
    assert not passed
    assert count > 1_000


def test_every_edit_of_what_stands_beside_a_table_is_refused() -> None:
    written("x.parquet", "--queries", "queries.tsv", "--by", "language")
    table, document = pl.read_parquet("x.parquet"), json.loads(pl.read_parquet_metadata("x.parquet")["rankworth"])
    passed = []
    for what, changed in edits(document):
        if file.digest(changed) == file.digest(document) and changed.get("digest") == document["digest"]:
            continue
        table.write_parquet("y.parquet", metadata={"rankworth": json.dumps(changed)})
        if slug("y.parquet") not in REFUSED:
            passed.append(what)
    assert not passed


def tables(table: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Every cell replaced, every row removed and doubled, every column removed, renamed and of another type."""
    for name in table.columns:
        values = table[name].to_list()
        for place, value in enumerate(values):
            for other in ("z", None) if isinstance(value, str) else (0.123, -1.0, 1e9, math.nan, None):
                changed = pl.Series(name, [*values[:place], other, *values[place + 1 :]], strict=False)
                yield f"{name} {place} is {other!r}", table.with_columns(changed)
        yield f"no {name}", table.drop(name)
        yield f"{name} renamed", table.rename({name: f"{name}2"})
        yield f"{name} twice", table.with_columns(table[name].alias(f"{name}2"))
        yield f"{name} in reverse", table.with_columns(table[name].reverse())
        if table[name].dtype != pl.String:
            yield f"{name} as text", table.with_columns(pl.col(name).cast(pl.String))
            yield f"{name} as truth", table.with_columns(pl.col(name) > 0)
    for place in range(table.height):
        rest = pl.concat([table[:place], table[place + 1 :]])
        yield f"no row {place}", rest
        yield f"row {place} twice", pl.concat([table, table[place : place + 1]])
        yield (
            f"row {place} of another run",
            pl.concat([rest, table[place : place + 1].with_columns(run=pl.lit("third"))]),
        )


def test_every_edit_of_a_table_is_refused() -> None:
    written("x.parquet", "--queries", "queries.tsv", "--by", "language")
    table, beside = pl.read_parquet("x.parquet"), pl.read_parquet_metadata("x.parquet")["rankworth"]
    passed = []
    for what, changed in tables(table):
        if changed.equals(table, null_equal=True):
            continue
        changed.write_parquet("y.parquet", metadata={"rankworth": beside})
        if slug("y.parquet") not in REFUSED:
            passed.append(what)
    assert not passed
    for same in (table.reverse(), table.select(sorted(table.columns)), table.with_columns(pl.col("NumRel") * 1.0)):
        same.write_parquet("y.parquet", metadata={"rankworth": beside})
        assert slug("y.parquet") == ""


few = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@few
@given(collection=collections(), data=st.data(), form=st.sampled_from(["json", "parquet"]))
def test_no_edit_of_any_file_is_read(collection: tuple[Grades, Scores], data: st.DataObject, form: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rw.RankworthWarning)
            rw.evaluate_runs(collection[0], {"a": collection[1]}, ["nDCG@3", "AP", "DCG", "NumRet"]).save(f"x.{form}")
    except RankworthError:
        return
    assert slug(f"x.{form}") == ""
    text = Path("x.json").read_text() if form == "json" else pl.read_parquet_metadata("x.parquet")["rankworth"]
    document = json.loads(text)
    way, value = data.draw(st.sampled_from(list(nodes(document))))
    changed = copy.deepcopy(document)
    at(changed, way[:-1])[way[-1]] = data.draw(st.sampled_from(others(value)))
    if form == "json":
        Path("y.json").write_text(json.dumps(changed))
    else:
        pl.read_parquet("x.parquet").write_parquet("y.parquet", metadata={"rankworth": json.dumps(changed)})
    same = file.digest(changed) == file.digest(document) and changed.get("digest") == document["digest"]
    assert (slug(f"y.{form}") in REFUSED) == (not same)


def test_another_form_of_the_same_is_read() -> None:
    written("x.json")
    document = json.loads(Path("x.json").read_text())

    def whole(value: Any) -> Any:
        """The same as JavaScript writes it."""
        if isinstance(value, dict):
            return {key: whole(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [whole(inner) for inner in value]
        return int(value) if isinstance(value, float) and value.is_integer() else value

    for text in (
        json.dumps(document),
        json.dumps(document, indent=7, sort_keys=True),
        "\ufeff" + json.dumps(whole(document), ensure_ascii=False),
    ):
        Path("y.json").write_text(text)
        assert slug("y.json") == ""
    assert Path("x.json").read_text().rstrip("}\n").rpartition("\n")[2] == f'  "digest": "{file.digest(document)}"'


def test_the_digest_is_made_as_the_page_says() -> None:
    """The recipe of docs/results.md, written down once more."""
    from hashlib import sha256  # noqa: PLC0415 - of this test alone

    rw.evaluate({"q": {"d": 1}, "r": {"d": 1}}, {"q": ["d"], "r": ["x", "d", "y"]}, ["RR", "P@3"]).save("x.json")
    document = json.loads(
        Path("x.json").read_text(),
        parse_float=lambda text: int(text.removesuffix(".0")) if text.endswith(".0") else float(text),
    )
    digest = document.pop("digest")
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    assert digest == sha256(text.encode()).hexdigest()


# Merges


def test_no_part_of_one_file_fits_another() -> None:
    written("x.json")
    better = Path("old.run").read_text().replace("q03 Q0 b 0 3.0", "q03 Q0 b 0 5.0")
    Path("old.run").write_text(better)
    written("y.json")
    ours, theirs = (Path(name).read_text().splitlines(keepends=True) for name in ("x.json", "y.json"))
    assert len(ours) == len(theirs)
    assert ours != theirs
    for cut in range(1, len(ours)):
        for one, other in ((ours, theirs), (theirs, ours)):
            merged = one[:cut] + other[cut:]
            Path("z.json").write_text("".join(merged))
            assert slug("z.json") == ("" if merged in (ours, theirs) else "bad-results")


def test_a_merge_by_git_is_a_conflict() -> None:
    for name, query in (("base.json", ""), ("ours.json", "q01"), ("theirs.json", "q10")):
        run = {one: {"x": 2.0, "a": 1.0} if one == query else some for one, some in OLD.items()}
        rw.evaluate_runs(QRELS, {"old": run}, ["AP", "RR"]).save(name)
    done = subprocess.run(["git", "merge-file", "ours.json", "base.json", "theirs.json"], check=False)
    assert done.returncode > 0
    assert slug("ours.json") == "bad-json"
    for side in ("--ours", "--theirs", "--union"):
        rw.evaluate_runs(QRELS, {"old": {**OLD, "q01": {"x": 2.0, "a": 1.0}}}, ["AP", "RR"]).save("ours.json")
        subprocess.run(["git", "merge-file", side, "ours.json", "base.json", "theirs.json"], check=False)
        assert slug("ours.json") in REFUSED


def value(query: str, measure: str, number: float) -> Callable[[dict[str, Any]], object]:
    """Replace a value."""
    return lambda told: told["runs"][0]["per_query"][query].update({measure: number})


def every(number: float) -> Callable[[dict[str, Any]], object]:
    """Replace all values of a measure."""
    return lambda told: [row.update({"nDCG@10": number}) for row in told["runs"][0]["per_query"].values()]


# Gates

EDITS: Final[dict[str, Callable[[dict[str, Any]], object]]] = {
    "one value": value("q03", "nDCG@10", -1e308),
    "all values": every(0.1),
}


@pytest.mark.parametrize("what", EDITS)
def test_a_gate_tells_an_edited_baseline(what: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert command("evaluate", "qrels.txt", "old.run", "-m", "nDCG@10", "AP", "-q", "-o", "base.json", "--quiet") == 0
    gate = ("compare", "qrels.txt", "base.json", "new.run", "--max-drop", "nDCG@10=0.01", "--quiet")
    assert command(*gate) == 1
    document = json.loads(Path("base.json").read_text())
    EDITS[what](document)
    Path("base.json").write_text(json.dumps(document))
    capfd.readouterr()
    assert command(*gate) == 2
    assert "[bad-results]" in capfd.readouterr().err
    with pytest.raises(InputError, match="bad-results"):
        assert_not_worse(rw.evaluate("qrels.txt", "new.run", ["nDCG@10"]), "base.json", "nDCG@10", 0.01)
