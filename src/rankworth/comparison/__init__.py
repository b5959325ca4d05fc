"""Comparisons: whether systems differ, by how much, how sure that is, and where it comes from."""

from rankworth.comparison import gates as gates
from rankworth.comparison.comparing import Table as Table
from rankworth.comparison.comparing import compare as compare
from rankworth.comparison.comparing import table as table
from rankworth.comparison.corrected import CorrectedMean as CorrectedMean
from rankworth.comparison.corrected import CorrectedMeans as CorrectedMeans
from rankworth.comparison.corrected import corrected_means as corrected_means
from rankworth.comparison.differences import Difference as Difference
from rankworth.comparison.differences import Plan as Plan
from rankworth.comparison.differences import ScoreTable as ScoreTable
from rankworth.comparison.identical_runs import GateNoise as GateNoise
from rankworth.comparison.identical_runs import RepeatedDifference as RepeatedDifference
from rankworth.comparison.identical_runs import RepeatedSystem as RepeatedSystem
from rankworth.comparison.next_judgements import JudgeNext as JudgeNext
from rankworth.comparison.next_judgements import judge_next as judge_next
from rankworth.comparison.planning import minimal_detectable as minimal_detectable
from rankworth.comparison.planning import power as power
from rankworth.comparison.planning import queries_needed as queries_needed
from rankworth.comparison.planning import runs_needed as runs_needed
from rankworth.comparison.result import Comparison as Comparison
from rankworth.comparison.result import Method as Method
from rankworth.comparison.result import QueryDifference as QueryDifference
from rankworth.comparison.result import QueryDifferences as QueryDifferences
from rankworth.comparison.result import Wins as Wins
from rankworth.comparison.systems import DEFAULT as DEFAULT
from rankworth.comparison.systems import kept_measures as kept_measures
