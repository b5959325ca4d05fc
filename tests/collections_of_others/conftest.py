"""Where the collections of others lie: judgements, runs and what tools gave for them, which stay outside."""

import os
from pathlib import Path

import pytest

VARIABLE = "RANKWORTH_SHARED"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Give their folder; where it is not there a test is skipped, and fails if the folder was named."""
    named = os.environ.get(VARIABLE)
    folder = Path(named) if named else Path(__file__).resolve().parents[3] / "shared" / "data"
    if not folder.is_dir():
        if named:
            pytest.fail(f"{VARIABLE}={named} is no folder", pytrace=False)
        pytest.skip(f"needs ../shared/data beside the repository, or {VARIABLE}=FOLDER")
    return folder
