"""Whole commands that print all of trec_eval's measures for every query: rankworth, and trec_eval's code elsewhere.

pytrec_eval-terrier runs trec_eval 9's code behind a reader written in Python, and its values are printed here in the
same lines; a trec_eval binary can be named. The lines of all are compared, but for the measures in which trec_eval 9
and 10 differ and those that only one of them has.
"""

import argparse
import sys
from pathlib import Path
from typing import Final

import generate
import measuring
import tools

_APART: Final = ("iprec_at_recall", "11pt_avg", "unj", "rbp", "relstring", "runid", "num_q", "gm_")


def main() -> None:
    """Measure the tools on one collection or both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collection", choices=("shallow", "deep"), action="append", help="deep where not said")
    parser.add_argument("--trec-eval", metavar="PATH", help="a trec_eval binary; left out where not said")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=generate.DATA)
    options = parser.parse_args()
    print(measuring.machine())
    for shape in options.collection or ("deep",):
        collection = generate.Collection(options.data, shape).ensure()
        files = [str(collection.qrels), str(collection.run)]
        ours = tools.rankworth("evaluate", *files, "-f", "trec", "-q", "-m", "all_trec", "--quiet")
        commands = {"rankworth": ours, "pytrec_eval": [sys.executable, str(Path(__file__).resolve()), *files]}
        if options.trec_eval:
            commands["trec_eval"] = [options.trec_eval, "-c", "-q", "-m", "all_trec", *files]
        samples = measuring.commands(commands, options.rounds)
        print(measuring.table(f"{shape}: -m all_trec -q", samples))
        lines = {name: _lines(taken[-1].output) for name, taken in samples.items()}
        shared = set.intersection(*(set(found) for found in lines.values()))
        differing = {key for key in shared if len({found[key] for found in lines.values()}) > 1}
        print(f"{len(shared):,} lines of single queries compared, {len(differing):,} differ")
    print(measuring.load())


def _lines(output: str) -> dict[tuple[str, str], str]:
    """Values of single queries, by measure and query."""
    rows = (line.split("\t") for line in output.splitlines())
    return {
        (name.strip(), query): value for name, query, value in rows if query != "all" and not name.startswith(_APART)
    }


def pytrec_eval(qrels: str, run: str) -> None:
    """All that pytrec_eval-terrier has, printed as trec_eval prints it; a process of its own."""
    import pytrec_eval as peer  # noqa: PLC0415 - in the measured process only

    with open(qrels) as judged, open(run) as returned:  # noqa: PTH123 - no further import in the measured process
        evaluator = peer.RelevanceEvaluator(peer.parse_qrel(judged), peer.supported_measures)
        values = evaluator.evaluate(peer.parse_run(returned))
    write = sys.stdout.write
    for query, row in values.items():
        for name, value in row.items():
            text = f"{value:.0f}" if name.startswith("num_") else f"{value:6.4f}"
            write(f"{name:<22}\t{query}\t{text}\n")


if __name__ == "__main__":
    if len(sys.argv) == 3 and not sys.argv[1].startswith("-"):
        pytrec_eval(*sys.argv[1:])
    else:
        main()
