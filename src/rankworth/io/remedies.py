"""Proposals of messages for tables that do not tell the columns of roles: options and calls that read it.

A proposal is computed from what the table looks like, and names no column that the looks contradict. Where several
columns fit, it asks for the number instead of choosing. Every proposal is written here, so that a test can paste it.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from rankworth.errors import InputError, quoted, shortened
from rankworth.io.cells import is_written, separator_in
from rankworth.io.layout import QRELS, RUN, Layout
from rankworth.io.looks import SECOND, Column, Looks, likely_roles, parts_of
from rankworth.io.options import IN_SOURCES
from rankworth.io.source import STDIN
from rankworth.io.usual_names import (
    KNOWN,
    NONE,
    OF_FILE,
    PASSAGE,
    RECORD,
    SPAN_TEXTS,
    SPELLINGS,
    USUAL,
    Groups,
    likely_document,
    nearest,
)
from rankworth.item_options import SOUGHT

_LISTED: Final = frozenset(("prediction", "predictions", "labels", "relevant"))
"""names of columns that may hold scores or grades, and lists of documents as well"""
_OF_QUERIES: Final = ("user", "customer", "session", "query", "topic", "question", "search", "bug", "job")
"""first words in the names of columns that hold queries"""
_OF_GOLD: Final = frozenset(
    [
        "answer",
        "answers",
        "expected",
        "gold",
        "golden",
        "ground",
        "positive",
        "positives",
        "reference",
        "references",
        "relevant",
    ]
)
_OF_RESULTS: Final = frozenset(
    [
        "predicted",
        "prediction",
        "predictions",
        "ranked",
        "ranking",
        "recommended",
        "response",
        "result",
        "results",
        "retrieved",
    ]
)
"""words in the names of lists of documents, by side: those judged, and those of a run"""
_WORDING: Final = ("text", "title", "body", "content", "contents", "answer", "response")
"""names of columns that hold what is read, and no ids"""
_OF_NO_GRADES: Final = frozenset(("id", "ids", "idx", "index", "version", "page", "offset", "count"))
"""last words in the names of columns that hold numbers, and no grades"""
PAIRS: Final = ("exclude", "history", "forbidden")
"""arguments that are pairs of query and document, without a value"""
WITHOUT_QUERY: Final = (
    "learning-to-rank files name the query of each line: grade qid:N features # document\n"
    "where the sizes of queries stand in a file of their own, call it FILE.query or FILE.group; in Python: "
    "evaluate(labels=labels, scores=scores, group=numpy.loadtxt('test.query', dtype=int))"
)
"""what helps where lines of learning to rank have no query"""
NUMBER: Final = "NUMBER"
"""stands where a user has to choose a column"""
_LARGEST: Final = 10
"""up to which grade judges give"""
_PAIR: Final = 2
_WORDS: Final = 3


@dataclass(frozen=True)
class Request:
    """A table, and what is to be found in it.

    Attributes:
        value: `"score"` or `"grade"`; empty for tables of texts.
        looks: what the table looks like.
        said: which column holds what, as the user says.
        spellings: the usual names of its columns.

    """

    value: str
    looks: Looks
    said: Mapping[str, str] = field(default_factory=lambda: NONE)
    spellings: Mapping[str, Groups] = field(default_factory=lambda: USUAL, repr=False)

    @property
    def named(self) -> Mapping[str, str]:
        """The names that the user gives; a score `-name` is the distance `name`, unless a column is called `-name`."""
        score = str(self.said.get("score", ""))
        if not is_negative(score) or score in map(str, self.looks.names):
            return self.said
        return {**self.said, "score": "", "distance": score[1:]}

    @property
    def separator(self) -> str:
        """What stands between documents in a cell, as the user says."""
        return "" if self.looks.within else str(self.said.get("separator", ""))


def is_negative(name: str) -> bool:
    """Return whether `-name` says that smaller values are better."""
    return name.startswith("-") and len(name) > 1


# Tables with names


def option(columns: Mapping[str, str], looks: Looks, side: str = "") -> str:
    """Write the option that names the column of a role: for all inputs, or for one side, `"qrels"` or `"run"`."""
    if "distance" in columns:
        columns = {"score": f"-{columns['distance']}"}
    in_python = f"{side and f'{side}_'}columns={dict(columns)!r}"
    pairs = [f"{role}={name}" for role, name in columns.items()]
    typed = " ".join(f"'{pair}'" if pair.endswith((",", ";", ".")) else shlex.quote(pair) for pair in pairs)
    if not looks.first or not typed.isprintable():
        return in_python
    return f"--{side and f'{side}-'}columns {typed}, in Python {in_python}"


def of_pairs(value: str, lists: str, looks: Looks) -> str:
    """Write what the parts of pairs in lists may be.

    Args:
        value: `"score"` or `"grade"`.
        lists: the column of the lists, if the user names it.
        looks: what the pairs look like.

    """
    around = {"documents": lists} if lists else {}
    ways = {
        f"if the second is the {value}": around | {"document": "0", value: "1"},
        "if it is none": {value: ""},
        "if both together are the id": around | {"document": "0,1", value: ""},
    }
    return "\n".join(f"{when}: {option(columns, looks)}" for when, columns in ways.items())


def listed(looks: Looks) -> str:
    """List the columns of a table, as messages do."""
    return f"the {looks.noun}s are {quoted(looks.names, 8)}" if looks.names else f"there are no {looks.noun}s"


def missing(
    request: Request, *lacking: str, why: str = "", optional: bool = False, of_items: bool = False
) -> InputError:
    """Build the error for columns that are needed and do not exist.

    Args:
        request: the table.
        lacking: what no column holds; grades are left out where the user says so.
        why: what else is to be said, before the remedy.
        optional: whether the scores may be missing; grades may always be.
        of_items: whether each row is an item with a grade and a score.

    """
    looks, value = request.looks, request.value
    lacking = tuple(role for role in lacking if role != "grade" or request.named.get(role) != "")
    if value in lacking and _is_of_other_kind(request):
        why = f"{(RUN if value == 'score' else QRELS).exchanged}\n{why}"
    if lacking == ("document", "score") and len(looks.names) == _PAIR:  # so that the order of rows is all that ranks
        lacking = ("document",)
    near = _likely_columns(request, lacking)
    named = option({role: name or "NAME" for role, name in near.items()}, looks, _side(request))
    remedy = f"{why}did you mean {named}?" if all(near.values()) else f"{why}say which it is: {named}"
    column = looks.columns.get(near.get("grade", ""))
    holds_grades = column is not None and column.has_grades
    may_be_missing = value in lacking and (optional or value == "grade") and not holds_grades
    if may_be_missing:
        remedy += f"\nif none holds {value}s: {option({value: ''}, looks)}"
    if lacking == ("grade",) and (several := _of_judges(looks, {*request.named.values()})):
        remedy += f"\nif each of them holds the grades of a judge: {option({'grade': f'mean({several})'}, looks)}"
    if lacking == ("score",) and not may_be_missing and looks.in_order and not request.named.get("score"):
        choice = f'--order given (order="given"), or {option({"score": ""}, looks)}'
        remedy = f"{why}if its rows are in rank order: {choice}\notherwise {remedy.removeprefix(why)}"
    if lacking == ("document",) and of_items:
        remedy += f"\nif each row is an item without an id, as rankers have it: {option({'document': ''}, looks)}"
    if "query" in lacking and (looks.noun, value) == ("key", "score"):
        remedy += '\nif these are the hits of one query, put them under it: {"q1": [...]}'
    if lacking == ("score",) and "separator" in why and _has_a_row_for_each(looks):
        remedy = why.strip()  # whose order within a cell is all that ranks
    remedy += if_without_documents(request) if "document" in lacking else ""
    text = f"{looks.called}: there is {joined([_lack(request, role) for role in lacking])}; {listed(looks)}"
    return InputError("frame-columns", text, remedy=remedy)


def if_without_documents(request: Request) -> str:
    """Return what a table may be that has no ids of documents: passages of texts, or ranks of first hits."""
    looks, remedy = request.looks, ""
    names = list(map(str, looks.names))
    texts = [name for name in names if name.lower() in SPAN_TEXTS]
    is_of_pairs = request.said.get("grade") == "" or not request.value  # what is left out, or a table of texts
    if texts and not is_of_pairs and IN_SOURCES not in request.said:
        remedy = f"\nif {texts[0]} holds passages, name the texts in which they stand: {SOUGHT}"
    ranks = [name for name in names if name.lower() in SPELLINGS["rank"]]
    if request.value == "score" and ranks and looks.first:
        remedy += "\nif it holds the rank of the first hit of each query, and no judgements are needed: "
        remedy += f"--columns {shlex.quote(f'first-rank={ranks[0]}')}, in Python evaluate(first_ranks=...)"
    return remedy


def _of_judges(looks: Looks, excluded: Collection[Any]) -> str:
    """Return the columns that may hold grades of several judges, or nothing if fewer than two may."""
    free = {
        name: column for name, column in looks.columns.items() if not {name, str(name).lower()} & {*excluded, *KNOWN}
    }
    graded = [name for name, column in free.items() if column.has_grades and not column.has_fractions]
    graded = [name for name in graded if looks.columns[name].numbers and max(looks.columns[name].numbers) <= _LARGEST]
    return ",".join(map(str, graded)) if len(graded) > 1 and looks.is_named else ""


def _likely_columns(request: Request, lacking: Sequence[str]) -> dict[str, str]:
    """Return the likely columns of missing roles; an empty name without a likely one."""
    looks, value = request.looks, request.value
    names = list(map(str, looks.names))
    near = {role: nearest(request.named.get(role) or [*chain(*request.spellings[role])], names) for role in lacking}
    said = {part for name in request.named.values() for part in (name, *name.split(","))}
    unfamiliar = [name for name in names if name.lower() not in KNOWN and name not in said]
    ranks = [re.sub(r"[0-9]+$", "*", name) for name in unfamiliar if re.search(r"[0-9]$", name)]
    several = next((pattern for pattern in ranks if len(numbered(pattern, unfamiliar)) > 1), "")
    remaining = [name for name in names if name not in numbered(several, names)]
    if several and "query" in near and not said and len(remaining) == 1:
        near = {"query": remaining[0], "document": several}
    elif several and "document" in near and "query" not in near:
        near = {role: several if role == "document" else name for role, name in near.items() if role != value}
    if {"query", "document", value} <= near.keys() and len(names) == _PAIR and looks.noun == "column" and not said:
        near = dict(zip(("query", "document"), names, strict=True))
    if tuple(lacking) == ("document",) or tuple(lacking) == ("document", "grade"):
        of_others = {name for role in SPELLINGS if role != "document" for name in SPELLINGS[role]} - _LISTED
        free = [name for name in names if name.lower() not in {*of_others, *_WORDING} and name not in said]
        if len(free) == 1 and not (free[0] in looks.columns and looks.columns[free[0]].may_hold_values):
            near = {"document": near["document"] or free[0]}
    graded = [name for name in unfamiliar if name in looks.columns and looks.columns[name].has_grades]
    graded = [name for name in graded if _OF_NO_GRADES.isdisjoint(parts_of(name)[-1:])]
    graded = [name for name in graded if not looks.columns[name].has_fractions] or graded
    lists = [name for name in unfamiliar if _is_list(looks.cell(name))]
    users = [name for name in unfamiliar if (parts_of(name) or [""])[0] in _OF_QUERIES]
    likely = {
        "document": PASSAGE
        if PASSAGE in unfamiliar
        else _likely_list(lists, value)
        if lists
        else _likely_path(looks, {*users, *said}),
        "score": next((name for name in unfamiliar if re.fullmatch(r"\w*score\w*", name, re.IGNORECASE)), ""),
        "grade": graded[0] if len(graded) == 1 else "",
        "query": next((name for name in names if name in RECORD and name not in said), "") if said else "",
    }
    has_lists = any(isinstance(looks.cell(name), list) for name in names)
    if likely["document"] in RECORD and ("query" in near or has_lists):  # the id of a query, whatever it is called
        likely.pop("document")
    if users and likely["document"] and near.get("query") == "":
        likely["query"] = users[0]
    chosen = {role: name or likely.get(role, "") for role, name in near.items()}
    if chosen.get("score") == "" and (rank := _likely_rank(looks, unfamiliar)):
        chosen = {
            "rank" if role == "score" else role: name or rank * (role == "score") for role, name in chosen.items()
        }
    return _with_several(chosen, request)


def _likely_rank(looks: Looks, unfamiliar: Collection[str]) -> str:
    """Return the only column of an unknown name that counts up within the cells of another one."""
    columns = {name: column for name, column in looks.columns.items() if name in unfamiliar}
    counting = [
        name
        for name, column in columns.items()
        if any(column.counts_up(other.texts) for other in looks.columns.values() if other.distinct > 1)
    ]
    return counting[0] if len(counting) == 1 else ""


def _side(request: Request) -> str:
    """Return the side of a table that has lists of documents of both sides, for options on one; else an empty text."""
    lists = [{*parts_of(name)} for name in request.looks.names if _is_list(request.looks.cell(name))]
    has_both = all(any(words & parts for parts in lists) for words in (_OF_GOLD, _OF_RESULTS))
    return ("qrels" if request.value == "grade" else "run") if has_both else ""


def _likely_list(names: Sequence[str], value: str) -> str:
    """Choose the list of documents of one side among columns of lists, or return an empty name.

    >>> _likely_list(["retrieved_ids", "reference_ids"], "grade"), _likely_list(["tags", "links"], "grade")
    ('reference_ids', '')
    """
    mine, theirs = (_OF_GOLD, _OF_RESULTS) if value == "grade" else (_OF_RESULTS, _OF_GOLD)
    fitting = [name for name in names if not mine.isdisjoint(parts_of(name))]
    fitting = fitting or [name for name in names if theirs.isdisjoint(parts_of(name))]
    return fitting[0] if len(fitting) == 1 else ""


def _likely_path(looks: Looks, excluded: Collection[str]) -> str:
    """Guess where the id of a document stands: in a column of an unknown name, or in an object that one holds."""
    from rankworth.io.key_paths import leaves  # noqa: PLC0415 - for messages only

    paths: list[str] = []
    for name in map(str, looks.names):
        cell = looks.cell(name)
        if isinstance(cell, Mapping) and cell:
            paths += [f"{name}.{path}" for path in leaves(cell)]
        elif name not in excluded and name.lower() not in KNOWN:
            paths.append(name)
    return likely_document(paths)


def _with_several(chosen: dict[str, str], request: Request) -> dict[str, str]:
    """Name the separator of ids if each cell of the likely column of documents holds several, or leave scores out."""
    from rankworth.io.key_paths import leaves  # noqa: PLC0415 - for messages only

    looks, name = request.looks, chosen.get("document", "")
    if isinstance(cell := looks.cell(name), Mapping) and (path := likely_document(leaves(cell))):
        return {**chosen, "document": f"{name}.{path}"}
    if isinstance(cell, Mapping) and len(ids := [key for key, each in cell.items() if _is_list_of(each, str)]) == 1:
        numbers = [key for key, each in cell.items() if _is_list_of(each, int | float)]
        beside = {request.value: f"{name}.{numbers[0]}"} if len(numbers) == 1 else {}
        return {role: column for role, column in chosen.items() if column} | {"document": f"{name}.{ids[0]}"} | beside
    if _is_list(cell):
        return {role: column for role, column in chosen.items() if column or role != request.value}
    column = looks.columns.get(name)
    if column is None or request.separator or not _has_a_row_for_each(looks) or not (sign := of_several_ids(column)):
        return chosen
    return {role: column for role, column in chosen.items() if column or role != request.value} | {"separator": sign}


def _is_list(cell: object) -> bool:
    """Return whether a cell holds ids in a list, also one written as text."""
    return _is_list_of(cell, str | int) or is_written(cell)


def _is_list_of(cell: object, kinds: Any) -> bool:  # noqa: ANN401 - types
    """Return whether a cell holds such things in a list."""
    return isinstance(cell, list) and bool(cell) and isinstance(cell[0], kinds)


def of_several_ids(column: Column) -> str:
    """Return the separator of ids in the cells of a column, or nothing for cells of single ids, such as titles."""
    sign = next(filter(None, map(separator_in, column.texts)), "")
    parts = [part for text in column.texts for part in (text.split() if sign == " " else text.split(sign or None))]
    return sign if sign and all(any(map(str.isdigit, part)) for part in parts) else ""


def _has_a_row_for_each(looks: Looks) -> bool:
    """Return whether the first column of several rows has no cell twice, as that of queries with a list each."""
    first = next(iter(looks.columns.values()), None)
    return first is not None and first.distinct == len(first.texts) > 1


def _is_of_other_kind(request: Request) -> bool:
    """Return whether the columns are those of a run instead of judgements, or the other way round."""
    of_value = {"score": ("score", "rank", "distance"), "grade": ("grade",)}
    other = "grade" if request.value == "score" else "score"
    expected, opposite = (
        {name for role in of_value[value] for name in SPELLINGS[role]} for value in (request.value, other)
    )
    names = {str(name).lower() for name in request.looks.names}
    return not request.looks.within and not names & expected and bool(names & opposite)


def _lack(request: Request, role: str) -> str:
    name, noun = request.named.get(role), request.looks.noun
    if name and name not in map(str, request.looks.names):
        return f"no {noun} {quoted([name])}"
    return f"no {'score or rank' if role == 'score' else role} {noun}"


def several(request: Request, matches: Sequence[Any], role: str) -> InputError:
    """Build the error for several columns that could all hold something."""
    looks = request.looks
    text = f"{looks.called}: {quoted(matches)} could all be the {role} {looks.noun}; {listed(looks)}"
    remedy = f"keep one of them, or say which it is: {option({role: str(matches[0])}, looks)}"
    return InputError("frame-columns", text, remedy=remedy)


def repeated(looks: Looks, twice: Sequence[Any]) -> InputError:
    """Build the error for several columns of one name."""
    text = f"{looks.called}: {len(twice)} columns are called {twice[0]}; {listed(looks)}"
    return InputError("frame-columns", text, remedy="rename or remove those that are not meant")


def doubtful_cells(request: Request, name: str, sign: str) -> InputError:
    """Build the error for cells of which each may be one document or several.

    Args:
        request: the table.
        name: of the column of documents.
        sign: what would stand between documents.

    """
    looks = request.looks
    text = f"{looks.called}: {quoted([name])} may hold several documents in a cell, as {looks.cell(name)!r}"
    remedy = f"if it does: {option({'separator': sign}, looks)}"
    other = next(each for each in ("|", ";", ",") if each != sign)
    remedy += f"\nif each cell is one id, name a sign that none has: {option({'separator': other}, looks)}"
    return InputError("frame-columns", text, remedy=remedy)


def separated(cell: object, looks: Looks) -> str:
    """Write the option for cells with several documents; empty if the cells cannot hold several."""
    sign = separator_in(cell)
    how = f"if a cell holds several documents, as {shortened(str(cell), 40)!r}"
    return f"{how}: {option({'separator': sign}, looks)}\n" if sign else ""


def numbered(pattern: object, names: Iterable[Any], excluded: Iterable[Any] = ()) -> list[Any]:
    """Return the columns of a pattern with `*` for a number, in the order of the numbers.

    Args:
        pattern: with one `*`; anything else stands for none.
        names: of all columns.
        excluded: names of columns that hold something else, or several of them with commas between.

    >>> numbered("item*", ["query", "item2", "item10", "item1", "items"])
    ['item1', 'item2', 'item10']
    """
    if not isinstance(pattern, str) or pattern.count("*") != 1:
        return []
    form = re.compile(re.escape(pattern).replace(r"\*", "([0-9]+)"))
    taken = set(",".join(map(str, excluded)).split(","))
    free = (name for name in names if str(name) not in taken)
    matches = [(int(match[1]), name) for name in free if (match := form.fullmatch(str(name)))]
    return [name for _, name in sorted(matches, key=lambda pair: pair[0])]


def joined(texts: Sequence[str]) -> str:
    """List texts as a sentence does."""
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def unjudged(where: str, query: str, more: str = "") -> InputError:
    """Build the error for a judged query without a judged document, a case that rows cannot express."""
    return InputError(
        "missing-value",
        f"{where}: query {quoted([query])} has no judgements{more}",
        remedy="leave it out, or judge a document of it, if only with grade 0",
    )


# Texts without names


def holds_lists(columns: Sequence[Column]) -> bool:
    """Return whether each line of a text seems to hold a query and all of its documents: whole numbers everywhere."""
    query, *documents = columns
    are_whole = all(column.numbers and not column.has_fractions for column in documents)
    is_unique = len(query.texts) == query.distinct
    return is_unique and are_whole and len(documents) > 1 and not any(map(_is_few, documents))


def _is_few(column: Column) -> bool:
    return column.is_constant or column.has_times or 2 * column.distinct <= len(column.texts)


def as_lists(path: str, layout: Layout, said_as: str, why: str = "if each line is a query with its documents: ") -> str:
    """Return the options, and the call, that read lines of a query and its documents.

    Args:
        path: of the file.
        layout: `RUN` or `QRELS`.
        said_as: what options about the file begin with, or the argument that it is given as.
        why: what stands before.

    """
    called = "Run" if layout is RUN else "Qrels"
    if said_as in PAIRS:
        return f"{why}--columns query=1 'document=*'\nin Python {said_as}={called}({path!r}, format='lists')"
    return f"{why}--{said_as}-format lists\nin Python {called}({path!r}, format='lists')"


def by_number(path: str, looks: Looks, layout: Layout, said_as: str) -> str:
    """Return the options, and the call, that read a text without a header as a table.

    Args:
        path: of the file.
        looks: what it looks like.
        layout: `RUN` or `QRELS`.
        said_as: what options about the file begin with, or the argument that it is given as.

    """
    every: Sequence[Column] = list(looks.columns.values())
    if holds_lists(every):
        return as_lists(path, layout, said_as)
    second = len(every) > _WORDS and {*every[1].texts} <= {*SECOND}  # as in TREC's lines
    likely = likely_roles([column for column in every if not (second and column is every[1])], layout)
    is_of_pairs = said_as in PAIRS
    value = "" if is_of_pairs or not likely.values else str(likely.values[0]) if len(likely.values) == 1 else NUMBER
    role = layout.value
    if layout is RUN and value.isdigit() and every[int(value) - 1].counts_up(every[likely.query - 1].cells):
        role = "rank"
    columns = {"query": str(likely.query), "document": str(likely.document), role: value}
    if len(every) == _PAIR:
        columns.pop(role)
    form = "csv" if looks.separator in (",", ";", "|") else "tsv"
    typed = "--columns" if is_of_pairs else f"--{said_as}-format {form} --{said_as}-columns"
    called = "Run" if layout is RUN else "Qrels"
    path = STDIN if path == STDIN else path
    in_python = f"{called}({path!r}, format={form!r}, columns={columns})"
    if is_of_pairs:
        columns, in_python = {role: columns[role] for role in ("query", "document")}, f"{said_as}={in_python}"
    which = ""
    if value == NUMBER:
        which = f"which of {' '.join(map(str, likely.values))} holds the {layout.value}s? {NUMBER} is its number: "
    return f"{which}{typed} {shlex.join(f'{role}={number}' for role, number in columns.items())}\nin Python {in_python}"


def by_file(pattern: str, looks: Looks, layout: Layout, said_as: str) -> str:
    """Return the options, and the call, that read a file for each query, named by the query.

    Args:
        pattern: that the files fit.
        looks: what one of them looks like.
        layout: `RUN` or `QRELS`.
        said_as: what options about the files begin with, or the argument that they are given as.

    """
    document, *others = looks.columns.values() if looks.columns else (None,)
    if document is None or len(looks.columns) > _PAIR + 1 or document.distinct < len(document.texts):
        return ""
    values = [column for column in others if column.numbers]
    columns = {"query": OF_FILE, "document": "1"}
    if layout is RUN:
        columns[RUN.value] = str(values[-1].number) if values else ""
    elif values and values[-1].has_grades:
        columns[QRELS.value] = str(values[-1].number)
    form = "csv" if looks.separator in (",", ";", "|") else "tsv"
    called = "Run" if layout is RUN else "Qrels"
    typed = "--columns" if said_as in PAIRS else f"--{said_as}-format {form} --{said_as}-columns"
    pairs = shlex.join(f"{role}={name}" for role, name in columns.items())
    why = "if each file has the rows of one query, which its name is: "
    return f"{why}{typed} {pairs}\nin Python {called}({pattern!r}, format={form!r}, columns={columns})"


def of_other_width(path: str, looks: Looks, layout: Layout, said_as: str) -> str:
    """Return the options that read lines with too many or too few columns for TREC; empty if none is known.

    Args:
        path: of the file.
        looks: what it looks like.
        layout: `RUN` or `QRELS`.
        said_as: as for `by_number`.

    """
    width, columns = len(looks.columns), list(looks.columns.values())
    least, most = (_PAIR, len(RUN.columns)) if layout is QRELS else (_PAIR + 1, len(RUN.columns))
    is_line = width == len(layout.columns) and looks.separator in ("\t", " ")
    if is_line or not least <= width <= most:
        return ""
    is_valued = bool(likely_roles(columns, layout).values)
    if not is_valued and (layout is RUN or width > _PAIR):
        return ""
    return f"if this is a table without a header: {by_number(path, looks, layout, said_as)}"
