"""Embeddings: nDCG@10 and R@100 by `rankworth.evaluate_embeddings`, and the memory beside the corpus.

    python benchmarks/embeddings.py [--queries 1000] [--documents 1000000] [--dimensions 384] [--library numpy]

Needs torch where it is the library. Seconds are of the processor, of all its cores, since others may use the machine;
memory is the greatest resident set, less what stood there before the call.
"""

import argparse
import resource
import time

import numpy as np

import rankworth as rw


def main() -> None:
    """Print seconds and memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("queries", 1000), ("documents", 1_000_000), ("dimensions", 384)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--library", choices=("numpy", "torch"), default="numpy")
    options = parser.parse_args()
    draw = np.random.default_rng(0)
    corpus, queries = (
        draw.standard_normal((rows, options.dimensions), dtype=np.float32)
        for rows in (options.documents, options.queries)
    )
    if options.library == "torch":
        import torch  # noqa: PLC0415 - where it is asked for

        corpus, queries = torch.from_numpy(corpus), torch.from_numpy(queries)
    qrels = {str(query): {str(query * 7 % options.documents): 1} for query in range(options.queries)}
    before, start = _memory(), time.process_time()
    values = rw.evaluate_embeddings(queries, corpus, qrels, ["nDCG@10", "R@100"])
    seconds = time.process_time() - start
    size = options.documents * options.dimensions * 4 / 2**20
    print(f"{values.mean()}; {seconds:.1f} s; corpus {size:,.0f} MiB, {_memory() - before:,.0f} MiB beside it")


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
