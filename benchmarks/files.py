"""Whole commands, from two TREC files to five means: rankworth with all its checks, and what else there is."""

import argparse
from itertools import product
from pathlib import Path

import generate
import measuring
import tools
from file_peers import FIVE


def main() -> None:
    """Measure the tools on one collection or both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collection", choices=("shallow", "deep"), action="append", help="both where not said")
    parser.add_argument(
        "--order", choices=generate.TIES, action="append", help="how scores are tied; all where not said"
    )
    parser.add_argument("--only", nargs="+", choices=tools.TOOLS, metavar="NAME", help=" ".join(tools.TOOLS))
    parser.add_argument("--trec-eval", metavar="PATH", help="a trec_eval binary; left out where not said")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=generate.DATA)
    options = parser.parse_args()
    names = options.only or [name for name in tools.TOOLS if name != "trec_eval" or options.trec_eval]
    print(measuring.machine())
    for shape, order in product(options.collection or ("shallow", "deep"), options.order or generate.TIES):
        collection = generate.Collection(options.data, shape, order=order).ensure()
        commands = {name: tools.argv(name, collection, options.trec_eval or "trec_eval") for name in names}
        samples = measuring.commands(commands, options.rounds)
        print(measuring.table(f"{shape}, {order}: files, five measures", samples))
        print(
            _means(f"{shape}, {order}", {name: tools.means(name, taken[-1].output) for name, taken in samples.items()})
        )
    print(measuring.load())


def _means(shape: str, means: dict[str, dict[str, float]]) -> str:
    """What the tools computed: a fast wrong number is not fast."""
    rows = [[name, *(f"{mean[one]:.6f}" for one in FIVE)] for name, mean in means.items() if mean]
    return measuring.grid([f"{shape}: means", *FIVE], rows)


if __name__ == "__main__":
    main()
