"""Compares many random collections, by hand: `python tests/live/many.py --collections 5000 --tools ranx RePlay`.

Prints for each tool how many numbers agreed, what was left out and why, and what did not agree, each on the smallest
collection that was found to show it.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from live.comparing import Disagreement, Tally, compare
from live.random_collections import Collection, collection
from live.runners import Runner
from live.tools import TOOLS, Tool


def main() -> int:
    """Compare what was asked for; 1 if anything did not agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collections", type=int, default=1000, help="for each tool and way of calling it")
    parser.add_argument("--tools", nargs="*", default=[tool.name for tool in TOOLS])
    parser.add_argument("--how", help="only this way of calling")
    parser.add_argument("--seed", type=int, default=1_000_000, help="the first one")
    parser.add_argument("--show", type=int, default=1, help="examples for each measure that did not agree")
    asked = parser.parse_args()
    disagreed = False
    for tool in TOOLS:
        if tool.name in asked.tools:
            disagreed |= told(tool, asked)
    return int(disagreed)


def told(tool: Tool, asked: argparse.Namespace) -> bool:
    """Compare a tool, write what was found, and say whether anything did not agree."""
    began, tally = perf_counter(), Tally()
    with Runner(tool) as runner:
        for how in tool.hows:
            for seed in range(asked.seed, asked.seed + asked.collections) if asked.how in (None, how) else ():
                compare(tool, how, collection(f"{tool.name} {how} {seed}", tool.traits), runner, tally)
        seconds = perf_counter() - began
        sys.stdout.write("\n".join([*found(tool, tally, runner, asked.show), f"  {seconds:.0f} s", ""]))
    return bool(tally.disagreements)


def found(tool: Tool, tally: Tally, runner: Runner, show: int) -> Iterator[str]:
    """The lines about a tool."""
    yield f"{tool.name}: {tally.agreed} numbers agree, {tally.refused_alike} measures are refused alike"
    for why, count in tally.left_out.items():
        yield f"  left out: {count}: {why}"
    counts = Counter((one.how, one.measure) for one in tally.disagreements)
    shown: Counter[tuple[str, str]] = Counter()
    for one in tally.disagreements:
        key = (one.how, one.measure)
        shown[key] += 1
        if shown[key] <= show:
            yield f"  disagree: {counts[key]} x {smallest(one, tool, runner)}"


def smallest(found: Disagreement, tool: Tool, runner: Runner) -> Disagreement:
    """The disagreement on a collection from which no query and no row can be taken any more."""

    def still(rows: Collection) -> Disagreement | None:
        if not rows["qrels"] or not rows["run"]:
            return None
        tally = Tally()
        compare(tool, found.how, rows, runner, tally, found.measure)
        alike = [one for one in tally.disagreements if kind(one) == kind(found)]
        return alike[0] if alike else None

    shrinking = True
    while shrinking:
        shrinking = False
        for fewer in less(found.collection):
            if smaller := still(fewer):
                found, shrinking = smaller, True
                break
    return found


def kind(found: Disagreement) -> tuple[str, str]:
    """What is said in two words, so that a smaller collection does not show something else."""
    return ("values", "") if found.query != "-" else (str(found.theirs)[:12], str(found.ours)[:40])


def less(rows: Collection) -> Iterator[Collection]:
    """The collection without one query, and without one row."""
    for query in dict.fromkeys(row[0] for row in [*rows["qrels"], *rows["run"]]):
        yield rows | {part: [row for row in rows[part] if row[0] != query] for part in ("qrels", "run")}
    if rows["empty_queries"]:
        yield rows | {"empty_queries": []}
    for part in ("qrels", "run"):
        for place in range(len(rows[part])):
            yield rows | {part: rows[part][:place] + rows[part][place + 1 :]}


if __name__ == "__main__":
    sys.exit(main())
