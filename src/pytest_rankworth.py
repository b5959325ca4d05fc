"""Plugin of pytest: values that may not become worse than those that were kept, and `--rankworth-update`.

Nothing of rankworth is imported before a test uses it.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rankworth.results.file import Result
    from rankworth.results.values import Values

UPDATE = "--rankworth-update"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option to pytest."""
    group = parser.getgroup("rankworth")
    group.addoption(UPDATE, action="store_true", help="write the values of this run over those that were kept")


class Gate:
    """Compares values with the values kept in a file, and writes the file on request."""

    def __init__(self, *, update: bool, folder: Path) -> None:
        """Keep the option, and where relative paths start."""
        self.update = update
        self.folder = folder

    def assert_not_worse(
        self,
        values: "Values",
        baseline: "str | os.PathLike[str] | Values | Result",
        measure: str,
        margin: float | str = 0.0,
        **options: Any,  # noqa: ANN401 - as there
    ) -> None:
        """As `rankworth.testing.assert_not_worse`, with paths relative to the test.

        With `--rankworth-update` the values are written to the file instead.
        """
        __tracebackhide__ = True
        from rankworth import testing  # noqa: PLC0415 - not before a test uses it
        from rankworth.errors import InputError, RankworthError  # noqa: PLC0415 - as above

        remedy = ""
        if isinstance(baseline, str | os.PathLike):
            baseline = self.folder / baseline
            keep = f"pytest {UPDATE} keeps the values of today in {baseline}"
            if self.update:
                values.save(baseline)
                return
            if not baseline.exists():
                pytest.fail(f"there are no values to compare with: {keep}", pytrace=False)
            remedy = f"\nif this is meant: {keep}"
        try:
            testing.assert_not_worse(values, baseline, measure, margin, **options)
        except (AssertionError, RankworthError) as error:
            told = f"{error}{remedy if isinstance(error, AssertionError | InputError) else ''}"
        else:
            return
        pytest.fail(told, pytrace=False)  # here, where no other exception is shown with it


@pytest.fixture
def rankworth_gate(request: pytest.FixtureRequest) -> Gate:
    """Compare values with those that were kept: `rankworth_gate.assert_not_worse(values, "kept.json", "AP", 0.01)`."""
    return Gate(update=request.config.getoption(UPDATE), folder=request.path.parent)
