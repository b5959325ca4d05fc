"""What becomes of the values: which forms are wanted and where they go, settled before the work and done after it."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from rankworth.cli.terminal import put, say, say_folded, shows_bold, width
from rankworth.errors import UsageError
from rankworth.io import atomic
from rankworth.tables import data
from rankworth.tables.look import Look
from rankworth.tables.show import Form, render, show

if TYPE_CHECKING:
    from rankworth.evaluation.summary import Intervals
    from rankworth.evaluation.values import RunValues
    from rankworth.evaluation_output import Beside
    from rankworth.tables.columns import Sheet


_SILENT: Final[frozenset[str]] = frozenset({"tsv", "csv", "json", "jsonl", "trec", "parquet"})
"""forms in which nobody reads what is wrong with a number"""


class Told(Protocol):
    """What an analysis says, for people and for programs."""

    def sheets(self) -> "list[Sheet]":
        """For people."""

    def flat(self) -> "Sheet":
        """For programs, as rows."""

    def to_dict(self) -> dict[str, Any]:
        """For programs, as JSON holds it."""


def rendered(told: Told, form: str, look: Look, title: str) -> bytes:
    """An analysis in one form.

    Args:
        told: what it says.
        form: one of `render.Form`, but for `trec` and `parquet`.
        look: how people want to see numbers.
        title: of a document in HTML.

    """
    if form == "json":
        return data.document(told.to_dict()).encode()
    if form in ("tsv", "csv", "jsonl"):
        return render(told.flat(), form, look).encode()  # type: ignore[arg-type]
    return show(told.sheets(), form, look, title=title).encode()  # type: ignore[arg-type]


@dataclass(frozen=True)
class Request:
    """What a command line asks for.

    Attributes:
        targets: the files to be written; none where the result goes to standard output.
        forms: the forms that are needed.
        look: how people want to see numbers.
        level: of the confidence intervals, if they are wanted.
        per_query: whether every query is shown, not the means.
        quiet: whether only errors may be said.
        rel: the grade from which measures were told to count documents as relevant, if they were.
        complete: whether queries without results were asked to count, as `-c` asks trec_eval.
        measures: the measures as they were typed.
        by: whether groups are shown.

    """

    targets: Sequence[atomic.Target]
    forms: Sequence[Form]
    look: Look
    level: float | None = None
    per_query: bool = False
    quiet: bool = False
    rel: float | None = None
    complete: bool = False
    measures: Sequence[str] = ()
    by: bool = False

    @classmethod
    def of(
        cls,
        outputs: Sequence[str],
        asked: Form | None,
        inputs: Sequence[str],
        *,
        per_query: bool,
        level: float | None,
        look: Look,
        quiet: bool,
        rel: float | None = None,
        complete: bool = False,
        by: bool = False,
    ) -> "Request":
        """Settle files and forms.

        Args:
            outputs: the files to be written.
            asked: the form that was asked for.
            inputs: the files that are read.
            per_query: as above.
            level: as above.
            look: digits and percent; where the result goes to standard output, width and bold are found out.
            quiet: as above.
            rel: as above.
            complete: as above.
            by: as above.

        Raises:
            UsageError: `unknown-format`, `unwritable-output`, `conflicting-options`.

        """
        targets = atomic.targets(outputs, asked, inputs)
        on_screen = sys.stdout.isatty() and not targets
        usual: Form = "table" if on_screen else "tsv"
        forms = tuple(dict.fromkeys(target.form for target in targets)) or (asked or usual,)
        if on_screen and "parquet" in forms:
            message = "Parquet is not for terminals"
            raise UsageError("unwritable-output", message, remedy="-o FILE.parquet writes a file")
        if per_query and level is not None and set(forms) != {"json"}:
            message = "intervals belong to means, and --per-query shows none; only json has room for both"
            raise UsageError("conflicting-options", message)
        if level is not None and "trec" in forms:
            raise UsageError("conflicting-options", "trec_eval prints no intervals; json, table and others do")
        if by and "trec" in forms:
            raise UsageError("conflicting-options", "trec_eval prints no groups; json, table and others do")
        if not targets:
            look = replace(look, width=width(), bold=shows_bold())
        return cls(targets, forms, look, level, per_query, quiet, rel, complete, by=by)

    def deliver(self, table: "RunValues") -> None:
        """Render everything, then write everything, then say what the forms themselves cannot hold.

        Raises:
            UsageError: `unwritable-output`.

        """
        from rankworth.evaluation import summary  # noqa: PLC0415 - costs time, and the values are there by now

        bounds = None if self.level is None else summary.intervals(table, self.level)
        sheet = summary.per_query(table) if self.per_query else summary.means(table, bounds)
        if self.look.digits is not None and sheet.comment:
            sheet = replace(sheet, comment=f"{sheet.comment}|digits:{self.look.digits}")
        contents = {form: self._content(form, table, sheet, bounds) for form in self.forms}
        self._put(contents)
        silent = [f"warning: {text}" for text in sheet.defects] if _SILENT & set(self.forms) else []
        if self.quiet:
            for remark in silent:
                say(remark)
            return
        remarks = [f"wrote {target.path}" for target in self.targets]
        remarks += sheet.notes if {"tsv", "csv", "jsonl", "trec"} & set(self.forms) else ()
        remarks += silent
        remarks += [sheet.comment] if {"tsv", "csv", "trec"} & set(self.forms) else ()
        for remark in remarks:
            say(remark)
        for warning in summary.warnings(table):
            say_folded(f"warning: {warning}")

    def deliver_beside(self, found: "Beside", measures: Sequence[str]) -> None:
        """The same for the values of several profiles side by side.

        Args:
            found: the values by run and profile.
            measures: the measures, as they were asked for.

        Raises:
            UsageError: `conflicting-options`, `unwritable-output`.

        """
        from rankworth import evaluation_output  # noqa: PLC0415 - as above

        odd = ["--per-query"] * self.per_query + ["--interval"] * (self.level is not None)
        odd += ["--by"] * self.by + ["-f trec"] * ("trec" in self.forms) + ["-f parquet"] * ("parquet" in self.forms)
        if odd:
            raise UsageError("conflicting-options", f"several profiles are shown side by side, without {odd[0]}")
        sheet = evaluation_output.beside(found, measures)
        contents = {
            form: data.document(evaluation_output.record_beside(found, measures)).encode()
            if form == "json"
            else self._text(form, sheet)
            for form in self.forms
        }
        self._put(contents)
        if self.quiet:
            return
        for remark in (
            *(f"wrote {target.path}" for target in self.targets),
            *(sheet.notes if {"tsv", "csv", "jsonl"} & set(self.forms) else ()),
            *(f"warning: {text}" for text in (sheet.defects if _SILENT & set(self.forms) else ())),
            *(f"warning: {text}" for text in evaluation_output.warnings(found)),
        ):
            say_folded(remark)

    def _put(self, contents: "Mapping[Form, bytes]") -> None:
        """Write what was rendered, to files or to standard output."""
        if self.targets:
            atomic.write({target.path: contents[target.form] for target in self.targets})
        else:
            put(contents[self.forms[0]], bold=self.forms[0] == "table")

    def _content(self, form: Form, table: "RunValues", sheet: "Sheet", bounds: "Intervals | None") -> bytes:
        from rankworth import evaluation_output, names  # noqa: PLC0415 - as above
        from rankworth.evaluation import results_file as kept  # noqa: PLC0415 - as above

        if form == "json":
            return kept.text(evaluation_output.record(table, bounds, with_queries=self.per_query)).encode()
        if form == "trec":
            written = names.written_for_trec(self.measures, self.rel)
            lines = evaluation_output.trec_lines(
                table, rel=self.rel, written=written, complete=self.complete, with_queries=self.per_query
            )
            return render(lines, form, self.look).encode()
        if form == "parquet":
            told = evaluation_output.record(table, bounds, with_queries=self.per_query)
            return kept.parquet(table.kept(), told) if self.per_query else atomic.parquet(sheet, kept.compact(told))
        return self._text(form, sheet)

    def _text(self, form: Form, sheet: "Sheet") -> bytes:
        if form == "json" or form == "parquet":  # noqa: PLR1714 - for type checkers
            raise UsageError("unknown-format", f"{form} is no text")
        return render(sheet, form, self.look).encode()
