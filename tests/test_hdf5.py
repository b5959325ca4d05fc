"""Ground truths in HDF5, as ann-benchmarks publishes them."""

from pathlib import Path

import h5py
import numpy as np
import pytest

import rankworth as rw
from helpers import scores_of
from rankworth import cli

IDS = np.array([[5, 6, 7], [8, 9, 10]], dtype=np.int32)
DISTANCES = np.array([[0.125, 0.25, 0.5], [0.125, 0.25, 0.25]], dtype=np.float32)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with h5py.File("gt.hdf5", "w") as file:
        file["train"], file["neighbors"], file["distances"] = np.zeros((4, 2)), IDS, DISTANCES
        file["similarity"] = -DISTANCES
    with h5py.File("ids.hdf5", "w") as file:
        file["nearest"] = IDS


def test_neighbours_of_ann_benchmarks_are_an_exact_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert scores_of(rw.Run("gt.hdf5"))["0"] == {"5": -0.125, "6": -0.25, "7": -0.5}
    assert cli.main(["evaluate", "gt.hdf5", "gt.hdf5", "--exact", "-m", "R@3"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == ["run\tR@3", "gt\t1.0"]
    assert "recall-by-ids" not in err
    tied = {"0": {"5": -0.125}, "1": {"10": -0.25, "8": -0.125}}
    assert rw.evaluate_exact("gt.hdf5", {"ann": tied}, ["R@2"])["ann"].per_query.to_dict()["1"] == {"R@2": 1.0}


def test_data_sets_are_named_as_columns_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert scores_of(rw.Run("ids.hdf5", columns={"document": "nearest"}))["1"] == {"8": -1.0, "9": -2.0, "10": -3.0}
    named = {"document": "neighbors", "score": "similarity"}
    assert scores_of(rw.Run("gt.hdf5", columns=named))["0"] == {"5": -0.125, "6": -0.25, "7": -0.5}
    with pytest.raises(rw.InputError, match="no data set neighbors; there is nearest") as caught:
        scores_of(rw.Run("ids.hdf5"))
    assert caught.value.slug == "frame-columns"
    columns = ["--columns", "document=nearest"]
    assert cli.main(["evaluate", "ids.hdf5", "ids.hdf5", "--exact", "-m", "R@3", *columns]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "ids\t1.0"


def test_a_damaged_file_is_told_of() -> None:
    Path("cut.hdf5").write_bytes(Path("gt.hdf5").read_bytes()[:200])
    with pytest.raises(rw.InputError, match="cannot be read as an array"):
        scores_of(rw.Run("cut.hdf5"))
