"""From text to measures and back: `nDCG(gain=exp2)@10`, other spellings of it, and what was probably meant.

    measure  = name [ "(" parameter { "," parameter } ")" ] [ "@" cutoff ]
    parameter = word "=" ( number | word | "{" grade ":" gain { "," grade ":" gain } "}" )

Every measure has one canonical spelling, `str(measure)`; `parse(str(measure)) == measure`.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from rankworth.errors import MeasureError
from rankworth.measures import CATALOGUE, Measure

_NAME: Final = re.compile(
    r"\s*(?P<name>[^\W\d][\w-]*?)(?:_(?P<suffix>\d+))?\s*(?:\((?P<inside>.*)\))?\s*(?:@\s*(?P<k>.*?))?\s*"
)
_OPEN, _CLOSE = "({", ")}"


def parse(text: str) -> Measure:
    """The measure that a text names, in any spelling that is known.

    Raises:
        MeasureError: `unknown-measure`, `measure-syntax`, `unknown-parameter`, `bad-parameter`, `bad-cutoff`.

    >>> parse("ndcg_cut_10"), parse("MAP"), parse("nDCG( gain = {1:1, 2:3} )@5")
    (nDCG@10, AP, nDCG(gain={1: 1, 2: 3})@5)
    """
    match = _NAME.fullmatch(text)
    if match is None:
        raise MeasureError("measure-syntax", f"{text!r} is not written as a measure, like nDCG@10 or P(rel=2)@5")
    found = find(match["name"])
    if found is None and match["suffix"] is not None:
        found = find(f"{match['name']}_{match['suffix']}")
        suffix = None
    else:
        suffix = match["suffix"]
    if found is None:
        raise MeasureError("unknown-measure", _unknown(match["name"]))
    if match["inside"]:
        pairs = list(_parameters(text, match["inside"]))
        if len(dict(pairs)) < len(pairs):
            raise MeasureError("measure-syntax", f"{text!r}: a parameter is given twice")
        found = found(**dict(pairs))
    if match["k"] is not None and suffix is not None:
        raise MeasureError("measure-syntax", f"{text!r}: the cutoff is given twice")
    cutoff = match["k"] if match["k"] is not None else suffix
    if cutoff is None:
        return found
    if not cutoff.isdecimal() or not int(cutoff):
        raise MeasureError("bad-cutoff", f"{text!r}: a cutoff is a whole number from 1, not {cutoff!r}")
    return found @ int(cutoff)


def parse_all(texts: Iterable[str | Measure]) -> list[Measure]:
    """All measures of a list, each once, or one error that names every mistake in it.

    Raises:
        MeasureError: as `parse`; `no-measures`.

    """
    measures: dict[Measure, None] = {}
    errors: list[MeasureError] = []
    for text in texts:
        try:
            measures[text if isinstance(text, Measure) else _parsed(_expected(text), _catalogue())] = None
        except MeasureError as error:
            errors.append(error)
    if errors:
        raise MeasureError.together(errors)
    if not measures:
        raise MeasureError("no-measures", "the list of measures is empty", remedy="for example: nDCG@10 RR AP")
    return list(measures)


def find(name: str) -> Measure | None:
    """The measure of a name or an alias, in whatever case."""
    exact = CATALOGUE.get(name)
    return exact if exact is not None else _spellings(_catalogue()).get(_folded(name))


def _expected(text: object) -> str:
    if isinstance(text, str):
        return text
    raise MeasureError("measure-syntax", f"{text!r} is {type(text).__name__}; measures are texts or measure objects")


def _catalogue() -> tuple[int, ...]:
    """Tells one state of the catalogue from another, for what is remembered of it."""
    return tuple(map(id, CATALOGUE.values()))


@lru_cache(maxsize=1024)
def _parsed(text: str, _state: tuple[int, ...]) -> Measure:
    return parse(text)


@lru_cache(maxsize=8)
def _spellings(_state: tuple[int, ...]) -> dict[str, Measure]:
    table: dict[str, Measure] = {}
    for name, measure in CATALOGUE.items():
        for spelling in (name, *measure.definition.aliases):
            table.setdefault(_folded(spelling), measure)
    return table


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")


def _unknown(name: str) -> str:
    import difflib  # noqa: PLC0415 - only for a message

    table = _spellings(_catalogue())
    known = {spelling: spelling for key in CATALOGUE for spelling in (key, *CATALOGUE[key].definition.aliases)}
    by_fold = {_folded(spelling): spelling for spelling in reversed(known)}
    close = difflib.get_close_matches(_folded(name), by_fold, n=1, cutoff=0.5)
    if not close:
        return f"no measure is called {name!r}; there are {', '.join(CATALOGUE)}"
    meant, canonical = by_fold[close[0]], table[close[0]].name
    return f"no measure is called {name!r}; did you mean {meant}?" + (f" ({canonical})" if meant != canonical else "")


def _parameters(text: str, inside: str) -> Iterator[tuple[str, Any]]:
    for part in _split(inside, ","):
        name, equals, value = part.partition("=")
        if not equals or not name.strip().isidentifier() or not value.strip():
            raise MeasureError("measure-syntax", f"{text!r}: a parameter is written name=value, not {part.strip()!r}")
        yield name.strip(), _value(text, value.strip())


def _value(text: str, value: str) -> Any:  # noqa: ANN401 - what parameters take
    if value.startswith("{") and value.endswith("}"):
        pairs = [pair.partition(":") for pair in _split(value[1:-1], ",")]
        try:
            return {float(grade): float(gain) for grade, _, gain in pairs}
        except ValueError:
            raise MeasureError("measure-syntax", f"{text!r}: gains by grade are written {{1: 1, 2: 3}}") from None
    if value[0] in "'\"" and value[-1] == value[0] and len(value) > 1:
        return value[1:-1]
    if value == "None":
        return None
    try:
        return value if "_" in value else float(value)
    except ValueError:
        return value


def _split(text: str, separator: str) -> Iterator[str]:
    """Parts between separators that are not inside brackets."""
    depth = start = 0
    for place, character in enumerate(text):
        depth += (character in _OPEN) - (character in _CLOSE)
        if character == separator and not depth:
            yield text[start:place]
            start = place + 1
    yield text[start:]
