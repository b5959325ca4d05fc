"""Gold as groups: lists of which each item is a group of documents that do for each other, `[{"a", "b"}, {"c"}]`.

A group is a subtopic, and is called by its number, from 1: what is read has a row for each document of each group.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Final

from rankworth.errors import InputError
from rankworth.io.validate import shown

NAMES: Final = ("groups", "gold_groups")
"""what a column of groups is called, in which lists of two texts are groups, too"""
REMEDY: Final = (
    "if each is a group of documents that do for each other: a row {query: q1, groups: [[a, b], [c]]}, in Python sets"
)
"""how groups of two are told from documents with their grades"""
_PAIR: Final = 2


def are_groups(lists: Sequence[Any], called: object = "") -> bool:
    """Return whether lists of judgements hold groups of documents.

    Sets are groups, and so are lists in a column of that name. Elsewhere lists of ids are groups if they are not all
    of two: a list of two may be a document and its grade.

    Args:
        lists: of each query.
        called: the column that they stand in.

    """
    items = [item for items in lists if type(items) is list for item in items]
    nested = [item for item in items if isinstance(item, set | frozenset | list | tuple)]
    if any(isinstance(item, set | frozenset) for item in nested) or (nested and str(called).lower() in NAMES):
        return True
    are_lists = bool(nested) and all(type(item) is list for item in items)
    return are_lists and all(isinstance(text, str) for text in chain(*items)) and {*map(len, items)} - {_PAIR} != set()


def ungrouped(lists: Sequence[Any], where: Callable[[int], str], first: int) -> tuple[list[list[Any]], list[list[str]]]:
    """Return the documents of each query, group after group, and the number of the group of each.

    Args:
        lists: of each query, the groups; a document alone is a group.
        where: where the list of each query stands.
        first: the number of the first item in messages.

    Raises:
        InputError: `missing-value` for a group without a document, `input-type` for groups within groups.

    """
    documents: list[list[Any]] = []
    numbers: list[list[str]] = []
    for row, groups in enumerate(lists):
        documents.append([])
        numbers.append([])
        for number, group in enumerate(groups):
            is_group = isinstance(group, set | frozenset | list | tuple)
            members = list(group) if is_group else [group]
            if not members:
                text = (
                    f"{where(row)}, item {number + first} is a group without a document: nothing could be found for it"
                )
                raise InputError("missing-value", text, remedy="leave the group out, or give it a document")
            for member in members:
                if isinstance(member, set | frozenset | list | tuple | dict):
                    text = f"{where(row)}, item {number + first}: {shown(member)} stands in a group, and is no id"
                    remedy = "a group holds ids, each of which is enough: [{'a', 'b'}, {'c'}] is (a or b) and c"
                    raise InputError("input-type", text, remedy=remedy)
            members = _in_order(members, is_set=not isinstance(group, list | tuple))
            documents[-1] += members
            numbers[-1] += [str(number + 1)] * len(members)
    return documents, numbers


def _in_order(members: list[Any], *, is_set: bool) -> list[Any]:
    """Return the members of a group, each once; those of a set in an order that does not depend on hashing."""
    return sorted(members, key=str) if is_set else list(dict.fromkeys(members))
