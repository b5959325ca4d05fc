"""The GitHub Action of the gate: its steps run as a runner runs them, but for the installation."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rankworth as rw

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "docs" / "example"


@pytest.mark.parametrize(
    ("run", "options", "status", "line"),
    [
        ("new.run", "", 0, "max-drop RR of new::ok"),
        ("old.run", "", 1, "max-drop RR of old::FAIL"),
        ("old.run", "--when significant --seed 1", 1, "but the 95 %25 interval includes 0"),
        ("none.run", "", 2, "missing-file"),
    ],
)
def test_the_action_fails_where_the_gate_fails_and_writes_the_summary(
    run: str, options: str, status: int, line: str, tmp_path: Path
) -> None:
    action = importlib.import_module("yaml").safe_load((ROOT / "action.yml").read_text())
    install, compare = action["runs"]["steps"]
    assert "$GITHUB_ACTION_PATH" in install["run"]
    program = tmp_path / "rankworth" / "bin" / "rankworth"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rankworth "$@"\n')
    program.chmod(0o755)
    baseline = tmp_path / "the baseline.json"
    rw.evaluate(EXAMPLE / "qrels.txt", EXAMPLE / "new.run", ["nDCG@10", "RR"]).save(baseline)
    inputs = {
        "qrels": "qrels.txt",
        "baseline": str(baseline),
        "run": run,
        "max-drop": "nDCG@10=0.01 RR=2%",
        "options": options,
    }
    assert set(inputs) == set(action["inputs"])
    summary = tmp_path / "summary.md"
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", compare["run"]],
        cwd=EXAMPLE,
        env=os.environ
        | {"RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(summary)}
        | {name: inputs[re.sub(r"\W*inputs\.([\w-]+)\W*", r"\1", value[1:])] for name, value in compare["env"].items()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert line in done.stdout + done.stderr
    assert summary.exists() == (status < 2)
