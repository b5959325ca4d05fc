"""What was answered: one file of exact outcomes and one of wording for each file of cases."""

import difflib
import json
import math
import re
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Final

from corpus.running import HERE, NEAR, Case, cases, outcome, subjects

USAGE: Final = "usage: scripts/corpus [--check | --wording] [SUBJECT...]"
ROOM: Final = HERE / "expected"
BAR: Final = "== "


def write(subject: str, found: dict[str, tuple[str, str]]) -> None:
    """Write both files of a subject."""
    exact, wording = files(found)
    (ROOM / f"{subject}.json").write_text(exact, encoding="utf-8")
    (ROOM / f"{subject}.txt").write_text(wording, encoding="utf-8")


def files(found: dict[str, tuple[str, str]]) -> tuple[str, str]:
    """The outcomes of all cases of a subject, as they are written."""
    exact = ",\n".join(f"{json.dumps(title, ensure_ascii=False)}:\n{one}" for title, (one, _) in found.items())
    wording = "\n".join(f"{BAR}{title}\n{text}\n" for title, (_, text) in found.items() if text)
    return f"{{\n{exact}\n}}\n", wording


@cache
def read(subject: str) -> dict[str, tuple[str, str]]:
    """What is expected of each case; empty where nothing has been written."""
    path = ROOM / f"{subject}.json"
    if not path.exists():
        return {}
    blocks = re.split(r',?\n(?=")', path.read_text(encoding="utf-8").removeprefix("{").removesuffix("\n}\n"))
    exact = {json.loads(block.split(":\n", 1)[0]): block.split(":\n", 1)[1] for block in blocks if block}
    parts = re.split(rf"(?m)^{BAR}", path.with_suffix(".txt").read_text(encoding="utf-8"))[1:]
    wording = {title: text.rstrip("\n") for title, _, text in (part.partition("\n") for part in parts)}
    return {title: (one, wording.get(title, "")) for title, one in exact.items()}


def near(one: Any, other: Any) -> bool:
    """Whether two outcomes differ in nothing but floats, and in these by no more than 1e-12."""
    if isinstance(one, float) and isinstance(other, float):
        return (
            one == other
            or (math.isnan(one) and math.isnan(other))
            or math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
        )
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(near(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(near, one, other))
    if isinstance(one, str) and isinstance(other, str):
        (words, numbers), (others, found) = _parted(one), _parted(other)
        return words == others and near(numbers, found)
    return type(one) is type(other) and bool(one == other)


def _parted(text: str) -> tuple[str, list[Any]]:
    """A line without its decimals, and these."""
    number = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")
    return number.sub("", text), [float(one) for one in number.findall(text)]


def same(title: str, expected: str, found: str) -> bool:
    """Whether the exact part of an outcome is what is expected."""
    if expected == found:
        return True
    return title.endswith(NEAR) and bool(expected) and near(json.loads(expected), json.loads(found))


def differences(case: Case, found: tuple[str, str]) -> tuple[str, str]:
    """The lines that differ in what is exact, and in the wording."""
    exact, wording = read(case.subject).get(case.title, ("", ""))
    return "" if same(case.title, exact, found[0]) else _lines(exact, found[0]), _lines(wording, found[1])


def _lines(expected: str, found: str) -> str:
    lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), "expected", "found", n=1, lineterm="")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> str | int:
    """Write or compare; what differs, where nothing was to."""
    chosen = [one for one in arguments if not one.startswith("-")]
    mode = " ".join(one for one in arguments if one.startswith("-"))
    if mode not in ("", "--check", "--wording") or not {*chosen} <= {*subjects()}:
        return f"{USAGE}\nsubjects: {' '.join(subjects())}"
    wrong: dict[str, str] = {}
    with ExitStack() as stack:
        for subject in chosen or subjects():
            found, failed = _outcomes(subject, stack)
            if mode:
                failed |= {title: "it is gone" for title in read(subject) if title not in found | failed}
            for case in cases(subject):
                if mode and case.title in found:
                    exact, wording = differences(case, found[case.title])
                    failed |= {case.title: exact} if exact else {}
                    failed |= {case.title: wording} if wording and not exact and mode == "--check" else {}
            wrong |= {f"{subject}: {title}": text for title, text in failed.items()}
            if not failed and mode != "--check":
                kept = {title: one for title, (one, _) in read(subject).items()}
                if mode:  # what was within 1e-12 stays as it is
                    found = {title: (kept[title], wording) for title, (_, wording) in found.items()}
                write(subject, found)
    if wrong:
        told = "\n\n".join(f"{title}\n{text}" for title, text in wrong.items())
        return f"{told}\n\n{len(wrong)} cases are not as expected:\n" + "\n".join(wrong)
    return 0


def _outcomes(subject: str, stack: ExitStack) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """What the cases of a subject gave, and the tracebacks of those that ended in one."""
    session = None
    found, failed = {}, {}
    for case in cases(subject):
        if case.on_spark and session is None:
            from conftest import small_spark  # noqa: PLC0415 - starts Java

            session = stack.enter_context(small_spark(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
        try:
            found[case.title] = outcome(case, session)
        except Exception:  # noqa: BLE001 - it is told, and the other cases are run
            failed[case.title] = traceback.format_exc(limit=-3)
    return found, failed
