"""Runs: what one system returned."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sized
from copy import copy
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from rankworth.errors import InputError, UsageError, counted
from rankworth.io import detect, validate
from rankworth.io.facts import Facts, Lists, Observed
from rankworth.io.files import file_batches, file_parts, files_of
from rankworth.io.formats import SUFFIXES
from rankworth.io.id_rules import IdRule
from rankworth.io.layout import RUN
from rankworth.io.options import (
    COSTS,
    LOOSELY_RANKED,
    RANKED,
    Reading,
    refuse_again,
    refuse_of_objects,
    refuse_roles,
)
from rankworth.io.paths import is_path
from rankworth.io.score_lines import ROWS
from rankworth.io.source import COMPRESSIONS, SIGNS, STDIN
from rankworth.model.costs import Costs
from rankworth.tables.frames import FrameLibrary, to_library

if TYPE_CHECKING:
    import polars as pl

    from rankworth.io.source import Progress, Source


_OF_JUDGEMENTS: Final = ".qrels"
"""a suffix that stays: what is called so is no run, and its name is to say it"""


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """What one system returned: a score for each retrieved document of each query.

    Args:
        source: a path (or `-`, a pattern, a folder of parts) in any format of `rankworth.io.formats`, a list of paths
            whose rows make one run, a dict `{query: {document: score}}`, or a frame with columns
            `query, document, score`.
        name: what tables call it; a file's name without suffixes where not said.
        format: of a file; detected from its content where not given.
        columns: which column holds what, `{"query": "term"}`, where the names of columns do not tell.
        ids: how documents are renamed, such as chunks by their documents: a separator at which ids are cut (`"#"`), a
            pattern with one group, or a table of two columns. Documents that become the same are duplicates.
        sources: texts of sources in which documents that are texts, or spans, are sought: `{id: text}`, a folder of
            .txt and .md files, or a corpus.

    Queries with an empty list are told apart from those that are not there (`empty`).
    A list that belongs to one query is its ranking (`{query: [...]}`, hits, lists in a column); in tables, a dict of
    dicts among them, scores decide, and a rank column is kept (`to_frame`) but not trusted. The document ids of one
    query's dict are all texts or all integers.
    """

    source: Any
    name: str = ""
    _: KW_ONLY
    format: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    ids: Any = None
    sources: Any = None
    mapping: dict[str, Mapping[Any, Any]] | None = field(init=False, repr=False, default=None)
    files: "tuple[Source, ...]" = field(init=False, repr=False, default=())
    frame: "pl.DataFrame | None" = field(init=False, repr=False, default=None)
    empty: frozenset[str] = field(init=False, repr=False, default=frozenset())
    kept: frozenset[str] | None = field(init=False, repr=False, default=None)
    """the queries that count; all where None"""
    kinds: validate.IdKinds = field(init=False, repr=False, default=validate.IdKinds())
    """whether ids came as integers"""
    facts: Facts = field(init=False, repr=False, default=Facts())
    """what is known of the rows that were read; of files, from the pass that was last begun"""
    of_rows: bool = field(init=False, repr=False, default=False)
    """whether its documents are the rows of the judgements, as in files and arrays of learning to rank"""
    has_named_documents: bool = field(init=False, repr=False, default=True)
    """whether its documents have ids, and are not only called by their position in the list of a query"""
    is_of_first_ranks: bool = field(init=False, repr=False, default=False)
    """whether nothing is known but the rank of the first hit of each query"""
    origin: int = field(init=False, repr=False, default=0)
    """the identity of the object that it was read from, which tells whether judgements come from the same one"""
    cost_columns: Mapping[str, str] = field(init=False, repr=False, default_factory=dict)
    """the column of each kind of cost: tokens, bytes, milliseconds"""
    own_costs: Costs | None = field(init=False, repr=False, default=None)
    """what documents cost, where that is not read with the rows"""
    together: ClassVar[Any] = None
    """brings the rows of each query together where they stand apart; None where that is done in memory"""
    column: ClassVar[str] = "query"
    """what the owner of a table calls the column of queries"""
    engine: ClassVar[str] = ""
    """where the rows lie, if not here"""

    def __post_init__(self) -> None:
        """Read the source; files are not opened yet."""
        source, ids = self.source, self.ids
        if self.sources is not None or ids is not None:
            from rankworth.io.id_tables import rule_for_documents  # noqa: PLC0415 - rarely needed

            ids = rule_for_documents(ids, self.sources)
        if self.columns:
            refuse_roles(RUN, self.columns)
            costs = {role: name for role, name in self.columns.items() if role in COSTS}
            rest = {role: name for role, name in self.columns.items() if role not in COSTS}
            vars(self).update({"cost_columns": costs, "columns": rest})
        if isinstance(source, Run):
            refuse_again("Run", format=self.format, columns=self.columns)
            vars(self).update({**vars(source), "name": self.name or source.name})
        else:
            vars(self)["ids"] = ids  # which decides what columns of objects tell
            vars(self).update({"origin": id(source), "ids": None} | self._read(source))
        vars(self)["sources"] = None
        if ids is not None:
            vars(self).update(vars(self.with_ids(ids)))

    @classmethod
    def without_rows(cls, name: str = "", *, empty: Iterable[str] = ()) -> "Run":
        """Make a run without a row, for conventions that do not refuse one.

        Args:
            name: what to call it.
            empty: queries with an empty ranking.

        """
        return cls({"": {"": 0.0}}, name)._changed(source=None, mapping={}, empty=frozenset(empty))  # noqa: SLF001 - of the same class

    @classmethod
    def of_positions(cls, source: object, *, of_rows: bool = True) -> "Run":
        """Make a run whose documents are called by their position, as they have no ids.

        Args:
            source: whatever a run is made of.
            of_rows: whether the documents are the rows of the judgements.

        """
        return cls(source)._changed(of_rows=of_rows, has_named_documents=False)  # noqa: SLF001 - of the same class

    @classmethod
    def of_first_ranks(cls, rows: "pl.DataFrame", name: str = "") -> "Run":
        """Make a run of one row for each query, which stands at the rank of the first hit.

        Args:
            rows: `query, document, score`; the score is less than 0, and minus the rank.
            name: what tables call it.

        """
        ranked = rows.with_columns((-rows["score"]).alias("rank"))
        return cls(rows, name)._changed(frame=ranked, has_named_documents=False, is_of_first_ranks=True)  # noqa: SLF001 - of the same class

    @property
    def cost(self) -> tuple[str, ...]:
        """The kinds of cost that are known, of tokens, bytes and milliseconds."""
        return tuple(self.cost_columns) if self.own_costs is None else (self.own_costs.unit or "cost",)

    def with_costs(self, costs: Mapping[Any, Any], unit: str = "") -> Self:
        """Say what the documents cost, for cutoffs by cost such as `R@2000tok`.

        Args:
            costs: `{document: cost}`, or `{query: {document: cost}}`.
            unit: `tokens`, `bytes` or `milliseconds`; any of them where not said.

        Raises:
            InputError: `bad-cost`.
            UsageError: `unknown-setting`.

        """
        if unit not in ("", *COSTS):
            raise UsageError("unknown-setting", f"unit={unit!r}: costs are {' or '.join(COSTS)}")
        return self._changed(own_costs=Costs.of_mapping(costs, unit, self.name or "the run"))

    def costs(self, wanted: Collection[str] = ()) -> Costs | None:
        """Read the costs of documents, or None without a column of costs.

        Args:
            wanted: what may be counted; anything where empty.

        Raises:
            InputError: `bad-cost`, with the line where there is one.

        """
        if self.own_costs is not None or not self.cost_columns:
            return self.own_costs
        unit = next((each for each in self.cost_columns if each in wanted), next(iter(self.cost_columns)))
        from rankworth.model.cost_rows import rows_of  # noqa: PLC0415 - rarely needed

        return Costs.of_rows(rows_of(self, self.cost_columns[unit], unit), unit, self.name or "the run")

    def _changed(self, **attributes: object) -> Self:
        """Copy this run with some attributes changed."""
        run = copy(self)
        vars(run).update(attributes)
        return run

    def with_ids(self, rule: IdRule | None) -> Self:
        """Rename the documents of this run.

        Args:
            rule: how; None where they keep their ids.

        Raises:
            InputError: `unused-ids` where the rule fits no document; of files when they are read.
            UsageError: `conflicting-options` where they are renamed already.

        """
        if rule is None or rule == self.ids or self.has_no_rows:
            return self
        if self.ids is not None:
            text = f"{self._called} was read with {self.ids.in_python} already, and {rule.in_python} is given"
            raise UsageError("conflicting-options", text, remedy="name the rule once, where the run is made")
        renamed = self._changed(ids=rule)
        if self.files or self.engine:
            return renamed
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        observed = Observed()
        frame = pl.concat(rule.batches(iter([self._frame()]), self._called, observed))
        facts = replace(self.facts, renamed=observed.facts.renamed)
        return renamed._changed(mapping=None, frame=frame, facts=facts)  # noqa: SLF001 - of the same class

    def with_spans(self) -> "Run":
        """Return this run with its documents told by the columns of spans, whatever else tells documents.

        Raises:
            InputError: `frame-columns` where there are none; of files when they are read.

        """
        columns = {"source": "", **self.columns, **self.cost_columns}
        made = Run(self.source, self.name, format=self.format, columns=columns, ids=self.ids)
        made = made._changed(own_costs=self.own_costs)
        return made if self.kept is None else made.only(self.kept)

    def known_as(self, rule: IdRule, *, renamed: bool) -> Self:
        """Return this run, whose documents have been renamed already.

        Args:
            rule: how.
            renamed: whether any was.

        """
        return self._changed(ids=rule, facts=replace(self.facts, renamed=renamed))

    def without_documents(self) -> Self:
        """Return what is said of this run, without its rows."""
        return self if self.has_no_rows else self._changed(source=(), mapping=None, frame=None)

    @property
    def has_no_rows(self) -> bool:
        """Whether it is a run without a row."""
        return self.source is None

    def _read(self, source: object) -> dict[str, Any]:
        """Read a source, and return the attributes that hold it."""
        if files := () if isinstance(source, Mapping) else files_of(source, RUN, self._reading):
            name = self.name or (stem(source) if is_path(source) else "")
            of_rows = ROWS in self.columns
            return {"files": files, "name": name, "of_rows": of_rows, "has_named_documents": not of_rows}
        from rankworth.io.python_objects import Reader  # noqa: PLC0415 - not needed for files

        if self.format:
            refuse_of_objects(self._called, format=self.format)
        observed = Observed()
        rows = Reader(RUN, self._called, self._reading.columns, observed).read(source)
        known = {"facts": observed.facts, "kinds": observed.kinds}
        if not isinstance(rows, Mapping):  # lists by query among them, where a list repeats a document
            lists = source if isinstance(source, Mapping) else {}
            without = (query for query, items in lists.items() if isinstance(items, Sized) and len(items) == 0)
            return known | {"frame": rows, "empty": frozenset(map(validate.text, without))}
        validate.refuse_halves(rows, self._called)
        mapping = validate.dicts(rows, "score", self._called)
        empty = (validate.text(query) for query, documents in rows.items() if not documents)
        return known | {"mapping": mapping, "empty": frozenset(empty)}

    def __repr__(self) -> str:
        """Show where the run comes from."""
        if self.files:
            first, *further = paths = [file.path for file in self.files]
            return f"Run({validate.shown(paths) if further else repr(first)}, name={self.name!r})"
        rows = 0 if self.frame is None else self.frame.height
        size = counted(rows, "row", "rows") if self.mapping is None else counted(len(self.mapping))
        return f"Run({size}, name={self.name!r})"

    @property
    def tag(self) -> str:
        """What the last row of a file calls the run, once it is read; its name where there is no file."""
        return self.facts.tags.get(self.files[-1].name if self.files else "", "") or self.name

    @property
    def _reading(self) -> Reading:
        """What the user says of files and frames."""
        return Reading(self.format, self.columns, ids=self.ids)

    @property
    def _called(self) -> str:
        """What messages call it where there is no file."""
        return f"run {self.name}" if self.name else "the run"

    def dicts(self, progress: "Progress | None" = None) -> Mapping[str, Mapping[Any, Any]] | None:
        """Return scores by query and document if the run came as dicts; None if it came as rows."""
        if len(self.files) != 1 or self.mapping is not None or self.frame is not None:
            return self.mapping
        [file] = self.files
        if self.ids is not None or detect.format_of(file, RUN, self._reading) != "json":
            return None
        from rankworth.io import json  # noqa: PLC0415 - not needed for other formats

        file.check()
        file.progress = progress
        rankings = json.dicts(file, RUN, self._reading, Observed())
        file.check()
        if rankings is None or self.kept is None:
            return rankings
        return {query: ranking for query, ranking in rankings.items() if query in self.kept}

    def batches(self, progress: "Progress | None" = None, *, ranks: bool = False) -> "Iterator[pl.DataFrame]":
        """Yield rows `query, document, score` in the order they were given, some hundred thousand at a time.

        Args:
            progress: told how far a file is read.
            ranks: whether a column `rank` is wanted, too, which files of TREC's lines have beside scores.

        """
        from rankworth.io import frames  # noqa: PLC0415 - not needed for dicts

        if self.frame is not None:
            return frames.batches(self.frame)
        if self.files:
            return self._of_files(RANKED if ranks and self.has_ranks else (), progress)
        return frames.batches(self._frame())

    @property
    def lists(self) -> Lists | None:
        """How lists came, each of which is the ranking of its query; None for a table, and for files not read yet."""
        return self.facts.lists

    @property
    def has_ranks(self) -> bool:
        """Whether scores and ranks stand side by side: in files of TREC's lines."""
        if self.frame is not None:
            return "rank" in self.frame.columns
        return bool(self.files) and all(detect.format_of(file, RUN, self._reading) == "trec" for file in self.files)

    def by_rank(self) -> "Run | None":
        """Return the run with its column of ranks beside the scores; None where there is none.

        Raises:
            InputError: `bad-score`, where a rank is no number.

        """
        if self.mapping is not None or any(file.path == STDIN for file in self.files):
            return None
        is_made_of_ranks = self.facts.has_rank_column or self.columns.get("score") == "-rank"
        if self.frame is not None and is_made_of_ranks:
            ranked_rows = self.frame.with_columns((-self.frame["score"]).alias("rank"))
            return self._changed(frame=ranked_rows, facts=Facts())
        try:
            ranked = Run(
                self.source, self.name, format=self.format, columns={**self.columns, "score": ""}, ids=self.ids
            )
            ranked = ranked if self.kept is None else ranked.only(self.kept)
            ranks = [-frame["score"] for frame in ranked.batches()]
        except InputError as error:
            if error.slug == "frame-columns":
                return None
            raise
        if not ranked.facts.has_ranks:
            return None
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        frame = pl.concat(list(self.batches())).with_columns(pl.concat(ranks).alias("rank"))
        return Run(frame.select("query", "document", "score"), self.name)._changed(frame=frame)  # noqa: SLF001 - of the same class

    def only(self, queries: Collection[str]) -> Self:
        """Keep the rankings of some queries, in the order of this run; files are read to the end all the same.

        Args:
            queries: their ids; ids that the run does not have do no harm.

        """
        wanted = frozenset(queries)
        source, mapping, frame = self.source, self.mapping, self.frame
        if mapping is not None:
            mapping = {query: ranking for query, ranking in mapping.items() if query in wanted}
            if isinstance(source, Mapping):
                source = {key: item for key, item in source.items() if validate.text(key) in wanted}
        if frame is not None:
            frame = frame.filter(frame["query"].cast(str).is_in(list(wanted)))
        return self._changed(kept=wanted, empty=self.empty & wanted, source=source, mapping=mapping, frame=frame)

    def held(self, progress: "Progress | None" = None) -> Self:
        """Read the rows into memory, so that files are read once, however often the run is judged.

        Args:
            progress: called while a file is read.

        """
        if not self.files or self.frame is not None or self.mapping is not None:
            return self
        mapping = self.dicts(progress)
        frame = None
        if mapping is None:
            import polars as pl  # noqa: PLC0415 - not needed for dicts

            frame = pl.concat(list(self._of_files(LOOSELY_RANKED if self.has_ranks else (), progress)))
        return self._changed(mapping=mapping, frame=frame)

    def _of_files(self, columns: tuple[str, ...] = (), progress: "Progress | None" = None) -> "Iterator[pl.DataFrame]":
        """Yield the rows of files, of the queries that count."""
        observed = Observed()
        frames = self._noted(
            file_batches(self.files, RUN, self._reading, observed, columns=columns, progress=progress), observed
        )
        if self.kept is None:
            return frames
        query_ids = list(self.kept)
        parts = (frame.filter(frame["query"].is_in(query_ids)) for frame in frames)
        return (frame for frame in parts if frame.height)

    def _noted(self, frames: "Iterator[pl.DataFrame]", observed: Observed) -> "Iterator[pl.DataFrame]":
        """Pass rows on, and keep the facts of the rows read so far."""
        try:
            for frame in frames:
                object.__setattr__(self, "facts", observed.facts)
                yield frame
        finally:
            object.__setattr__(self, "facts", observed.facts)

    def holding(self, rows: Any) -> "Run":  # noqa: ANN401 - as `Run` takes it
        """Make a run of other rows, under the same name, ranked as these are.

        Args:
            rows: a frame, or a dict of dicts.

        """
        return Run(rows, self.name)._changed(facts=self.facts, ids=self.ids)  # noqa: SLF001 - of the same class

    def queries(self) -> list[str]:
        """List the ids of all queries, those with an empty list among them, as they come first; reads the whole run."""
        if self.mapping is not None:
            queries = list(map(validate.text, self.source)) if isinstance(self.source, Mapping) else []
            return queries if set(queries) == {*self.mapping, *self.empty} else [*self.mapping, *self.empty]
        frames = self.batches() if self.frame is None else [self.frame]
        parts = (frame["query"].unique(maintain_order=True).cast(str).to_list() for frame in frames)
        return list(dict.fromkeys([*(query for batch in parts for query in batch), *self.empty]))

    def to_frame(self, library: FrameLibrary = "polars") -> Any:  # noqa: ANN401 - the library's own frame
        """Return all rows as given: `query, document, score`, and `rank` and `tag` where a file has them.

        Ranks are whole numbers where all of them are, and missing where a file has something else in their place.
        """
        columns: dict[str, Any] = dict(self._frame().to_dict())
        if "rank" in columns:
            ranks = columns["rank"].cast(float, strict=False)
            ranks = ranks.cast(int) if (ranks.drop_nulls() % 1 == 0).all() else ranks
            columns["rank"] = ranks.to_list() if ranks.null_count() else ranks
        for name in ("query", "document"):
            if not columns[name].dtype.is_integer():
                columns[name] = self.kinds.back(name, columns[name].to_list())
        return to_library(columns, library)

    def _frame(self) -> "pl.DataFrame":
        """Return the rows of all files, ids as text unless they came as a column of integers."""
        import polars as pl  # noqa: PLC0415 - not needed for dicts

        from rankworth.io.python_objects import frame_of  # noqa: PLC0415 - not needed for files

        if self.files:
            return pl.concat(self._of_files(("query", "document", "rank", "score", "tag")), how="diagonal")
        if self.frame is not None:
            return self.frame
        return frame_of(self.mapping or {}, RUN, self._called)

    def duplicates(self) -> InputError:
        """Build the error on documents repeated in a query, with their number and examples, in another pass."""
        from rankworth.io import duplicates  # noqa: PLC0415 - for a message only

        parts = file_parts(self.files, RUN, self._reading)
        rows = duplicates.Part(self._called, self.batches, first=0, is_renamed=self.ids is not None)
        return duplicates.error(RUN, parts or [rows])


def stem(path: str | os.PathLike[str]) -> str:
    """Return a file's name without folder and suffixes, a pattern's folder: `runs/bm25.run.gz` is `bm25`.

    >>> stem("runs/bm25.run.gz"), stem("runs/v1.2/run.dl19-passage.bm25"), stem("-"), stem("runs/dense/*.parquet")
    ('bm25', 'run.dl19-passage.bm25', '-', 'dense')
    """
    file = Path(path)
    while any(sign in file.name for sign in SIGNS) and file.parent.name and not file.exists():
        file = file.parent
    name = file.name
    for suffix in (*COMPRESSIONS, *SUFFIXES):
        name = name if suffix == _OF_JUDGEMENTS else name.removesuffix(suffix)
    return name or str(path)
