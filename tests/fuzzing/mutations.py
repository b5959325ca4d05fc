"""Damage: bytes flipped, cut, put in, doubled and swapped, cells and lines exchanged, two files made one."""

import re
from random import Random
from typing import Final

_TOKENS: Final = (
    *(b'"', b'""', b",", b";", b"\t", b"|", b" ", b"\n", b"\r", b"\r\n", b"\n\n", b"#", b"\\", b"\0", b"\xef\xbb\xbf"),
    *(
        b"nan",
        b"NaN",
        b"inf",
        b"-Infinity",
        b"null",
        b"1e400",
        b"1e-400",
        b"0x10",
        b"1_0",
        b"1,5",
        b"+",
        b"-",
        b".",
        b"e",
    ),
    *(b"9" * 400, b"123456789012345678901234567890", "٣".encode(), "½".encode(), b"\xff", b"\xe9", b"\xed\xa0\x80"),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b"{}",
        b"[]",
        b'"a":1',
        b'"score":',
        b"\\u0022",
        b"\\ud800",
        b"\\u003a",
        b"true",
        b'""',
    ),
    *(
        b"query",
        b"document",
        b"score",
        b"rank",
        b"grade",
        b"docs",
        b"id",
        b"Q0",
        b"\xff\xfe",
        b"\x85",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
    ),
)
_CELL: Final = re.compile(rb"[^\t\n,;|: ]+")


def mutated(random: Random, content: bytes, other: bytes) -> bytes:
    """The content with one to four pieces of damage; `other` is what may be spliced in."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 4))):
        content = random.choice(_WAYS)(random, content, other)
    return content


def _span(random: Random, content: bytes, longest: int = 40) -> tuple[int, int]:
    start = random.randint(0, len(content))
    return start, min(len(content), start + random.randint(0, longest))


def _flip(random: Random, content: bytes, _: bytes) -> bytes:
    if not content:
        return content
    place = random.randrange(len(content))
    return content[:place] + bytes([content[place] ^ (1 << random.randrange(8))]) + content[place + 1 :]


def _set(random: Random, content: bytes, _: bytes) -> bytes:
    place = random.randint(0, len(content))
    return content[:place] + random.randbytes(1) + content[place + 1 :]


def _cut(random: Random, content: bytes, _: bytes) -> bytes:
    return content[: random.randint(0, len(content))]


def _delete(random: Random, content: bytes, _: bytes) -> bytes:
    start, end = _span(random, content)
    return content[:start] + content[end:]


def _insert(random: Random, content: bytes, _: bytes) -> bytes:
    place = random.randint(0, len(content))
    return content[:place] + random.choice(_TOKENS) + content[place:]


def _replace(random: Random, content: bytes, _: bytes) -> bytes:
    start, end = _span(random, content, 6)
    return content[:start] + random.choice(_TOKENS) + content[end:]


def _double(random: Random, content: bytes, _: bytes) -> bytes:
    start, end = _span(random, content)
    return content[:end] + content[start:]


def _swap(random: Random, content: bytes, _: bytes) -> bytes:
    a, b, c, d = sorted(random.randint(0, len(content)) for _ in range(4))
    return content[:a] + content[c:d] + content[b:c] + content[a:b] + content[d:]


def _splice(random: Random, content: bytes, other: bytes) -> bytes:
    return content[: random.randint(0, len(content))] + other[random.randint(0, len(other)) :]


def _append(_: Random, content: bytes, other: bytes) -> bytes:
    return content + other


def _swap_cells(random: Random, content: bytes, _: bytes) -> bytes:
    cells = list(_CELL.finditer(content))
    if len(cells) < 2:
        return content
    first, second = sorted(random.sample(cells, 2), key=lambda cell: cell.start())
    between = content[first.end() : second.start()]
    return content[: first.start()] + second[0] + between + first[0] + content[second.end() :]


def _set_cell(random: Random, content: bytes, other: bytes) -> bytes:
    cells = list(_CELL.finditer(content))
    others: list[bytes] = _CELL.findall(other) or [b""]
    if not cells:
        return content
    cell = random.choice(cells)
    return content[: cell.start()] + random.choice((*others, *_TOKENS)) + content[cell.end() :]


def _lines(random: Random, content: bytes, _: bytes) -> bytes:
    lines = content.split(b"\n")
    one = random.choice(lines)
    way = random.randrange(3)
    if way == 0:
        lines.insert(random.randrange(len(lines)), one)
    elif way == 1:
        lines.remove(one)
    else:
        random.shuffle(lines)
    return b"\n".join(lines)


_WAYS: Final = (
    *(_flip, _set, _cut, _delete, _insert, _insert, _replace, _replace, _double, _swap, _splice, _append),
    *(_swap_cells, _set_cell, _set_cell, _lines),
)
