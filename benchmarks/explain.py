"""`rankworth explain` of one query against `rankworth evaluate` of the run, as whole commands, large and small."""

import argparse
from pathlib import Path

import generate
import measuring
import tools

MEASURE = "nDCG@10"


def main() -> None:
    """Print a table for each collection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--data", type=Path, default=generate.DATA)
    options = parser.parse_args()
    print(measuring.machine())
    for shape in ("shallow", "deep", "small-deep"):
        collection = generate.Collection(options.data, shape).ensure()
        files = (str(collection.qrels), str(collection.run))
        with collection.qrels.open() as lines:
            query = lines.readline().split()[0]
        commands = {
            f"evaluate, {MEASURE}": tools.rankworth("evaluate", *files, "-m", MEASURE),
            f"explain one query, {MEASURE}": tools.rankworth("explain", *files, query, "-m", MEASURE),
            "explain one query, AP": tools.rankworth("explain", *files, query, "-m", "AP"),
            "explain the worst 5": tools.rankworth("explain", *files, "--worst", "5", "-m", MEASURE),
        }
        print(measuring.table(shape, measuring.commands(commands, options.rounds)))
    print(measuring.load())


if __name__ == "__main__":
    main()
