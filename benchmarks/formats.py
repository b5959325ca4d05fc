"""One run in every format: how long `rankworth.evaluate` takes, with which memory, and JSON against orjson's parser.

The files are written by `rankworth convert` when first needed, then kept. Ratios are to the lines of TREC.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import generate
import measuring
import tools

MEASURES: Final = ("nDCG@10", "AP", "RR")
_SUFFIXES: Final = ("csv", "tsv", "json", "jsonl", "parquet", "arrow")
_PROCESS: Final = "import sys, rankworth; print(rankworth.evaluate(*sys.argv[1:3], sys.argv[3:]).mean())"


def main() -> None:
    """Measure processes first: what this one imports later would count as theirs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="6,980 x 1,000 documents in place of 500 x 1,000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=_SUFFIXES, default=_SUFFIXES, metavar="NAME")
    parser.add_argument("--data", type=Path, default=generate.DATA)
    options = parser.parse_args()
    collection = generate.Collection(options.data, "shallow" if options.large else "deep").ensure()
    files = {"trec": collection.run} | {suffix: _converted(collection.run, suffix) for suffix in options.only}
    qrels = str(collection.qrels)
    print(measuring.machine())
    argv = {name: [sys.executable, "-c", _PROCESS, qrels, str(file), *MEASURES] for name, file in files.items()}
    processes = measuring.commands(argv, rounds=1)
    title = f"{collection.shape}: in a process of its own"
    print(measuring.table(title, processes))
    if len({taken[-1].output for taken in processes.values()}) > 1:
        print("the means differ\n")
    samples = _measured(_calls(qrels, files), options.rounds)
    print(measuring.table(f"{collection.shape}: evaluate", {name: samples[name] for name in files}))
    if "json" in files:
        parsed = {"orjson.loads": samples["orjson.loads"], "evaluate": samples["json"]}
        print(measuring.table(f"{collection.shape}: a dict of dicts in JSON", parsed))
    sizes = [[name, f"{file.stat().st_size / 1e6:,.1f}"] for name, file in files.items()]
    print(measuring.grid([f"{collection.shape}: files", "MB"], sizes))
    print(measuring.load())


def _converted(run: Path, suffix: str) -> Path:
    """The same run in another format."""
    file = run.with_suffix(f".{suffix}")
    if not file.exists():
        print(f"writing {file.name} ...", file=sys.stderr, flush=True)
        measuring.command(tools.rankworth("convert", str(run), str(file)))
    return file


def _calls(qrels: str, files: Mapping[str, Path]) -> dict[str, Callable[[], object]]:
    import orjson  # noqa: PLC0415 - after the processes

    import rankworth  # noqa: PLC0415 - after the processes

    def evaluate(file: Path) -> Callable[[], object]:
        return lambda: rankworth.evaluate(qrels, file, MEASURES)

    calls = {name: evaluate(file) for name, file in files.items()}
    return calls | ({"orjson.loads": lambda: orjson.loads(files["json"].read_bytes())} if "json" in files else {})


def _measured(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[measuring.Sample]]:
    """Every call once a round, every other round in the opposite order."""
    samples: dict[str, list[measuring.Sample]] = {name: [] for name in calls}
    for number in range(-1, rounds):
        for name in calls if number % 2 == 0 else reversed(list(calls)):
            sample = _once(calls[name])
            if number >= 0:
                samples[name].append(sample)
    return samples


def _once(call: Callable[[], object]) -> measuring.Sample:
    """Call a function; what it gives is thrown away when the clock has stopped, as that takes as long as some calls."""
    kept: list[object] = []
    return measuring.call(lambda: kept.append(call()))


if __name__ == "__main__":
    main()
