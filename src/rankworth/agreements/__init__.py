"""Agreement of two judges: whether two sets of judgements give the same grades to the same documents.

Formulas stand in `kappas` and `alphas`, on arrays alone: confusion tables `[..., C, C]`.
"""

from rankworth.agreements.asking import agreement, names_of
from rankworth.agreements.result import Agreement
from rankworth.agreements.told import Bias, Estimate, Figures, GradeAgreement, QueryAgreement, QueryAgreements

__all__ = [
    "Agreement",
    "Bias",
    "Estimate",
    "Figures",
    "GradeAgreement",
    "QueryAgreement",
    "QueryAgreements",
    "agreement",
    "names_of",
]
