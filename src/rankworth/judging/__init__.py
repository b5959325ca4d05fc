"""From judgements and a run to a judged run: the rank of each judged document of a query in the run.

`ranking` says what is done, step by step; `dicts` does it with plain dicts, `polars` with files and frames, among them
those of `duckdb`. Both give equal rows, bit for bit. `quirks` and `grades` are settings that act before and after.
"""

from rankworth.judging.judge import judge_all
from rankworth.judging.judged_run import JudgedRun
from rankworth.judging.ranking import Include

__all__ = ["Include", "JudgedRun", "judge_all"]
