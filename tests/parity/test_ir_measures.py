"""Measures of ir_measures are read as it writes them, and have its values."""

import ir_measures
import pytest

import rankworth as rw
from rankworth import names

# A handful of documents is shallow; what rankworth has to say about that is tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::rankworth.errors.RankworthWarning")


def test_set_f_of_ir_measures_takes_beta_for_its_square() -> None:
    """Quirk B27: its SetF(beta=2) is trec_eval's x = 2; under that name stands here what F2 is."""
    qrels = {"q": {"d1": 1, "d2": 1, "d3": 1, "d4": 1}}
    run = {"q": {"d1": 2.0, "x1": 1.0}}
    theirs = ir_measures.calc_aggregate([ir_measures.SetF(beta=2.0)], qrels, run)[ir_measures.SetF(beta=2.0)]
    values = rw.evaluate(qrels, run, ["SetF(beta=2)", "set_F(x=2)"])
    precision, recall = 1 / 2, 1 / 4
    assert values["SetF(beta=2)"] == pytest.approx(5 * precision * recall / (4 * precision + recall), rel=1e-15)
    assert values["set_F(x=2)"] == theirs != values["SetF(beta=2)"]


def test_measure_objects_of_ir_measures_are_read_by_their_text() -> None:
    own = {"Compat": 3, "SDCG": 3, "BPM": 3}
    for name, one in ir_measures.measures.registry.items():
        required = {
            key: 3 if key == "max_rel" else 0.1 if key == "recall" else 5
            for key, info in one.SUPPORTED_PARAMS.items()
            if info.required or (key == "cutoff" and name in own)
        }
        given = one(**required)
        parsed = names.parse_all([given])
        assert parsed == names.parse_all([str(given)]), name
        assert str(names.parse(str(parsed[0]))) == str(parsed[0])


def test_measure_objects_of_ir_measures_are_measured() -> None:
    qrels, run = {"q": {"a": 1, "b": 2}}, {"q": {"b": 1.0, "c": 0.5}}
    for asked in (ir_measures.nDCG @ 2, [ir_measures.nDCG @ 2], [ir_measures.parse_measure("nDCG@2"), "AP"]):
        theirs = ir_measures.calc_aggregate([ir_measures.nDCG @ 2], qrels, run)
        assert rw.evaluate(qrels, run, asked)["nDCG@2"] == theirs[ir_measures.nDCG @ 2]  # type: ignore[arg-type]
