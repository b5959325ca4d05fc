"""The playground of the explorer: a query whose rankings and grades are edited, and what the library says of them.

Handlers take the state of the page, a dict as JSON holds it, and give a dict. They measure nothing themselves.
"""

import json
import math
import shlex
import sys
import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any, Final, NamedTuple

from rankworth import names
from rankworth.errors import MeasureError, RankworthError, RankworthWarning, UsageError
from rankworth.evaluation import evaluate, evaluate_profiles, evaluate_runs
from rankworth.explanation import explain, vary
from rankworth.explanation.trace import finite
from rankworth.measures import CATALOGUE, Measure
from rankworth.profiles import DEFAULT, PROFILES, Profile, profile_of
from rankworth.settings import OPTIONS, QUIRKS, SETTINGS, VALUES, as_typed, with_quirks

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
_UNDO: Final = "undo the last change, or open the page again"


class Ranking(NamedTuple):
    """Documents in the order of a system, and their scores."""

    name: str
    documents: list[str]
    scores: list[float]

    @property
    def run(self) -> dict[str, float]:
        """The scores by document."""
        return dict(zip(self.documents, self.scores, strict=True))

    @property
    def has_ties(self) -> bool:
        """Whether two documents share a score."""
        return len(set(self.scores)) < len(self.scores)


@dataclass(frozen=True)
class Playground:
    """A query with its judgements and rankings, what is measured, and by which conventions.

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
    rankings: tuple[Ranking, ...]
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
        record = checked(state, dict, "the state is an object")
        documents = _several(record, "documents", dict, MAX_DOCUMENTS)
        grades = {checked_text(each, "id"): checked_number(each, "grade") for each in documents}
        rankings = tuple(_ranking(each, grades) for each in _several(record, "rankings", dict, MAX_RANKINGS))
        _require(bool(rankings), "there is no ranking")
        _require(len(grades) == len(documents), "two documents have one id")
        _require(len({ranking.name for ranking in rankings}) == len(rankings), "two rankings have one name")
        measures = _several(record, "measures", str, MAX_MEASURES)
        _require(bool(measures), "there is no measure")
        cutoff, gain = checked_count(record, "cutoff", 1), record.get("gain") or ""
        named = tuple(dict.fromkeys(_with_controls(each, cutoff, str(gain)) for each in measures))
        lead = record.get("lead")
        settings = checked(record.get("settings") or {}, dict, "settings are an object")
        _require(settings.keys() <= {*OPTIONS, *QUIRKS}, f"settings are some of {', '.join((*OPTIONS, *QUIRKS))}")
        known = {name: value for name, value in settings.items() if value is not None}
        return cls(
            query=checked_text(record, "query", "q"),
            grades=grades,
            rankings=rankings,
            measures=named,
            lead=named[lead if isinstance(lead, int) and 0 <= lead < len(named) else 0],
            conventions={
                "rel": checked_number(record, "rel"),
                "profile": checked_text(record, "profile", DEFAULT),
                **{name: value for name, value in known.items() if name in OPTIONS},
                "quirks": {name: value for name, value in known.items() if name in QUIRKS},
            },
        )

    @property
    def judged(self) -> dict[str, float]:
        """The documents that somebody judged, with their grades."""
        return {document: grade for document, grade in self.grades.items() if grade is not None}

    @property
    def profile(self) -> Profile:
        """The conventions in force, but for `rel`."""
        settings = {name: value for name, value in self.conventions.items() if name not in ("rel", "profile")}
        return profile_of(self.conventions["profile"]).derive(**with_quirks(settings))

    def inputs(self, ranking: Ranking) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
        """Judgements and run; a run without documents answers another query, so that this one counts as unanswered."""
        if ranking.documents:
            return {self.query: self.judged}, {self.query: ranking.run}
        return {self.query: self.judged, _OTHER: {_OTHER: 1.0}}, {_OTHER: {_OTHER: 1.0}}

    def row(self, values: Any) -> dict[str, float | None]:  # noqa: ANN401 - `Values`
        """The values of the query by measure; empty where the conventions leave it out."""
        return {name: finite(value) for name, value in values.per_query.to_dict().get(self.query, {}).items()}

    def vary(self, measures: Any, by: Any, **options: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - those of `vary`
        """What the first ranking would be worth if something about it were different."""
        if not measures or not self.rankings[0].documents:
            return []
        rows = vary(measures, by, **self.ranked(self.rankings[0]), **options).rows
        return [{name: finite(value) for name, value in row.items()} for row in rows]

    def ranked(self, ranking: Ranking) -> dict[str, Any]:
        """What `explain` and `vary` take."""
        qrels, run = self.inputs(ranking)
        return {"qrels": qrels, "run": run, "query": self.query, **self.conventions}


def start() -> dict[str, Any]:
    """What the page offers: measures, profiles, options and the rankings to begin with."""
    words = {
        name: {"words": VALUES[name].words, "help": SETTINGS[name].metadata["help"]} for name in ("ties", "unjudged")
    }
    return {
        "measures": list(CATALOGUE),
        "profiles": [{"name": name, "sentence": one.sentence} for name, one in PROFILES.items()],
        "options": [{"name": name, **option} for name, option in words.items()],
        "gains": CATALOGUE["nDCG"].definition.parameters["gain"].words[:_GAINS],
        "examples": examples(),
    }


def examples() -> list[dict[str, Any]]:
    """Name, group, two sentences and the state of each of the rankings to begin with."""
    held: list[dict[str, Any]] = tomllib.loads((files("rankworth.explorer") / "examples.toml").read_text("utf-8"))[
        "example"
    ]
    for example in held:
        grades, systems = example.pop("grades"), example.pop("rankings")
        state: dict[str, Any] = {name: example.pop(name) for name in ("measures", "cutoff", "gain") if name in example}
        state["documents"] = [
            {"id": name, "grade": None if grade == _UNJUDGED else grade, "text": ""} for name, grade in grades.items()
        ]
        state["rankings"] = [
            {
                "name": name,
                "documents": sorted(scores, key=lambda one: -scores[one]),
                "scores": sorted(scores.values())[::-1],
            }
            for name, scores in systems.items()
        ]
        example["state"] = state
    return held


def score(state: object) -> dict[str, Any]:
    """Values of all rankings, and the explanation of one measure."""
    page = Playground.of(state)
    answered = [ranking for ranking in page.rankings if ranking.documents]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RankworthWarning)
        runs = {ranking.name: page.inputs(ranking)[1] for ranking in answered}
        values = dict(evaluate_runs({page.query: page.judged}, runs, page.measures, **page.conventions)) if runs else {}
    notes = list(dict.fromkeys(str(warning.message) for warning in caught))
    for ranking in page.rankings:
        if ranking.name not in values:  # what it says of the other query that an empty ranking answers is no note
            values[ranking.name] = evaluate(*page.inputs(ranking), page.measures, **page.conventions)
    first = values[(answered or page.rankings)[0].name]
    labels = first.per_query.measures
    return {
        "measures": labels,
        "lead": page.lead,
        "signature": first.signature,
        "notes": notes,
        "rankings": [
            {
                "name": ranking.name,
                "values": dict.fromkeys(labels) | page.row(values[ranking.name]),
                "explanation": _explained(page, ranking),
            }
            for ranking in page.rankings
        ],
    }


def curve(state: object) -> dict[str, Any]:
    """The values of the first ranking at every cutoff, for the measures that can be cut."""
    page = Playground.of(state)
    deepest = min(_CURVE, max(1, len(page.rankings[0].documents)))
    return {"rows": page.vary([name for name in page.measures if _can_be_cut(name)], "cutoff", n=deepest)}


def profiles(state: object) -> dict[str, Any]:
    """The values of the first ranking under every profile, or with which words one refuses it."""
    page = Playground.of(state)
    rows: list[dict[str, Any]] = []
    found = evaluate_profiles(*page.inputs(page.rankings[0]), page.measures, rel=page.conventions["rel"])
    for name, values in found.items():
        if isinstance(values, RankworthError):
            rows.append({"profile": name, "values": None, "error": values.problems[0]})
        else:
            cells = dict.fromkeys(values.per_query.measures) | page.row(values)
            rows.append({"profile": name, "values": list(cells.values()), "error": None})
    return {"measures": page.measures, "rows": rows}


def difference(state: object) -> dict[str, Any]:
    """Why a profile gives the first ranking another value: what it does differently, and what each of it alone does."""
    page = Playground.of(state)
    mine, other = page.profile, profile_of(checked_text(checked(state, dict, ""), "other", DEFAULT))
    here, there = _resolved(mine, page), _resolved(other, page)
    rows = []
    for setting in [name for name in here if here[name] != there[name]]:
        only = mine if setting == _MEASURE else mine.derive(**{setting: there[setting]})
        found = _value(page, there[_MEASURE] if setting == _MEASURE else here[_MEASURE], only)
        texts = {"setting": setting, "here": str(here[setting]), "there": str(there[setting])}
        rows.append(texts | found | {"why": other.why.get(setting, "")})
    values = {"here": _value(page, page.lead, mine), "there": _value(page, page.lead, other)}
    return {"profile": other.name, "sentence": other.sentence, "measure": page.lead, "rows": rows, **values}


def changes(state: object) -> dict[str, Any]:
    """What single changes within the first ranks would do: another rank, another grade, a swap of neighbours."""
    page = Playground.of(state)
    document = checked(state, dict, "").get("document")
    chosen = checked(document, str, "document is an id") if document is not None else None
    _require(chosen is None or chosen in page.grades, "there is no such document")
    return {
        "measure": page.lead,
        "document": chosen,
        "moves": _moves(page),
        "swap": page.vary(page.lead, "swap", n=_TRIED),
        "position": page.vary(page.lead, "position", document=chosen, n=_TRIED) if chosen else [],
        "grade": page.vary(page.lead, "grade", document=chosen) if chosen else [],
    }


def export(state: object) -> dict[str, Any]:
    """How to get these numbers elsewhere: lines of Python, a command, and the calculation as Markdown."""
    page = Playground.of(state)
    ranking = page.rankings[0]
    _require(bool(ranking.documents), "a ranking without documents cannot be written down", "add a document")
    explained = _explanation(page, ranking)
    markdown = explained.to_markdown() if explained else evaluate(*page.inputs(ranking), page.measures).to_markdown()
    return {"python": _python(page, ranking), "command": _command(page, ranking), "markdown": markdown}


def _explanation(page: Playground, ranking: Ranking) -> Any:  # noqa: ANN401 - `Explanation` or None
    """The explanation of a ranking by the first measure; None for what is counted, and for no documents."""
    try:
        return explain(measure=page.lead, **page.ranked(ranking)) if ranking.documents else None
    except MeasureError as error:
        if error.slug == "measure-syntax":
            return None
        raise


def _explained(page: Playground, ranking: Ranking) -> dict[str, Any] | None:
    """The explanation as JSON holds it."""
    explained = _explanation(page, ranking)
    return None if explained is None else {**explained.to_dict(), "arithmetic": explained.arithmetic}


def _moves(page: Playground) -> list[dict[str, Any]]:
    """The best rank of each relevant document, and what moving it there would add, the greatest gain first."""
    order = {document: rank for rank, document in enumerate(page.rankings[0].documents, 1)}
    relevant = [document for document, grade in page.grades.items() if grade and grade > 0]
    moves = []
    for document in sorted(relevant, key=lambda each: (order.get(each, math.inf), -(page.grades[each] or 0)))[:_MOVED]:
        rows = page.vary(page.lead, "position", document=document, n=_TRIED)
        best = max(rows, key=lambda row: (row["change"] or 0.0, -row["position"]), default=None)
        if best and (best["change"] or 0.0) > 0:
            moves.append({**best, "document": document, "from": order.get(document), "to": best["position"]})
    return sorted(moves, key=lambda move: -move["change"])[:_SHOWN]


def _resolved(profile: Profile, page: Playground) -> dict[str, Any]:
    """The first measure as a profile understands it, and the settings under which it is measured."""
    [one, *_] = profile.ask([page.lead], rel=page.conventions["rel"])
    settings = {each.name: getattr(part, each.name) for part in (one.judging, one.averaging) for each in fields(part)}
    return {_MEASURE: str(one.quantity), **settings}


def _value(page: Playground, measure: str, profile: Profile) -> dict[str, Any]:
    """The value of the first ranking by a measure, or why there is none."""
    rel = page.conventions["rel"]
    try:
        values = page.row(evaluate(*page.inputs(page.rankings[0]), [measure], rel=rel, profile=profile))
    except RankworthError as error:
        return {"value": None, "error": error.problems[0]}
    return {"value": next(iter(values.values()), None), "error": None}


def _with_controls(text: str, cutoff: int | None, gain: str) -> str:
    """A measure with the gain that the page sets for all, and with its cutoff where it is written without one."""
    try:
        measure = names.parse(text)
    except MeasureError:
        return text  # the name of another tool, or a mistake that evaluation names
    if not isinstance(measure, Measure):
        return text
    parameter = measure.definition.parameters.get("gain")
    changed = measure(gain=gain) if gain and parameter and gain in parameter.words else measure
    changed = changed @ cutoff if cutoff and measure.cutoff is None and not measure.definition.at else changed
    return text if changed == measure else str(changed)


def _can_be_cut(text: str) -> bool:
    """Whether a measure takes a cutoff."""
    try:
        measure = names.parse(text)
    except MeasureError:
        return False
    return isinstance(measure, Measure) and not measure.definition.at


def _python(page: Playground, ranking: Ranking) -> str:
    """Lines of Python that give the values and the explanation."""
    qrels = {page.query: page.judged}
    run = {page.query: ranking.run if ranking.has_ties else ranking.documents}
    changed = {name: value for name, value in page.conventions.items() if value not in (None, DEFAULT, {})}
    options = "".join(f", {name}={value!r}" for name, value in changed.items())
    return f"""import rankworth as rw

qrels = {qrels!r}
run = {run!r}
print(rw.evaluate(qrels, run, {list(page.measures)!r}{options}))
print(rw.explain(qrels, run, {page.lead!r}, query={page.query!r}{options}))
"""


def _command(page: Playground, ranking: Ranking) -> str:
    """A command that explains the ranking: by grades in rank order, or by files where scores are tied."""
    options = ["-m", *page.measures]
    for name, value in with_quirks(page.conventions).items():
        if value not in (None, DEFAULT):
            options += as_typed(name, value)
    if ranking.has_ties:
        qrels, run = (json.dumps(one, ensure_ascii=False) for one in page.inputs(ranking))
        command = shlex.join(["rankworth", "explain", "qrels.json", "run.json", page.query, *options])
        return f"printf %s {shlex.quote(qrels)} > qrels.json\nprintf %s {shlex.quote(run)} > run.json\n{command}\n"
    ranked, judged = dict.fromkeys(ranking.documents), page.judged
    grades = ",".join(_text(judged[one]) if one in judged else _UNJUDGED for one in ranked)
    missing = ",".join(_text(grade) for one, grade in judged.items() if one not in ranked)
    options = [*(["--missing", missing] if missing else []), *options]
    return shlex.join(["rankworth", "explain", "--grades", grades, *options]) + "\n"


def _text(grade: float) -> str:
    """A grade with all its digits."""
    return repr(float(grade)).removesuffix(".0")


def _ranking(held: Mapping[str, Any], grades: Mapping[str, float | None]) -> Ranking:
    """A ranking of the page; documents without scores are worth the less, the deeper they stand."""
    documents = _several(held, "documents", str, MAX_RANKS)
    _require(len(set(documents) & grades.keys()) == len(documents), "a ranking has documents that are there, once each")
    scores = held.get("scores")
    scores = [float(rank) for rank in range(len(documents), 0, -1)] if scores is None else scores
    _require(isinstance(scores, list) and len(scores) == len(documents), "a ranking has a score for each document")
    return Ranking(checked_text(held, "name", "run"), documents, [_finite(each) for each in scores])


def _several(record: Mapping[str, Any], name: str, kind: type, most: int) -> list[Any]:
    values = checked(record.get(name), list, f"{name} is a list")
    _require(len(values) <= most, f"there are {len(values):,} {name}, and the page shows {most:,} at most")
    return [checked(each, kind, f"{name} holds other things") for each in values]


def checked_text(record: Mapping[str, Any], name: str, default: str = "") -> str:
    """A text of a request that is not empty."""
    text: str = checked(record.get(name, default), str, f"{name} is a text")
    _require(text != "" and text == text.encode(errors="replace").decode(), f"{name} is a text in UTF-8, not empty")
    return text


def checked_number(record: Mapping[str, Any], name: str) -> float | None:
    """A finite number of a request, or None."""
    return None if record.get(name) is None else _finite(record[name])


def checked_count(record: Mapping[str, Any], name: str, least: int) -> int | None:
    """A whole number of a request that is not too small, or None."""
    number = checked_number(record, name)
    _require(number is None or (number >= least and number % 1 == 0), f"{name} is a whole number from {least}")
    return None if number is None else int(number)


def _finite(value: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    _require(is_number and -_LARGEST <= value <= _LARGEST, "numbers are finite")  # type: ignore[operator]
    return value  # type: ignore[return-value]


def checked(value: Any, kind: type, text: str) -> Any:  # noqa: ANN401 - of JSON
    """A value of a request, which has a type of JSON."""
    _require(isinstance(value, kind), text)
    return value


def _require(holds: bool, text: str, remedy: str = _UNDO) -> None:
    if not holds:
        raise bad_request(text, remedy)


def bad_request(text: str, remedy: str = _UNDO) -> UsageError:
    """The error for a state that cannot be measured, made by the user or sent by somebody else."""
    return UsageError("bad-request", text, remedy=remedy)
