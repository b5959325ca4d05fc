"""Runs the programs of the pages about other libraries with these libraries, and prints their numbers as JSON."""

import contextlib
import json
import os
import shutil
import sys
import tempfile
import warnings
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import rankworth as rw
from live.integrations import HOWTO, SECTIONS
from stand_ins import all_departures

OFFLINE = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "WANDB_MODE": "offline",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "RAGAS_DO_NOT_TRACK": "true",
    "INSPECT_DISPLAY": "none",
}
"""so that no library looks for a server"""


def keep_summaries() -> None:
    """Let wandb keep the summary of a run, which forgets it when it ends."""
    import wandb  # noqa: PLC0415 - one of the libraries

    leave = wandb.Run.__exit__

    def kept(run: wandb.Run, *error: Any) -> bool:
        wandb.kept_summary = dict(run.summary)
        return leave(run, *error)

    wandb.Run.__exit__ = kept


def beside_mlflow() -> dict[str, float]:
    """The largest difference of a row between measures of MLflow and those of its profile.

    Of three ids or fewer, as the profile counts copies of an id below rank 3 as relevant documents that were missed.
    """
    import mlflow  # noqa: PLC0415 - one of the libraries
    import pandas as pd  # noqa: PLC0415 - the same

    random = Random(5)  # noqa: S311 - not for secrets
    rows = [[draw("abcde", k=random.randrange(4)) for draw in (random.choices, random.sample)] for _ in range(500)]
    predictions, targets = (pd.Series(column) for column in zip(*rows, strict=True))
    differences = {}
    for of in (mlflow.metrics.precision_at_k, mlflow.metrics.recall_at_k, mlflow.metrics.ndcg_at_k):
        own = of(3)
        ours = rw.mlflow.metric(own.name, profile="mlflow-3.17")
        one, other = (metric.eval_fn(predictions, targets).scores for metric in (own, ours))
        differences[own.name] = max(abs(a - b) for a, b in zip(one, other, strict=True))
    return differences


if __name__ == "__main__":
    os.environ |= OFFLINE
    found = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        shutil.copytree(HOWTO.parent / "example", folder, dirs_exist_ok=True)
        os.chdir(folder)
        os.environ["MLFLOW_TRACKING_URI"] = f"sqlite:///{Path(folder, 'mlflow.db')}"
        warnings.simplefilter("ignore")
        keep_summaries()
        for name in sys.argv[1:] or SECTIONS:
            found[name] = SECTIONS[name].run()
        found["beside mlflow"] = beside_mlflow()
        found["departures"] = all_departures(import_module)
    sys.stdout.write(json.dumps(found))
