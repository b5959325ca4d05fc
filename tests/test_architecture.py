"""The house as it must stay: what importing costs, what is documented, and that no two lists say the same thing."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import rankworth
from rankworth.measures import CATALOGUE, FACTS, ITEM_MEASURES

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "rankworth"
MODULES = sorted(SOURCE.rglob("*.py"))
HEAVY = ("numpy", "polars", "scipy", "matplotlib", "pandas", "pyarrow", "narwhals")


def imported_by(code: str, *arguments: str) -> set[str]:
    """The heavy libraries that a fresh Python has loaded after running some code."""
    script = f"import sys\ntry:\n    exec({code!r})\nexcept SystemExit: pass\nprint('\\n' + ' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.rpartition("\n\n")[2].splitlines()[-1].split()) & set(HEAVY)


@pytest.mark.parametrize(
    "code",
    [
        "import rankworth",
        "from rankworth import nDCG, AP; str(AP(rel=2) @ 100)",
        "import rankworth; rankworth.parse('nDCG(gain=exp2)@10'); dir(rankworth)",
        "import sys; sys.argv = ['rankworth', '--help']; from rankworth.cli import main; main()",
        "import sys; sys.argv = ['rankworth', 'evaluate', '--help']; from rankworth.cli import main; main()",
        "import sys; sys.argv = ['rankworth', 'measures']; from rankworth.cli import main; main()",
        "import sys; sys.argv = ['rankworth', 'measures', '--all']; from rankworth.cli import main; main()",
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(code: str) -> None:
    assert imported_by(code) == set()


def test_dicts_need_no_dataframe_library_and_means_no_scipy() -> None:
    code = "import rankworth as rw; rw.evaluate({'q': {'d': 1}}, {'q': {'d': 1}}, ['nDCG']).mean()"
    assert imported_by(code) == {"numpy"}


def test_a_worked_example_needs_arrays_only() -> None:
    code = "import sys; sys.argv = ['rankworth', 'measures', 'nDCG']; from rankworth.cli import main; main()"
    assert imported_by(code) == {"numpy"}


def test_scipy_is_for_intervals_only() -> None:
    code = "import rankworth as rw; rw.evaluate({'q': {'d': 1}}, {'q': {'d': 1}}, ['nDCG'])"
    assert "scipy" not in imported_by(code)
    two = "{'q': {'d': 1}, 'r': {'d': 0}}"
    assert "scipy" in imported_by(f"import rankworth as rw; rw.evaluate({two}, {two}, ['RR']).interval()")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_opens_with_a_sentence_and_is_no_scroll(path: Path) -> None:
    text = path.read_text()
    sentence = ast.get_docstring(ast.parse(text)) or ""
    assert re.match(r".+[.:]", sentence.partition("\n\n")[0], re.DOTALL), f"{path} does not say what it is for"
    assert text.count("\n") <= 600, f"{path} is too long: split it along a seam"


def test_five_modules_ask_whether_a_measure_is_of_the_whole_run() -> None:
    asks = re.compile(r"definition\.of_run\b|isinstance\([^()]*\bWholeRun\b|\b(?:scores|table)\.whole\b")
    asking = {str(path.relative_to(SOURCE)) for path in MODULES if asks.search(path.read_text())}
    assert asking == {
        "comparison/decisions.py",
        "comparison/score_table.py",
        "measures/core.py",
        "results/amounts.py",
        "scoring/columns.py",
    }


def test_definitions_of_measures_import_no_array_library() -> None:
    later = {
        "item_exposure.py",
        "item_lists.py",
        "item_runs.py",
    }  # arithmetic that definitions load when it is computed
    for path in (path for path in (SOURCE / "measures").glob("*.py") if path.name not in later):
        assert not re.search(r"^\s*(import|from) (numpy|scipy|torch)", path.read_text(), re.MULTILINE), path
    assert not re.search(r"^\s*(import|from) numpy", (SOURCE / "judged.py").read_text(), re.MULTILINE)


def test_only_the_command_line_prints() -> None:
    for path in MODULES:
        if path != SOURCE / "cli/output.py":
            calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
            assert not [one for one in calls if isinstance(one.func, ast.Name) and one.func.id == "print"], path


def test_the_word_is_measure() -> None:
    allowed = {
        "app.py": 1,
        "call_data.py": 2,
        "experiment-trackers.md": 5,
        "ir_measures_provider.py": 1,
        "llm-frameworks.md": 5,
        "mlflow.metric.md": 2,
        "mlflow.py": 4,
        "README.md": 2,
        "tools.py": 1,
        "torchmetrics.py": 1,
    }  # what others call the option, and classes
    for path in [*MODULES, *ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        titles = r"title = \{[^}]*\}|(Sources?: |## Literature\n\n|Expected reciprocal)(.+\n)+"
        text = re.sub(rf"`[^`\n]*`|{titles}", "", path.read_text())
        found = len(re.findall(r"(?i)\bmetrics?\b", text))
        assert found <= allowed.get(path.name, 1 if path.suffix == ".md" else 0), f"{path}: say measure"


def test_every_measure_and_every_public_name_is_at_the_front_door() -> None:
    for name, measure in (CATALOGUE | ITEM_MEASURES).items():
        assert getattr(rankworth, name) is measure
    for name in dir(rankworth):
        assert getattr(rankworth, name) is not None
    for name in FACTS:
        assert getattr(rankworth, name) is FACTS[name]
    assert set(CATALOGUE) | set(FACTS) < set(dir(rankworth))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rankworth.nothing  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("rankworth.io.metadata", "rankworth.io.query_texts", "queries"),
        ("rankworth.evaluation.values", "rankworth.results.values", "Counts"),
        ("rankworth.evaluation.results_file", "rankworth.results.file", "Result"),
    ],
)
def test_documented_names_still_come_from_where_they_were(old: str, new: str, name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"{old} is called {new}"):
        moved = getattr(importlib.import_module(old), name)
    assert moved is getattr(importlib.import_module(new), name)


def test_the_front_door_is_typed() -> None:
    text = (SOURCE / "__init__.py").read_text()
    typed = set(re.findall(r"import (\w+) as \1\b", text))
    assert typed == set(dir(rankworth)) - set(CATALOGUE) - set(ITEM_MEASURES) - set(FACTS)


def test_every_measure_and_fact_is_typed() -> None:
    kinds = dict.fromkeys([*CATALOGUE, *ITEM_MEASURES], "Measure") | dict.fromkeys(FACTS, "Fact")
    typed = importlib.import_module("rankworth.measure_names").__annotations__
    assert {name: kind.__name__ for name, kind in typed.items()} == kinds, "to write it: scripts/measure-pages"


def test_every_decision_is_listed() -> None:
    pages = {path.name for path in (ROOT / "docs/decisions").glob("0*.md")}
    assert pages == set(re.findall(r"\((0\d{3}-[\w-]+\.md)\)", (ROOT / "docs/decisions/README.md").read_text()))


def test_the_recipe_of_conda_asks_for_what_the_package_asks_for() -> None:
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = {re.sub(r"[;\s].*", "", each).replace(">=", " >=") for each in project["project"]["dependencies"]}
    python, *others = recipe["requirements"]["run"]
    assert set(others) == needed
    assert python.startswith(f"python {project['project']['requires-python']}")
    assert project["build-system"]["requires"][0].replace(">=", " >=") in recipe["requirements"]["host"]
    [command] = recipe["build"]["python"]["entry_points"]
    assert command == " = ".join(*project["project"]["scripts"].items())
    assert recipe["context"]["version"] == rankworth.__version__


def test_the_version_is_stated_once() -> None:
    assert f"version: {rankworth.__version__}" in (ROOT / "CITATION.cff").read_text()
    assert "version" not in re.findall(r"(?m)^(version) *=", (ROOT / "pyproject.toml").read_text())


def test_the_rooms_keep_their_contract() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports"))], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_children_that_are_sent_signals_take_them_as_usual() -> None:
    """What the process that started the tests ignores or blocks, as under `nohup`, its children would ignore, too."""
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        sent = len(re.findall(r"\.send_signal\(|os\.kill\(os\.getpid\(\), \{", text))
        assert text.count("preexec_fn=signals.usual") >= sent, path.name


def test_an_sdist_holds_the_package_and_no_tests() -> None:
    """docs/decisions/0049-what-an-sdist-holds.md: each entry is anchored, so that no folder of that name slips in."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    entries = project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert all(entry.startswith("/") and (ROOT / entry[1:]).exists() for entry in entries)
    assert not {"/tests", "/docs", "/conftest.py", "/scripts"} & {*entries}


def test_workflows_name_actions_by_digest_with_their_version_beside_it() -> None:
    lines = [
        line.strip()
        for path in (ROOT / ".github" / "workflows").glob("*.yml")
        for line in path.read_text("utf-8").splitlines()
        if "uses:" in line
    ]
    assert len(lines) > 4
    assert [
        line for line in lines if not re.fullmatch(r"- uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)
    ] == []


def test_every_python_that_is_promised_is_in_the_workflow() -> None:
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    versions = [line.rpartition(" ")[2] for line in promised if re.search(r":: 3\.\d+$", line)]
    assert versions == ["3.11", "3.12", "3.13", "3.14"] == re.findall(r'"(3\.\d+)"', workflow)
