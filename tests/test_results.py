"""Results files: what was measured comes back bit for bit, git shows what changed, and no bad file passes."""

import errno
import gzip
import json
import math
import os
import pickle
import random
import re
import signal
import struct
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
import pytest
import scipy.stats
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import rankworth as rw
import signals
from generators import GRADES, Grades, Scores, by_subtopic, collections
from rankworth import cli
from rankworth.errors import InputError, RankworthError, UsageError
from rankworth.io import atomic as outputs
from rankworth.model import Changes, Digest, Qrels, Run
from rankworth.profiles import PROFILES, Signature, refuse_differences
from rankworth.results import file, loading
from rankworth.results.values import PerQuery, details
from rankworth.scoring import columns
from rankworth.version import __version__

ROOT: Final = Path(__file__).parents[1]
EXAMPLE: Final = ROOT / "docs" / "example"
MEASURES: Final = ("nDCG@3", "AP", "RR", "R@3", "P(rel=2)@2", "gmean(AP)", "DCG", "ERR", "NumRel", "relstring", "runid")
NUMBERS: Final = MEASURES[:-2]
QRELS: Final[Grades] = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 0, "d5": 1}, "q10": {"d7": 1}}
RUN: Final[Scores] = {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d5": 3.0, "d9": 2.0}, "q10": {"d8": 2.0, "d7": 1.0}}
few = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
many = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of one's own."""
    monkeypatch.chdir(tmp_path)


def evaluated(qrels: object, runs: Mapping[str, object], measures: Any = MEASURES, **said: Any) -> rw.RunValues:
    """What comes out, whatever is warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        return rw.evaluate_runs(qrels, runs, measures, **said)


def one(**said: Any) -> rw.Values:
    """A small evaluation."""
    return evaluated(QRELS, {"mine": RUN}, **said)["mine"]


def bits(numbers: Any) -> list[bytes]:
    """Numbers bit by bit, for which every NaN is the same."""
    return [b"nan" if math.isnan(number) else struct.pack("d", number) for number in numbers]


def everything(result: rw.Result) -> dict[str, Any]:
    """All that there is in a result, to be compared."""
    return {
        "run": result.run,
        "queries": result.queries,
        "columns": [
            (
                column.label,
                column.measure,
                column.signature,
                column.kind,
                bits([column.mean]),
                bits(column.values),
                [True] * len(result.queries) if column.there is None else column.there.tolist(),
            )
            for column in result.columns
        ],
        "profile": result.profile,
        "signature": result.signature,
        "counts": dict(result.counts),
        "judgements": result.judgements,
        "seed": result.seed,
        "notices": result.notices,
        "texts": dict(result.texts),
        "tag": result.tag,
        "version": result.version,
    }


def expected(table: rw.RunValues) -> dict[str, dict[str, Any]]:
    """All that a results file has to hold of values."""
    found = {}
    for name, values in table.items():
        per_query, judgements = values.per_query, values.judgements
        there = np.ones(per_query.array.shape, dtype=bool) if per_query.there is None else per_query.there
        rows = zip(values.mean().items(), values.measures, per_query.array.T, there.T.tolist(), strict=True)
        groups = {} if values.by is None else {"group": per_query.groups}
        found[name] = {
            "run": name,
            "queries": tuple(per_query.ids),
            "columns": [
                (label, str(one), values.signatures[label], per_query.kinds[label], bits([mean]), bits(column), known)
                for (label, mean), one, column, known in rows
            ],
            "profile": values.profile.name,
            "signature": values.signature,
            "counts": values.counts.numbers,
            "judgements": judgements.digest if isinstance(judgements, Qrels) else judgements,
            "seed": None,
            "notices": tuple((notice.slug, notice.text) for notice in values.notices),
            "texts": {label: tuple(texts) for label, texts in (groups | per_query.texts).items()},
            "tag": values.tag if "runid" in map(str, values.asked) else None,
            "version": __version__,
        }
    return found


def written(table: rw.RunValues, path: str) -> bytes:
    """The bytes of a file."""
    table.save(path)
    return Path(path).read_bytes()


def command(*arguments: str) -> int:
    """The command in this process."""
    return cli.main(list(arguments))


def changed(path: str, change: Callable[[dict[str, Any]], object]) -> None:
    """Edit a file as a program would."""
    told = json.loads(Path(path).read_text())
    change(told)
    Path(path).write_text(json.dumps(told, indent=1))


def refused(path: str) -> InputError:
    """The error with which a file is refused."""
    with pytest.raises(InputError) as caught:
        rw.load(path)
    return caught.value


# What is written is read


def comes_back(table: rw.RunValues) -> None:
    """Both forms give back what went in."""
    kept, each = expected(table), {name: values.per_query for name, values in table.items()}
    table.save("x.json")
    table.save("x.parquet")
    for path in ("x.json", "x.parquet"):
        read = rw.load(path)
        assert {name: everything(result) for name, result in read.items()} == kept
        assert {name: result.per_query for name, result in read.items()} == each
        assert [result.origin for result in read.values()] == [path] * len(read)


@many
@given(
    collection=collections(), profile=st.sampled_from(sorted(PROFILES)), said=st.sampled_from(("zero", "skip", "nan"))
)
def test_what_is_measured_by_any_profile_comes_back(collection: tuple[Grades, Scores], profile: str, said: Any) -> None:
    relaxed: dict[str, Any] = {"extra": "ignore", "negative": "zero", "grades": "given", "undefined": said}
    relaxed["quirks"] = {"above": "clipped"}
    try:
        table = evaluated(collection[0], {"a": collection[1]}, NUMBERS, profile=profile, **relaxed)
    except RankworthError:
        assume(False)
    comes_back(table)


@few
@given(collection=collections())
def test_every_measure_and_fact_comes_back(collection: tuple[Grades, Scores]) -> None:
    asked = [
        measure for measure in (*rw.CATALOGUE.values(), *rw.FACTS.values()) if "max_grade" not in measure.parameters
    ]
    asked = [measure for measure in asked if not measure.definition.subtopics]
    qrels = {
        query: {document: max(0.0, grade) for document, grade in some.items()} for query, some in collection[0].items()
    }
    comes_back(evaluated(qrels, {"b": collection[1], "a": collection[1]}, asked))


def test_names_of_a_tool_come_back_with_their_settings() -> None:
    table = evaluated(QRELS, {"a": RUN}, ["map@10", "ndcg@10-l2", "mrr"], profile="ranx-0.3", missing="skip")
    comes_back(table)
    table.save("x.json")
    read = rw.load("x.json")["a"]
    assert [column.label for column in read.columns] == ["map@10", "ndcg@10-l2", "mrr"]
    assert [column.measure for column in read.columns] == ["AP@10", "nDCG(floor=2)@10", "RR"]
    told = Signature.parse(read.columns[0].signature)
    assert told.recorded == {"profile": "ranx-0.3", "derived": "missing", "rankworth": __version__}
    assert told.settings["missing"] == "skip"
    assert read.profile == "ranx-0.3"
    for column in read.columns:
        refuse_differences(column.signature, table["a"].signatures[column.label])


def test_values_for_some_queries_only_come_back() -> None:
    qrels = QRELS | {"q3": {"d1": 0.0}}
    table = evaluated(qrels, {"a": RUN}, ["RR", "R", "AP"], undefined="skip")
    comes_back(table)
    table.save("x.json")
    lines = Path("x.json").read_text().splitlines()
    assert [line.strip() for line in lines if line.strip().startswith('"q3": {') and "RR" in line] == [
        '"q3": {"RR": 0.0}'
    ]
    read = rw.load("x.json")["a"]
    assert [None if column.there is None else column.there.tolist() for column in read.columns] == [
        None,
        *[[True, True, True, False]] * 2,  # nothing is relevant to q3
    ]
    table.save("x.parquet")
    frame = pl.read_parquet("x.parquet")
    assert frame["R"].null_count() == 1
    assert not frame["R"].drop_nulls().is_nan().any()


def test_texts_alone_and_weighted_means_come_back() -> None:
    comes_back(evaluated(QRELS, {"a": RUN}, ["relstring"]))
    table = evaluated(QRELS, {"a": RUN}, ["RR", "AP"], weights={"q1": 1, "q2": 2, "q10": 0.5})
    comes_back(table)
    told = Signature.parse(rw.load("x.json")["a"].column("AP").signature)
    assert told.settings["weights"] == Signature.parse(table["a"].signatures["AP"]).settings["weights"]
    table = evaluated(QRELS, {"a": RUN}, ["RR", "AP"], macro={"q1": "en", "q2": "ar", "q10": "en"})
    comes_back(table)
    assert rw.load("x.json")["a"]["RR"] == (0.5 + 1.0) / 2  # en: q1 and q10, ar: q2


def made(values: list[float], there: list[bool] | None = None) -> rw.RunValues:
    """Values of one measure for as many queries."""
    queries = [f"q{place:02}" for place in range(len(values))]
    [one] = evaluated(
        {query: {"d": 1} for query in queries}, {"a": {query: {"d": 1.0} for query in queries}}, ["yaap"]
    ).values()
    numbers, known = np.array(values), np.ones(len(values), dtype=bool) if there is None else np.array(there)
    per_query = PerQuery(queries, ["yaap"], numbers[:, None], there=None if there is None else known[:, None])
    columns = (replace(details(one).columns[0], values=numbers, weights=known.astype(float), listed=known),)
    with np.errstate(over="ignore", invalid="ignore"):
        _ = columns[0].mean
    return rw.RunValues({"a": replace(one, per_query=per_query, _details=replace(details(one), columns=columns))})


ODD: Final = [-0.0, math.nan, 5e-324, 0.1 + 0.2, 1 / 3, -1e300, 2.0**53, 1e-7, 0.0]


@pytest.mark.parametrize("path", ["x.json", "x.parquet"])
def test_every_number_comes_back_bit_by_bit(path: str) -> None:
    there = [place != 3 for place in range(len(ODD))]
    values = [number if known else math.nan for number, known in zip(ODD, there, strict=True)]
    for given_result in (made(ODD), made(values, there), made([math.nan])):
        given_result.save(path)
        assert everything(rw.load(path)["a"]) == expected(given_result)["a"]


@given(st.lists(st.floats(), min_size=1, max_size=20))
def test_any_numbers_come_back(numbers: list[float]) -> None:
    for path in ("x.json", "x.parquet"):
        made(numbers).save(path)
        assert bits(rw.load(path)["a"].columns[0].values) == bits(numbers)


def test_infinite_values_come_back_beside_undefined_ones() -> None:
    for path in ("x.json", "x.parquet"):
        made([math.inf, 1.0, -math.inf, math.nan]).save(path)
        [column] = rw.load(path)["a"].columns
        assert bits(column.values) == bits([math.inf, 1.0, -math.inf, math.nan])
        assert column.there is None


def test_undefined_is_null_in_json_and_not_a_number_in_parquet() -> None:
    made([1.0, math.nan, math.nan], [True, True, False]).save("x.json")
    rows = json.loads(Path("x.json").read_text())["runs"][0]["per_query"]
    assert rows == {"q00": {"yaap": 1.0}, "q01": {"yaap": None}, "q02": {}}
    made([1.0, math.nan, math.nan], [True, True, False]).save("x.parquet")
    column = pl.read_parquet("x.parquet")["yaap"]
    assert column.is_null().to_list() == [False, False, True]
    assert column[1] != column[1]


WAYS: Final[dict[str, columns.Link]] = {"AP": "mean", "gmean(AP)": "gmean", "NumRel": "sum", "nDCG@3": "mean"}


@many
@given(collection=collections())
def test_means_come_out_of_the_values_of_a_file_again(collection: tuple[Grades, Scores]) -> None:
    evaluated(collection[0], {"a": collection[1]}, list(WAYS)).save("x.json")
    for column in rw.load("x.json")["a"].columns:
        again = columns.summary(column.values[:, None], [WAYS[column.label]])[0]
        assert bits([again]) == bits([column.mean])


def test_a_result_says_what_it_holds() -> None:
    values = one()
    values.save("x.json")
    read = rw.load("x.json")["mine"]
    assert read["ndcg_cut_3"] == values["nDCG@3"]
    assert read[rw.AP] == read.column("map").mean == values["AP"]
    assert read.mean() == values.mean()
    assert "RR" in read
    assert "Bpref" not in read
    assert "no such thing" not in read
    with pytest.raises(UsageError, match=r"^Bpref was not measured; there are nDCG@3 AP RR .*not-measured"):
        read["Bpref"]
    assert read.to_frame().rows() == values.per_query.to_frame().rows()
    assert repr(read).splitlines()[1] == f"AP          {(0.25 + 1 + 0.5) / 3:.4f}"
    assert f"3 queries   {values.signature}" in repr(read)
    assert f"| mine | {values['nDCG@3']:.4f} |" in read.to_markdown()
    assert read.version == __version__
    assert read.tag == "mine"


# One file, whoever writes it


NAMES: Final = ["nDCG@3", "AP", "NumRel"]


def as_files(folder: Path, seed: int) -> None:
    """Judgements and a run as files, their rows in any order."""
    for name, numbers, middle in (("qrels.txt", QRELS, "0"), ("mine.run", RUN, "Q0")):
        rows = [(query, document, value) for query, some in numbers.items() for document, value in some.items()]
        random.Random(seed).shuffle(rows)  # noqa: S311 - nothing secret
        tail = (lambda value: f"{value:g}") if middle == "0" else (lambda value: f"1 {value} tag")
        lines = [f"{query} {middle} {document} {tail(value)}\n" for query, document, value in rows]
        (folder / name).write_text("".join(lines))


def test_every_door_and_every_order_of_rows_gives_the_same_file() -> None:
    expected = written(evaluated(QRELS, {"mine": RUN}, NAMES), "x.json")
    integers = {query: {document: int(grade) for document, grade in some.items()} for query, some in QRELS.items()}
    reverse = {query: dict(reversed(some.items())) for query, some in reversed(QRELS.items())}
    frame = Qrels(QRELS).to_frame()
    doors: list[tuple[object, object]] = [
        (integers, RUN),
        (reverse, {query: dict(reversed(some.items())) for query, some in reversed(RUN.items())}),
        (frame, Run(RUN).to_frame()),
        (frame.sample(fraction=1.0, shuffle=True, seed=3).to_pandas(), RUN),
        (Qrels(QRELS), Run(RUN)),
    ]
    for seed in range(3):
        folder = Path(f"f{seed}")
        folder.mkdir()
        as_files(folder, seed)
        doors.append((folder / "qrels.txt", folder / "mine.run"))
    for qrels, run in doors:
        assert written(evaluated(qrels, {"mine": run}, NAMES), "y.json") == expected
        again = pickle.loads(pickle.dumps(evaluated(qrels, {"mine": run}, NAMES)))
        assert written(again, "y.json") == expected


def test_every_process_gives_the_same_file() -> None:
    as_files(Path(), 1)
    found = set()
    line = [
        sys.executable,
        "-m",
        "rankworth",
        "evaluate",
        "qrels.txt",
        "mine.run",
        "-q",
        "-o",
        "a.json",
        "-o",
        "a.parquet",
    ]
    for seed in ("1", "2", "3"):
        done = subprocess.run(
            [*line, "-m", *NAMES], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        assert "wrote a.json" in done.stderr
        found.add((Path("a.json").read_bytes(), Path("a.parquet").read_bytes()))
    [(text, parquet)] = found
    rw.evaluate("qrels.txt", "mine.run", NAMES).save("b.json")
    rw.evaluate("qrels.txt", "mine.run", NAMES).save("b.parquet")
    assert (Path("b.json").read_bytes(), Path("b.parquet").read_bytes()) == (text, parquet)


def test_what_is_printed_is_what_is_written(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    as_files(Path(), 1)
    assert command("evaluate", "qrels.txt", "mine.run", "-q", "-f", "json", "--quiet", "-m", *NAMES) == 0
    assert capfdbinary.readouterr().out == written(evaluated("qrels.txt", {"mine": "mine.run"}, NAMES), "x.json")


def test_nothing_of_this_machine_is_in_a_file() -> None:
    folder = Path("somewhere-else")
    folder.mkdir()
    as_files(folder, 1)
    for path in ("x.json", "x.parquet"):
        content = written(evaluated(folder / "qrels.txt", {"mine": folder / "mine.run"}), path)
        for word in ("somewhere-else", "qrels.txt", "mine.run", str(Path.cwd())):
            assert word.encode() not in content
        assert not re.search(rb"\d\d:\d\d|20\d\d-\d\d", content)


# What git shows


def test_a_query_has_one_line_for_each_run_and_one_for_its_judgements() -> None:
    lines = written(evaluated(QRELS, {"b": RUN, "a": RUN}, ["RR", "AP"]), "x.json").decode().splitlines()
    assert [line for line in lines if line.startswith('        "q1')] == [
        '        "q1": {"AP": 0.25, "RR": 0.5},',  # AP: (1/2) / 2, as d3 is nowhere
        '        "q10": {"AP": 0.5, "RR": 0.5},',
    ] * 2
    assert sum('"q1"' in line for line in lines) == 3
    assert [one.run for one in rw.load("x.json").values()] == ["b", "a"]
    queries = [line.split('"')[1] for line in lines if line.startswith('        "q') and "AP" in line]
    assert queries == ["q1", "q10", "q2"] * 2  # in the order of their bytes
    assert json.loads("\n".join(lines))["measures"] == ["RR", "AP"]


def differing(before: bytes, after: bytes) -> list[str]:
    """The lines that are there before and not after, with the number of lines unchanged."""
    old, new = before.decode().splitlines(), after.decode().splitlines()
    assert len(old) == len(new)
    return [line.strip() for line, other in zip(old, new, strict=True) if line != other]


def test_a_changed_value_changes_its_line_and_the_mean() -> None:
    before = written(evaluated(QRELS, {"mine": RUN}, ["RR", "P@1", "AP"]), "x.json")
    better = RUN | {"q10": {"d7": 3.0, "d8": 2.0}}
    after = written(evaluated(QRELS, {"mine": better}, ["RR", "P@1", "AP"]), "x.json")
    assert [line.partition(":")[0] for line in differing(before, after)] == [
        '"AP"',
        '"P@1"',
        '"RR"',
        '"q10"',
        '"digest"',
    ]
    other = RUN | {"q10": {"d6": 2.0, "d7": 1.0}}
    assert written(evaluated(QRELS, {"mine": other}, ["RR", "P@1", "AP"]), "x.json") == before


def test_a_changed_judgement_changes_its_line_the_sum_and_what_depends_on_it() -> None:
    before = written(evaluated(QRELS, {"mine": RUN}, ["RR"]), "x.json")
    other = QRELS | {"q1": QRELS["q1"] | {"d1": 1.0}}
    after = written(evaluated(other, {"mine": RUN}, ["RR"]), "x.json")
    assert [line.partition(":")[0] for line in differing(before, after)] == ['"sha256"', '"q1"', '"digest"']


def test_the_order_of_measures_changes_no_line_of_a_query() -> None:
    before = written(evaluated(QRELS, {"mine": RUN}, ["RR", "AP"]), "x.json")
    after = written(evaluated(QRELS, {"mine": RUN}, ["AP", "RR"]), "x.json")
    moved = set(before.decode().splitlines()) ^ set(after.decode().splitlines())
    moved = {line.strip() for line in moved if '"digest"' not in line}
    assert moved == {'"AP"', '"AP",', '"RR"', '"RR",'}  # the list of measures


def test_texts_of_all_languages_stand_as_they_are() -> None:
    odd = ["س١", 'say "q"', "a\nb", "\u2028", "字", " ", "{", "a\\b", "\x00", "\x85"]
    qrels = {query: {"d": 1.0} for query in odd}
    run = {query: {"d": 1.0} for query in odd}
    table = evaluated(qrels, {'the "run"\n': run}, ["RR", "relstring"])
    comes_back(table)
    text = written(table, "x.json").decode()
    assert '"س١": {"RR": 1.0' in text
    lines = text.split("\n")
    assert sum('"RR": 1.0' in line and "relstring" in line for line in lines) == len(odd)


def test_half_a_character_is_not_written() -> None:
    table = evaluated({"q": {"d": 1.0}}, {"\ud800": {"q": {"d": 1.0}}}, ["RR"])
    for path in ("x.json", "x.parquet"):
        with pytest.raises(UsageError, match="half of a surrogate pair is in") as caught:
            table.save(path)
        assert caught.value.slug == "unwritable-output"
        assert not Path(path).exists()


# Judgements


grades_of = st.dictionaries(
    st.sampled_from(["q1", "q2", "ü", "q4"]),
    st.dictionaries(st.sampled_from([f"d{number}" for number in range(9)]), st.sampled_from(GRADES), min_size=1),
    min_size=1,
)


def differences(before: Grades, after: Grades) -> Changes:
    """How judgements differ, pair by pair."""
    old = {(query, document): grade for query, some in before.items() for document, grade in some.items()}
    new = {(query, document): grade for query, some in after.items() for document, grade in some.items()}
    kinds = Counter(
        "added" if pair not in old else "removed" if pair not in new else "regraded"
        for pair in old.keys() | new.keys()
        if old.get(pair) != new.get(pair)
    )
    queries = {
        query for query, document in old.keys() | new.keys() if old.get((query, document)) != new.get((query, document))
    }
    return Changes(len(queries), kinds.total(), kinds["added"], kinds["removed"], kinds["regraded"])


@given(before=grades_of, after=grades_of)
def test_changes_of_judgements_are_counted_pair_by_pair(before: Grades, after: Grades) -> None:
    found = Qrels(before).digest.changes(Qrels(after).digest)
    assert found == differences(before, after)
    assert bool(found) == (before != after)
    for query in before:
        some = Qrels(before).digest.changes(Qrels(after).digest, [query])
        own = [{name: grades for name, grades in each.items() if name == query} for each in (before, after)]
        assert some == differences(*own)


@given(before=grades_of, after=grades_of)
def test_changes_are_counted_from_a_file_as_well(before: Grades, after: Grades) -> None:
    run = {query: {"d1": 1.0} for query in before}
    evaluated(before, {"a": run}, ["RR"]).save("x.json")
    told = rw.load("x.json")["a"].judgements
    assert told is not None
    assert told == Qrels(before).digest
    assert told.changes(Qrels(after).digest) == differences(before, after)


@many
@given(before=grades_of, after=grades_of)
def test_too_many_judgements_are_counted_query_by_query(before: Grades, after: Grades) -> None:
    full = Qrels(before).digest
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file, "LIMIT", full.pairs - 1)
        short = loading.restored_digest(json.loads(json.dumps(file.described(full))))
    assert all(one.documents is None for one in short.queries.values())
    assert (short.sha256, short.pairs) == (full.sha256, full.pairs)
    assert not short.changes(full)
    exact, least = differences(before, after), short.changes(Qrels(after).digest)
    assert least.queries == exact.queries
    assert least.pairs <= exact.pairs
    assert (least.pairs > 0) == (exact.pairs > 0)
    if least.exact:
        assert least == exact
    else:
        assert str(least).startswith("at least ")
        assert set(before) & set(after)


def test_changes_say_what_they_are() -> None:
    before, after = ({"q1": {"a": 1, "b": 0}, "q2": {"c": 1}}, {"q1": {"a": 2, "d": 0}, "q2": {"c": 1.0}})
    found = Qrels(before).digest.changes(Qrels(after).digest)
    assert found == Changes(queries=1, pairs=3, added=1, removed=1, regraded=1, exact=True)
    assert str(found) == "3 judgements of 1 query changed: 1 added, 1 removed, 1 regraded"
    counted = [
        Digest({query: replace(one, documents=None) for query, one in Qrels(each).digest.queries.items()})
        for each in (before, after)
    ]
    least = counted[0].changes(counted[1])
    assert least == Changes(1, 1, 0, 0, 0, exact=False)  # as many judgements, but others
    assert str(least) == "at least 1 judgement of 1 query changed"
    assert not Qrels(before).digest.changes(Qrels({"q2": {"c": 1}, "q1": {"b": 0, "a": 1}}).digest)


def test_the_digest_is_made_as_the_page_says() -> None:
    """The recipe of docs/results.md, written down once more."""
    from base64 import b64encode  # noqa: PLC0415 - of this test alone
    from hashlib import sha256  # noqa: PLC0415 - as above

    def line(query: str) -> str:
        parts = []
        for grade in sorted(set(QRELS[query].values())):
            hashes = sorted(sha256(d.encode()).digest()[:3] for d, other in QRELS[query].items() if other == grade)
            parts.append(f"{grade:g} {b64encode(b''.join(hashes)).decode()}\n")
        return f"{query}\t{sha256(''.join(parts).encode()).hexdigest()[:16]}\n"

    expected = sha256("".join(map(line, ["q1", "q10", "q2"])).encode()).hexdigest()
    assert Qrels(QRELS).digest.sha256 == expected
    one().save("x.json")
    told = json.loads(Path("x.json").read_text())["judgements"]
    assert (told["sha256"], told["queries"], told["pairs"]) == (expected, 3, 3 + 2 + 1)
    first = b64encode(sha256(b"d2").digest()[:3]).decode()
    assert next(iter(told["per_query"]["q1"].items())) == ("0", first)


def test_grades_are_told_in_the_order_of_their_numbers() -> None:
    digest = Qrels({"q": {"a": 10, "b": 2, "c": -1, "d": 0.5, "e": -0.0, "f": 1e20}}).digest
    assert list(digest.queries["q"].documents or ()) == ["-1", "0", "0.5", "2", "10", "1e+20"]


@few
@given(qrels=grades_of)
def test_judgements_for_subtopics_count_one_by_one(qrels: Grades) -> None:
    rows = by_subtopic(qrels)
    frame = pl.DataFrame(rows, schema=["query", "subtopic", "document", "grade"], orient="row")
    whole = Qrels(frame)
    assume(whole.merged)
    assert whole.digest.pairs == len(rows)
    Path("x.qrels").write_text(
        "".join(f"{query} {topic} {document} {grade!r}\n" for query, topic, document, grade in rows)
    )
    assert Qrels("x.qrels").digest == whole.digest == Qrels(frame.reverse()).digest
    other = Qrels(frame.with_columns(grade=pl.when(pl.int_range(pl.len()) == 0).then(7.0).otherwise("grade")))
    assert whole.digest.changes(other.digest) == Changes(1, 1, 0, 0, 1)


def test_judgements_that_are_all_to_count_are_all_told() -> None:
    rows = [("q", "a", 1.0), ("q", "a", 2.0), ("q", "b", 0.0), ("r", "a", 1.0), ("r", "a", 3.0)]
    frame = pl.DataFrame(rows, schema=["query", "document", "grade"], orient="row")
    every = Qrels(frame, duplicate_judgements="all").digest
    assert every.pairs == 5
    assert {query: list(one.documents or ()) for query, one in every.queries.items()} == {
        "q": ["0", "1", "2"],
        "r": ["1", "3"],
    }
    assert Qrels(frame, duplicate_judgements="max").digest.pairs == 3


def test_excluded_judgements_are_told_and_the_line_says_that_they_are_excluded() -> None:
    values = one(measures=["RR"], exclude={"q1": ["d1"]})
    values.save("x.json")
    read = rw.load("x.json")["mine"]
    assert read.judgements == Qrels(QRELS).digest
    assert "exclude" in Signature.parse(read.signature).settings


def test_only_the_queries_that_were_asked_for_are_told() -> None:
    one(measures=["RR"], queries=["q2", "q1"]).save("x.json")
    read = rw.load("x.json")["mine"]
    assert read.queries == ("q1", "q2")
    assert list(read.judgements.queries if read.judgements else ()) == ["q1", "q2"]


def test_nobody_looks_at_the_judgements_again_before_a_file_is_written() -> None:
    qrels = Qrels(QRELS)
    table = evaluated(qrels, {"a": RUN, "b": RUN})
    assert "digest" not in qrels.__dict__
    assert table["a"].judgements is qrels
    command_line = file.record(table, with_queries=False)
    assert "judgements" not in command_line
    assert "digest" not in qrels.__dict__
    table.save("x.json")
    assert "digest" in qrels.__dict__


def test_values_that_travelled_have_no_judgements_and_know_them() -> None:
    again = pickle.loads(pickle.dumps(one()))
    assert isinstance(again.judgements, Digest)
    assert again.judgements == Qrels(QRELS).digest


# Older versions

UNEVEN_QRELS: Final = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 2}, "q3": {"a": 1}, "q4": {"a": 0}, "q5": {"b": 1}}
UNEVEN_RUNS: Final = {
    "old": {
        "q1": {"b": 2.0, "a": 1.0},
        "q2": {"a": 2.0},
        "q4": {"a": 1.0, "b": 0.5},
        "x": {"a": 1.0},
        "q5": {"z": 1.0},
    },
    "new": {"q1": {"a": 2.0, "b": 1.0}, "q3": {"a": 2.0}, "q4": {"a": 1.0}, "x": {"a": 1.0}, "q5": {"b": 1.0}},
}
UNEVEN: Final[dict[str, dict[str, Any]]] = {
    "absent": {"missing": "absent"},
    "judged": {"missing": "skip", "quirks": {"divisor": "judged"}},
    "run": {"quirks": {"divisor": "run"}},
    "zero": {"undefined": "nan", "quirks": {"nan": "zero"}},
    "skip": {"undefined": "nan", "quirks": {"nan": "skip"}},
}
"""settings by which queries count otherwise than their values say"""


@pytest.mark.parametrize("name", UNEVEN)
def test_files_count_each_query_as_the_runs_do(name: str) -> None:
    measures = ["RR", "R@2", "AP"]
    runs = rw.compare(UNEVEN_QRELS, UNEVEN_RUNS, measures, **UNEVEN[name])
    values = evaluated(UNEVEN_QRELS, UNEVEN_RUNS, measures, **UNEVEN[name])
    values.save("now.json")
    stored = rw.load("now.json")
    assert str(rw.compare(runs=stored).differences) == str(runs.differences)
    assert [str(result.interval()) for result in stored.values()] == [str(one.interval()) for one in values.values()]


ITEMS: Final = {"a": {"g": "f"}, "b": {"g": "m"}, "y": {"g": "f"}}
WHOLE: Final = ["Coverage@2", "Gini@2", "Gini(over=shown, attention=log)@2", "EEL@2", "RR"]


@pytest.mark.parametrize("form", ["json", "parquet"])
@pytest.mark.parametrize("said", [{}, {"missing": "skip"}, {"missing": "absent"}, {"by": {"q1": "x", "q2": "y"}}])
def test_measures_of_a_whole_run_come_back_with_what_each_user_adds(form: str, said: Any) -> None:
    values = evaluated(UNEVEN_QRELS, UNEVEN_RUNS, WHOLE, items=ITEMS, **said)
    values.save(f"x.{form}")
    stored = rw.load(f"x.{form}")
    for name, result in stored.items():
        assert result.mean() == values[name].mean()
        assert result.per_query == values[name].per_query
        assert str(result.interval()) == str(values[name].interval())
    told = [each for each in stored["old"].columns if each.label != "RR"]
    assert [each.counts.mean for each in told] == [each.mean for each in told]
    part = ["q1", "q2", "q5"]
    live = rw.compare(UNEVEN_QRELS, UNEVEN_RUNS, WHOLE, items=ITEMS, queries=part, missing=said.get("missing"))
    assert str(rw.compare(None, dict(stored), WHOLE, queries=part).differences) == str(live.differences)


def test_what_users_add_is_written_once_for_measures_that_count_alike() -> None:
    evaluated(UNEVEN_QRELS, UNEVEN_RUNS, WHOLE, items=ITEMS).save("x.json")
    amounts = json.loads(Path("x.json").read_text())["runs"][0]["amounts"]
    assert amounts["Gini@2"] == "Coverage@2"
    assert amounts["Coverage@2"]["columns"] == 3
    assert amounts["Coverage@2"]["per_query"] == {"q1": [0, 1], "q2": [0], "q3": [], "q4": [0, 1], "q5": []}

    def without(told: dict[str, Any]) -> None:
        del told["runs"][0]["amounts"]["Gini@2"]
        told["digest"] = file.digest(told)

    changed("x.json", without)
    assert refused("x.json").slug == "bad-results"


def test_weights_and_groups_of_a_mean_come_back() -> None:
    weights, groups = (
        {"q1": 3, "q2": 1, "q3": 0, "q4": 2, "q5": 5},
        {"q1": "a", "q2": "a", "q3": "a", "q4": "b", "q5": "b"},
    )
    for said in ({"weights": weights}, {"macro": groups}, {"weights": weights, "macro": groups}):
        values = evaluated(UNEVEN_QRELS, UNEVEN_RUNS, ["RR", "gmean(AP)", "NumRel"], **said)
        values.save("now.json")
        stored = rw.load("now.json")
        intervals = [str(result.interval()) for result in stored.values()]
        assert intervals == [str(one.interval()) for one in values.values()]
        assert {run: result.mean() for run, result in stored.items()} == {
            run: one.mean() for run, one in values.items()
        }


def test_a_weight_that_is_none_is_refused() -> None:
    evaluated(UNEVEN_QRELS, UNEVEN_RUNS, ["RR"], weights=dict.fromkeys(UNEVEN_QRELS, 2)).save("x.json")

    def edit(told: dict[str, Any]) -> None:
        told["runs"][0]["counted"]["RR"]["q1"][1] = -1

    changed("x.json", edit)
    assert refused("x.json").slug == "bad-results"


@pytest.mark.parametrize("schema", [1, "rankworth.results/2", "rankworth.results/3"])
def test_an_older_file_is_refused_with_the_command_that_writes_it_again(schema: object) -> None:
    evaluated(QRELS, {"a": RUN}, ["AP", "RR"], profile="ranx-0.3", missing="skip").save("x.json")
    changed("x.json", lambda told: told.update(schema=schema))
    error = refused("x.json")
    assert error.slug == "older-results"
    assert (
        error.remedy
        == "write it again:\n  rankworth evaluate QRELS a=RUN -m AP RR --profile ranx-0.3 --missing skip -q -o x.json"
    )


# Files that are none, or no longer


@pytest.fixture
def good() -> str:
    """Write a file that is sound."""
    evaluated(QRELS, {"mine": RUN, "other": RUN}, ["RR", "AP", "relstring"]).save("good.json")
    return "good.json"


def drop(*way: str | int) -> Callable[[dict[str, Any]], object]:
    """Remove a part."""

    def change(told: Any) -> object:
        for step in way[:-1]:
            told = told[step]
        return told.pop(way[-1])

    return change


def put(value: Any, *way: str | int) -> Callable[[dict[str, Any]], object]:
    """Replace a part."""

    def change(told: Any) -> object:
        for step in way[:-1]:
            told = told[step]
        told[way[-1]] = value
        return None

    return change


BAD: Final[dict[str, tuple[Callable[[dict[str, Any]], object], str]]] = {
    "no schema": (drop("schema"), "this is JSON, and no results of rankworth"),
    "another schema": (put("something/2", "schema"), "this is JSON, and no results of rankworth"),
    "an explanation": (put("rankworth.explanation/1", "schema"), "this is rankworth.explanation/1, and no results"),
    "true for a schema": (put("2", "schema"), "this is JSON, and no results"),
    "no runs": (drop("runs"), "'runs' is missing"),
    "runs of another kind": (put("many", "runs"), "it is not made as results are"),
    "no name": (drop("runs", 0, "name"), "'name' is missing"),
    "two runs of one name": (put("mine", "runs", 1, "name"), "two runs have one name"),
    "no measures": (drop("measures"), "'measures' is missing"),
    "a measure without a mean": (drop("runs", 0, "mean", "AP"), "'AP' is missing"),
    "a measure without a signature": (drop("runs", 0, "signatures", "AP"), "'AP' is missing"),
    "a measure that nobody asked for": (put(["RR"], "measures"), "its digest is not that of what it holds"),
    "a value that is a text": (put("high", "runs", 0, "per_query", "q2", "AP"), "AP has a value that is no number"),
    "a value that is true": (put(True, "runs", 0, "per_query", "q2", "AP"), "its digest is not that of what"),
    "a value that is a list": (put([1], "runs", 0, "per_query", "q2", "AP"), "AP has a value that is no number"),
    "a mean that is a text": (put("high", "runs", 0, "mean", "AP"), "could not convert string to float: 'high'"),
    "a text that is a number": (
        put(7, "runs", 0, "per_query", "q2", "relstring"),
        "its digest is not that of what it holds",
    ),
    "a query less": (drop("runs", 0, "per_query", "q2"), "RR is signed for 3 queries, and the file has 2"),
    "a query more": (
        put({"RR": 1.0, "AP": 1.0, "relstring": ""}, "runs", 0, "per_query", "q3"),
        "RR is signed for 3 queries, and the file has 4",
    ),
    "another query": (
        lambda told: told["runs"][0]["per_query"].update(q3=told["runs"][0]["per_query"].pop("q2")),
        "RR is signed for 3 queries, and the file has as many others",
    ),
    "a value less": (drop("runs", 0, "per_query", "q2", "AP"), "AP is signed for 3 queries, and the file has 2"),
    "a row that is none": (put(3, "runs", 0, "per_query", "q2"), "it is not made as results are"),
    "rows that are none": (put([], "runs", 0, "per_query"), "it is not made as results are"),
    "a signature that is none": (put("AP", "runs", 0, "signatures", "AP"), "'AP' is no signature"),
    "no signature": (drop("signature"), "'signature' is missing"),
    "an unknown kind": (put("colour", "kinds", "AP"), "its digest is not that of what it holds"),
    "a measure that is a text": (put("text", "kinds", "AP"), "its digest is not that of what it holds"),
    "a count that is a text": (put("3", "runs", 0, "queries", "judged"), "its digest is not that of what it holds"),
    "a warning without words": (put([{"slug": "x"}], "runs", 0, "warnings"), "'text' is missing"),
    "judgements of another query": (
        drop("judgements", "per_query", "q2"),
        "the digest of the judgements is not that of its",
    ),
    "judgements with another sum": (
        put("0" * 64, "judgements", "sha256"),
        "the digest of the judgements is not that of its",
    ),
    "judgements that are none": (
        put({"q1": {"1": "not base64"}}, "judgements", "per_query"),
        "judgements cannot be read",
    ),
    "judgements with a grade that is none": (
        put({"q1": {"x": "54gQ"}}, "judgements", "per_query"),
        "judgements cannot be read",
    ),
    "judgements of another kind": (put([], "judgements"), "the digest of the judgements cannot be read"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_does_not_belong_together_is_refused(what: str, good: str) -> None:
    change, message = BAD[what]
    changed(good, change)
    error = refused(good)
    assert error.slug == "bad-results"
    assert error.problems[0].startswith("good.json: ")
    assert message in error.problems[0]
    written = "FILE.json writes one" if "no results" in message else "good.json"
    assert f"rankworth evaluate QRELS RUN -q -o {written}" in error.remedy


def test_a_change_that_is_none_is_read(good: str) -> None:
    before = {name: everything(one) for name, one in rw.load(good).items()}
    changed(good, lambda told: told.update(reversed(list(told.items()))))
    Path(good).write_text(json.dumps(json.loads(Path(good).read_text()), sort_keys=True))
    assert {name: everything(one) for name, one in rw.load(good).items()} == before
    Path("good.json.gz").write_bytes(gzip.compress(Path(good).read_bytes()))
    assert {name: everything(one) for name, one in rw.load("good.json.gz").items()} == before
    assert loading.is_results("good.json.gz")


def test_a_later_version_is_named(good: str) -> None:
    changed(good, lambda told: told.update(schema="rankworth.results/5", rankworth="9.0.0"))
    error = refused(good)
    assert error.slug == "newer-results"
    assert error.problems[0] == f"good.json: it has schema 5, and rankworth {__version__} reads 4"
    assert error.remedy == "rankworth 9.0.0 wrote it: install that version, or a later one"


def test_settings_of_a_later_version_are_refused_with_its_name(good: str) -> None:
    text = Path(good).read_text().replace("|queries:", "|colour:red|queries:").replace(f'"{__version__}"', '"0.9.0"')
    Path(good).write_text(text)
    error = refused(good)
    assert "'colour:red' is nothing that a signature says" in error.problems[0]
    assert f"(rankworth 0.9.0 wrote it, this is {__version__})" in error.problems[0]


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_means_alone_are_refused(form: str) -> None:
    as_files(Path(), 1)
    assert command("evaluate", "qrels.txt", "mine.run", "-o", f"means.{form}", "--quiet") == 0
    error = refused(f"means.{form}")
    assert error.slug == "means-only"
    assert error.remedy == f"-q keeps them: rankworth evaluate QRELS RUN -q -o means.{form}"
    assert loading.is_results(f"means.{form}")


def test_profiles_side_by_side_are_no_results() -> None:
    as_files(Path(), 1)
    line = ("evaluate", "qrels.txt", "mine.run", "-m", "RR", "--profile", "standard", "trec_eval-10.0", "-o", "x.json")
    assert command(*line, "--quiet") == 0
    assert "this is rankworth.profiles/1, and no results of rankworth" in str(refused("x.json"))


@pytest.mark.parametrize("share", [0.0, 0.01, 0.2, 0.5, 0.99])
def test_a_file_that_ends_early_is_refused(share: float, good: str) -> None:
    content = Path(good).read_bytes()
    Path(good).write_bytes(content[: int(len(content) * share)])
    assert refused(good).slug == "bad-json"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_table_that_ends_early_is_refused(share: float) -> None:
    one().save("x.parquet")
    content = Path("x.parquet").read_bytes()
    Path("x.parquet").write_bytes(content[: int(len(content) * share)])
    error = refused("x.parquet")
    assert error.slug == "truncated-file"
    assert error.problems == ("x.parquet: the file in Parquet ends early or is damaged",)


def test_both_sides_of_a_conflict_are_refused(good: str) -> None:
    lines = Path(good).read_text().splitlines(keepends=True)
    lines[5:5] = ["<<<<<<< HEAD\n", *lines[5:6], "=======\n", *lines[5:6], ">>>>>>> other\n"]
    Path(good).write_text("".join(lines))
    error = refused(good)
    assert error.slug == "bad-json"
    assert error.problems[0].startswith("good.json:6: this is not JSON")
    assert error.remedy == "git left both sides of a conflict in it; take one of them, or evaluate again"


def test_a_file_that_git_could_not_merge_at_all_is_still_one_of_results(good: str) -> None:
    whole = Path(good).read_text()
    Path(good).write_text(f"<<<<<<< HEAD\n{whole}=======\n{whole}>>>>>>> other\n")
    assert loading.is_results(good)
    assert refused("good.json").remedy == "git left both sides of a conflict in it; take one of them, or evaluate again"
    Path("odd.run").write_text("<<<<<<< HEAD\nq1 Q0 a 1 1.0 x\n=======\n")
    assert not loading.is_results("odd.run")


def test_a_query_that_stands_there_twice_is_refused(good: str) -> None:
    lines = Path(good).read_text().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if line.startswith('        "q1"'))
    lines.insert(place, lines[place].replace("0.5", "0.75"))
    Path(good).write_text("".join(lines))
    assert refused(good).problems[0] == "good.json: the key q1 appears twice in one object"


def test_other_files_are_refused() -> None:
    as_files(Path(), 1)
    assert refused("qrels.txt").problems == ("qrels.txt: this is no JSON, and no results of rankworth",)
    assert refused("nowhere.json").slug == "missing-file"
    assert refused(".").slug == "is-directory"
    Path("run.json").write_text(json.dumps(RUN))
    assert refused("run.json").slug == "bad-results"
    Path("list.json").write_text("[1]")
    assert refused("list.json").problems[0] == "list.json: this is JSON, and no results of rankworth"
    Run(RUN).to_frame().write_parquet("run.parquet")
    assert refused("run.parquet").problems[0] == "run.parquet: this is a table, and no results of rankworth"


def test_a_table_without_a_column_is_refused() -> None:
    one(measures=["RR", "AP"]).save("x.parquet")
    kept = pl.read_parquet_metadata("x.parquet")["rankworth"]
    pl.read_parquet("x.parquet").drop("AP").write_parquet("x.parquet", metadata={"rankworth": kept})
    assert refused("x.parquet").problems[0] == "x.parquet: 'AP' is missing"


def test_results_are_told_from_runs(good: str) -> None:
    one().save("x.parquet")
    as_files(Path(), 1)
    Path("run.json").write_text(json.dumps(RUN))
    Path("schema.json").write_text(json.dumps({"schema": {"d1": 1.0}}))
    Path("odd.json").write_text(json.dumps({"runs": {"d1": 1.0}, "measures": {"d1": 1.0}}))
    Path("cut.json").write_text(Path(good).read_text()[:300])
    Path("sorted.json").write_text(json.dumps(json.loads(Path(good).read_text()), sort_keys=True))
    Run(RUN).to_frame().write_parquet("run.parquet")
    Path("empty.json").write_text("")
    os.mkfifo("pipe")
    known = {path: loading.is_results(path) for path in sorted(map(str, Path().iterdir()))}
    assert {path for path, stored in known.items() if stored} == {good, "x.parquet", "cut.json", "sorted.json"}
    assert [loading.is_results(other) for other in ("-", "nowhere.json", ".", RUN, 7, None)] == [False] * 6


# Writing


def test_runs_that_were_not_evaluated_together_have_no_file() -> None:
    parts = {"a": one(measures=["RR"]), "b": one(measures=["AP"])}
    with pytest.raises(UsageError, match="a and b have other profiles, measures or judgements") as caught:
        rw.RunValues(parts).save("x.json")
    assert caught.value.slug == "not-comparable"
    parts = {"a": one(measures=["RR"]), "b": evaluated(QRELS | {"q1": {"d1": 1}}, {"b": RUN}, ["RR"])["b"]}
    with pytest.raises(UsageError, match="a and b have other profiles, measures or judgements"):
        rw.RunValues(parts).save("x.json")
    assert not Path("x.json").exists()


def test_runs_with_different_queries_share_a_file() -> None:
    half = {query: some for query, some in RUN.items() if query != "q2"}
    table = evaluated(QRELS, {"a": RUN, "b": half}, ["RR", "AP"], missing="skip")
    comes_back(table)
    read = rw.load("x.json")
    assert [len(one.queries) for one in read.values()] == [3, 2]
    assert read["a"].signature != read["b"].signature


@pytest.mark.parametrize(
    ("path", "slug", "message"),
    [
        ("x.csv", "unknown-format", "x.csv: results are kept as .json and .parquet"),
        ("x", "unknown-format", "use one of .json .parquet"),
        ("x.json.gz", "unknown-format", "compressed files are not written"),
        ("nowhere/x.json", "unwritable-output", "there is no folder nowhere"),
        ("", "unwritable-output", "an empty text names no file"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused(path: str, slug: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        one().save(path)
    assert caught.value.slug == slug


@pytest.mark.parametrize("path", ["x.json", "x.parquet"])
def test_a_full_disk_leaves_the_file_that_was_there(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(path).write_text("before")

    def full(content: bytes, file: Any) -> None:
        file.write(content[:50])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(outputs, "put", full)
    with pytest.raises(UsageError, match="No space left on device"):
        one().save(path)
    assert sorted(map(str, Path().iterdir())) == [path]
    assert Path(path).read_text() == "before"


STOPPED: Final = """
import os, warnings, rankworth as rw
from rankworth.io import atomic
def stopped(content, file):
    file.write(content[:50])
    os.kill(os.getpid(), {})
atomic.put = stopped
warnings.simplefilter("ignore")
rw.evaluate({!r}, {!r}, ["RR"]).save("x.json")
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_process_that_is_ended_leaves_the_file_that_was_there(number: int) -> None:
    Path("x.json").write_text("before")
    line = [sys.executable, "-c", STOPPED.format(int(number), QRELS, RUN)]
    done = subprocess.run(line, capture_output=True, check=False, preexec_fn=signals.usual)
    assert done.returncode == -number
    assert Path("x.json").read_text() == "before"
    if number != signal.SIGKILL:
        assert sorted(map(str, Path().iterdir())) == ["x.json"]


def test_intervals_come_with_their_seed() -> None:
    as_files(Path(), 1)
    assert command("evaluate", "qrels.txt", "mine.run", "-q", "--interval", "-o", "x.json", "--quiet", "-m", "RR") == 0
    assert rw.load("x.json")["mine"].seed == 0
    assert '        "RR": {"low": ' in Path("x.json").read_text()


@few
@given(collection=collections(), undefined=st.sampled_from((0.0, "skip", "nan")))
def test_intervals_of_a_file_are_those_of_its_values(collection: tuple[Grades, Scores], undefined: Any) -> None:
    values = evaluated(collection[0], {"a": collection[1]}, [*WAYS, "R"], undefined=undefined)["a"]
    values.save("x.json")
    kept = rw.load("x.json")["a"].interval(level=0.9, seed=7)
    for label, interval in values.interval(level=0.9, seed=7).items():
        assert bits(kept[label]) == bits(interval)


@pytest.mark.parametrize(
    "said",
    [
        {"weights": {"q1": 1, "q2": 2, "q10": 0.5}},
        {"macro": {"q1": "en", "q2": "ar", "q10": "en"}},
        {"missing": "absent"},
        {"quirks": {"round_means": 1}},
        {"quirks": {"divisor": "run"}},
    ],
)
def test_a_file_explains_its_means_so_that_intervals_are_those_of_the_values(said: Any) -> None:
    values = one(measures=["AP"], **said)
    values.save("x.json")
    assert str(rw.load("x.json")["mine"].interval()) == str(values.interval())


@pytest.mark.parametrize("said", [{"level": 1}, {"seed": -1}])
def test_levels_and_seeds_of_intervals_are_refused_as_of_live_values(said: Any) -> None:
    one().save("x.json")
    for values in (one(), rw.load("x.json")["mine"]):
        with pytest.raises(UsageError, match="unknown-setting"):
            values.interval(**said)


def test_groups_come_back() -> None:
    groups = {"q1": "en", "q2": "ar", "q10": "en"}
    table = evaluated(QRELS, {"mine": RUN}, ["RR", "AP"], by=groups)
    comes_back(table)
    told = json.loads(Path("x.json").read_text())
    [run] = told["runs"]
    assert run["groups"]["en"]["mean"] == {"AP": (0.25 + 0.5) / 2, "RR": 0.5}
    assert {query: row["group"] for query, row in run["per_query"].items()} == groups
    assert told["by"] == table["mine"].by.name if table["mine"].by else ""
    read = rw.load("x.json")["mine"]
    assert read.texts["group"] == ("en", "en", "ar")
    assert read.groups["ar"]["queries"] == 1


@pytest.mark.parametrize("path", ["bounds.json", "bounds.parquet"])
@pytest.mark.parametrize("by", ["ties", "unjudged"])
def test_bounds_of_a_file_are_those_of_its_values(path: str, by: Any) -> None:
    tied = {"q1": {"d2": 3.0, "d1": 3.0, "d9": 1.0}, "q2": {"d5": 3.0, "d9": 2.0}, "q10": {"d8": 2.0, "d7": 2.0}}
    measures = ["RR", "nDCG@3", "AP", "ERR", "NumRel"]
    table = evaluated(QRELS, {"a": tied, "b": RUN}, measures, bounds=by)
    table.save(path)
    for name, result in rw.load(path).items():
        bounds, expected = result.bounds, table[name].bounds
        assert bounds is not None
        assert expected is not None
        assert (bounds.by, bounds.assumption, bounds.notes) == (by, expected.assumption, expected.notes)
        assert [*bounds] == [*expected] == measures
        for measure in measures:
            np.testing.assert_array_equal(bounds[measure], expected[measure])
            rows, others = bounds.per_query(measure), expected.per_query(measure)
            assert rows.keys() == others.keys()
            np.testing.assert_array_equal([*rows.values()], [*others.values()])
        with pytest.raises(KeyError):
            bounds.per_query("P@1")


def test_a_file_without_bounds_has_none() -> None:
    evaluated(QRELS, {"a": RUN}).save("plain.json")
    assert rw.load("plain.json")["a"].bounds is None


@pytest.mark.parametrize("profile", ["pytrec_eval-terrier-0.5", "ir_measures-0.4", "repro_eval-0.5", "trec_eval-9.0.8"])
def test_intervals_of_geometric_means_are_those_of_the_mean_of_logarithms(profile: str) -> None:
    """Held to SciPy's bootstrap; whether queries show logarithms or values makes no difference."""
    draw = np.random.default_rng(5)
    qrels = {f"q{query:02}": {f"d{number}": int(draw.integers(0, 3)) for number in range(6)} for query in range(30)}
    run = {query: {f"d{number}": float(draw.normal()) for number in range(9)} for query in [*qrels][:26]}
    values = rw.evaluate(qrels, run, ["gm_map", "map"], profile=profile)
    plain = rw.evaluate(qrels, run, ["gm_map", "map"], profile=profile, quirks={"logarithms": False})
    logarithms = np.log([max(row["gm_map"], 1e-5) for row in plain.per_query.to_dict().values()])
    told = scipy.stats.bootstrap((logarithms,), np.mean, method="BCa", n_resamples=9999, random_state=1)
    interval, ends = values.interval()["gm_map"], told.confidence_interval
    assert values["gm_map"] == pytest.approx(np.exp(logarithms.mean()))
    assert np.log(interval[:2]) == pytest.approx([ends.low, ends.high], abs=0.08 * (ends.high - ends.low))
    assert interval == pytest.approx(plain.interval()["gm_map"])
    values.save("x.json")
    stored = rw.load("x.json")[values.run].interval()
    assert {name: bits(ends) for name, ends in stored.items()} == {
        name: bits(ends) for name, ends in values.interval().items()
    }


def test_a_mean_without_an_interval_leaves_those_of_others() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"b": 1}}, {"q1": ["a"], "q2": ["c", "a"], "q3": ["b", "c"]}
    values = rw.evaluate(qrels, run, ["P@1", "P@2"])
    values.save("x.json")
    result = rw.load("x.json")[values.run]
    odd = replace(result.columns[0], mean=0.77)
    kept = replace(result, columns=(odd, result.columns[1])).interval()
    assert math.isnan(kept["P@1"].low)
    assert kept["P@2"] == values.interval()["P@2"]


def test_a_comparison_with_a_file_keeps_the_warnings_that_the_runs_give() -> None:
    qrels = {f"q{number}": {"a": 1, "b": 0, "c": 0, "d": 0, "e": 0} for number in range(8)}
    deep = {query: ["a", *"ghijklmnopqrstuvwxyz"] for query in qrels}
    runs = {"shallow": {query: ["b", "a", "c", "d", "e"] for query in qrels}, "deep": deep}
    values = evaluated(qrels, runs, ["AP"])
    values.save("x.json")
    live = dict(rw.compare(qrels, runs, ["AP"]).warnings)
    assert {"uneven-depth", "one-sided-judgements"} <= live.keys()
    assert "90.0 % of the first 10 ranks of deep" in live["one-sided-judgements"]  # 9 / 10 and 0 / 10
    for stored in (dict(rw.load("x.json")), dict(values)):
        told = dict(rw.compare(qrels, {"shallow": stored["shallow"], "deep": deep}, ["AP"]).warnings)
        assert {slug: told[slug] for slug in live} == live
