"""The recipes of CONTRIBUTING.md, each applied to a copy: what is added there by its steps is there for all who use it.

Two are tried at each commit, all of them in the thorough run.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings

ROOT: Final = Path(__file__).parent.parent


@dataclass(frozen=True)
class Recipe:
    """What is changed, what is run then, and what it prints.

    Attributes:
        title: how the recipe begins in CONTRIBUTING.md.
        edits: by path, what is put in front of a text.
        files: new files, by path.
        scripts: scripts that are to be run.
        code: a program, run in a folder with `qrels.txt`, `a.run` and `b.run`.
        shown: regular expressions of what it prints.
        checks: tests of the copy that have to pass.

    """

    title: str
    edits: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    scripts: Sequence[str] = ()
    code: str = ""
    shown: Sequence[str] = ()
    checks: Sequence[str] = ()


STATISTIC: Final = Recipe(
    "A statistic",
    edits={
        "src/rankworth/stats/__init__.py": {
            '"t", "wilcoxon", "sign"': '"pratt", ',
            '"holm", "bonferroni"': '"twin", ',
        },
        "src/rankworth/stats/paired.py": {
            "TESTS: Final[": '''def pratt(differences: ArrayLike, weights: Any = None, **settings: Any) -> Tests:
    """Test as Wilcoxon does, but rank zeros, too."""
    from dataclasses import replace

    from scipy.stats import wilcoxon as ranked

    rows, sides = np.asarray(differences).T, {"alternative": settings["alternative"]}
    p = [ranked(row, zero_method="pratt", method="asymptotic", **sides).pvalue for row in rows]
    return replace(wilcoxon(differences, weights, **settings), name="pratt", p=np.array(p))


''',
            '    "t": Method(': """    "pratt": Method(pratt, "Pratt's test", 0, False, "ranks", True),
""",
        },
        "src/rankworth/stats/corrections.py": {
            '    "none": Correction(': """    "twin": Correction("Twin", "", "", "", lambda p: p),
"""
        },
        "src/rankworth/stats/rank_correlation.py": {
            '        Coefficient("tau-a", ': """        Coefficient("twin", tau_a, "aware", "t"),
"""
        },
    },
    code="""
from rankworth import compare
from rankworth.cli import main

main(["compare", "qrels.txt", "a.run", "b.run", "-m", "RR", "AP", "--test", "pratt", "--correction", "twin"])
main(["correlate", "--measures", "RR", "P@1", "qrels.txt", "a.run", "b.run", "--method", "twin", "--test", "pratt"])
main(["compare", "--help-all"])

# 24 queries rise by a little, and one falls by much: ranks lean to the new system, and the mean to the old one
old = {f"q{number:02}": [f"x{rank}" for rank in range(19)] + ["d"] for number in range(24)} | {"q99": ["d"]}
new = {query: [f"x{rank}" for rank in range(18)] + ["d"] for query in old} | {"q99": ["x0"]}
for test in ("wilcoxon", "pratt"):
    [row] = compare({query: {"d": 1} for query in old}, {"old": old, "new": new}, ["RR"], test=test).differences
    print(test, row.difference < 0, row.p < 0.05, row.word)
""",
    shown=(
        "Pratt's test; p, corrected by Twin",
        "x y twin",
        "choices: randomization, pratt,",
        "choices: twin, holm,",
        "wilcoxon True True unclear",
        "pratt True True unclear",
    ),
)
FORMAT: Final = Recipe(
    "A format",
    edits={
        "src/rankworth/io/formats.py": {
            '    Format("jsonl", ': """    Format("colons", "colons", "colons", (".colons",), is_writable=False),
"""
        }
    },
    files={
        "src/rankworth/io/colons.py": '''"""Lines with colons: `query:document:number`."""

import polars as pl

from rankworth.io.layout import RUN


def batches(source, layout, reading, observed):
    """Return all rows at once."""
    value = "score" if layout is RUN else "grade"
    if layout is RUN:
        observed.agree("score", source.name)
    rows = [line.split(":") for line in source.whole().decode().splitlines()]
    yield pl.DataFrame(rows, schema=["query", "document", value], orient="row").cast({value: pl.Float64()})
'''
    },
    code="""
from pathlib import Path
from rankworth.cli import main

for name, text in {"qrels": "q:a:1\\nq:b:0\\n", "run": "q:b:2\\nq:a:1\\n"}.items():
    for suffix in (".colons", ".data"):
        Path(name + suffix).write_text(text)
formats = ["--qrels-format", "colons", "--run-format", "colons"]
main(["evaluate", "qrels.colons", "run.colons", "-m", "RR", "-f", "tsv"])
main(["evaluate", "qrels.data", "run.data", "-m", "RR", "-f", "csv", *formats])
main(["check", "qrels.colons", "run.colons"])
main(["convert", "--run", "run.colons", "run.csv"])
main(["convert", "run.csv", "twice.colons"])
main(["evaluate", "qrels.data", "run.data", "--run-format", "semicolons"])
print(Path("run.csv").read_text())
""",
    shown=(
        r"run RR run 0\.5",
        r"run,RR run\.data,0\.5",
        "no errors",
        "q,b,1,2 q,a,2,1",
        "there is no format 'semicolons'; there are trec tsv csv msmarco colons jsonl",
        r"cannot write \.colons",
    ),
)
MEASURE: Final = Recipe(
    "A measure",
    edits={
        "src/rankworth/measures/binary.py": {
            '@measure("R", aliases=("Recall",)': '''@measure("Twin", linear=True, monotone=True)
def twin(judged: Judged, *, rel: float = 1) -> Terms:
    """The share of the first k documents that is relevant, once more.

    Twin@k = (relevant documents at ranks 1 to k) / k; without a cutoff, / (number of retrieved documents)

    Args:
        judged: the rankings.
        rel: the grade from which a document counts as relevant.

    Range: 0 to 1. Undefined if nothing was retrieved and there is no cutoff.
    Unjudged: count as not relevant. Ties: linear, so that expected values are exact.
    Source: Manning, Raghavan, Schuetze (2008), https://doi.org/10.1017/CBO9780511809071

    >>> import rankworth
    >>> rankworth.score([1, 0, 1, 0], "Twin@5")
    0.4
    """
    return Terms(gain=relevant(judged, rel), weight=inside(judged), norm=judged.depth)


'''
        },
        "tests/reference_values.py": {
            '    Example("Success@2", ': """    Example("Twin@2", (0, 1), 1 / 2),
    Example("Twin(rel=2)", (2, 1), 1 / 2),
""",
            '    Reference("P@3", ': """    Reference("Twin@3", C01, 2 / 3, f"P_3 of {TREC_EVAL}", C01_MISSING),
""",
        },
    },
    scripts=("measure-pages",),
    code="""
import rankworth as rw
from rankworth.cli import main

print(rw.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, ["Twin@2"])["Twin@2"], rw.Twin)
main(["measures", "Twin"])
""",
    shown=(r"0\.5 Twin", "The share of the first k documents that is relevant, once more"),
    checks=("tests/test_measures.py", "tests/test_measure_laws.py", "-k", "Twin"),
)
SETTING: Final = Recipe(
    "A setting",
    edits={
        "src/rankworth/settings.py": {
            "        round_values: the decimals": """        added: what is added to each value.
""",
            "    round_values: int": """    added: float = option(0.0, "Added to the value of each query.", metavar="X")
""",
        },
        "src/rankworth/scoring/averaging.py": {
            "    if settings.round_values is not None:": """    if settings.added:
        replaced = replaced + settings.added
"""
        },
    },
    scripts=("settings-keywords", "convention-pages"),
    code="""
import rankworth as rw
from rankworth.cli import main

print(rw.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, ["RR"], added=0.25)["RR"])
main(["evaluate", "qrels.txt", "a.run", "-m", "P@2", "--added", "0.25", "-f", "tsv"])
main(["evaluate", "--help-conventions"])
""",
    shown=(r"0\.75", r"run P@2 a 0\.75", r"added:0\.25", "Added to the value of each query"),
)
PROFILE: Final = Recipe(
    "A profile",
    files={
        "src/rankworth/profiles/data/twin-1.0.toml": """name = "twin-1.0"
tool = "twin"
version = "1.0"
basis = "source"
sentence = "A tool that looks at queries with results only."
sources = ["the recipe of profiles"]

[averaging]
missing = "skip"

[why]
"averaging.missing" = "It walks over the run."
"""
    },
    scripts=("convention-pages",),
    code="""
import rankworth as rw
from rankworth.cli import main

print(rw.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": ["b", "a"]}, ["RR"], profile="twin")["RR"])
main(["profiles", "twin"])
""",
    shown=(r"0\.5", "A tool that looks at queries with results only", "It walks over the run"),
)
CHART: Final = Recipe(
    "A chart",
    edits={
        "src/rankworth/plots/__init__.py": {
            "from rankworth.plots.scores import systems": """from rankworth.plots.twins import twins as twins
"""
        }
    },
    files={
        "src/rankworth/plots/twins.py": '''"""A chart of two values."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankworth.plots.canvas import canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def twins(values: Mapping[str, float], *, ax: "Axes | None" = None) -> "Axes":
    """Draw a bar for each value.

    Args:
        values: by name.
        ax: where to draw; a new figure where None.

    Returns:
        The axes.

    """
    with canvas(ax) as sheet:
        sheet.ax.bar(list(values), list(values.values()))
        return sheet.ax
'''
    },
    code="""
from rankworth import plots

print(len(plots.twins({"a": 0.5, "b": 0.25}).patches), "bars")
""",
    shown=("2 bars",),
)
SENTENCE: Final = Recipe(
    "A sentence",
    edits={
        "src/rankworth/errors.toml": {"one-list = ": 'twin-run = "two runs are one"\n'},
        "docs/errors/README.md": {"| [one-list](one": "| [twin-run](twin-run.md) | two runs are one |\n"},
    },
    files={
        "docs/errors/twin-run.md": """# twin-run

A warning: two runs are one.

```python
>>> from rankworth.errors import RankworthWarning
>>> raise RankworthWarning("twin-run", "a.run and b.run are one: every difference is 0")
Traceback (most recent call last):
rankworth.errors.RankworthWarning: a.run and b.run are one: every difference is 0   [twin-run]

```

**Why it happens.** A file was named twice.

**What helps.** Name it once.
"""
    },
    code="""
from rankworth.errors import RankworthWarning, slugs

print(RankworthWarning("twin-run", "a.run and b.run are one: every difference is 0"), slugs()["twin-run"])
""",
    shown=(r"a\.run and b\.run are one: every difference is 0", "two runs are one"),
    checks=("tests/test_errors.py", "-k", "page or list"),
)
PAGE: Final = Recipe(
    "A page",
    edits={"docs/howto/README.md": {"- [Cheat sheet](by-task.md)": "- [Two runs at once](twin.md): a page.\n"}},
    files={"docs/howto/twin.md": "# Two runs at once\n\nEach has its line.\n"},
    checks=("tests/test_documentation.py", "-k", "reached or links or fences"),
)
EACH_COMMIT: Final = (STATISTIC, FORMAT)
"""the others are tried in the thorough run"""
RECIPES: Final = (MEASURE, SETTING, FORMAT, STATISTIC, PROFILE, CHART, SENTENCE, PAGE)
TRIED: Final = RECIPES if settings.default is settings.get_profile("thorough") else EACH_COMMIT
ORDERS: Final = ["ab" if number % 3 else "ba" for number in range(12)]
FILES: Final = {
    "qrels.txt": "".join(f"q{number} 0 a 1\n" for number in range(12)),
    "a.run": "".join(f"q{n} Q0 {one} 1 2 a\nq{n} Q0 {two} 2 1 a\n" for n, (one, two) in enumerate(ORDERS)),
    "b.run": "".join(f"q{n} Q0 b 1 2 b\nq{n} Q0 a 2 1 b\n" for n in range(12)),
}
"""judgements and two runs, of which the first is better"""


def test_every_recipe_stands_in_the_page() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    part = page.partition("\n## Add something\n")[2].partition("\n## ")[0]
    titles = re.findall(r"^\d+\. \*\*(A \w+)\*\*", part, re.MULTILINE)
    assert titles == [recipe.title for recipe in RECIPES]


def applied(recipe: Recipe, copy: Path) -> None:
    """Copy what a recipe needs, and apply it."""
    copy.mkdir()
    whole = [path.name for path in ROOT.iterdir() if not path.name.startswith(".") and path.name != "build"]
    for name in whole if recipe.scripts or recipe.checks else ("src",):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, copy / name)
    for path, text in recipe.files.items():
        (copy / path).write_text(text, "utf-8")
    for path, insertions in recipe.edits.items():
        text = (copy / path).read_text("utf-8")
        for anchor, inserted in insertions.items():
            assert text.count(anchor) == 1, f"{path} has {text.count(anchor)} of {anchor!r}"
            text = text.replace(anchor, inserted + anchor)
        (copy / path).write_text(text, "utf-8")


@pytest.mark.parametrize("recipe", TRIED, ids=lambda recipe: recipe.title)
def test_what_is_added_by_the_recipe_is_there(recipe: Recipe, tmp_path: Path) -> None:
    copy, folder = tmp_path / "copy", tmp_path / "work"
    applied(recipe, copy)
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "COLUMNS": "200"}

    def ran(*line: str, cwd: Path = copy) -> str:
        done = subprocess.run(
            [sys.executable, *line], cwd=cwd, env=environment, capture_output=True, text=True, check=False
        )
        assert not done.returncode, done.stdout[-3000:] + done.stderr
        return done.stdout + done.stderr

    for script in recipe.scripts:
        ran(f"scripts/{script}")
    printed = " ".join(ran("-c", recipe.code, cwd=folder).replace("│", "").split())
    for part in recipe.shown:
        assert re.search(part, printed), f"{part}\n{printed}"
    if recipe.checks:
        ran("-m", "pytest", "-q", "-p", "no:cacheprovider", *recipe.checks)
