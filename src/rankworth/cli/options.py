"""Options that several commands have: measures, conventions, how files are read, and what is shown.

Words of conventions are checked where settings are made; here they are text, so that help and mistyped options answer
at once.
"""

import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self, TypedDict

from cyclopts import ArgumentCollection, Group, Parameter, Token
from cyclopts.exceptions import UnknownOptionError
from cyclopts.validators import Number

from rankworth.errors import UsageError
from rankworth.io.source import STDIN
from rankworth.settings import ITEM_DATA, OPTIONS, SETTINGS, parsed

if TYPE_CHECKING:
    from rankworth.comparison.gates import Gate
    from rankworth.io.id_rules import IdRules
    from rankworth.judging.duckdb import Connection
    from rankworth.profiles import Profile

_LIMIT: Final = re.compile(r"\s*(\d+(?:\.\d+)?) ?([KMGT]?)(i?)B\s*", re.IGNORECASE)

FIRST_RANK: Final = "first-rank"
"""what --columns calls the rank of the first hit of a query, which stands in place of judgements and a run"""
SEPARATOR: Final = "--"
"""stands between the runs of a system and those of the next, where a command takes several runs of each"""
MEASURED: Final = Group("What is measured", sort_key=1)
COMPARED: Final = Group("What is compared", sort_key=2)
TESTED: Final = Group("Intervals and tests", sort_key=3)
GATES: Final = Group("Gates", sort_key=4)
READ: Final = Group("How files are read", sort_key=5)
SHOWN: Final = Group("What is shown or written", sort_key=6)
CONVENTIONS: Final = Group("Conventions (rankworth profiles standard explains them)", show=False, sort_key=7)
"""shown by --help-conventions"""
OTHER: Final = Group("Other", sort_key=8)
_OF_TEXTS: Final = ("query", "document", "text", "title")
"""columns of files that hold texts"""


def _path(_: Any, tokens: Sequence[Token]) -> str:  # noqa: ANN401 - what Cyclopts hands over
    """Take a file, `-`, or `--` between systems; what else starts with a hyphen is a mistyped option.

    `app.main` completes the error.
    """
    value = tokens[0].value
    if value.startswith("-") and value not in (STDIN, SEPARATOR):
        mistyped = Token(keyword=value.partition("=")[0], source="cli")
        raise UnknownOptionError(token=mistyped, argument_collection=ArgumentCollection())  # type: ignore[no-untyped-call]
    return value


File = Annotated[str, Parameter(allow_leading_hyphen=True, converter=_path, n_tokens=1)]
HiddenFile = Annotated[File, Parameter(show=False)]
Measures = Annotated[list[str] | None, Parameter(alias="-m", consume_multiple=1, metavar="MEASURE")]
Columns = Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="WHAT=NAME")]
GradeWords = Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="WORD=GRADE")]
FLAT: Final = Parameter(name="*")
"""options in a dataclass stand beside each other"""
FORMAT: Final = Parameter(alias="-f", metavar="FORMAT", group=SHOWN)
Share = Number(gt=0, lt=1)
FromOne = Number(gte=1)
FromZero = Number(gte=0)

if TYPE_CHECKING:
    from rankworth.comparison.gates import Gate

    Conventions = dict[str, str]
    ConventionsButMissing = dict[str, str]
else:

    def _conventions(*without: str) -> type:
        """Collect the options of all settings, but for those that a command calls something else.

        `grades` is among the options of reading, which say what words mean, too; `missing` is among what is measured,
        as in all commands that have an option of this name.
        """
        groups = {"missing": MEASURED}
        typed = {
            name: Annotated[str, Parameter(**SETTINGS[name].metadata, group=groups.get(name, CONVENTIONS))]
            for name in OPTIONS
            if name not in ("grades", *without)
        }
        return TypedDict("Conventions", typed, total=False)

    Conventions = _conventions()
    ConventionsButMissing = _conventions("missing")


def typed(*groups: Any, **options: Any) -> dict[str, list[str]]:  # noqa: ANN401 - values of options
    """Return options that were given, each with its values as they are typed.

    Args:
        groups: several options: dataclasses, dicts or None.
        options: others by name.

    """
    named: dict[str, Any] = {}
    for group in (*groups, options):
        named |= group or {} if isinstance(group, dict | None) else vars(group)
    texts: dict[str, list[str]] = {}
    for name, value in named.items():
        if value is not None and value is not False and value not in ("", []):
            values = value if isinstance(value, list) else [] if value is True else [value]
            option = "--set" if name == "quirks" else f"--{name.replace('_', '-')}"
            texts[option] = [f"{item:g}" if isinstance(item, float) else str(item) for item in values]
    return texts


@dataclass(frozen=True)
class Measured:
    """What is measured.

    Attributes:
        measure: Measures, as many as wanted: nDCG@10 AP 'P(rel=2)@5'.
        profile: Conventions of a tool, see rankworth profiles. Default: standard.
        only: Evaluate the queries in this file alone, one id in each line.
        answered_only: Leave judged queries without results out of the means.
        rel: Lowest relevant grade, for measures without one of their own.
        judged_only: Remove unjudged documents before ranks are counted.
        complete: As -c of trec_eval, the default here: judged queries without results count as 0.
        exclude: Pairs of query and document to remove from judgements and runs: what users have seen; self: equal ids.
        history: Which user had which item before.
        items: Table of items: categories, groups, vectors.
        expected_run: Run that users expect, for Unexpectedness.
        forbidden: Pairs of query and document that must not appear, for Leak.
        quirks: Setting of a few tools (rankworth profiles standard): no_hit=skip.
        plugin: Module or .py file that defines measures. Repeatable.

    """

    measure: Measures = None
    profile: Annotated[str | None, Parameter(metavar="NAME")] = None
    only: Annotated[str | None, Parameter(metavar="FILE")] = None
    answered_only: bool = False
    rel: Annotated[float | None, Parameter(alias="-l", metavar="GRADE")] = None
    judged_only: Annotated[bool, Parameter(alias="-J")] = False
    complete: Annotated[bool, Parameter(alias="-c")] = False
    exclude: Annotated[str | None, Parameter(metavar="FILE")] = None
    history: Annotated[str | None, Parameter(metavar="FILE")] = None
    items: Annotated[str | None, Parameter(metavar="FILE")] = None
    expected_run: Annotated[str | None, Parameter(metavar="FILE")] = None
    forbidden: Annotated[str | None, Parameter(metavar="FILE")] = None
    quirks: Annotated[list[str] | None, Parameter(name="--set", metavar="NAME=VALUE")] = None
    plugin: Annotated[list[str] | None, Parameter(metavar="MODULE")] = None

    @property
    def files(self) -> dict[str, str | None]:
        """The files with data of the call, by argument."""
        return {name: getattr(self, name) for name in ("exclude", *ITEM_DATA)}


_OF_QRELS: Final = ("qrels_columns", "qrels_format", "split", "blank", "grades", "qrels_ids")
_OF_RUNS: Final = ("run_columns", "run_format", "names", "run_ids", "collapse", "cost")
"""options of `Read` that say how judgements are read, and those of runs"""


@dataclass(frozen=True)
class Read:
    """How files are read.

    Attributes:
        queries: Texts and groups of queries: a file with qid,text,language.
        columns: Names of columns: query=term document=sku; score=-dist where less is better; text=body of texts.
        qrels_columns: Names of columns of the judgements alone.
        run_columns: Columns of runs alone; query=@FILE for responses.
        qrels_format: Format of judgements (tsv). Default: by content.
        run_format: Format of the runs.
        split: Judgements of a BEIR folder. Default: test.
        names: Name runs by file, or by TREC's tag. Default: file.
        blank: What judgements without a grade are. Default: unjudged.
        grades: Words as grades: E=3 S=2 I=0; or truncated, whole.
        ids: Rename documents: cut at '#', group of '(.*)_[0-9]+', or a table of two columns.
        qrels_ids: The same for judgements alone.
        run_ids: The same for runs alone.
        collapse: Chunks to documents: --run-ids with --duplicates.
        sources: Texts that hold gold and pieces: folder, corpus.
        cost: What documents cost: tokens, or tokens=COLUMN.

    """

    queries: Annotated[str | None, Parameter(metavar="FILE")] = None
    columns: Columns = None
    qrels_columns: Columns = None
    run_columns: Columns = None
    qrels_format: Annotated[str, Parameter(metavar="FORMAT")] = ""
    run_format: Annotated[str, Parameter(metavar="FORMAT")] = ""
    split: Annotated[str, Parameter(metavar="NAME")] = ""
    names: Literal["file", "tag"] | None = None
    blank: Literal["unjudged", "zero", "error"] | None = None
    grades: GradeWords = None
    ids: Annotated[str | None, Parameter(metavar="RULE")] = None
    qrels_ids: Annotated[str | None, Parameter(metavar="RULE")] = None
    run_ids: Annotated[str | None, Parameter(metavar="RULE")] = None
    collapse: Annotated[str | None, Parameter(metavar="RULE")] = None
    sources: Annotated[str | None, Parameter(metavar="FILE")] = None
    cost: Annotated[str | None, Parameter(metavar="WHAT")] = None

    def refuse_unread(self, *, qrels: bool, runs: bool, is_exact: bool = False) -> None:
        """Refuse options on the reading of files if there are no files.

        Args:
            qrels: whether there are judgements.
            runs: whether there are runs.
            is_exact: whether an exact run stands where judgements do, so that their format and columns are its own.

        Raises:
            UsageError: `conflicting-options`.

        """
        of_qrels = typed({name: getattr(self, name) for name in _OF_QRELS[2 if is_exact else 0 :]})
        of_runs = typed({name: getattr(self, name) for name in _OF_RUNS})
        for options, are_there, inputs in ((of_qrels, qrels, "judgements"), (of_runs, runs, "runs")):
            for option in options if not are_there else ():
                raise UsageError("conflicting-options", f"{option} is about {inputs}, and there are none to read")

    def rules_for_ids(self) -> "IdRules":
        """Read how documents are renamed.

        Raises:
            UsageError: `unknown-setting`, `conflicting-options`.
            InputError: where a table cannot be read.

        """
        from rankworth.io.id_rules import NO_RULES, OPTIONS  # noqa: PLC0415 - not needed for help

        options = {name: getattr(self, name) for name in OPTIONS}
        if all(value is None for value in options.values()):
            return NO_RULES
        from rankworth.io.id_tables import rules_of  # noqa: PLC0415 - not before the arguments are sound

        return rules_of(options)

    @property
    def of_first_ranks(self) -> dict[str, str] | None:
        """Which columns hold queries and the ranks of first hits; None where files hold judgements and runs.

        Raises:
            UsageError: `conflicting-options` where they are named for judgements or for runs.

        """
        for option, texts in (("--qrels-columns", self.qrels_columns), ("--run-columns", self.run_columns)):
            if any(text.startswith(f"{FIRST_RANK}=") for text in texts or ()):
                fact = f"{option} {' '.join(texts or ())}: first ranks stand in place of judgements and a run"
                raise UsageError("conflicting-options", fact, remedy=f"--columns {shlex.join(texts or ())}")
        named = columns(self.columns) if self.columns else {}
        return named if FIRST_RANK in named else None

    @property
    def text_columns(self) -> dict[str, str]:
        """Which of --columns are those of texts: these, where text or title is among them."""
        named = columns(self.columns)
        return {role: name for role, name in named.items() if role in _OF_TEXTS and {"text", "title"} & {*named}}


@dataclass(frozen=True)
class ReadTexts(Read):
    """How files are read, and the texts of documents.

    Attributes:
        docs: File with the texts of documents: corpus.jsonl, collection.tsv.

    """

    docs: Annotated[str | None, Parameter(metavar="FILE")] = None


@dataclass(frozen=True)
class Options:
    """What is measured, by which conventions, and how files are read.

    Attributes:
        measured: What is measured.
        conventions: What differs from the profile.
        read: How files are read.

    """

    measured: Annotated[Measured, Parameter(name="*", group=MEASURED)] = Measured()
    conventions: Annotated[Conventions | None, Parameter(name="*", group=CONVENTIONS)] = None
    read: Annotated[Read, Parameter(name="*", group=READ)] = Read()

    def settings(self) -> dict[str, Any]:
        """Return the settings of an evaluation that were given, by their names in Python.

        Raises:
            UsageError: `unknown-setting`, `conflicting-options`.

        """
        measured = self.measured
        settings = {name: parsed(name, text) for name, text in (self.conventions or {}).items()}
        for option, is_on, name, value in (
            ("--answered-only", measured.answered_only, "missing", "skip"),
            ("--complete", measured.complete, "missing", None),  # what it means is for the profile to say
            ("--judged-only", measured.judged_only, "unjudged", "removed"),
        ):
            if is_on and name in settings:
                text = f"{option} and another option contradict each other: both say what --{name} says; give one"
                raise UsageError("conflicting-options", text)
            settings |= {name: value} if is_on else {}
        settings |= {} if measured.rel is None else {"rel": measured.rel}
        settings = settings if self.read.collapse is None else {"duplicates": "best"} | settings
        counting, _ = grades_of(self.read.grades)
        settings |= {"grades": counting} if counting else {}
        for text in measured.quirks or ():
            name, _, value = text.partition("=")
            if not value:
                raise UsageError("unknown-setting", f"--set {text}: it takes NAME=VALUE", remedy="as in --set fewest=3")
            name = name.replace("-", "_")
            settings.setdefault("quirks", {})[name] = parsed(name, value)
        return settings

    def profiles(self) -> "list[Profile]":
        """Return the named conventions, by default the standard.

        Raises:
            UsageError: `unknown-setting`.

        """
        from rankworth.profiles import profiles_of  # noqa: PLC0415 - not needed for help

        names: Any = self.measured.profile or ()
        return list(profiles_of([names] if isinstance(names, str) else names, complete=self.measured.complete))

    def ids(self) -> list[str] | None:
        """Read the queries to look at; None for all.

        Raises:
            InputError: where the file cannot be read.

        """
        from rankworth.io import ids  # noqa: PLC0415 - not needed for help

        return None if self.measured.only is None else ids.read_ids(self.measured.only)

    def table(self) -> Any:  # noqa: ANN401 - a table of queries, or None
        """Read the file with texts and columns of queries; None where there is none.

        Raises:
            InputError: where the file cannot be read.

        """
        from rankworth.io import query_texts  # noqa: PLC0415 - not needed for help

        path = self.read.queries
        return None if path is None else query_texts.queries(path, columns=self.read.text_columns)

    def typed(self, **further: Any) -> dict[str, list[str]]:  # noqa: ANN401 - values of options
        """Return the options that were given, with others, each with its values as they are typed."""
        return typed(self.read, self.measured, self.conventions, **further)

    @property
    def of_judgements(self) -> Self:
        """These options where there are judgements and no runs to read."""
        usual = Read()
        return replace(self, read=replace(self.read, **{name: getattr(usual, name) for name in _OF_RUNS}))

    @property
    def grades_by_word(self) -> dict[str, float]:
        """The grades that words of judgements mean.

        Raises:
            UsageError: `unknown-setting`.

        """
        return grades_of(self.read.grades)[1]

    @property
    def of_files(self) -> list[str]:
        """The options by which a command reads the same files, as a command line has them."""
        return as_arguments(typed(self.read, **self.measured.files, plugin=self.measured.plugin))


@dataclass(frozen=True)
class TextOptions(Options):
    """Options of commands that show documents.

    Attributes:
        read: How files are read.

    """

    read: Annotated[ReadTexts, Parameter(name="*", group=READ)] = ReadTexts()


def as_arguments(options: Mapping[str, Sequence[str]]) -> list[str]:
    """Write options with their values as a command line has them."""
    return [word for option, values in options.items() for word in (option, *values)]


@dataclass(frozen=True)
class Running:
    """Where runs are judged.

    Attributes:
        engine: Rank runs in DuckDB, beyond memory, or on Spark.
        memory_limit: Memory that the engine may take: 2GB.
        master: Where Spark runs: local[2], spark://HOST, yarn.

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
        return in_bytes(self.memory_limit, "--memory-limit", "2GB") if self.memory_limit else None

    def opened(self) -> "AbstractContextManager[Connection | None]":
        """Open DuckDB for the length of a block; None where it is not wanted.

        Raises:
            UsageError: `missing-library`, `unknown-setting`.

        """
        memory = self.memory
        if self.engine != "duckdb":
            return nullcontext()
        from rankworth.judging import duckdb  # noqa: PLC0415 - not needed for help

        return duckdb.opened(memory)

    def refuse(self, unsupported: Sequence[str]) -> None:
        """Refuse options of an engine that is not used, and options that Spark does not have.

        Args:
            unsupported: options that were given, and that Spark does not have.

        Raises:
            UsageError: `conflicting-options`.

        """
        if self.memory_limit and self.engine is None:
            text, remedy = f"--memory-limit {self.memory_limit} is for an engine, and there is none", "--engine duckdb"
        elif self.master and self.engine != "spark":
            text, remedy = f"--master {self.master} is for Spark, which is not asked for", "--engine spark"
        elif self.engine == "spark" and unsupported:
            text = f"--engine spark has no {unsupported[0]}: it brings means, or the values of queries with --per-query"
            remedy = "leave one of the two out"
        else:
            return
        raise UsageError("conflicting-options", text, remedy=remedy)


@dataclass(frozen=True)
class DisplayOptions:
    """How a result is shown.

    Attributes:
        output: Write to a file, in the format of its suffix: .json .csv .md .tex .html .png .svg .pdf. Repeatable.
        digits: Decimals in tables. Default: 4, of percentages 2.
        caption: Caption of a LaTeX table, which makes it a float.
        label: Label of a LaTeX table: tab:results.
        safe_csv: Put ' before = + - @ in csv and tsv, as they begin formulas.
        quiet: Nothing on standard error but errors, and gates that fail.

    """

    output: Annotated[list[str] | None, Parameter(alias="-o", metavar="FILE")] = None
    digits: Annotated[int | None, Parameter(validator=Number(gte=0, lte=15))] = None
    caption: Annotated[str, Parameter(metavar="TEXT")] = ""
    label: Annotated[str, Parameter(metavar="NAME")] = ""
    safe_csv: bool = False
    quiet: Annotated[bool, Parameter(group=OTHER)] = False


def columns(texts: Iterable[str] | None, option: str = "--columns") -> dict[str, str]:
    """Read the columns of roles from `ROLE=NAME`.

    Raises:
        UsageError: `unknown-setting`.

    """
    labels: dict[str, str] = {}
    for text in texts or ():
        role, sign, name = text.partition("=")
        is_named = bool(
            name or (sign and role in ("score", "grade", "document"))
        )  # that no column tells them can be said, too
        if not is_named or role in labels:
            fault = f"{role} appears twice" if is_named else "a column is named WHAT=NAME, as in query=term"
            remedy = f"name it once; --qrels-columns {text} is about judgements alone, --run-columns about runs"
            raise UsageError("unknown-setting", f"{option} {text}: {fault}", remedy=remedy if is_named else "")
        labels[role] = name
    return labels


def grades_of(texts: Sequence[str] | None) -> tuple[str, dict[str, float]]:
    """Read how grades count, and from `WORD=GRADE` which grade each word means; one of the two is empty.

    Raises:
        UsageError: `unknown-setting`.

    """
    if not any("=" in text for text in texts or ()):
        return " ".join(texts or ()), {}
    grades: dict[str, float] = {}
    for text in texts or ():
        word, sign, grade = text.rpartition("=")
        try:
            number = float(grade) if sign and word not in grades and "=" not in word else math.nan
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            fault = "each word has one grade, which is a number: WORD=GRADE"
            remedy = "as in --grades E=3 S=2 C=1 'not relevant=0', with blanks between them"
            raise UsageError("unknown-setting", f"--grades {text}: {fault}", remedy=remedy)
        grades[word] = number
    return "", grades


def refuse_files(command: str, options: Mapping[str, Sequence[str]]) -> None:
    """Refuse files after an option that takes all arguments after it.

    Raises:
        UsageError: `conflicting-options`.

    """
    for option in ("--measure", "--max-drop", "--noninferior", "--by", "--grades"):
        stray = [word for word in options.get(option, ()) if "=" not in word and "." in word and Path(word).is_file()]
        if stray:
            text = f"{stray[0]} is a file, and comes after {option}, which takes all that follows"
            raise UsageError("conflicting-options", text, remedy=f"files come first: rankworth {command} {option} ...")


def in_bytes(text: str, option: str, example: str) -> int:
    """Convert a size, such as 2GB or 512 MiB, to bytes.

    Args:
        text: as it was typed.
        option: where.
        example: for the message.

    Raises:
        UsageError: `unknown-setting`.

    """
    match = _LIMIT.fullmatch(text)
    if match is None:
        remedy = f"as in {option} {example}"
        raise UsageError("unknown-setting", f"{option} {text}: a limit is a number with a unit", remedy=remedy)
    number, unit, binary = match.groups()
    return int(float(number) * (1024 if binary else 1000) ** (" KMGT".index(unit.upper() or " ")))


def with_gates(measures: Sequence[str], gates: "Sequence[Gate]", options: Options) -> list[str]:
    """Add the measures of gates that are not among the measures."""
    resolved = options.profiles()[0].ask(measures, rel=options.measured.rel) if gates else []
    quantity_by_label = {measure.label: str(measure.quantity) for measure in resolved}
    return [*measures, *(gate.measure for gate in gates if not gate.among(quantity_by_label))]
