"""Where a comparison and the verdicts of gates go, settled before the work and done after it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from rankworth.cli.terminal import put, say, say_folded, shows_bold, width
from rankworth.errors import RankworthError, UsageError
from rankworth.io import atomic
from rankworth.io.source import STDIN
from rankworth.tables import data
from rankworth.tables.look import Look
from rankworth.tables.show import render, show

if TYPE_CHECKING:
    from rankworth.comparison import Comparison
    from rankworth.comparison.gates import Gate, Verdict
    from rankworth.evaluation.values import RunValues

Form = Literal["table", "tsv", "json", "jsonl", "csv", "md", "latex", "html", "github"]
SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""the variable with which GitHub names the file for the summary of a job"""
FAILED: Final = 1
"""the exit status where a gate fails"""
_XML: Final = ".xml"
_ROWS: Final = ("tsv", "csv", "jsonl")
"""forms that have rows of differences and room for nothing else"""


@dataclass(frozen=True)
class Outlets:
    """Where it goes.

    Attributes:
        targets: files with the comparison.
        suites: files with the verdicts as JUnit has tests.
        form: what standard output shows, where no file is written, and what annotations are.
        look: how people want to see numbers.
        quiet: whether only errors may be said.
        summary: the file for the summary of a job, where one is wanted.

    """

    targets: Sequence[atomic.Target]
    suites: Sequence[Path]
    form: Form
    look: Look
    quiet: bool
    summary: Path | None

    @classmethod
    def of(
        cls, paths: Sequence[str], form: Form | None, inputs: Sequence[str], look: Look, *, gated: bool, quiet: bool
    ) -> Self:
        """Settle files and forms.

        Args:
            paths: the files to be written.
            form: the form that was asked for.
            inputs: the files that are read.
            look: how people want to see numbers.
            gated: whether there are gates.
            quiet: whether only errors may be said.

        Raises:
            UsageError: `unknown-format`, `unwritable-output`, `conflicting-options`.

        """
        suites = [path for path in dict.fromkeys(paths) if Path(path).suffix.lower() == _XML]
        if (suites or form == "github") and not gated:
            what = suites[0] if suites else "-f github"
            raise UsageError(
                "conflicting-options",
                f"{what} holds verdicts of gates, and there is no gate",
                remedy="as in --max-drop nDCG@10=0.01, --fail-under nDCG@10=0.45",
            )
        known = [suffix for suffix in atomic.SUFFIXES if suffix != ".parquet"]
        others = [path for path in paths if path not in suites]
        targets = atomic.targets(others, None if form == "github" else form, inputs, (*known, _XML))
        for target in targets:
            if target.form in ("parquet", "trec"):
                raise UsageError("unknown-format", f"{target.path}: comparisons are not written as {target.form}")
        named = os.environ.get(SUMMARY, "") if form == "github" else ""
        for path in (*suites, *filter(None, (named,))):
            if refused := atomic.refusal(Path(path), inputs):
                raise UsageError("unwritable-output", f"{path}: {refused}")
        summary = Path(named) if named else None
        return cls(targets, [Path(path) for path in suites], form or "table", look, quiet, summary)

    def deliver(self, told: "Comparison", verdicts: "Sequence[Verdict]", advice: Sequence[str]) -> None:
        """Render everything, then write everything; verdicts stand below a table, and are said of other forms.

        Args:
            told: the comparison.
            verdicts: what gates say of it.
            advice: what to do about it.

        Raises:
            UsageError: `unwritable-output`.

        """
        from rankworth.comparison.verdicts import annotations, junit  # noqa: PLC0415 - not needed for help

        contents = {target.path: rendered(told, verdicts, advice, target.form, self.look) for target in self.targets}
        contents |= dict.fromkeys(self.suites, junit(verdicts) if self.suites else b"")
        summary = rendered(told, verdicts, advice, "md", self.look) if self.summary else b""
        shown = b""
        if self.form == "github":
            shown = annotations(verdicts).encode("utf-8", "replace")
        elif not contents:
            wide = replace(self.look, width=width(), bold=shows_bold())
            shown = rendered(told, verdicts, advice, self.form, wide)
        if contents:
            atomic.write(contents)
        if self.summary:
            _append(self.summary, summary)
        if shown:
            put(shown, bold=self.form == "table")
        self._say(told, verdicts, advice, [str(path) for path in contents])

    def _say(
        self, told: "Comparison", verdicts: "Sequence[Verdict]", advice: Sequence[str], wrote: Sequence[str]
    ) -> None:
        """What standard output does not hold."""
        for path in () if self.quiet else wrote:
            say(f"wrote {path}")
        silent = self.form in _ROWS and not wrote
        for slug, text in told.warnings if silent and not self.quiet else ():
            say_folded(f"warning: {text}   [{slug}]")
        if self.form != "github" and (wrote or self.form not in ("table", "md", "html")):
            say_verdicts(verdicts, advice, quiet=self.quiet)


@contextmanager
def annotated(form: Form | None) -> Iterator[None]:
    """Within it an error becomes an annotation, too, where annotations are wanted."""
    try:
        yield
    except RankworthError as error:
        if form == "github":
            from rankworth.comparison.verdicts import annotation  # noqa: PLC0415 - not needed for help

            put(annotation("error", f"rankworth {error.slug}", error.typed).encode("utf-8", "replace"))
        raise


def say_verdicts(verdicts: "Sequence[Verdict]", advice: Sequence[str], *, quiet: bool) -> None:
    """Say what gates have found; where only errors may be said, what fails.

    Args:
        verdicts: what was found.
        advice: what to do about it.
        quiet: as above.

    """
    from rankworth.comparison.verdicts import lines  # noqa: PLC0415 - not needed for help

    told = [one for one in verdicts if not (quiet and one.passed)]
    for line in (*lines(told), *(advice if not quiet else ())):
        say(line)


def floors(typed: Sequence[str]) -> "list[Gate]":
    """The floors of an evaluation, as they are typed.

    Raises:
        UsageError: `bad-gate`.

    """
    if not typed:
        return []
    from rankworth.comparison.gates import read  # noqa: PLC0415 - rarely needed

    return read("fail-under", typed)


def held(table: "RunValues", gates: "Sequence[Gate]") -> "list[Verdict]":
    """Whether floors hold for an evaluation.

    Raises:
        UsageError: `not-measured`.

    """
    if not gates:
        return []
    from rankworth.comparison.gates import floors as judged  # noqa: PLC0415 - rarely needed

    rows = [(run, "", "", values.mean()) for run, values in table.items()]
    for run, values in table.items():
        if values.by is not None:
            rows += [(run, values.by.name, group, part.mean()) for group, part in values.slices.items()]
    first = next(iter(table.values()))
    measures = dict(zip(first.per_query.measures, map(str, first.measures), strict=True))
    return judged(gates, rows, measures)


def decide(verdicts: "Sequence[Verdict]", files: Mapping[str, str], words: Sequence[str] = (), *, quiet: bool) -> int:
    """Say what floors have found, and what to do about it; gives the exit status.

    Args:
        verdicts: what was found.
        files: judgements (under no name) and runs by name, as they were given.
        words: options by which runs were measured.
        quiet: whether only what fails may be said.

    """
    if not verdicts:
        return 0
    from rankworth.comparison.verdicts import advice  # noqa: PLC0415 - rarely needed

    options = dict.fromkeys([one.gate.measure for one in verdicts], words)
    say_verdicts(verdicts, advice(verdicts, again(files), (), options=options), quiet=quiet)
    return FAILED if any(not one.passed for one in verdicts) else 0


def again(files: Mapping[str, str]) -> dict[str, str]:
    """The files that other commands can read, too; what came on standard input is gone."""
    return {name: path for name, path in files.items() if path != STDIN}


def rendered(
    told: "Comparison",
    verdicts: "Sequence[Verdict]",
    advice: Sequence[str],
    form: Any,  # noqa: ANN401 - a `Form`
    look: Look,
) -> bytes:
    """A comparison in one form, with what gates say where the form has room for it."""
    from rankworth.comparison.verdicts import headline, lines, record, sheet  # noqa: PLC0415 - not needed for help

    if form == "json":
        gates = {"gates": [record(verdict) for verdict in verdicts]} if verdicts else {}
        return data.document(told.to_dict() | gates).encode()
    if form == "jsonl":
        return b"".join(data.line(row).encode() for row in told.flat().rows())
    if form in ("tsv", "csv"):
        return render(told.flat(), form, look).encode()
    sheets = told.sheets()
    if verdicts and form in ("md", "html"):
        sheets = [sheet(verdicts, advice), *sheets]
    shown = show(sheets, form, look, title="rankworth compare")
    if verdicts and form == "table":
        shown = "\n".join([shown, headline(verdicts), *lines(verdicts), *advice, ""])
    return shown.encode()


def _append(path: Path, content: bytes) -> None:
    """Append to the summary of a job, to which other steps write, too.

    Raises:
        UsageError: `unwritable-output`.

    """
    try:
        with path.open("ab") as summary:
            summary.write(content)
    except OSError as error:
        raise UsageError("unwritable-output", f"{path}: {error.strerror}") from None
