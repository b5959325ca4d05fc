"""Trials: one input each, made from a seed, with what rankworth does to it and whether that is right.

A clear error or the right rows: for a file that was written as its format allows, the rows that were written; for
damaged bytes, an error or what a naive and strict reader finds in them.
"""

import math
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Final

import polars as pl

import rankworth as rw
from fuzzing import columns, mutations, naive, naive_columns, naive_objects, objects, packing, texts
from fuzzing.material import Dicts, Row, Written, dicts_of, opposite
from fuzzing.naive import Unclear
from rankworth.errors import InputError, RankworthError, slugs
from rankworth.io import delimited, excluded_pairs, frames, ids, parquet, python_objects
from rankworth.io import jsonl as json_lines
from rankworth.io import trec as trec_lines
from rankworth.io.facts import Observed
from rankworth.io.files import file_batches
from rankworth.io.formats import READ as FORMATS
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.options import Reading
from rankworth.io.source import Source

WRITERS: Final[Mapping[str, Callable[[Random, str], Written]]] = {
    "trec": texts.trec,
    "csv": texts.csv,
    "tsv": texts.tsv,
    "msmarco": texts.msmarco,
    "jsonl": objects.jsonl,
    "json": objects.json,
    "rank_eval": objects.rank_eval,
    "parquet": columns.parquet,
    "arrow": columns.arrow,
    "stream": columns.stream,
    "pairs": texts.pairs,
    "queries": texts.queries,
}
"""One for each reader, by its name."""
COLUMNAR: Final = frozenset({"parquet", "arrow", "stream"})
"""those whose damage may end the process"""
MAGIC: Final = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
"""how their files begin"""
_LISTS: Final = ("trec", "csv", "tsv", "jsonl", "json", "parquet", "arrow")
"""what pairs may be written as besides"""
NAIVE: Final[Mapping[str, Sequence[naive.Reader]]] = {
    "trec": (naive.trec,),
    "csv": (naive.csv_table,),
    "tsv": (naive.tsv_table,),
    "msmarco": (naive.msmarco,),
    "jsonl": (naive_objects.jsonl, naive_objects.document),
    "json": (naive_objects.document, naive_objects.jsonl),
    "parquet": (naive_columns.parquet,),
    "arrow": (naive_columns.arrow,),
    "pairs": (naive.pairs, naive.cells),
    "queries": (naive.queries,),
}
"""By format; the first that finds something clear is believed."""
SIZES: Final = (
    *((trec_lines, "CHUNK"), (delimited, "CHUNK"), (json_lines, "CHUNK")),
    *((python_objects, "BATCH"), (parquet, "SLICE"), (frames, "BATCH")),
)
"""how much is read at a time"""
MEASURES: Final = ("nDCG@3", "AP", "RR", "P@2", "Bpref", "Judged@2", "NumRet")


@dataclass(frozen=True)
class Trial:
    """One input.

    Attributes:
        reader: a key of `WRITERS`.
        written: the file, and what it said before it was damaged.
        damaged: whether it was.
        format: what the reader is told of the format; nothing where it has to find out.
        size: how much is read at a time; as always where it is 0.
        against: what it is evaluated with; only read where there is nothing.

    """

    reader: str
    written: Written
    damaged: bool
    format: str
    size: int
    against: Dicts | None

    @classmethod
    def of(cls, reader: str, random: Random, *, damaged: bool | None = None) -> "Trial":
        """Make one up."""
        value = random.choice(("score", "grade"))
        written = WRITERS[reader](random, value)
        if reader == "pairs" and random.random() < 0.5:
            written = _as_pairs(WRITERS[random.choice(_LISTS)](random, value))
        told = "" if written.sniffed and random.random() < 0.5 else written.form
        against = None
        if random.random() < 0.1 and reader not in ("pairs", "queries"):
            against = opposite(random, written.rows, written.value)
        damaged = random.random() < 0.7 if damaged is None else damaged
        size = random.choice((0, 0, 1, 7, 64, 1000))
        if random.random() < 0.15:
            written = _packed(random, written, damaged=damaged)
        if damaged:
            other = WRITERS[reader if random.random() < 0.7 else random.choice(list(WRITERS))](random, value)
            written = written.holding(mutations.mutated(random, written.content, other.content))
        return cls(reader, written, damaged, told, size, against)

    @property
    def columnar(self) -> bool:
        """Whether the file is, or was, Parquet or Arrow, or may be taken for that."""
        return self.reader in COLUMNAR or packing.head(self.written.content, 8).startswith(MAGIC)

    def said(self) -> str:
        """How to read the file again."""
        kind = "damaged" if self.damaged else "written"
        size = f", {self.size} bytes at a time" if self.size else ""
        packed = f", {self.written.packed}" if self.written.packed else ""
        told = f"format={self.format!r}, columns={dict(self.written.columns)!r}"
        return f"{kind}{packed}, {self.written.value}s, {told}{size}"


@dataclass(frozen=True)
class Verdict:
    """What came of a trial.

    Attributes:
        outcome: `read`, or the slug of what was refused.
        wrong: what is wrong with that; nothing where all is well.

    """

    outcome: str
    wrong: str = ""


def _as_pairs(written: Written) -> Written:
    rows = [(*row[:2], 1.0, None) for row in written.rows]
    if written.columns or not written.sniffed:  # nobody can say what they are
        return texts.pairs(Random(0), "grade")  # noqa: S311 - nothing secret
    return Written(written.content, rows, "pairs", written.value, sniffed=written.sniffed)


def _packed(random: Random, written: Written, *, damaged: bool) -> Written:
    """A packed file, of which the content or the packing is damaged, if either."""
    content = written.content
    if damaged and random.random() < 0.3:
        content = mutations.mutated(random, content, content)
    kind = random.choice(list(packing.PACKERS))
    return written.holding(packing.packed(random, content, kind), kind)


def judged(trial: Trial, path: Path) -> Verdict:
    """Read the file of a trial, which is written to a path, and say whether that went well."""
    path.write_bytes(trial.written.content)
    with reading_at_a_time(trial.size):
        found = _attempted(lambda: _rows(trial, path))
        if isinstance(found, Verdict):
            return found if found.wrong or trial.damaged else _refused_though_sound(found)
        wanted = _wanted_pairs(trial) if trial.reader == "pairs" else _wanted(trial)
        # what is damaged may be nothing that counts; values do not count in pairs, and naive readers look at them
        besides = (trial.columnar and _alike(found, trial.written.rows)) or (trial.reader == "pairs" and trial.damaged)
        if isinstance(wanted, str) and besides:
            return Verdict("read")
        if trial.reader == "pairs" and not isinstance(wanted, str):
            wanted = [sorted(rows) for rows in wanted]  # pairs are counted, in no order
        if isinstance(wanted, str):
            return Verdict("read", f"read, though the naive reader says: {wanted}; {_shown(found)}")
        if not any(_alike(found, rows) for rows in wanted):
            return Verdict("read", f"other rows: {_difference(found, wanted[0])}")
        if trial.against is not None:
            return _evaluated(trial, path, found)
    return Verdict("read")


@contextmanager
def reading_at_a_time(size: int) -> Iterator[None]:
    """Read as little at a time as a trial says, so that small files have many parts."""
    before = [getattr(module, name) for module, name in SIZES]
    try:
        for module, name in SIZES if size else ():
            setattr(module, name, size)
        yield
    finally:
        for (module, name), usual in zip(SIZES, before, strict=True):
            setattr(module, name, usual)


def _attempted(read: Callable[[], list[Row]]) -> list[Row] | Verdict:
    """The rows, or what was said instead of them."""
    try:
        return read()
    except RankworthError as error:
        return Verdict(error.slug, _wrong_with(error))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, nobody should see it
        return Verdict("traceback", f"{type(error).__module__}.{type(error).__name__}: {str(error)[:300]}")


def _refused_though_sound(found: Verdict) -> Verdict:
    return Verdict(found.outcome, f"refused, though it was written as the format allows [{found.outcome}]")


def _wrong_with(error: RankworthError) -> str:
    """What is wrong with the text of an error."""
    text = str(error)
    if not isinstance(error, InputError):
        return f"a {type(error).__name__} for a file: {text}"
    if "Traceback" in text or not text.strip() or not all(text.strip() for text in error.problems):
        return f"this says nothing: {text}"
    if not set(error.slugs) <= slugs().keys() or f"[{error.slug}]" not in text:
        return f"no slug: {text}"
    if len(text) > 6000:
        return f"a message of {len(text)} characters: {text[:200]}"
    odd = [sign for sign in text if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") and sign != "\n"]
    return f"control characters in a message: {text!r}" if odd else ""


def _rows(trial: Trial, path: Path) -> list[Row]:
    """What rankworth reads."""
    if trial.written.form == "queries":
        return [(query, "", 1.0, None) for query in ids.read_ids(str(path))]
    if trial.written.form == "pairs":
        frame = excluded_pairs.read(str(path))
        assert isinstance(frame, pl.DataFrame)
        times = frame["times"] if "times" in frame.columns else pl.repeat(1, frame.height, eager=True)
        pairs = zip(frame["query"], frame["document"], times, strict=True)
        return sorted((query, document, 1.0, None) for query, document, count in pairs for _ in range(count))
    layout: Layout = RUN if trial.written.value == "score" else QRELS
    reading = Reading(trial.format, trial.written.columns)
    rows: list[Row] = []
    for frame in file_batches((Source(path),), layout, reading, Observed()):
        types = {"query": pl.String, "document": pl.String, layout.value: pl.Float64, "subtopic": pl.String}
        if any(frame.schema[name] != types[name] for name in frame.columns):
            raise TypeError(f"columns of other types: {frame.schema}")
        named = [name for name in types if name in frame.columns]
        rows += [row if len(row) == 4 else (*row, None) for row in frame.select(named).iter_rows()]
    return rows


def _wanted(trial: Trial) -> list[list[Row]] | str:
    """What the file may say; or why it says nothing clear."""
    written = trial.written
    if not trial.damaged:
        return [list(written.rows)]
    try:
        content = packing.unpacked(written.content)
    except ValueError as error:
        return str(error)
    found, reasons = [], []
    for form in [trial.format or written.form, *(() if trial.format else _others(written.form))]:
        for reader in NAIVE[form]:
            try:
                found.append(reader(content, written.value, written.columns))
            except Unclear as error:
                reasons.append(str(error))
            else:
                return found
    return reasons[0]


def _wanted_pairs(trial: Trial) -> list[list[Row]] | str:
    """The same for pairs, which may stand in a file of any format, of a run or of judgements."""
    try:
        content = packing.unpacked(trial.written.content)
    except ValueError as error:
        return str(error)
    found = [[*trial.written.rows]] if not trial.damaged else []
    readers = [reader for form, readers in NAIVE.items() if form != "queries" for reader in readers]
    for reader, value in product(readers, ("grade", "score") if trial.damaged else ()):
        with suppress(Unclear):
            found.append([(*row[:2], 1.0, None) for row in reader(content, value, trial.written.columns)])
    return found or "no naive reader finds pairs in it"


def _others(form: str) -> list[str]:
    """What else a file may be, of which nothing but the content tells the format."""
    return [] if form == "queries" else [other for other in NAIVE if other not in (form, "pairs", "queries")]


def _alike(found: Sequence[Row], wanted: Sequence[Row]) -> bool:
    """Bit by bit, but for the sign of zero, which no ranking sees."""
    return [*found] == [*wanted] or _without_subtopics(found) == [*wanted]


def _without_subtopics(found: Sequence[Row]) -> list[Row]:
    return [(*row[:3], None) for row in found]


def _difference(found: Sequence[Row], wanted: Sequence[Row]) -> str:
    pairs = [(one, other) for one, other in zip(found, wanted, strict=False) if one != other]
    first = f"{pairs[0][0]!r} for {pairs[0][1]!r}" if pairs else ""
    return f"{len(found)} for {len(wanted)}; {first}"[:400]


def _shown(rows: Sequence[Row]) -> str:
    return f"{len(rows)} rows: {rows[:3]!r}"[:300]


def _evaluated(trial: Trial, path: Path, rows: Sequence[Row]) -> Verdict:
    """The values of the file, which have to be those of the dict of dicts, or the error that the dict gives."""
    dicts = dicts_of(rows)
    written = trial.written
    columns = dict(written.columns)
    assert trial.against is not None

    def of_file() -> dict[str, dict[str, float]]:
        if written.value == "score":
            return _values(trial.against, rw.Run(path, format=trial.format, columns=columns))
        return _values(rw.Qrels(path, format=trial.format, columns=columns), trial.against)

    def of_dicts() -> dict[str, dict[str, float]]:
        return _values(trial.against, dicts) if written.value == "score" else _values(dicts, trial.against)

    found = _outcome(of_file)
    if dicts is None:
        subtopics = len({row[3] for row in rows}) > 1 or written.form in ("trec", "msmarco")
        if found in ("duplicate-document", "duplicate-judgement") or (subtopics and written.value == "grade"):
            return Verdict("read")
        return Verdict("read", f"a document twice, and evaluated: {str(found)[:200]}")
    has_ties = len({(row[0], row[2]) for row in rows}) < len(rows)
    if found == "repeated-rank" and written.value == "score" and has_ties:
        return Verdict("read")
    wanted = _outcome(of_dicts)
    return Verdict("read", "" if found == wanted else f"other values: {str(found)[:200]} for {str(wanted)[:200]}")


def _outcome(call: Callable[[], dict[str, dict[str, float]]]) -> object:
    """Values bit by bit; or a slug."""
    try:
        return {
            query: {name: value.hex() if math.isfinite(value) else str(value) for name, value in measured.items()}
            for query, measured in call().items()
        }
    except RankworthError as error:
        return error.slug


def _values(qrels: object, run: object) -> dict[str, dict[str, float]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rw.RankworthWarning)
        values: dict[str, dict[str, float]] = rw.evaluate(qrels, run, MEASURES, order="score").per_query.to_dict()
    return values


def kept(trial: Trial, folder: Path, number: str) -> Path:
    """Keep the file of a trial."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{trial.reader}-{number}"
    path.write_bytes(trial.written.content)
    return path


def numbered(seed: int, reader: str, number: int) -> Trial:
    """The trial of a number."""
    return Trial.of(reader, Random(f"{seed}/{reader}/{number}"))  # noqa: S311 - nothing secret


def coded(data: bytes, readers: Sequence[str]) -> Trial:
    """The trial that some bytes stand for: four say how to read the others."""
    place, value, sniffed, size = data[:4]
    reader = readers[place % len(readers)]
    form = {"rank_eval": "json", "stream": "arrow"}.get(reader, reader)
    written = Written(data[4:], (), form, "grade" if value % 2 else "score")
    told = "" if sniffed % 2 and form in FORMATS and form != "msmarco" else form
    return Trial(reader, written, damaged=True, format=told, size=size, against=None)
