"""How many bytes a file may become when it is read: a few kilobytes must not fill the memory."""

from typing import Final

from rankworth.errors import InputError

MOST: Final = 1000
"""how many times the size of a file its data may have; text of runs has some twenty times, gzip makes 1,032 at most"""
FREE: Final = 1 << 25
"""bytes that every file may become"""
CELL: Final = 16
"""bytes that an id or a number takes at the least when a table is read"""


def refuse(name: str, stored: int, inflated: int) -> None:
    """Refuse data that become more than a thousand times as large when they are read.

    Args:
        name: what messages call the file.
        stored: the bytes in which the data are stored.
        inflated: the bytes that they become, as far as is known.

    Raises:
        InputError: `inflated-file`.

    """
    if inflated > max(FREE, MOST * stored):
        text = f"{name}: {stored:,} bytes of it become {inflated:,} or more when they are read"
        remedy = "they say the same over and over, as no ranking does; look at what wrote the file"
        raise InputError("inflated-file", text, remedy=remedy)
