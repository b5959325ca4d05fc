"""The GitHub Action of the gate: its steps run as a runner runs them, but for the installation."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rankworth as rw

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "docs" / "example"


@pytest.mark.parametrize(
    ("run", "limits", "options", "status", "line"),
    [
        ("new.run", "nDCG@10=0.01 RR=2%", "", 0, "max-drop RR of new::ok"),
        ("old.run", "nDCG@10=0.01 RR=2%", "", 1, "max-drop RR of old::FAIL"),
        ("old.run", "nDCG@10=0.9\nRR=2%\n", "", 1, "max-drop RR of old::FAIL"),  # in lines of their own
        ("old.run", "RR=2%", "--when significant\n--seed 1\n", 0, "but the 95 %25 interval includes 0"),
        ("old run.run", "RR=2%", '--queries "my queries.tsv"', 1, "max-drop RR of old run::FAIL"),
        ("old.r*n", "RR=2%", "", 1, "FAIL"),
        ("old.run", "", "--fail-under RR=0.9", 1, "fail-under RR of old::FAIL"),
        ("old.run", "", "", 2, "there is no gate"),
        ("none.run", "RR=2%", "", 2, "missing-file"),
    ],
)
def test_the_action_fails_where_the_gate_fails_and_writes_summary_and_comment(
    run: str, limits: str, options: str, status: int, line: str, tmp_path: Path
) -> None:
    action = importlib.import_module("yaml").safe_load((ROOT / "action.yml").read_text())
    install, compare = action["runs"]["steps"]
    assert "$GITHUB_ACTION_PATH" in install["run"]
    assert action["outputs"]["comment"]["value"] == f"${{{{ steps.{compare['id']}.outputs.comment }}}}"
    temporary, project = tmp_path / "runner temp", tmp_path / "project"
    program = temporary / "rankworth" / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    program.chmod(0o755)
    project.mkdir()
    for name in ("qrels.txt", "new.run", "old.run"):
        shutil.copy(EXAMPLE / name, project)
    shutil.copy(EXAMPLE / "old.run", project / "old run.run")
    (project / "my queries.tsv").write_text("qid\ttext\nq1\tx\n")
    rw.evaluate(EXAMPLE / "qrels.txt", EXAMPLE / "new.run", ["nDCG@10", "RR"]).save(project / "the baseline.json")
    inputs = {
        "qrels": "qrels.txt",
        "baseline": "the baseline.json",
        "run": run,
        "max-drop": limits,
        "options": options,
    }
    assert set(inputs) == set(action["inputs"])
    summary, outputs = tmp_path / "summary.md", tmp_path / "outputs"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", compare["run"]],
        cwd=project,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "RUNNER_TEMP": str(temporary),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_OUTPUT": str(outputs),
            **{name: value for name, value in os.environ.items() if name == "PYTHONPATH"},
            **{
                name: inputs[re.sub(r"\W*inputs\.([\w-]+)\W*", r"\1", value[1:])]
                for name, value in compare["env"].items()
            },
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert line in done.stdout + done.stderr
    assert summary.exists() == outputs.exists() == (status < 2)
    if status < 2:
        name, _, comment = outputs.read_text().strip().partition("=")
        assert (name, Path(comment).read_text("utf-8")) == ("comment", summary.read_text("utf-8"))
        assert summary.read_text("utf-8").startswith("**")
