"""The command `history`: results files of several days in one table."""

from functools import partial
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from rankworth.cli.inputs import named
from rankworth.cli.options import FORMAT, MEASURED, SHOWN, TESTED, DisplayOptions, HiddenFile, Measures, Share
from rankworth.cli.output import Output, in_rows, rendered
from rankworth.tables.show import FORMATS, Form

USAGE: Final = "Usage: rankworth history RESULTS... [OPTIONS]"
HistoryForm = Literal[Form, "long"]
_TABLES: Final = {form for form, each in FORMATS.items() if each.holds == "tables"}


def history(
    *files: HiddenFile,
    measure: Annotated[Measures, Parameter(group=MEASURED)] = None,
    interval: Annotated[bool, Parameter(group=TESTED)] = False,
    level: Annotated[float | None, Parameter(validator=Share, group=TESTED)] = None,
    format: Annotated[HistoryForm | None, FORMAT] = None,  # noqa: A002 - the name of the option
    percent: Annotated[bool, Parameter(group=SHOWN)] = False,
    shown: Annotated[DisplayOptions, Parameter(name="*", group=SHOWN)] = DisplayOptions(),
) -> None:
    """Put the means of results files of several days into one table.

    RESULTS are files that evaluate -o FILE.json or FILE.parquet wrote, in the
    order of the table; NAME=FILE names one, by its date, for example. A warning
    says where settings, queries or judgements changed from one file to the
    next. csv, tsv, jsonl, parquet and long have a row for each file, run and
    measure, with interval and signature, as data warehouses load them.

    Args:
        files: Results files.
        measure: Measures, as many as wanted. Default: all that the files hold.
        interval: Confidence intervals of the means, where files hold the values of queries (evaluate -q).
        level: Confidence level. Default: 0.95.
        format: How to show it; long: csv. Default: table.
        percent: Show values between 0 and 1 in percent.
        shown: How it is shown.

    Examples:
        rankworth history monday.json tuesday.json -m nDCG@10
        rankworth history 2026-11-29=old.json 2026-11-30=new.json -o history.parquet

    """
    pairs = [named(text) for text in files]
    out = Output.of(
        shown,
        format,
        [path for _, path in pairs],
        percent=percent,
        contents="histories",
        further_suffixes=(),
        further_forms=("parquet",),
    )

    from rankworth.comparison import histories  # noqa: PLC0415 - not before the arguments are known to be sound

    has_intervals = interval or level is not None or not out.forms <= _TABLES
    result = histories.history(
        histories.named_files(pairs, USAGE), measure, level=(level or 0.95) if has_intervals else None
    )
    forms = {form: partial(rendered, result, form, out.look, "rankworth history") for form in (*_TABLES, "json")}
    rows = result.flat()
    forms["parquet"] = partial(in_rows, rows, "parquet", out.look, result.to_dict)
    warnings = [f"{text}   [{slug}]" for slug, text in result.warnings]
    out.write_table(rows, forms, [] if out.forms <= _TABLES else warnings)
