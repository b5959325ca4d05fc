"""Statistics of differences: arrays in, frozen results out; no query ids and no names of measures.

Tables are `[N, K]`: a row for each of N queries, a column for each of K things to be told about, such as one system
under one measure. A NaN says that this query has no value there; a column is treated over its own rows. Rows may have
weights; the mean is then `sum(w d) / sum(w)`.

Each name is loaded when it is asked for, and `scipy` when something is computed with it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankworth.statistics.accelerated import bootstrap_interval as bootstrap_interval
    from rankworth.statistics.bootstrap import bootstrap_test as bootstrap_test
    from rankworth.statistics.bounds import Intervals as Intervals
    from rankworth.statistics.bounds import intervals as intervals
    from rankworth.statistics.corrections import CORRECTIONS as CORRECTIONS
    from rankworth.statistics.corrections import Correction as Correction
    from rankworth.statistics.corrections import adjusted as adjusted
    from rankworth.statistics.flips import FLIPS as FLIPS
    from rankworth.statistics.flips import randomization as randomization
    from rankworth.statistics.margins import Noninferiority as Noninferiority
    from rankworth.statistics.margins import equivalence as equivalence
    from rankworth.statistics.margins import noninferiority as noninferiority
    from rankworth.statistics.methods import TESTS as TESTS
    from rankworth.statistics.methods import Method as Method
    from rankworth.statistics.moments import deviations as deviations
    from rankworth.statistics.moments import means as means
    from rankworth.statistics.outcomes import Tests as Tests
    from rankworth.statistics.paired import sign_test as sign_test
    from rankworth.statistics.paired import t_test as t_test
    from rankworth.statistics.paired import wilcoxon as wilcoxon
    from rankworth.statistics.planning import minimal_detectable as minimal_detectable
    from rankworth.statistics.planning import power as power
    from rankworth.statistics.planning import queries_needed as queries_needed
    from rankworth.statistics.references import BIBTEX as BIBTEX
    from rankworth.statistics.samples import RESAMPLES as RESAMPLES
    from rankworth.statistics.samples import Alternative as Alternative
    from rankworth.statistics.samples import Floats as Floats
    from rankworth.statistics.samples import differences as differences
    from rankworth.statistics.samples import levelled as levelled
    from rankworth.statistics.several import Anova as Anova
    from rankworth.statistics.several import PairwiseTests as PairwiseTests
    from rankworth.statistics.several import Source as Source
    from rankworth.statistics.several import anova as anova
    from rankworth.statistics.several import tukey_hsd as tukey_hsd
    from rankworth.statistics.shuffles import SHUFFLES as SHUFFLES
    from rankworth.statistics.shuffles import RandomizedTukey as RandomizedTukey
    from rankworth.statistics.shuffles import randomized_tukey as randomized_tukey
    from rankworth.statistics.sizes import Effects as Effects
    from rankworth.statistics.sizes import effects as effects

_HOMES = {
    "accelerated": "bootstrap_interval",
    "bootstrap": "bootstrap_test",
    "bounds": "Intervals intervals",
    "corrections": "CORRECTIONS Correction adjusted",
    "flips": "FLIPS randomization",
    "margins": "Noninferiority equivalence noninferiority",
    "methods": "TESTS Method",
    "moments": "deviations means",
    "outcomes": "Tests",
    "paired": "sign_test t_test wilcoxon",
    "planning": "minimal_detectable power queries_needed",
    "references": "BIBTEX",
    "samples": "RESAMPLES Alternative Floats differences levelled",
    "several": "Anova PairwiseTests Source anova tukey_hsd",
    "shuffles": "SHUFFLES RandomizedTukey randomized_tukey",
    "sizes": "Effects effects",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - functions, classes and tables
    """Load what is asked for."""
    if name in _HOME_OF:
        return getattr(import_module(f"rankworth.statistics.{_HOME_OF[name]}"), name)
    message = f"module 'rankworth.statistics' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    """The names above."""
    return sorted(_HOME_OF)
