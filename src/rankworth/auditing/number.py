"""The number that is to be explained: how it is written, and whether a value gives it."""

from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Final

from rankworth.errors import MeasureError

_EQUAL: Final = 1e-12


def rounds_to(number: float, target: Decimal) -> bool:
    """Return whether a number is another one at its digits: half of the last one, rounded either way."""
    return abs(number - float(target)) <= 0.5 * last_digit(target) + _EQUAL * abs(float(target))


def begins_with(number: float, target: Decimal) -> bool:
    """Return whether the digits of a number begin with those of another one, which was cut off and not rounded."""
    beyond = abs(number) - abs(float(target))
    return target.is_signed() == (number < 0) and 0 <= beyond <= last_digit(target) + _EQUAL * abs(float(target))


def last_digit(target: Decimal) -> float:
    """Return what the last digit of a number counts."""
    return 10.0 ** int(target.as_tuple().exponent)


def parted(measure: str, *, needs_number: bool) -> tuple[str, str]:
    """Split the name of a measure from the number behind the last `=`; parameters have theirs in brackets."""
    label, _, number = measure.rpartition("=") if not measure.endswith(")") else (measure, "", "")
    with suppress(InvalidOperation):
        number = f"{Decimal(number[:-1]).scaleb(-2):f}" if number.endswith("%") else number
        if needs_number and label and Decimal(number).is_finite():
            return label, number
    if needs_number or (label and ")" not in number and "(" not in label):
        rule = "a number to explain is written MEASURE=NUMBER" if needs_number else "two profiles need no number"
        remedy = "as in nDCG@10=0.4218 or nDCG@10=42.18%; or nDCG@10 and two profiles"
        raise MeasureError("measure-syntax", f"{measure!r}: {rule}", remedy=remedy)
    return measure, ""
