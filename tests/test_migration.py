"""The tables of docs/migration.md are true: each line of ours runs, and gives what the line beside it gives."""

import doctest
import importlib
import re
import shlex
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import rankworth as rw
from rankworth import cli, tensors

DOCS = Path(__file__).parent.parent / "docs"
SECTIONS = dict(
    part.partition("\n")[::2]
    for part in re.split(r"^## ", (DOCS / "migration.md").read_text("utf-8"), flags=re.MULTILINE)[1:]
)
THEIRS = {
    "ir_measures": ["ir_measures"],
    "ranx": ["ranx"],
    "scikit-learn": ["sklearn", "sklearn.metrics"],
    "torchmetrics": ["torchmetrics.functional.retrieval"],
}
"""modules that the lines of other tools need, of those that the tests have"""
ROWS = [
    (section, *pair)
    for section, text in SECTIONS.items()
    for pair in re.findall(r"^\| `(.+?)` \| `(.+?)` \|$", text, flags=re.MULTILINE)
    if section != "pytrec_eval" and pair[0] != section
]


def names(section: str) -> dict[str, Any]:
    """What the examples of a section, and of those before it, have assigned."""
    known: dict[str, Any] = {"rw": rw, "tensors": tensors}
    for name, text in SECTIONS.items():
        for example in doctest.DocTestParser().get_examples(text) if name != "pytrec_eval" else ():
            if re.match(r"(\w+(, )?)+ = |import |from |def ", example.source):
                exec(example.source, known)  # noqa: S102 - of our own page
        if name == section:
            break
    if section == "ranx" and "ranx" not in sys.modules:
        importlib.import_module("numba").config.DISABLE_JIT = True  # its loops are short: compiling them takes longer
    for module in THEIRS.get(section, ()):
        known[module.partition(".")[0]] = importlib.import_module(module.partition(".")[0])
        importlib.import_module(module)
        known["functional"] = sys.modules[module]
    return known


@pytest.mark.parametrize(("section", "theirs", "ours"), ROWS)
def test_both_columns_give_one_value(
    section: str, theirs: str, ours: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(DOCS / "example")
    if ours.startswith("rankworth "):
        assert cli.main(shlex.split(ours)[1:]) == 0
        assert capsys.readouterr().out
        return
    known = names(section)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = eval(ours, known)  # noqa: S307 - of our own page
        if section in THEIRS:
            expected = eval(theirs, known)  # noqa: S307 - as above
            if hasattr(expected, "item"):
                value, expected = float(value), float(expected)
            assert value == (expected if isinstance(value, str) else pytest.approx(expected, abs=1e-7))
