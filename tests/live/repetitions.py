"""Runs of two systems, drawn, with what statsmodels makes of them; `PYTHON tests/live/repetitions.py FILE` stores it.

For each system the mean squares of a two-way analysis of variance of queries and runs (`anova_lm`), and for the pair a
mixed model by restricted maximum likelihood (`MixedLM`): systems fixed; queries, queries within systems and runs within
systems random. On such data, balanced and with all variances above 0, its standard error of the difference is that of
the mean squares. statsmodels is needed for storing only.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

CASES = ((12, 4, 0.1, 0.05, 0.08), (20, 5, 0.15, 0.04, 0.05), (9, 6, 0.2, 0.1, 0.1), (15, 3, 0.05, 0.08, 0.02))
"""queries, runs of each system, and the deviations of queries within systems, of runs and of the rest"""


def drawn(seed: int, queries: int, runs: int, within: float, of_runs: float, rest: float) -> list[Any]:
    """Draw the values of the runs of two systems, `[2, R, Q]`."""
    generator = np.random.default_rng(seed)
    hardness = generator.normal(0.5, 0.2, queries)
    sides = []
    for shift in (0.0, 0.05):
        of_system = hardness + shift + generator.normal(0, within, queries)
        noise = generator.normal(0, rest, (runs, queries))
        sides.append((of_system + generator.normal(0, of_runs, (runs, 1)) + noise).tolist())
    return sides


def analysed(sides: list[Any]) -> dict[str, Any]:
    """Return mean squares by system, and the mixed model of the pair."""
    pandas, formula = import_module("pandas"), import_module("statsmodels.formula.api")
    lm = import_module("statsmodels.stats.anova")
    rows = [
        {"system": system, "run": f"{system}-{run}", "query": f"q{query}", "cell": f"{system}-q{query}", "value": value}
        for system, side in enumerate(sides)
        for run, values in enumerate(side)
        for query, value in enumerate(values)
    ]
    frame = pandas.DataFrame(rows)
    squares = []
    for system in (0, 1):
        fit = formula.ols("value ~ C(query) + C(run)", frame[frame.system == system]).fit()
        table = lm.anova_lm(fit)
        squares.append({name: float(value) for name, value in zip(table.index, table["mean_sq"], strict=True)})
    random = {"query": "0 + C(query)", "cell": "0 + C(cell)", "run": "0 + C(run)"}
    frame["all"] = 1
    model = formula.mixedlm("value ~ system", frame, groups="all", vc_formula=random)
    fit = model.fit(reml=True, method=["powell", "lbfgs"])
    names = dict(zip(model.exog_vc.names, fit.vcomp.tolist(), strict=True))
    return {
        "mean_squares": squares,
        "difference": float(fit.params["system"]),
        "error": float(fit.bse["system"]),
        "variances": {**names, "rest": float(fit.scale)},
    }


def main() -> None:
    """Store the cases."""
    cases = []
    for seed, case in enumerate(CASES):
        sides = drawn(seed, *case)
        cases.append({"values": sides, **analysed(sides)})
    versions = {name: import_module(name).__version__ for name in ("statsmodels", "numpy")}
    Path(sys.argv[1]).write_text(json.dumps({"versions": versions, "cases": cases}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
