"""Which column holds what, as it is named for judgements, for runs or for both: each input gets the names it has."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rankworth.errors import InputError, UsageError, quoted
from rankworth.io.columns import NONE, guesses, is_header, is_negative
from rankworth.io.detect import format_of
from rankworth.io.lines import MARK, QRELS, RUN, Layout
from rankworth.io.reading import Reading, files_of
from rankworth.io.source import Source

_HEAD: Final = 1 << 16
ROLES: Final = {RUN: ("query", "document", "score", "rank"), QRELS: ("query", "document", "grade", "subtopic")}
_HIT: Final = {"_index", "_score", "_source"}
_OPTIONS: Final = {"both": "columns", "qrels": "qrels_columns", "runs": "run_columns"}


@dataclass(frozen=True)
class Columns:
    """Names of columns by what they hold, as a user gives them.

    Attributes:
        both: for judgements and runs; each name goes to the inputs that have such a column.
        qrels: for judgements alone.
        runs: for runs alone.
        usual: names that a project gives in pyproject.toml, of which an input need not have any.
        in_shell: whether messages show options instead of arguments.

    """

    both: Mapping[str, str] = field(default_factory=lambda: NONE)
    qrels: Mapping[str, str] = field(default_factory=lambda: NONE)
    runs: Mapping[str, str] = field(default_factory=lambda: NONE)
    usual: "Columns | None" = None
    in_shell: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no column of judgements or of runs.

        Raises:
            UsageError: `unknown-setting`.

        """
        for name in _OPTIONS:
            if columns := getattr(self, name):
                object.__setattr__(self, name, dict(Reading(columns=columns).columns))
        for name, layout in (("qrels", QRELS), ("runs", RUN)):
            if odd := [what for what in getattr(self, name) if what not in ROLES[layout]]:
                text = f"{self._option(name)}: {quoted(odd)} is not one of {' '.join(ROLES[layout])}"
                raise UsageError("unknown-setting", text)

    def __bool__(self) -> bool:
        """Whether anything is named."""
        return bool(self.both or self.qrels or self.runs or self.usual)

    def own(self, layout: Layout) -> Mapping[str, str]:
        """What is named for one kind of input alone."""
        return self.runs if layout is RUN else self.qrels

    def named(self, layout: Layout) -> dict[str, str]:
        """All that may be the columns of one kind of input."""
        usual = {} if self.usual is None else self.usual.named(layout)
        return usual | {what: name for what, name in {**self.both, **self.own(layout)}.items() if what in ROLES[layout]}

    def split(self, inputs: "Sequence[Input]") -> list[dict[str, str]]:
        """What is said of each input, without the names that are meant for others.

        Raises:
            InputError: `frame-columns` where an input lacks a column that is named for it, or none has one that is
                named for all; it tells all such names and what there is.

        """
        found: list[dict[str, str]] = []
        lacking: dict[str, dict[str, list[Input]]] = {}
        met: set[str] = set()
        for one in inputs:
            held: dict[str, str] = {}
            for what, name in self.named(one.layout).items():
                own = what in self.own(one.layout)
                there = one.has(name, own=own)
                if there:
                    held[what] = name
                if own and not there and not one.aside:
                    option = "runs" if one.layout is RUN else "qrels"
                    lacking.setdefault(option, {}).setdefault(what, []).append(one)
                elif what in self.both and there:
                    met.add(what)
            found.append(held)
        for what in self.both:
            concerned = [one for one in inputs if what in ROLES[one.layout] and what not in self.own(one.layout)]
            if what not in met and concerned:
                lacking.setdefault("both", {})[what] = concerned
        if lacking:
            raise self._missing(lacking)
        return found

    def _missing(self, lacking: "Mapping[str, Mapping[str, Sequence[Input]]]") -> InputError:
        """The error for columns that are not there: all of them, what there is, and what was probably meant."""
        lacking = {option: lacking[option] for option in _OPTIONS if option in lacking}
        wrong = [
            self._said(option, {what: getattr(self, option)[what] for what in roles})
            for option, roles in lacking.items()
        ]
        concerned = {id(one): one for roles in lacking.values() for some in roles.values() for one in some}
        lines = ["; ".join(one.listed for one in concerned.values())]
        for option, roles in lacking.items():
            said: dict[str, str] = getattr(self, option)
            meant = dict(said)
            for what, some in roles.items():
                others = {name for role, name in meant.items() if role != what}
                free = next(([name for name in one.names or () if name not in others] for one in some if one.names), [])
                meant |= guesses([what], free, said) or {what: ""}
            meant = {what: name for what, name in meant.items() if name}
            if meant:
                lines.append(f"did you mean {self._said(option, meant)}?")
        text = f"{' '.join(wrong) if self.in_shell else ', '.join(wrong)}: there is no such column"
        return InputError("frame-columns", text, remedy="\n".join(lines))

    def _option(self, name: str) -> str:
        option = _OPTIONS[name]
        return f"--{option.replace('_', '-')}" if self.in_shell else option

    def _said(self, option: str, columns: Mapping[str, str]) -> str:
        if not self.in_shell:
            return f"{self._option(option)}={dict(columns)!r}"
        return " ".join((self._option(option), *(shlex.quote(f"{what}={name}") for what, name in columns.items())))


@dataclass(frozen=True)
class Input:
    """Judgements or a run, and the names of its columns.

    Attributes:
        layout: `RUN` or `QRELS`.
        called: what messages call it.
        names: of its columns, or of fields in its records; None where nothing tells them before it is read.
        hits: whether it holds hits of a search engine, which tell by themselves what they are.
        aside: whether it stands beside judgements and runs, so that it needs none of the names.

    """

    layout: Layout
    called: str
    names: Sequence[str] | None
    hits: bool = False
    aside: bool = False

    def has(self, name: str, *, own: bool) -> bool:
        """Whether it has a column of this name.

        Args:
            name: of a column; empty where none is meant; `-name` for a distance.
            own: whether the name is meant for this input alone.

        """
        if not name or self.names is None:
            return True
        if self.hits and not own and not name.removeprefix("-").startswith("_"):
            return False
        numbers = () if is_header(self.names) else map(str, range(1, len(self.names) + 1))
        there = {*self.names, *numbers}
        return name in there or (is_negative(name) and name[1:] in there)

    @property
    def listed(self) -> str:
        """What columns it has."""
        has = "have" if self.called.startswith("the judgements") else "has"
        return f"{self.called} {has} {quoted(self.names, 8) if self.names else 'no columns with names'}"


def of_file(source: Source, layout: Layout, reading: Reading) -> Input:
    """A file, and the columns that its beginning tells.

    Args:
        source: the file.
        layout: `RUN` or `QRELS`.
        reading: what the user says of it, with all names that it may have.

    Raises:
        InputError: as `rankworth.io.detect.format_of`.

    """
    form = format_of(source, layout, reading)
    if form == "trec":
        return Input(layout, source.name, [])
    if form in ("parquet", "arrow"):
        from rankworth.io import parquet  # noqa: PLC0415 - not needed for text

        return Input(layout, source.name, parquet.names(source, form))
    if form in ("json", "jsonl"):
        return _of_json(source, layout, form, reading.columns)
    from rankworth.io import csv  # noqa: PLC0415 - not needed for the others

    return Input(layout, source.name, csv.names(source, form, reading.columns))


def of_object(source: Any, layout: Layout, columns: Mapping[str, str]) -> Input:  # noqa: ANN401 - anything
    """What a program has, and its columns or the fields of its records; a path is looked into.

    Args:
        source: whatever `Qrels` or `Run` reads.
        layout: `RUN` or `QRELS`.
        columns: all names that it may have.

    """
    called = "the run" if layout is RUN else "the judgements"
    if files := files_of(source, layout, Reading()):
        return of_file(files[0], layout, Reading(columns=columns))
    if not isinstance(source, Mapping):
        import narwhals as nw  # noqa: PLC0415 - not needed for files and dicts

        frame = nw.from_native(source, pass_through=True)
        if isinstance(frame, nw.DataFrame | nw.LazyFrame):
            schema = frame.collect_schema()
            inner = (getattr(dtype, "inner", None) for dtype in schema.dtypes())
            fields = [field.name for kind in inner for field in getattr(kind, "fields", ())]
            return Input(layout, called, [*schema.names(), *fields])
    return _of_value(source, layout, called, columns)


def _of_json(source: Source, layout: Layout, form: str, columns: Mapping[str, str]) -> Input:
    text = source.head(_HEAD).removeprefix(MARK).lstrip()
    text = text.partition(b"\n")[0] if form == "jsonl" else text
    try:
        document = json.loads(text)
    except ValueError:
        try:
            document = json.loads(source.whole().removeprefix(MARK))
        except ValueError:
            return Input(layout, source.name, None)  # its reader says what is wrong with it
    is_line = form == "jsonl" and not isinstance(document, list)
    return _of_value([document] if is_line else document, layout, source.name, columns)


def _of_value(source: Any, layout: Layout, called: str, columns: Mapping[str, str]) -> Input:  # noqa: ANN401 - anything
    if isinstance(source, list | tuple):
        return _of_records(source, layout, called)
    return _of_mapping(source, layout, called, columns) if isinstance(source, Mapping) else Input(layout, called, None)


def _of_mapping(source: Mapping[Any, Any], layout: Layout, called: str, columns: Mapping[str, str]) -> Input:
    """Of a dict: its keys, where they are columns; otherwise the fields of the records that it holds by query."""
    from rankworth.io import search_response  # noqa: PLC0415 - as above

    if all(isinstance(key, str) for key in source) and search_response.is_known(source):
        return Input(layout, called, ["_id", "_index/_id"], hits=True)
    held = list(source.values())
    if all(isinstance(each, Mapping) for each in held):
        return Input(layout, called, [])
    if is_header(list(map(str, source)), columns) and not any(isinstance(each, Mapping) for each in held):
        inner = [each[0] for each in held if isinstance(each, list | tuple) and each]
        inner = [item for each in inner for item in (each if isinstance(each, list) else [each])]
        records = _of_records([item for item in inner if isinstance(item, Mapping)][:1], layout, called)
        return Input(layout, called, [*map(str, source), *(records.names or ())])
    return _of_records(next((each for each in held if isinstance(each, list | tuple) and each), ()), layout, called)


def _of_records(items: Sequence[Any], layout: Layout, called: str) -> Input:
    """Of rows, or of the lists that they hold."""
    from rankworth.io.records import names_of  # noqa: PLC0415 - as above

    first = next((item for item in items if item is not None), None)
    if isinstance(first, list):
        return _of_records(first, layout, called)
    if first is None or isinstance(first, str | int | float):
        return Input(layout, called, [])
    names = list(map(str, names_of(first)))
    inner = first.values() if isinstance(first, Mapping) else (getattr(first, name, None) for name in names)
    records = next(
        (item[0] for item in inner if isinstance(item, list) and item and not isinstance(item[0], str | int | float)),
        None,
    )
    if records is not None:
        within = _of_records([records], layout, called)
        return Input(layout, called, [*names, *(within.names or ())], within.hits)
    return Input(layout, called, names, "_id" in names and not _HIT.isdisjoint(names))
