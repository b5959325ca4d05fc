"""How many of 1,000 planted defects `check` finds, and what it says of the collections without them.

Each kind of `tests/planted.py` is planted in turn in TREC Deep Learning 2019 and 2020 with runs of two systems, in CACM
with BM25, and in the demonstration; runs are cut to 50 documents. A folder names the files of the first three:
`dl1920_rankllm` and `cacm_anserini` within it.

    python benchmarks/planted.py FOLDER [NUMBER]
"""

import gzip
import random
import sys
import tempfile
import warnings
from collections.abc import Iterator
from itertools import cycle, groupby, islice
from pathlib import Path
from typing import Final

import rankworth as rw
from rankworth import demonstration

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from planted import KINDS, Collection

DEPTH: Final = 50


def collections(folder: Path) -> Iterator[tuple[str, Collection]]:
    """Judgements and runs that nobody changed, with their names."""
    trec = folder / "dl1920_rankllm"
    for year in ("dl19", "dl20"):
        systems = ("BM25", "D_BERT_KD_TASB")
        runs = {name: gzip.decompress((trec / f"{year}.{name}.txt.gz").read_bytes()).decode() for name in systems}
        yield year, cut(Collection.of((trec / f"qrels.{year}-passage.txt").read_text(), runs))
    cacm = folder / "cacm_anserini"
    judged, run = ((cacm / name).read_text() for name in ("qrels.cacm.txt", "cacm-bm25.txt"))
    yield "CACM", cut(Collection.of(judged, {"bm25": run}))
    with tempfile.TemporaryDirectory() as demo:
        demonstration.write(Path(demo))
        runs = {name: Path(demo, f"{name}.run").read_text() for name in ("dense", "fused")}
        yield "demonstration", cut(Collection.of(Path(demo, "qrels.txt").read_text(), runs))


def cut(data: Collection) -> Collection:
    """A collection with the first documents of each query, in the order of their scores."""
    for name, lines in data.runs.items():
        ordered = sorted(lines, key=lambda line: (line[0], -float(line[4]), int(line[3])))
        queries = groupby(ordered, key=lambda line: line[0])
        data.runs[name] = [line for _, ranked in queries for line in islice(ranked, DEPTH)]
    return data


def main() -> None:
    """Print what is found in sound collections, then which planted defects are not found."""
    warnings.simplefilter("ignore")
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
    sound = dict(collections(Path(sys.argv[1])))
    with tempfile.TemporaryDirectory() as folder:
        for name, data in sound.items():
            result = rw.check(**data.write(Path(folder, name)))
            print(f"{name}: {result.verdict}")
            for finding in result.findings:
                if finding.severity != "note":
                    print(f"  {finding.severity}: {finding.text} [{finding.slug}]")
        planted, missed = 0, 0
        for trial, (kind, defect) in enumerate(cycle(KINDS.items())):
            if planted == number:
                break
            name = list(sound)[trial // len(KINDS) % len(sound)]
            data = sound[name].copy()
            try:
                defect.plant(data, random.Random(trial))  # noqa: S311 - no secret
            except LookupError:  # it cannot be in this collection
                continue
            result = rw.check(**data.write(Path(folder, str(trial))))
            lines = [
                finding.line
                for finding in result.findings
                if (finding.slug, finding.severity) == (defect.slug, defect.severity)
            ]
            planted += 1
            if not lines or (data.line is not None and data.line not in lines):
                missed += 1
                print(f"not found in {name}, trial {trial}: {kind} ({defect.slug})", flush=True)
    print(f"{planted - missed:,} of {planted:,} defects of {len(KINDS)} kinds found")


if __name__ == "__main__":
    main()
