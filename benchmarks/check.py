"""`check` against `evaluate` of the same files: what looking for faults costs, without profiles side by side."""

import argparse
import warnings
from pathlib import Path

import generate
import measuring


def main() -> None:
    """Print a table for each shape of collection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="6,980 x 1,000 documents, too")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--data", type=Path, default=generate.DATA)
    options = parser.parse_args()
    print(measuring.machine())
    import rankworth  # noqa: PLC0415 - after the machine is known

    warnings.simplefilter("ignore", rankworth.RankworthWarning)
    for shape in ("deep", "shallow") if options.large else ("deep",):
        collection = generate.Collection(options.data, shape).ensure()
        calls = {
            "evaluate": lambda files=collection: rankworth.evaluate_runs(files.qrels, [files.run]),
            "check": lambda files=collection: rankworth.check(files.qrels, [files.run]),
        }
        print(measuring.table(collection.shape, measuring.calls(calls, options.rounds)))
    print(measuring.load())


if __name__ == "__main__":
    main()
