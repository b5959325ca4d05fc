"""The command `compare`: plain arguments in, one call of the library, its answer and the verdicts of gates out."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import App, Group, Parameter, Token
from cyclopts.validators import Number

from rankworth.cli import arguments, commands
from rankworth.cli.entrants import Entrants, refuse_stray
from rankworth.cli.inputs import Given
from rankworth.cli.options import GROUP, Conventions, Measured, Read, words
from rankworth.cli.publishing import FAILED, Form, Outlets, again, annotated
from rankworth.cli.terminal import working
from rankworth.errors import UsageError
from rankworth.tables.look import Look

if TYPE_CHECKING:
    from rankworth.comparison.gates import Gate
    from rankworth.model import Run

USAGE: Final = "Usage: rankworth compare QRELS BASELINE RUN... [OPTIONS]"
EXAMPLES: Final = """Examples:
  rankworth compare qrels.txt main.run new.run -m nDCG@10 RR@10 R@100
  rankworth compare qrels.txt baseline.json new.run --max-drop nDCG@10=0.01
  rankworth compare qrels.txt a.run b.run c.run --all-pairs -f latex"""
Test = Literal["randomization", "t", "wilcoxon", "sign", "bootstrap", "tukey", "randomized-tukey"]
Correction = Literal["holm", "bonferroni", "bh", "by", "none"]
Method = Literal["bca", "percentile", "t"]
When = Literal["mean", "significant", "any"]

_MEASURED = Group("What is measured", sort_key=1)
_JUDGED = Group("How differences are judged", sort_key=2)
_GATES = Group("Gates", sort_key=3)
_READ = Group("How files are read", sort_key=4)
_SHOWN = Group("What is shown", sort_key=5)
_OTHER = Group("Other", sort_key=7)


def _file(_: Any, tokens: Sequence[Token]) -> str:  # noqa: ANN401 - what Cyclopts hands over
    return arguments.path(tokens, App(default_command=compare).assemble_argument_collection)


File = Annotated[str, Parameter(allow_leading_hyphen=True, converter=_file, n_tokens=1, show=False)]
Several = Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="M=X", group=_GATES)]


def compare(
    *files: File,
    measure: Annotated[
        list[str] | None, Parameter(alias="-m", consume_multiple=1, metavar="MEASURE", group=_MEASURED)
    ] = None,
    only: Annotated[str | None, Parameter(metavar="FILE", group=_MEASURED)] = None,
    answered_only: Annotated[bool, Parameter(group=_MEASURED)] = False,
    measured: Annotated[Measured | None, Parameter(name="*", group=_MEASURED)] = None,
    profile: Annotated[str | None, Parameter(metavar="NAME", group=_MEASURED)] = None,
    conventions: Annotated[Conventions | None, Parameter(name="*", group=GROUP)] = None,
    baseline: Annotated[str | None, Parameter(metavar="NAME", group=_JUDGED)] = None,
    all_pairs: Annotated[bool, Parameter(group=_JUDGED)] = False,
    test: Annotated[Test, Parameter(group=_JUDGED)] = "randomization",
    correction: Annotated[Correction | None, Parameter(group=_JUDGED)] = None,
    level: Annotated[float, Parameter(validator=Number(gt=0, lt=1), group=_JUDGED)] = 0.95,
    interval: Annotated[Method, Parameter(group=_JUDGED)] = "bca",
    resamples: Annotated[int | None, Parameter(metavar="N", validator=Number(gte=1), group=_JUDGED)] = None,
    seed: Annotated[int, Parameter(metavar="N", validator=Number(gte=0), group=_JUDGED)] = 0,
    margin: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="M=X", group=_JUDGED)] = None,
    effect: Annotated[float | None, Parameter(metavar="X", validator=Number(gt=0), group=_JUDGED)] = None,
    by: Annotated[list[str] | None, Parameter(consume_multiple=1, metavar="COLUMN", group=_JUDGED)] = None,
    weights: Annotated[str | None, Parameter(metavar="COLUMN", group=_JUDGED)] = None,
    macro: Annotated[str | None, Parameter(metavar="COLUMN", group=_JUDGED)] = None,
    max_drop: Several = None,
    noninferior: Several = None,
    fail_under: Several = None,
    when: Annotated[When | None, Parameter(group=_GATES)] = None,
    accept_new_qrels: Annotated[bool, Parameter(group=_GATES)] = False,
    no_gates: Annotated[bool, Parameter(group=_GATES)] = False,
    queries: Annotated[str | None, Parameter(metavar="FILE", group=_READ)] = None,
    read: Annotated[Read | None, Parameter(name="*", group=_READ)] = None,
    format: Annotated[  # noqa: A002 - the name of the option
        Form | None, Parameter(alias="-f", metavar="FORMAT", group=_SHOWN)
    ] = None,
    output: Annotated[list[str] | None, Parameter(alias="-o", metavar="FILE", group=_SHOWN)] = None,
    digits: Annotated[int | None, Parameter(validator=Number(gte=0, lte=15), group=_SHOWN)] = None,
    safe_csv: Annotated[bool, Parameter(group=_SHOWN)] = False,
    quiet: Annotated[bool, Parameter(group=_OTHER)] = False,
) -> int:
    """Compare runs query by query: by how much they differ, how sure that is, and whether a change may ship.

    QRELS and RUN are files in any format, as for evaluate; a RUN may also be a
    results file (evaluate -q -o baseline.json), and results files alone need no
    QRELS. NAME=FILE names a run; several files of one NAME are several runs of
    one system: folds are joined, seeds averaged. The first run is the baseline.
    Gates make the exit status 1 where one fails; 2 is for what cannot be compared.

    Args:
        files: Judgements, and runs or results files.
        measure: Measures, as many as wanted. Default: nDCG@10 RR@10 AP R@100, or those of the results files.
        only: File with the ids of the queries, one in each line.
        answered_only: Leave judged queries without results out instead; compared are those that all answer.
        measured: What is measured.
        profile: Conventions of a tool, see rankworth profiles. Default: standard.
        conventions: What differs from the profile.
        baseline: Name of the run that the others are compared with. Default: the first one.
        all_pairs: Compare each run with each.
        test: Paired test: randomization t wilcoxon sign bootstrap; of all systems at once tukey randomized-tukey.
            Default: randomization.
        correction: For several comparisons: holm bonferroni bh by none. Default: holm; none for those of all systems.
        level: Of the intervals; 1 - level is the chance to call a difference where there is none. Default: 0.95.
        interval: How intervals are made: bca percentile t. Default: bca.
        resamples: Random sign flips and samples. Default: 100,000, and 10,000 beyond 1,000 queries.
        seed: Of the random numbers. Default: 0.
        margin: Difference that does not matter: 0.01, or nDCG@10=0.01 for one measure.
        effect: Difference that is looked for; a warning where there are too few queries to find it.
        by: Columns of --queries by whose groups differences are told, too.
        weights: Column of --queries with what each query counts.
        macro: Column of --queries whose groups count alike.
        max_drop: Fail if a mean drops by more: nDCG@10=0.01 R@100=2%; language:nDCG@10=0.02 for each group of --by.
        noninferior: Fail unless the interval excludes a worse drop: nDCG@10=0.01.
        fail_under: Fail if a mean is lower, but for the baseline's: nDCG@10=0.45, language=ar:nDCG@10=0.3.
        when: What a drop is: of the mean, significant (and the interval excludes 0), any query. Default: mean.
        accept_new_qrels: Compare with stored values although the judgements have changed, over common queries.
        no_gates: Leave out those of pyproject.toml, [tool.rankworth.gates].
        queries: File with columns of queries, such as their language: queries.tsv, queries.jsonl.
        read: How files are read.
        format: How to show it: table tsv json jsonl csv md latex html github. Default: table.
        output: File to write instead: .txt .tsv .json .jsonl .csv .md .tex .html; .xml: gates as JUnit. Repeatable.
        digits: Decimals in the columns of table, md, latex and html. Default: 4.
        safe_csv: Put ' before ids and names in csv and tsv that begin with = + - or @, which are formulas elsewhere.
        quiet: Nothing on standard error but errors, and gates that fail.

    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy need not start threads that nothing here uses
    with annotated(format):
        measured, read = measured or Measured(), read or Read()
        refuse_stray({"--measure": measure, "--max-drop": max_drop, "--noninferior": noninferior, "--by": by})
        of_table = queries if weights or macro else None
        beside = _typed({"--only": only, "--queries": of_table, "--weights": weights, "--macro": macro})
        apart = [*_typed({"--profile": profile}), *["--answered-only"] * answered_only]
        keep = [*words(read), *words(measured), *words(conventions), *apart, *beside]
        reading = [*words(read), *words(measured, "exclude", "plugin")]
        entrants = Entrants.of(files, words=["-m", *measure, *keep] if measure else keep)
        of_queries = read.of_texts("query", "text")
        given = None
        if entrants.qrels:
            given = Given.of(entrants.qrels, entrants.measured, read.without(of_queries), exclude=measured.exclude)
        configured = commands.prepare(measured.plugin or (), quiet=quiet)
        asked = {"max-drop": max_drop, "noninferior": noninferior, "fail-under": fail_under}
        gates, drops = _gates(asked, when, configured=not (no_gates or all_pairs))
        inputs = [*(given.paths if given else ()), *entrants.kept, *filter(None, (only, queries))]
        outlets = Outlets.of(output or (), format, inputs, Look(digits, safe=safe_csv), gated=bool(gates), quiet=quiet)
        settings = measured.settings(conventions, answered_only=answered_only)

        from rankworth import comparison  # noqa: PLC0415 - not before the arguments are known to be sound
        from rankworth.io import metadata  # noqa: PLC0415 - as above
        from rankworth.io import queries as listed  # noqa: PLC0415 - as above
        from rankworth.profiles import chosen_of  # noqa: PLC0415 - as above

        if gates:
            comparison.verdicts.refuse_older(
                chain(*(one.values() for one in entrants.kept.values())),
                entrants.qrels,
                entrants.measured,
                [*reading, *beside],
            )
        with working(quiet=quiet) as progress, entrants.named_in_errors([*reading, *beside], queries):
            [chosen] = chosen_of([profile] if profile else (), complete=measured.complete)
            wanted = list(measure or entrants.measures() or configured or comparison.DEFAULT)
            known = {one.label: str(one.quantity) for one in chosen.ask(wanted, rel=measured.rel)} if gates else {}
            wanted += [gate.measure for gate in gates if not gate.among(known)]
            ids = listed.read(only) if only else None
            judgements, runs = None, list["Run"]()
            if given is not None:
                policies = {each.judging.duplicate_judgements for each in chosen.ask(wanted, rel=measured.rel)}
                with chosen.its_words(only=True):
                    judgements, runs, excluded = given.read(ids, policies, measured.duplicate_judgements)
                if excluded is not None:
                    settings["exclude"] = excluded
            systems = entrants.systems(runs)
            told = comparison.compare(
                judgements,
                systems.sources(),
                wanted,
                baseline=baseline,
                all_pairs=all_pairs,
                test=test,
                correction=correction,
                level=level,
                interval=interval,
                resamples=resamples,
                seed=seed,
                margin=_margins(margin),
                effect=effect,
                table=None if queries is None else metadata.queries(queries, columns=of_queries),
                by=by,
                weights=weights,
                macro=macro,
                queries=ids,
                rel=measured.rel,
                profile=chosen,
                accept_new_qrels=accept_new_qrels,
                progress=progress,
                **settings,
            )
            judged = systems.beside(told.baseline) if told.baseline else told.systems
            verdicts = comparison.gates.against(told, gates, drops, judged)
        paths = again(systems.paths() | ({"": entrants.qrels} if entrants.qrels else {}))
        kept = systems.kept(told.baseline) if told.baseline else ""
        told = replace(told, files=paths, reading=(*reading, *_typed({"--queries": queries})))
        steps = comparison.verdicts.advice(verdicts, paths, told.measures, told.baseline, kept, told.options, keep)
        outlets.deliver(told, verdicts, steps)
    return FAILED if any(not verdict.passed for verdict in verdicts) else 0


def _typed(options: Mapping[str, str | None]) -> list[str]:
    """Options as they were typed, without those that were not."""
    return [word for option, text in options.items() if text for word in (option, text)]


def _gates(given: Mapping[Any, list[str] | None], when: When | None, *, configured: bool) -> "tuple[list[Gate], When]":
    """The gates of the command line, and of `pyproject.toml` where it says none of a kind; and what a drop is.

    Args:
        given: what the command line says, by kind.
        when: what it says a drop is.
        configured: whether `pyproject.toml` counts.

    Raises:
        UsageError: `bad-gate`, `bad-config`, `conflicting-options`.

    """
    from rankworth.cli import configuration  # noqa: PLC0415 - reads a file
    from rankworth.comparison.gates import KINDS, read  # noqa: PLC0415 - not needed for help

    project = configuration.find(Path.cwd())
    limits = project.gates if configured else {}
    found = []
    for kind in KINDS:
        typed = given[kind]
        table = f"{project.folder / configuration.FILE}: [tool.rankworth.gates.{kind}]"
        found += read(kind, limits.get(kind, {}), table) if typed is None else read(kind, typed)
    if when is not None and not any(gate.kind == "max-drop" for gate in found):
        raise UsageError("conflicting-options", f"--when {when} says what a drop is, and there is no --max-drop")
    return found, when or limits.get("when", "mean")


def _margins(given: Iterable[str] | None) -> float | dict[str, float] | None:
    """The margins as they are typed: one number, or one for each measure.

    Raises:
        UsageError: `unknown-setting`.

    """
    remedy = "as in --margin 0.01, --margin nDCG@10=0.01 R@100=0.02"
    found: dict[str, float] = {}
    for text in given or ():
        name, _, number = text.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            raise UsageError("unknown-setting", f"--margin {text}: {number!r} is no number", remedy=remedy) from None
    if "" in found and len(found) > 1:
        text = f"--margin {found['']:g} is for all measures, and others are named beside it"
        raise UsageError("conflicting-options", text, remedy=remedy)
    return found.pop("") if "" in found else found or None
