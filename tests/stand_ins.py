"""Stand-ins for libraries that the documentation shows ours with: what its programs use of them.

Parameters are those of the versions below, which tests/parity/test_integrations.py holds against the libraries. What
each does is the least that shows whether it was called as the library wants it.
"""

import asyncio
import copy
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from statistics import fmean
from types import ModuleType, SimpleNamespace
from typing import Any, Final, Self

import numpy as np
import pandas as pd
import torch

READ_FROM: Final = {
    "mlflow": "3.17.2",
    "wandb": "0.31.0",
    "optuna": "5.0.0",
    "lightning": "2.6.6",
    "inspect_ai": "0.3.285",
    "deepeval": "4.3.1",
    "ragas": "0.4.3",
}
"""the version of each library whose source was read"""

# MLflow

LOGGED: Final = re.compile(r"[/\w.\- :]+")
"""names of metrics that its servers take"""


@dataclass
class MetricValue:
    """`mlflow.metrics.MetricValue`."""

    scores: list[Any] | None = None
    justifications: list[str] | None = None
    aggregate_results: dict[str, float] | None = None


def make_metric(
    *,
    eval_fn: Callable[..., Any],
    greater_is_better: bool,
    name: str | None = None,
    long_name: str | None = None,
    version: str | None = None,
    metric_details: str | None = None,
    metric_metadata: Mapping[str, Any] | None = None,
    genai_metric_args: Mapping[str, Any] | None = None,
) -> SimpleNamespace:
    """`mlflow.metrics.make_metric`."""
    assert name is not None
    assert "/" not in name
    return SimpleNamespace(**locals())


def models_evaluate(
    model: Any = None,
    data: Any = None,
    *,
    model_type: str | None = None,
    targets: str | None = None,
    predictions: str | None = None,
    extra_metrics: Sequence[Any] = (),
) -> SimpleNamespace:
    """`mlflow.models.evaluate` of a table with predictions, as `DefaultEvaluator` goes about it.

    The arguments of a metric are found by the names of its parameters; the first row is tried before all rows are
    evaluated; a value that is no number, or a name that a server does not take, is not logged.
    """
    assert model is model_type is None
    columns = pd.DataFrame({"predictions": data[predictions].to_numpy(), "targets": data[targets].to_numpy()})
    metrics, rows = {}, data
    for metric in extra_metrics:
        names = [*inspect.signature(metric.eval_fn).parameters]
        for table in (columns.iloc[[0]], columns):
            value = metric.eval_fn(*(table[name] for name in names))
            assert isinstance(value, MetricValue)
            assert isinstance(value.scores, list)
            assert len(value.scores) == len(table)
            assert all(score is None or isinstance(score, int | float) for score in value.scores)
        label = f"{metric.name}/{metric.version}" if metric.version else metric.name
        rows = rows.assign(**{f"{label}/score": value.scores})
        for name, number in (value.aggregate_results or {}).items():
            assert LOGGED.fullmatch(f"{label}/{name}")
            assert isinstance(number, int | float | np.number)
            metrics[f"{label}/{name}"] = number
    return SimpleNamespace(metrics=metrics, tables={"eval_results_table": rows})


def genai_scorer(func: Any = None) -> Any:
    """`mlflow.genai.scorers.scorer`."""
    return func


def genai_evaluate(data: Sequence[Mapping[str, Any]], scorers: Sequence[Any]) -> SimpleNamespace:
    """`mlflow.genai.evaluate`, which hands to scorers what their parameters name."""
    metrics = {}
    for each in scorers:
        names = [*inspect.signature(each).parameters]
        assert {*names} <= {"inputs", "outputs", "expectations", "trace", "session"}
        metrics[f"{each.__name__}/mean"] = fmean(each(**{name: row[name] for name in names}) for row in data)
    return SimpleNamespace(metrics=metrics)


@contextmanager
def start_run() -> Iterator[SimpleNamespace]:
    """`mlflow.start_run`."""
    yield SimpleNamespace()


def log_text(text: str, artifact_file: str) -> None:
    """`mlflow.log_text`."""
    assert text.startswith("<!doctype html>")
    assert artifact_file == "report.html"


# Weights & Biases


class WandbRun:
    """`wandb.Run`."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.summary: dict[str, Any] = {}

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Keep the summary."""
        sys.modules["wandb"].__dict__["kept_summary"] = dict(self.summary)

    def log(self, data: dict[str, Any], step: int | None = None) -> None:  # noqa: ARG002 - the parameters are tested
        """Take values."""
        self.summary |= data


def wandb_init(project: str | None = None, config: dict[str, Any] | None = None) -> WandbRun:
    """`wandb.init`."""
    assert project
    assert config
    return WandbRun()


class WandbTable:
    """`wandb.Table`."""

    def __init__(self, columns: list[str] | None = None, data: list[list[Any]] | None = None) -> None:
        """Compare widths."""
        assert columns
        assert data
        assert {len(row) for row in data} == {len(columns)}


class WandbHtml:
    """`wandb.Html`."""

    def __init__(self, data: str) -> None:
        """Look at the page."""
        assert data.startswith("<!doctype html>")


# Optuna


class Trial:
    """`optuna.trial.Trial`, which tries numbers one after the other."""

    def __init__(self, share: float) -> None:
        """Keep which part of a range is tried."""
        self.share, self.params = share, {}

    def suggest_float(
        self, name: str, low: float, high: float, *, step: float | None = None, log: bool = False
    ) -> float:
        """Suggest a number."""
        assert step is None
        assert not log
        self.params[name] = low + (high - low) * self.share
        return self.params[name]


class Study:
    """`optuna.study.Study`."""

    best_value, best_params = -np.inf, {}

    def optimize(self, func: Callable[[Trial], float], n_trials: int | None = None) -> None:
        """Keep the best of all trials."""
        for place in range(n_trials or 1):
            trial = Trial(place / (n_trials or 1))
            value = func(trial)
            assert isinstance(value, float)
            if value > self.best_value:
                self.best_value, self.best_params = value, trial.params


def create_study(*, direction: str | None = None) -> Study:
    """`optuna.create_study`."""
    assert direction == "maximize"
    return Study()


# Lightning


class LightningModule(torch.nn.Module):
    """`lightning.LightningModule`."""

    def log(self, name: str, value: Any) -> None:
        """Keep a measure, whose mean is asked for at the end of an epoch."""
        assert callable(value.compute)
        assert callable(value.reset)
        self.__dict__.setdefault("logged", {})[name] = value


class Trainer:
    """`lightning.Trainer`."""

    def __init__(self, *, accelerator: str, logger: bool, enable_progress_bar: bool) -> None:
        """Take the options of the test."""

    def validate(self, model: Any, dataloaders: Any, *, verbose: bool = True) -> list[dict[str, float]]:
        """Run one epoch of validation, and compute what was logged."""
        assert not verbose
        with torch.no_grad():
            for batch in dataloaders:
                model.validation_step(batch)
        return [{name: float(value.compute()) for name, value in model.logged.items()}]


# inspect_ai


@dataclass
class Sample:
    """`inspect_ai.dataset.Sample`."""

    input: str
    target: str | list[str] = ""
    metadata: dict[str, Any] | None = None


@dataclass
class Score:
    """`inspect_ai.scorer.Score`."""

    value: float
    metadata: dict[str, Any] | None = None


@dataclass
class Task:
    """`inspect_ai.Task`."""

    dataset: Sequence[Sample]
    solver: Any = None
    scorer: Any = None


def inspect_mean() -> Callable[..., float]:
    """`inspect_ai.scorer.mean`."""
    return lambda scores, _: fmean(scores)


def inspect_stderr(to_float: Any = None, cluster: str | None = None) -> Callable[..., float]:
    """`inspect_ai.scorer.stderr` with a cluster: that of the mean, where deviations of a cluster add up."""
    assert to_float is None
    assert cluster

    def stderr(scores: Sequence[float], samples: Sequence[Sample]) -> float:
        ids = [(sample.metadata or {})[cluster] for sample in samples]
        mean, number = fmean(scores), len({*ids})
        sums = [sum(score - mean for score, other in zip(scores, ids, strict=True) if other == each) for each in {*ids}]
        return float(np.sqrt(sum(each**2 for each in sums) * number / (number - 1)) / len(scores))

    return stderr


def inspect_scorer(metrics: Sequence[Any]) -> Callable[[Any], Any]:
    """`inspect_ai.scorer.scorer`: a decorator for functions that return a coroutine function."""

    def decorated(make: Callable[[], Any]) -> Callable[[], Any]:
        def made() -> Any:
            score = make()
            assert inspect.iscoroutinefunction(score)
            assert [*inspect.signature(score).parameters] == ["state", "target"]
            return SimpleNamespace(score=score, metrics=dict(zip(("mean", "stderr"), metrics, strict=True)))

        return made

    return decorated


def inspect_solver(name: Callable[[], Any]) -> Callable[[], Any]:
    """`inspect_ai.solver.solver`, of which a function may stand in place of a name."""

    def made() -> Any:
        solve = name()
        assert inspect.iscoroutinefunction(solve)
        assert [*inspect.signature(solve).parameters] == ["state", "generate"]
        return solve

    return made


class Store:
    """`inspect_ai.util.Store`."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._data: dict[str, Any] = {}

    def get(self, key: str) -> Any:
        """Return a value."""
        return self._data.get(key)

    def set(self, key: str, value: Any) -> None:
        """Keep a value."""
        self._data[key] = value


def inspect_eval(tasks: Task, model: str | None = None) -> list[SimpleNamespace]:
    """`inspect_ai.eval`: solve and score each sample, then compute the metrics."""
    assert model == "mockllm/model"

    async def scored() -> list[float]:
        values = []
        for sample in tasks.dataset:
            state = SimpleNamespace(input_text=sample.input, store=Store(), metadata=sample.metadata)
            state = await tasks.solver(state, None)
            values.append((await tasks.scorer.score(state, tuple(sample.target))).value)
        return values

    values = asyncio.run(scored())
    metrics = {name: SimpleNamespace(value=of(values, tasks.dataset)) for name, of in tasks.scorer.metrics.items()}
    return [SimpleNamespace(results=SimpleNamespace(scores=[SimpleNamespace(metrics=metrics)]))]


# DeepEval


class BaseMetric:
    """`deepeval.metrics.BaseMetric`."""

    threshold: float | None = None
    score: float | None = None
    success: bool | None = None


@dataclass
class LLMTestCase:
    """`deepeval.test_case.LLMTestCase`."""

    input: str
    metadata: dict[str, Any] | None = None


def deepeval_evaluate(test_cases: Sequence[LLMTestCase], metrics: Sequence[Any]) -> SimpleNamespace:
    """`deepeval.evaluate`, which copies metrics for each test case and awaits them."""
    results = []
    for case in test_cases:
        measured = []
        for metric in map(copy.copy, metrics):
            assert isinstance(metric, BaseMetric)
            assert asyncio.run(metric.a_measure(case, _show_indicator=False)) == metric.score
            measured.append(SimpleNamespace(name=metric.__name__, score=metric.score, success=metric.is_successful()))
        results.append(SimpleNamespace(metrics_data=measured))
    return SimpleNamespace(test_results=results)


# Ragas


class MetricType(Enum):
    """`ragas.metrics.base.MetricType`."""

    SINGLE_TURN = "single_turn"


@dataclass
class SingleTurnMetric:
    """`ragas.metrics.base.SingleTurnMetric`."""

    _required_columns: dict[MetricType, set[str]] = field(default_factory=dict)
    name: str = ""


@dataclass
class SingleTurnSample:
    """`ragas.SingleTurnSample`."""

    retrieved_context_ids: list[str | int] | None = None
    reference_context_ids: list[str | int] | None = None


@dataclass
class EvaluationDataset:
    """`ragas.EvaluationDataset`."""

    samples: list[SingleTurnSample]


def ragas_evaluate(dataset: EvaluationDataset, metrics: Sequence[Any]) -> dict[str, list[float]]:
    """`ragas.evaluate`: samples have the columns that a metric requires."""
    found = {}
    for metric in metrics:
        metric.init(None)
        for column in metric._required_columns[MetricType.SINGLE_TURN]:
            assert all(getattr(sample, column) is not None for sample in dataset.samples)
        values = [asyncio.run(metric._single_turn_ascore(sample, None)) for sample in dataset.samples]
        found[metric.name] = values
    return found


STAND_INS: Final[Mapping[str, Mapping[str, Any]]] = {
    "mlflow": {"start_run": start_run, "log_text": log_text},
    "mlflow.genai": {"evaluate": genai_evaluate},
    "mlflow.genai.scorers": {"scorer": genai_scorer},
    "mlflow.metrics": {"MetricValue": MetricValue, "make_metric": make_metric},
    "mlflow.models": {"evaluate": models_evaluate},
    "wandb": {"init": wandb_init, "Table": WandbTable, "Html": WandbHtml, "Run": WandbRun},
    "optuna": {"create_study": create_study},
    "optuna.study": {"Study": Study},
    "optuna.trial": {"Trial": Trial},
    "lightning": {"LightningModule": LightningModule, "Trainer": Trainer},
    "inspect_ai": {"Task": Task, "eval": inspect_eval},
    "inspect_ai.dataset": {"Sample": Sample},
    "inspect_ai.scorer": {
        "Score": Score,
        "mean": inspect_mean,
        "scorer": inspect_scorer,
        "stderr": inspect_stderr,
    },
    "inspect_ai.solver": {"solver": inspect_solver},
    "inspect_ai.util": {"Store": Store},
    "deepeval": {"evaluate": deepeval_evaluate},
    "deepeval.metrics": {"BaseMetric": BaseMetric},
    "deepeval.test_case": {"LLMTestCase": LLMTestCase},
    "ragas": {
        "EvaluationDataset": EvaluationDataset,
        "SingleTurnSample": SingleTurnSample,
        "evaluate": ragas_evaluate,
    },
    "ragas.metrics.base": {"MetricType": MetricType, "SingleTurnMetric": SingleTurnMetric},
}
"""what stands in for the names of each module"""
NOT_CALLED: Final = ("Run", "Study", "Trial")
"""classes whose objects the libraries make"""


@contextmanager
def stand_ins(library: str) -> Iterator[None]:
    """Let a library be imported that is not installed."""
    modules: dict[str, Any] = {}
    for name in STAND_INS:
        parts = name.split(".")
        for length in range(1, len(parts) + 1) if parts[0] == library else ():
            modules.setdefault(".".join(parts[:length]), ModuleType(".".join(parts[:length])))
    for name, module in modules.items():
        vars(module).update(STAND_INS.get(name, {}))
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(modules[parent], child, module)
    sys.modules.update(modules)
    try:
        yield
    finally:  # not by `patch.dict`, which would forget what is imported for the first time meanwhile
        for name in modules:
            del sys.modules[name]


def departures(stand_in: Any, real: Any) -> Iterator[str]:
    """In what the parameters of a stand-in are not those of what it stands for.

    It may lack parameters that can be left out. Those that both have stand in one order.
    """
    own, theirs = (inspect.signature(call).parameters for call in (stand_in, real))
    takes_all = any(each.kind is each.VAR_KEYWORD for each in theirs.values())
    yield from (f"no parameter {name}" for name in own if name not in theirs and not takes_all)
    for name, each in theirs.items():
        if each.default is each.empty and each.kind not in {each.VAR_KEYWORD, each.VAR_POSITIONAL} and name not in own:
            yield f"parameter {name} is needed"
    common = [name for name in theirs if name in own]
    if common != [name for name in own if name in theirs]:
        yield f"other order: {common}"


def all_departures(module: Callable[[str], Any]) -> list[str]:
    """In what the stand-ins, and their methods, are not what they stand for.

    Args:
        module: imports a module of a library.

    """
    found = []
    for name, names in STAND_INS.items():
        for key, stand_in in names.items():
            real = getattr(module(name), key)
            pairs = {} if key in NOT_CALLED else {key: (stand_in, real)}
            if inspect.isclass(stand_in):
                methods = [method for method in vars(stand_in) if not method.startswith("_")]
                methods = [method for method in methods if inspect.isfunction(getattr(stand_in, method))]
                pairs |= {f"{key}.{method}": (getattr(stand_in, method), getattr(real, method)) for method in methods}
            if isinstance(stand_in, type) and issubclass(stand_in, Enum):
                pairs = {}
                found += [f"{name}.{key}.{each.name}" for each in stand_in if real[each.name].value != each.value]
            for label, pair in pairs.items():
                found += [f"{name}.{label}: {text}" for text in departures(*pair)]
    return found
