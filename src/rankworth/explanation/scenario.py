"""Several rankings of some documents by several measures, and rankings to learn from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Unpack

from rankworth.errors import InputError, UsageError
from rankworth.evaluation import evaluate
from rankworth.evaluation.runner import Measures
from rankworth.profiles import DEFAULT, Profile, ReadSettings
from rankworth.scoring import inputs
from rankworth.tables.columns import Column, Sheet, by_name
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.show import Shown


class Scenario(NamedTuple):
    """Some documents with their grades, and the scores that a system gave them."""

    name: str
    grades: tuple[float, ...]
    scores: tuple[float, ...]
    description: str


MEASURES: Final = ("nDCG(gain=exp2)@3", "RR(rel=2)", "AP@3")
"""the measures of the notebook"""

SCENARIOS: Final = tuple(
    Scenario(name, (2, 2, 1, 1, 0), scores, description)
    for name, scores, description in (
        ("Perfect ranking", (0.9, 0.8, 0.7, 0.6, 0.1), "the very relevant documents first, the one of no use last"),
        ("Worst ranking", (0.1, 0.2, 0.3, 0.4, 0.9), "the other way round"),
        (
            "Mixed ranking",
            (0.7, 0.3, 0.9, 0.1, 0.5),
            "a somewhat relevant document first, a very relevant one behind it",
        ),
        ("Late success", (0.1, 0.2, 0.3, 0.9, 0.8), "the very relevant documents last, behind the one of no use"),
    )
)
"""Four rankings of the same five documents."""

EXPERIMENTS: Final = (
    Scenario("Early success", (2, 1, 0, 0, 1), (0.9, 0.8, 0.3, 0.2, 0.7), "all that is relevant stands on top"),
    Scenario("Late discovery", (0, 0, 1, 2, 1), (0.2, 0.3, 0.9, 0.8, 0.7), "the best document comes second"),
    Scenario("Mixed results", (1, 0, 2, 1, 0), (0.6, 0.8, 0.4, 0.7, 0.5), "the best document comes last"),
)
"""Three rankings, each of documents of its own."""

GRADES: Final = (2.0, 1.0, 0.0, 1.0, 2.0)
"""the list of the notebook's step table, in rank order"""
UNJUDGED: Final = (2.0, None, 0.0, 1.0, None)
"""a list with two documents that nobody judged"""


@dataclass(frozen=True, repr=False)
class Scenarios(Shown, Mapping[str, Mapping[str, float | None]]):
    """What several rankings are worth: `{scenario: {measure: value}}`.

    Attributes:
        table: the values; None where the settings leave the ranking out, NaN where a measure is not defined.
        measures: what tables call the measures.
        profile: the name of the conventions.
        descriptions: what the scenarios are, for those of which somebody said it.

    """

    table: Mapping[str, Mapping[str, float | None]]
    measures: tuple[str, ...]
    profile: str
    descriptions: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Mapping[str, float | None]:
        """Return the values of one scenario by measure."""
        return self.table[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.table)

    def __len__(self) -> int:
        """Return how many scenarios there are."""
        return len(self.table)

    @property
    def columns(self) -> dict[str, list[Any]]:
        """One row for each scenario and measure: `scenario, measure, value`."""
        cells = [(name, measure, value) for name, row in self.items() for measure, value in row.items()]
        return by_name(("scenario", "measure", "value"), cells)

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """Return the columns as a frame.

        Args:
            library: polars, pandas or pyarrow.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.columns, library)

    def sheets(self) -> list[Sheet]:
        """Return one table with a row for each scenario and a column for each measure."""
        columns = [Column("scenario", "text", list(self))]
        columns += [Column(name, "value", [row[name] for row in self.values()], "highest") for name in self.measures]
        notes = [f"{name}: {self.descriptions[name]}" for name in self if self.descriptions.get(name)]
        return [Sheet(tuple(columns), (*notes, f"profile {self.profile}"))]


def scenarios(
    several: Iterable[Scenario] | None = None,
    measures: Measures = MEASURES,
    *,
    labels: object = None,
    scores: Mapping[str, object] | None = None,
    orders: Mapping[str, object] | None = None,
    qrels: object = None,
    runs: Mapping[str, object] | Sequence[object] | None = None,
    query: object = None,
    rel: float | None = None,
    profile: str | Profile = DEFAULT,
    **settings: Unpack[ReadSettings],
) -> Scenarios:
    """Evaluate several rankings by several measures; without arguments the four scenarios of the notebook.

    Args:
        several: scenarios, such as `SCENARIOS` or `EXPERIMENTS`.
        measures: as for `evaluate`; those of the notebook where not said.
        labels: instead the grades of the documents, `[2, 1, 0]`, the same for all scenarios; or a dict with those of
            each, `{name: [2, 1, 0]}`. In rank order where neither scores nor orders are given.
        scores: the scores of these documents by scenario, `{name: [0.9, 0.2, 0.7]}`.
        orders: instead of scores the places of the documents, best first, counted from 0, `{name: [0, 2, 1]}`.
        qrels: instead of labels judgements, as for `evaluate`.
        runs: runs by name, as for `evaluate_runs`, which become the scenarios.
        query: the id of the query that is looked at.
        rel: as for `evaluate`.
        profile: as for `evaluate`.
        **settings: as for `evaluate`.

    Returns:
        `{scenario: {measure: value}}`, which shows itself as a table; `rankworth.plots.scores` draws it.

    Raises:
        InputError, MeasureError, UsageError: as `evaluate`; `conflicting-options` where it is not clear what the
            rankings are.

    >>> {name: round(values["nDCG(gain=exp2)@3"], 4) for name, values in scenarios().items()}
    {'Perfect ranking': 1.0, 'Worst ranking': 0.2097, 'Mixed ranking': 0.5364, 'Late success': 0.2781}
    >>> scenarios(labels=[1, 0], scores={"good": [2.0, 1.0], "bad": [1.0, 2.0]}, measures=["RR"])["bad"]
    {'RR': 0.5}
    """
    sources = {"scenarios": several, "labels": labels, "qrels": qrels}
    named = [name for name, source in sources.items() if source is not None]
    if len(named) > 1:
        text = f"{' and '.join(named)} each say what the rankings are; give one of them"
        raise UsageError("conflicting-options", text)
    options: dict[str, Any] = {"measures": measures, "rel": rel, "profile": profile, **settings}
    descriptions = {}
    if qrels is not None or runs is not None:
        if missing := [name for name, side in (("qrels", qrels), ("runs", runs), ("query", query)) if side is None]:
            text = f"judgements, runs and a query belong together, and there is no {missing[0]}"
            raise UsageError("conflicting-options", text, remedy='scenarios(qrels=..., runs={"name": run}, query="q1")')
        named_runs = inputs.runs(runs)  # type: ignore[arg-type]
        evaluations = {name: evaluate(qrels, run, queries=[query], **options) for name, run in named_runs.items()}
    elif labels is not None or scores is not None or orders is not None:
        evaluations = {
            name: evaluate(**ranking, **options) for name, ranking in _of_labels(labels, scores, orders).items()
        }
    else:
        chosen = list(SCENARIOS if several is None else several)
        if not all(isinstance(scenario, Scenario) for scenario in chosen):
            remedy = 'grades by name: scenarios(labels={"Mine": [2, 1, 0]}), with scores={"Mine": [0.9, 0.5, 0.7]}'
            raise InputError("input-type", "scenarios are a list of Scenario", remedy=remedy)
        descriptions = {scenario.name: scenario.description for scenario in chosen}
        evaluations = {each.name: evaluate(labels=[each.grades], scores=[each.scores], **options) for each in chosen}
    if not evaluations:
        raise InputError("empty-input", "there is no scenario")
    first = next(iter(evaluations.values()))
    labelled = tuple(first.per_query.measures)
    table = {}
    for name, values in evaluations.items():
        row: Mapping[str, Any] = next(iter(values.per_query.to_dict().values()), {})
        table[name] = {measure: row.get(measure) for measure in labelled}
    return Scenarios(table, labelled, "+".join((first.profile.name, *first.profile.derived)), descriptions)


def _of_labels(
    labels: Any,  # noqa: ANN401 - whatever a program has
    scores: Mapping[str, object] | None,
    orders: Mapping[str, object] | None,
) -> dict[str, dict[str, Any]]:
    """Return rankings of documents that are known by their places, as arguments of `evaluate`.

    Raises:
        InputError: `input-type`.
        UsageError: `conflicting-options`.

    """
    setting, ranked = ("scores", scores) if orders is None else ("orders", orders)
    if not isinstance(ranked, Mapping | None):
        raise InputError("input-type", f"{setting} of scenarios are a dict by name, not {type(ranked).__name__}")
    by_name = labels if isinstance(labels, Mapping) else dict.fromkeys(ranked or (), labels)
    if labels is None or (scores is not None and orders is not None) or (ranked is None and labels is not by_name):
        text = "it is not clear how the scenarios rank which documents"
        remedy = "give labels={name: [2, 1, 0]}, or labels and one of scores={name: [...]} and orders={name: [...]}"
        raise UsageError("conflicting-options", text, remedy=remedy)
    if ranked is None:
        return {str(name): {"labels": [lists]} for name, lists in by_name.items()}
    if unmatched := by_name.keys() ^ ranked.keys():
        raise InputError(
            "input-type", f"labels and {setting} are not of the same scenarios: {', '.join(map(str, unmatched))}"
        )
    return {str(name): {"labels": [by_name[name]], setting: [lists]} for name, lists in ranked.items()}
