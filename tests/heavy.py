"""Groups of tests that start something heavy, and whether what they test has changed since they passed."""

import hashlib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
TABLE: Final = ROOT / "tests" / "heavy.toml"


@dataclass(frozen=True)
class Group:
    """A group of `heavy.toml`.

    Attributes:
        name: its name.
        starts: what its tests start.
        about: the files and folders that it tests.
        tests: files of tests, functions as `file::function` and single cases as `file::function[case]`.
        passed: the digest of all that at the time when the group passed; empty if it never did.

    """

    name: str
    starts: str
    about: tuple[str, ...]
    tests: tuple[str, ...]
    passed: str

    def digest(self) -> str:
        """Digest of the tests and of what they test, as they are now."""
        sha = hashlib.sha256()
        for path in sorted(self._files()):
            sha.update(f"{path.relative_to(ROOT).as_posix()}\0".encode())
            sha.update(hashlib.sha256(path.read_bytes()).digest())
        return sha.hexdigest()

    def has_changed(self) -> bool:
        """Whether anything has changed since the group passed."""
        return self.passed != self.digest()

    def holds(self, nodeid: str) -> bool:
        """Whether a test belongs to the group."""
        names = (nodeid, nodeid.partition("[")[0])
        return any(test in names or nodeid.startswith(f"{test}::") for test in self.tests)

    def _files(self) -> Iterator[Path]:
        for name in {*self.about, *(test.partition("::")[0] for test in self.tests)}:
            path = ROOT / name
            if not path.exists():
                message = f"{TABLE.name} names {name} in the group {self.name}, which is not there"
                raise FileNotFoundError(message)
            files = path.rglob("*") if path.is_dir() else [path]
            yield from (file for file in files if file.is_file() and "__pycache__" not in file.parts)


def groups() -> list[Group]:
    """Every group of `heavy.toml`."""
    tables = tomllib.loads(TABLE.read_text("utf-8"))
    return [
        Group(name, table["starts"], tuple(table["about"]), tuple(table["tests"]), table["passed"])
        for name, table in tables.items()
    ]


def left_out(*, everything: bool) -> list[Group]:
    """Groups of which nothing has changed since they passed; none where everything is to run."""
    return [] if everything else [group for group in groups() if not group.has_changed()]


def write_passed(name: str) -> None:
    """Write the digest of a group, whose tests have passed, into `heavy.toml`."""
    [group] = [group for group in groups() if group.name == name]
    head, header, rest = TABLE.read_text("utf-8").partition(f"[{name}]\n")
    rest = rest.replace(f'passed = "{group.passed}"', f'passed = "{group.digest()}"', 1)
    TABLE.write_text(f"{head}{header}{rest}", "utf-8")
