"""From rankings of documents to vectors of scores, which coefficients of correlation take."""

from collections.abc import Iterator
from typing import Final, Literal, get_args

import numpy as np

from rankworth.correlation.pairing import Pairing
from rankworth.errors import InputError, UsageError, counted, quoted
from rankworth.hits import Floats

Missing = Literal["refuse", "common", "last"]
"""What becomes of documents that one of two rankings does not have: an error; they are left out; they stand behind all
others, tied."""
_WORDS: Final = get_args(Missing)


def checked(missing: str) -> None:
    """Refuse what is no such word.

    Raises:
        UsageError: `unknown-setting`.

    """
    if missing not in _WORDS:
        raise UsageError("unknown-setting", f"missing={missing!r}: missing is {' or '.join(map(repr, _WORDS))}")


def vectors(pairing: Pairing, missing: Missing, label: str) -> Iterator[tuple[Floats, Floats]]:
    """The scores of the documents of each query in both rankings: minus their rank, so that higher is better.

    With `last`, documents of one ranking only stand behind all of the other one, tied: what Fagin, Kumar and Sivakumar
    (2003), Comparing top k lists, https://doi.org/10.1137/S0895480102412856, call a bucket order.

    Raises:
        InputError: `not-conjoint`.

    """
    first, second = pairing.first, pairing.second
    if missing == "refuse":
        _refuse(pairing, label)
    for place in range(len(pairing)):
        rows = slice(int(first.starts[place]), int(first.starts[place + 1]))
        others = slice(int(second.starts[place]), int(second.starts[place + 1]))
        match, top = first.match[rows], first.top[rows]
        both = match >= 0
        x, y = top[both], second.top[match[both]]
        if missing == "last":
            alone = second.top[others][second.match[others] < 0]
            x = np.concatenate((x, top[~both], np.full(alone.size, top.size + 1)))
            y = np.concatenate((y, np.full(int((~both).sum()), others.stop - others.start + 1), alone))
        yield -x.astype(np.float64), -y.astype(np.float64)


def _refuse(pairing: Pairing, label: str) -> None:
    common = pairing.common
    apart = np.flatnonzero((pairing.first.lengths != common) | (pairing.second.lengths != common))
    if not apart.size:
        return
    place = int(apart[0])
    sizes = f"{pairing.first.lengths[place]:,} and {pairing.second.lengths[place]:,}, {common[place]:,} of them common"
    of = f"of {quoted([pairing.queries[place]])} " if pairing.queries[place] else ""
    more = f" (and {counted(int(apart.size) - 1)} more)" if apart.size > 1 else ""
    raise InputError(
        "not-conjoint",
        f"{label} is about two rankings of the same documents, and those {of}hold {sizes}{more}",
        remedy='missing="common" looks at the documents that both have, missing="last" puts the others behind, tied '
        "(--missing common, --missing last)\nRBO, overlap, AO, Jaccard and RBA are made for rankings that differ",
    )
