"""Which column holds what, as it is named for judgements, for runs or for both: each input gets the names it has."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

from rankworth.errors import InputError, UsageError, quoted
from rankworth.io.detect import format_of
from rankworth.io.files import files_of
from rankworth.io.formats import has_module
from rankworth.io.key_paths import at
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.lines import MARK
from rankworth.io.looks import Column, Looks
from rankworth.io.options import ROLES_OF, Reading
from rankworth.io.remedies import Request
from rankworth.io.resolve import knows, locate, value_locations
from rankworth.io.source import Source
from rankworth.io.usual_names import NONE, OF_FILE, is_header, nearest

_HEAD: Final = 1 << 16
PAIR: Final = ("query", "document")
_FIELDS: Final = 50
"""of a row, in which paths are looked up"""
_HIT: Final = {"_index", "_score", "_source"}
_OPTIONS: Final[Mapping[str, tuple[str, tuple[Layout, ...]]]] = {
    "columns": ("both", (QRELS, RUN)),
    "qrels_columns": ("qrels", (QRELS,)),
    "run_columns": ("runs", (RUN,)),
    "cost": ("costs", (RUN,)),
}
"""the attribute of each option, and of what it names columns"""


@dataclass(frozen=True)
class Columns:
    """Names of columns by what they hold, as a user gives them.

    Attributes:
        both: for judgements and runs; each name goes to the inputs that have such a column.
        qrels: for judgements alone.
        runs: for runs alone.
        costs: the same of what documents cost.
        usual: names that a project gives in pyproject.toml, of which an input need not have any.
        in_shell: whether messages show options instead of arguments.
        as_given: whether documents stand as they are given, so that a run need not have scores.
        is_exact: whether the first input is an exact run, which the names for judgements are about.

    """

    both: Mapping[str, str] = field(default_factory=lambda: NONE)
    qrels: Mapping[str, str] = field(default_factory=lambda: NONE)
    runs: Mapping[str, str] = field(default_factory=lambda: NONE)
    costs: Mapping[str, str] = field(default_factory=lambda: NONE)
    usual: "Columns | None" = None
    in_shell: bool = False
    as_given: bool = False
    is_exact: bool = False

    def __post_init__(self) -> None:
        """Refuse what is no column of judgements or of runs.

        Raises:
            UsageError: `unknown-setting`.

        """
        for option, (side, layouts) in _OPTIONS.items():
            if not (columns := getattr(self, side)):
                continue
            columns = dict(Reading(columns=columns).columns)
            object.__setattr__(self, side, columns)
            layout = RUN if self.is_exact else layouts[0]
            roles = ROLES_OF[layout] if len(layouts) == 1 else tuple(columns)
            if unknown := [role for role in columns if role not in roles]:
                text = f"{self._shown(option)}: {quoted(unknown)} is not one of {' '.join(roles)}"
                raise UsageError("unknown-setting", text, remedy="write WHAT=COLUMN, as in query=user_id")

    def __bool__(self) -> bool:
        """Return whether anything is named."""
        return bool(self.both or self.qrels or self.runs or self.costs or self.usual or self.as_given)

    def specific(self, layout: Layout, *, is_exact: bool = False) -> Mapping[str, str]:
        """Return the names that are given for one kind of input alone, or for the exact run."""
        return self.qrels if is_exact or layout is not RUN else {**self.runs, **self.costs}

    def named(self, layout: Layout, *, is_exact: bool = False) -> dict[str, str]:
        """Return all names that may be those of columns of one kind of input, or of the exact run."""
        usual = {} if self.usual is None else self.usual.named(layout)
        names = {**self.both, **self.specific(layout, is_exact=is_exact)}
        return usual | {role: name for role, name in names.items() if role in ROLES_OF[layout]}

    @property
    def of_pairs(self) -> dict[str, str]:
        """Return all that may be the columns of pairs to exclude: what is named for judgements alone is not theirs."""
        usual = {} if self.usual is None else self.usual.of_pairs
        return usual | {role: name for role, name in self.both.items() if role in PAIR}

    def split(self, inputs: "Sequence[Input]") -> list[dict[str, str]]:
        """Return the names for each input, in order, without names meant only for other inputs.

        Raises:
            InputError: `frame-columns` where an input lacks a column that is named for it, or none has one that is
                named for all; it shows all such names and the columns that there are.

        """
        if self.is_exact:
            inputs = [replace(each, is_exact=number == 0) for number, each in enumerate(inputs)]
        lacking: dict[str, dict[str, str]] = {}
        without: list[Input] = []
        for option, (side, layouts) in _OPTIONS.items():
            is_specific = side != "both"
            for role, name in getattr(self, side).items():
                targets = [each for each in inputs if each.side in layouts and role in each.roles]
                targets = [
                    each for each in targets if not (each.aside if is_specific else role in self._specific_to(each))
                ]
                lack = [each for each in targets if not each.has(role, name, is_specific=is_specific)]
                if lack and (is_specific or lack == targets):
                    lacking.setdefault(option, {})[role] = name
                    without += [each for each in lack if each not in without]
        if lacking:
            raise self._missing(lacking, without)
        named = (
            (
                each,
                self.of_pairs if each.aside else self.named(each.layout, is_exact=each.is_exact),
                self._specific_to(each),
            )
            for each in inputs
        )
        columns = [
            {role: name for role, name in columns.items() if each.has(role, name, is_specific=role in specific)}
            for each, columns, specific in named
        ]
        return [
            {"score": "", **said} if self.as_given and each.layout is RUN and not each.tells_scores(said) else said
            for each, said in zip(inputs, columns, strict=True)
        ]

    def _specific_to(self, each: "Input") -> Mapping[str, str]:
        """Return the names that are given for this kind of input alone; none for pairs to exclude."""
        return NONE if each.aside else self.specific(each.layout, is_exact=each.is_exact)

    def _missing(self, lacking: Mapping[str, Mapping[str, str]], inputs: "Sequence[Input]") -> InputError:
        """Build the error for missing columns, with the existing ones and the spelling of names."""
        lines = ["; ".join(each.listed for each in inputs)]
        for option, columns in lacking.items():
            side, layouts = _OPTIONS[option]
            existing = [column for each in inputs if each.side in layouts for column in each.names]
            bare = {role: name.removeprefix("-") for role, name in columns.items()}
            near = {role: "" if "*" in name else nearest(name, existing) for role, name in bare.items()}
            if all(near.values()):
                lines.append(f"did you mean {self._shown(option, getattr(self, side) | near)}?")
        wrong = (" " if self.in_shell else ", ").join(
            self._shown(option, columns) for option, columns in lacking.items()
        )
        return InputError("frame-columns", f"{wrong}: there is no such column", remedy="\n".join(lines))

    def _shown(self, option: str, columns: Mapping[str, str] = NONE) -> str:
        """Write an option as it is typed in the shell or in Python."""
        words = (shlex.quote(f"{role}={name}") for role, name in columns.items())
        typed = " ".join((f"--{option.replace('_', '-')}", *words))
        if self.in_shell and typed.isprintable():
            return typed
        named: object = dict(columns)
        if option == "cost":
            [named] = [f"{role}={name}" for role, name in columns.items()]
        return f"{option}={named!r}" if columns else option


@dataclass(frozen=True)
class Input:
    """Judgements or a run, and what they look like at their beginning.

    Attributes:
        layout: `RUN` or `QRELS`.
        called: what messages call it.
        looks: what it looks like; None where nothing tells before it is read.
        aside: whether it holds pairs to exclude, beside judgements and runs, so that it needs none of the names.
        is_response: whether it holds responses of a search engine, or lists of hits, whose queries a file may name.
        samples: the first of its rows, records and what stands in them, in which paths are looked up.
        is_valued: whether grades or scores stand in it without a name, so that nobody can say that there are none.
        is_by_query: whether each query is a key, so that no name tells it.
        root: the path at which it begins within a document of JSON.
        has_cells: whether it is a table, of which a cell may hold several documents.
        is_exact: whether it is the run of an exact search, which stands where judgements do.

    """

    layout: Layout
    called: str
    looks: Looks | None
    aside: bool = False
    is_response: bool = False
    samples: Sequence[Any] = ()
    is_valued: bool = False
    is_by_query: bool = False
    root: str = ""
    has_cells: bool = False
    is_exact: bool = False

    @property
    def side(self) -> Layout:
        """Where it stands in a command: where judgements do, or among the runs."""
        return QRELS if self.is_exact else self.layout

    @property
    def roles(self) -> Sequence[str]:
        """What its columns may hold."""
        return PAIR if self.aside else ROLES_OF[self.layout]

    @property
    def names(self) -> list[Any]:
        """The names of its columns, and of fields in lists."""
        of_fields = [each for sample in self.samples if isinstance(sample, Mapping) for each in sample]
        of_looks = () if self.looks is None else self.looks.names
        of_fields = [] if of_looks and self.is_response else of_fields
        inside = () if self.looks is None or self.samples else self.looks.inside.values()
        of_records = (name for looks in inside if looks.noun != "position" for name in looks.names)
        return list(dict.fromkeys(map(str, (*of_looks, *of_records, *of_fields))))

    def has(self, role: str, name: str, *, is_specific: bool) -> bool:
        """Return whether it has a column of this name.

        Args:
            role: `query`, `document`, and so on.
            name: of a column; empty where none is meant; `-name` for a distance.
            is_specific: whether the name is meant for this input alone.

        """
        if not name or self.looks is None:
            return not self.is_valued
        sure = {"root": name == self.root, "separator": self.has_cells} | ({"query": False} if self.is_by_query else {})
        if role in sure or name.startswith("@"):
            return sure.get(role, self.is_response)
        path, names = name.removeprefix("-"), self.names
        has_paths = self.is_response or "." in path
        if any(at(sample, path) is not None for sample in self.samples if has_paths or not isinstance(sample, Mapping)):
            return True
        is_hit = "_id" in names and not _HIT.isdisjoint(names)  # which tells by itself what it is
        is_inside = any(locate(each, path) is not None for each in self.looks.inside.values())
        is_counted = (
            self.looks.is_named and path.replace(",", "").isdecimal() and not is_inside
        )  # meant for other files
        is_foreign = not is_specific and ((is_hit and not path.startswith("_")) or (is_counted and path not in names))
        return not is_foreign and (path in names or knows(self.looks, name))

    def tells_scores(self, columns: Mapping[str, str]) -> bool:
        """Return whether a column of scores, ranks or distances is known, or what columns hold is told by their number.

        Args:
            columns: what is said of its columns.

        """
        looks = Looks(self.called) if self.looks is None else self.looks
        every = replace(looks, names=tuple(self.names) or looks.names)
        is_unnamed = not columns and all(name.isdecimal() for name in map(str, every.names))
        return is_unnamed or bool(value_locations(Request(self.layout.value, every, columns)))

    @property
    def listed(self) -> str:
        """What columns it has."""
        has = "have" if self.called.startswith("the judgements") else "has"
        return f"{self.called} {has} {quoted(self.names, 8) if self.names else 'no columns with names'}"


def of_file(source: Source, layout: Layout, reading: Reading) -> Input:
    """Look at the beginning of a file.

    Args:
        source: the file.
        layout: `RUN` or `QRELS`.
        reading: what the user says of it, with all names that it may have.

    Raises:
        InputError: as `rankworth.io.detect.format_of`.

    """
    form, nothing = format_of(source, layout, reading), Looks(source.name, is_counted=False)
    if form in ("trec", "svmlight"):
        return Input(layout, source.name, nothing, is_valued=True)
    if has_module(form, "parquet"):
        from rankworth.io import parquet  # noqa: PLC0415 - not needed for text

        return Input(layout, source.name, parquet.looks_of(source, form), has_cells=True)
    if has_module(form, "neighbours"):
        from rankworth.io import neighbours  # noqa: PLC0415 - not needed for text

        names = tuple(neighbours.names(source, form))
        return Input(layout, source.name, replace(nothing, names=names), is_response=True)
    if has_module(form, "json", "jsonl"):
        return _of_json(source, layout, form, reading.columns)
    if not has_module(form, "delimited"):
        return Input(layout, source.name, None)
    from rankworth.io import delimited  # noqa: PLC0415 - not needed for the others

    return Input(layout, source.name, delimited.looks_of(source, replace(reading, format=form)), has_cells=True)


def of_object(source: Any, layout: Layout, columns: Mapping[str, str], *, is_specific: bool) -> Input:  # noqa: ANN401 - anything
    """Look at an object, or at its first records; a path is opened.

    Args:
        source: whatever `Qrels` or `Run` reads.
        layout: `RUN` or `QRELS`.
        columns: all names that it may have.
        is_specific: whether some of them are meant for such inputs alone.

    """
    from rankworth.io import id_arrays  # noqa: PLC0415 - not needed for files

    called = "the run" if layout is RUN else "the judgements"
    if files := files_of(source, layout, Reading()):
        if files[0].is_pipe:  # which is opened again to be read
            return Input(layout, files[0].name, None)
        return of_file(files[0], layout, Reading(columns=columns, is_specific=is_specific))
    if id_arrays.is_sparse(source):
        return Input(layout, called, Looks(called, ("query", "document", layout.value)))
    if not isinstance(source, Mapping):
        import narwhals as nw  # noqa: PLC0415 - not needed for files and dicts

        from rankworth.io.frames import looked_at, looks_of, of_data_set  # noqa: PLC0415 - not needed for files and dicts

        frame = nw.from_native(of_data_set(source), pass_through=True)
        if isinstance(frame, nw.DataFrame | nw.LazyFrame):
            schema, items = looked_at(frame, frame.collect_schema())
            looks = looks_of(schema, called)
            return Input(layout, called, replace(looks, columns={**looks.columns, **items}), has_cells=True)
    return _of_value(source, layout, called, columns)


def _of_json(source: Source, layout: Layout, form: str, columns: Mapping[str, str]) -> Input:
    """Look at a file of JSON, or at the first line of JSON lines."""
    from rankworth.io import json_text  # noqa: PLC0415 - not needed for frames and tables

    text = (source.whole() if form == "json" else source.head(_HEAD)).removeprefix(MARK).lstrip()
    try:
        value = json_text.parsed(text.partition(b"\n")[0] if form == "jsonl" else text, source)
    except InputError:
        return Input(layout, source.name, None)  # its reader says what is wrong with it
    is_row = form == "jsonl" and not isinstance(value, list)
    return _of_value([value] if is_row else value, layout, source.name, columns)


def _of_value(value: Any, layout: Layout, called: str, columns: Mapping[str, str]) -> Input:  # noqa: ANN401 - anything
    """Look at an object: rows, columns, or what stands by query."""
    from rankworth.io import id_arrays, responses  # noqa: PLC0415 - not needed for frames and tables
    from rankworth.io.key_paths import columns_of  # noqa: PLC0415 - as above
    from rankworth.io.kinds import is_scalar  # noqa: PLC0415 - as above

    root = columns.get("root", "")
    if root and at(value, root) is not None:
        value = at(value, root)
    else:
        root = ""
    if not isinstance(value, Mapping | list | tuple):
        return Input(layout, called, None, root=root)
    paths = responses.names(value, columns)
    inner: Any = value
    if is_by_query := isinstance(value, Mapping) and not paths and _is_by_query(value, columns):
        inner = list(inner.values())
    if keyed := [response for query, response in responses.by_query(value, columns) if query is not None]:
        inner = keyed
    is_valued = is_by_query and inner[:1] != [] and _has_numbers(inner[0])
    samples = [] if is_valued else list(_samples(list(inner) if isinstance(inner, tuple) else inner))
    lists = value.get("ids") if isinstance(value, Mapping) else value  # of Chroma, or hits of each query
    is_response = bool(paths) or (isinstance(lists, list) and bool(lists) and isinstance(lists[0], list))
    of_chroma = id_arrays.chroma_names(value) if id_arrays.is_chroma(value) else ()
    looks = Looks(called, tuple(paths or of_chroma), is_counted=False)
    if not looks.names and isinstance(inner, list) and inner:
        rows = inner[:1] if not is_scalar(inner[0]) else []
        by_field = {"": [inner[0]]} if is_by_query or not rows or isinstance(rows[0], list) else columns_of(rows)
        names = () if "" in by_field else tuple(by_field)
        seen = {name: Column(0, items) for name, items in by_field.items()}
        is_counted = isinstance(rows[0] if rows else None, tuple)
        looks = Looks(called, names, columns=seen, is_counted=is_counted)
    elif not looks.names and isinstance(inner, Mapping):
        seen = {name: Column(0, items) for name, items in inner.items() if isinstance(items, list)}
        looks = Looks(called, tuple(inner), columns=seen, is_counted=False)
    samples = [*samples, {"_index/_id": ""}] if not paths and not _HIT.isdisjoint(looks.names) else samples
    has_cells = not is_response and isinstance(value, list | tuple) and bool(value) and not isinstance(value[0], list)
    has_cells = has_cells or (isinstance(inner, Mapping) and not is_response)
    described = Input(layout, called, looks, is_response=is_response, samples=samples, root=root, has_cells=has_cells)
    return replace(described, is_valued=is_valued, is_by_query=is_by_query)


def _is_by_query(value: Mapping[Any, Any], columns: Mapping[str, str]) -> bool:
    """Return whether the keys are queries, and neither the names of columns nor those of a row, nor Chroma's."""
    if columns.get("query", "").startswith(OF_FILE) and _has_numbers(value):
        return False
    first = next(iter(value.values()), None)
    is_named = len(value) > 1 and is_header(list(map(str, value)), columns)
    return "ids" not in value and (isinstance(first, Mapping) or not is_named)


def _has_numbers(documents: Any) -> bool:  # noqa: ANN401 - anything
    """Return whether these are numbers by document, or pairs of an id and a number, not of an object with fields."""
    from rankworth.io.kinds import is_scalar  # noqa: PLC0415 - as above
    from rankworth.io.validate import is_numeric  # noqa: PLC0415 - it loads NumPy

    if isinstance(documents, list | tuple):
        first = documents[0] if documents else None
        return isinstance(first, list | tuple) and is_scalar(next(iter(first), None))
    return isinstance(documents, Mapping) and all(is_numeric(number) for number in islice(documents.values(), _FIELDS))


def _samples(value: Any, depth: int = 4) -> Iterator[Any]:  # noqa: ANN401 - anything
    """Yield the fields and objects that come first in lists and in the first fields of rows, down to some depth."""
    from rankworth.io.key_paths import fields_of  # noqa: PLC0415 - as above
    from rankworth.io.kinds import is_array, is_scalar  # noqa: PLC0415 - as above

    if isinstance(value, list):
        inner = [each for each in value if each is not None][:1]
    elif depth and not (is_scalar(value) or is_array(value) or isinstance(value, AbstractSet | Iterator)):
        fields = fields_of(value, {})
        yield fields
        if not isinstance(value, Mapping | tuple):
            yield value  # whose properties are no fields
        depth, inner = depth - 1, list(islice(fields.values(), _FIELDS))
    else:
        inner = []
    for each in inner:
        yield from _samples(each, depth)
