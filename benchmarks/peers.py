"""Rankworth against other tools, in one table: time, memory, and whether the numbers are the same.

    python benchmarks/peers.py                                  # all collections and tools: about half an hour
    python benchmarks/peers.py --collection deep --only ranx torchmetrics
    python benchmarks/peers.py --trec-eval ~/trec_eval/trec_eval --python ~/other/bin/python

Each tool is handed what its users have: files, dicts, frames, arrays, tensors, hits. In the line below it, rankworth
does the same from the same input, with the measures and the conventions of that tool (its profile). Both have a process
of their own, and take turns.

A tool is looked for in this Python, in those that `--python` names, and in the environments of the tests. One that is
nowhere has a line that says how to install it. The exit status is 1 where a value of a query differs by more than 1e-6.
"""

import argparse
import json
import math
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import generate
import measuring
import tools
from file_peers import FIVE, PYTREC_EVAL, RANX, Values
from measuring import Sample
from peer_calls import JOBS

FOLDER: Final = Path(__file__).resolve().parent
COLLECTIONS: Final = ("shallow", "deep", "small-deep")
TOLERANCE: Final = 1e-6
"""for values between 0 and 1 of tools that count in single precision"""
PATIENCE: Final = 60.0
"""seconds for the rounds of a pair; three rounds there are in any case, or as many as are asked for"""
BURST: Final = 0.05
"""seconds for which short calls are repeated, to be timed together"""
HEADER: Final = (
    *("data", "from", "tool", "CPU s", "min..max", "clock s", "min..max", "CPU ratio", "clock ratio"),
    *("peak MB", "inputs MB", "values", "differ by"),
)
_FIND: Final = """
import importlib.metadata, importlib.util, json, sys
wanted = json.loads(sys.argv[1])
found = {name for name, module in wanted.items() if importlib.util.find_spec(module)}
print(json.dumps({name: importlib.metadata.version(name) for name in found}))
"""


class Pair(NamedTuple):
    """A tool and a form of input."""

    tool: str
    module: str
    form: str
    profile: str
    names: tuple[str, ...]
    key: str
    """of the class in peer_calls.py; of files, of the command in tools.py"""


FILES: Final = tuple(
    Pair(tool, module, "files", profile, names, key)
    for tool, module, profile, names, key in (
        ("trec_eval", "", "trec_eval-10.0-c", PYTREC_EVAL, "trec_eval"),
        ("pytrec_eval-terrier", "pytrec_eval", "pytrec_eval-terrier", PYTREC_EVAL, "pytrec_eval"),
        ("ir_measures", "ir_measures", "ir_measures", FIVE, "ir_measures"),
        ("ranx", "ranx", "ranx-0.3-comparable", RANX, "ranx"),
    )
)
PAIRS: Final = (
    *FILES,
    *(Pair(job.tool, job.module, job.form, job.profile, job.names, key) for key, job in JOBS.items()),
)
TOOLS: Final = tuple(dict.fromkeys(pair.tool for pair in PAIRS))
FORMS: Final = tuple(dict.fromkeys(pair.form for pair in PAIRS))


class Place(NamedTuple):
    """Where a tool is."""

    program: str
    """a Python, or trec_eval itself"""
    version: str


class Command:
    """One side of a pair from files: a whole process for each call."""

    inputs: float | None = None

    def __init__(self, argv: Sequence[str], argv_of_values: Sequence[str], form: str) -> None:
        """Keep the command that prints means, the one that prints the values of all queries, and how it prints them."""
        self._argv, self._argv_of_values, self._form = argv, argv_of_values, form

    def sample(self) -> Sample:
        """Run it."""
        return measuring.command(self._argv)

    def values(self) -> Values:
        """Return what it prints of all queries."""
        output = measuring.command(self._argv_of_values).output
        if self._form == "values":
            return json.loads(output)
        if self._form == "json":
            [run] = json.loads(output)["runs"]
            return {name: {query: row[name] for query, row in run["per_query"].items()} for name in run["mean"]}
        rows = [line.split() for line in output.splitlines() if line.strip()]
        if self._form == "query first":
            rows = [[name, query, value] for query, name, value in rows]
        values: Values = {}
        for name, query, value in rows:
            if query != "all":
                values.setdefault(name, {})[query] = float(value)
        return values

    def close(self) -> None:
        """There is nothing to end."""


class Caller:
    """One side of a pair in memory: a process that holds the inputs, and calls when it is asked to."""

    def __init__(self, python: str, key: str, side: str, collection: generate.Collection) -> None:
        """Start it."""
        script, files = FOLDER / "peer_calls.py", (collection.qrels, collection.run)
        argv = [python, *map(str, (script, key, side, *files))]
        self._argv, self._repeats = argv, 1
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.inputs: float | None = self._answer()["megabytes"]

    def sample(self) -> Sample:
        """Call it, some times in a row where that takes next to no time."""
        sample = Sample(**self._ask(str(self._repeats)))
        self._repeats = max(1, int(BURST / sample.cpu)) if sample.cpu < BURST else 1
        return sample

    def values(self) -> Values:
        """Return the values of all queries."""
        return self._ask("values")

    def close(self) -> None:
        """End the process, which has no more lines to read."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()

    def _ask(self, line: str) -> Any:  # noqa: ANN401 - JSON
        print(line, file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> Any:  # noqa: ANN401 - JSON
        answer = self._process.stdout.readline() if self._process.stdout else ""
        if not answer:
            raise measuring.CommandError(self._argv, self._process.wait(), "see above")
        return json.loads(answer)


def main() -> None:
    """Print the table."""
    options = arguments()
    pythons = dict.fromkeys([sys.executable, *options.python, *environments()])
    places = find(options.only, pythons, options.trec_eval)
    print(measuring.machine())
    shapes = options.collection or COLLECTIONS
    rows, wrong = [], []
    for shape, pair in product(shapes, PAIRS):
        if pair.tool not in places or pair.form not in options.form:
            continue
        collection, title = generate.Collection(options.data, shape).ensure(), f"{shape}, {pair.form}: {pair.tool}"
        print(f"{title} ...", file=sys.stderr, flush=True)
        try:
            measured, differs = compared(pair, places[pair.tool], collection, options.rounds, options.warmups)
        except measuring.CommandError as error:  # the others are measured all the same
            print(error, file=sys.stderr)
            wrong.append(f"{title} failed, see above")
            continue
        rows += measured
        print(*measured[0], *measured[1], file=sys.stderr, flush=True)  # the table comes last, after half an hour
        wrong += [f"{title} has other values"] * differs
    missing = [f"{tool}: {remedy(tool)}" for tool in options.only if tool not in places]
    rows += [["", "", text, *[""] * (len(HEADER) - 3)] for text in missing]
    print(measuring.grid(HEADER, rows, texts=3))
    for shape in shapes:
        of = generate.SHAPES[shape]
        print(f"{shape}: {of.queries:,} queries x {of.depth:,} documents, {of.judged} judged of each query")
    print(measuring.load())
    if wrong:
        sys.exit("\n".join(wrong))


def arguments() -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shapes = f"can be repeated; where not said: {' '.join(COLLECTIONS)}"
    parser.add_argument("--collection", choices=generate.SHAPES, action="append", help=shapes)
    parser.add_argument("--only", nargs="+", choices=TOOLS, default=TOOLS, metavar="TOOL", help=" ".join(TOOLS))
    parser.add_argument("--form", nargs="+", choices=FORMS, default=FORMS, metavar="FORM", help=" ".join(FORMS))
    parser.add_argument(
        "--python", nargs="+", default=(), metavar="PATH", help="another Python, which has rankworth and some tools"
    )
    parser.add_argument(
        "--trec-eval", metavar="PATH", default=shutil.which("trec_eval"), help="where trec_eval is not on PATH"
    )
    parser.add_argument("--rounds", type=int, default=7, help="at most, where calls take long; default: %(default)s")
    parser.add_argument("--warmups", type=int, default=2, help="rounds before that do not count; default: %(default)s")
    parser.add_argument("--data", type=Path, default=generate.DATA, help="the folder of collections")
    return parser.parse_args()


def environments() -> list[str]:
    """Return the Pythons of environments within this one, in which the tests have other tools."""
    return [str(path) for path in sorted(Path(sys.prefix, "tools").glob("*/bin/python"))]


def find(wanted: Iterable[str], pythons: Iterable[str], trec_eval: str | None) -> dict[str, Place]:
    """Find tools, each in the first Python that has it and rankworth."""
    modules = {pair.tool: pair.module for pair in PAIRS if pair.module and pair.tool in wanted}
    places: dict[str, Place] = {}
    for python in pythons:
        command = [python, "-c", _FIND, json.dumps(modules | {"rankworth": "rankworth"})]
        versions = json.loads(measuring.command(command).output)
        if versions.pop("rankworth", None):
            places = {tool: Place(python, version) for tool, version in versions.items()} | places
    if trec_eval and "trec_eval" in wanted:
        said = subprocess.run([trec_eval, "--version"], capture_output=True, text=True, check=False)
        version = re.search(r"\d+(\.\d+)*", said.stdout + said.stderr)
        places["trec_eval"] = Place(trec_eval, version[0] if version else "")
    return places


def remedy(tool: str) -> str:
    """Say how a tool that was not found gets here."""
    return "`--trec-eval PATH`" if tool == "trec_eval" else f"`pip install {tool}`"


def sides(pair: Pair, place: Place, collection: generate.Collection) -> tuple[Command | Caller, Command | Caller]:
    """Return the tool, and rankworth, which does the same."""
    if pair.form != "files":
        theirs, ours = (Caller(place.program, pair.key, side, collection) for side in ("theirs", "ours"))
        return theirs, ours
    python = place.program if pair.module else sys.executable
    command = tools.argv(pair.key, collection, place.program, python)
    evaluate = [python, "-m", "rankworth", "evaluate", str(collection.qrels), str(collection.run)]
    evaluate += ["-m", *pair.names, "--profile", pair.profile, "--quiet"]
    values, form = [*evaluate, "-f", "json", "-q"], "json"
    if pair.tool == "trec_eval":  # whose values have four decimals
        values, form = [*evaluate, "-f", "trec", "-q"], "lines"
        tool = Command(command, [command[0], "-q", *command[1:]], "lines")
    elif pair.tool == "ir_measures":
        tool = Command(command, [*command, "--by_query", "--no_summary", "--places", "17"], "query first")
    else:
        tool = Command(command, [*command, "--queries"], "values")
    return tool, Command([*evaluate, "-f", "json"], values, form)


def compared(
    pair: Pair, place: Place, collection: generate.Collection, rounds: int, warmups: int
) -> tuple[list[list[str]], bool]:
    """Measure a tool and rankworth in turns, and compare their values: two rows, and whether the values differ."""
    if pair.tool == "trec_eval" and place.version.startswith("9"):
        pair = pair._replace(profile="trec_eval-9.0.8-c")
    both = sides(pair, place, collection)
    samples: tuple[list[Sample], list[Sample]] = ([], [])
    try:
        for number in range(-warmups, rounds):
            if number == 0:
                begin = time.perf_counter()
            elif number >= 3 and time.perf_counter() > begin + PATIENCE:
                break
            for side, taken in [*zip(both, samples, strict=True)][:: 1 if number % 2 == 0 else -1]:
                sample = side.sample()
                if number >= 0:
                    taken.append(sample)
        theirs, ours = (side.values() for side in both)
    finally:
        for side in both:
            side.close()
    size, difference = difference_of(theirs, ours, pair.names)
    times = (figures(samples[0], samples[1], both[0].inputs), figures(samples[1], None, both[1].inputs))
    rows = [
        [collection.shape, pair.form, f"{pair.tool} {place.version}".strip(), *times[0], size, f"{difference:.1g}"],
        ["", "", f"rankworth, {pair.profile}", *times[1], "", ""],
    ]
    return rows, difference > TOLERANCE


def figures(taken: Sequence[Sample], base: Sequence[Sample] | None, inputs: float | None) -> list[str]:
    """Return the cells of times, ratios and memory."""
    cells = []
    for of in (lambda sample: sample.cpu, lambda sample: sample.seconds):
        numbers = [of(sample) for sample in taken]
        cells += [measuring.rounded(statistics.median(numbers)), measuring.span(numbers)]
    for of in (lambda sample: sample.cpu, lambda sample: sample.seconds):
        ratio = base and statistics.median(measuring.ratios(taken, base, of))
        cells.append(measuring.rounded(ratio) if ratio else measuring.PLAIN)
    peak = max(sample.megabytes or 0.0 for sample in taken)
    return [*cells, f"{peak:,.0f}", "" if inputs is None else f"{inputs:,.0f}"]


def difference_of(theirs: Values, ours: Values, names: Sequence[str]) -> tuple[str, float]:
    """Return how many measures and queries there are, and the largest difference; infinite where queries differ."""
    pairs = [(theirs[name], ours[name]) for name in names]
    size = f"{len(names)} x {len(pairs[0][0]):,}"
    if any(left.keys() != right.keys() for left, right in pairs):
        return size, math.inf
    return size, max(abs(left[query] - right[query]) for left, right in pairs for query in left)


if __name__ == "__main__":
    main()
