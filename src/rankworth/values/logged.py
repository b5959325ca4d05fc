"""Values under names that every logger of experiments takes."""

import math
import re
from collections.abc import Mapping
from typing import Final

_WORDS: Final[Mapping[str, str]] = {"@": "_at_", "(": "_", ")": "", "=": "_", ", ": "_"}
_PARTS: Final = re.compile(r", |[^A-Za-z0-9_.-]")


def name(measure: str) -> str:
    """A measure as loggers take it: letters, digits, `_`, `-` and `.`; other signs of a name as `_x` and their number.

    No two measures of the catalogue have one name.

    >>> name("nDCG@10"), name("P(rel=2)@5"), name("RBP(p=0.8)"), name("gmean(AP)")
    ('nDCG_at_10', 'P_rel_2_at_5', 'RBP_p_0.8', 'gmean_AP')
    """
    return _PARTS.sub(lambda part: _WORDS.get(part[0], f"_x{ord(part[0][0]):X}_"), measure)


def log_dict(means: Mapping[str, float], queries: int, prefix: str = "") -> dict[str, float]:
    """Means as a flat dict of plain floats; those that are not defined are left out, as loggers refuse or hide them.

    Args:
        means: by measure.
        queries: how many queries stand behind them.
        prefix: what all names begin with.

    >>> log_dict({"nDCG@10": 0.25, "AP": float("nan")}, 3, "eval/")
    {'eval/nDCG_at_10': 0.25, 'eval/queries': 3.0}
    """
    told = {f"{prefix}{name(measure)}": float(mean) for measure, mean in means.items() if math.isfinite(mean)}
    return told | {f"{prefix}queries": float(queries)}
