"""Options that several commands have: what is measured, how files are read, and one for each setting of conventions.

Words are checked where settings are made; here they are text, so that help and mistyped options answer at once.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, Final, Literal

from cyclopts import Group, Parameter
from cyclopts.validators import Number

from rankworth.cli import arguments
from rankworth.errors import UsageError

GROUP: Final = Group("Conventions (rankworth profiles standard explains them)", sort_key=4)
_LIMIT: Final = re.compile(r"\s*(\d+(?:\.\d+)?) ?([KMGT]?)(i?)B\s*", re.IGNORECASE)
_NUMBERS: Final = ("no_relevant", "undefined")
FLAGS: Final = {
    "--answered-only": ("missing", "skip"),
    "--complete": ("missing", ""),  # what it means is for the profile to say
    "--judged-only": ("unjudged", "removed"),
}
"""Options that stand for settings: those of trec_eval, and their opposite."""


# As `rankworth.io.duplicates` has them, which loads NumPy.
Duplicates = Literal["error", "best", "first", "last", "all", "once", "joined"]
DuplicateJudgements = Literal["error", "max", "first", "last", "all", "wanted", "spread"]


def spelled(name: str) -> str:
    """The option of a setting."""
    return "--set" if name == "quirks" else f"--{name.replace('_', '-')}"


def words(options: object, *names: str) -> list[str]:
    """Options as they were typed, without those that were not.

    Args:
        options: a group of them.
        names: which of them; all where not said.

    """
    typed: list[str] = []
    for one in fields(options) if options is not None else ():  # type: ignore[arg-type]
        value = getattr(options, one.name)
        if value in (None, False, "", []) or (names and one.name not in names):
            continue
        option = spelled(one.name)
        several = value if isinstance(value, list) else [] if value is True else [value]
        typed += [option, *(f"{item:g}" if isinstance(item, float) else str(item) for item in several)]
    return typed


@dataclass(frozen=True)
class Settings:
    """What differs from the profile, without what other options of a command may be called.

    Attributes:
        order: What orders documents: auto (lists stand as given, tables by score), score, rank, given.
        score_type: Scores compared as float64 or float32.
        ties: Among equal scores: id-descending id-ascending given given-reversed expected last.
        unjudged: Documents that nobody judged: kept or removed.
        negative: Negative grades: pooled zero dropped error error-retrieved.
        extra: Queries that nobody judged: ignore zero error.
        no_relevant: Queries without a relevant document: keep nan skip error, or their value.
        undefined: Values without a divisor: a number, nan skip error.
        round_values: Decimals of the value of each query.

    """

    order: Annotated[str | None, Parameter(metavar="HOW")] = None
    score_type: Annotated[str | None, Parameter(metavar="TYPE")] = None
    ties: Annotated[str | None, Parameter(metavar="HOW")] = None
    unjudged: Annotated[str | None, Parameter(metavar="HOW")] = None
    negative: Annotated[str | None, Parameter(metavar="HOW")] = None
    extra: Annotated[str | None, Parameter(metavar="HOW")] = None
    no_relevant: Annotated[str | None, Parameter(metavar="HOW")] = None
    undefined: Annotated[str | None, Parameter(metavar="HOW")] = None
    round_values: Annotated[int | None, Parameter(metavar="N")] = None

    def said(self, flags: Mapping[str, bool]) -> dict[str, Any]:
        """The settings that were given.

        Args:
            flags: options that have names of their own for some of them, and whether they were given.

        Raises:
            UsageError: `unknown-setting`, where a number is none; `conflicting-options`.

        """
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        settings = {name: _number(name, value) for name, value in given.items() if value is not None}
        if flags["--complete"] and flags["--answered-only"]:
            raise UsageError("conflicting-options", "--complete and --answered-only contradict each other; give one")
        for option, (name, value) in FLAGS.items():
            if flags[option] and name in settings:
                message = f"--{name} and {option} say one setting in two ways; give one"
                raise UsageError("conflicting-options", message)
            if flags[option] and value:
                settings[name] = value
        return settings


@dataclass(frozen=True)
class Conventions(Settings):
    """What differs from the profile.

    Attributes:
        grades: Grades as given, truncated (1.9 is 1), or whole (others refused).
        missing: Judged queries without results: zero nought nan skip absent error.

    """

    grades: Annotated[str | None, Parameter(metavar="HOW")] = None
    missing: Annotated[str | None, Parameter(metavar="HOW")] = None


@dataclass(frozen=True)
class Measured:
    """What is measured, but for measures, profile and conventions.

    Attributes:
        rel: Grade from which documents count as relevant, for measures that do not say their own (trec_eval's -l).
        depth: Look at the first N documents of each query only (trec_eval's -M).
        judged_only: Remove documents that nobody judged before ranks are counted (trec_eval's -J).
        complete: Judged queries without results count as empty rankings (trec_eval's -c); the default.
        exclude: File with queries and documents to take out of run and judgements first; self: those with one id.
        duplicates: What becomes of a document that a query ranks twice (best: its highest score). Default: an error.
        duplicate_judgements: What becomes of a document that a query judges twice. Default: an error.
        quirks: Setting that few tools need, see rankworth profiles standard: no_hit=skip. Repeatable.
        plugin: Module or .py file that defines measures. Repeatable.

    """

    rel: Annotated[float | None, Parameter(alias="-l", metavar="GRADE")] = None
    depth: Annotated[int | None, Parameter(alias="-M", metavar="N", validator=Number(gte=1))] = None
    judged_only: Annotated[bool, Parameter(alias="-J")] = False
    complete: Annotated[bool, Parameter(alias="-c")] = False
    exclude: Annotated[str | None, Parameter(metavar="FILE")] = None
    duplicates: Duplicates | None = None
    duplicate_judgements: DuplicateJudgements | None = None
    quirks: Annotated[list[str] | None, Parameter(name="--set", metavar="NAME=VALUE")] = None
    plugin: Annotated[list[str] | None, Parameter(metavar="MODULE")] = None

    def settings(self, conventions: Settings | None, *, answered_only: bool = False) -> dict[str, Any]:
        """The settings of an evaluation that were given, by their names in Python.

        Args:
            conventions: the other options.
            answered_only: whether --answered-only was given.

        Raises:
            UsageError: `unknown-setting`, `conflicting-options`.

        """
        flags = {"--answered-only": answered_only, "--complete": self.complete, "--judged-only": self.judged_only}
        beside = {name: getattr(self, name) for name in ("depth", "duplicates", "duplicate_judgements")}
        quirks = dict(map(_quirk, self.quirks or ()))
        return (conventions or Conventions()).said(flags) | beside | ({"quirks": quirks} if quirks else {})


@dataclass(frozen=True)
class Read:
    """How files are read.

    Attributes:
        columns: Which column holds what: query=term document=sku; score, rank, grade and subtopic likewise;
            score=-dist where smaller is better. Beside text=words or title=head they are columns of --queries and
            --docs.
        qrels_columns: Likewise of the judgements alone.
        run_columns: Likewise of the runs alone.
        qrels_format: Format of the judgements: trec csv tsv msmarco jsonl json parquet arrow. Default: by content.
        run_format: Format of the runs.
        split: Which judgements of a BEIR folder. Default: test.
        blank: What judgements without a grade mean: unjudged, zero, or an error. Default: unjudged.

    """

    columns: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="WHAT=NAME")] = None
    qrels_columns: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="WHAT=NAME")] = None
    run_columns: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="WHAT=NAME")] = None
    qrels_format: Annotated[str, Parameter(metavar="FORMAT")] = ""
    run_format: Annotated[str, Parameter(metavar="FORMAT")] = ""
    split: Annotated[str, Parameter(metavar="NAME")] = ""
    blank: Literal["unjudged", "zero", "error"] | None = None

    def of_texts(self, *roles: str) -> dict[str, str]:
        """Which of --columns are those of texts: these, where text or title is among them.

        Args:
            roles: what texts have columns for.

        """
        named = arguments.columns(self.columns or ())
        return {what: name for what, name in named.items() if what in roles and {"text", "title"} & {*named}}

    def without(self, names: Mapping[str, str]) -> "Read":
        """The same without the columns of texts.

        Args:
            names: which column of texts holds what.

        """
        kept = [text for text in self.columns or () if text.partition("=")[0] not in names]
        return replace(self, columns=kept or None)

    @property
    def named(self) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
        """Which column holds what: in both, in judgements, in runs.

        Raises:
            UsageError: `unknown-setting`.

        """
        return (
            arguments.columns(self.columns or ()),
            arguments.columns(self.qrels_columns or (), "--qrels-columns"),
            arguments.columns(self.run_columns or (), "--run-columns"),
        )


@dataclass(frozen=True)
class Running:
    """Where runs are judged.

    Attributes:
        engine: Judge Parquet and CSV in DuckDB, which spills to disk where memory ends; or do all on Spark.
        memory_limit: How much memory the engine takes: 2GB.
        master: Where Spark runs: local[2], spark://HOST:PORT, yarn. Default: what its configuration says.

    """

    engine: Literal["duckdb", "spark"] | None = None
    memory_limit: Annotated[str, Parameter(metavar="SIZE")] = ""
    master: Annotated[str, Parameter(metavar="URL")] = ""

    @property
    def memory(self) -> int | None:
        """The limit of memory in bytes: 2GB is 2 * 10^9 of them, 2GiB 2 * 2^30.

        Raises:
            UsageError: `unknown-setting`.

        """
        if not self.memory_limit:
            return None
        found = _LIMIT.fullmatch(self.memory_limit)
        if found is None:
            text = f"--memory-limit {self.memory_limit}: a limit is a number with a unit"
            raise UsageError("unknown-setting", text, remedy="as in --memory-limit 2GB")
        number, unit, binary = found.groups()
        return int(float(number) * (1024 if binary else 1000) ** (" KMGT".index(unit.upper() or " ")))

    def refuse(self, others: Mapping[str, bool]) -> None:
        """Find what is said of an engine that is not there, and what one cannot do.

        Args:
            others: options that Spark cannot do, and whether they are there.

        Raises:
            UsageError: `conflicting-options`.

        """
        if self.memory_limit and self.engine is None:
            text = f"--memory-limit {self.memory_limit} is for an engine, and there is none"
            raise UsageError("conflicting-options", text, remedy="say which: --engine duckdb")
        if self.master and self.engine != "spark":
            text = f"--master {self.master} is for Spark, which is not asked for"
            raise UsageError("conflicting-options", text, remedy="say so: --engine spark")
        odd = next((option for option, is_there in others.items() if is_there), None)
        if self.engine == "spark" and odd is not None:
            text = f"--engine spark has no {odd}: it brings means, or the values of queries with --per-query"
            raise UsageError("conflicting-options", text, remedy="leave one of the two out")


def _number(name: str, value: Any) -> Any:  # noqa: ANN401 - text or number
    """A number where the text is one and may be one."""
    if name not in _NUMBERS:
        return value
    try:
        return float(value)
    except ValueError:
        return value


def _quirk(text: str) -> tuple[str, str | float | bool]:
    """The name and the value of NAME=VALUE.

    Raises:
        UsageError: `unknown-setting`.

    """
    name, _, value = text.partition("=")
    if not value:
        raise UsageError("unknown-setting", f"--set {text}: it takes NAME=VALUE", remedy="as in --set fewest=3")
    setting = name.replace("-", "_")
    if value.isalpha():  # nan is a word here
        return setting, {"true": True, "false": False}.get(value.lower(), value)
    try:
        number = float(value)
    except ValueError:
        return setting, value
    return setting, int(number) if number.is_integer() else number
