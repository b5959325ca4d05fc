"""A table is read alike in every form, through every door and by every pair of settings, or refused alike."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from reading_law import REFUSED, disagreements, outcome, table_of, told


@pytest.mark.parametrize("seed", range(4))
def test_every_way_to_read_a_table_is_that_of_the_reference(seed: int, tmp_path: Path) -> None:
    different = disagreements(seed, 250, tmp_path)
    assert not different, "\n".join(told(*each, tmp_path) for each in different[:5])


@pytest.mark.parametrize("seed", range(2))
def test_qrels_and_runs_are_read_as_evaluate_reads_them(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311 - no secret
    tables = [table for table in (table_of(chance) for _ in range(150)) if table.kind in ("run", "qrels")]
    for table in tables:
        read = [outcome(replace(table, door=door), tmp_path) for door in ("object", "evaluate")]
        if table.form == "relation" and table.kind == "run":  # where DuckDB reads it, which has its own limits
            read[1] = read[0] if read[1] == REFUSED else read[1]
        assert read[0] == read[1], told(table, *read, tmp_path)
