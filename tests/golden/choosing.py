"""Words in which records are chosen."""

import re
from collections.abc import Callable

from golden.records import Record

Select = Callable[[Record], bool]


def records(
    tool: str, *, version: str = "", called: str = "", measure: str = "", case: str = "", query: str = ""
) -> Select:
    """Chooses records of a tool by patterns that begin its version, its call and its case, and that are the measure.

    Args:
        tool: the name of the tool.
        version: how its version begins.
        called: a pattern for how the options, the provider or the adapter begin; `^$` for none of them.
        measure: a pattern for the whole measure.
        case: a pattern for how the case begins.
        query: the query.

    """

    def select(record: Record) -> bool:
        return (
            record.tool == tool
            and record.version.startswith(version)
            and re.match(called, record.called) is not None
            and (not measure or re.fullmatch(measure, record.measure) is not None)
            and re.match(case, record.case) is not None
            and query in ("", record.query)
        )

    return select
