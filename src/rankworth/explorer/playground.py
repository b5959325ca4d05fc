"""The playground of the explorer: a query whose rankings and grades are edited, and what the library computes for it.

Handlers take the state of the page, a dict as JSON holds it, and give a dict. They measure nothing themselves.
"""

import json
import math
import shlex
import sys
import tomllib
import warnings
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from typing import Any, Final, NamedTuple

from rankworth.errors import MeasureError, RankworthError, RankworthWarning, UsageError, quoted
from rankworth.evaluation import evaluate, evaluate_profiles
from rankworth.explanation import Explanation, explain, vary
from rankworth.explanation.trace import finite, step_columns
from rankworth.measures import CATALOGUE
from rankworth.model import Qrels, Run
from rankworth.names import measure_of
from rankworth.profiles import DEFAULT, PROFILES, Profile, profile_of
from rankworth.settings import DATA, OPTIONS, QUIRKS, SETTINGS, VALUES, as_typed, with_quirks
from rankworth.tables.look import Look

MAX_DOCUMENTS: Final = 10_000
MAX_RANKS: Final = 1_000
MAX_RANKINGS: Final = 8
MAX_MEASURES: Final = 20
_CURVE: Final = 50
"""the deepest cutoff of the curve"""
_TRIED: Final = 50
"""how many of the first ranks are tried for a document, and how many neighbours are exchanged"""
_MOVED: Final = 20
"""how many documents are tried at these ranks"""
_SHOWN: Final = 10
"""how many moves are recommended"""
_GAINS: Final = 3
"""how many of the gains of nDCG the page offers"""
_UNJUDGED: Final = "?"
_OTHER: Final = "(another query)"
_MEASURE: Final = "measure"
_LARGEST: Final = sys.float_info.max
_KINDS: Final[Mapping[type, str]] = {dict: "an object", list: "a list", str: "text"}
_UNDO: Final = "undo the last change, or open the page again"


class SystemRanking(NamedTuple):
    """Documents in the order of a system, and their scores."""

    name: str
    documents: list[str]
    scores: list[float]

    @property
    def run(self) -> dict[str, float]:
        """The scores by document."""
        return dict(zip(self.documents, self.scores, strict=True))

    @property
    def is_plain(self) -> bool:
        """Whether the order says all: all scores are above 0 and differ, in single precision too."""
        return min(self.scores) > 0 and len({*array("f", self.scores)}) == len(self.scores)


@dataclass(frozen=True)
class Playground:
    """A query with its judgements, rankings, measures and conventions.

    Attributes:
        query: the id of the query.
        grades: the grade of each document, None for one that nobody judged; documents in no ranking were not retrieved.
        rankings: one ranking or several.
        measures: names, with the cutoff and the gain that the page sets for all.
        lead: the measure that is explained.
        conventions: `rel`, `profile` and settings, as `evaluate` takes them.

    """

    query: str
    grades: Mapping[str, float | None]
    rankings: tuple[SystemRanking, ...]
    measures: tuple[str, ...]
    lead: str
    conventions: Mapping[str, Any]

    @classmethod
    def of(cls, state: object) -> "Playground":
        """Read the state of a page.

        Raises:
            UsageError: `bad-request` where it is not what the page sends.
            MeasureError: `bad-cutoff`, `bad-parameter`.

        """
        record = checked(state, dict, "the state")
        documents = _several(record, "documents", dict, MAX_DOCUMENTS)
        grades = {checked_text(each, "id"): checked_number(each, "grade") for each in documents}
        rankings = tuple(_ranking(each, grades) for each in _several(record, "rankings", dict, MAX_RANKINGS))
        require(bool(rankings), "there is no ranking")
        is_judged = any(grade is not None for grade in grades.values())
        require(is_judged, "no document has a grade", "judge one: keys 0 to 9")
        require(len(grades) == len(documents), "two documents have one id")
        require(len({ranking.name for ranking in rankings}) == len(rankings), "two rankings have one name")
        cutoff, gain = checked_count(record, "cutoff", 1), checked(record.get("gain") or "", str, "gain")
        texts = _several(record, "measures", str, MAX_MEASURES)
        measures = tuple(dict.fromkeys(_with_controls(text, cutoff, gain) for text in texts))
        require(bool(measures), "there is no measure")
        lead = record.get("lead")
        settings = checked(record.get("settings") or {}, dict, "settings")
        unknown = settings.keys() - {*OPTIONS, *QUIRKS, *DATA}
        require(not unknown, f"there are no settings {quoted(sorted(unknown))}")
        settings = {name: value for name, value in settings.items() if value is not None}
        return cls(
            query=checked_text(record, "query", "q"),
            grades=grades,
            rankings=rankings,
            measures=measures,
            lead=measures[lead if isinstance(lead, int) and 0 <= lead < len(measures) else 0],
            conventions={
                "rel": checked_number(record, "rel"),
                "profile": checked_text(record, "profile", DEFAULT),
                **{name: value for name, value in settings.items() if name not in QUIRKS},
                "quirks": {name: value for name, value in settings.items() if name in QUIRKS},
            },
        )

    @property
    def judged(self) -> dict[str, float]:
        """The documents that somebody judged, with their grades."""
        return {document: grade for document, grade in self.grades.items() if grade is not None}

    @cached_property
    def qrels(self) -> Qrels:
        """The judgements of the query."""
        return Qrels({self.query: self.judged})

    @cached_property
    def runs(self) -> dict[str, Run]:
        """The rankings with documents, by name."""
        return {each.name: Run({self.query: each.run}, each.name) for each in self.rankings if each.documents}

    def inputs(self, ranking: SystemRanking) -> tuple[Qrels, Run]:
        """Return judgements and run; one without documents answers another query, so that this one is unanswered."""
        if ranking.documents:
            return self.qrels, self.runs[ranking.name]
        other = {_OTHER: {_OTHER: 1.0}}
        return Qrels({self.query: self.judged, **other}), Run(other, ranking.name)

    def row(self, values: Any) -> dict[str, float | None]:  # noqa: ANN401 - `Values`
        """Return the values of the query by measure; None where the conventions leave it out."""
        value_by_measure = values.per_query.to_dict().get(self.query, {})
        return {name: finite(value_by_measure.get(name)) for name in values.per_query.measures}

    def vary(self, measures: Any, by: Any, **options: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - those of `vary`
        """Vary the first ranking and return its values, a row for each change."""
        variation = self._of_ranks(self.rankings[0], vary, measures=measures, by=by, **options) if measures else None
        return [{name: finite(value) for name, value in row.items()} for row in variation.rows] if variation else []

    def explained(self, ranking: SystemRanking) -> Explanation | None:
        """Explain how the value of a ranking is computed."""
        explanation: Explanation | None = self._of_ranks(ranking, explain, measure=self.lead)
        return explanation

    def _of_ranks(self, ranking: SystemRanking, function: Callable[..., Any], **options: Any) -> Any:  # noqa: ANN401
        """Explain or vary a ranking with `function`; None for a measure that counts, and for no documents."""
        qrels, run = self.inputs(ranking)
        try:
            if ranking.documents:
                return function(qrels=qrels, run=run, query=self.query, **self.conventions, **options)
        except MeasureError as error:
            if error.slug != "measure-syntax":
                raise
        return None


def start() -> dict[str, Any]:
    """Return what the page offers: measures, profiles, options and the rankings to begin with."""
    helps = {name: SETTINGS[name].metadata["help"] for name in ("ties", "unjudged")}
    options = [{"name": name, "words": VALUES[name].words, "help": text} for name, text in helps.items()]
    return {
        "measures": list(CATALOGUE),
        "profiles": [{"name": name, "sentence": profile.sentence} for name, profile in PROFILES.items()],
        "options": options,
        "gains": CATALOGUE["nDCG"].definition.parameters["gain"].words[:_GAINS],
        "examples": examples(),
    }


def examples() -> list[dict[str, Any]]:
    """Return name, group, two sentences, what a button does, and the state of each of the rankings to begin with."""
    source = (files("rankworth.explorer") / "examples.toml").read_text("utf-8")
    examples: list[dict[str, Any]] = tomllib.loads(source)["example"]
    for example in examples:
        grades, runs = example.pop("grades"), example.pop("rankings")
        state: dict[str, Any] = {name: example.pop(name) for name in ("measures", "cutoff", "gain") if name in example}
        grade_by_id = {name: None if grade == _UNJUDGED else grade for name, grade in grades.items()}
        state["documents"] = [{"id": name, "grade": grade, "text": ""} for name, grade in grade_by_id.items()]
        ranked = {name: dict(sorted(scores.items(), key=lambda pair: -pair[1])) for name, scores in runs.items()}
        state["rankings"] = [
            SystemRanking(name, [*scores], [*scores.values()])._asdict() for name, scores in ranked.items()
        ]
        example["state"] = state
    return examples


def score(state: object) -> dict[str, Any]:
    """Evaluate all rankings, and explain one measure."""
    page = Playground.of(state)
    rankings, notes, signatures = [], [], []
    for ranking in page.rankings:
        with warnings.catch_warnings(record=True, action="always", category=RankworthWarning) as caught:
            values = evaluate(*page.inputs(ranking), page.measures, **page.conventions)
        if ranking.documents:  # otherwise they are about the other query, too
            notes += [str(warning.message) for warning in caught]
            signatures.append(values.signature)
        explained = page.explained(ranking)
        rankings.append({"name": ranking.name, "values": page.row(values), "explanation": _explained(explained)})
    return {
        "measures": values.per_query.measures,
        "lead": page.lead,
        "signature": signatures[0] if signatures else values.signature,
        "notes": list(dict.fromkeys(notes)),
        "rankings": rankings,
    }


def curve(state: object) -> dict[str, Any]:
    """Evaluate the first ranking at every cutoff, by the measures that can be cut."""
    page = Playground.of(state)
    deepest = min(_CURVE, max(1, len(page.rankings[0].documents)))
    measures = [name for name in page.measures if (measure := measure_of(name)) and not measure.definition.at]
    return {"rows": page.vary(measures, "cutoff", n=deepest)}


def profiles(state: object) -> dict[str, Any]:
    """Evaluate the first ranking under every profile; where one refuses it, return its message."""
    page = Playground.of(state)
    rows: list[dict[str, Any]] = []
    by_profile = evaluate_profiles(*page.inputs(page.rankings[0]), page.measures, rel=page.conventions["rel"])
    for name, values in by_profile.items():
        if isinstance(values, RankworthError):
            rows.append({"profile": name, "values": None, "error": values.problems[0]})
        else:
            rows.append({"profile": name, "values": list(page.row(values).values()), "error": None})
    return {"measures": page.measures, "rows": rows}


def difference(state: object) -> dict[str, Any]:
    """Say why a profile gives the first ranking another value: the settings that differ, and what each alone does."""
    page = Playground.of(state)
    mine, other = profile_with(page.conventions), profile_of(checked_text(checked(state, dict, ""), "other", DEFAULT))
    here, rows = _resolved(mine, page), []
    try:
        theirs = _resolved(other, page)
    except MeasureError:  # the tool calls another measure so, or has none of the name
        theirs = here
    for setting in [name for name in here if here[name] != theirs[name]]:
        changed = mine if setting == _MEASURE else mine.derive(**{setting: theirs[setting]})
        value = _value(page, theirs[_MEASURE] if setting == _MEASURE else here[_MEASURE], changed)
        texts = {"setting": setting, "here": str(here[setting]), "there": str(theirs[setting])}
        rows.append(texts | value | {"why": other.why.get(setting, "")})
    values = {"here": _value(page, page.lead, mine), "there": _value(page, page.lead, other)}
    return {"profile": other.name, "sentence": other.sentence, "measure": page.lead, "rows": rows, **values}


def changes(state: object) -> dict[str, Any]:
    """Try single changes within the first ranks: another rank, another grade, a swap of neighbours."""
    page, chosen = Playground.of(state), checked(state, dict, "").get("document")
    require(chosen is None or chosen in list(page.grades), "there is no such document")
    return {
        "measure": page.lead,
        "document": chosen,
        "moves": best_moves(page),
        "swap": page.vary(page.lead, "swap", n=_TRIED),
        "position": page.vary(page.lead, "position", document=chosen, n=_TRIED) if chosen else [],
        "grade": page.vary(page.lead, "grade", document=chosen) if chosen else [],
    }


def export(state: object) -> dict[str, Any]:
    """Write how to get these numbers elsewhere: lines of Python, a command, or the calculation as Markdown."""
    page, form = Playground.of(state), checked(state, dict, "").get("form")
    writers = {"python": _python, "command": _command, "markdown": _markdown}
    require(form in list(writers), f"form must be one of {quoted(list(writers))}")
    require(bool(page.rankings[0].documents), "a ranking without documents cannot be exported", "add a document")
    return {"text": writers[form](page, page.rankings[0])}


def profile_with(conventions: Mapping[str, Any]) -> Profile:
    """Derive a profile with changed settings, but for `rel`."""
    settings = {name: value for name, value in conventions.items() if name not in ("rel", "profile")}
    return profile_of(conventions["profile"]).derive(**with_quirks(settings))


def _explained(explanation: Explanation | None) -> dict[str, Any] | None:
    """Return an explanation as the page shows it: tables and what is missing as in the terminal."""
    if explanation is None:
        return None
    measure = explanation.measure
    missing = [{"document": str(each.document), "sentence": each.sentence(measure)} for each in explanation.missing]
    look = Look()
    tables = [
        [
            {"name": each.name, "number": each.kind != "text", "apart": each.apart, "cells": look.cells(each)}
            for each in columns
        ]
        for columns in step_columns(explanation)
    ]
    return {**explanation.to_dict(), "arithmetic": explanation.arithmetic, "missing": missing, "tables": tables}


def best_moves(page: Playground) -> list[dict[str, Any]]:
    """Find the best rank of each relevant document, and what moving it there would add, the greatest gain first."""
    ranks = {document: rank for rank, document in enumerate(page.rankings[0].documents, 1)}
    relevant = [document for document, grade in page.judged.items() if grade > 0]
    moves = []
    for document in sorted(relevant, key=lambda each: (ranks.get(each, math.inf), -page.judged[each]))[:_MOVED]:
        rows = page.vary(page.lead, "position", document=document, n=_TRIED)
        best = max(rows, key=lambda row: (row["change"] or 0.0, -row["position"]), default=None)
        if best and (best["change"] or 0.0) > 0:
            moves.append({**best, "document": document, "from": ranks.get(document), "to": best["position"]})
    return sorted(moves, key=lambda move: -move["change"])[:_SHOWN]


def _resolved(profile: Profile, page: Playground) -> dict[str, Any]:
    """Return the first measure as a profile understands it, and the settings under which it is measured."""
    [first, *_] = profile.ask([page.lead], rel=page.conventions["rel"])
    return {_MEASURE: str(first.quantity), **first.conventions}


def _value(page: Playground, measure: str, profile: Profile) -> dict[str, Any]:
    """Return the value of the first ranking by a measure, or why there is none."""
    rel = page.conventions["rel"]
    try:
        values = page.row(evaluate(*page.inputs(page.rankings[0]), [measure], rel=rel, profile=profile))
    except RankworthError as error:
        return {"value": None, "error": error.problems[0]}
    return {"value": next(iter(values.values())), "error": None}


def _with_controls(text: str, cutoff: int | None, gain: str) -> str:
    """Give a measure the page's gain, and the page's cutoff if it has none."""
    measure = measure_of(text)
    if measure is None:
        return text
    parameter = measure.definition.parameters.get("gain")
    changed = measure(gain=gain) if parameter and gain in parameter.words else measure
    changed = changed @ cutoff if cutoff and measure.cutoff is None and not measure.definition.at else changed
    return text if changed == measure else str(changed)


def _markdown(page: Playground, ranking: SystemRanking) -> str:
    """Write the table of steps in Markdown; of values, for a measure that counts."""
    explained = page.explained(ranking) or evaluate(*page.inputs(ranking), page.measures, **page.conventions)
    return explained.to_markdown()


def _python(page: Playground, ranking: SystemRanking) -> str:
    """Write lines of Python that give the values and the explanation."""
    qrels, run = {page.query: page.judged}, {page.query: ranking.run}
    changed = {name: value for name, value in page.conventions.items() if value not in (None, DEFAULT, {})}
    options = "".join(f", {name}={value!r}" for name, value in changed.items())
    explain = f"print(rw.explain(qrels, run, {page.lead!r}, query={page.query!r}{options}))\n"
    return f"""import rankworth as rw

qrels = {qrels!r}
run = {run!r}
print(rw.evaluate(qrels, run, {list(page.measures)!r}{options}))
{explain if page.explained(ranking) else ""}"""


def _command(page: Playground, ranking: SystemRanking) -> str:
    """Write a command that explains the ranking: from grades in rank order, or from files where these do not do."""
    measures = [name for name in page.measures if replace(page, lead=name).explained(ranking)]
    require(bool(measures), "no rank adds to any of these measures, so that no command explains them", "add nDCG")
    options = ["-m", *measures]
    for name, value in with_quirks(page.conventions).items():
        if value not in (None, DEFAULT):
            options += as_typed(name, value)
    if not ranking.is_plain:
        query = "q"
        contents = {"qrels.json": {query: page.judged}, "run.json": {query: ranking.run}}
        texts = {name: shlex.quote(json.dumps(content, ensure_ascii=False)) for name, content in contents.items()}
        written = "".join(f"printf %s {text} > {name}\n" for name, text in texts.items())
        return f"{written}{shlex.join(['rankworth', 'explain', *contents, query, *options])}\n"
    ranked, judged = dict.fromkeys(ranking.documents), page.judged
    grades = ",".join(_text(judged[document]) if document in judged else _UNJUDGED for document in ranked)
    missing = ",".join(_text(grade) for document, grade in judged.items() if document not in ranked)
    options = [*(["--missing", missing] if missing else []), *options]
    return shlex.join(["rankworth", "explain", "--grades", grades, *options]) + "\n"


def _text(grade: float) -> str:
    """Write a grade with all its digits."""
    return repr(float(grade)).removesuffix(".0")


def _ranking(record: Mapping[str, Any], grades: Mapping[str, float | None]) -> SystemRanking:
    """Read a ranking of the page; where it has no scores, each rank gets a lower one."""
    documents = _several(record, "documents", str, MAX_RANKS)
    require(len({*documents} & grades.keys()) == len(documents), "a ranking has known documents, once each")
    scores = record.get("scores")
    scores = [*range(len(documents), 0, -1)] if scores is None else checked(scores, list, "scores")
    require(len(scores) == len(documents), "a ranking has a score for each document")
    return SystemRanking(
        checked_text(record, "name", "run"), documents, [_finite(score, "a score") for score in scores]
    )


def _several(record: Mapping[str, Any], name: str, kind: type, most: int) -> list[Any]:
    values = checked(record.get(name), list, name)
    require(len(values) <= most, f"{len(values):,} {name} are too many: the page shows at most {most:,}")
    return [checked(value, kind, f"each of {name}") for value in values]


def checked(value: Any, kind: type, name: str) -> Any:  # noqa: ANN401 - of JSON
    """Check that a value of a request has a type of JSON, and return it."""
    require(isinstance(value, kind), f"{name} must be {_KINDS[kind]}")
    return value


def checked_text(record: Mapping[str, Any], name: str, default: str = "") -> str:
    """Read a text of a request, which must not be empty."""
    text: str = checked(record.get(name, default), str, name)
    require(text != "" and text == text.encode(errors="replace").decode(), f"{name} must be a text in UTF-8, not empty")
    return text


def checked_number(record: Mapping[str, Any], name: str) -> float | None:
    """Read a finite number of a request; None where it has none."""
    return None if record.get(name) is None else _finite(record[name], name)


def checked_count(record: Mapping[str, Any], name: str, least: int) -> int | None:
    """Read a whole number of a request, at least `least`; None where it has none."""
    number = checked_number(record, name)
    require(number is None or (number >= least and number % 1 == 0), f"{name} must be a whole number from {least}")
    return None if number is None else int(number)


def _finite(value: Any, name: str) -> float:  # noqa: ANN401 - of JSON
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    require(is_number and -_LARGEST <= value <= _LARGEST, f"{name} must be a finite number")
    return value  # type: ignore[no-any-return]


def require(holds: bool, text: str, remedy: str = _UNDO) -> None:
    """Refuse a state that cannot be measured, made by the user or sent by another program.

    Raises:
        UsageError: `bad-request`.

    """
    if not holds:
        raise UsageError("bad-request", text, remedy=remedy)
