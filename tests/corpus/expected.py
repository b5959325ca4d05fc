"""What was answered: one file of exact outcomes and one of wording for each file of cases."""

import difflib
import json
import math
import re
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Final

from corpus.running import HERE, NEAR, cases, outcome, subjects

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


def difference(expected: str, found: str) -> str:
    """The lines that differ."""
    lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), "expected", "found", n=1, lineterm="")
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> str | int:
    """Write or compare; a message where that cannot be done."""
    chosen = [one for one in arguments if not one.startswith("-")]
    modes = [one for one in arguments if one.startswith("-")]
    if len(modes) > 1 or not {*modes} <= {"--check", "--wording"} or not {*chosen} <= {*subjects()}:
        return f"{USAGE}\nsubjects: {' '.join(subjects())}"
    wrong = []
    with ExitStack() as stack:
        for subject in chosen or subjects():
            expected = read(subject)
            found = dict(_outcomes(subject, stack))
            other = [case.title for case in cases(subject) if case.title not in found]
            ended = bool(other)
            if modes:
                other += [
                    title for title, (one, _) in found.items() if not same(title, expected.get(title, ("", ""))[0], one)
                ]
                other += [title for title in expected if title not in found]
            if modes == ["--check"]:
                other += [title for title, (_, text) in found.items() if expected.get(title, ("", text))[1] != text]
            wrong += [f"{subject}: {title}" for title in dict.fromkeys(other)]
            if not ended and modes != ["--check"] and not other:
                write(subject, found)
    if wrong:
        return "\n".join([*wrong, f"{len(wrong)} cases are not as expected; pytest tests/test_corpus.py shows how"])
    return 0


def _outcomes(subject: str, stack: ExitStack) -> Iterator[tuple[str, tuple[str, str]]]:
    session = None
    if subject.startswith("spark"):
        from conftest import small_spark  # noqa: PLC0415 - starts Java

        session = stack.enter_context(small_spark(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
    for case in cases(subject):
        try:
            yield case.title, outcome(case, session)
        except Exception:  # noqa: BLE001 - it is told, and the other cases are run
            sys.stderr.write(f"{subject}: {case.title}\n{traceback.format_exc(limit=-3)}\n")
