"""The result of a comparison: differences, tables with marks, and sentences and BibTeX for a paper."""

import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from string import ascii_lowercase
from textwrap import shorten
from typing import Any, ClassVar, Final, Literal, NamedTuple

from rankworth import stats
from rankworth.comparison.bounds import DifferenceBound
from rankworth.comparison.compact import CompactComparison, letters
from rankworth.comparison.differences import (
    INTERVALS,
    PAIRWISE,
    TEST_INTERVALS,
    Difference,
    Plan,
    Procedure,
    detectable_text,
)
from rankworth.comparison.identical_runs import RepeatedDifference, RepeatedSystem, repeated_systems
from rankworth.comparison.identical_runs import sheets as sheets_of_runs
from rankworth.comparison.query_differences import QueryDifference, QueryDifferences
from rankworth.comparison.score_table import ScoreTable
from rankworth.comparison.verdict import Conclusion, verdict
from rankworth.errors import UsageError, counted, quoted
from rankworth.profiles import Signature, combined
from rankworth.results import long as long_form
from rankworth.tables.analysis import Analysis
from rankworth.tables.columns import Column, Sheet, by_name, defined
from rankworth.tables.frames import FrameLibrary, to_library
from rankworth.tables.look import p_value, signed, visible

Rows = Literal["differences", "queries"]
"""the tables of columns of a comparison"""
BETTER, WORSE = "†", "‡"
"""marks of systems that are significantly better or worse than the baseline"""
MARKS: Final = {"better": BETTER, "worse": WORSE}
_OF_QUERIES: Final = (
    *("query", "measure", "first", "second", "first_value", "second_value", "difference"),
    *("first_relevant_at", "second_relevant_at"),
)
"""columns of the differences of queries; the last two are the ranks of the first relevant document"""
_OF_RUNS: Final[Mapping[str, str]] = {
    "first_runs": "first_runs",
    "second_runs": "second_runs",
    "identical": "identical",
    "by_query": "query",
    "by_run": "run",
    "by_both": "both",
    "runs_verdict": "verdict",
}
"""columns of differences that have runs to be held against, and the fields that they hold"""
_PAIRS: Final = 15
"""pairs up to which tables show all differences"""
_LISTED: Final = 3
"""how many of the queries that gain or lose most are named"""
_LETTERS_OF_TEXT: Final = 60
"""how many letters of the text of such a query are shown"""
_LETTERS: Final = "superscripts: systems significantly outperformed"
_LEGEND: Final = "d: difference in standard deviations; W/T/L: queries better, equal, worse"
_BY_GROUP: Final = "Means are those of the means of groups by {}; each query weighs its share of its group."
_OVER_RUNS: Final = (
    "Where systems have enough runs, intervals are those of t over queries and runs, with variances estimated from mean"
    " squares, with Satterthwaite's degrees of freedom, and no p is smaller than that of the t test."
)
_EFFECTS: Final = "Effect sizes are mean differences in standard deviations of the differences, without bias."
_EQUIVALENT: Final = (
    "Systems were called equivalent where the {:g} % interval of their difference, not corrected, lies within {}."
)
_INVERTED: Final = "{:g} % intervals hold what the test does not reject{}{}."


class Wins(NamedTuple):
    """In how many queries a system is better than the other."""

    wins: int
    ties: int
    losses: int


class Method(NamedTuple):
    """How a comparison was made, for a paper."""

    text: str
    """sentences, with the keys of the entries as LaTeX cites them"""
    bibtex: str
    """the entries"""


@dataclass(frozen=True, repr=False)
class Comparison(Analysis[Rows]):
    """Systems beside a baseline, or each beside each.

    Attributes:
        scores: the values of all systems, query by query.
        differences: one for each pair of systems and measure, the second system less the first.
        plan: how differences were to be judged.
        procedure: how they were tested and bounded.
        baseline: the system with which the others are compared; empty where each is compared with each.
        notes: what must be said about the comparison.
        warnings: what deserves a second look, with its slug.
        slices: by column the differences of each group of queries.
        files: judgements (under no name) and runs by name as they were given, for the commands that show more.
        reading: words of such a command that say how these files are read.
        uneven: how many queries each system has values for, where these are not the same queries.
        texts: the texts of queries, where a table of queries has them.
        bounds: one for each of `differences`, where bounds were asked for.
        p_columns: whether tables have p as it is corrected for several comparisons, or also as it was before.

    """

    _SCHEMA: ClassVar[str] = "rankworth.comparison/1"
    _TABLES: ClassVar[tuple[str, ...]] = ("differences", "queries")

    scores: ScoreTable
    differences: tuple[Difference, ...]
    plan: Plan
    procedure: Procedure
    baseline: str = ""
    notes: tuple[str, ...] = ()
    warnings: tuple[tuple[str, str], ...] = ()
    slices: Mapping[str, tuple[Difference, ...]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    reading: tuple[str, ...] = ()
    uneven: Mapping[str, int] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    bounds: tuple[DifferenceBound, ...] = ()
    p_columns: Literal["corrected", "both"] = "corrected"

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.scores.systems

    @property
    def measures(self) -> tuple[str, ...]:
        """What tables call the measures."""
        return self.scores.measures

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """`{system: {measure: mean}}`."""
        return self.scores.system_means

    @property
    def signatures(self) -> dict[str, str]:
        """How the values of each measure came about."""
        return dict(self.scores.signatures)

    @cached_property
    def repeated_systems(self) -> tuple[RepeatedSystem, ...]:
        """How the runs of each system vary that has several, by system and measure."""
        return tuple(repeated_systems(self.scores))

    @cached_property
    def repeated(self) -> tuple[RepeatedDifference, ...]:
        """Each of `differences` beside the differences of identical runs; empty unless a system has several runs."""
        rows = (RepeatedDifference.of(self.scores, row, self.plan) for row in self.differences)
        return tuple(row for row in rows if row is not None)

    @cached_property
    def verdict(self) -> Conclusion:
        """What the comparison comes to by the first measure: a state, a sentence, and how sure it is."""
        return verdict(self)

    @property
    def regards_runs(self) -> bool:
        """Whether there are enough runs for intervals and p to regard them as a sample, too."""
        return any(row.is_enough for row in self.repeated)

    @cached_property
    def tests(self) -> dict[str, dict[str, float]]:
        """`{measure: {system: p}}`, corrected, against the baseline; `{measure: {"a - b": p}}` of all pairs."""
        return {name: {self._pair(row): row.adjusted for row in self._by(name)} for name in self.measures}

    def wins(self, measure: str) -> dict[str, Wins]:
        """Count the queries in which each system is better than the baseline; of all pairs `{"a - b": wins}`.

        Raises:
            UsageError: `not-measured`.

        """
        return {self._pair(row): Wins(row.wins, row.ties, row.losses) for row in self._by(self.scores.label(measure))}

    def _by(self, measure: str) -> list[Difference]:
        return [row for row in self.differences if row.measure == measure]

    def _pair(self, difference: Difference) -> str:
        """Return what tables call the systems of a difference."""
        return difference.second if self.baseline else f"{difference.second} - {difference.first}"

    def of(self, measure: str, system: str, other: str = "") -> Difference:
        """Return one difference.

        Args:
            measure: what tables call the measure.
            system: the system.
            other: the one that is taken from it; the baseline where not said.

        Raises:
            UsageError: `not-measured`.

        """
        other, rows = other or self.baseline, self._by(self.scores.label(measure))
        for row in rows:
            if (row.first, row.second) == (other, system):
                return row
        compared = quoted(f"{row.second} - {row.first}" for row in rows)
        text = f"{system} - {other or '?'} by {measure} is not compared here"
        raise UsageError("not-measured", text, remedy=f"compared are {compared} by {quoted(self.measures)}")

    def queries(self, measure: str, system: str = "", other: str = "") -> QueryDifferences:
        """Return the difference of each query.

        Args:
            measure: what tables call the measure.
            system: the system; the last one where not said.
            other: the one that is taken from it; the baseline, or the first one, where not said.

        Raises:
            UsageError: `not-measured`.

        """
        names = [other or self.baseline or self.systems[0], system or self.systems[-1]]
        if unknown := [name for name in names if name not in self.systems]:
            raise UsageError("not-measured", f"there is no system {unknown[0]!r}; there are {quoted(self.systems)}")
        label = self.scores.label(measure)
        sign = float(self.scores.signs[self.measures.index(label)])
        return QueryDifferences(self.query_ids, *self.scores.pair(label, *names), sign)

    @property
    def query_ids(self) -> list[Any]:
        """The ids of the queries that are compared, as they were given."""
        return self.scores.ids.back("query", self.scores.queries)

    @property
    def group_means(self) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
        """`{column: {system: {group: {measure: mean}}}}`."""
        means: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
        for column, parts in self.scores.parts().items():
            of_parts = {group: part.system_means for group, part in parts.items()}
            means[column] = {name: {group: row[name] for group, row in of_parts.items()} for name in self.systems}
        return means

    def queries_of(self, column: str, group: str) -> set[Any]:
        """Return the ids of the queries of a group.

        Args:
            column: the column of the groups.
            group: one of its groups.

        Raises:
            UsageError: `not-measured`.

        """
        groups = self.scores.groups
        if column not in groups:
            text = f"queries are not grouped by {column!r}; they are by {quoted(groups) or 'nothing'}"
            remedy = "compare by it: by='COLUMN' with table=, or by={query: group}"
            raise UsageError("not-measured", text, remedy=remedy)
        if group not in groups[column]:
            raise UsageError("not-measured", f"{column} has no group {group!r}; it has {quoted(groups[column], 8)}")
        return set(compress(self.query_ids, groups[column][group].tolist()))

    def anova(self) -> dict[str, stats.Anova]:
        """Compute a two-way analysis of variance of systems and queries, over queries that all have, by measure."""
        return {name: stats.anova(table) for name, table in self.scores.complete.items()}

    def method(self) -> Method:
        """Return the sentences for a paper, and the BibTeX of what they cite."""
        plan, procedure, slices = self.plan, self.procedure, self.scores.slices
        correction = stats.CORRECTIONS[plan.correction if len(self.differences) > 1 else "none"]
        systems = counted(len(self.systems) - bool(self.baseline), "system was", "systems were")
        beside = f" with {self.baseline}" if self.baseline else ""
        queries, measures = counted(len(self.scores.queries)), ", ".join(self.measures)
        tests = "Such a test was" if len(self.differences) == 1 else "Such tests were"
        parts = [
            (f"{systems} compared{beside} by {measures} over the same {queries}.", ""),
            ("" if slices.weights is None else f"Means are weighted by {slices.weights.called}.", ""),
            ("" if slices.macro is None else _BY_GROUP.format(slices.macro.called), ""),
            (procedure.sentence, procedure.reference),
            (f"{tests} made for {counted(len(self.differences), 'comparison', 'comparisons')}.", ""),
            (correction.sentence, correction.reference),
            (self._inverted(), procedure.inverted_in),
            *([(procedure.interval.sentence, procedure.interval.reference)] if procedure.interval else []),
            (_OVER_RUNS if self.regards_runs else "", "bodoff2007"),
            (_EFFECTS, "hedges1981"),
            (
                _EQUIVALENT.format(100 * (2 * plan.level - 1), _margins(plan)) if plan.margins else "",
                "schuirmann1987",
            ),
            *((f"{note}.", "") for note in self.notes),
            (f"Values are by rankworth with the signatures {'; '.join(self.signatures.values())}.", ""),
        ]
        sentences = [(re.sub(r"([%&#_])", r"\\\1", text[:1].upper() + text[1:]), key) for text, key in parts if text]
        text = " ".join(f"{sentence}~\\cite{{{key}}}" if key else sentence for sentence, key in sentences)
        return Method(text, "\n".join(stats.BIBTEX[key] for key in dict.fromkeys(key for _, key in sentences if key)))

    def _inverted(self) -> str:
        """Say which quantity the intervals cover, and at which level."""
        about = f", of {self.procedure.estimates}" if self.procedure.estimates else ""
        is_corrected = self.differences[0].comparisons > 1
        corrected = ", each at the level to which correction brings its p" if is_corrected else ""
        return _INVERTED.format(100 * self.plan.level, about, corrected)

    @cached_property
    def options(self) -> dict[str, list[str]]:
        """`{measure: words}`: the options by which `rankworth explain` measures as here, if words can say them."""
        excluded = "--exclude" in self.reading
        words = {name: Signature.parse(line).options(excluded=excluded) for name, line in self.signatures.items()}
        return {name: [*self.reading, *parsed] for name, parsed in words.items() if parsed is not None}

    def _columns(self, of: str) -> dict[str, list[Any]]:
        """Return one row for each difference, of all queries and of groups; or for each query of each of them."""
        if of == "queries":
            first_ranks = [dict(zip(self.query_ids, ranks, strict=True)) for ranks in self.scores.first_relevant]
            ranks_of = dict(zip(self.systems, first_ranks, strict=True))
            cells: list[tuple[Any, ...]] = []
            for measure, first, second, *_ in self.differences:
                for query, *numbers in self.queries(measure, second, first):
                    ranks = (ranks_of[name][query] for name in (first, second))
                    cells.append((query, measure, first, second, *numbers, *ranks))
            return by_name(_OF_QUERIES, cells)
        rows = [("", row) for row in self.differences]
        rows += [(column, row) for column, several in self.slices.items() for row in several]
        columns = by_name((*Difference._fields, "by"), [(*row, column) for column, row in rows])
        if self.bounds:
            none = [None] * (len(rows) - len(self.bounds))
            ends = {"bounds_low": "low", "bounds_high": "high", "holds": "holds"}
            columns |= {name: [getattr(bound, part) for bound in self.bounds] + none for name, part in ends.items()}
        if self.repeated:
            none = [None] * (len(rows) - len(self.repeated))
            columns |= {name: [getattr(row, part) for row in self.repeated] + none for name, part in _OF_RUNS.items()}
        return {name: defined(cells) for name, cells in columns.items() if name != "by" or self.slices}

    def long_sheet(self) -> Sheet:
        """Return the means in long form: `run, measure, mean, low, high, level, queries, signature`."""
        return long_form.sheet(self.scores.mean_rows(self.plan.level), self.notes)

    def to_frame(self, library: FrameLibrary = "polars", *, of: Rows | None = None, long: bool = False) -> Any:  # noqa: ANN401 - the library's own frame
        """Return the columns as a data frame; in long form the means, as `Values.to_frame` has them.

        Args:
            library: `polars`, `pandas` or `pyarrow`.
            of: the name of a table: `differences` or `queries`.
            long: whether the means are wanted: a row for each system and measure, over the queries that all have.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        return to_library(self.long_sheet(), library) if long else super().to_frame(library, of=of)

    def _record(self) -> dict[str, Any]:
        worst: dict[str, dict[str, list[QueryDifference]]] = {}
        for first, second in dict.fromkeys((row.first, row.second) for row in self.differences):
            lost = {name: self.queries(name, second, first).worst() for name in self.measures}
            worst[f"{second} - {first}"] = {
                name: [row._replace(query=str(row.query)) for row in rows] for name, rows in lost.items()
            }
        return {
            "baseline": self.baseline,
            "systems": self.systems,
            "measures": self.measures,
            "signatures": self.signatures,
            "queries": len(self.scores.queries),
            "uneven": self.uneven,
            **{name: getattr(self.plan, name) for name in ("test", "correction", "level")},
            "interval": self.plan.method,
            "verdict": {
                **{name: getattr(self.verdict, name) for name in ("state", "sentence", "line")},
                **({"leaders": self.verdict.leaders} if self.verdict.leaders else {}),
            },
            "resamples": self.procedure.resamples,
            "seed": self.plan.seed,
            "margins": self.plan.margins,
            "means": self.means,
            "differences": self.differences,
            **({"bounds": self.bounds} if self.bounds else {}),
            **({"runs": {"systems": self.repeated_systems, "differences": self.repeated}} if self.repeated else {}),
            "slices": self.slices,
            "worst": worst,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON (`docs/comparisons.md`): full precision, None where there is no number."""
        return super().to_dict() | {"method": self.method().text}

    def sheets(self) -> list[Sheet]:
        """Return tables of means, of differences and of how sure they are."""
        pairs = len({(row.first, row.second) for row in self.differences})
        is_listed = bool(self.baseline) or pairs <= _PAIRS
        sheets = [] if len(self.systems) == 2 and is_listed else [self._means_sheet()]  # noqa: PLR2004 - two stand in one row
        sheets += [self._differences_sheet()] if is_listed else []
        lead = (f"{self.verdict.title}: {self.verdict.sentence}.", *filter(None, [self.verdict.line]))
        sheets[0] = replace(sheets[0], lead=lead)
        notes = [*sheets[-1].notes, *self.notes, *self._largest_differences()]
        if not is_listed:
            notes.append(f"the differences of all {pairs:,} pairs are in -f csv, jsonl and json (to_frame())")
        comment = f"{combined(self.signatures.values())}|seed:{self.plan.seed}"
        sheets[-1] = replace(sheets[-1], notes=(*notes, self._summary()), comment=comment, defects=self._defects)
        if self.repeated:
            sheets += sheets_of_runs(self.repeated_systems, self.repeated if is_listed else (), self.plan.level)
        for column, rows in self.slices.items() if is_listed else ():
            sheets += self._group_sheets(column, rows)
        return sheets

    def compact(self) -> CompactComparison:
        """Return the table of means alone, for a paper: it has `to_latex`, `to_markdown` and `to_html`.

        Beside a baseline, † and ‡ mark means that are significantly better and worse; where each run is compared with
        each, superscripts name the systems that are significantly outperformed.

        Examples:
            >>> import rankworth as rw
            >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
            >>> runs = {"old": {"q1": ["b", "a"], "q2": ["b"]}, "new": {"q1": ["a"], "q2": ["b"]}}
            >>> table = rw.compare(qrels, runs, ["RR"]).compact().to_markdown()
            >>> next(line for line in table.splitlines() if line.startswith("| new"))
            '| new | **1.0000** |'

        """
        comment = f"{combined(self.signatures.values())}|seed:{self.plan.seed}"
        return CompactComparison(replace(self._means_sheet(), comment=comment, defects=self._defects))

    def _means_sheet(self) -> Sheet:
        """Return one row for each system, with marks for what is better than others."""
        letter_of = dict(zip(self.systems, letters(len(self.systems)), strict=True))
        columns = [] if self.baseline else [Column("", "text", list(letter_of.values()))]
        columns.append(Column("system", "text", list(self.systems)))
        for number, measure in enumerate(self.measures):
            if self.baseline:
                marks = [MARKS.get(word_on(self, measure, name), "") for name in self.systems]
            else:
                rows = self._by(measure)
                clear = {(row.second, row.first) for row in rows if row.word == "better"}
                clear |= {(row.first, row.second) for row in rows if row.word == "worse"}
                better = (
                    [letter for other, letter in letter_of.items() if (name, other) in clear] for name in self.systems
                )
                marks = [(" " if len(self.systems) > len(ascii_lowercase) else "").join(several) for several in better]
            means, kind = self.scores.means[:, number].tolist(), self.scores.kinds[measure]
            columns.append(Column(measure, kind, means, self.scores.best(measure), marks=marks, second=True))
        legend = f"{BETTER} better, {WORSE} worse than {self.baseline}" if self.baseline else _LETTERS
        title = f"{len(self.systems)} systems over {counted(len(self.scores.queries))}"
        return Sheet(tuple(columns), title=title, legend=(f"{legend} ({threshold(self)})",))

    def _differences_sheet(self) -> Sheet:
        """Return one row for each pair and measure."""
        rows, pairs = self.differences, {(row.first, row.second) for row in self.differences}
        columns = [Column("measure", "text", [row.measure for row in rows])]
        if len(pairs) == 1:
            [(first, second)] = pairs
            columns.append(Column(first, "value", [row.first_mean for row in rows]))
            columns.append(Column(second, "value", [row.second_mean for row in rows]))
            title = f"{second} - {first}, paired over {counted(len(self.scores.queries))}"
        else:
            columns.insert(0, Column("system" if self.baseline else "systems", "text", list(map(self._pair, rows))))
            title = f"differences to {self.baseline}" if self.baseline else "differences"
        return Sheet((*columns, *self._judged(rows, rows)), title=title, legend=(_LEGEND,))

    def _wins(self, row: Difference) -> str:
        """Return how many queries are better, equal and worse; nothing where no query has a value."""
        return f"{row.wins}/{row.ties}/{row.losses}" if row.wins + row.ties + row.losses else ""

    def _judged(self, rows: Sequence[Difference], together: Sequence[Difference]) -> list[Column]:
        """Return the columns of difference, p, effect, wins and word; p is corrected over all of `together`."""
        effects = ["n/a" if math.isnan(row.hedges) else f"{row.hedges + 0.0:.2f}" for row in rows]
        bounds = [row.interval(self.plan.level)[:2] for row in rows]
        p = {"p": [p_value(row.p) for row in rows]} if self.p_columns == "both" else {}
        p[_p_title(self.plan, together)] = [p_value(row.adjusted) for row in rows]
        return [
            Column("difference", "number", [signed(row.difference) for row in rows], bounds=bounds),
            *self._estimates(rows),
            *(Column(title, "number", values) for title, values in p.items()),
            Column("d", "number", effects),
            Column("W/T/L", "number", [self._wins(row) for row in rows]),
            Column("verdict", "number", [row.word for row in rows]),
        ]

    def _estimates(self, rows: Sequence[Difference]) -> list[Column]:
        """Return the column of the intervals that were asked for beside those of the test, and decide nothing."""
        if self.plan.method == TEST_INTERVALS:
            return []
        title = f"{INTERVALS[self.plan.method]} (estimate)"
        return [Column(title, "number", [f"{row.estimate_low:z.4f}…{row.estimate_high:z.4f}" for row in rows])]

    def _group_sheets(self, column: str, rows: Sequence[Difference]) -> Iterator[Sheet]:
        """Yield the differences of each group of queries, a table for each pair of systems."""
        *_, last = pairs = dict.fromkeys((row.first, row.second) for row in rows)
        note = f"p values are corrected over all {len(rows):,} comparisons by {column}"
        for first, second in pairs:
            of_pair = [row for row in rows if (row.first, row.second) == (first, second)]
            columns = (
                Column(column, "text", [row.group for row in of_pair]),
                Column("measure", "text", [row.measure for row in of_pair]),
                Column("queries", "count", [row.queries for row in of_pair]),
                *self._judged(of_pair, rows),
            )
            title = f"by {column}" if len(pairs) == 1 else f"{second} - {first}, by {column}"
            yield Sheet(columns, (note,) if (first, second) == last else (), title=title)

    def _largest_differences(self) -> Iterator[str]:
        """Yield the queries with the largest gains and losses by the first measure with values of queries.

        With the command that shows why one loses.
        """
        measure = next((row.measure for row in self.differences if row.wins + row.ties + row.losses), "")
        for system in self.systems[1:] if self.baseline and measure else ():
            queries = self.queries(measure, system)
            if best := queries.best(_LISTED):
                yield f"largest gains of {system} by {measure}: {', '.join(map(self._named, best))}"
            if worst := queries.worst(_LISTED):
                yield f"largest losses of {system} by {measure}: {', '.join(map(self._named, worst))}"
                yield from explaining(self.files, [self.baseline, system], [str(worst[0].query)], measure, self.options)

    def _named(self, row: QueryDifference) -> str:
        """Name a query with its difference and the beginning of its text."""
        text = self.texts.get(str(row.query), "")
        return f"{row.query} {signed(row.difference)}{f' ({shorten(text, _LETTERS_OF_TEXT)})' if text else ''}"

    @property
    def tested(self) -> str:
        """How differences were tested, and how p values are corrected, as that of a single difference need not be."""
        plan, procedure = self.plan, self.procedure
        draws = f" ({procedure.resamples:,} resamples, seed {plan.seed})" if procedure.resamples else ""
        if self.regards_runs:
            draws = f"{draws}, or t over queries and runs where its p is larger"
        if len(self.differences) == 1:
            return f"{procedure.title}{draws}"
        over = f"over {counted(len(self.differences), 'comparison', 'comparisons')}"
        p = "p for all pairs of systems by one measure" if plan.test in PAIRWISE else ""
        if plan.correction != "none":
            p = f"{p or 'p'}, corrected by {stats.CORRECTIONS[plan.correction].name} {over}"
        return f"{procedure.title}{draws}; {p or f'p not corrected, {over}'}"

    def _summary(self) -> str:
        """Say in one line below a table how the comparison was done."""
        plan, family = self.plan, self.differences[0].comparisons
        jackknifed = " ".join(self.scores.jackknifed)
        kinds = [
            f"of {jackknifed} t by the jackknife" if jackknifed else "",
            "t over queries and runs" if self.regards_runs else "",
        ]
        corrected = f", corrected for {family:,} comparisons" if family > 1 else ""
        about = f" of {self.procedure.estimates}" if self.procedure.estimates else ""
        text = f"{self.tested}; {100 * plan.level:g} % intervals{about}: what the test does not reject{corrected}"
        margin = ""
        if plan.margins:
            margin = f"margin {_margins(plan)}; of what is equivalent the {100 * (2 * plan.level - 1):g} % interval"
        return "; ".join(filter(None, (text, *kinds, margin, detectable_text(self.differences))))


def explaining(
    files: Mapping[str, str],
    systems: Sequence[str],
    queries: Sequence[str],
    measure: str,
    options: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    """Yield the command that explains values of the last system, if its files are known and options can say how.

    Args:
        files: judgements (under no name) and runs by name, as they can be given to other commands.
        systems: one, or a baseline and another one.
        queries: the words that choose queries.
        measure: by which measure.
        options: the options of the command, by measure.

    """
    if {"", systems[-1]} <= files.keys() and measure in options:
        runs = [files[name] for name in systems if name in files]
        words = ("rankworth", "explain", files[""], *runs, *queries, "-m", measure, *options[measure])
        yield visible(f"  {shlex.join(words)}")


def word_on(comparison: Comparison, measure: str, system: str) -> str:
    """Return the verdict on a system beside the baseline; empty for the baseline, and if there is none."""
    is_judged = comparison.baseline and system != comparison.baseline
    return comparison.of(measure, system).word if is_judged else ""


def threshold(comparison: Comparison) -> str:
    """Say from which p value on systems differ: `p holm < 0.05`."""
    return f"{_p_title(comparison.plan, comparison.differences)} < {1 - comparison.plan.level:g}"


def _p_title(plan: Plan, together: Sequence[Difference]) -> str:
    return "p" if plan.correction == "none" or len(together) == 1 else f"p {plan.correction}"


def _margins(plan: Plan) -> str:
    return ", ".join(f"{margin:g} ({name})" for name, margin in plan.margins.items())
