"""From files to batches of rows: the dispatcher above the readers of formats.

The module of each format has a function `batches(source, layout, reading, observed)`, which hands out frames with the
columns `query` and `document` (text) and `score` or `grade` (float64), for judgements also `subtopic` where there is
one. A higher score is better; where a ranking has no scores they are made from its order: -1, -2, -3 ...
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from rankworth.errors import InputError, quoted
from rankworth.io.facts import Observed
from rankworth.io.formats import FORMATS, has_module
from rankworth.io.layout import RUN, Layout
from rankworth.io.lines import empty as no_rows
from rankworth.io.options import Reading
from rankworth.io.paths import are_alike, opened, paths_of, refuse_ids
from rankworth.io.source import Progress, Source
from rankworth.io.usual_names import OF_FILE

if TYPE_CHECKING:
    import polars as pl

    from rankworth.io.duplicates import Part
    from rankworth.io.judges import Judges


_UNTOLD: Final = ("run-columns", "qrels-columns", "frame-columns", "unfit-columns", "bad-grade", "bad-score")
"""the errors of files that do not tell which column holds what"""


def files_of(source: object, layout: Layout, reading: Reading) -> tuple[Source, ...]:
    """Return the files of a path or a list of paths; none for any other source.

    Raises:
        InputError: `missing-file`, `is-directory`.

    """
    files: list[Source] = []
    refuse_ids(paths := paths_of(source))
    for path in paths:
        files += (path,) if isinstance(path, Source) else opened(os.fsdecode(path), layout, reading)
    return tuple(files)


def batches_of(
    source: Any,  # noqa: ANN401 - whatever a run is made of
    files: Sequence[Source],
    layout: Layout,
    reading: Reading,
    called: str,
) -> "Iterator[pl.DataFrame]":
    """Yield the rows of files, or of an object where there are no files.

    Args:
        source: the object.
        files: those of the source.
        layout: `RUN` or `QRELS`.
        reading: what the user says of them.
        called: what messages call an object.

    Raises:
        InputError: with the problems of the files or the object.

    """
    observed = Observed()
    if files:
        return file_batches(files, layout, reading, observed)
    from rankworth.io.python_objects import Reader, frame_of  # noqa: PLC0415 - not needed for files

    rows = Reader(layout, called, reading.columns, observed, grades=reading.grades).read(source)
    frame = frame_of(rows, layout, called, reading.grades) if isinstance(rows, Mapping) else rows
    return iter([frame]) if reading.ids is None else reading.ids.batches(iter([frame]), called, observed)


def file_batches(
    files: Iterable[Source],
    layout: Layout,
    reading: Reading,
    observed: Observed,
    *,
    columns: tuple[str, ...] = (),
    progress: Progress | None = None,
) -> "Iterator[pl.DataFrame]":
    """Yield the rows of files, some hundred thousand at a time, and check that no file has changed.

    Args:
        files: read one after the other.
        layout: `RUN` or `QRELS`.
        reading: what the user says of them.
        observed: gets to know the facts.
        columns: which columns to hand out of TREC's lines; by default those that judging needs.
        progress: called with how far each file is read.

    Raises:
        InputError: `changed-file`, `empty-input`, and with the problems of the file.

    """
    files = tuple(files)
    frames = _batches(files, layout, reading, observed, columns, progress)
    if layout is not RUN and (judges := reading.judges) is not None:
        name = quoted(file.name for file in files)
        frames = iter([reading.blanks.settle(judges.combined(list(frames), name), name, observed)])
        observed.note(judges=judges.label)
    if reading.ids is None:
        yield from frames
    else:
        yield from reading.ids.batches(frames, quoted(file.name for file in files), observed)


def _batches(
    files: Sequence[Source],
    layout: Layout,
    reading: Reading,
    observed: Observed,
    columns: tuple[str, ...],
    progress: Progress | None,
) -> "Iterator[pl.DataFrame]":
    """Yield the rows of files as `file_batches` does, with ids as they stand there."""
    every, is_by_file = True, reading.columns.get("query") == OF_FILE  # of which some may have no row
    separate = _SeparateQueries(files) if layout is RUN else None
    for source in files:
        source.check()
        source.progress, empty = progress, True
        with _naming(layout, source, reading):
            for frame in _rows(source, layout, reading, observed, columns):
                if frame.height:
                    empty = False
                    if separate is not None:
                        separate.meet(frame, source)
                    is_settled = layout is RUN or reading.judges is not None
                    yield frame if is_settled else reading.blanks.settle(frame, source.name, observed)
        source.check()
        every = every and empty
        if empty and observed.facts.lists is None and not is_by_file:  # a response may have no hits
            raise no_rows(source, layout)
    if every:
        raise no_rows(source, layout)


@contextmanager
def _naming(layout: Layout, source: Source, reading: Reading) -> Iterator[None]:
    """Have messages name columns for runs or for judgements alone, where all files of a command cannot share names.

    Of a pattern whose files have no column for the query, they say how the name of each file becomes it.
    """
    try:
        yield
    except InputError as error:
        if "query" not in reading.columns:
            from rankworth.io.roots import with_file  # noqa: PLC0415 - for a message only

            error = with_file(error, source, layout, reading.columns)
        if source.pattern and error.slug in _UNTOLD and not any(reading.columns.values()):
            from rankworth.io import plain_lines, remedies  # noqa: PLC0415 - for a message only

            looks = plain_lines.looks_of(source)
            if by_file := remedies.by_file(source.pattern, looks, layout, reading.option or layout.option):
                remedy = "\n".join(filter(None, (by_file, error.remedy)))
                raise InputError(error.slug, *error.problems, more=error.more, remedy=remedy) from None
        if source.columns_option == "--columns" or error.slug not in ("frame-columns", "input-type"):
            raise error from None
        remedy = error.remedy.replace("--columns ", f"{source.columns_option} ")
        raise InputError(error.slug, *error.problems, remedy=remedy) from None


class _SeparateQueries:
    """Refuses files of a pattern that rank the same query, and do not look like parts of one run.

    Parts are called alike but for numbers, and their lines have one tag.
    """

    def __init__(self, files: Sequence[Source]) -> None:
        """Compare the names of the files."""
        self._is_pattern = len(files) > 1 and all(file.pattern for file in files)
        self._are_alike = are_alike(file.path for file in files)
        self._ranked_in: dict[str, Source] = {}

    def meet(self, frame: "pl.DataFrame", source: Source) -> None:
        """Remember whose queries these are.

        Raises:
            InputError: `nested-runs`.

        """
        for query in frame["query"].unique().to_list() if self._is_pattern else ():
            first = self._ranked_in.setdefault(query, source)
            if first is not source and not (self._are_alike and self._share_a_tag(first, source)):
                text = f"{quoted([source.pattern])} is one run, and {first.name} and {source.name} both rank query"
                text += f" {quoted([query])}: this looks like several runs"
                remedy = f"give several runs: evaluate_runs(...), on the command line {source.pattern} without quotes"
                remedy += "\nparts of one run are called alike: part-0.run part-1.run"
                raise InputError("nested-runs", text, remedy=remedy)

    def _share_a_tag(self, *files: Source) -> bool:
        """Return whether the first lines of files have the same tag, or none."""
        from rankworth.io.trec import tag  # noqa: PLC0415 - not needed for single files

        return len({tag(file) for file in files}) == 1


def _rows(
    source: Source, layout: Layout, reading: Reading, observed: Observed, columns: tuple[str, ...]
) -> "Iterator[pl.DataFrame]":
    """Read the rows of one file with the module of its format."""
    from rankworth.io.detect import format_of, refuse_misfit  # noqa: PLC0415 - it reads first rows

    if reading.columns.get("query") == OF_FILE:
        if not source.head(1):
            return iter(())
        if not source.query:
            text = f"{source.name}: query={OF_FILE} is the name of a file, and this has none"
            raise InputError("frame-columns", text, remedy="name the files")
        reading = replace(reading, columns={**reading.columns, "query": f"{OF_FILE}{source.query}"})
    form = format_of(source, layout, reading)
    if layout is not RUN and (judges := reading.judges) is not None:
        graded = judges.columns(_names(source, form, reading), reading.columns.values())
        if not graded:
            text = f"{source.name}: no column is called {judges.names}"
            raise InputError(
                "frame-columns", text, remedy="a * stands for any text in the names of the judges' columns"
            )
        return _of_judges(source, layout, reading, observed, columns, judges, graded)
    if form != "json" and (root := reading.columns.get("root")):
        text = f"{source.name}: root={root} is a key in a document of JSON, and this is {form}"
        raise InputError("frame-columns", text, remedy="leave root out")
    refuse_misfit(source, layout, form, reading)
    if form in ("trec", "svmlight") and reading.columns.get(layout.value) == "" and not reading.option:
        text = f"{source.name}: every line has a {layout.value}, and {layout.value}= says that there is none"
        raise InputError("frame-columns", text, remedy=f"leave {layout.value}= out")
    if form == "trec":
        if any(reading.columns.values()):
            text = f"{source.name}: this reads as TREC's lines, whose columns have no names"
            remedy = "columns are those of tables; leave them out, or say the format"
            raise InputError("frame-columns", text, remedy=remedy)
        from rankworth.io import trec  # noqa: PLC0415 - not needed for the others

        observed.agree("score", source.name)
        return trec.batches(source, layout, observed, columns=columns, option=reading.option, grades=reading.grades)
    module = import_module(f"rankworth.io.{FORMATS[form].module}")
    rows: Iterator[pl.DataFrame] = module.batches(source, layout, replace(reading, format=form), observed)
    return rows


def _of_judges(
    source: Source,
    layout: Layout,
    reading: Reading,
    observed: Observed,
    columns: tuple[str, ...],
    judges: "Judges",
    names: Sequence[str],
) -> "Iterator[pl.DataFrame]":
    """Read the rows of one file for each of the columns in which judges have their grades."""
    for name in names:
        of_judge = replace(reading, columns={**reading.columns, **judges.of_column(name)})
        yield from _rows(source, layout, of_judge, observed, columns)
    unread = observed.facts.unread.get(source.name, {})
    observed.note_unread(source.name, {name: cells for name, cells in unread.items() if name not in names})


def _names(source: Source, form: str, reading: Reading) -> "Sequence[str]":
    """Return the names of the columns of a table, or of the fields of the first object of JSON."""
    if has_module(form, "delimited"):
        from rankworth.io import delimited  # noqa: PLC0415 - not needed for the others

        return delimited.looks_of(source, replace(reading, format=form)).names
    if has_module(form, "parquet"):
        from rankworth.io import parquet  # noqa: PLC0415 - not needed for text

        return parquet.looks_of(source, form).names
    if has_module(form, "json", "jsonl"):
        from rankworth.io import json_text  # noqa: PLC0415 - not needed for tables

        text = source.whole().lstrip()
        value = json_text.parsed(text.partition(b"\n")[0] if form == "jsonl" else text, source)
        first = value[0] if isinstance(value, list) and value else value
        return list(first) if isinstance(first, dict) else []
    return []


def file_parts(
    files: Iterable[Source], layout: Layout, reading: Reading, columns: tuple[str, ...] = ()
) -> "list[Part]":
    """Return the files as messages about repeated rows need them."""
    from rankworth.io.detect import format_of  # noqa: PLC0415 - for a message only
    from rankworth.io.duplicates import SHOWN, Part  # noqa: PLC0415 - as above

    def part(file: Source) -> Part:
        def frames() -> "Iterator[pl.DataFrame]":
            again = replace(reading, ids=reading.ids.idle_where_unfit()) if reading.ids else reading
            for frame in file_batches((file,), layout, again, Observed(), columns=columns):
                yield frame.rename({"iteration": "subtopic"}, strict=False)

        is_renamed = reading.ids is not None
        lines = file if not is_renamed and format_of(file, layout, reading) == "trec" else None
        return Part(file.name, frames, lines, shown=file.tolerates or SHOWN, is_renamed=is_renamed)

    return [part(file) for file in files]
