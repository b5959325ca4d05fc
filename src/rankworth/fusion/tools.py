"""Fusion as a named tool does it: `--like qdrant`; which tools there are, and what each takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from rankworth.errors import InputError, UsageError
from rankworth.fusion import engines, libraries
from rankworth.fusion.definition import Fusion, checked_weights, unknown
from rankworth.fusion.ranx import RANX
from rankworth.fusion.steps import Steps, with_limits
from rankworth.fusion.tool import Tool, ToolMethod, checked
from rankworth.io.validate import is_number

_ALL: Final = (
    engines.ELASTICSEARCH,
    engines.OPENSEARCH,
    libraries.QDRANT,
    engines.QDRANT_SERVER,
    engines.MILVUS,
    engines.WEAVIATE,
    engines.CHROMA,
    engines.VESPA,
    libraries.LANCEDB,
    libraries.LLAMA_INDEX,
    libraries.HAYSTACK,
    libraries.LANGCHAIN,
    libraries.TXTAI,
    libraries.MTEB,
    RANX,
    libraries.PYSERINI,
    libraries.TRECTOOLS,
    libraries.PYTERRIER,
    libraries.AUTORAG,
)
TOOLS: Final[Mapping[str, Tool]] = {tool.name: tool for tool in _ALL}
"""The tools by name."""
PAPER: Final = "paper"
"""the name of reciprocal rank fusion as it was published: the default here"""
_OF_NAME: Final = {_name: tool for tool in _ALL for _name in (tool.name, *tool.aliases)}
_OPTIONS: Final = ("k", "phi", "gamma", "sigma", "alpha", "minimum", "num_queries", "similarities")
"""parameters of tools, beside norm, weights, depth and top"""
_SPELLINGS: Final = {"min_max": "min-max", "min_max_inverted": "min-max-inverted", "null": "none", "minmax": "minmax"}


@dataclass(frozen=True)
class ToolFusion:
    """A fusion as a tool does it.

    Attributes:
        tool: the tool.
        kind: its method.
        parameters: values of all its parameters.
        run_weights: weights as they are given; None where none are.
        depth: how many documents of each list are looked at; all where None.
        top: how many documents of each query are kept; all where None.

    """

    tool: Tool
    kind: ToolMethod
    parameters: Mapping[str, Any]
    run_weights: tuple[float, ...] | None = None
    depth: int | None = None
    top: int | None = None

    @cached_property
    def steps(self) -> Steps:
        """What is done."""
        return with_limits(self.kind.steps(self.parameters), self.depth, self.top)

    def weights(self, runs: int) -> tuple[float, ...]:
        """Return the weight of each run, as the tool makes it.

        Args:
            runs: how many there are.

        Raises:
            InputError: `bad-weight`.
            UsageError: `conflicting-options`.

        """
        self._count(runs)
        if "similarities" in self.parameters:
            engines.refuse_similarities(self.parameters["similarities"], runs)
        return checked(self.tool.name, self.kind, self.run_weights, runs)

    def _count(self, runs: int) -> None:
        most, least = self.kind.runs or runs, self.kind.least_runs
        if not least <= runs <= most:
            needed = (
                f"{least} runs"
                if least == most
                else f"{least} runs at least"
                if runs < least
                else f"{most} runs at most"
            )
            text = f"{self.kind.name} of {self.tool.name} takes {needed}, and there are {runs}"
            raise UsageError("conflicting-options", text, remedy="give as many, or take another method")

    def refuse_runs(self, empty: Mapping[str, bool]) -> None:
        """Refuse runs without a row, where the tool does.

        Args:
            empty: by the name of each run, whether it has none.

        Raises:
            InputError: `refused-input`.

        """
        for name in [name for name, is_empty in empty.items() if is_empty and self.kind.refuses_no_rows]:
            text = f"{name} has no document, for which {self.tool.name} raises {self.kind.refuses_no_rows}"
            raise InputError("refused-input", text, remedy="leave the run out")

    def refuse_empty(self, run: str, query: str) -> None:
        """Refuse a query without a document in a run, if the tool does.

        Args:
            run: the name of the run.
            query: the id of the query.

        Raises:
            InputError: `refused-input`.

        """
        if error := self.kind.refuses_empty.get(self.parameters.get("norm", ""), ""):
            text = f"{run} has no document for query {query}, for which {self.tool.name} raises {error}"
            raise InputError("refused-input", text, remedy="without --like (like=...) such queries are fused")

    def __str__(self) -> str:
        """Write tool, method and what is set of it."""
        shown = dict(self.parameters)
        shown |= {} if self.run_weights is None else {"run_weights": self.run_weights}
        shown |= {name: value for name, value in (("depth", self.depth), ("top", self.top)) if value is not None}
        inner = ",".join(f"{name}={_plain(value)}" for name, value in shown.items())
        return f"{self.tool.name}:{self.kind.name}({inner})" if inner else f"{self.tool.name}:{self.kind.name}"


Definition = Fusion | ToolFusion
"""A fusion of ours, or of a tool."""


def is_tool(name: str) -> bool:
    """Return whether a tool has a name, or is the paper of reciprocal rank fusion."""
    return name.lower() in _OF_NAME or name.lower() == PAPER


def like(tool: str, method: str = "", *, norm: str | None = "", **options: Any) -> Definition:  # noqa: ANN401 - values of parameters
    """Define the fusion of a tool.

    Args:
        tool: its name, `paper` for reciprocal rank fusion as it was published.
        method: what the tool calls its method, or `rrf`; that of reciprocal ranks where empty.
        norm: what the tool calls its norm; its default where empty, none where None.
        **options: its parameters, `run_weights`, `depth` and `top`; None where not said.

    Raises:
        UsageError: `unknown-setting`, `conflicting-options`.
        InputError: `bad-weight`.

    """
    options.setdefault("similarities", options.pop("metrics", None))  # as Milvus calls them
    chosen = {name: value for name, value in options.items() if value is not None}
    if tool.lower() == PAPER:
        if method not in ("", "rrf") or norm:
            raise UsageError("conflicting-options", "the paper has one method, rrf, and it takes no norm")
        return Fusion.of("rrf", **chosen)
    known = _OF_NAME.get(tool.lower())
    if known is None:
        raise unknown("tool", tool, [*TOOLS, PAPER], _OF_NAME)
    kind, in_name = known.method(method) if method else (known.methods[0], "")
    parameters = {**kind.parameters}
    if kind.norms:
        parameters["norm"] = _norm(known, kind, in_name, "none" if norm is None else norm)
    elif norm:
        raise UsageError("conflicting-options", f"{kind.name} of {known.name} takes no norm, and {norm} is named")
    weights = chosen.pop("run_weights", None)
    depth, top = (_whole(name, chosen.pop(name, None)) for name in ("depth", "top"))
    for name, value in chosen.items():
        if name not in parameters and name not in kind.needed:
            having = [*kind.parameters, *kind.needed, *(["norm"] if kind.norms else [])]
            has = f"it has {' '.join(having)}" if having else "it has no parameter"
            raise UsageError("conflicting-options", f"{name}={value}: {kind.name} of {known.name} has no {name}; {has}")
        parameters[name] = value if name in ("similarities", "minimum") else _number(name, value)
    given = {*chosen, *(["run_weights"] if weights is not None else [])}
    if lacking := [name for name in kind.needed if name not in given]:
        options_of = ", ".join(f"--{name.replace('_', '-')} ({name}=...)" for name in lacking)
        raise UsageError(
            "unknown-setting", f"{kind.name} of {known.name} has no default of {' '.join(lacking)}", remedy=options_of
        )
    return ToolFusion(known, kind, parameters, None if weights is None else checked_weights(weights), depth, top)


def _norm(tool: Tool, kind: ToolMethod, in_name: str, norm: str) -> str:
    """Choose the norm of a method: as its name or the option tells, or the default."""
    if in_name and norm and in_name != norm:
        raise UsageError(
            "conflicting-options", f"{kind.name} is named with the norm {in_name}, and norm={norm} beside it"
        )
    chosen = in_name or norm or kind.norms[0]
    chosen = chosen if chosen in kind.norms else _SPELLINGS.get(chosen, chosen)
    if chosen not in kind.norms:
        text = f"{kind.name} of {tool.name} has no norm {norm!r}; it has {' '.join(kind.norms)}"
        raise UsageError("unknown-setting", text)
    return chosen


def _number(name: str, value: object) -> float:
    if not is_number(value):
        raise UsageError("unknown-setting", f"{name}={value!r}: {name} is a number")
    return float(value) if not float(value).is_integer() else int(value)  # type: ignore[arg-type, call-overload]


def _whole(name: str, value: object) -> int | None:
    if value is None:
        return None
    if not is_number(value) or float(value) < 1 or not float(value).is_integer():  # type: ignore[arg-type]
        raise UsageError("unknown-setting", f"{name}={value!r}: {name} is a whole number from 1")
    return int(value)  # type: ignore[call-overload, no-any-return]


def _plain(value: object) -> str:
    """Write a value of a parameter."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "/".join(map(_plain, value))
    return (
        f"{value:.17g}"
        if isinstance(value, float) and value != round(value, 6)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )
