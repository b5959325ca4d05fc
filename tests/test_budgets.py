"""How short the road of a value is, and that a form of results is added in one module."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "rankworth"
FILE = Path(__file__).with_name("budgets.toml")
BUDGETS = tomllib.loads(FILE.read_text("utf-8"))

ROADS = """
import sys
from pathlib import Path
import rankworth as rw
from rankworth.cli.app import main

qrels, run = {"q1": {"a": 1, "b": 0}}, {"q1": {"a": 1.0, "b": 2.0}}
Path("qrels.txt").write_text("q1 0 a 1\\nq1 0 b 0\\n")
Path("bm25.run").write_text("q1 Q0 b 1 2.0 bm25\\nq1 Q0 a 2 1.0 bm25\\n")
command = ["evaluate", "qrels.txt", "bm25.run", "-m", "nDCG@10"]
ways = {"dicts": lambda: rw.evaluate(qrels, run, ["nDCG@10"]), "files": lambda: main(command) and sys.exit(1)}
entered = []

def count(frame, event, argument):
    code = frame.f_code
    if event == "call" and "rankworth" in code.co_filename and not code.co_name.startswith("<"):
        entered.append(code.co_filename)

ways[sys.argv[1]]()
sys.setprofile(count)
ways[sys.argv[1]]()
sys.setprofile(None)
print(len(entered), len({*entered}))
"""
"""Evaluates twice, and counts calls and modules of the second time; comprehensions do not count."""


@pytest.mark.parametrize("way", ["dicts", "files"])
def test_the_road_of_a_value_keeps_its_budget(way: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ROADS, way], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    calls, modules = map(int, done.stdout.split()[-2:])
    budget = BUDGETS[f"a value from {way}"]
    assert calls <= budget["calls"]
    assert modules <= budget["modules"]


OPENS = """
import gzip, json, os, sys
from collections import Counter
import polars as pl
from rankworth.cli.app import main

run = pl.DataFrame({"query": ["q1", "q1"], "document": ["b", "a"], "score": [2.0, 1.0]})
qrels = pl.DataFrame({"query": ["q1", "q1"], "document": ["a", "b"], "grade": [1, 0]})
for name, frame in {"run": run, "qrels": qrels}.items():
    frame.write_csv(f"{name}.csv")
    frame.write_csv(f"{name}.tsv", separator="\\t")
    frame.write_ndjson(f"{name}.jsonl")
    frame.write_parquet(f"{name}.parquet")
    frame.write_ipc(f"{name}.arrow")
    rows = frame.rows()
    with open(f"{name}.json", "w") as file:
        json.dump({"q1": {document: value for _, document, value in rows}}, file)
    trec = "{} Q0 {} 1 {} tag\\n" if name == "run" else "{} 0 {} {}\\n"
    text = "".join(trec.format(*row) for row in rows)
    with open(f"{name}.txt", "w") as file:
        file.write(text)
    with gzip.open(f"{name}.txt.gz", "wt") as file:
        file.write(text)

opened = Counter()

def count(event, arguments):
    if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
        opened[os.path.basename(os.fsdecode(arguments[0]))] += 1

sys.addaudithook(count)
found = {}
for suffix in sys.argv[1:]:
    opened.clear()
    assert not main(["evaluate", f"qrels.{suffix}", f"run.{suffix}", "-m", "nDCG@10", "-q"])
    found[suffix] = [opened[f"{name}.{suffix}"] for name in ("qrels", "run")]
print(json.dumps(found))
"""
"""Evaluates files of each format, and counts how often Python opens each; Polars opens Parquet and Arrow itself."""


def test_a_file_is_opened_once(tmp_path: Path) -> None:
    suffixes = ["txt", "txt.gz", "csv", "tsv", "json", "jsonl", "parquet", "arrow"]
    done = subprocess.run(
        [sys.executable, "-c", OPENS, *suffixes], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stdout.splitlines()[-1]) == {suffix: [1, 1] for suffix in suffixes}


def words_of_a_name(name: str) -> set[str]:
    """The words of a name in snake case or of a class."""
    return {*re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_")}


def test_words_that_say_nothing_become_fewer() -> None:
    budget, names, docstrings = BUDGETS["words"], [], []
    for path in SOURCE.rglob("*.py"):
        named = [path.stem]
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                named.append(node.name)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                docstrings += re.findall(r"^The same\b|\b(?:as above|likewise)\b", ast.get_docstring(node) or "")
        names += [name for name in named if words_of_a_name(name) & {*budget["not"]}]
    assert len(names) <= budget["names"], sorted(names)
    assert len(docstrings) <= budget["docstrings"]


FORMS = {
    'Form = Literal["table", ': 'Form = Literal["table", "prose", "pipes", ',
    "FORMATS: Final[Mapping[str, Format]] = {": """FORMATS: Final[Mapping[str, Format]] = {
    "prose": Format(".prose", "tables", lambda sheets, *_: f"{len(sheets)} sheets in prose"),
    "pipes": Format(".pipes", "rows", lambda sheets, *_: "|".join(sheets[0].rows()[0])),""",
}
"""What a form that people read and one that programs read take in `tables.show`: an entry, and a name for commands."""


def test_a_form_of_results_is_added_in_one_module(tmp_path: Path) -> None:
    shutil.copytree(SOURCE.parent, tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    path = tmp_path / "src" / "rankworth" / "tables" / "show.py"
    text = path.read_text("utf-8")
    for old, new in FORMS.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, "utf-8")
    code = """
from pathlib import Path
from rankworth.cli import main
Path("qrels.txt").write_text("q1 0 a 1\\nq2 0 a 1\\nq3 0 b 1\\n")
for name, order in ("a", "ab"), ("b", "ba"):
    lines = [f"q{n} Q0 {order[rank]} {rank} {9 - rank} {name}" for n in (1, 2, 3) for rank in (0, 1)]
    Path(f"{name}.run").write_text("\\n".join(lines) + "\\n")
for command in (
    ["evaluate", "qrels.txt", "a.run", "-m", "RR"],
    ["compare", "qrels.txt", "a.run", "b.run", "-m", "RR"],
    ["correlate", "--measures", "RR", "P@1", "qrels.txt", "a.run", "b.run"],
    ["explain", "--grades", "0,1", "-m", "RR"],
):
    for form in ("prose", "pipes"):
        assert not main([*command, "-f", form, "-o", "named"])
        assert not main([*command, "-o", f"file.{form}"])
        print(*command[:1], Path("named").read_text() == Path(f"file.{form}").read_text(), Path("named").read_text())
    main([command[0], "--help"])
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src"), "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    for command in ("evaluate", "compare", "correlate", "explain"):
        assert re.search(rf"^{command} True \d sheets in prose$", done.stdout, re.MULTILINE), done.stdout
        assert re.search(rf"^{command} True \w+(\|[\w@.]+)+$", done.stdout, re.MULTILINE), done.stdout
    assert done.stdout.count("choices: table, prose, pipes, tsv") == 4
