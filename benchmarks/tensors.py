"""nDCG@10 of a score matrix: rankworth.tensors, torchmetrics, and the floor of two top-k searches.

    python benchmarks/tensors.py [--device cuda] [--queries 8192] [--documents 1000] [--repeat 7] [--threads 1]

Needs torch and torchmetrics. Medians of runs that take turns, in one process; the first round is not counted; ratios
are of medians of one call. On a GPU each run ends with a synchronisation; `--bandwidth` (GB/s of the card, from its
data sheet) states the floor: the time in which scores and grades are read once. How many operations one evaluation
dispatches, and how many kernels it launches on a GPU, is counted for 8 queries and for all of them; on a CPU, tied rows
add some.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
from torch.profiler import ProfilerActivity, profile
from torchmetrics.retrieval import RetrievalNormalizedDCG

from rankworth.tensors import evaluate, prepared

CUTOFF = 10


def main() -> None:
    """Print seconds and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--queries", type=int, default=8192)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--threads", type=int, help="of PyTorch; 1 where other programs keep the machine busy")
    parser.add_argument("--bandwidth", type=float, help="of the memory of the device, in GB/s")
    parser.add_argument("--compile", action="store_true", help="measure the compiled form, too")
    asked = parser.parse_args()
    if asked.threads:
        torch.set_num_threads(asked.threads)
    size = (asked.queries, asked.documents)
    torch.manual_seed(1)
    scores = torch.rand(size, device=asked.device)
    grades = torch.randint(0, 4, size, device=asked.device)
    real = grades.float()
    indexes = torch.arange(asked.queries, device=asked.device)[:, None].expand(size).reshape(-1)
    coarse = torch.round(scores * 50)

    def torchmetrics() -> None:
        theirs = RetrievalNormalizedDCG(top_k=CUTOFF)
        theirs.update(scores.reshape(-1), grades.reshape(-1), indexes)
        theirs.compute()

    name = f"nDCG@{CUTOFF}"
    measure = prepared([name])
    runs: dict[str, Callable[[], object]] = {
        "two top-k": lambda: (torch.topk(scores, CUTOFF, dim=1), torch.topk(real, CUTOFF, dim=1)),
        "two top-k, whole grades": lambda: (torch.topk(scores, CUTOFF, dim=1), torch.topk(grades, CUTOFF, dim=1)),
        "rankworth": lambda: evaluate(scores, real, [name]),
        "rankworth, whole grades": lambda: evaluate(scores, grades, [name]),
        "rankworth, tied scores": lambda: evaluate(coarse, real, [name]),
    }
    if asked.compile:
        compiled = torch.compile(lambda one, other: measure(one, other)[name], fullgraph=True)
        runs["rankworth, compiled"] = lambda: compiled(scores, real)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(asked.repeat + 1):
        for name_of_run, run in runs.items():
            took = timed(run, asked.device)
            if turn:
                seconds[name_of_run].append(took)
    median = {name_of_run: statistics.median(times) for name_of_run, times in seconds.items()}
    median["torchmetrics"] = min(timed(torchmetrics, asked.device) for _ in range(2))
    floor = median["two top-k"]
    print(f"{asked.queries:,} x {asked.documents:,} on {asked.device}, torch {torch.__version__}, {name}")
    for name_of_run, took in median.items():
        print(f"{name_of_run:28} {took * 1000:10.2f} ms   {took / floor:8.2f} x two top-k")
    own, whole = median["rankworth"], median["rankworth, whole grades"]
    print(
        f"rankworth / two top-k: {own / floor:.2f}; with whole grades {whole / median['two top-k, whole grades']:.2f}"
    )
    print(f"torchmetrics / rankworth: {median['torchmetrics'] / own:.0f}")
    moved = scores.nbytes + real.nbytes
    print(f"bytes of scores and grades: {moved:,}")
    if asked.bandwidth:
        least = moved / asked.bandwidth / 1e9
        print(f"floor at {asked.bandwidth:g} GB/s: {least * 1000:.3f} ms; rankworth takes {own / least:.1f} times that")
    for queries in (8, asked.queries):
        print(f"{queries:,} queries: {counted(lambda: measure(scores[:queries], real[:queries]), asked.device)}")  # noqa: B023 - called at once


def counted(run: Callable[[], object], device: str) -> str:
    """How many operations are dispatched, and on a GPU how many kernels run."""
    run()
    activities = [ProfilerActivity.CPU] + ([] if device == "cpu" else [ProfilerActivity.CUDA])
    with profile(activities=activities) as profiler:
        run()
        if device != "cpu":
            torch.cuda.synchronize()
    events = profiler.events() or []
    operations = sum(event.name.startswith("aten::") and event.cpu_parent is None for event in events)
    kernels = sum(event.device_type == torch.autograd.DeviceType.CUDA for event in events)
    return f"{operations} operations" + (f", {kernels} kernels" if device != "cpu" else "")


def timed(run: Callable[[], object], device: str) -> float:
    """Seconds of one run."""
    if device != "cpu":
        torch.cuda.synchronize()
    start = time.perf_counter()
    run()
    if device != "cpu":
        torch.cuda.synchronize()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
