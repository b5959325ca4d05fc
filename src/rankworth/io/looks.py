"""What a table looks like at its beginning: which of its columns may hold ids, ranks, grades, times, and which none.

It is looked at once, before anything that a user says of it counts, and messages and detection share what was seen.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Self

from rankworth.errors import quoted
from rankworth.io.grade_words import usual_grades
from rankworth.io.layout import NUMBER, QRELS, Layout
from rankworth.io.usual_names import SPELLINGS

TIMES: Final = ((1e8, 2.2e9), (1e11, 2.2e12))
"""seconds and milliseconds since 1970, from 1973 to 2039"""
SECOND: Final = ("0", "Q0", "q0")
"""what stands in the second column of TREC's lines"""
_DAY: Final = re.compile(r"\d{4}[-/]\d\d[-/]\d\d")
_FEW: Final = 11
"""how many different grades there are at most: half stars from 0 to 5"""
_LARGEST_GRADE: Final = 100
_LOW: Final = 5
"""how high the lowest grade is at most"""
_ROWS: Final = 10
"""from how many rows on numbers of subtopics that are as small as grades tell something"""
_SUBTOPICS: Final = 3
"""up to how many different cells may be subtopics beside documents that look like times"""
_UNIQUE: Final = 0.9
"""how many of the pairs of query and subtopic are different, at least, where these are documents"""
_NAME_WORDS: Final = frozenset(
    (
        *("id", "ids", "key", "name", "title", "text", "url", "user", "item", "query", "doc", "document", "product"),
        *("label", "grade", "relevance", "rating", "score", "rank", "topic", "question", "target", "prediction"),
        *("session", "customer", "article", "passage", "chunk", "iid", "uid", "pid", "qid", "v"),
    )
)
"""words of which names of columns are made"""
_GRADE_WORDS: Final = frozenset(
    (
        *("relevant", "irrelevant", "relevance", "correct", "verdict", "judgment", "judgement", "label", "grade"),
        *("rating", "useful", "helpful"),
    )
)
"""words in the names of columns that hold grades, whatever these are"""
_DIGITS: Final = re.compile(r"\d+")
_RUNS: Final = re.compile(r"[^\W\d_A-Z]+|[A-Z]+|\d+")
_SIGNS: Final = re.compile(r"[^a-z]+")
_HUMPS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""where a word begins in isRelevant"""


@dataclass(frozen=True)
class Column:
    """The first cells of one column.

    Attributes:
        number: of the column, from 1.
        cells: texts of a file, or whatever a program has.

    """

    number: int
    cells: Sequence[Any]

    @cached_property
    def texts(self) -> list[str]:
        """The cells as texts, without those that are blank."""
        return [text for cell in self.cells if cell is not None and (text := str(cell).strip())]

    @cached_property
    def distinct(self) -> int:
        """The number of different cells."""
        return len({*self.texts})

    @cached_property
    def numbers(self) -> list[float]:
        """The cells as numbers, without blank cells; none if a cell is no number."""
        return [float(text) for text in self.texts] if all(map(NUMBER.fullmatch, self.texts)) else []

    @property
    def is_constant(self) -> bool:
        """Whether all of several cells are the same."""
        return self.distinct == 1 < len(self.texts)

    @cached_property
    def has_fractions(self) -> bool:
        """Whether some number is no whole one."""
        return not all(map(float.is_integer, self.numbers))

    @cached_property
    def has_times(self) -> bool:
        """Whether most cells are days, or seconds or milliseconds since 1970."""
        if not self.numbers:
            return bool(self.texts) and all(map(_DAY.match, self.texts))
        times = sum(any(low <= number < high for low, high in TIMES) for number in self.numbers)
        return 2 * times > len(self.texts)

    @cached_property
    def has_grades(self) -> bool:
        """Whether these may be grades: few different numbers, none of them large, or words of a usual scale."""
        if self.distinct > _FEW:
            return False
        is_small = bool(self.numbers) and max(map(abs, self.numbers)) <= _LARGEST_GRADE
        return is_small or self.has_truths or bool(usual_grades(self.texts))

    @cached_property
    def has_truths(self) -> bool:
        """Whether these are `true` and `false`."""
        return bool(self.texts) and {text.lower() for text in self.texts} <= {"true", "false"}

    @property
    def has_ids(self) -> bool:
        """Whether these are more likely ids of documents than numbers of subtopics."""
        is_small = bool(self.numbers) and max(map(abs, self.numbers)) <= _LARGEST_GRADE
        return not is_small or len(self.texts) >= _ROWS

    @property
    def has_scale(self) -> bool:
        """Whether these are true and false, or several words of a usual scale of grades."""
        return self.has_truths or (self.distinct > 1 and bool(usual_grades(self.texts)))

    @property
    def may_hold_values(self) -> bool:
        """Whether these may be grades or scores: numbers, or words that stand for grades."""
        return bool(self.numbers) or self.has_scale

    def may_hold_grades(self, name: object) -> bool:
        """Return whether these may be grades that are no numbers: words of a scale, or few under a name that says so.

        Args:
            name: of the column.

        """
        if any(isinstance(cell, Sequence | Mapping | AbstractSet) and not isinstance(cell, str) for cell in self.cells):
            return False
        is_called_so = not _GRADE_WORDS.isdisjoint(parts_of(name))
        return self.has_scale or (is_called_so and self.distinct <= _FEW)

    def counts_up(self, queries: Sequence[Any]) -> bool:
        """Return whether these count up by 1 within each query, from 0 or 1, as ranks do.

        Args:
            queries: of the rows.

        """
        if len(self.numbers) != len(queries) or self.has_fractions:
            return False
        last: dict[Any, float] = {}
        for query, number in zip(queries, self.numbers, strict=True):
            if number != last[query] + 1 if query in last else number not in (0, 1):
                return False
            last[query] = number
        return len(last) < len(queries)


@dataclass(frozen=True)
class Looks:
    """What a table looks like.

    Attributes:
        called: what messages call the table.
        names: of its columns, in order: texts, except in pandas; numbers from 1 as texts where it has no header.
        first: the number of its first row: 1 in a file, 0 in a program.
        noun: what messages call its columns.
        is_named: whether its columns have names.
        is_counted: whether its columns have an order, so that a number names one.
        in_order: whether its rows have an order, which may be the ranking.
        is_ranking: whether its rows are ranked as they stand where nothing else ranks them, as those of programs are.
        within: whether its rows are records in the list of a query, which need not name the query.
        columns: the first cells of each column by its name, as far as they were looked at.
        objects: the first rows, where they are objects, whose attributes need not be fields.
        numeric: the names of columns that may hold scores or grades.
        separator: what stands between cells of a text.

    """

    called: str
    names: tuple[Any, ...] = ()
    first: int = 0
    noun: str = "column"
    is_named: bool = True
    is_counted: bool = True
    in_order: bool = True
    is_ranking: bool = False
    within: bool = False
    columns: Mapping[Any, Column] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    objects: Sequence[Any] = field(default=(), repr=False)
    numeric: AbstractSet[Any] = frozenset()
    separator: str = ""

    def where(self, row: int) -> str:
        """Return where a row stands in the table, as messages say it; rows are counted from 0."""
        return f"{self.called}: row {row + self.first}"

    def cell(self, name: object) -> Any:  # noqa: ANN401 - whatever stands there
        """Return the first cell of a column that is not blank, or None."""
        column = self.columns.get(name)
        return None if column is None else next((cell for cell in column.cells if not _is_empty(cell)), None)

    @cached_property
    def inside(self) -> Mapping[Any, Self]:
        """What items in lists look like, by the column that holds them: records with fields, pairs with positions."""
        lists = {name: cell for name in self.columns if isinstance(cell := self.cell(name), list | tuple) and cell}
        scalars = (str, bytes, int, float)
        return {name: self._of_item(cell[0]) for name, cell in lists.items() if not isinstance(cell[0], scalars)}

    def _of_item(self, item: Any) -> Self:  # noqa: ANN401 - whatever stands in a list
        """Return what an item in a list looks like."""
        if isinstance(item, Mapping):
            columns = {name: Column(0, [cell]) for name, cell in item.items()}
            return replace(self.records(item), columns=columns)
        if isinstance(item, list | tuple) and not hasattr(item, "_fields"):
            return replace(self.records(map(str, range(len(item)))), noun="position")
        return replace(self.records(()), objects=(item,))

    def records(self, names: Iterable[Any]) -> Self:
        """Return the looks of the records in lists of one of its columns, with the names of their fields."""
        called, every = f"{self.called}: the records in lists", tuple(names)
        return replace(
            self, called=called, names=every, noun="field", within=True, is_counted=False, columns={}, objects=()
        )


def parts_of(name: object) -> list[str]:
    """Return the words of the name of a column, in small letters.

    >>> parts_of("isRelevant_2"), parts_of("query-id")
    (['is', 'relevant'], ['query', 'id'])
    """
    return list(filter(None, _SIGNS.split(_HUMPS.sub("_", str(name)).lower())))


def _is_empty(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell)


def of_cells(rows: Sequence[Sequence[Any]], width: int) -> list[Column]:
    """Return the columns of rows that have as many cells as the first one should have."""
    whole = [row for row in rows if len(row) == width]
    return [Column(number, [row[number - 1] for row in whole]) for number in range(1, width + 1)]


def has_header(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row of a table has the names of its columns, by what stands below it.

    Names begin with a letter and do not come again below. They stand above numbers; or they have no digits and stand
    above ids with digits, or are words of which names are made. Names with digits are not spelled as any cell below:
    all of them are made of such words, or each column has several cells of one shape that its name does not have.

    Args:
        first: the cells of the first row.
        below: those of the next rows.

    >>> has_header(["id", "country"], [["u1", "US"], ["u2", "US"]]), has_header(["u1", "US"], [["u2", "US"]])
    (True, False)
    >>> has_header(["user1", "item2"], [["u7", "US"]]), has_header(["user1", "item2"], [["user2", "item2"]])
    (True, False)
    """
    columns = of_cells(below, len(first))
    texts = [cell.strip() for cell in first]
    above = [(text, column) for text, column in zip(texts, columns, strict=True) if text]
    if len(above) < 2 or not columns[0].cells or not all(text[0].isalpha() for text, _ in above):  # noqa: PLR2004 - two cells
        return False
    if any(text in column.texts for text, column in above):
        return False
    if any(column.numbers for _, column in above):
        return True
    if any(map(_DIGITS.search, texts)):
        if any(_spelling(text) in map(_spelling, column.texts) for text, column in above):
            return False
        are_names = all(_NAME_WORDS.issuperset(parts_of(text)) for text, _ in above)
        shapes = [(_shape(text), {*map(_shape, column.texts)}) for text, column in above]
        is_odd = all(len(below) == 1 and shape not in below for shape, below in shapes)
        return are_names or (is_odd and len(columns[0].cells) > 1)
    known = {name for names in SPELLINGS.values() for name in names}
    are_names = any(text.lower() in known or not _NAME_WORDS.isdisjoint(parts_of(text)) for text in texts)
    return are_names or any(column.texts and all(map(_DIGITS.search, column.texts)) for _, column in above)


def _spelling(text: str) -> str:
    """Return a text in small letters, with any number the same."""
    return _DIGITS.sub("0", text.lower())


def _shape(text: str) -> str:
    """Return how a text is made up: runs of small letters, of capitals and of digits, and the signs between them."""
    return _RUNS.sub(lambda run: "0" if run[0].isdigit() else "A" if run[0].isupper() else "a", text)


# Texts without a header


@dataclass(frozen=True)
class LikelyRoles:
    """Which columns of a text without a header are likely query, document and value.

    Attributes:
        query: number of the column of queries.
        document: that of documents; several where nothing tells which.
        values: those that may hold the value: none, the likely one, or several where nothing tells which.

    """

    query: int
    document: int
    values: tuple[int, ...]


def likely_roles(columns: Sequence[Column], layout: Layout) -> LikelyRoles:
    """Guess query, document and value of the columns of a text without a header.

    The query comes first. A grade is no constant, no time and no fraction beside whole numbers; a score is no constant
    and no rank. Of the others, documents have the most different values.
    """
    query, *others = columns
    rest = [column for column in others if not column.has_times] or others
    candidates = [column for column in rest if (column.has_grades if layout is QRELS else column.numbers)]
    if layout is QRELS:
        candidates = [column for column in candidates if {*column.numbers} != {0.0}]
    varied = [column for column in candidates if not column.is_constant] or candidates
    if layout is QRELS:
        varied = [column for column in varied if not column.counts_up(query.cells)] or varied
        values = [column for column in varied if not column.has_fractions] or varied
        values = [column for column in values if not column.numbers or min(map(abs, column.numbers)) <= _LOW] or values
    else:
        fractions = [column for column in varied if column.has_fractions]
        values = fractions or [column for column in varied if not column.counts_up(query.cells)] or varied
    if len(rest) == len(values):  # one of them is the document
        least = max(values, key=lambda column: (column.distinct, -column.number))
        values = [column for column in values if column is not least] if len(rest) > 1 else []
    documents = [column for column in rest if column not in values]
    document = max(documents, key=lambda column: (column.distinct, -column.number))
    return LikelyRoles(query.number, document.number, tuple(column.number for column in values))


def misfit(columns: Sequence[Column], layout: Layout, form: str) -> str:
    """Return why the columns of a text do not fit a format, or an empty text.

    Args:
        columns: of the text, as many as the format has.
        layout: `RUN` or `QRELS`.
        form: `trec`, or `tsv` for query, document and value.

    """
    names = layout.columns if form == "trec" else ("query", "document", layout.value)
    if len(columns) != len(names):
        return ""
    column = dict(zip(names, columns, strict=True))
    checks: tuple[Callable[[Mapping[str, Column], Layout], str], ...] = (_misfit_of_values,)
    checks += (_misfit_of_scores, _misfit_of_ranks, _misfit_of_lines) if form == "trec" else (_misfit_of_cells,)
    return next(filter(None, (check(column, layout) for check in checks)), "")


def _misfit_of_values(column: Mapping[str, Column], layout: Layout) -> str:
    value = column[layout.value]
    if layout is QRELS and value.numbers and value.has_times:
        return f"the grades would be times, as {value.cells[0]} is one of {day(value.numbers[0])}"
    return ""


def _misfit_of_scores(column: Mapping[str, Column], layout: Layout) -> str:  # noqa: ARG001 - of runs alone
    """Ranks in the place of scores, and scores in that of ranks."""
    if "rank" not in column:
        return ""
    query, rank, score = (column[name] for name in ("query", "rank", "score"))
    is_exchanged = rank.has_fractions and score.counts_up(query.cells)
    return f"the ranks would be {quoted(rank.texts, 3)}, and the scores count up within each query" * is_exchanged


def _misfit_of_ranks(column: Mapping[str, Column], layout: Layout) -> str:  # noqa: ARG001 - of runs alone
    """Ranks of -1, ranks that belong to query and column 2, and items in all columns."""
    if "rank" not in column:
        return ""
    query, second, rank, score, tag = (column[name] for name in ("query", "Q0", "rank", "score", "tag"))
    if {*rank.numbers} == {-1.0}:
        return "the rank is -1 in every line"
    if second.distinct == 1:
        return ""
    pairs = list(zip(query.cells, second.cells, strict=True))
    if rank.counts_up(pairs) and not rank.counts_up(query.cells):
        return f"ranks begin anew where column 2 changes: {quoted(dict.fromkeys(second.texts), 4)}"
    is_whole = not (score.has_fractions or rank.has_fractions or tag.has_fractions)
    if is_whole and tag.numbers and score.numbers and rank.numbers and tag.distinct == len(tag.texts) > 1:
        return f"the tag would be {quoted(tag.texts, 3)}, another in each line"
    return ""


def _misfit_of_lines(column: Mapping[str, Column], layout: Layout) -> str:
    """Ratings or times beside items, ranks, ids in place of grades, and stances in place of subtopics."""
    query, second, document = (column[name] for name in layout.columns[:3])
    if second.distinct == 1 or {*second.texts} <= {*SECOND}:
        return ""
    is_unique = len({*zip(query.cells, second.cells, strict=True)}) >= _UNIQUE * len(second.cells)
    of_ratings = document.has_grades and second.distinct > document.distinct and second.has_ids
    of_times = document.has_times and second.distinct > _SUBTOPICS
    value = column[layout.value]
    of_ranks = document.counts_up(query.cells) and (value.has_fractions or not second.has_grades)
    if is_unique and (of_ratings or of_times or of_ranks):
        text = f"the documents would be {quoted(dict.fromkeys(document.texts), 4)}, and column 2"
        return f"{text}, which is 0, Q0 or a subtopic there, has {second.distinct:,} different values"
    if all(map(str.isalpha, second.texts)) and second.distinct <= _FEW and max(map(len, second.texts)) > 1:
        return f"column 2, which is 0, Q0 or a subtopic there, holds {quoted(dict.fromkeys(second.texts), 4)}"
    if layout is not QRELS:
        return ""
    grade = column["grade"]
    is_whole = bool(grade.numbers and document.numbers and second.numbers)
    is_whole = is_whole and not (grade.has_fractions or document.has_fractions)
    of_lists = len(query.texts) == query.distinct > 1 and grade.distinct == len(grade.texts)
    if is_whole and (of_lists or not grade.has_grades):
        return f"the grades would be {quoted(grade.texts, 4)}, and column 2 is neither 0 nor Q0"
    return ""


def _misfit_of_cells(column: Mapping[str, Column], layout: Layout) -> str:
    document, value = column["document"], column[layout.value]
    is_swapped = document.has_grades and value.distinct > 2 * document.distinct and len(value.cells) >= _ROWS
    text = f"there would be {value.distinct:,} different {layout.value}s of {document.distinct} documents"
    return text if layout is QRELS and is_swapped else ""


def day(number: float) -> str:
    """Return the day of a time in seconds or milliseconds."""
    from datetime import UTC, datetime  # noqa: PLC0415 - for messages only

    seconds = number / 1000 if number >= TIMES[1][0] else number
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
