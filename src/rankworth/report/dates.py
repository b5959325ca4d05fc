"""The date of a page: one that is given, or that of the newest input, so that the same files make the same page."""

import datetime as dt
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from rankworth.errors import UsageError

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def of_page(text: str, files: Iterable[Path] = ()) -> str:
    """Return a date in ISO form: as it is given, else of the newest file (UTC), else empty.

    Raises:
        UsageError: `unknown-setting`.

    """
    if not text:
        newest = max((path.stat().st_mtime for path in files), default=None)
        return "" if newest is None else of_epoch(newest)
    try:
        return dt.date.fromisoformat(text).isoformat()
    except ValueError:
        remedy = "--date 2026-11-26"
        raise UsageError("unknown-setting", f"{text!r} is no date of year, month and day", remedy=remedy) from None


def of_epoch(seconds: float) -> str:
    """Return the day of a number of seconds since 1970, in UTC."""
    return dt.datetime.fromtimestamp(seconds, dt.UTC).date().isoformat()


def in_words(date: str) -> str:
    """Write an ISO date for people, in any locale alike.

    >>> in_words("2026-11-06"), in_words("")
    ('6 Nov 2026', '')
    """
    if not date:
        return ""
    day = dt.date.fromisoformat(date)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
