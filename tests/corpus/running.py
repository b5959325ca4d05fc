"""Runs a case and splits its outcome: numbers, JSON, slugs and exit status are exact; sentences are wording.

A case is a title, then lines as in a shell (`$ rankworth ...`) and in Python (`>>> ...`), until an empty line. It runs
in a folder of its own with copies of the files of `data` and `docs/example`, and the collection that comes along
(`demo`). Only the command's entry point and the public API are used.
"""

import ast
import gc
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import entry_points
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
import polars as pl

import rankworth as rw
from corpus.frozen import members, names, options, shape
from corpus.plain import WORDS, plain, printed

HERE: Final = Path(__file__).parent
EXAMPLE: Final = HERE.parents[1] / "docs" / "example"
SETTINGS: Final = {"COLUMNS": "80", "NO_COLOR": "1", "MPLBACKEND": "agg", "LC_ALL": "C.UTF-8"}
OTHERS: Final = re.compile(r"RANKWORTH_|GITHUB_|POLARS_|LC_|LANG|TTY_|FORCE_COLOR$|CLICOLOR|LINES$|CI$|PYTEST_ADDOPTS$")
"""variables that would change what is printed"""
OWN: Final = " (own process)"
NEAR: Final = " (within 1e-12)"
IN_WORDS: Final = " (in words)"
LARGE: Final = 20_000
FRESH: Final = get_context("forkserver")
"""processes that have loaded this module, and nothing has been run in them"""
FRESH.set_forkserver_preload([__name__])


@dataclass(frozen=True)
class Case:
    """A title, and the steps that are run one after the other.

    Attributes:
        subject: the file in which the case is.
        title: what it is about; `(own process)` keeps what it registers away from other cases, where it says
            `(within 1e-12)`, floats may differ by that, and `(in words)` compares its sentences, too.
        steps: commands that begin with `$ `, and Python.

    """

    subject: str
    title: str
    steps: tuple[str, ...]

    @property
    def on_spark(self) -> bool:
        """Whether it needs a session of Spark, which takes Java."""
        return self.subject.startswith("spark")

    def __str__(self) -> str:
        return f"{self.subject}: {self.title}"


@dataclass(frozen=True)
class Outcome:
    """What a case gave: for each step what is compared exactly, and sentences by the step they belong to."""

    exact: list[Any]
    wording: list[str]


@cache
def cases(subject: str) -> tuple[Case, ...]:
    """The cases of a file, in its order."""
    found = []
    for block in re.split(r"\n\s*\n", (HERE / "cases" / f"{subject}.txt").read_text(encoding="utf-8")):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            steps = re.split(r"\n(?=>>> |\$ )", "\n".join(lines[1:]))
            found.append(Case(subject, lines[0], tuple(steps)))
    return tuple(found)


def subjects() -> list[str]:
    """The files of cases."""
    return sorted(path.stem for path in (HERE / "cases").glob("*.txt"))


@cache
def _demo() -> Path:
    folder = Path(tempfile.mkdtemp()) / "demo"
    command("rankworth demo " + shlex.quote(str(folder)))
    return folder


@contextmanager
def workspace() -> Iterator[Path]:
    """A folder of its own, in which the case runs, with the input files."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name, patch.dict(os.environ):
        for variable in filter(OTHERS.match, [*os.environ]):
            del os.environ[variable]
        os.environ.update(SETTINGS)
        folder = Path(name).resolve()
        for source in (HERE / "data", EXAMPLE):
            shutil.copytree(source, folder, dirs_exist_ok=True)
        (folder / "demo").symlink_to(_demo())
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


@cache
def entry(name: str) -> Callable[[], int]:
    """The function behind a command."""
    (found,) = entry_points(group="console_scripts", name=name)
    load: Callable[[], int] = found.load()
    return load


def command(line: str) -> tuple[int, bytes, str]:
    """Run a command in this process: exit status, standard output, standard error."""
    words = shlex.split(line)
    environment = {}
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    given = b""
    if "<" in words:
        place = words.index("<")
        given = Path(words[place + 1]).read_bytes()
        del words[place : place + 2]
    out, error = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with (
        patch.object(sys, "argv", words),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")),
        patch.dict(os.environ, environment),
        redirect_stdout(out),
        redirect_stderr(error),
    ):
        try:
            status = entry(words[0])()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        finally:
            gc.enable()
    return status, out.buffer.getvalue(), error.buffer.getvalue().decode()  # type: ignore[attr-defined]


def format_of(line: str) -> str:
    """What is on standard output, as far as the command tells."""
    told = re.findall(r"(?:-f|--format|--to)[ =](\w+)", line)
    if told:
        return str(told[-1])
    return "tsv" if re.search(r"rankworth (evaluate|convert) (?!--help)", line) else "text"


def decimals(text: str) -> list[str]:
    """The numbers with decimals in a text, each once, without the version of the package."""
    plain_text = re.sub(r"<style.*?</style>|<[^>]*>", " ", text).replace(rw.__version__, "")
    return sorted(set(re.findall(r"(?<![\w.])[+-]?\d+\.\d+(?:e[+-]?\d+)?", plain_text)))


def slugs(text: str) -> list[str]:
    """The slugs of messages, in their order."""
    return re.findall(r" {3}\[([a-z-]+)\]", text)


class Run:
    """The steps of one case, and what they have given so far."""

    def __init__(self, folder: Path, session: Any = None) -> None:
        """Begin with names that every case has."""
        self.folder = folder
        self.outcome = Outcome([], [])
        self.seen = self._files()
        self.names: dict[str, Any] = {
            "rw": rw, "np": np, "pl": pl, "json": json, "Path": Path, "spark": session, "wording": Wording,
            "means": means, "explained": explained,
            "names": names, "members": members, "options": options, "shape": shape,
        }  # fmt: skip

    def step(self, text: str) -> None:
        """Run one step."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            python = text.startswith(">>> ")
            exact = self._python(re.sub(r"(?m)^(>>>|\.\.\.) ?", "", text)) if python else self._shell(text[2:])
        warned = [one.message for one in caught if isinstance(one.message, rw.RankworthWarning)]
        if warned:
            exact["warnings"] = [one.slug for one in warned]
            self._say(*map(str, warned))
        files = self._written()
        if files and exact:  # what a case prepares is no outcome
            exact["files"] = {
                name: self._content(content, Path(name).suffix[1:], file=True) for name, content in files.items()
            }
        self.outcome.exact.append(exact)

    def _python(self, source: str) -> dict[str, Any]:
        tree = ast.parse(source)
        try:
            if not isinstance(tree.body[-1], ast.Expr):
                exec(compile(tree, "<case>", "exec"), self.names)  # noqa: S102 - cases are ours
                return {}
            last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
            exec(compile(tree, "<case>", "exec"), self.names)  # noqa: S102 - as above
            value = eval(compile(last, "<case>", "eval"), self.names)  # noqa: S307 - as above
        except (rw.RankworthError, AssertionError, KeyError, TypeError, ValueError, AttributeError) as error:
            self._say(str(error))
            return {"error": type(error).__name__, **({"slugs": slugs(str(error))} if slugs(str(error)) else {})}
        if isinstance(value, Wording):
            self._say(value)
            return {"numbers": decimals(value)}
        return {"value": self._split(plain(value))}

    def _shell(self, line: str) -> dict[str, Any]:
        if not re.match(r"(\w+=\S* )*rankworth( |$)", line):
            subprocess.run(["bash", "-c", line], check=True)
            return {}
        status, out, error = command(line)
        exact: dict[str, Any] = {"status": status}
        if error:
            self._say(error)
            exact["slugs"] = slugs(error)
        if out:
            exact |= self._content(out, format_of(line))
        return exact

    def _content(self, content: bytes, form: str, *, file: bool = False) -> dict[str, Any]:
        """What a file or standard output holds."""
        if form in ("parquet", "arrow", "feather"):
            return {form: plain((pl.read_parquet if form == "parquet" else pl.read_ipc)(io.BytesIO(content)))}
        if form in ("png", "svg", "pdf"):
            return {"picture": form}
        if file and len(content) > LARGE:
            return {"sha256": hashlib.sha256(content).hexdigest()}
        text = content.decode()
        if form in ("json", "jsonl"):
            found = [self._split(json.loads(one)) for one in ([text] if form == "json" else text.splitlines())]
            return {form: found[0] if form == "json" else found}
        if form in ("tsv", "csv", "trec", "run", "qrels"):
            return {"lines": text.splitlines()}
        self._say(text)
        return {"numbers": decimals(text), **({"slugs in it": slugs(text)} if slugs(text) else {})}

    def _split(self, value: Any, path: str = "") -> Any:
        """JSON without its sentences, which are wording."""
        if isinstance(value, Mapping):
            return {key: self._split(part, f"{path}/{key}") for key, part in value.items()}
        if isinstance(value, list):
            return [self._split(part, f"{path}/{place}") for place, part in enumerate(value)]
        if isinstance(value, str) and (WORDS.search(path) or (path.endswith("/method") and " " in value)):
            self._say(f"{path}: {value}")
            return "..."
        return value

    def _written(self) -> dict[str, bytes]:
        before, self.seen = self.seen, self._files()
        return {path: one for path, one in sorted(self.seen.items()) if before.get(path) != one}

    def _files(self) -> dict[str, bytes]:
        found = {}
        for folder, _, files in os.walk(self.folder):
            for path in (Path(folder, name) for name in files if not folder.endswith("__pycache__")):
                if not path.is_symlink():
                    found[path.relative_to(self.folder).as_posix()] = path.read_bytes()
        return found

    def _say(self, *texts: str) -> None:
        step = len(self.outcome.exact)
        for text in texts:
            self.outcome.wording.append(f"[{step}] {text.rstrip()}")


def means(qrels: str, run: str, **settings: Any) -> dict[str, Any]:
    """The means of twelve measures that differ in kind, or the slug of what is refused."""
    prepared = rw.Qrels(qrels).to_dict(), rw.Run(run).to_frame()

    def of(names: list[str]) -> dict[str, Any]:
        try:
            return dict(rw.evaluate(*prepared, names, **settings).mean())
        except rw.RankworthError as error:
            middle = len(names) // 2
            return of(names[:middle]) | of(names[middle:]) if middle else {names[0]: error.slug}

    return of(["nDCG", "DCG", "AP", "RR", "P", "R", "F", "Rprec", "Success", "RBP", "ERR", "bpref"])


def explained(told: rw.Explanation) -> dict[str, Any]:
    """The numbers of an explanation: value = link((total + rest) / norm), term by term, and what is missing."""
    whole = told.to_dict()
    terms = [[one["rank"], one["document"], one["gain"], one["weight"], one["contribution"]] for one in whole["terms"]]
    missing = [[one["document"], one["place"], one["value"]] for one in whole["missing"]]
    keys = ("value", "raw", "total", "rest", "norm")
    return {**{key: whole[key] for key in keys}, "terms": terms, "missing": missing}


class Wording(str):
    """A text whose words are compared as wording; only its numbers are compared exactly."""

    __slots__ = ()


def neutral(text: str, folder: Path) -> str:
    """A text without the temporary folder and the version of the package."""
    text = text.replace(str(folder), "FOLDER").replace(str(_demo()), "DEMO")
    return re.sub(rf'(rankworth\\*"?[:=]? ?\\*"?){re.escape(rw.__version__)}', r"\g<1>VERSION", text)


def outcome(case: Case, session: Any = None, *, alone: bool = False) -> tuple[str, str]:
    """Run a case: what is compared exactly, as JSON, and its wording."""
    if case.title.endswith(OWN) and not alone:
        with ProcessPoolExecutor(1, mp_context=FRESH) as process:
            return process.submit(partial(outcome, alone=True), case).result()
    with workspace() as folder:
        run = Run(folder, session)
        for step in case.steps:
            run.step(step)
        exact = "[" + ",\n ".join(printed(one, 1) for one in run.outcome.exact) + "]"
        wording = "\n".join(run.outcome.wording) if IN_WORDS in case.title else ""
        return neutral(exact, folder), neutral(wording, folder)
