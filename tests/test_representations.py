"""What `print` shows of public objects: as much as fits on a screen, and the bounds that were asked for."""

import inspect
import random
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

import numpy as np
import pytest

import rankworth as rw
from rankworth.errors import RankworthError

LINES: Final = 70
CHARACTERS: Final = 8_000
WORKINGS: Final = {"column", "run", "remembered"}
"""attributes of internals that hold arrays, which are there to compute with"""
MEASURES: Final = ["nDCG@10", "RR", "AP"]
TIED: Final = ({"q1": {"a": 1, "b": 0, "c": 2}}, {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}})


def collection(queries: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgements of many queries, and five systems with ties."""
    chance = random.Random(1)  # noqa: S311 - data for a test
    judgements = {f"q{query:03}": {f"d{name}": chance.randrange(3) for name in range(20)} for query in range(queries)}
    runs = {
        f"system{number}": {
            query: {f"d{name}": chance.randrange(9) / 4 for name in chance.sample(range(25), 20)}
            for query in judgements
        }
        for number in range(5)
    }
    return judgements, runs


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    """An object of each public class, of many queries, with bounds and groups where it can have them."""
    qrels, runs = collection(60)
    run, other, *_ = runs.values()
    groups = {query: f"group {place % 40}" for place, query in enumerate(qrels)}
    path = tmp_path_factory.mktemp("results") / "values.json"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        values = rw.evaluate_runs(qrels, runs, MEASURES, by=groups)
        values.save(path)
        comparison = rw.compare(qrels, runs, MEASURES, by=groups)
        check = rw.check(qrels, {query: run[query] for query in list(run)[10:]})
        return [
            values,
            rw.evaluate(qrels, run, MEASURES, bounds="ties"),
            rw.evaluate(qrels, run, MEASURES, bounds="unjudged", by=groups),
            rw.load(path)["system1"],
            rw.history(path),
            comparison,
            rw.compare(qrels, {"a": run, "b": other}, MEASURES, bounds="ties"),
            rw.table({"here": comparison, "there": comparison}),
            rw.corrected_means(qrels, qrels, runs, MEASURES),
            rw.judge_next(qrels, {"a": run, "b": other}, "P@10"),
            check,
            *check.findings,
            rw.audit(qrels, run, "nDCG@10=0.4"),
            rw.explain(qrels, run, "AP", query="q001"),
            rw.explain(qrels, run, "AP", query="q001", against=other),
            rw.explain_queries(qrels, run, MEASURES),
            rw.vary(measures="AP", qrels=qrels, run=run, query="q001"),
            rw.scenarios(measures=MEASURES, qrels=qrels, runs=runs, query="q001"),
            rw.agreement(qrels, qrels),
            rw.calibrate(qrels, qrels, before=qrels),
            rw.correlate(run, other),
            rw.correlate_runs(runs),
            rw.correlate_measures(qrels, runs, MEASURES),
            rw.correlate_judges(qrels, qrels, runs, MEASURES),
            rw.discriminative_power(qrels, runs, MEASURES),
            rw.demo(),
            rw.Terms(np.zeros((60, 50))),
            rw.Run(run),
            rw.fuse({"a": run, "b": other}),
            rw.audit_fusion(rw.fuse({"a": run, "b": other}), {"a": run, "b": other}),
            rw.Fusion(),
            rw.silence({**qrels, "none": {}}, run, "P@10"),
            rw.trace(qrels, {"a": run, "b": other}, "P@10"),
            rw.tune(qrels, {"a": run, "b": other}, "P@10", method="rrf", resamples=50),
            rw.Qrels(qrels),
            rw.nDCG @ 10,
            rw.FACTS["NumQ"],
            rw.PROFILES["trec_eval"],
            rw.PROFILES,
            rw.CATALOGUE,
            rw.Signature.parse(next(iter(values.values())).signature),
        ]


def parts(shown: object, known: set[type], path: str = "") -> Iterator[tuple[str, object]]:
    """An object and those of rankworth's classes that its public attributes are or hold first, each class once."""
    if type(shown) in known:
        return
    known.add(type(shown))
    path = path or type(shown).__name__
    yield path, shown
    for name in (name for name in dir(shown) if not name.startswith("_") and name not in WORKINGS):
        part: Any = None
        with suppress(RankworthError, TypeError, AttributeError):
            part = getattr(shown, name)
        held = (
            list(part.values() if isinstance(part, Mapping) else part)[:1]
            if isinstance(part, tuple | list | Mapping)
            else []
        )
        for each in (part, *held):
            if type(each).__module__.startswith("rankworth"):
                yield from parts(each, known, f"{path}.{name}")


def test_whatever_is_public_prints_itself_on_a_screen(results: list[object]) -> None:
    known: set[type] = set()
    too_long = {}
    for result in results:
        known.discard(type(result))
        for path, part in parts(result, known):
            text = repr(part)
            if text.count("\n") >= LINES or len(text) > CHARACTERS:
                too_long[path] = (text.count("\n"), len(text))
    assert too_long == {}


def test_each_public_class_is_among_them(results: list[object]) -> None:
    known: set[type] = set()
    for result in results:
        list(parts(result, known))
    public = {getattr(rw, name) for name in dir(rw) if inspect.isclass(getattr(rw, name))}
    public = {each for each in public if not issubclass(each, Exception)}
    missing = {each.__name__ for each in public if not any(issubclass(one, each) for one in known)}
    assert not missing


def test_tables_beyond_a_screen_are_counted() -> None:
    qrels, runs = collection(120)
    explanations = rw.explain_queries(qrels, runs["system1"], MEASURES)
    assert re.search(r"\.\.\. and \d{3} more tables: to_markdown\(\) has all", repr(explanations))
    assert repr(explanations).startswith(repr(explanations[0]).partition("\n")[0])


@pytest.mark.parametrize("bounds", ["ties", "unjudged"])
def test_values_show_bounds_as_the_command_line_does(bounds: Any) -> None:
    qrels, run = TIED
    values = rw.evaluate(qrels, run, ["nDCG@2"], bounds=bounds)
    low, _, high = values.bounds["nDCG@2"]  # type: ignore[index]
    assert f"{low:.4f}…{high:.4f}" in str(values)
    assert str(values) == str(rw.RunValues({values.run: values}))
    assert repr(values.bounds) == f"MeanBounds(nDCG@2 {low:.4f}…{high:.4f}; {values.bounds.assumption})"  # type: ignore[union-attr]


def test_a_profile_names_itself_and_what_was_changed() -> None:
    profile = rw.PROFILES["trec_eval"]
    assert repr(profile) == f"Profile('{profile.name}')"
    assert repr(profile.derive(depth=10, ties="given")) == f"Profile('{profile.name}', depth=10, ties='given')"
