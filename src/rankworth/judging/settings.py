"""How to judge: what the judging of a run can be told."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Judging:
    """Settings of the judging.

    Attributes:
        ties: documents with equal scores stand in descending order of their ids, compared as UTF-8 bytes
            (`id-descending`, as trec_eval does).
        duplicates: a document that a query ranks twice is an error.

    """

    ties: Literal["id-descending"] = "id-descending"
    duplicates: Literal["error"] = "error"
