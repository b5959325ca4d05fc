"""How trec_eval, and the tools that compute with it or like it, are asked for."""

from typing import Final

from golden.asking import Way
from golden.choosing import Select, records

_NINE: Final = "trec_eval-9.0.8"
_TEN: Final = "trec_eval-10.0"
_PYTREC: Final = "pytrec_eval-terrier-0.5"
_IR: Final = "ir_measures-0.4"
_UNANSWERED: Final = "C07|C08"

TREC_FAMILY: Final[list[tuple[Select, Way]]] = [
    (records("trec_eval", version="9", called="^$"), Way(_NINE)),
    (records("trec_eval", version="9", called="-c"), Way(f"{_NINE}-c")),
    (records("trec_eval", version="9", called="-l2"), Way(_NINE, {"rel": 2})),
    (records("trec_eval", version="9", called="-J"), Way(_NINE, {"unjudged": "removed"})),
    (records("trec_eval", version="9", called="-M3"), Way(_NINE, {"depth": 3})),
    # It prints the queries before the one that is missing, and stops.
    (records("trec_eval", version="10", called="^$", case=_UNANSWERED, query="1"), Way(_TEN, {"missing": "skip"})),
    (records("trec_eval", version="10", called="^$"), Way(_TEN)),
    (records("trec_eval", version="10", called="-c"), Way(f"{_TEN}-c")),
    (records("trec_eval", version="10", called="-J"), Way(_TEN, {"unjudged": "removed"})),
    (
        records("pytrec_eval-terrier", called="relevance_level=2"),
        Way(_PYTREC, {"rel": 2}, dicts=True),
    ),
    (
        records("pytrec_eval-terrier", called="judged_docs_only_flag=True"),
        Way(_PYTREC, {"unjudged": "removed"}, dicts=True),
    ),
    # The name of a measure in its result does not tell the parameter with which it was asked for.
    (
        records("pytrec_eval-terrier", case="X11", measure="set_F"),
        Way(_PYTREC, dicts=True, spelt={"set_F": "set_F_2.0"}),
    ),
    (records("pytrec_eval-terrier"), Way(_PYTREC, dicts=True)),
    (records("ir_measures", called="(provider )?cwl_eval"), Way(f"{_IR}-cwl_eval", dicts=True)),
    (records("ir_measures", called="msmarco"), Way(f"{_IR}-msmarco", dicts=True)),
    # One measure of only judged documents makes the number of retrieved documents beside it one of judged ones, too.
    (
        records("ir_measures", called="same call", measure="NumRet"),
        Way(_IR, {"unjudged": "removed"}, dicts=True),
    ),
    (records("ir_measures"), Way(_IR, dicts=True)),
    (records("gdeval.pl"), Way("gdeval-1.2")),
    (records("elinor"), Way("elinor-0.4")),
    (records("cwl-eval", called="gain = 1"), Way("cwl_eval-1.0", grades="hits")),
    (records("cwl-eval"), Way("cwl_eval-1.0", grades="shares")),
]
