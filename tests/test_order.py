"""What runs before a test does not change it: registrations are taken back, and an order can be had again."""

import os
import subprocess
import sys
from pathlib import Path

import ir_measures
import pytest

import rankworth.compat.ir_measures
from rankworth.measures import CATALOGUE

ROOT = Path(__file__).parent.parent


def test_what_a_test_or_a_page_registers_is_taken_back(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    files = {getattr(plugin, "__file__", None): plugin for plugin in pytestconfig.pluginmanager.get_plugins()}
    paths, measures = list(sys.path), list(CATALOGUE)
    with files[str(ROOT / "conftest.py")].restored():
        (tmp_path / "left_module.py").write_text("")
        sys.path.insert(0, str(tmp_path))
        __import__("left_module")
        CATALOGUE["Left"] = CATALOGUE.pop("RR")
        rankworth.compat.ir_measures.install(profile="ranx")
        os.environ["LEFT"] = os.environ.pop("PATH")
    assert (sys.path, list(CATALOGUE)) == (paths, measures)
    assert "left_module" not in sys.modules
    assert "LEFT" not in os.environ
    assert "PATH" in os.environ
    values = ir_measures.calc_aggregate([ir_measures.RR], {"q": {"d1": 1}}, {"q": {"d1": 1.0, "d2": 1.0}})
    assert values == {ir_measures.RR: 0.5}


def collected(*arguments: str) -> list[str]:
    """The tests that pytest collects, in their order."""
    line = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_a_seed_stands_for_one_order() -> None:
    paths = ["tests/test_html.py", "tests/test_order.py", "docs/python.md"]
    plain, shuffled = collected(*paths), collected("--shuffle", "1", *paths)
    assert shuffled == collected("--shuffle", "1", *paths[::-1])
    assert sorted(shuffled) == sorted(plain)
    orders = [[name for name in names if name.startswith("tests/test_html")] for names in (plain, shuffled)]
    assert orders[0] != orders[1]
    pages = [[name for name in names if name.startswith("docs/")] for names in (plain, shuffled)]
    assert pages[0] == pages[1], "examples lean on those above"
