"""What each measure must give: examples with their value as arithmetic, and values that others published or printed.

To add a measure, give it here one `example` (the formula with numbers in it) and one `reference` (a value that nobody
here computed, with its source). The test that asks for them names nothing else to do.
"""

from math import log2
from typing import NamedTuple

Ranking = tuple[float | None, ...]


class Example(NamedTuple):
    """A ranking as grades in rank order, and the value worked out by hand."""

    measure: str
    ranking: Ranking
    value: float
    missing: tuple[float, ...] = ()


class Reference(NamedTuple):
    """A value that somebody else gave, the digits they gave it with, and where."""

    measure: str
    ranking: Ranking
    value: float
    source: str
    missing: tuple[float, ...] = ()
    tolerance: float = 1e-15


C01: Ranking = (2, 0, 3, None, 1)
"""golden.json case C01: one judged document of grade 2 is not retrieved, one retrieved document is not judged"""
C01_MISSING = (2.0,)
TREC_EVAL = "trec_eval 10.0, case C01 of golden.json, printed with %.17g"
MOFFAT_ZOBEL: Ranking = (1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0)

EXAMPLES = (
    Example("P@3", (1, 0, 2, 1), 2 / 3),
    Example("P@5", (1, 0, 2), 2 / 5),
    Example("P", (1, 0, None, 2), 2 / 4),
    Example("P(rel=2)@2", (1, 2, 2), 1 / 2),
    Example("P@5", (), 0 / 5),
    Example("P", (), 0.0, missing=(1,)),
    Example("R@2", (1, 0, 2), 1 / 4, missing=(1, 1)),
    Example("R", (1, 0, 2), 2 / 4, missing=(1, 1)),
    Example("R(norm=min(k,R))@2", (1, 0, 2), 1 / 2, missing=(1, 1)),
    Example("R(norm=min(k,R))", (1, 0, 2), 2 / 4, missing=(1, 1)),
    Example("R(rel=2)", (1, 0, 2), 1 / 1),
    Example("R", (0, 0), 0.0),
    Example("F@4", (1, 0, 1, 0), 2 * (2 / 4) * (2 / 4) / (2 / 4 + 2 / 4), missing=(1, 1)),
    Example("F(beta=2)@5", (1, 0, 1), (1 + 4) * (2 / 5) * (2 / 3) / (4 * (2 / 5) + 2 / 3), missing=(1,)),
    Example("F", (0,), 0.0, missing=(1,)),
    Example("Rprec", (1, 0, 1, 1), 2 / 3),
    Example("Rprec", (0, 0, 0, 1), 0 / 1),
    Example("Rprec", (1,), 1 / 3, missing=(1, 1)),
    Example("Rprec@1", (1, 1), 1 / 2),
    Example("AP", (1, 0, 1), (1 / 1 + 2 / 3) / 2),
    Example("AP", (1, 0, 1), (1 / 1 + 2 / 3) / 4, missing=(1, 1)),
    Example("AP@2", (1, 0, 1), (1 / 1) / 2),
    Example("AP(norm=found)@3", (1, 0, 1, 1), (1 / 1 + 2 / 3) / 2),
    Example("AP(norm=min(k,R))@3", (1, 0, 1, 1), (1 / 1 + 2 / 3) / 3, missing=(1,)),
    Example("AP(norm=min(k,R))@3", (1, 0), (1 / 1) / 2, missing=(1,)),
    Example("AP(norm=k)@5", (1, 0, 1), (1 / 1 + 2 / 3) / 5),
    Example("AP(norm=k)", (1, 0, 1, 0), (1 / 1 + 2 / 3) / 4),
    Example("AP(rel=2)", (1, 2, 3), (1 / 2 + 2 / 3) / 2),
    Example("AP", (0, None), 0.0),
    Example("RR", (0, None, 1, 1), 1 / 3),
    Example("RR@2", (0, 0, 1), 0.0),
    Example("RR(rel=2)", (1, 2), 1 / 2),
    Example("Success@2", (0, 0, 1), 0.0),
    Example("Success@3", (0, 0, 1), 1.0),
    Example("Success(rel=3)", (2, 1), 0.0),
    Example("Bpref", (1, 0, 1, 0), (1 + (1 - 1 / 2)) / 2),
    Example("Bpref", (0, 1, 0, 1), ((1 - 1 / 2) + (1 - 2 / 2)) / 2),
    Example("Bpref", (0, None, 1), (1 - 1 / 1) / 1, missing=(0, 0)),
    Example("Bpref", (None, 1, 1), (1 + 1) / 3, missing=(1,)),
    Example("Bpref", (-1, 1), 1 / 1, missing=(0,)),
    Example("Judged@3", (1, None, 0, None), 2 / 3),
    Example("Judged@10", (1, None, -1), 2 / 3),
    Example("Judged", (None, None), 0 / 2),
    Example("DCG", (3, 0, 1), 3 / log2(2) + 1 / log2(4)),
    Example("DCG@2", (3, 2, 1), 3 / log2(2) + 2 / log2(3)),
    Example("DCG(gain=exp2)", (3, 2), (2**3 - 1) / log2(2) + (2**2 - 1) / log2(3)),
    Example("DCG(gain={1: 0.5, 3: 10})", (3, 1, 2), 10 / log2(2) + 0.5 / log2(3) + 2 / log2(4)),
    Example("DCG", (-1, 0.5), 0.5 / log2(3)),
    Example("nDCG@3", (1, None, 2, 3), (1 / log2(2) + 2 / log2(4)) / (3 / log2(2) + 2 / log2(3) + 1 / log2(4))),
    Example("nDCG", (0, 1), (1 / log2(3)) / (2 / log2(2) + 1 / log2(3)), missing=(2,)),
    Example("nDCG(ideal=retrieved)", (0, 1), (1 / log2(3)) / (1 / log2(2)), missing=(2,)),
    Example("nDCG(ideal=retrieved)@1", (1, 2), 1 / 2, missing=(3,)),
    Example("nDCG(gain=exp2)@2", (1, 2), (1 + 3 / log2(3)) / (3 + 1 / log2(3))),
    Example("nDCG(gain={1: 3, 2: 1})", (2, 1), (1 + 3 / log2(3)) / (3 + 1 / log2(3))),
    Example("nDCG", (0, -1), 0.0),
    Example("RBP", (1, 0, 1), (1 - 0.8) * (1 + 0.8**2)),
    Example("RBP(p=0.5)@2", (1, 0, 1), (1 - 0.5) * 1),
    Example("RBP(p=0.5, max_grade=4)", (4, 2), (1 - 0.5) * (4 / 4 + 2 / 4 * 0.5)),
    Example("RBP(rel=2)", (1, 2), (1 - 0.8) * 0.8),
    Example("ERR", (4, 2), 15 / 16 / 1 + (1 - 15 / 16) * (3 / 16) / 2),
    Example("ERR(max_grade=1)", (1, 0, 1), 1 / 2 + (1 - 1 / 2) * (1 / 2) / 3),
    Example("ERR(max_grade=1)@2", (1, 0, 1), 1 / 2),
)

REFERENCES = (
    Reference("P@3", C01, 0.6666666666666666, f"P_3 of {TREC_EVAL}", C01_MISSING),
    Reference("P@10", C01, 0.3, f"P_10 of {TREC_EVAL}", C01_MISSING),
    Reference("P", C01, 0.6, f"set_P of {TREC_EVAL}", C01_MISSING),
    Reference("R@3", C01, 0.5, f"recall_3 of {TREC_EVAL}", C01_MISSING),
    Reference("F", C01, 0.6666666666666665, f"set_F of {TREC_EVAL}", C01_MISSING, 2e-16),
    Reference("F@10", C01, 0.4285714285714285, "F1Beta@10 of RecTools 0.19.0, case C01 of golden.json", C01_MISSING),
    Reference("Rprec", C01, 0.5, f"Rprec of {TREC_EVAL}", C01_MISSING),
    Reference("AP", C01, 0.5666666666666667, f"map of {TREC_EVAL}", C01_MISSING),
    Reference("AP@3", C01, 0.41666666666666663, f"map_cut_3 of {TREC_EVAL}", C01_MISSING),
    Reference("RR", C01, 1.0, f"recip_rank of {TREC_EVAL}", C01_MISSING),
    Reference("Success@1", C01, 1.0, f"success_1 of {TREC_EVAL}", C01_MISSING),
    Reference("Bpref", C01, 0.25, f"bpref of {TREC_EVAL}", C01_MISSING),
    Reference("Judged@10", C01, 0.8, "Judged@10 of ir_measures 0.4.3, case C01 of golden.json", C01_MISSING),
    Reference("DCG", C01, 3.8868528072345416, f"dcg of {TREC_EVAL}", C01_MISSING),
    Reference("nDCG", C01, 0.6827980996000675, f"ndcg of {TREC_EVAL}", C01_MISSING),
    Reference("nDCG@3", C01, 0.6651640917528849, f"ndcg_cut_3 of {TREC_EVAL}", C01_MISSING),
    Reference("nDCG(gain=exp2)@3", C01, 0.62543, "ndcg@3 of gdeval.pl, case C01 of golden.json", C01_MISSING, 5e-6),
    Reference("nDCG@6", (3, 2, 3, 0, 1, 2), 0.785, "Wikipedia, Discounted cumulative gain", (3, 2), 5e-4),
    Reference("RBP(p=0.95)", MOFFAT_ZOBEL, 0.1881, "Moffat, Zobel (2008), the ranking $$---$----$-----$---", (), 5e-5),
    Reference("RBP(p=0.8)", MOFFAT_ZOBEL, 0.4526, "the same, as ranx tests it", (), 5e-5),
    Reference("RBP(p=0.5)", MOFFAT_ZOBEL, 0.7661, "the same, as ranx tests it", (), 5e-5),
    Reference("RBP", C01, 0.4099199999999999, "RBP(rel=1) of ir_measures 0.4.3, case C01", C01_MISSING, 1e-15),
    Reference("ERR@10", C01, 0.3117, "ERR@10 of ir_measures 0.4.3 (gdeval.pl), case C01", C01_MISSING, 5e-6),
    Reference("ERR(max_grade=3)@4", (3, 2, 0, 1), 0.90087890625, "Elasticsearch, ExpectedReciprocalRankTests"),
)
