"""Errors of Spark and of its workers, as rankworth raises them."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as sql

from rankworth import errors
from rankworth.errors import RankworthError

if TYPE_CHECKING:
    from pyspark.sql import Column

_RAISED: Final = re.compile(r"rankworth\.errors\.(?P<kind>\w+Error): ")
_PROBLEM: Final = re.compile(r"(?P<text>.*)   \[(?P<slug>[a-z-]+)\]")
_MORE: Final = re.compile(r"\.\.\. and (?P<more>[\d,]+) more")


@contextmanager
def translated() -> Iterator[None]:
    """Within it, an error that a worker raised comes as it was raised.

    Raises:
        RankworthError: as the worker.

    """
    try:
        yield
    except RankworthError:
        raise
    except Exception as error:
        told = raised(str(error))
        if told is None:
            raise
        raise told from None


def raised(text: str) -> RankworthError | None:
    """The error that a worker's traceback ends with, if it is one of ours.

    Args:
        text: what Spark says of a job that failed.

    """
    found = _RAISED.search(text)
    if found is None:
        return None
    problems, slugs, remedy, more = [], [], [], 0
    for line in text[found.end() :].splitlines():
        if (problem := _PROBLEM.fullmatch(line)) is not None and problem["slug"] in errors.slugs():
            problems.append(problem["text"])
            slugs.append(problem["slug"])
        elif (rest := _MORE.fullmatch(line)) is not None:
            more = int(rest["more"].replace(",", ""))
        elif line.startswith("  ") and problems:
            remedy.append(line.strip())
        else:
            break
    if not problems:
        return None
    kind = {"MeasureError": errors.MeasureError, "UsageError": errors.UsageError}.get(found["kind"], errors.InputError)
    return kind(slugs[0], *problems, slugs=slugs, more=more, remedy="\n".join(remedy))


def failure(slug: str, text: "Column", remedy: str) -> "Column":
    """What Spark fails with where it comes to such a row.

    Args:
        slug: of the error.
        text: what is wrong with the row.
        remedy: what helps.

    """
    ended = sql.lit(f"   [{slug}]\n  {remedy}\n")
    return sql.raise_error(sql.concat(sql.lit("rankworth.errors.InputError: "), text, ended))
