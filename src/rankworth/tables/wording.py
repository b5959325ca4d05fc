"""Names of runs and queries in sentences, in whatever direction they are written."""

from collections.abc import Mapping, Sequence
from typing import Any

from rankworth.tables.look import visible


def named(queries: Sequence[Any], texts: Mapping[str, str]) -> str:
    """Name the first of several queries, by what they say where that is known."""
    named = [
        f"{isolated(texts[query])} ({named_alone(query)})" if texts.get(query) else named_alone(query)
        for query in map(str, queries[:3])
    ]
    return f", such as {', '.join(named)}" if len(queries) > len(named) else f": {', '.join(named)}" if named else ""


def isolated(text: str) -> str:
    """Return a text that keeps its direction within a sentence, and turns nothing around it."""
    return f"\N{FIRST STRONG ISOLATE}{visible(text)}\N{POP DIRECTIONAL ISOLATE}"


def named_alone(name: str) -> str:
    """Return an id or the name of a run, isolated unless it is plain ASCII, which keeps its direction by itself."""
    return visible(name) if name.isascii() else isolated(name)
