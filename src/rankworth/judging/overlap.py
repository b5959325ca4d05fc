"""Ids of judgements and of a run that are not equal: both sides, and how they differ where that shows."""

import re
import shlex
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import orjson

from rankworth.errors import InputError, counted, quoted
from rankworth.io import id_rules, validate
from rankworth.io.lines import HEAD
from rankworth.io.options import LISTED
from rankworth.io.source import Source
from rankworth.model import Qrels, Run

_SAMPLE: Final = 1000
"""how many documents of either side are compared"""
_SHARE: Final = 0.1
"""the share of documents of another form, of those that match or would, from which it is worth a notice"""
_IN_COMMON: Final = 3
"""how many ids have to have a prefix or a suffix in common where other ids meet"""
_RETRIEVED: Final = "judged documents would be retrieved"
_SUFFIX: Final = "a suffix"
_PREFIX: Final = "a prefix"
_SAME_COLLECTION: Final = "are these judgements and a run of the same collection?"


def nothing_in_common(
    judged: Sequence[str], ranked: Sequence[str], run: str = "", column: str = "query", remark: str = ""
) -> InputError:
    """Return the error for a run of which no query is judged.

    Args:
        judged: queries that are judged.
        ranked: queries of the run.
        run: what to call it.
        column: the column of the run that holds them, as its owner calls it.
        remark: what to do about it, where that is known.

    """
    name = run or "the run"
    if not ranked:
        text, remedy = f"{name} has none of the queries asked for: {quoted(judged)}", "ids are compared to the letter"
    else:
        where = "" if column == "query" else f" in its column {column}"
        text = (
            f"no query of {name} is judged: the judgements have {quoted(judged)}, the run has {quoted(ranked)}{where}"
        )
        like = difference(judged, ranked, "judged queries would have results", whole=True)
        remedy = remark or like or _SAME_COLLECTION
    return InputError("no-common-queries", text, remedy=remedy)


def refuse_part(qrels: Qrels, run: Run) -> None:
    """Refuse rankings of a part of the queries, where judgements and run name their queries by position.

    Args:
        qrels: the judgements.
        run: the run.

    Raises:
        InputError: `row-count`.

    """
    judged, ranked = qrels.facts.by_position, run.facts.by_position
    is_within = qrels.only is not None and qrels.only <= {str(number) for number in range(ranked)}
    if judged and ranked and judged != ranked and not is_within:
        text = f"{run.name or 'the run'} ranks {counted(ranked)} and the judgements have {judged:,}; neither names "
        text += "them, and counted by position from 0 they are not the same ones"
        remedy = "name those of the run: dict(zip(users, ids)), with scores dict(zip(users, zip(ids, scores)))"
        remedy += f"\nif it ranks the first ones: judgements[:{ranked}]" if ranked < judged else ""
        raise InputError("row-count", text, remedy=remedy)


def refuse_other_items(qrels: Qrels, run: Run) -> None:
    """Refuse lists of different lengths of one query, where items without ids are called by their position.

    Raises:
        InputError: `row-count`.

    """
    judged, ranked = qrels.facts.items, run.facts.items
    if not (judged and ranked):
        return
    queries = [query for query in judged if query in ranked and judged[query] != ranked[query]]
    if queries:
        query = queries[0]
        text = f"query {quoted([query])} has {counted(judged[query], 'label', 'labels')} and "
        text += f"{counted(ranked[query], 'score', 'scores')} in {run.name or 'the run'}; items without ids are paired "
        text += "by their position"
        text += f" ({counted(len(queries))} of this kind)" if len(queries) > 1 else ""
        raise InputError("row-count", text, remedy="write a score for each label, in their order; or give ids to both")


def unnamed(run: Run, queries: Collection[str] = ()) -> str:
    """Return a note on a response or on lists without query ids; empty for any other run.

    Args:
        run: the run.
        queries: those of the run, where none of them is judged; lists without a name are numbered.

    """
    lists = run.facts.lists
    if lists is None or len(run.files) > 1:
        return ""
    if lists.query:
        fact = f"the response in {run.files[0].path} does not say which query it answers; it counts as that of query"
        return f"{fact} {quoted([lists.query])}, the name of the file; {LISTED}"
    is_numbered = queries and {*queries} == {str(number) for number, _ in enumerate(queries)}
    fact = "lists that do not say which query they answer are numbered from 0"
    return f"{fact}; {{query: list}} names them, or {LISTED}" if is_numbered else ""


def unread_queries(qrels: Qrels, run: Run, ranked: Collection[str]) -> str:
    """Return how to read the column of a file with ids of the other side's queries, or an empty text.

    Args:
        qrels: the judgements.
        run: a run of which no query is judged.
        ranked: its queries.

    """
    sides = (("qrels", qrels, {*ranked}, "the run"), ("run", run, {*qrels.queries}, "the judgements"))
    for side, table, ids, other in sides:
        for file, columns in table.facts.unread.items():
            if column := next((name for name, cells in columns.items() if not ids.isdisjoint(cells)), ""):
                typed = f"--{side}-columns {shlex.quote(f'query={column}')}"
                said = f"{typed}, in Python {side}_columns={{'query': {column!r}}}"
                return f"{file} has queries of {other} in its column {column}: {said}"
    return ""


def exchanged_columns(qrels: Qrels, ranked: Sequence[str]) -> str:
    """Return the remedy if the queries of a run are documents of the judgements, else an empty text.

    Args:
        qrels: the judgements.
        ranked: the queries of a run of which none is judged.

    """
    documents = {document for documents in qrels.document_lists for document in documents}
    if not ranked or not documents.issuperset(ranked):
        return ""
    where = "in --qrels-columns, in Python qrels_columns, or in the file"
    fact = f"the queries of the run, such as {quoted(ranked)}, are documents of the judgements"
    return f"{fact}; exchange the columns query and document: {where}"


def alike_queries(unanswered: Sequence[str], ignored: Sequence[str]) -> str:
    """Return a note on judged queries without results that the run has under ids of another form; empty if it has none.

    Args:
        unanswered: judged queries that the run does not have.
        ignored: queries of the run that nobody judged.

    """
    how = difference(unanswered, ignored, "judged ones would have results")
    counts = f"{len(unanswered):,}; queries of the run that nobody judged: {len(ignored):,}"
    return how and f"judged queries without results: {counts}; {how}"


def alike_documents(qrels: Qrels, run: str, first: Mapping[str, Sequence[str]]) -> str:
    """Return a note on judged documents found in the run under ids of another form; empty if they are few.

    Args:
        qrels: the judgements.
        run: what to call the run.
        first: some documents of the run by query.

    """
    ranked = {**first}
    judged = {query: {*qrels.documents_of(index)} for index, query in enumerate(qrels.queries) if query in ranked}
    ranked = {query: documents for query, documents in ranked.items() if query in judged}
    missing = [judged[query].difference(documents) for query, documents in ranked.items()]
    unjudged = [{*documents} - judged[query] for query, documents in ranked.items()]
    left, right = set().union(*missing), set().union(*unjudged)
    elsewhere = left & right  # judged for one query and retrieved for another: nothing is wrong with these ids
    pairs, part = _best(sorted(left - elsewhere), sorted(right - elsewhere))
    met = sum(document in judged[query] for query, documents in ranked.items() for document in documents)
    if not pairs or len(pairs) < _SHARE * (met + len(pairs)):
        return ""
    unjudged_rows = sum(map(len, unjudged))
    how = _remedy(pairs, part, sum(map(len, missing)), _RETRIEVED) + _renaming(pairs, part)
    return (
        f"among the first {counted(met + unjudged_rows, 'document', 'documents')} of {run or 'the run'}, {met:,} "
        f"{'is judged for its' if met == 1 else 'are judged for their'} query and {unjudged_rows:,} "
        f"{'is' if unjudged_rows == 1 else 'are'} not; {how}"
    )


def id_field(qrels: Qrels, run: Run, ranked: Mapping[str, Sequence[str]]) -> str:
    """Say which field of a run's objects, or column of its files, holds judged ids; empty if there is none.

    Args:
        qrels: the judgements.
        run: the run, of which no document is judged.
        ranked: its first documents by query.

    """
    from rankworth.io.id_fields import field_of  # noqa: PLC0415 - for a message only

    judged = _first_judged(qrels, ranked)
    if not run.files:
        field = field_of(run.source, judged)
        return field and f"{field} holds ids that are judged: columns={{'document': {field!r}}}"
    for file in run.files:
        unread = run.facts.unread.get(file.name, {})
        columns = (name for name, cells in unread.items() if not judged.keys().isdisjoint(cells))
        if field := next(columns, "") or field_of(_first_objects(file), judged):
            typed = f"--run-columns {shlex.quote(f'document={field}')}, in Python run_columns={{'document': {field!r}}}"
            return f"{field} holds ids that are judged: {typed}"
    return ""


def _first_objects(file: Source) -> list[Mapping[str, object]]:
    """Return the objects in the first lines of a file; none of a file that has no such lines."""
    objects: list[Mapping[str, object]] = []
    for line in file.head(HEAD).splitlines():
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            break
        objects += [value] if isinstance(value, dict) else []
    return objects


def _first_judged(qrels: Qrels, ranked: Mapping[str, Sequence[str]]) -> dict[str, None]:
    """Return the first judged documents of the queries of a ranking, in their order."""
    places = [index for index, query in enumerate(qrels.queries) if query in ranked]
    return dict.fromkeys(islice((document for index in places for document in qrels.documents_of(index)), _SAMPLE))


def no_common_documents(qrels: Qrels, run: str, ranked: Mapping[str, Sequence[str]], field: str = "") -> str:
    """Return a note on a run of which no document is judged for its query, although some queries are.

    Args:
        qrels: the judgements.
        run: what to call the run.
        ranked: its first documents by query.
        field: what `id_field` says.

    """
    judged = _first_judged(qrels, ranked)
    retrieved = dict.fromkeys(document for documents in ranked.values() for document in documents)
    elsewhere = [document for document in retrieved if document in judged]
    if elsewhere:
        remedy = f"judged for other queries: {quoted(elsewhere)}"
    elif field:
        remedy = field
    else:
        pairs, part = _best([*judged], [*retrieved], whole=True)
        remedy = _remedy(pairs, part, len(judged), _RETRIEVED) + _renaming(pairs, part) if pairs else ""
    return (
        f"no document of {run or 'the run'} is judged for its query, so all count as not relevant: "
        f"the judgements have {quoted(judged)}, the run has {quoted(retrieved)}; {remedy or _SAME_COLLECTION}"
    )


def first_documents(qrels: Qrels, run: Run) -> dict[str, list[str]]:
    """Return the first thousand documents that a run has for judged queries, by query; files are read again."""
    judged = frozenset(qrels.queries)
    pairs: Iterable[tuple[str, str]]
    if run.engine:
        pairs = run.sample_pairs(qrels.queries)  # type: ignore[attr-defined]
    elif run.mapping is not None:
        first: dict[str, list[str]] = {}
        left = _SAMPLE
        for query in filter(judged.__contains__, run.mapping):
            listed = validate.texts(islice(run.mapping[query], left))
            first |= {query: listed} if listed else {}
            left -= len(listed)
            if not left:
                break
        return first
    else:
        rows = (row for frame in run.batches() for row in frame.select("query", "document").iter_rows())
        pairs = (row for row in rows if row[0] in judged)
    documents: dict[str, list[str]] = {}
    for query, document in islice(pairs, _SAMPLE):
        documents.setdefault(query, []).append(document)
    return documents


def _without_zeros(lines: str) -> str:
    return re.sub(r"(?<![0-9])0+(?=[0-9])", "", lines)


def _without_blanks(lines: str) -> str:
    if " " not in lines and lines.replace("\n", "").isprintable():
        return lines
    return "".join(sign for sign in lines if sign == "\n" or (sign != " " and sign.isprintable()))


def _composed(lines: str) -> str:
    return unicodedata.normalize("NFKC", lines)


_FORMS: Final[Mapping[str, Callable[[str], str]]] = {
    "leading zeros": _without_zeros,
    "upper and lower case": str.casefold,
    "blanks or invisible characters": _without_blanks,
    "Unicode form (NFC, NFD)": _composed,
    "quote marks": lambda lines: lines.replace('"', "").replace("'", ""),
    "case, blanks, leading zeros and Unicode form": lambda lines: _without_zeros(
        _composed(_without_blanks(lines)).casefold()
    ),
}
"""What makes one of all forms of an id, for many ids at once, one a line."""
_PART: Final = re.compile(r"[^\W\d_]+|\d+|[\W_]")
"""a part of an id, behind which a prefix may end or a suffix begin: letters, digits, or a sign"""


def difference(
    judged: Sequence[str],
    ranked: Sequence[str],
    outcome: str,
    *,
    whole: bool = False,
    sides: tuple[str, str] = ("the judgements", "the run"),
) -> str:
    """Name the rewriting that makes most ids equal, and the number of equal ids, if there is any.

    Args:
        judged: ids of the judgements.
        ranked: ids of the run.
        outcome: what would be so then.
        whole: whether no id of one side is on the other.
        sides: what the two sides are called.

    """
    pairs, part = _best(judged, ranked, whole=whole)
    return _remedy(pairs, part, len(judged), outcome, sides) if pairs else ""


def _remedy(
    pairs: Mapping[str, str],
    form: str,
    total: int,
    outcome: str,
    sides: tuple[str, str] = ("the judgements", "the run"),
) -> str:
    left, right = next(iter(pairs.items()))
    shown = ascii if "Unicode" in form else repr
    return (
        f"they differ in {form}: {shown(left)} in {sides[0]}, {shown(right)} in {sides[1]}; converted to one "
        f"form, {len(pairs):,} of {total:,} {outcome}"
    )


def _renaming(pairs: Mapping[str, str], form: str) -> str:
    """Return the option that renames documents so that ids are equal, or an empty text.

    Args:
        pairs: ids of the run by those of the judgements.
        form: what they differ in.

    """
    are_longer = {len(ranked) > len(judged) for judged, ranked in pairs.items()}
    if form not in (_SUFFIX, _PREFIX) or len(are_longer) > 1:
        return ""
    is_of_run, is_suffix = True in are_longer, form == _SUFFIX
    longer = {ranked: judged for judged, ranked in pairs.items()} if is_of_run else pairs
    rule = id_rules.rule_between(longer, is_suffix=is_suffix)
    option = "qrels-ids" if not is_of_run else "collapse" if is_suffix else "run-ids"
    keyword = option.replace("-", "_")
    typed = f"'{rule}'" if "'" not in rule else shlex.quote(rule)
    return f": --{option} {typed}, in Python {keyword}={rule!r}" if rule else ""


def _best(judged: Sequence[str], ranked: Sequence[str], *, whole: bool = False) -> tuple[Mapping[str, str], str]:
    """Return the pairs of ids made equal by one rewriting, and its subject: the one that makes most so.

    Args:
        judged: ids of the judgements, none of which the run has.
        ranked: ids of the run.
        whole: whether these are all ids, so that each may have a prefix or a suffix of its own; else several of them
            have to have one in common.

    """
    every = [*_rewritten(judged, ranked), *_affixed(judged, ranked, 1 if whole else _IN_COMMON)]
    return max(every, key=lambda each: len(each[0]), default=({}, ""))


def _rewritten(judged: Sequence[str], ranked: Sequence[str]) -> Iterator[tuple[Mapping[str, str], str]]:
    """Yield the pairs of ids that are equal in one form, for each form."""
    lines = "\n".join((*judged, *ranked))
    for part, rewrite in _FORMS.items():
        rewritten = rewrite(lines)
        if rewritten == lines or rewritten.count("\n") != len(judged) + len(ranked) - 1:  # ids with line ends
            continue
        forms = rewritten.split("\n")
        judged_as = dict(zip(forms, judged, strict=False))
        both = zip(ranked, forms[len(judged) :], strict=True)
        yield {judged_as[form]: text for text, form in both if form in judged_as}, part


def _affixed(judged: Sequence[str], ranked: Sequence[str], least: int) -> Iterator[tuple[Mapping[str, str], str]]:
    """Yield the pairs of ids of which one is the other with a prefix or a suffix.

    Args:
        judged: ids of the judgements.
        ranked: ids of the run.
        least: how many have to have a prefix or a suffix in common; with 1, pairs with different ones count together.

    """
    pairs: dict[tuple[str, str], dict[str, str]] = {}
    for longer, shorter in ((ranked, {*judged}), (judged, {*ranked})):
        for text in longer:
            for cut in (part.end() for part in _PART.finditer(text)):
                for kind, base, affix in ((_SUFFIX, text[:cut], text[cut:]), (_PREFIX, text[cut:], text[:cut])):
                    if base in shorter:
                        pair = (base, text) if longer is ranked else (text, base)
                        pairs.setdefault((kind, affix if least > 1 else ""), {}).update([pair])
    return ((with_affix, kind) for (kind, _), with_affix in pairs.items() if len(with_affix) >= least)
