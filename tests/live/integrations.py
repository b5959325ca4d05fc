"""The programs of the pages about other libraries, and the numbers that each leaves behind.

They are run with stand-ins at each commit (tests/test_integrations.py), and with the libraries in an environment of
their own (run_integrations.py, for tests/parity/test_integrations.py).
"""

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

HOWTO: Final = Path(__file__).resolve().parents[2] / "docs" / "howto"
SECTION: Final = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PROGRAM: Final = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RETRIEVED: Final = {"return shoes": ["d2", "d1"], "send shoes back": ["d1"], "delivery time": ["d4"]}
"""what the search of the page about inspect_ai finds"""

Numbers = dict[str, float]


def of_mlflow(names: Mapping[str, Any]) -> Numbers:
    """The metrics that `mlflow.models.evaluate` returned, and the values of the rows."""
    [table] = names["result"].tables.values()
    rows = {f"row {row}": value for row, value in enumerate(table["nDCG_at_10/score"])}
    return {name: float(value) for name, value in names["result"].metrics.items()} | rows


def of_mlflow_genai(names: Mapping[str, Any]) -> Numbers:
    """The mean that `mlflow.genai.evaluate` returned."""
    return {name: float(value) for name, value in names["result"].metrics.items()}


def of_wandb(names: Mapping[str, Any]) -> Numbers:
    """The summary of the run, and the rows of its table."""
    rows = {f"{query} {measure}": value for query, *values in names["queries"] for measure, value in enumerate(values)}
    kept = names["wandb"].kept_summary
    return {name: value for name, value in kept.items() if isinstance(value, int | float)} | rows


def of_optuna(names: Mapping[str, Any]) -> Numbers:
    """The mean of the queries that were held out, and that of the last study beside its objective."""
    study, values = names["study"], names["values"]
    again = names["objective"](type("Fixed", (), {"suggest_float": lambda *_: study.best_params["weight"]})())
    return {"queries": values.counts.scored, "best": study.best_value, "again": again}


def of_lightning(names: Mapping[str, Any]) -> Numbers:
    """What `Trainer.validate` returned for two batches, and the mean of the same queries."""
    torch, tensors = names["torch"], names["rw"].tensors
    torch.manual_seed(3)
    batches = [(torch.rand(size, 7, 4), torch.randint(0, 3, (size, 7))) for size in (5, 2)]
    model = names["Ranker"]()
    trainer = names["lightning"].Trainer(logger=False, accelerator="cpu", enable_progress_bar=False)
    [logged] = trainer.validate(model, torch.utils.data.DataLoader(batches, batch_size=None), verbose=False)
    scores, grades = (torch.cat(parts) for parts in zip(*batches, strict=True))
    with torch.no_grad():
        expected = tensors.evaluate(model.layer(scores).squeeze(-1), grades, ["nDCG@10"]).mean()["nDCG@10"]
    return {"logged": float(logged["val/nDCG_at_10"]), "expected": float(expected)}


def of_inspect_ai(names: Mapping[str, Any]) -> Numbers:
    """Mean and clustered standard error."""
    [score] = names["log"].results.scores
    return {name: metric.value for name, metric in score.metrics.items()}


def of_deepeval(names: Mapping[str, Any]) -> Numbers:
    """The score of each test case, and how many passed."""
    metrics = [metric for result in names["result"].test_results for metric in result.metrics_data]
    return {f"case {place}": metric.score for place, metric in enumerate(metrics)} | {
        "passed": sum(metric.success for metric in metrics)
    }


def of_ragas(names: Mapping[str, Any]) -> Numbers:
    """The score of each sample."""
    return {f"sample {place}": value for place, value in enumerate(names["result"]["nDCG@10"])}


class Section(NamedTuple):
    """A section of a page whose program is run.

    Attributes:
        page: the name of the page.
        heading: its heading.
        part: which of its programs; those before are run, too.
        numbers: returns what the program left behind.

    """

    page: str
    heading: str
    numbers: Callable[[Mapping[str, Any]], Numbers]
    part: int = 0

    @property
    def code(self) -> str:
        """The program."""
        text = (HOWTO / f"{self.page}.md").read_text(encoding="utf-8")
        [body] = [body for heading, body in SECTION.findall(text) if heading == self.heading]
        programs: list[str] = PROGRAM.findall(body)
        return programs[self.part]

    def run(self) -> Numbers:
        """Run the program in the present folder, which has the example files."""
        names: dict[str, Any] = {"__name__": "pasted", "search": RETRIEVED.get}
        exec(compile(self.code, f"{self.page}.md", "exec"), names)  # noqa: S102 - pages of our own
        return self.numbers(names)


SECTIONS: Final = {
    "mlflow": Section("experiment-trackers", "MLflow", of_mlflow),
    "mlflow.genai": Section("experiment-trackers", "MLflow", of_mlflow_genai, part=1),
    "wandb": Section("experiment-trackers", "Weights & Biases", of_wandb),
    "optuna": Section("experiment-trackers", "Optuna", of_optuna),
    "lightning": Section("experiment-trackers", "Lightning", of_lightning),
    "inspect_ai": Section("llm-frameworks", "inspect_ai", of_inspect_ai),
    "deepeval": Section("llm-frameworks", "DeepEval", of_deepeval),
    "ragas": Section("llm-frameworks", "Ragas", of_ragas),
}

FIRST: Final = 1 / math.log2(3)
"""nDCG of a query whose only relevant document is second"""
HALF: Final = 1 / (1 + FIRST)
"""nDCG of a query with two relevant documents, of which one is first"""
EXPECTED: Final[Mapping[str, Numbers]] = {
    "mlflow": {
        "nDCG_at_10/mean": (FIRST + HALF) / 3,
        "nDCG_at_10/queries": 3,
        "ndcg_at_3/mlflow-3.17/mean": (FIRST + 1) / 3,
        "row 0": FIRST,
        "row 1": HALF,
        "row 2": 0,
    },
    "mlflow.genai": {"ndcg_at_10/mean": FIRST},
    "wandb": {
        "eval_nDCG_at_10": 0.6368152447159202,
        "eval_RR": 0.7,
        "eval_queries": 5,
        "eval_nDCG_at_10_low": 0.23681524471592041,  # as `--interval` prints it
        "q2 1": 1.0,
    },
    "optuna": {"queries": 108},
    "lightning": {},
    "inspect_ai": {"mean": (FIRST * HALF + HALF + 1) / 3, "stderr": 2 / 9},
    "deepeval": {"case 0": FIRST, "case 1": 2 / (2 + FIRST), "passed": 2},
    "ragas": {"sample 0": FIRST, "sample 1": HALF},
}
EQUAL: Final = {"optuna": ("best", "again"), "lightning": ("logged", "expected")}
"""numbers that are the same, found in two ways"""


def check(name: str, numbers: Numbers) -> None:
    """Compare the numbers of a program with those that were worked out, within what MLflow's table of rows rounds."""
    for key, value in EXPECTED[name].items():
        assert math.isclose(numbers[key], value, abs_tol=1e-10), (name, key, numbers[key], value)
    if name in EQUAL:
        one, other = (numbers[key] for key in EQUAL[name])
        assert 0 < one == other, (name, numbers)
