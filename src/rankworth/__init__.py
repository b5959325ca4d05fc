"""rankworth: what a ranking is worth, and why.

A measure is a function from a judged ranking to terms: what each document is worth, how much its rank counts, and what
the sum is divided by. `evaluate` scores runs; `score` scores one ranking; every measure is an attribute of this module.

>>> import rankworth as rw
>>> rw.score([2, 1, 0, 1, 2], rw.nDCG(gain="exp2") @ 3)
0.6732934624429354
"""

from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

from rankworth.version import __version__ as __version__

if TYPE_CHECKING:
    from rankworth import mlflow as mlflow
    from rankworth import plots as plots
    from rankworth import rankers as rankers
    from rankworth import spark as spark
    from rankworth import tensors as tensors
    from rankworth.auditing import Audit as Audit
    from rankworth.auditing import FusionAudit as FusionAudit
    from rankworth.auditing import audit as audit
    from rankworth.auditing import audit_fusion as audit_fusion
    from rankworth.checking import Check as Check
    from rankworth.checking import Finding as Finding
    from rankworth.checking import check as check
    from rankworth.comparison import Comparison as Comparison
    from rankworth.comparison import CorrectedMeans as CorrectedMeans
    from rankworth.comparison import JudgeNext as JudgeNext
    from rankworth.comparison import ResultsHistory as ResultsHistory
    from rankworth.comparison import Table as Table
    from rankworth.comparison import compare as compare
    from rankworth.comparison import corrected_means as corrected_means
    from rankworth.comparison import history as history
    from rankworth.comparison import judge_next as judge_next
    from rankworth.comparison import minimal_detectable as minimal_detectable
    from rankworth.comparison import power as power
    from rankworth.comparison import queries_needed as queries_needed
    from rankworth.comparison import runs_needed as runs_needed
    from rankworth.comparison import table as table
    from rankworth.correlation import Agreement as Agreement
    from rankworth.correlation import Calibration as Calibration
    from rankworth.correlation import Correlation as Correlation
    from rankworth.correlation import Correlations as Correlations
    from rankworth.correlation import DiscriminativePower as DiscriminativePower
    from rankworth.correlation import SystemCorrelation as SystemCorrelation
    from rankworth.correlation import agreement as agreement
    from rankworth.correlation import calibrate as calibrate
    from rankworth.correlation import correlate as correlate
    from rankworth.correlation import correlate_judges as correlate_judges
    from rankworth.correlation import correlate_measures as correlate_measures
    from rankworth.correlation import correlate_runs as correlate_runs
    from rankworth.correlation import discriminative_power as discriminative_power
    from rankworth.demonstration import Collection as Collection
    from rankworth.demonstration import demo as demo
    from rankworth.embeddings import evaluate_embeddings as evaluate_embeddings
    from rankworth.errors import InputError as InputError
    from rankworth.errors import MeasureError as MeasureError
    from rankworth.errors import RankworthError as RankworthError
    from rankworth.errors import RankworthWarning as RankworthWarning
    from rankworth.errors import RefusedError as RefusedError
    from rankworth.errors import UsageError as UsageError
    from rankworth.evaluation import evaluate as evaluate
    from rankworth.evaluation import evaluate_exact as evaluate_exact
    from rankworth.evaluation import evaluate_profiles as evaluate_profiles
    from rankworth.evaluation import evaluate_runs as evaluate_runs
    from rankworth.evaluation import score as score
    from rankworth.evaluation.ceilings import chunks as chunks
    from rankworth.explanation import Difference as Difference
    from rankworth.explanation import Explanation as Explanation
    from rankworth.explanation import Explanations as Explanations
    from rankworth.explanation import Scenarios as Scenarios
    from rankworth.explanation import Variation as Variation
    from rankworth.explanation import explain as explain
    from rankworth.explanation import explain_queries as explain_queries
    from rankworth.explanation import scenarios as scenarios
    from rankworth.explanation import vary as vary
    from rankworth.fusion import FusedRun as FusedRun
    from rankworth.fusion import Fusion as Fusion
    from rankworth.fusion import fuse as fuse
    from rankworth.measure_names import *
    from rankworth.measures import CATALOGUE as CATALOGUE
    from rankworth.measures import FACTS as FACTS
    from rankworth.measures import ITEM_MEASURES as ITEM_MEASURES
    from rankworth.measures import Fact as Fact
    from rankworth.measures import Measure as Measure
    from rankworth.measures import Terms as Terms
    from rankworth.measures import building_blocks as building_blocks
    from rankworth.measures import gmean as gmean
    from rankworth.measures import measure as measure
    from rankworth.measures import micro as micro
    from rankworth.model import Qrels as Qrels
    from rankworth.model import Run as Run
    from rankworth.names import parse as parse
    from rankworth.pipelines import Silence as Silence
    from rankworth.pipelines import Trace as Trace
    from rankworth.pipelines import Tuning as Tuning
    from rankworth.pipelines import silence as silence
    from rankworth.pipelines import trace as trace
    from rankworth.pipelines import tune as tune
    from rankworth.profiles import PROFILES as PROFILES
    from rankworth.profiles import Profile as Profile
    from rankworth.profiles import Signature as Signature
    from rankworth.profiles import refuse_differences as refuse_differences
    from rankworth.results.file import Result as Result
    from rankworth.results.loading import load as load
    from rankworth.results.values import RunValues as RunValues
    from rankworth.results.values import Values as Values

_HOMES = {
    "auditing": "Audit FusionAudit audit audit_fusion",
    "checking": "Check Finding check",
    "correlation": (
        "Agreement Calibration Correlation Correlations DiscriminativePower SystemCorrelation agreement calibrate "
        "correlate correlate_judges correlate_measures correlate_runs discriminative_power"
    ),
    "comparison": (
        "Comparison CorrectedMeans JudgeNext ResultsHistory Table compare corrected_means history judge_next "
        "minimal_detectable power queries_needed runs_needed table"
    ),
    "demonstration": "Collection demo",
    "embeddings": "evaluate_embeddings",
    "errors": "InputError MeasureError RankworthError RankworthWarning RefusedError UsageError",
    "evaluation": "evaluate evaluate_exact evaluate_profiles evaluate_runs score",
    "evaluation.ceilings": "chunks",
    "explanation": ("Difference Explanation Explanations Scenarios Variation explain explain_queries scenarios vary"),
    "fusion": "FusedRun Fusion fuse",
    "measures": "CATALOGUE FACTS ITEM_MEASURES Fact Measure Terms building_blocks gmean measure micro",
    "model": "Qrels Run",
    "names": "parse",
    "pipelines": "Silence Trace Tuning silence trace tune",
    "profiles": "PROFILES Profile Signature refuse_differences",
    "results.file": "Result",
    "results.loading": "load",
    "results.values": "RunValues Values",
}
_MODULES = ("mlflow", "plots", "rankers", "spark", "tensors")
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - functions, classes and measures
    """Load what is asked for: the names and modules above, every measure and every fact, by all their names here."""
    if name in _HOME_OF:
        return globals().setdefault(name, getattr(import_module(f"rankworth.{_HOME_OF[name]}"), name))  # asked for once
    if name in _MODULES:
        return import_module(f"rankworth.{name}")
    if not name.startswith("_") and PathFinder.find_spec(name, __path__) is None:  # Python asks here for modules first
        every = import_module("rankworth.measures").registered()
        if name in every:
            return every[name]
        for quantity in every.values():
            if name in quantity.definition.aliases:
                return quantity
    message = f"module 'rankworth' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    """List all public names, all measures and all facts."""
    return sorted({*_HOME_OF, *_MODULES, *import_module("rankworth.measures").registered(), "__version__"})
