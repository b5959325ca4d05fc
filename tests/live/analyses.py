"""Values of systems, drawn, with what statsmodels makes of them; `PYTHON tests/live/analyses.py FILE` stores it.

For each table the two-way analysis of variance without replication (`anova_lm`), and corrections of p-values
(`multipletests`). statsmodels is needed for storing only.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

SIZES = ((12, 3), (30, 5), (7, 8), (50, 2))
"""queries and systems"""
METHODS = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh", "by": "fdr_by"}
"""corrections, and what statsmodels calls them"""


def drawn(seed: int, queries: int, systems: int) -> list[list[float]]:
    """Draw values, a row for each query."""
    generator = np.random.default_rng(seed)
    hardness, skill = generator.normal(0.5, 0.2, (queries, 1)), generator.normal(0, 0.05, systems)
    table: list[list[float]] = (hardness + skill + generator.normal(0, 0.1, (queries, systems))).tolist()
    return table


def analysed(table: list[list[float]]) -> dict[str, dict[str, float]]:
    """Return squares, F and p of systems and queries, and the squares of the residuals."""
    pandas, formula = import_module("pandas"), import_module("statsmodels.formula.api")
    rows = [(str(query), str(system), value) for query, row in enumerate(table) for system, value in enumerate(row)]
    frame = pandas.DataFrame(rows, columns=["query", "system", "value"])
    found = import_module("statsmodels.stats.anova").anova_lm(formula.ols("value ~ C(query) + C(system)", frame).fit())
    return {
        name: {
            key: float(found.loc[row, column]) for key, column in (("squares", "sum_sq"), ("f", "F"), ("p", "PR(>F)"))
        }
        for name, row in (("columns", "C(system)"), ("rows", "C(query)"))
    } | {"residual": {"squares": float(found.loc["Residual", "sum_sq"])}}


def stored() -> dict[str, Any]:
    """Return all cases."""
    correct = import_module("statsmodels.stats.multitest").multipletests
    tables = [drawn(seed, *size) for seed, size in enumerate(SIZES)]
    random = np.random.default_rng(49)
    lists = [(random.random(size) ** 3).tolist() for size in (1, 4, 15)]
    return {
        "version": f"statsmodels {import_module('statsmodels').__version__}",
        "variance": [{"values": table, "found": analysed(table)} for table in tables],
        "corrections": [
            {"p": p, "found": {name: correct(p, method=theirs)[1].tolist() for name, theirs in METHODS.items()}}
            for p in lists
        ],
    }


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(stored()) + "\n", encoding="utf-8")
