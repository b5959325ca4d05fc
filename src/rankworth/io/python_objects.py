"""Judgements and runs in Python: dicts, rows, lists by query, lists without queries, frames and data sets.

A tuple, a dict with fields and an object with attributes are rows; a list (or a set, or an array) is what belongs to
one query. Ids alone are ranked as they stand, with the scores -1, -2, -3 ...; as judgements they have the grade 1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankworth.errors import InputError, quoted
from rankworth.io import grade_words, id_arrays, known_layouts, validate
from rankworth.io.facts import Observed
from rankworth.io.grade_words import Words
from rankworth.io.judges import ENDS, Judges, judges_of
from rankworth.io.key_paths import at, names_of
from rankworth.io.kinds import is_array, is_list, is_scalar, is_table, plain
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.looks import Looks
from rankworth.io.paths import list_of_ids
from rankworth.io.remedies import unjudged
from rankworth.io.resolve import Roles, locate
from rankworth.io.rows import Records, Where, listed, points_of
from rankworth.io.usual_names import NONE, OF_FILE, is_header
from rankworth.io.validate import LABELS, is_integer, is_number, shown

if TYPE_CHECKING:
    import polars as pl

Scored = Mapping[Any, Mapping[Any, Any]]
"""`{query: {document: number}}`; the numbers are looked at when they are used."""
BATCH: Final = 1 << 18
_ROW: Final = 3
_CELLS: Final = {_ROW: (1, 2), 4: (2, 3), 6: (2, 4)}
"""where rows of so many cells have the document and the value"""
_GRADES: Final = frozenset(range(5))
_PAIR: Final = 2
_SEVERAL: Final = 2
"""of how many queries the scores have to count up, to be ranks rather"""
_RESPONSE: Final = frozenset(
    (
        *("hits", "response", "root", "result", "responses", "results", "error", "status", "documents", "candidates"),
        *("requests", "details", "rank_eval"),
    )
)
"""keys of responses of search engines and pipelines, of which each has one"""
_HELD: Final = {"grade": ("qrels_iter", "qrels_data", "qrels"), "score": ("scoreddocs_iter", "run_data", "run")}
"""methods of data sets of ir_datasets that give rows, attributes of trectools with frames, and of ranx with dicts"""


@dataclass(frozen=True)
class Reader:
    """Reads judgements or a run. An iterator is read once; nothing is written to a source.

    Attributes:
        layout: `RUN` or `QRELS`.
        name: what messages call it.
        columns: which field or column holds what, where its name does not tell; a number counts positions from 1.
        observed: gets to know the facts.
        first: the number of the first row in messages: 0 in Python, 1 in files.
        file: the name of the file without suffixes, which is the query of a response that stands alone.
        grades: the grades that words mean.

    """

    layout: Layout
    name: str
    columns: Mapping[str, str] = field(default_factory=lambda: NONE)
    observed: Observed = field(default_factory=Observed)
    first: int = 0
    file: str = ""
    grades: Words = field(default_factory=lambda: grade_words.NONE)

    def read(self, source: Any) -> "Scored | pl.DataFrame":  # noqa: ANN401 - anything
        """Return a dict of dicts, unchecked, or a frame of `query, document`, `score` or `grade`, maybe `subtopic`.

        Args:
            source: anything but paths.

        Raises:
            InputError: `input-type`, `empty-input`, `frame-columns`, `id-type`, `missing-value`, `bad-score`,
                `bad-grade`, `duplicate-document`, `duplicate-judgement`, `nested-runs`, `rank-or-score`.

        """
        root = self.columns.get("root", "")
        grade = self.columns.get("grade", "")
        judges = judges_of(grade) if grade.endswith(ENDS) else None
        query = self.columns.get("query", "")
        query = query.removeprefix(OF_FILE) if query.startswith(OF_FILE) else ""
        if root or judges is not None:
            return self._of_judges(source, judges) if judges is not None and not root else self._of_root(source, root)
        if query and self._is_of_single_query(source):
            return self._of_file(source, query)
        if isinstance(source, Mapping) and not id_arrays.is_sparse(source):  # as dok_array of SciPy
            if not known_layouts.KEYS.isdisjoint(source) and not any(self.columns.values()):
                known = known_layouts.plain(source, self.layout, self.name)
                if known is not None:
                    return self.read(known)
            try:
                return self._of_mapping(source)
            except InputError as error:
                from rankworth.io import responses, roots  # noqa: PLC0415 - for a message only

                error = responses.unknown(source, self.name, self.columns, error, first=self.first)
                raise roots.with_root(error, source, self) from None
        if isinstance(source, list | tuple | set | frozenset):
            return self._of_items(source)
        return self._of_library(source)

    def _of_root(self, source: Any, root: str) -> "Scored | pl.DataFrame":  # noqa: ANN401 - anything
        """Read what stands at a path within a source."""
        columns = {role: name for role, name in self.columns.items() if role != "root"}
        return replace(self, columns=columns).read(self._at(source, root))

    def _is_of_single_query(self, source: object) -> bool:
        """Return whether this is a list, or numbers by document."""
        if isinstance(source, Mapping):
            return not is_header(list(map(str, source)), self.columns) and all(map(is_number, source.values()))
        return isinstance(source, list)

    def _of_file(self, source: Any, query: str) -> "Scored | pl.DataFrame":  # noqa: ANN401 - a list or a dict
        """Read what a file holds for the query that its name is."""
        columns = {role: name for role, name in self.columns.items() if role != "query"}
        if not source:
            return frame_of({}, self.layout, self.name)  # other files may have some
        return replace(self, columns=columns).read({query: source})

    def _of_judges(self, source: Any, judges: Judges) -> "Scored | pl.DataFrame":  # noqa: ANN401 - rows or a frame
        """Read the grades of each of several judges, and return the one that counts.

        Raises:
            InputError: `frame-columns`, and as `read`.

        """
        rows = list(source) if isinstance(source, Iterator) else source
        first = rows[0] if isinstance(rows, list | tuple) and rows else rows
        existing = first if isinstance(first, Mapping) else getattr(rows, "columns", getattr(rows, "column_names", ()))
        names = judges.columns(existing, self.columns.values())
        read = [replace(self, columns={**self.columns, **judges.of_column(name)}).read(rows) for name in names]
        frames = [each for each in read if not isinstance(each, Mapping)]
        if not frames or len(frames) < len(read):
            text = f"{self.name}: no column is called {judges.names}"
            raise InputError("frame-columns", text, remedy="name the columns of the judges, in rows or in a frame")
        self.observed.note(judges=judges.label)
        return judges.combined(frames, self.name)

    def _at(self, source: Any, path: str) -> Any:  # noqa: ANN401 - anything
        """Return what stands at a path within a source.

        Raises:
            InputError: `frame-columns`.

        """
        inner = None if is_table(source) else at(source, path)
        if inner is None:
            has = "" if is_table(source) or is_scalar(source) else f"; it has {quoted(names_of(source), 8)}"
            text = f"{self.name}: nothing stands at root={path}{has}"
            raise InputError("frame-columns", text, remedy="name the key under which it stands, or leave root out")
        return inner

    def _is_no_number(self, item: object) -> bool:
        """Return whether this is a list, a dict or a text that stands for no number."""
        if isinstance(item, str):
            return grade_words.number(item, self.grades) is None
        return isinstance(item, list | dict)

    def _of_mapping(self, source: Mapping[Any, Any]) -> "Scored | pl.DataFrame":
        """Read responses of search engines, dicts of dicts, values by pairs of ids, columns or fields, or lists."""
        value, name = self.layout.value, self.name
        first = next(iter(source.values()), None)
        if (rankings := self._responses(source, first)) is not None:
            return rankings
        if not source or isinstance(first, Mapping):
            is_odd = not all(issubclass(kind, Mapping) for kind in {*map(type, source.values())})
            if is_odd or any(map(self._is_no_number, islice((first or {}).values(), 2))):  # as in responses
                frame_of(validate.dicts(source, value, name), self.layout, name, self.grades)
            self._refuse_names(source)
            self.observed.note_dicts(source)
            if self.layout is RUN and self.first:
                parts = (documents for documents in source.values() if isinstance(documents, Mapping))
                validate.refuse_ranks((documents.values() for documents in parts), name, several=_SEVERAL)
            return source
        if is_table(first):
            text = f"{name}: the dict holds a {type(first).__name__} for each of {quoted(source)}"
            advice = "; rankworth.evaluate_runs(qrels, {name: run, ...}) takes several runs"
            raise InputError("nested-runs", text, remedy=f"take one of them{advice if value == 'score' else ''}")
        if all(isinstance(key, tuple) for key in source):
            return self._of_rows((*key, item) for key, item in source.items())
        looks, counts = Looks("", tuple(source)), bool(self.columns.get("query"))  # or numbers are positions in lists
        named = [name for name in self.columns.values() if name and (counts or not name.isdecimal())]
        is_named = any(locate(looks, name) for name in named)
        if not is_named and (len(source) == 1 or not is_header(list(map(str, source)), self.columns)):
            self._refuse_names(source, "query", "documents", "separator", "rows")
            return self.of_lists(source)
        return self._of_columns(source)

    def _refuse_names(self, source: Mapping[Any, Any], *roles: str) -> None:
        """Refuse names of columns of a dict by query, which has none, or has none for some roles.

        That no column holds values is no name of lists, and false of numbers by document.

        Raises:
            InputError: `frame-columns`.

        """
        named = {role: name for role, name in self.columns.items() if name and role in (roles or self.columns)}
        if not roles and self.columns.get(self.layout.value) == "":
            named[self.layout.value] = ""
        if source and named and not any(name.startswith("@") for name in named.values()):
            text = f"{self.name}: the keys are queries, such as {quoted(list(source)[:3])}, and "
            text += f"{' '.join(f'{role}={name}' for role, name in named.items())} is named"
            raise InputError("frame-columns", text, remedy="leave it out; columns are those of rows")

    def _responses(self, source: Any, first: object) -> "Scored | pl.DataFrame | None":  # noqa: ANN401 - anything
        """Read responses of search engines and vector stores; None where there is none.

        Args:
            source: what may be responses.
            first: the first thing that it holds.

        """
        if id_arrays.is_chroma(source):
            result = id_arrays.of_chroma(source, self.layout, self.columns, self.name)
            names = {role: path for role, path in self.columns.items() if path.startswith("@")}
            return None if result is None else replace(self, columns=names)._named(*result)  # noqa: SLF001 - of the same class
        pipeline = next(iter(first.values()), None) if isinstance(first, Mapping) else None
        each_in = (source, first, pipeline)
        likely = any(isinstance(each, Mapping) and not _RESPONSE.isdisjoint(each) for each in each_in)
        if not likely and "documents" not in self.columns:
            return None
        from rankworth.io import responses  # noqa: PLC0415 - not needed for dicts

        read = responses.read(source, self.layout, self.columns, self.name, self.file)
        if read is None:
            return None
        rankings, lists = read
        self.observed.note(lists=lists)
        if not any(rankings.values()):
            if not self.first:
                raise self._empty("no response has a hit")
            return frame_of({}, self.layout, self.name)  # other files may have some
        return replace(self, columns=NONE).of_lists(rankings)

    def _of_columns(self, source: Mapping[Any, Any]) -> "Scored | pl.DataFrame":
        """Read columns or the fields of a single row by name, or lists by query where some are called like columns."""
        if any(map(is_scalar, source.values())):
            return self._of_rows(iter([source]))
        columns = [listed(items, self.layout, f"{self.name}: {column!r}") for column, items in source.items()]
        if len(set(map(len, columns))) == 1:
            return self._of_rows(zip(*columns, strict=True), tuple(source))
        if not {"query", "document"} <= set(source):
            return self.of_lists(source)
        sizes = ", ".join(f"{column} {len(items):,}" for column, items in zip(source, columns, strict=True))
        remedy = f"if these are queries, give {{query: {{document: {self.layout.value}}}}}"
        raise InputError("input-type", f"{self.name}: the columns are not of the same length: {sizes}", remedy=remedy)

    def _of_library(self, source: Any) -> "Scored | pl.DataFrame":  # noqa: ANN401 - anything
        """Read frames, arrays, data sets, and whatever else can be iterated over."""
        from rankworth.io import frames  # noqa: PLC0415 - lists of ids need no dataframe library

        if id_arrays.is_sparse(source):
            self.observed.note(by_position=source.shape[0])
            return self._of_frames([id_arrays.of_sparse(source, self.layout, self.name)])
        if isinstance(source, type) or is_scalar(source):
            raise self._unreadable(source)
        if _is_column(source):
            return self._of_column(source)
        source = frames.of_data_set(source)
        if frames.is_frame(source):
            return self._of_frames([source])
        if names := getattr(getattr(source, "dtype", None), "names", None):
            return self._of_rows(iter(source.reshape(-1).tolist()), names)
        content = _content_of(source, *_HELD[self.layout.value])
        if content is not source:
            return self.read(content)
        if not isinstance(source, Iterable):
            raise self._unreadable(source)
        return self._of_items(source)

    def _of_column(self, source: Any) -> "Scored | pl.DataFrame":  # noqa: ANN401 - of any library
        """Read a column: a list in each row, or a row; the index of pandas names the queries of lists."""
        items, index = plain(source), getattr(source, "index", None)
        if not items or not all(map(is_list, items)):
            return self.read(items)
        queries = plain(index) if is_array(index) else list(range(len(items)))
        if len(set(queries)) < len(items):
            raise self._unreadable(source, "a query has several lists: ")
        return self.of_lists(dict(zip(queries, items, strict=True)))

    def _of_items(self, source: Iterable[Any]) -> "Scored | pl.DataFrame":
        """Read rows, lists without queries, or parts of a frame."""
        items: Iterator[Any] = iter(source)
        first = next(items, items)
        if first is items:
            raise self._empty(f"the {type(source).__name__} is empty")
        if isinstance(source, list) and len(source) > 1 and all(is_integer(type(item)) for item in source):
            raise list_of_ids(source, f"{self.name}: ")
        if is_scalar(first):
            raise self._unreadable(first, "its first item ")
        if isinstance(source, tuple) and (arrays := id_arrays.rankings(source, self.layout)):
            self.observed.note(by_position=len(arrays))
            return self.of_lists(arrays)
        if isinstance(source, list) and (rankings := self._responses(source, first)) is not None:
            return rankings
        if points_of(first) is not None:
            return self._of_nameless([listed(item, self.layout, self.name) for item in (first, *items)])
        if is_list(first):
            return self._of_nameless([first, *items])
        from rankworth.io import frames  # noqa: PLC0415 - lists of ids need no dataframe library

        if frames.is_frame(first) and not _is_column(first):
            return self._of_frames(chain((first,), items))
        is_set = isinstance(source, set | frozenset) and self.layout is RUN
        if is_set and isinstance(first, tuple) and len(first) == _PAIR:
            remedy = "give a list, best document first, or (query, document, score)"
            raise InputError("input-type", f"{self.name}: a set of (query, document) has no order", remedy=remedy)
        return self._of_rows(chain((first,), items))

    def _of_nameless(self, lists: list[Any]) -> "Scored | pl.DataFrame":
        """Read rows of a query, a document and a number; or one list for each query, called `0`, `1`, `2` ..."""
        lengths = {len(items) if isinstance(items, list) else 0 for items in lists}
        cells = _CELLS.get(lengths.pop()) if len(lengths) == 1 and all(map(is_scalar, lists[0])) else None
        by_position = any(name.isdecimal() for name in self.columns.values())
        if by_position or (cells == _CELLS[_ROW] and not all(validate.is_id(items[-1]) for items in lists)):
            return self._of_rows(iter(lists))
        if cells is not None:
            texts, numbers = ([validate.is_numeric(items[cell]) for items in lists] for cell in cells)
            if all(numbers) and not any(texts):
                raise self._doubtful(f"{self.name}: the first list", lists[0], "the lists may be rows of a table")
        return self._named(list(map(str, range(len(lists)))), lists)

    def _named(self, queries: list[Any], lists: list[Any]) -> "Scored | pl.DataFrame":
        """Read lists under these queries, or under those of the file that the user names."""
        from rankworth.io.query_lists import listed_queries  # noqa: PLC0415 - not needed for dicts
        from rankworth.io.responses import fitting  # noqa: PLC0415 - not needed for dicts

        called, path = "query", self.columns.get("query", "")
        if path.startswith("@"):
            called = path[1:]
            queries = listed_queries(called)
        elif queries == list(map(str, range(len(queries)))):
            self.observed.note(by_position=len(queries))
        fitting(queries, called, len(lists), self.name)
        if len(set(queries)) < len(queries):
            raise InputError(
                self.layout.repeated, f"{self.name}: {called} has a query twice", remedy="keep one of them"
            )
        return self.of_lists(dict(zip(queries, lists, strict=True)))

    def _of_frames(self, parts: Iterable[Any]) -> "pl.DataFrame":
        """Read one frame, or join several with ids as text."""
        import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

        from rankworth.io import frames  # noqa: PLC0415 - as above

        said = (self.layout.value, self.name, self.columns, self.observed, self.grades)
        read = [frames.read(part, *said) for part in parts]
        for frame in read:
            self.observed.note_frame(frame)
        if len(read) == 1:
            return read[0]
        return pl.concat(frame.with_columns(pl.col("query", "document").cast(pl.String)) for frame in read)

    def _of_rows(self, rows: Iterator[Any], header: Sequence[str] = ()) -> "pl.DataFrame":
        """Read all rows into one frame.

        Args:
            rows: the rows.
            header: the names of their fields, where tuples do not have them.

        """
        import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

        records = Records(self.layout, self.columns, self.observed, self.first, header, self.grades)
        parts, first = [], self.first
        last: set[type] = set()
        while batch := list(islice(rows, BATCH)):

            def where(row: int, first: int = first) -> str:
                return f"{self.name}: row {first + row}"

            parts.append(records.frame(batch, where))
            cells = [row[-1] for row in batch if isinstance(row, tuple | list)]
            scored = _is_position(records.fields.roles, self.layout.value)
            last |= set(map(type, validate.unquoted(cells) if scored else cells))
            first += len(batch)
        whole = pl.concat(parts) if parts else pl.DataFrame()
        if not whole.height:
            raise self._empty("there is no row with a document")
        if last and all(map(is_integer, last)) and not header and self.columns.get(self.layout.value) != "":
            self._refuse_integers(whole, records.fields.roles)
        return whole

    def _refuse_integers(self, rows: "pl.DataFrame", roles: Roles) -> None:
        """Refuse tuples whose last integers may be scores rather than ids, or ranks rather than scores."""
        import polars as pl  # noqa: PLC0415 - lists of ids need no dataframe library

        if len(roles.locations) == _PAIR and rows["query"].n_unique() == rows.height:
            value = self.layout.value
            text = f"{self.name}: the rows may be (query, document) as well as (document, {value})"
            remedy = f"give (query, document, {value}), or for one query {{'q1': [(document, {value}), ...]}}"
            raise InputError("input-type", text, remedy=remedy)
        if _is_position(roles, "score"):
            of_query = rows.group_by("query", maintain_order=True).agg(pl.col("score").cast(pl.Int64))
            validate.refuse_ranks(of_query["score"].to_list(), self.name)

    def of_lists(self, lists: Mapping[Any, Any]) -> "Scored | pl.DataFrame":
        """Turn lists by query into dicts by query; into a frame where a list repeats a document, or has subtopics."""
        layout, name = self.layout, self.name
        lists = id_arrays.by_query(lists, layout, name)
        named = validate.keys(lists, duplicate=layout.repeated, name=name)
        queries = list(named)

        def where(row: int) -> str:
            return f"{name}: query {queries[row]!r}"

        if layout is RUN and all(isinstance(items, AbstractSet) for items in named.values()):
            self.observed.note(set_of=where(0))
            named = {query: dict.fromkeys(items, 0.0) for query, items in named.items()}
        document_lists = [listed(items, layout, where(row)) for row, items in enumerate(named.values())]
        if not any(document_lists):
            raise self._empty("every list of documents is empty")
        self._refuse_doubt(list(named.values()), document_lists, where)
        records = Records(self.layout, self.columns, self.observed, self.first, grades=self.grades)
        columns, counts, of_item = records.spread({"query": list(lists), "document": document_lists}, where)
        documents, numbers = columns["document"], columns[layout.value].tolist()
        scored: dict[str, dict[str, Any]] = {}
        start = 0
        for query, count in zip(queries, counts, strict=True):
            scored[query] = dict(zip(documents[start : start + count], numbers[start : start + count], strict=True))
            start += count
        if sum(map(len, scored.values())) == len(documents) and len(set(columns.get("subtopic", ()))) <= 1:
            return scored
        if layout is QRELS and 0 in counts:
            raise unjudged(where(counts.index(0)), queries[counts.index(0)])
        return records.joined(columns, of_item)

    def _refuse_doubt(self, sources: Sequence[Any], lists: Sequence[Any], where: Where) -> None:
        """Refuse integers that may be labels, numbers of documents or missing values as well as ids.

        Args:
            sources: what belongs to each query.
            lists: the same as lists or dicts.
            where: where each stands.

        """
        value = self.layout.value
        if self.columns.get(value) == "":  # as the user says
            return
        kinds = [set(map(type, items)) for items in lists]
        graded = self.layout is QRELS and all(map(is_integer, chain.from_iterable(kinds)))
        graded = graded and {*chain.from_iterable(lists)} <= _GRADES
        for row, (source, items) in enumerate(zip(sources, lists, strict=True)):
            integers = any(map(is_integer, kinds[row]))
            ids = integers and all(is_integer(kind) or issubclass(kind, str) for kind in kinds[row])
            if not ids or isinstance(source, AbstractSet | Mapping):
                continue
            label = graded and 0 in items and len(items) > 1
            pair = isinstance(source, tuple) and len(items) == _PAIR and is_integer(type(items[1]))
            if label or pair or -1 in items or not all(map(is_integer, kinds[row])):
                raise self._doubtful(
                    where(row), items, f"integers that may be labels, {value}s or missing values as well as ids"
                )

    def _doubtful(self, where: str, items: Sequence[Any], why: str) -> InputError:
        """Build the error for a list that may be something else than ids."""
        rows = f"rows are tuples: (query, document, {self.layout.value})"
        remedy = f"make all ids texts; a document with its number is a pair: [('d1', 0.5)]\n{rows}\n{LABELS}"
        return InputError("input-type", f"{where} holds {shown(items)}: {why}", remedy=remedy)

    def _empty(self, text: str) -> InputError:
        remedy = "" if self.first else "an iterator can be read once only; was one read before?"
        return InputError("empty-input", f"{self.name}: {text}", remedy=remedy)

    def _unreadable(self, source: object, prefix: str = "") -> InputError:
        """Build the error for an object of no known shape."""
        value = self.layout.value
        shapes = f"{{query: {{document: {value}}}}}, {{query: [document, ...]}}, rows (query, document, {value})"
        text = f"{self.name}: {prefix}{shown(source)} is {type(source).__name__}, which cannot be read"
        python = f", a frame (Polars, pandas, PyArrow, DuckDB, ...), or the path of a file\n{LABELS}"
        return InputError("input-type", text, remedy=f"give {shapes}{'' if self.first else python}")


def frame_of(
    dicts: Mapping[str, Mapping[Any, Any]], layout: Layout, name: str, grades: Words = grade_words.NONE
) -> "pl.DataFrame":
    """Convert a dict of dicts to rows; queries of a run that have no documents have none.

    Args:
        dicts: `{query: {document: number}}`.
        layout: `RUN` or `QRELS`.
        name: what messages call it.
        grades: the grades that words mean.

    Raises:
        InputError: `bad-score`, `bad-grade`, `missing-value`, `id-type`.

    """
    import polars as pl  # noqa: PLC0415 - not needed for dicts

    queries, parts = list(dicts), list(dicts.values())
    counts = list(map(len, parts))
    if layout is QRELS and 0 in counts:
        raise unjudged(name, queries[counts.index(0)])
    values = validate.values(parts, sum(counts), layout.value, queries, name=name, words=grades)
    documents = validate.text_ids(list(chain.from_iterable(parts)), lambda _: f"{name}: the document")
    return pl.DataFrame(
        [
            validate.id_column("query", queries, lambda _: name).gather(
                np.repeat(np.arange(len(counts)), np.array(counts, dtype=np.int64))
            ),
            validate.id_column("document", documents, lambda _: name),
            pl.Series(layout.value, values, dtype=pl.Float64),
        ]
    )


def _is_position(roles: Roles, role: str) -> bool:
    """Return whether a role stands at a position of rows without names."""
    place = roles.locations.get(role)
    return place is not None and isinstance(place.called, int)


def _is_column(source: object) -> bool:
    """Return whether this is a single column of pandas, Polars or Arrow, which some take for a frame."""
    return is_array(source) and not is_table(source) and (hasattr(source, "to_pylist") or hasattr(source, "to_frame"))


def _content_of(source: Any, rows: str, frame: str, dicts: str) -> Any:  # noqa: ANN401 - anything, and what is in it
    """Return the content of an object of a library; the object itself if its type is not known.

    Args:
        source: the object.
        rows: the method that gives rows.
        frame: the attribute that holds a frame.
        dicts: the attribute beside which `to_dict` gives a dict of dicts.

    """
    for method in ("to_polars", "to_arrow", rows):
        if callable(getattr(source, method, None)):
            return getattr(source, method)()
    if isinstance(getattr(source, dicts, None), Mapping) and hasattr(source, "to_dict"):
        return source.to_dict()
    if is_table(getattr(source, frame, None)):
        return getattr(source, frame)
    if callable(getattr(source, "keys", None)) and hasattr(source, "__getitem__"):
        return dict(source)
    return plain(source)
