"""When what deserves a second look is found: once it is read, and once for the same judgements and run."""

import math
from collections.abc import Callable, Sequence
from typing import ClassVar, Final, NamedTuple, Self

from rankworth.judging.judged_run import JudgedRows
from rankworth.profiles import ResolvedMeasure
from rankworth.scoring.columns import Column
from rankworth.scoring.counts import Counts, Notice, TieEffect
from rankworth.scoring.diagnostics import diagnose, has_few_judged, unjudged_share
from rankworth.scoring.evaluator import Evaluation
from rankworth.scoring.plans import Plan

_REMEMBERED: Final = 1 << 17
"""how many rows a run has at most of which is kept what was found"""
_RUNS: Final = 4
"""of how many runs it is kept beside the judgements"""


class Diagnosed(NamedTuple):
    """What deserves a second look in an evaluation."""

    notices: tuple[Notice, ...]
    ties: tuple[TieEffect, ...] = ()
    """measures whose mean depends on the order of ties"""
    unjudged: float = math.nan
    """the share of the first ten ranks that holds unjudged documents; NaN where it is not known"""


class Diagnosis:
    """What deserves a second look, found when it is first asked for."""

    NONE: ClassVar["Diagnosis"]
    """of values that nothing is said of"""

    def __init__(self, find: Callable[[], Diagnosed]) -> None:
        """Keep the function that finds it."""
        self._find: Callable[[], Diagnosed] | None = find
        self._diagnosed = Diagnosed(())

    def __call__(self) -> Diagnosed:
        """Find it, once."""
        if self._find is not None:
            self._diagnosed, self._find = self._find(), None
        return self._diagnosed

    def __reduce__(self) -> tuple[Callable[[Diagnosed], "Diagnosis"], tuple[Diagnosed]]:
        """Return what is pickled: what was found."""
        return _of_diagnosed, (self(),)

    @classmethod
    def of(
        cls, evaluation: Evaluation, plan: Plan, measured: Sequence[tuple[ResolvedMeasure, Column]], counts: Counts
    ) -> Self:
        """Prepare the diagnosis of an evaluation.

        A dict may change before it is asked for, so that the ids that are looked at are read here; a file may be gone,
        so that it is made at once.

        Args:
            evaluation: the run under all settings.
            plan: the measures.
            measured: the measures that are numbers, with their values.
            counts: how many queries there are.

        """
        run, whole = evaluation.run, evaluation.measured_run(plan.base)
        if not run.has_no_rows and has_few_judged(whole.judgement.hits):
            evaluation.first_documents(whole.qrels)
            if not whole.judgement.hits.is_judged.any():
                evaluation.id_field(whole.qrels)
        diagnosable = _Diagnosable(evaluation.without_documents(), plan, measured, counts)
        diagnosis = cls(diagnosable.diagnosed)
        if run.files or run.engine:
            diagnosis()
        return diagnosis


def _of_diagnosed(diagnosed: Diagnosed) -> Diagnosis:
    return Diagnosis(lambda: diagnosed)


Diagnosis.NONE = _of_diagnosed(Diagnosed(()))


class _Diagnosable(NamedTuple):
    """What is looked at."""

    evaluation: Evaluation
    plan: Plan
    measured: Sequence[tuple[ResolvedMeasure, Column]]
    counts: Counts

    def diagnosed(self) -> Diagnosed:
        """Return the findings, those of an earlier look at the same judgements and run if there was one."""
        whole, inputs = self.evaluation.measured_run(self.plan.base), self._inputs
        earlier: _Earlier = whole.qrels.__dict__.setdefault("_diagnosed", _Earlier())
        same = next((diagnosed for before, diagnosed in earlier if inputs.equal(before)), None)
        if same is not None:
            return same
        notices = tuple(diagnose(self.evaluation, self.plan, self.plan.base, self.measured, self.counts))
        listed = whole.rows(self.plan.base.averaging).listed
        diagnosed = Diagnosed(notices, tuple(whole.ties), unjudged_share(whole, listed))
        if sum(rows.rank.size for rows in inputs.rows) <= _REMEMBERED:
            earlier[:] = [(inputs, diagnosed), *earlier[: _RUNS - 1]]
        return diagnosed

    @property
    def _inputs(self) -> "_Inputs":
        """What tells whether the same is found again."""
        evaluation, whole = self.evaluation, self.evaluation.measured_run(self.plan.base)
        runs = [evaluation.measured_run(measure) for measure, _ in self.measured]
        rows = {id(run.judgement.hits): run.judgement.hits for run in (whole, *runs)}
        run, judgement = evaluation.run, whole.judgement
        said = (run.name, run.of_rows, run.has_no_rows, run.facts.lists, judgement.unjudged, judgement.emptied)
        return _Inputs(self.plan, (*said, self.counts, evaluation.known_documents(whole.qrels)), [*rows.values()])


class _Inputs(NamedTuple):
    """What was looked at, without the judgements."""

    plan: Plan
    said: tuple[object, ...]
    """what is known of the run and of single ids"""
    rows: list[JudgedRows]
    """its rows, as each measure has them"""

    def equal(self, other: "_Inputs") -> bool:
        """Return whether the same is found in both, beside the same judgements."""
        if self.plan is not other.plan or self.said != other.said or len(self.rows) != len(other.rows):
            return False
        return all(mine.equal(theirs) for mine, theirs in zip(self.rows, other.rows, strict=True))


class _Earlier(list[tuple[_Inputs, Diagnosed]]):
    """What was found before; nothing that is copied or pickled with the judgements."""

    def __reduce__(self) -> tuple[type["_Earlier"], tuple[()]]:
        return _Earlier, ()
