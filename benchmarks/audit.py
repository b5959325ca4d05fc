"""How long an audit takes that tries everything, and how often an audit names planted departures.

The number is one that nothing gives. Planted are one or two random changes of settings, parameters or the cutoff in
random collections of 24 queries (`tests/departures.py`); the number has 13 decimals. Named means that the changes are
among the answers, or others that give every query the same value.

    python benchmarks/audit.py
    python benchmarks/audit.py --planted 300 [SEED]
"""

import sys
import time
import warnings
from pathlib import Path

import generate

import rankworth as rw


def times() -> None:
    """Print how long audits of 225 x 50 and 6,980 x 1,000 documents take, with the import of what they need."""
    for shape in ("listed", "shallow"):
        collection = generate.Collection(generate.DATA, shape).ensure()
        clock, processor = time.perf_counter(), time.process_time()
        result = rw.audit(collection.qrels, collection.run, "nDCG@10=0.123456")
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
        print(f"{shape:8} {result.tried:,} conventions: {clock:.1f} s, {processor:.1f} s of the processor", flush=True)


def rates(number: int, seed: int) -> None:
    """Print how many of some planted departures are named."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from departures import missed  # noqa: PLC0415 - only here

    for size in (1, 2):
        plants = missed(number, size, seed)
        print(f"{size} changed: {number - len(plants)} of {number} named", flush=True)
        for plant in plants:
            print(f"  {plant.measure} {plant.changes} {plant.value}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "--planted" in sys.argv:
        rates(int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    else:
        times()
