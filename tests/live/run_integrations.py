"""Runs the programs of the pages about other libraries with these libraries, and prints their numbers as JSON."""

import contextlib
import json
import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from live.integrations import HOWTO, SECTIONS

OFFLINE = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "WANDB_MODE": "offline",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "RAGAS_DO_NOT_TRACK": "true",
    "INSPECT_DISPLAY": "none",
}
"""so that no library looks for a server"""


def keep_summaries() -> None:
    """Let a run of wandb keep its summary, which it forgets when it ends."""
    import wandb  # noqa: PLC0415 - one of the libraries

    leave = wandb.Run.__exit__

    def kept(run: wandb.Run, *error: Any) -> bool:
        run.kept_summary = dict(run.summary)
        return leave(run, *error)

    wandb.Run.__exit__ = kept


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
    sys.stdout.write(json.dumps(found))
