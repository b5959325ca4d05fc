"""Small files that would fill the memory: each is refused, in a process that may ask for little of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bombs import BOMBS, LARGEST

TESTS = Path(__file__).parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with all files."""
    path = tmp_path_factory.mktemp("bombs")
    for name, bomb in BOMBS.items():
        bomb.write(path / name)
    return path


def test_all_files_are_small(folder: Path) -> None:
    assert {name: size for name in BOMBS if (size := (folder / name).stat().st_size) > LARGEST} == {}


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process as Linux does")
def test_a_small_file_is_refused_before_it_fills_the_memory(folder: Path) -> None:
    environment = {**os.environ, "POLARS_MAX_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}
    argv = [sys.executable, "-m", "bombs", str(folder)]
    process = subprocess.run(argv, cwd=TESTS, env=environment, capture_output=True, text=True, check=False)
    outcomes = dict(map(json.loads, process.stdout.splitlines()))
    assert outcomes == {name: bomb.slug for name, bomb in BOMBS.items()}, process.stderr[-2000:]
