"""How to judge: what the judging of a run can be told."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from rankworth.errors import UsageError
from rankworth.io.duplicates import DuplicateJudgements, Duplicates, check
from rankworth.judging.exclusion import Exclusion

Unjudged = Literal["kept", "removed"]


@dataclass(frozen=True)
class Judging:
    """Settings of the judging.

    Attributes:
        ties: documents with equal scores stand in descending order of their ids, compared as UTF-8 bytes
            (`id-descending`, as trec_eval does).
        duplicates: a document that a query ranks twice is an error, or one of its rows counts: that with the highest
            score (`best`, as for passages of documents), or that which comes `first` or `last`. Ranks are closed up.
        depth: how many documents of each query are looked at; all if None (`-M` in trec_eval).
        unjudged: documents that nobody judged keep their ranks (`kept`), or are removed before ranks are counted
            (`removed`, `-J` in trec_eval), those with a negative grade among them; after `depth` has cut the run.
        duplicate_judgements: a document that is judged twice for a query (and one subtopic) is an error, or one of the
            grades counts: the highest (`max`), the `first` or the `last`.
        exclude: pairs of query and document that are taken out of run and judgements before anything else.

    """

    ties: Literal["id-descending"] = "id-descending"
    duplicates: Duplicates = "error"
    depth: int | None = None
    unjudged: Unjudged = "kept"
    duplicate_judgements: DuplicateJudgements = "error"
    exclude: Exclusion | None = None

    def __post_init__(self) -> None:
        """Refuse what is no setting."""
        if self.depth is not None and (isinstance(self.depth, bool) or self.depth != int(self.depth) or self.depth < 1):
            raise UsageError(
                "unknown-setting", f"depth={self.depth}: how much of a run is read is a whole number from 1"
            )
        if self.unjudged not in get_args(Unjudged):
            choices = " or ".join(map(repr, get_args(Unjudged)))
            raise UsageError("unknown-setting", f"unjudged={self.unjudged!r}: what becomes of them is {choices}")
        check("duplicates", self.duplicates, Duplicates)
        check("duplicate_judgements", self.duplicate_judgements, DuplicateJudgements)


STANDARD: Final = Judging()
