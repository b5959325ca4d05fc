"""What to do about gates that fail, and about baselines that gates do not take."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankworth.errors import InputError
from rankworth.gates.checks import Verdict
from rankworth.profiles import Signature
from rankworth.render.look import visible

if TYPE_CHECKING:
    from rankworth.results import Result


def advice(
    verdicts: Sequence[Verdict],
    files: Mapping[str, str],
    measures: Sequence[str],
    baseline: str = "",
    kept: str = "",
    options: Mapping[str, Sequence[str]] | None = None,
    keep: Sequence[str] = (),
) -> list[str]:
    """Commands that show what is lost, and the one that keeps the new values where the loss is meant.

    Args:
        verdicts: what was found.
        files: judgements (under no name) and runs by name, as they can be given to other commands.
        measures: all that are compared.
        baseline: the name of the baseline.
        kept: the results file that the baseline comes from, if it comes from one.
        options: what the first kind of command is to be told, by measure; it is left out for other measures.
        keep: what the second kind is to be told.

    """
    failed = [one for one in verdicts if not one.passed]
    systems = list(dict.fromkeys(one.system for one in failed))
    lines: list[str] = []
    for name in systems:
        first = next(one for one in failed if one.system == name)
        lines += _shows(first, files, baseline, options)
    if kept and any(one.before is not None for one in failed):
        run = files.get(systems[0], "RUN") if len(systems) == 1 else "RUN"
        command = _command("evaluate", files.get("", "QRELS"), run, "-m", *measures, "-q", "-o", kept, *keep)
        lines += [
            "if the loss is meant, keep the new values as the baseline:",
            f"  {command}",
        ]
    return lines


def refuse_older(
    kept: "Iterable[Result]", qrels: str = "", runs: Sequence[str] = (), reading: Sequence[str] = ()
) -> None:
    """Refuse results files without a digest, of which nobody can tell whether they were edited.

    Args:
        kept: the results that gates are to look at.
        qrels: the judgements, as they can be given to other commands.
        runs: the files of runs that are known.
        reading: options that say how these files are read.

    Raises:
        InputError: `older-results`, with the command that writes each of them again.

    """
    files: dict[str, list[Result]] = {}
    for one in kept:
        if one.doubt:
            files.setdefault(one.origin, []).append(one)
    if files:
        facts = [f"{several[0].doubt}: a gate cannot rely on it" for several in files.values()]
        remedies = []
        for path, several in files.items():
            again = " and ".join(one.run for one in several)
            remedies += [f"measure {again} again, as the baseline is to be, and keep that:"]
            remedies += [f"  {line}" for line in renewal(path, several, qrels, runs, reading)]
        raise InputError("older-results", *facts, remedy="\n".join(remedies))


def renewal(
    path: str, results: "Sequence[Result]", qrels: str, runs: Sequence[str], reading: Sequence[str]
) -> Iterator[str]:
    """The command that measures the runs of a results file again and keeps that, and what words cannot say.

    Args:
        path: the results file.
        results: what it holds.
        qrels: the judgements, as they can be given to other commands.
        runs: the files of runs that are known.
        reading: options that say how these files are read.

    """
    sources = [_beside(one.run, runs) for one in results]
    measures = [column.label for column in results[0].columns] + [*({*results[0].texts} - {"group"})]
    line = Signature.parse(results[0].signature)
    beside = [name for name in ("exclude", "weights", "macro") if name in line.settings]
    sayable = replace(line, settings={name: text for name, text in line.settings.items() if name not in beside})
    apart = [name for name in beside if f"--{name}" not in reading]
    words = [*reading, *(sayable.words() or ())]
    yield f"{_command('evaluate', qrels or 'QRELS', *sources, '-m', *measures, *words, '-q', '-o', path)}"
    if apart:
        yield f"with {' and '.join(f'--{name}' for name in apart)} as it had"


def _beside(name: str, runs: Sequence[str]) -> str:
    """The file of a run of this name: one that is known, or one beside it."""
    for path in map(Path, runs):
        if (own := path.with_name(f"{name}{''.join(path.suffixes)}")).is_file():
            return str(own)
    return f"{name}=RUN"


def _shows(
    verdict: Verdict, files: Mapping[str, str], baseline: str, options: Mapping[str, Sequence[str]] | None
) -> Iterator[str]:
    """What a system loses, and the command that shows why."""
    measure, worst = verdict.gate.measure, verdict.worst
    if worst:
        told = ", ".join(f"{query} {difference:+.4f}" for query, difference in worst)
        yield visible(f"largest losses of {verdict.system} by {measure}: {told}")
    if not {"", verdict.system} <= {*files} or (options is not None and measure not in options):
        return
    run = files[verdict.system]
    before = [files[baseline]] if worst and baseline and baseline in files else []
    told_by = (options or {}).get(measure, ())
    query = [worst[0][0]] if worst else [] if "--only" in told_by else ["--worst", "3"]
    yield f"  {_command('explain', files[''], *before, run, *query, '-m', measure, *told_by)}"


def _command(*words: str) -> str:
    return visible(f"rankworth {' '.join(map(shlex.quote, words))}")
