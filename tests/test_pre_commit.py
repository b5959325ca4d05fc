"""The hook that repositories of judgements name for pre-commit: what it looks at, and what it says."""

import gzip
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
GOOD = "q1 0 a 1\nq2 0 b 1\n"
TWICE = "q1 0 a 1\nq1 0 a 2\n"


def hook() -> dict[str, Any]:
    """What the repository offers."""
    [only] = importlib.import_module("yaml").safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert isinstance(only, dict)
    return only


def run(folder: Path, files: Sequence[str], arguments: Sequence[str] = ()) -> tuple[int, str]:
    """Run the hook as pre-commit does: its entry, the arguments of the user, and the files that change."""
    program, *words = shlex.split(hook()["entry"])
    assert (program, hook()["language"], hook().get("pass_filenames", True)) == ("rankworth", "python", True)
    command = [sys.executable, "-m", program, *words, *arguments, *files]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8")
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("path", "is_checked"),
    [
        ("qrels.txt", True),
        ("data/qrels/test.tsv", True),
        ("qrels.robust04", True),
        ("2019qrels-pass.txt", True),
        ("my data/dl19.qrels.gz", True),
        ("Judgments.CSV", True),
        ("eval/judgements/2024.jsonl", True),
        ("bm25.run", False),
        ("data/qrels/README", False),
        ("qrels/LICENSE.txt", False),
        ("qrels/SOURCE.md", False),
        ("queries.tsv", False),
    ],
)
def test_it_looks_at_judgements_by_their_usual_names(path: str, is_checked: bool) -> None:
    patterns = hook()
    assert bool(re.search(patterns["files"], path) and not re.search(patterns["exclude"], path)) == is_checked


def test_it_passes_over_programs_and_pages_that_are_called_so() -> None:
    assert {"python", "markdown", "yaml", "shell", "html"} <= {*hook()["exclude_types"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with judgements in the usual layouts."""
    for path, text in {
        "qrels.txt": GOOD,
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\ta\t1\n",
        "my data/dl19 qrels": GOOD,
        "twice.qrels": TWICE,
        "short.qrels": "q1 0 a\n",
        "warned.qrels": "q1 0 a 0\nq2 0 b 1\n",
        "ratings-qrels.csv": "topic,doc,stars\n1,a,2\n",
        "new.run": "q1 Q0 a 1 2.0 x\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    (tmp_path / "dl.qrels.gz").write_bytes(gzip.compress(GOOD.encode()))
    return tmp_path


@pytest.mark.parametrize(
    "files",
    [
        ("qrels.txt",),
        ("qrels/test.tsv",),
        ("qrels.txt", "qrels/test.tsv", "my data/dl19 qrels", "dl.qrels.gz"),
        ("warned.qrels", "qrels.txt"),
    ],
)
def test_sound_judgements_are_committed(files: tuple[str, ...], folder: Path) -> None:
    status, said = run(folder, files)
    assert (status, said.startswith("no errors, ")) == (0, True), said
    assert all(path in said for path in files)


@pytest.mark.parametrize(
    ("files", "errors"),
    [
        (("twice.qrels",), ["twice.qrels:2: query q1 judges document a again"]),
        (("qrels.txt", "twice.qrels"), ["twice.qrels:2: query q1 judges document a again"]),
        (
            ("short.qrels", "twice.qrels"),
            ["short.qrels:1: a qrels line has", "twice.qrels:2: query q1 judges"],
        ),
        (("qrels.txt", "new.run"), ["new.run: these are run lines"]),
        (("ratings-qrels.csv",), ["ratings-qrels.csv:1: there is no grade column"]),
    ],
)
def test_what_makes_a_number_wrong_is_not_committed(files: tuple[str, ...], errors: list[str], folder: Path) -> None:
    status, said = run(folder, files)
    assert status == 1
    assert said.startswith(f"{len(errors)} error")
    lines = said.splitlines()
    assert [line for line in lines if line.startswith("error: ")] == [
        next(line for line in lines if line.startswith(f"error: {error}")) for error in errors
    ]


def test_warnings_name_their_file_and_stop_nothing(folder: Path) -> None:
    status, said = run(folder, ["qrels.txt", "warned.qrels"])
    assert status == 0
    assert "warning: warned.qrels: 1 of 2 queries has no relevant document: q1" in said


def test_options_of_the_user_stand_before_the_files_and_end_in_two_dashes(folder: Path) -> None:
    columns = ["--qrels-columns", "query=topic", "document=doc", "grade=stars", "--"]
    assert run(folder, ["ratings-qrels.csv"], columns)[0] == 0
    (folder / "pyproject.toml").write_text(
        '[tool.rankworth.qrels-columns]\nquery = "topic"\ndocument = "doc"\ngrade = "stars"\n'
    )
    assert run(folder, ["ratings-qrels.csv"])[0] == 0


# Our own hooks


def test_a_worktree_without_an_environment_takes_that_of_the_repository(tmp_path: Path) -> None:
    repository, worktree = tmp_path / "rankworth", tmp_path / "work tree"
    (repository / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "in-environment", repository / "scripts")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", str(repository)]
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["commit", "-qm", "x"],
        ["worktree", "add", "-q", "--detach", str(worktree)],
    ):
        subprocess.run([*git, *words], check=True)
    environment = {name: text for name, text in os.environ.items() if name not in ("RANKWORTH_VENV", "PYTHONPATH")}

    def called(folder: Path) -> tuple[int, str]:
        line = [folder / "scripts" / "in-environment", "python", "-m", "mypy"]
        done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment)
        return done.returncode, done.stdout + done.stderr

    message = f"there is no {repository}/.venv/bin/python; scripts/set-up makes it\n"
    assert called(worktree) == (2, f"scripts/in-environment: {message}")
    python = repository / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$PYTHONPATH $@"\n')
    python.chmod(0o755)
    assert called(worktree) == (0, f"{worktree}/src -m mypy\n")
    assert called(repository) == (0, f"{repository}/src -m mypy\n")


def test_hooks_look_for_the_environment_in_one_place() -> None:
    [ours] = importlib.import_module("yaml").safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    assert all(each["entry"].startswith("scripts/in-environment ") for each in ours["hooks"])
