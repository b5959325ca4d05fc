"""How fast the explorer answers: ready, an edit, profiles, single changes and a large run; minimum of five.

    python benchmarks/explorer.py [--large]

`--large` opens a run of 6,980 queries with 1,000 documents each, and scrolls through its list.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
from playwright.sync_api import Page, sync_playwright

QUERIES, DEPTH = 6_980, 1_000
EDIT = """() => new Promise((done) => {
  const value = document.querySelector('.card b');
  const started = performance.now();
  new MutationObserver((_, observer) => { observer.disconnect(); done(performance.now() - started); })
    .observe(document.querySelector('.values'), {childList: true, subtree: true});
  document.querySelectorAll('.moves button:not(:disabled)')[0].click();
})"""
REQUEST = """async ([name, body]) => {
  const state = await import('/page/state.js');
  const held = await state.decoded(location.hash.slice(1));
  const started = performance.now();
  const headers = {'Content-Type': 'application/json'};
  const options = {method: 'POST', headers, body: JSON.stringify({...held, ...body})};
  await (await fetch('/api/' + name, options)).json();
  return performance.now() - started;
}"""
SCROLL = """() => new Promise((done) => {
  const list = document.querySelector('.queries');
  const frames = [];
  let last = performance.now(), steps = 0;
  const step = () => {
    const now = performance.now();
    frames.push(now - last);
    last = now;
    list.scrollTop += 400;
    steps += 1;
    if (steps < 200) requestAnimationFrame(step); else done(Math.max(...frames.slice(2)));
  };
  requestAnimationFrame(step);
})"""


def started(*arguments: str) -> tuple[subprocess.Popen[str], str, float]:
    """A server, its address, and the seconds until it was printed."""
    begin = time.perf_counter()
    command = [sys.executable, "-m", "rankworth", "explore", "--no-browser", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    address = process.stdout.readline().strip() if process.stdout else ""
    return process, address, time.perf_counter() - begin


def small(page: Page) -> None:
    """An edit, the profiles and single changes, of a ranking of ten documents."""
    page.get_by_label("Example").select_option(label="2. Hand over ids as scores")
    page.wait_for_timeout(500)
    medians = []
    for _ in range(5):
        edits = []
        for _ in range(20):
            edits.append(page.evaluate(EDIT))
            page.wait_for_timeout(100)
        medians.append(statistics.median(edits))
    print(f"edit: median of 20 {min(medians):.0f} ms at best, {max(medians):.0f} ms at worst, of {len(medians)} rounds")
    for name in ("profiles", "changes", "difference"):
        times = [page.evaluate(REQUEST, [name, {"document": "1", "other": "beir-2.2"}]) for _ in range(5)]
        print(f"{name}: {min(times):.0f} ms")


def large(folder: Path) -> list[str]:
    """Judgements and a run of many queries, as files of TREC."""
    generator = np.random.default_rng(1)
    queries = np.repeat(np.arange(QUERIES), DEPTH)
    documents = (np.tile(np.arange(DEPTH) * 8, QUERIES) + generator.integers(0, 8, QUERIES * DEPTH)).astype(str)
    scores = generator.random(QUERIES * DEPTH)
    run = pl.DataFrame({"query": queries, "q0": "Q0", "document": documents, "rank": 1, "score": scores, "tag": "t"})
    run.write_csv(folder / "large.run", separator=" ", include_header=False)
    judged = run.filter(pl.Series(generator.random(run.height) < 0.005)).select(
        "query", pl.lit(0), "document", pl.lit(1).alias("grade")
    )
    judged.write_csv(folder / "qrels.txt", separator=" ", include_header=False)
    return [str(folder / "qrels.txt"), str(folder / "large.run")]


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", action="store_true")
    is_large = parser.parse_args().large
    code = "import rankworth.explorer.server, rankworth.explorer.inspector, uvicorn"
    imports = []
    ready = []
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        imports.append(time.perf_counter() - begin)
        process, _, seconds = started()
        process.terminate()
        process.wait()
        ready.append(seconds)
    print(f"ready: {min(ready):.2f} s, of which imports {min(imports):.2f} s")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page()
        process, address, _ = started()
        page.goto(address)
        page.wait_for_selector(".row")
        small(page)
        process.terminate()
        process.wait()
        if is_large:
            files = large(Path(folder))
            process, address, seconds = started(*files)
            page = browser.new_page()
            page.goto(address)
            page.wait_for_selector(".document")
            frame = page.evaluate(SCROLL)
            print(f"{QUERIES:,} x {DEPTH:,}: served after {seconds:.1f} s; longest frame of scrolling {frame:.0f} ms")
            process.terminate()
            process.wait()
        browser.close()


if __name__ == "__main__":
    main()
