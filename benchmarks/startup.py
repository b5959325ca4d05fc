"""What the first second costs: importing rankworth, asking for help, evaluating next to nothing."""

import argparse
import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import generate
import measuring
import tools

_HEAVY: Final = ("numpy", "polars", "scipy", "matplotlib", "pandas", "narwhals", "cyclopts", "rich")
_IMPORT: Final = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|(\s+)(\S+)")
_API: Final = """
import sys, rankworth
rankworth.evaluate(*sys.argv[1:], ["nDCG@10", "RR", "AP", "P@5", "R@100"])
"""


def main() -> None:
    """Measure the starts, and say which heavy modules each of them imports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--imports", type=int, default=5, metavar="N", help="show the N dearest imports of each")
    parser.add_argument("--data", type=Path, default=generate.DATA)
    options = parser.parse_args()
    tiny = generate.Collection(options.data, "small-deep").ensure()
    files = [str(tiny.qrels), str(tiny.run)]
    python = [sys.executable, "-c"]
    starts = {
        "python": [*python, "pass"],
        "import rankworth": [*python, "import rankworth"],
        "from rankworth import nDCG": [*python, "from rankworth import nDCG"],
        "rankworth --help": tools.rankworth("--help"),
        "rankworth measures": tools.rankworth("measures"),
        "rankworth evaluate, 50 x 100": tools.argv("rankworth", tiny),
        "evaluate in Python, 50 x 100": [*python, _API, *files],
        "import numpy": [*python, "import numpy"],
        "import polars": [*python, "import polars"],
    }
    print(measuring.machine())
    working = {name: argv for name, argv in starts.items() if _works(name, argv)}
    samples = measuring.commands(working, options.rounds)
    print(measuring.table("start", samples))
    print(_beyond(samples, "python"))
    profiles = {name: _imports(argv) for name, argv in working.items() if "rankworth" in name or "evaluate" in name}
    rows = [
        [name, " ".join(module for module in _HEAVY if module in took) or "none"] for name, took in profiles.items()
    ]
    print(measuring.grid(["start", "heavy modules it imports"], rows))
    for name, took in profiles.items():
        dearest = sorted(took.items(), key=lambda one: -one[1])[: options.imports]
        print(f"{name}: {', '.join(f'{module} {1e3 * seconds:.0f} ms' for module, seconds in dearest) or 'no imports'}")
    print(measuring.load())


def _beyond(samples: measuring.Samples, base: str) -> str:
    """What each start takes beyond another one, round by round."""
    rows = []
    for name, taken in samples.items():
        more = [1e3 * (one.seconds - other.seconds) for one, other in zip(taken, samples[base], strict=True)]
        rows.append([name, f"{statistics.median(more):.1f}", f"{min(more):.1f}..{max(more):.1f}"])
    return measuring.grid(["start", f"ms beyond {base}", "min..max"], rows)


def _works(name: str, argv: Sequence[str]) -> bool:
    try:
        measuring.command(argv)
    except (measuring.CommandError, FileNotFoundError) as error:
        print(f"{name} does not run: {str(error).splitlines()[-1]}\n")
        return False
    return True


def _imports(argv: Sequence[str]) -> dict[str, float]:
    """The modules that a command imports, with the seconds they take together with what they import themselves."""
    place = 1 if argv[0] == sys.executable else 0
    profiled = [sys.executable, "-X", "importtime", *argv[place:]]
    stderr = subprocess.run(profiled, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stderr
    return {module: int(microseconds) / 1e6 for _, microseconds, _, module in _IMPORT.findall(stderr)}


if __name__ == "__main__":
    main()
