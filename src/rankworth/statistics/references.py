"""Where the statistics come from, as BibTeX."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_ENTRIES: Final = """
@article{benjamini1995,
  author = {Benjamini, Yoav and Hochberg, Yosef},
  title = {Controlling the false discovery rate: A practical and powerful approach to multiple testing},
  journal = {Journal of the Royal Statistical Society, Series B},
  volume = {57}, number = {1}, pages = {289--300}, year = {1995},
  doi = {10.1111/j.2517-6161.1995.tb02031.x}
}
@article{benjamini2001,
  author = {Benjamini, Yoav and Yekutieli, Daniel},
  title = {The control of the false discovery rate in multiple testing under dependency},
  journal = {The Annals of Statistics},
  volume = {29}, number = {4}, pages = {1165--1188}, year = {2001},
  doi = {10.1214/aos/1013699998}
}
@article{carterette2012,
  author = {Carterette, Benjamin A.},
  title = {Multiple testing in statistical analysis of systems-based information retrieval experiments},
  journal = {ACM Transactions on Information Systems},
  volume = {30}, number = {1}, pages = {4:1--4:34}, year = {2012},
  doi = {10.1145/2094072.2094076}
}
@article{dixon1946,
  author = {Dixon, W. J. and Mood, A. M.},
  title = {The statistical sign test},
  journal = {Journal of the American Statistical Association},
  volume = {41}, number = {236}, pages = {557--566}, year = {1946},
  doi = {10.1080/01621459.1946.10501898}
}
@article{dunn1961,
  author = {Dunn, Olive Jean},
  title = {Multiple comparisons among means},
  journal = {Journal of the American Statistical Association},
  volume = {56}, number = {293}, pages = {52--64}, year = {1961},
  doi = {10.1080/01621459.1961.10482090}
}
@article{efron1987,
  author = {Efron, Bradley},
  title = {Better bootstrap confidence intervals},
  journal = {Journal of the American Statistical Association},
  volume = {82}, number = {397}, pages = {171--185}, year = {1987},
  doi = {10.1080/01621459.1987.10478410}
}
@book{efron1993,
  author = {Efron, Bradley and Tibshirani, Robert J.},
  title = {An introduction to the bootstrap},
  publisher = {Chapman and Hall}, year = {1993}
}
@article{hedges1981,
  author = {Hedges, Larry V.},
  title = {Distribution theory for {Glass's} estimator of effect size and related estimators},
  journal = {Journal of Educational Statistics},
  volume = {6}, number = {2}, pages = {107--128}, year = {1981},
  doi = {10.3102/10769986006002107}
}
@article{holm1979,
  author = {Holm, Sture},
  title = {A simple sequentially rejective multiple test procedure},
  journal = {Scandinavian Journal of Statistics},
  volume = {6}, number = {2}, pages = {65--70}, year = {1979}
}
@article{sakai2016,
  author = {Sakai, Tetsuya},
  title = {Topic set size design},
  journal = {Information Retrieval Journal},
  volume = {19}, number = {3}, pages = {256--283}, year = {2016},
  doi = {10.1007/s10791-015-9273-z}
}
@book{sakai2018,
  author = {Sakai, Tetsuya},
  title = {Laboratory experiments in information retrieval: Sample sizes, effect sizes, and statistical power},
  publisher = {Springer}, year = {2018},
  doi = {10.1007/978-981-13-1199-4}
}
@article{schuirmann1987,
  author = {Schuirmann, Donald J.},
  title = {A comparison of the two one-sided tests procedure and the power approach for assessing the equivalence of
           average bioavailability},
  journal = {Journal of Pharmacokinetics and Biopharmaceutics},
  volume = {15}, number = {6}, pages = {657--680}, year = {1987},
  doi = {10.1007/BF01068419}
}
@inproceedings{smucker2007,
  author = {Smucker, Mark D. and Allan, James and Carterette, Ben},
  title = {A comparison of statistical significance tests for information retrieval evaluation},
  booktitle = {Proceedings of CIKM 2007},
  pages = {623--632}, year = {2007},
  doi = {10.1145/1321440.1321528}
}
@article{student1908,
  author = {{Student}},
  title = {The probable error of a mean},
  journal = {Biometrika},
  volume = {6}, number = {1}, pages = {1--25}, year = {1908},
  doi = {10.1093/biomet/6.1.1}
}
@article{tukey1949,
  author = {Tukey, John W.},
  title = {Comparing individual means in the analysis of variance},
  journal = {Biometrics},
  volume = {5}, number = {2}, pages = {99--114}, year = {1949},
  doi = {10.2307/3001913}
}
@article{wilcoxon1945,
  author = {Wilcoxon, Frank},
  title = {Individual comparisons by ranking methods},
  journal = {Biometrics Bulletin},
  volume = {1}, number = {6}, pages = {80--83}, year = {1945},
  doi = {10.2307/3001968}
}
"""


def _entries() -> dict[str, str]:
    texts = [f"@{text}".strip() for text in _ENTRIES.split("\n@")[1:]]
    return {text.partition("{")[2].partition(",")[0]: text for text in texts}


BIBTEX: Final[Mapping[str, str]] = MappingProxyType(_entries())
"""Entries by key; the keys that results name, and those of `effects` (hedges1981) and of planning (sakai2016)."""
