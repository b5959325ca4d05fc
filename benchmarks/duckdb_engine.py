"""Runs in Parquet, as relations of DuckDB: beside DuckDB's own window and join, and under limits of memory.

    python benchmarks/duckdb_engine.py [ROWS] [LIMIT ...]

The run has 1,000 documents for each query, and 20 judged ones, of which about 18 are retrieved (`deep`), or one
(`shallow`); or one row of 100 documents for each user, of whom each has ten judged ones (`lists`), and the same with
its lists taken apart beforehand (`unnested`). `unchecked` is rankworth with duplicates="all", which looks for none.
Both sides read the same file; each has a process of its own, which says the best time of three (of one from 5e7 rows
on) and the most memory that the process took.
"""

# ruff: noqa: S608 - numbers

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
SIDES = {
    "deep": ("duckdb", "rankworth", "unchecked"),
    "shallow": ("duckdb", "rankworth", "unchecked"),
    "lists": ("rankworth", "unnested"),
}
ONCE = 5e7


def write(folder: Path, rows: int) -> None:
    """Runs, and judgements for them."""
    run = "SELECT i // 1000 AS query, i % 1000 * 7919 % 1009 AS document, hash(i) % 1000000 / 1000 AS score"
    duckdb.sql(f"{run} FROM range({rows}) t(i)").write_parquet(str(folder / "run.parquet"))
    listed = "SELECT i AS query, [(i * 7 + j * 7919) % 20011 FOR j IN range(100)] AS documents"
    listed = f"{listed}, [1 - j / 100 FOR j IN range(100)] AS scores FROM range({rows // 100}) t(i)"
    duckdb.sql(listed).write_parquet(str(folder / "users.parquet"), row_group_size=12288)  # groups are read whole
    judged = {
        "deep": f"SELECT i // 20 AS query, hash(i) % 1109 AS document, i % 3 AS grade FROM range({rows // 50}) t(i)",
        "shallow": f"SELECT i AS query, hash(i) % 1109 AS document, i % 3 AS grade FROM range({rows // 1000}) t(i)",
        "lists": "SELECT i // 10 AS query, (i // 10 * 7 + (hash(i) % 300)::BIGINT * 7919) % 20011 AS document, "
        f"i % 3 AS grade FROM range({rows // 10}) t(i)",
    }
    for name, text in judged.items():
        once = duckdb.sql(text).aggregate("query, document, max(grade) AS grade", "query, document")
        once.write_parquet(str(folder / f"{name}.parquet"))


def connected(folder: str, limit: str) -> duckdb.DuckDBPyConnection:
    """A connection of its own."""
    engine = duckdb.connect(config={"memory_limit": limit, "threads": 2, "temp_directory": f"{folder}/spilled"})
    engine.execute("SET enable_progress_bar = false")
    return engine


def ours(folder: str, judged: str, limit: str, side: str) -> str:
    """What rankworth does."""
    engine = connected(folder, limit)
    qrels = engine.read_parquet(f"{folder}/{judged}.parquet")
    run = engine.read_parquet(f"{folder}/{'users' if judged == 'lists' else 'run'}.parquet")
    if side == "unnested":
        run = run.project("query, unnest(documents) AS document, unnest(scores) AS score")
    return str(rw.evaluate(qrels, run, MEASURES, duplicates="all" if side == "unchecked" else "error").mean())


def theirs(folder: str, judged: str, limit: str) -> str:
    """What DuckDB does."""
    engine = connected(folder, limit)
    for name in (judged, "run"):
        engine.read_parquet(f"{folder}/{name}.parquet").create_view("run" if name == "run" else "judged")
    return str(engine.sql(OWN).fetchall())


def once(side: str, folder: str, judged: str, limit: str, times: str) -> None:
    """One side."""
    warnings.simplefilter("ignore")
    found = []
    for _ in range(int(times)):
        start = time.perf_counter()
        try:
            said = theirs(folder, judged, limit) if side == "duckdb" else ours(folder, judged, limit, side)
        except Exception as error:  # noqa: BLE001 - that a limit is too small is a result
            said = str(error)[:100]
        found.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{judged:8} {side:10} limit {limit:>6} {min(found):7.2f} s {peak:6.2f} GB  {said}", flush=True)


def main() -> None:
    """All sides, for each limit."""
    if sys.argv[1:2] == ["once"]:
        once(*sys.argv[2:7])
        return
    rows, limits = int(float((sys.argv[1:2] or ["1e7"])[0])), sys.argv[2:] or ["4GB"]
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), rows)
        size = (Path(folder) / "run.parquet").stat().st_size / 1e6
        print(f"{rows:,} rows, {rows * 24 / 1e6:,.0f} MB in memory, {size:,.0f} MB in Parquet")
        for limit in limits:
            for judged, sides in SIDES.items():
                for side in sides:
                    asked = ("once", side, folder, judged, limit, "1" if rows >= ONCE else "3")
                    subprocess.run([sys.executable, __file__, *asked], check=False, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
