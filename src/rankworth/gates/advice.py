"""What to do about gates that fail."""

import shlex
from collections.abc import Iterator, Mapping, Sequence

from rankworth.gates.checks import Verdict
from rankworth.render.look import visible


def advice(
    verdicts: Sequence[Verdict],
    files: Mapping[str, str],
    measures: Sequence[str],
    baseline: str = "",
    kept: str = "",
    options: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """Commands that show what is lost, and the one that keeps the new values where the loss is meant.

    Args:
        verdicts: what was found.
        files: judgements (under no name) and runs by name, as they can be given to other commands.
        measures: all that are compared.
        baseline: the name of the baseline.
        kept: the results file that the baseline comes from, if it comes from one.
        options: what the first kind of command is to be told, by measure; it is left out for other measures.

    """
    failed = [one for one in verdicts if not one.passed]
    systems = list(dict.fromkeys(one.system for one in failed))
    lines: list[str] = []
    for name in systems:
        first = next(one for one in failed if one.system == name)
        lines += _shows(first, files, baseline, options)
    if kept and any(one.before is not None for one in failed):
        run = files.get(systems[0], "RUN") if len(systems) == 1 else "RUN"
        command = _command("evaluate", files.get("", "QRELS"), run, "-m", *measures, "-q", "-o", kept)
        lines += [
            "if the loss is meant, keep the new values as the baseline, with the options of this command:",
            f"  {command}",
        ]
    return lines


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
    query = [worst[0][0]] if worst else ["--worst", "3"]
    yield f"  {_command('explain', files[''], *before, run, *query, '-m', measure, *(options or {}).get(measure, ()))}"


def _command(*words: str) -> str:
    return visible(f"rankworth {' '.join(map(shlex.quote, words))}")
