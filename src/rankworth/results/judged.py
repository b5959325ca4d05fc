"""The digest of judgements as nested data, there and back."""

from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Mapping
from typing import Any, Final

from rankworth.model import Digest, QueryDigest

LIMIT: Final = 1_000_000
"""how many judgements a file names one by one"""


def described(digest: Digest) -> dict[str, Any]:
    """A digest as it stands in a file: documents by grade for each query, or numbers where there are too many."""
    named = digest.pairs <= LIMIT
    return {
        "queries": len(digest.queries),
        "pairs": digest.pairs,
        "sha256": digest.sha256,
        "per_query": {query: _of_query(one, named=named) for query, one in digest.queries.items()},
    }


def _of_query(one: QueryDigest, *, named: bool) -> dict[str, Any]:
    if not named or one.documents is None:
        return {"pairs": one.pairs, "digest": one.digest}
    return {grade: b64encode(hashes).decode() for grade, hashes in one.documents.items()}


def restored(told: Mapping[str, Any]) -> Digest:
    """The digest that a file describes.

    Raises:
        ValueError: where it describes none, or not the one of which it has the sum.

    """
    try:
        digest = Digest({query: _read(one) for query, one in sorted(told["per_query"].items())})
        sums = told["sha256"], told["pairs"], told["queries"]
    except (AttributeError, Error, KeyError, TypeError, ValueError) as error:
        raise ValueError("the digest of the judgements cannot be read") from error
    if sums != (digest.sha256, digest.pairs, len(digest.queries)):
        raise ValueError("the digest of the judgements is not that of its queries")
    return digest


def _read(one: Mapping[str, Any]) -> QueryDigest:
    if "digest" in one:
        return QueryDigest(int(one["pairs"]), str(one["digest"]))
    ordered = sorted(one.items(), key=lambda pair: float(pair[0]))
    return QueryDigest.of({grade: b64decode(hashes, validate=True) for grade, hashes in ordered})
