"""The command `fuse`: several runs become one, as a method, a tool or a search over settings says."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import Group, Parameter

from rankworth.cli import configuration
from rankworth.cli.inputs import InputFiles
from rankworth.cli.options import (
    FLAT,
    FORMAT,
    MEASURED,
    OTHER,
    SHOWN,
    ConventionsButMissing,
    DisplayOptions,
    FromOne,
    FromZero,
    HiddenFile,
    Measured,
    Options,
    typed,
)
from rankworth.cli.output import Output, progress, say, say_folded
from rankworth.errors import UsageError
from rankworth.io.source import STDIN
from rankworth.tables.show import Form

if TYPE_CHECKING:
    from rankworth.fusion.fusing import Fusing
    from rankworth.fusion.tools import Definition
    from rankworth.model import Run

USAGE: Final = "Usage: rankworth fuse RUN... [OPTIONS]"
FUSED: Final = Group("How runs are fused", sort_key=0)
TUNED: Final = Group("How settings are chosen", sort_key=1)


@dataclass(frozen=True)
class FusionOptions:
    """How runs are fused.

    Attributes:
        method: rrf sum mean max min median anz mnz gmnz mixed wmnz geometric harmonic dbsf borda rbc isr log-isr
            logn-isr, alone or with what is set: 'sum(norm=z)'; with --like what the tool calls it. Default: rrf.
        norm: What makes scores comparable: min-max z dbsf max sum l2 rank none ... Default: min-max.
        run_weights: What each run counts, in their order.
        k: Constant of reciprocal rank fusion. Default: 60.
        like: Fuse as a tool does: qdrant elasticsearch opensearch milvus weaviate chroma vespa llama_index haystack
            langchain mteb ranx pyserini trectools pyterrier txtai lancedb autorag paper.
        similarities: What the scores of each run are, for Milvus: BM25 COSINE IP L2.
        depth: Look at the first N documents of each list.
        top: Keep the first N fused documents of each query.
        setting: What else is set: candidates=intersection base=0 missing=minimum ties=id-ascending duplicates=first.

    """

    method: Annotated[str, Parameter(metavar="METHOD")] = ""
    norm: Annotated[str, Parameter(metavar="NORM")] = ""
    run_weights: Annotated[list[float] | None, Parameter(consume_multiple=1, metavar="W", validator=FromZero)] = None
    k: Annotated[float | None, Parameter(metavar="K", validator=FromZero)] = None
    like: Annotated[str, Parameter(metavar="TOOL")] = ""
    similarities: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="WHAT")] = None
    depth: Annotated[int | None, Parameter(alias="-M", metavar="N", validator=FromOne)] = None
    top: Annotated[int | None, Parameter(metavar="N", validator=FromOne)] = None
    setting: Annotated[list[str] | None, Parameter(name="--set", metavar="NAME=VALUE")] = None

    def axes(self) -> dict[str, Any]:
        """Return what is set by name, but for the method, the norm and the tool.

        Raises:
            UsageError: `unknown-setting`.
            InputError: `bad-weight`.

        """
        from rankworth.fusion.definition import parsed  # noqa: PLC0415 - not needed for help

        axes: dict[str, Any] = {"k": self.k, "similarities": self.similarities, "depth": self.depth, "top": self.top}
        axes["run_weights"] = None if self.run_weights is None else tuple(self.run_weights)
        for text in self.setting or ():
            name, sign, value = text.partition("=")
            name = name.strip().replace("-", "_")
            if not sign or axes.get(name) is not None:
                fault = "is set twice" if sign else "takes NAME=VALUE"
                raise UsageError("unknown-setting", f"--set {text}: {name if sign else 'it'} {fault}")
            axes[name] = parsed(name, value.strip())
        return axes

    def definition(self) -> "Definition":
        """Return the fusion.

        Raises:
            UsageError: `unknown-setting`, `conflicting-options`.
            InputError: `bad-weight`.

        """
        from rankworth.fusion.fusing import define  # noqa: PLC0415 - not needed for help

        return define(self.method, like_tool=self.like, norm=self.norm, **self.axes())


@dataclass(frozen=True)
class TuningOptions:
    """How settings are chosen.

    Attributes:
        tune: Choose constant, norm and weights by these judgements and -m (nDCG@10); -o writes what holds on other
            queries.
        by: Column of --queries: queries of a group are never on both sides of a split.
        accept_unproven: Write settings with -o although they do not beat the better run on other queries.

    """

    tune: Annotated[str, Parameter(metavar="QRELS")] = ""
    by: Annotated[str | None, Parameter(metavar="COLUMN")] = None
    accept_unproven: bool = False


_MEASURED: Final = ("measure", "profile", "only", "rel")
_NOT_HERE: Final = Parameter(parse=False)


@dataclass(frozen=True)
class FuseMeasured(Measured):
    """What is measured where settings are chosen.

    Attributes:
        answered_only: Not of this command, as all that follow.
        judged_only: Refused.
        complete: Refused.
        exclude: Refused.
        history: Refused.
        items: Refused.
        expected_run: Refused.
        forbidden: Refused.
        quirks: Refused, as --set is about fusion.

    """

    answered_only: Annotated[bool, _NOT_HERE] = False
    judged_only: Annotated[bool, _NOT_HERE] = False
    complete: Annotated[bool, _NOT_HERE] = False
    exclude: Annotated[str | None, _NOT_HERE] = None
    history: Annotated[str | None, _NOT_HERE] = None
    items: Annotated[str | None, _NOT_HERE] = None
    expected_run: Annotated[str | None, _NOT_HERE] = None
    forbidden: Annotated[str | None, _NOT_HERE] = None
    quirks: Annotated[list[str] | None, _NOT_HERE] = None


@dataclass(frozen=True)
class FuseOptions(Options):
    """What is measured, and how files are read.

    Attributes:
        measured: What is measured.
        conventions: None: a profile says them.

    """

    measured: Annotated[FuseMeasured, Parameter(name="*", group=MEASURED)] = FuseMeasured()
    conventions: Annotated[ConventionsButMissing | None, Parameter(parse=False)] = None


def fuse(
    *runs: HiddenFile,
    fusion: Annotated[FusionOptions, Parameter(name="*", group=FUSED)] = FusionOptions(),
    tuning: Annotated[TuningOptions, Parameter(name="*", group=TUNED)] = TuningOptions(),
    options: Annotated[FuseOptions, FLAT] = FuseOptions(),
    format: Annotated[Form | None, FORMAT] = None,  # noqa: A002 - the name of the option
    output: Annotated[
        list[str] | None, Parameter(alias="-o", metavar="FILE", allow_leading_hyphen=True, group=SHOWN)
    ] = None,
    to: Annotated[str, Parameter(metavar="FORMAT", group=SHOWN)] = "",
    quiet: Annotated[bool, Parameter(group=OTHER)] = False,
) -> None:
    """Fuse runs: several rankings of the same queries become one.

    RUN is a file in any format, as for evaluate; NAME=FILE names a run. Without
    a method it is reciprocal rank fusion: 60 from rank 1, all documents that
    one list has, ties by descending id. Standard output gets lines of TREC.

    Args:
        runs: Runs.
        fusion: How they are fused.
        tuning: How settings are chosen.
        options: What is measured where settings are chosen, and how files are read.
        format: How to show what --tune finds. Default: table.
        output: The fused run, in the format of its suffix (.run .csv .tsv .jsonl .json .parquet .arrow), or - .
        to: Format where the suffix does not tell it.
        quiet: Nothing on standard error but errors.

    Examples:
        rankworth fuse bm25.run dense.run -o fused.run
        rankworth fuse bm25.run dense.run --method sum --norm min-max --run-weights 0.3 0.7 -o - | rankworth evaluate
        qrels.txt -
        rankworth fuse bm25.run dense.run --like qdrant -o fused.run
        rankworth fuse bm25.run dense.run --tune qrels.txt -m nDCG@10 -o fused.run

    """
    if not runs:
        raise UsageError("conflicting-options", "there is no run to fuse", remedy=USAGE.removeprefix("Usage: "))
    project = configuration.find(options.measured.plugin, quiet=quiet)
    inputs = InputFiles.of(project, options, tuning.tune, runs)
    if tuning.tune:
        out = Output.of(DisplayOptions(quiet=quiet), format, inputs.paths, contents="settings")
        definition, read = _tuned(fusion, tuning, options, inputs, out, is_written=bool(output))
        if not output:
            return
    else:
        _refuse(tuning, options, format)
        definition, read = fusion.definition(), None
    targets = list(dict.fromkeys(output or [STDIN]))

    from rankworth.fusion.fusing import Fusing  # noqa: PLC0415 - not before the arguments are known to be sound

    with progress(quiet=quiet) as drawing:
        read = read or inputs.read_runs()
        fusing = Fusing(read, definition, [run.name for run in read])
        for target in targets:
            rows = fusing.write(target, to, inputs.paths, drawing)
            if not quiet:
                say(f"wrote {'standard output' if target == STDIN else target}: {rows:,} rows, {definition}")
    _tell(fusing, quiet=quiet)


def _refuse(tuning: TuningOptions, options: FuseOptions, form: str | None) -> None:
    """Refuse options of a measurement where nothing is measured.

    Raises:
        UsageError: `conflicting-options`.

    """
    unused = typed(vars(tuning), {name: getattr(options.measured, name) for name in _MEASURED}, format=form)
    if unused:
        text = f"{' '.join(next(iter(unused.items()))[:1])} is about settings that are chosen, and none are"
        raise UsageError("conflicting-options", text, remedy="add --tune QRELS, or leave it out")


def _tuned(
    fusion: FusionOptions,
    tuning: TuningOptions,
    options: FuseOptions,
    inputs: InputFiles,
    out: Output,
    *,
    is_written: bool,
) -> "tuple[Definition, list[Run]]":
    """Choose settings and show the result; on standard error if the fused run goes to standard output.

    Raises:
        UsageError: `conflicting-options`, `unproven-settings`.

    """
    if fusion.like:
        text = "--tune chooses among methods of its own, and --like is the fusion of a tool"
        raise UsageError("conflicting-options", text, remedy="leave one of the two out")

    from rankworth import pipelines  # noqa: PLC0415 - not before the arguments are known to be sound
    from rankworth.names import several  # noqa: PLC0415 - as above
    from rankworth.pipelines.tuning import MEASURE  # noqa: PLC0415 - as above

    wanted = several(options.measured.measure or [MEASURE])
    if len(wanted) > 1:
        raise UsageError("conflicting-options", "settings are chosen by one measure, and -m names several")
    with progress(quiet=out.quiet) as drawing:
        judgements, runs, settings = inputs.read(wanted)
        result = pipelines.tune(
            judgements,
            {run.name: run for run in runs},
            wanted[0],
            method=fusion.method,
            by=tuning.by,
            table=options.table() if tuning.by is not None else None,
            progress=drawing,
            norm=fusion.norm or None,
            **{name: settings[name] for name in ("rel", "profile") if settings.get(name) is not None},
            **fusion.axes(),
        )
    if is_written:
        say(result.verdict)
        return result.definition(accept_unproven=tuning.accept_unproven), runs
    out.write_result(result, "rankworth fuse --tune")
    return result.definition(accept_unproven=True), runs


def _tell(fusing: "Fusing", *, quiet: bool) -> None:
    """Say on standard error what is to be known of a fused run."""
    for note in () if quiet else fusing.notes():
        say_folded(note)
    for notice in () if quiet else fusing.notices():
        say_folded(f"warning: {notice.text}   [{notice.slug}]")
