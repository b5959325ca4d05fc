"""Groups of heavy tests: they are left out only while neither they nor what they test has changed."""

from dataclasses import replace
from pathlib import Path

import pytest

import heavy
from heavy import Group


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Group:
    """A group of a test and a package in a folder of its own."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "module.py").write_text("first", "utf-8")
    (tmp_path / "test_it.py").write_text("", "utf-8")
    monkeypatch.setattr(heavy, "ROOT", tmp_path)
    return Group(
        "it", "nothing", ("package",), ("test_it.py", "test_others.py::test_it", "test_others.py::test_b[1]"), ""
    )


@pytest.mark.parametrize("changed", ["package/module.py", "package/new.py", "test_it.py", "test_others.py"])
def test_a_group_has_changed_until_it_passes_and_after_any_change(group: Group, changed: str, tmp_path: Path) -> None:
    (tmp_path / "test_others.py").write_text("", "utf-8")
    assert group.has_changed()
    passed = replace(group, passed=group.digest())
    assert not passed.has_changed()
    (tmp_path / changed).write_text("second", "utf-8")
    assert passed.has_changed()


def test_a_group_holds_its_files_and_functions(group: Group) -> None:
    held = (
        "test_it.py::test_a",
        "test_it.py::line:1",
        "test_others.py::test_it",
        "test_others.py::test_it[a::b]",
        "test_others.py::test_b[1]",
    )
    other = (
        "test_others.py::test_b[2]",
        "test_it.pyx::test_a",
        "test_others.py::test_it_too",
        "test_others.py::test_a",
        "package/module.py::line:1",
    )
    assert [group.holds(nodeid) for nodeid in (*held, *other)] == [True] * 5 + [False] * 5


def test_a_group_names_what_is_there(group: Group) -> None:
    with pytest.raises(FileNotFoundError, match=r"test_others\.py in the group it"):
        group.digest()


def test_every_group_of_the_table_has_a_digest_and_all_run_where_everything_is_to_run() -> None:
    assert all(len(group.digest()) == 64 for group in heavy.groups())
    assert heavy.left_out(everything=True) == []


def test_what_passed_is_written_for_one_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "heavy.toml"
    table.write_text(heavy.TABLE.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(heavy, "TABLE", table)
    before = {group.name: group.passed for group in heavy.groups()}
    heavy.write_passed("browser")
    after = {group.name: group for group in heavy.groups()}
    assert not after["browser"].has_changed()
    assert {name: group.passed for name, group in after.items()} == before | {"browser": after["browser"].passed}
