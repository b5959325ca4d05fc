"""One measure by the conventions of every profile in one call, against one profile: what the others cost."""

import argparse
import warnings
from pathlib import Path
from typing import Final

import generate
import measuring

MEASURES: Final = ("nDCG@10", "RR", "AP")


def main() -> None:
    """Print a table for each measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="6,980 x 1,000 documents in place of 500 x 1,000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=generate.DATA)
    options = parser.parse_args()
    collection = generate.Collection(options.data, "shallow" if options.large else "deep").ensure()
    print(measuring.machine())
    import rankworth  # noqa: PLC0415 - after the collection is there

    warnings.simplefilter("ignore", rankworth.RankworthWarning)
    every = list(rankworth.PROFILES)

    def evaluate(measure: str, profiles: list[str]) -> dict[str, object]:
        return rankworth.evaluate_profiles(
            rankworth.Qrels(collection.qrels), rankworth.Run(collection.run), [measure], profiles=profiles
        )

    for measure in MEASURES:
        found = evaluate(measure, every)
        refused = [name for name, values in found.items() if isinstance(values, rankworth.RankworthError)]
        calls = {
            "one profile": lambda measure=measure: evaluate(measure, ["standard-1"]),
            f"all {len(every)} profiles": lambda measure=measure: evaluate(measure, every),
        }
        print(measuring.table(f"{collection.shape}: {measure}", measuring.calls(calls, options.rounds)))
        print(f"refused by {', '.join(refused) or 'none'}\n")
    print(measuring.load())


if __name__ == "__main__":
    main()
