"""How much code there is: each part of the package has a budget of lines, which only a decision page raises."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "rankworth"
FILE = Path(__file__).with_name("budgets.toml")
BUDGETS = tomllib.loads(FILE.read_text("utf-8"))
BODIES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def lines_of_code(path: Path) -> int:
    """How many lines hold code: no blank lines, comments, docstrings and imports."""
    with path.open("rb") as file:
        tokens = [token for token in tokenize.tokenize(file.readline) if token.type not in NO_CODE]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            lines -= {*range(node.lineno, (node.end_lineno or 0) + 1)}
        for one in node.body if isinstance(node, BODIES) else ():
            if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str):
                lines -= {*range(one.lineno, (one.end_lineno or 0) + 1)}
    return len(lines)


@cache
def parts() -> Counter[str]:
    """The lines of each package and of each module beside them."""
    counted: Counter[str] = Counter()
    for path in SOURCE.rglob("*.py"):
        counted[path.relative_to(SOURCE).parts[0].removesuffix(".py")] += lines_of_code(path)
    return counted


def test_lines_are_counted(tmp_path: Path) -> None:
    text = '"""Said."""\n\nimport os\nfrom a import (\n    b,\n)\n\n# said\nx = [\n    1,  # one\n]\n\n\n'
    (tmp_path / "a.py").write_text(text + 'def f():\n    """Said."""\n    return """a\nb"""\n')
    assert lines_of_code(tmp_path / "a.py") == 3 + 1 + 2  # the list, the first line of the function, its text


def test_every_part_has_one_budget() -> None:
    named = [part for budget in BUDGETS.values() for part in budget.get("parts", ())]
    assert sorted(named) == sorted(parts())
    assert all(budget["for"] for budget in BUDGETS.values())


@pytest.mark.parametrize("name", [name for name, budget in BUDGETS.items() if "parts" in budget])
def test_a_part_keeps_its_budget(name: str) -> None:
    counted, budget = parts(), BUDGETS[name]
    assert sum(counted[part] for part in budget["parts"]) <= budget["lines"], f"{name}: see {FILE.name}"


def test_the_whole_keeps_its_budget() -> None:
    assert len([*SOURCE.rglob("*.py")]) <= BUDGETS["whole"]["modules"]


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


STATISTICS = {
    "__init__": [
        ('TestName = Literal["randomization", ', 'TestName = Literal["randomization", "twin", '),
        ('CorrectionName = Literal["holm", ', 'CorrectionName = Literal["holm", "twin", '),
    ],
    "paired": [('    "t": Method(', '    "twin": Method(t_test, "twin test"),\n    "t": Method(')],
    "corrections": [
        (
            '    "none": Correction(',
            '    "twin": Correction("Twin", "", "", "", lambda p: p),\n    "none": Correction(',
        )
    ],
    "rank_correlation": [
        (
            '        Coefficient("tau-a", ',
            '        Coefficient("twin", tau_a, "aware", "t"),\n        Coefficient("tau-a", ',
        )
    ],
}
"""By module of `stats` what a test, a correction and a coefficient take: an entry, and a name for the command line."""


def test_a_statistic_is_added_in_one_package(tmp_path: Path) -> None:
    shutil.copytree(SOURCE.parent, tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for module, changes in STATISTICS.items():
        path = tmp_path / "src" / "rankworth" / "stats" / f"{module}.py"
        text = path.read_text("utf-8")
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path.write_text(text, "utf-8")
    code = """
from rankworth.cli import main
rows = [(f"q{number}", "ab" if number % 3 else "ba") for number in range(12)]
for name, lines in {
    "qrels.txt": [f"{query} 0 a 1" for query, _ in rows],
    "a.run": [f"{query} Q0 {order[rank]} {rank} {9 - rank} a" for query, order in rows for rank in (0, 1)],
    "b.run": [f"{query} Q0 {order} {rank} {9 - rank} b" for query, _ in rows for rank, order in enumerate("ba")],
}.items():
    open(name, "w").write("\\n".join(lines) + "\\n")
main(["compare", "qrels.txt", "a.run", "b.run", "--test", "twin", "--correction", "twin"])
main(["correlate", "--measures", "RR", "P@1", "qrels.txt", "a.run", "b.run", "--method", "twin", "--test", "twin"])
main(["compare", "--help-all"])
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    shown = " ".join(done.stdout.replace("│", "").split())
    for part in (
        "twin test; p, corrected by Twin",
        "x y twin",
        "choices: randomization, twin,",
        "choices: holm, twin,",
    ):
        assert part in shown, shown


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
