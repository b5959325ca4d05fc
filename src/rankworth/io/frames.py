"""Frames of any library and batches of files, brought to `query, document, score` or `query, document, grade`.

A ranking may come without scores, by a column of ranks or as a list in each row; judgements without grades are all 1.
"""

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

import polars as pl

from rankworth.errors import InputError, shortened
from rankworth.io import cells, grade_words, remedies, validate
from rankworth.io.facts import Observed
from rankworth.io.grade_words import Words
from rankworth.io.kinds import has_documents, plain
from rankworth.io.layout import QRELS, RUN
from rankworth.io.looks import Column, Looks
from rankworth.io.remedies import Request
from rankworth.io.resolve import SMALLER, VALUES, Location, Roles, check_named, check_values, resolve
from rankworth.io.rows import Records
from rankworth.io.usual_names import NONE, is_index

BATCH: Final = 1 << 18
SEEN: Final = 100
"""how many rows are looked at"""
_EXACT: Final = 15
"""how many digits of a decimal number a float64 holds for sure"""
_OF_PYTHON: Final = TypeError, ValueError, OverflowError, NotImplementedError, AttributeError, ImportError
_UNSUPPORTED: Final = (*_OF_PYTHON, pl.exceptions.PolarsError)
"""how libraries refuse to convert a column: values of several types, types that Polars lacks, pandas without PyArrow"""

Schema = Mapping[Any, Any]
"""The names of columns, and what they hold: data types of Polars or of Narwhals."""


def looks_of(schema: Schema, called: str, *, first: int = 0, in_order: bool = True) -> Looks:
    """Return the looks of a table with typed columns.

    Args:
        schema: its columns.
        called: what messages call it.
        first: the number of its first row: 1 in a file, 0 in a program.
        in_order: whether its rows have an order.

    """
    samples = {name: Column(0, [sample]) for name, kind in schema.items() if (sample := _sample(kind)) is not None}
    return Looks(called, tuple(schema), first=first, in_order=in_order, columns=samples)


def _sample(kind: Any) -> Any:  # noqa: ANN401 - of Polars or of Narwhals
    """Return an object with the fields of a column of records, in a list where it holds lists; None for any other."""
    if fields := getattr(kind, "fields", None):
        return {each.name: _sample(each.dtype) or {} for each in fields}
    inner = getattr(kind, "inner", None)
    sample = None if inner is None else _sample(inner)
    return None if sample is None else [sample]


@dataclass(frozen=True)
class TableReader:
    """Brings the rows of one table to query, document and value.

    Attributes:
        request: the table, and what the user says of it.
        schema: all of its columns, and what they hold.
        observed: gets to know the facts.
        grades: the grades that words mean.
        roles: which column holds what.

    """

    request: Request
    schema: Schema
    observed: Observed = field(default_factory=Observed, compare=False, repr=False)
    grades: Words = field(default_factory=lambda: grade_words.NONE, repr=False)
    roles: Roles = field(init=False)

    def __post_init__(self) -> None:
        """Find the columns.

        Raises:
            InputError: `frame-columns`.

        """
        object.__setattr__(self, "roles", resolve(self.looks, self.request.said, self.value))

    @property
    def looks(self) -> Looks:
        """What the table looks like."""
        return self.request.looks

    @property
    def value(self) -> str:
        """`score` or `grade`."""
        return self.request.value

    @property
    def doubtful(self) -> list[Any]:
        """The columns of text that may hold grades, if no column is named for them."""
        if self.value == RUN.value or self.roles.value or self.request.said.get(self.value) == "":
            return []
        read = self.roles.columns
        return [
            name for name, kind in self.schema.items() if _is_text(kind) and name not in read and not is_index(name)
        ]

    def seeing(self, head: pl.DataFrame) -> "TableReader":
        """Return a reader that has seen the first cells of columns.

        Args:
            head: columns of the table under their names, or lists as such.

        """
        cells = {name: _flat(head[str(name)]) for name in self.doubtful}
        columns = {name: Column(0, items) for name, items in cells.items()}
        looks = replace(self.looks, columns={**self.looks.columns, **columns})
        return replace(self, request=replace(self.request, looks=looks))

    def selected(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Select what the roles need, under their names."""
        return frame.select(
            **{role: expression(location, self.schema) for role, location in self.roles.locations.items()}
        )

    def settle(self, frame: pl.DataFrame, first: int | None = None) -> pl.DataFrame:
        """Check some rows of a file as `read` checks frames, ids as text; none come of lists that are all empty.

        Args:
            frame: columns as the file names them, those at least that roles need.
            first: the number of its first row.

        Raises:
            InputError: `frame-columns`, `id-type`, `missing-value`, `bad-score`, `bad-grade`.

        """
        reader = self if first is None else self._from(first)
        rows = reader.brought(reader.selected(frame))
        if "subtopic" in rows.columns:
            rows = rows.with_columns(_ids(rows, "subtopic", reader.looks))
        return rows.with_columns(pl.col(role).cast(pl.String) for role in rows.columns if role != self.value)

    def _from(self, first: int) -> "TableReader":
        """Return a reader of the rows from some row on."""
        request = replace(self.request, looks=replace(self.looks, first=first))
        reader = TableReader.__new__(TableReader)
        vars(reader).update({**vars(self), "request": request})
        return reader

    def brought(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Check rows and return one for each document: `query, document`, and `score`, or `grade` and maybe `subtopic`.

        Args:
            frame: what roles need, under their names.

        """
        frame = self._with_lists(self._with_spans(frame))
        if self.roles.by_position:
            frame = self._by_position(frame)
        self._check_values(frame)
        if _holds_lists(frame["document"]):
            return self._of_lists(frame)
        columns = [_ids(frame, "query", self.looks), _ids(frame, "document", self.looks), self._values(frame)]
        return pl.DataFrame([*columns, *(frame.select("subtopic") if "subtopic" in frame.columns else [])])

    def _with_spans(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Put ids in place of sources, starts and ends, where these tell the documents."""
        place = self.roles.locations["document"]
        if not place.is_span:
            return frame
        self.observed.note(spans=True)
        cells_of_parts = [frame["document"].struct.field(role).to_list() for role in place.part_roles]
        documents = place.span_ids(cells_of_parts, self.looks.where)
        return frame.with_columns(pl.Series("document", documents, dtype=pl.String))

    def _with_lists(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Put lists in place of texts that hold several documents, and of columns for each rank."""
        by_rank = [role for role, location in self.roles.locations.items() if location.way == "ranks"]
        frame = frame.with_columns(
            pl.Series(role, list(map(cells.trimmed, frame[role].to_list())), dtype=frame[role].dtype)
            for role in by_rank
        )
        kind, first = frame["document"].dtype, _first(frame["document"])
        if not self.request.separator and not (kind == pl.String and cells.is_written(first)):
            return frame
        columns = {role: frame[role].to_list() for role in frame.columns}
        several = cells.split(columns, self.request.separator, self.looks.where)
        if several is None:
            return frame
        changed = [role for role in several if role == "document" or several[role] != columns[role]]
        return frame.with_columns(pl.Series(role, several[role], dtype=pl.Object) for role in changed)

    def _by_position(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Call items without ids by their position within the query; of values in lists, make a row for each."""
        role = next(role for role in VALUES[self.value] if role in frame.columns)
        query = pl.Series("query", validate.text_ids(frame["query"].to_list(), self._where("query")))
        cells_of_values = frame[role]
        if _holds_lists(cells_of_values):
            lists = [[] if cell is None else list(plain(cell)) for cell in cells_of_values.to_list()]
            numbers = [
                validate.numbers(items, role, self._where_in(row, role), words=self.grades)
                for row, items in enumerate(lists)
            ]
            query = query.gather([row for row, items in enumerate(lists) for _ in items])
            cells_of_values = pl.Series(role, [number for row in numbers for number in row], dtype=pl.Float64)
            cells_of_values = 0.0 - cells_of_values if role in SMALLER else cells_of_values  # a minus follows
        documents = pl.Series("document", self.observed.positions(query.to_list()), dtype=pl.String)
        return pl.DataFrame([query, documents, cells_of_values.alias(role)])

    def _where(self, role: str) -> Callable[[int], str]:
        return lambda row: f"{self.looks.where(row)}: the {role}"

    def _where_in(self, row: int, role: str) -> Callable[[int], str]:
        return lambda item: f"{self.looks.where(row)}, item {item}: the {role}"

    def _of_lists(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Make a row for each document of lists: ids beside lists of numbers, or records; integers stay integers."""
        layout = RUN if self.value == RUN.value else QRELS
        looks = replace(self.looks, first=min(self.looks.first, 1))
        records = Records(layout, self.request.said, self.observed, first=looks.first, grades=self.grades)
        records.use(looks, self.roles)
        columns = {role: frame[role].to_list() for role in frame.columns}
        rows = records.frame_of_lists(columns, self.looks.where)
        inner = getattr(frame["document"].dtype, "inner", pl.String())
        if isinstance(inner, pl.Struct):
            inner = dict(inner).get(records.document_field, inner)
        kinds = {"query": frame["query"].dtype, "document": inner}
        return rows.cast({role: kind for role, kind in kinds.items() if kind.is_integer()})

    def _check_values(self, frame: pl.DataFrame) -> None:
        """Refuse a table without a column of values, or with another column that may hold them."""
        looks = self.looks
        is_listed = _holds_lists(frame["document"])
        check_named(self.request)
        numbers = [role for role in VALUES["score"] if is_listed and role in frame.columns]
        single = [role for role in numbers if not (is_list(frame[role].dtype) or frame[role].dtype == pl.Object)]
        if single:  # a schema tells, so that Spark need not read a row
            text = f"{looks.called}: there are lists of documents, and one {single[0]} for each list"
            raise InputError("frame-columns", text, remedy=f"give a list of {single[0]}s beside each list of documents")
        cell = {self.roles.locations["document"].called: Column(0, [_first(frame["document"])])}
        numeric = frozenset(self._numeric(is_listed=is_listed))
        seen = replace(looks, numeric=numeric, columns={**looks.columns, **cell})
        check_values(replace(self.request, looks=seen), self.roles, is_listed=is_listed)

    def _numeric(self, *, is_listed: bool) -> list[Any]:
        """List the columns of numbers, of lists of numbers, or of words that may be grades."""
        if self.looks.numeric:
            return list(self.looks.numeric)
        seen = [(name, self.looks.columns.get(name, Column(0, ()))) for name in self.doubtful]
        worded = {name for name, column in seen if column.may_hold_grades(name) or (column.numbers and not is_listed)}
        kinds = {name: kind for name, kind in self.schema.items() if not is_index(name)}
        if is_listed:
            lists = {name: kind for name, kind in kinds.items() if str(kind).startswith(("List", "Array", "Object"))}
            kinds = {name: getattr(kind, "inner", kind) for name, kind in lists.items()}
        return [name for name, kind in kinds.items() if _is_number(kind) or name in worded]

    def _values(self, rows: pl.DataFrame) -> pl.Series:
        """Return scores or grades as float64, or grades of 1; ranks and distances with a minus.

        Raises:
            InputError: `bad-score`, `bad-grade`, `missing-value`.

        """
        value, looks = self.value, self.looks
        role = next((role for role in VALUES[value] if role in rows.columns), "")
        if value == "score":
            self.observed.agree(role or "order", looks.called)
        if not role and value == "score":
            queries = rows["query"].cast(pl.String).to_list()
            return pl.Series("score", self.observed.ranked(queries), dtype=pl.Float64)
        if not role:
            return pl.ones(rows.height, dtype=pl.Float64, eager=True).alias(value)
        column = rows[role].alias(value)
        if column.dtype.is_numeric() or column.dtype == pl.Boolean:
            is_long = isinstance(column.dtype, pl.Decimal) and (column.dtype.precision or _EXACT + 1) > _EXACT
            numbers = (column.cast(pl.String) if is_long else column).cast(pl.Float64)
            if role == "grade":
                numbers = numbers.fill_nan(None)
            sound = ~numbers.is_nan() if role in ("score", "distance") else numbers.is_finite()
            if sound.all() and not (role != "grade" and numbers.null_count()):
                return 0.0 - numbers if role in SMALLER else numbers
        elif not rows.height:
            text = f"{looks.called}: the {role} {looks.noun} holds {column.dtype}, not numbers"
            raise InputError(f"bad-{value}", text, remedy="convert the column to numbers")
        items = validate.numbers(
            column.to_list(), role, lambda row: f"{looks.where(row)}: the {role}", words=self.grades
        )
        return pl.Series(value, items).fill_nan(None)


def of_data_set(source: Any) -> Any:  # noqa: ANN401 - anything
    """Return a data set of PyArrow as a lazy frame, of which few columns are read; anything else as it is."""
    is_data_set = hasattr(source, "scanner") and hasattr(source, "get_fragments")
    return pl.scan_pyarrow_dataset(source) if is_data_set else source


def is_frame(source: object) -> bool:
    """Return whether this is something with columns: an Arrow stream or a frame that Narwhals knows."""
    return hasattr(source, "__arrow_c_stream__") or _narwhals(source) is not None


def read(
    source: object,
    value: str,
    called: str,
    said: Mapping[str, str] = NONE,
    observed: Observed | None = None,
    grades: Words = grade_words.NONE,
) -> pl.DataFrame:
    """Read a frame's columns under their canonical names, values as float64; ids keep their type.

    Judgements keep a column `subtopic` where they have one; what is in it is looked at when it is used.

    Args:
        source: anything for which `is_frame` holds.
        value: `score` or `grade`.
        called: what messages call it.
        said: which column holds what, as the user says.
        observed: gets to know the facts.
        grades: the grades that words mean.

    Raises:
        InputError: `frame-columns`, `id-type`, `missing-value`, `bad-score`, `bad-grade`, `empty-input`.

    """
    frame, reader = _selected(source, value, called, said, observed or Observed(), grades)
    if not frame.height:
        raise InputError("empty-input", f"{called}: the frame has no rows")
    rows = reader.brought(frame)
    if not rows.height:
        raise InputError("empty-input", f"{called}: every list of documents is empty")
    return rows


def by_subtopic(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return the judgements of a frame with subtopics that `read` made, ids as text.

    Raises:
        InputError: `missing-value`, `id-type`.

    """
    looks = Looks(name)
    return frame.with_columns(_ids(frame, role, looks).cast(pl.String) for role in ("query", "subtopic", "document"))


def batches(frame: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Yield the rows of a frame that `read` made, some at a time, ids as text."""
    for part in frame.iter_slices(BATCH):
        yield part.with_columns(pl.col("query", "document").cast(pl.String))


def expression(location: Location, schema: Schema) -> pl.Expr:
    """Return the values of a location: several columns are joined by blanks, columns for each rank brought into lists.

    The parts of spans become fields of one column.

    Args:
        location: the columns, or a path into one.
        schema: the types of all columns.

    """
    if location.way == "file":
        return pl.lit(location.path)
    if location.is_span:
        parts = zip(location.part_roles, location.parts, strict=True)
        return pl.struct(expression(part, schema).alias(role) for role, part in parts)
    if location.way == "joined":
        return pl.concat_str([pl.col(str(part)).cast(pl.String) for part in location.columns], separator=" ")
    if location.way == "ranks":
        return pl.concat_list(list(map(str, location.columns)))
    column = pl.col(str(location.columns[0]))
    return (
        _inside(column, schema.get(location.columns[0]), location.path.split("."))[0]
        if location.way == "path"
        else column
    )


def _inside(column: pl.Expr, kind: Any, steps: list[str]) -> tuple[pl.Expr, Any]:  # noqa: ANN401 - of Polars
    """Return what stands at a path in the cells of a column, and its type; lists within lists become one."""
    if not steps:
        return column, kind
    if is_list(kind) and steps[0].isdecimal():
        return _inside(column.list.get(int(steps[0]), null_on_oob=True), kind.inner, steps[1:])
    if is_list(kind):
        item, inner = _inside(pl.element(), kind.inner, steps)
        column = column.list.eval(item.explode() if is_list(inner) else item)
        return column, inner if is_list(inner) else pl.List(inner)
    fields = dict(kind) if isinstance(kind, pl.Struct) else {}
    lengths = (length for length in range(len(steps), 0, -1) if ".".join(steps[:length]) in fields)
    length = next(lengths, 1)
    name = ".".join(steps[:length])
    return _inside(column.struct.field(name), fields.get(name), steps[length:])


def _first(column: pl.Series) -> object:
    """Return the first item of a column that is not null, or None."""
    return next(iter(column.drop_nulls().head(1).to_list()), None)


def _holds_lists(column: pl.Series) -> bool:
    """Return whether a column holds lists, of its type or as objects of Python."""
    first = _first(column) if column.dtype == pl.Object else None
    return is_list(column.dtype) or has_documents(first) or isinstance(first, AbstractSet)


def _is_number(dtype: Any) -> bool:  # noqa: ANN401 - of Polars or of Narwhals; in a list a class, too
    kind = dtype() if isinstance(dtype, type) else dtype
    return kind.is_numeric() or str(kind) in ("Boolean", "Object", "Unknown")


def _is_text(dtype: Any) -> bool:  # noqa: ANN401 - of Polars or of Narwhals
    return str(getattr(dtype, "inner", dtype)).startswith(("String", "Categorical", "Enum"))


def _flat(column: pl.Series) -> list[Any]:
    """Return the items of a column, or those of its lists."""
    items = column.to_list()
    return [item for each in items if each is not None for item in each] if is_list(column.dtype) else items


@contextmanager
def readable(source: object, name: str) -> Iterator[None]:
    """Turn an error of a library into an error that names the unreadable object.

    Raises:
        InputError: `input-type`, and those of the block.

    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        reason = shortened(" ".join(str(error).split()), 300)
        text = f"{name}: this {type(source).__name__} cannot be read as a frame ({reason})"
        raise InputError("input-type", text) from error


def _selected(
    source: Any,  # noqa: ANN401 - any frame
    value: str,
    called: str,
    said: Mapping[str, str],
    observed: Observed,
    grades: Words,
) -> tuple[pl.DataFrame, TableReader]:
    """Select the columns that are needed from a frame of any library; the others are not converted."""
    with readable(source, called):
        frame = source
        if not isinstance(source, pl.DataFrame | pl.LazyFrame):
            names = tuple(getattr(source, "column_names", getattr(source, "columns", ())))
            if twice := [name for name in names if names.count(name) > 1]:
                raise remedies.repeated(Looks(called, names), twice)
            frame = _narwhals(source)
        if frame is None:
            frame = pl.DataFrame(source)
        schema = frame.collect_schema()
        is_native = isinstance(frame, pl.DataFrame | pl.LazyFrame)
        seen, items = (schema, {}) if is_native else looked_at(frame, schema)
        looks = looks_of(seen, called)
        request = Request(value, replace(looks, columns={**looks.columns, **items}), said)
        reader = TableReader(request, seen, observed, grades)
        needed = reader.roles.columns
        if is_native:
            lazy = frame.lazy()
            if doubtful := reader.doubtful:
                reader = reader.seeing(lazy.select(*doubtful).head(SEEN).collect())
            return reader.selected(lazy.select(*needed).collect()), reader
        import narwhals as nw  # noqa: PLC0415 - needed for few inputs

        if doubtful := reader.doubtful:
            reader = reader.seeing(_converted(frame.select(*map(nw.col, doubtful)).head(SEEN), doubtful))
        return reader.selected(_converted(frame.select(*map(nw.col, needed)), needed)), reader


def looked_at(frame: Any, schema: Schema) -> tuple[Schema, dict[Any, Column]]:  # noqa: ANN401 - of Narwhals
    """Return the type of each column, and the first items of columns of Python objects, which tell their types."""
    kinds, columns = dict(schema), {}
    for name in [name for name, kind in schema.items() if str(kind) == "Object"]:
        items = [plain(item) for item in frame[name].drop_nulls().head(1).to_list()]
        columns[name] = Column(0, items)
        try:
            kinds[name] = pl.Series(items).dtype
        except _UNSUPPORTED:  # a list of several types
            kinds[name] = pl.Object()
    return kinds, columns


def categories(source: object) -> dict[str, tuple[str, ...]]:
    """Return the values of each column that is an ordered categorical, or an enumeration, in their order."""
    import narwhals as nw  # noqa: PLC0415 - needed for few inputs

    frame = _narwhals(source)
    schema = {} if frame is None else frame.collect_schema()
    return {str(name): tuple(kind.categories) for name, kind in schema.items() if isinstance(kind, nw.Enum)}


def _narwhals(source: object) -> Any:  # noqa: ANN401 - whatever Narwhals makes of it
    import narwhals as nw  # noqa: PLC0415 - needed for few inputs

    converted = nw.from_native(source, pass_through=True)
    return converted if isinstance(converted, nw.DataFrame | nw.LazyFrame) else None


def _converted(frame: Any, names: list[Any]) -> pl.DataFrame:  # noqa: ANN401 - of Narwhals
    """Convert a frame to Polars: through Arrow, or as objects where Arrow has only bytes, or pandas no PyArrow."""
    native = frame.to_native()
    if hasattr(native, "__arrow_c_stream__"):
        with suppress(*_UNSUPPORTED):
            whole = pl.DataFrame(native).select(*map(str, names))
            if pl.Binary not in whole.dtypes:
                return whole
    eager = frame.collect() if hasattr(frame, "collect") else frame
    return pl.DataFrame([_items(eager.get_column(name), str(name)) for name in names])


def _items(column: Any, role: str) -> pl.Series:  # noqa: ANN401 - a series of Narwhals
    """Convert a column of one type as such, any other to objects of Python; None where something is missing."""
    pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
    items = [None if missing else plain(item) for item, missing in pairs]
    try:
        return pl.Series(role, items)
    except _UNSUPPORTED:  # several types
        return pl.Series(role, items, dtype=pl.Object)


def _ids(rows: pl.DataFrame, role: str, looks: Looks) -> pl.Series:
    """Check a column of ids: text or integers.

    Raises:
        InputError: `id-type`, `missing-value`.

    """
    column = rows[role]
    if column.dtype.is_integer() or column.dtype in (pl.String, pl.Categorical, pl.Enum):
        if not column.null_count():
            return column
    elif not rows.height:
        text = f"{looks.called}: the {role} {looks.noun} holds {column.dtype}; ids are text or integers"
        raise InputError("id-type", text, remedy=validate.AS_TEXT)
    return pl.Series(role, validate.text_ids(column.to_list(), lambda row: f"{looks.where(row)}: the {role}"))


def is_list(dtype: object) -> bool:
    """Return whether a column holds lists."""
    return isinstance(dtype, pl.List | pl.Array)
