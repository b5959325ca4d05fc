"""Runs in Parquet, judged inside DuckDB: beside DuckDB's own window and join, and under limits of memory.

    python benchmarks/duckdb_engine.py [ROWS] [LIMIT ...]

The run has 1,000 documents for each query, and 20 judged ones, of which about 18 are retrieved (`deep`), or one
(`shallow`). Both sides read the same file in the same process; times are the best of three, memory that of a process.
"""

import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import duckdb

import rankworth as rw

MEASURES = ["nDCG@10", "AP", "R@100"]
OWN = """
SELECT count(*), sum(rank * grade) FROM (
    SELECT query, document, row_number() OVER (PARTITION BY query ORDER BY score DESC, document DESC) AS rank FROM run
) JOIN judged USING (query, document)"""


def write(folder: Path, rows: int) -> None:
    """A run, and judgements of two depths."""
    run = "SELECT i // 1000 AS query, i % 1000 * 7919 % 1009 AS document, hash(i) % 1000000 / 1000 AS score"
    duckdb.sql(f"{run} FROM range({rows}) t(i)").write_parquet(str(folder / "run.parquet"))
    for name, each in (("deep", 20), ("shallow", 1)):
        judged = f"SELECT i // {each} AS query, hash(i) % 1109 AS document, i % 3 AS grade"
        judged = f"{judged} FROM range({rows // 1000 * each}) t(i)"
        duckdb.sql(judged).aggregate("query, document, max(grade) AS grade", "query, document").write_parquet(
            str(folder / f"{name}.parquet")
        )


def connected(folder: str, limit: str) -> duckdb.DuckDBPyConnection:
    """A connection of its own."""
    return duckdb.connect(config={"memory_limit": limit, "threads": 2, "temp_directory": f"{folder}/spilled"})


def ours(folder: str, judged: str, limit: str) -> str:
    """What rankworth does."""
    engine = connected(folder, limit)
    qrels, run = (engine.read_parquet(f"{folder}/{name}.parquet") for name in (judged, "run"))
    return str(rw.evaluate(qrels, run, MEASURES).mean())


def theirs(folder: str, judged: str, limit: str) -> str:
    """What DuckDB does."""
    engine = connected(folder, limit)
    for name in (judged, "run"):
        engine.read_parquet(f"{folder}/{name}.parquet").create_view("run" if name == "run" else "judged")
    return str(engine.sql(OWN).fetchall())


def measured(*arguments: str) -> None:
    """Run one side in a process of its own, and print what it says."""
    subprocess.run([sys.executable, __file__, *arguments], check=False, stderr=subprocess.DEVNULL)


def once(side: str, folder: str, judged: str, limit: str) -> None:
    """One side: the best of three."""
    warnings.simplefilter("ignore")
    times = []
    for _ in range(3):
        start = time.perf_counter()
        try:
            said = {"rankworth": ours, "duckdb": theirs}[side](folder, judged, limit)
        except Exception as error:  # noqa: BLE001 - that a limit is too small is a result
            said = str(error)[:100]
        times.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{side:10} {judged:8} limit {limit:>6} {min(times):7.2f} s {peak:5.2f} GB  {said}", flush=True)


def main() -> None:
    """Both sides, for each limit."""
    if sys.argv[1:2] and sys.argv[1] in ("rankworth", "duckdb"):
        once(*sys.argv[1:5])
        return
    rows, limits = int(float((sys.argv[1:2] or ["1e7"])[0])), sys.argv[2:] or ["4GB"]
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), rows)
        size = (Path(folder) / "run.parquet").stat().st_size / 1e6
        print(f"{rows:,} rows, {rows * 24 / 1e6:,.0f} MB in memory, {size:,.0f} MB in Parquet")
        for limit in limits:
            for judged in ("deep", "shallow"):
                for side in ("duckdb", "rankworth"):
                    measured(side, folder, judged, limit)


if __name__ == "__main__":
    main()
