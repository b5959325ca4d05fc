"""What the shape of a file does to rankworth: ten times the size, scattered queries, unsorted scores, everything tied.

All ratios are to the plain file of the same collection: queries stand together, scores fall, no two are equal.
"""

import argparse
from pathlib import Path

import generate
import measuring
import tools


def main() -> None:
    """Measure the variants of one collection or both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collection", choices=("shallow", "deep"), action="append", help="both where not said")
    parser.add_argument("--tool", choices=tools.TOOLS, default="rankworth", help="what to run (default: %(default)s)")
    parser.add_argument("--times", type=int, default=10, help="the size of the large file; 1 leaves it out")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=generate.DATA)
    options = parser.parse_args()
    print(measuring.machine())
    for shape in options.collection or ("shallow", "deep"):
        variants = {order: generate.Collection(options.data, shape, 1, order) for order in generate.ORDERS}
        if options.times > 1:
            variants[f"{options.times} x the queries"] = generate.Collection(options.data, shape, options.times)
        commands = {name: tools.argv(options.tool, variant.ensure()) for name, variant in variants.items()}
        samples = measuring.commands(commands, options.rounds)
        print(measuring.table(f"{shape}: {options.tool}", samples))
    print(measuring.load())


if __name__ == "__main__":
    main()
