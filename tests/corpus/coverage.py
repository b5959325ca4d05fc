"""What is public, and which of it the cases touch."""

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import rankworth as rw
from corpus import expected
from corpus.running import EXAMPLE, HERE, cases, subjects

MODULES: Final = ("plots", "plots.data", "stats", "tensors", "spark", "testing", "io.query_texts")


def untouched(kind: str) -> dict[str, str]:
    """What no case touches, with the reason."""
    lines = (HERE / "untouched.txt").read_text(encoding="utf-8").splitlines()
    rows = [re.fullmatch(r"(\w+): (.+?): (.+)", line) for line in lines if line and not line.startswith("#")]
    return {row[2]: row[3] for row in rows if row and row[1] == kind}


@cache
def text() -> str:
    """All steps of all cases but those that only list names."""
    return "\n".join(
        step for subject in subjects() for case in cases(subject) for step in case.steps if "names(" not in step
    )


@cache
def frozen() -> dict[str, Any]:
    """What the cases of names give."""
    found = {title: json.loads(one) for title, (one, _) in expected.read("names").items()}
    return {title: [step["value"] for step in steps if "value" in step] for title, steps in found.items()}


def public_names() -> set[str]:
    """The names of the package and its public modules, as the cases of names list them."""
    lists = [*frozen()["the package"], *frozen()["modules"][0].values()]
    return {line.partition("(")[0] for some in lists for line in some} - {"TYPE_CHECKING"}


def options() -> set[str]:
    """Each option of each command."""
    listed = {"evaluate": 0, "compare": 0, "explain": 0, "correlate": 0}
    every = {command: frozen()[f"options of {command}"][place] for command, place in listed.items()}
    every |= frozen()["options of the others"][0]
    found = {(command, re.findall(r"--[\w-]+", row)[0]) for command in every for row in every[command] if "--" in row}
    return {f"{command} {option}" for command, option in found if option not in ("--help", "--version")}


def slugs() -> set[str]:
    """The slugs that have a page."""
    return {page.stem for page in (EXAMPLE.parent / "errors").glob("*.md")} - {"README"}


def profiles() -> set[str]:
    """All profiles."""
    return set(rw.PROFILES)


def measures() -> set[str]:
    """All measures and facts."""
    return {*rw.CATALOGUE, *rw.ITEM_MEASURES, *rw.FACTS}


KINDS: Final[dict[str, Callable[[], set[str]]]] = {
    "name": public_names,
    "option": options,
    "slug": slugs,
    "profile": profiles,
    "measure": measures,
}


def touched(kind: str) -> set[str]:
    """What some case touches: the text of its steps has it, or for slugs what came out."""
    if kind == "slug":
        outcomes = [one for subject in subjects() for one, _ in expected.read(subject).values()]
        return {slug for slug in slugs() if any(f'"{slug}"' in one for one in outcomes)}
    if kind == "option":
        used = set()
        for command, rest in re.findall(r"(?m)^\$ .*?rankworth (\w+) (.*)$", text()):
            words = {f"{command} {word}" for word in re.findall(r"(?<=\s)(--[\w-]+|-\w)", f" {rest}")}
            used |= {f"{command} {long(command, word.split()[1])}" for word in words}
        return used
    return {name for name in KINDS[kind]() if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text())}


def long(command: str, option: str) -> str:
    """The first name of an option, which its other names stand for."""
    listed = frozen().get(f"options of {command}") or [frozen()["options of the others"][0].get(command, {})]
    for row in listed[0]:
        names = re.findall(r"(?<!\w)--?[\w-]+", row)
        if option in names:
            return next(name for name in names if name.startswith("--"))
    return option
