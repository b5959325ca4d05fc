"""The command line of each tool for the five measures, and how to read the means from what it prints."""

import json
import sys
from pathlib import Path
from typing import Final

from file_peers import FIVE, PEERS
from generate import Collection

_FOLDER: Final = Path(__file__).resolve().parent
_SCRIPTS: Final = Path(sys.executable).parent
TOOLS: Final = ("rankworth", "rankworth_api", "floor", "pytrec_eval", "ir_measures", "ranx", "trec_eval")
_TREC_EVAL: Final = {
    "ndcg_cut.10": "ndcg_cut_10",
    "recip_rank": "recip_rank",
    "map": "map",
    "P.5": "P_5",
    "recall.100": "recall_100",
}


def rankworth(*arguments: str) -> list[str]:
    """The installed command."""
    return [str(_SCRIPTS / "rankworth"), *arguments]


def argv(tool: str, collection: Collection, trec_eval: str = "trec_eval", python: str = sys.executable) -> list[str]:
    """The whole command that evaluates a collection, with a Python that has the tool."""
    files = [str(collection.qrels), str(collection.run)]
    if tool == "rankworth":
        return rankworth("evaluate", *files, "-m", *FIVE, "-f", "json")
    if tool == "trec_eval":
        return [trec_eval, "-c", *(word for name in _TREC_EVAL for word in ("-m", name)), *files]
    if tool == "ir_measures":
        return [python, "-m", "ir_measures", "--places", "10", *files, *FIVE]
    if tool in PEERS:
        return [python, str(_FOLDER / "file_peers.py"), tool, *files]
    message = f"no tool is called {tool!r}; there are {' '.join(TOOLS)}"
    raise SystemExit(message)


def means(tool: str, output: str) -> dict[str, float]:
    """The mean of each measure, as the tool printed it; nothing for the floor, which measures nothing."""
    if tool == "rankworth":
        mean = json.loads(output)["runs"][0]["mean"]
        return {name: float(mean[name]) for name in FIVE}
    if tool in PEERS:
        return dict(zip(FIVE, json.loads(output), strict=False))
    rows = [line.split() for line in output.splitlines() if line.strip()]
    found = {row[0]: row[-1] for row in rows if len(row) > 1}
    names = _TREC_EVAL.values() if tool == "trec_eval" else FIVE
    return {name: float(found[spelled]) for name, spelled in zip(FIVE, names, strict=True)}
