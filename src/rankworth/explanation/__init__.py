"""How a value is computed, rank by rank, and what would change it; nothing here knows a measure."""

from rankworth.explanation.changes import BY as BY
from rankworth.explanation.explaining import explain as explain
from rankworth.explanation.explaining import explain_queries as explain_queries
from rankworth.explanation.explanation import Difference as Difference
from rankworth.explanation.explanation import Explanation as Explanation
from rankworth.explanation.explanation import Explanations as Explanations
from rankworth.explanation.explanation import Missing as Missing
from rankworth.explanation.explanation import Share as Share
from rankworth.explanation.scenario import EXPERIMENTS as EXPERIMENTS
from rankworth.explanation.scenario import SCENARIOS as SCENARIOS
from rankworth.explanation.scenario import Scenario as Scenario
from rankworth.explanation.scenario import Scenarios as Scenarios
from rankworth.explanation.scenario import scenarios as scenarios
from rankworth.explanation.trace import Term as Term
from rankworth.explanation.trace import Trace as Trace
from rankworth.explanation.trace import columns as columns
from rankworth.explanation.trace import number as number
from rankworth.explanation.varying import Variation as Variation
from rankworth.explanation.varying import vary as vary
