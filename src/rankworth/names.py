"""From text to measures and facts and back: `nDCG(gain=exp2)@10`, other spellings of it, and what was probably meant.

    measure   = name [ "(" parameter { "," parameter } ")" ] [ "@" cutoff ]  |  "gmean(" measure ")"
    parameter = word "=" ( number | word | "[" number { "," number } "]" | "{" grade ":" gain { "," ... } "}" )

Every measure has one canonical spelling, `str(measure)`; `parse(str(measure)) == measure`. What other tools call
measures stands in `spellings`.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from rankworth import spellings
from rankworth.errors import MeasureError
from rankworth.measures import CATALOGUE, FACTS, Fact, Measure, gmean
from rankworth.tables.columns import Kind

Quantity = Measure | Fact
"""What can be asked of a run: a measure, or a fact that is counted."""

_NAME: Final = re.compile(
    r"\s*(?P<name>[^\W\d][\w-]*?)(?:_(?P<suffix>\d+))?\s*(?:\((?P<inside>.*)\))?\s*(?:@\s*(?P<k>.*?))?\s*"
)
_GMEAN: Final = re.compile(r"\s*gmean\s*\((?P<of>.*)\)\s*")
_OPEN, _CLOSE = "({[", "]})"
_OBJECTS: Final = "ir_measures"
"""the package whose measure objects are read by their `str()`"""
_LIKE: Final = 0.5
"""how alike, between 0 and 1, a name must be to be what was meant"""


def parse(text: str) -> Quantity:
    """The measure or fact that a text names, in any spelling that is known.

    Raises:
        MeasureError: `unknown-measure`, `measure-syntax`, `unknown-parameter`, `bad-parameter`, `bad-cutoff`.

    >>> parse("ndcg_cut_10"), parse("MAP"), parse("nDCG( gain = {1:1, 2:3} )@5")
    (nDCG@10, AP, nDCG(gain={1: 1, 2: 3})@5)
    """
    found = _several(_expected(text))
    if len(found) > 1:
        names = f"{', '.join(map(str, found[:3]))}{', ...' if found[3:] else ''}"
        raise MeasureError("measure-syntax", f"{text!r} stands for {len(found)} measures: {names}; name one of them")
    return found[0]


def several(measures: object) -> list[Any]:
    """What is asked for as a list; a name, or whatever is none, as a list of one.

    Args:
        measures: one, or several.

    """
    is_one = isinstance(measures, str) or not isinstance(measures, Iterable)
    return [measures] if is_one else list(measures)  # type: ignore[call-overload]


def parse_all(texts: Iterable[object], *, rel: float | None = None) -> list[Quantity]:
    """All measures of a list, each once, or one error that names every mistake in it.

    Args:
        texts: as for `parse_named`.
        rel: as for `parse_named`.

    Raises:
        MeasureError: as `parse`; `no-measures`.

    """
    return list(dict.fromkeys(quantity for _, quantity in parse_named(texts, rel=rel)))


def parse_named(texts: Iterable[object], *, rel: float | None = None) -> list[tuple[str, Quantity]]:
    """All measures of a list with the names that they were asked for by, each pair once.

    A name that stands for several of trec_eval's measures, such as `official` or `P.5,10`, gives each under the name
    that trec_eval prints; a measure goes by its canonical name, and a measure object of ir_measures by what it prints.

    Args:
        texts: names, measures, facts, or measure objects of ir_measures.
        rel: the grade from which documents count as relevant, for measures that do not say it themselves.

    Raises:
        MeasureError: as `parse`; `no-measures`.

    >>> parse_named(["MRR", "P.5,10"])
    [('MRR', RR), ('P_5', P@5), ('P_10', P@10)]
    """
    found: dict[tuple[str, Quantity], None] = {}
    errors: list[MeasureError] = []
    texts = several(texts)
    besides = frozenset(spellings.dotted(text)[0] for text in texts if isinstance(text, str)) - {""}
    for text in texts:
        try:
            name = str(text) if isinstance(text, Measure | Fact) else _expected(text)
            some = (text,) if isinstance(text, Measure | Fact) else _parsed(name, besides, _catalogue())
            for one in some:
                quantity = _from(one, rel, name)
                found[name.strip() if len(some) == 1 else _printed(quantity, rel), quantity] = None
        except MeasureError as error:
            errors.append(error)
    if errors:
        raise MeasureError.together(errors)
    if not found:
        raise MeasureError("no-measures", "the list of measures is empty", remedy="for example: nDCG@10 RR AP")
    return list(found)


def place(wanted: object, labels: Sequence[str], measures: Sequence[str]) -> int | None:
    """Which of some columns holds a measure, by any of its names; None where there is none.

    Args:
        wanted: the name that the column was asked for by, or another one of its measure, or the measure itself.
        labels: the names that the columns were asked for by.
        measures: their canonical names.

    Raises:
        MeasureError: as `parse`.

    >>> place("mrr", ["ndcg_cut_10", "RR"], ["nDCG@10", "RR"]), place("AP", ["MAP"], ["AP(rel=2)"])
    (1, 0)
    """
    name = _expected(wanted) if not isinstance(wanted, Measure | Fact) else str(wanted)
    if name.strip() in labels:
        return labels.index(name.strip())
    if name in measures:
        return measures.index(name)
    quantity = parse(name)
    if str(quantity) in measures:
        return measures.index(str(quantity))
    for column, (label, measure) in enumerate(zip(labels, measures, strict=True)):
        if (rel := raised(label, measure)) is not None and str(_from(quantity, rel, name)) == measure:
            return column
    return None


def raised(label: str, measure: str) -> float | None:
    """The grade from which documents are relevant to a measure, where its name does not say it; else None.

    Args:
        label: the name that the measure was asked for by.
        measure: its canonical name.

    >>> raised("MAP", "AP(rel=2)"), raised("AP(rel=2)", "AP(rel=2)")
    (2, None)
    """
    if label == measure:
        return None
    try:
        rel = parse(measure).parameters.get("rel")
        return rel if parse(label).parameters.get("rel", rel) != rel else None
    except MeasureError:
        return None


def kind_of(quantity: Quantity) -> Kind:
    """What is counted is a count, a value between 0 and 1 a share, which percent suits."""
    return "count" if isinstance(quantity, Fact) else "share" if quantity.definition.range == (0, 1) else "value"


def separated(text: str) -> list[str]:
    """Several measures with blanks between them, one by one.

    >>> separated("P@5 AP(rel=2, norm=found)@10")
    ['P@5', 'AP(rel=2, norm=found)@10']
    """
    return [part for part in _split(text, " ") if part]


def find(name: str) -> Quantity | None:
    """The measure or fact of a name or an alias, in whatever case."""
    exact: Quantity | None = CATALOGUE.get(name) or FACTS.get(name)
    return exact if exact is not None else _spellings(_catalogue()).get(_folded(name))


def written_for_trec(texts: Iterable[str], rel: float | None = None) -> dict[Quantity, str]:
    """The names that trec_eval prints for measures whose values it prints as they were typed: `utility_2,-1,0,0`.

    Args:
        texts: as they were typed.
        rel: as for `parse_all`.

    """
    split = [(text, *spellings.dotted(text)) for text in texts]
    return {
        _from(parse(text), rel, text): f"{name}_{values}"
        for text, name, values in split
        if name and spellings.TREC_EVAL[name].takes in ("numbers", "pairs")
    }


def trec_name(quantity: Quantity, rel: float | None = None) -> tuple[int, str] | None:
    """Where trec_eval prints a measure and how it calls it; None where it has no such measure.

    Args:
        quantity: the measure.
        rel: the level of relevance that trec_eval would be called with, and would not print.

    """
    settings = dict(quantity.settings)
    if rel is not None and "rel" in quantity.parameters:
        settings["rel"] = quantity.parameters["rel"]
        if settings["rel"] == rel:
            del settings["rel"]
    bare = replace(quantity, settings=tuple(pair for pair in settings.items() if pair[0] == "norm"))
    changed = {name: value for name, value in settings.items() if name != "norm"}
    base = str(bare)
    if isinstance(quantity, Measure):
        base = str(replace(bare, cutoff=None)) if not quantity.definition.at else quantity.name
        if quantity.definition.at:
            changed[quantity.definition.at] = quantity.parameters[quantity.definition.at]
        elif quantity.cutoff is not None:
            changed["@"] = quantity.cutoff
    return spellings.trec_name(base, changed, dict(quantity.parameters))


def _several(text: str, besides: Collection[str] = ()) -> tuple[Quantity, ...]:
    """All that a text stands for, beside names of trec_eval that have their own values."""
    wrapped = _GMEAN.fullmatch(text)
    if wrapped is not None:
        return (gmean(parse(wrapped["of"])),)
    if text.strip() in spellings.NOT_HERE:
        message = f"{text.strip()!r} stands for measures of trec_eval that need preferences or several assessors"
        raise MeasureError("unknown-measure", f"{message}; rankworth does not have them")
    translated = spellings.translate(text.strip(), besides)
    if translated is None:
        return (_one(text),)
    try:
        return tuple(map(_one, translated))
    except MeasureError as error:
        problems = (f"{text.strip()!r}: {problem}" for problem in error.problems)
        raise MeasureError(error.slug, *problems, remedy=error.remedy) from None


def _apart(text: str) -> str:
    """How several measures are given, where commas stand between them."""
    several = [part.strip() for part in re.split(r"[,;](?![^()]*\))", text)]
    return f"several measures stand apart: -m {shlex.join(several)}, in Python {several!r}" if several[1:] else ""


def _one(text: str) -> Quantity:
    """The one quantity that a text in our own syntax names."""
    wrapped = _GMEAN.fullmatch(text)
    if wrapped is not None:
        return gmean(_one(wrapped["of"]))
    match = _NAME.fullmatch(text)
    if match is None:
        problem = f"{text!r} is not written as a measure, like nDCG@10 or P(rel=2)@5"
        raise MeasureError("measure-syntax", problem, remedy=_apart(text))
    pairs = list(_parameters(text, match["inside"])) if match["inside"] else []
    if len(dict(pairs)) < len(pairs):
        raise MeasureError("measure-syntax", f"{text!r}: a parameter is given twice")
    name, settings, cutoff = spellings.native(match["name"], dict(pairs))
    suffix = match["suffix"]
    found = _named(name)
    if found is None and suffix is not None:
        found, suffix = _named(f"{match['name']}_{suffix}"), None
    if found is None:
        raise MeasureError("unknown-measure", _unknown(match["name"]))
    if settings:
        found = found(**settings)
    cutoffs = [given for given in (match["k"], suffix, cutoff) if given is not None]
    if len(cutoffs) > 1:
        raise MeasureError("measure-syntax", f"{text!r}: the cutoff is given twice")
    return _cut(text, found, cutoffs[0]) if cutoffs else found


def _cut(text: str, found: Quantity, at: Any) -> Measure:  # noqa: ANN401 - text or number
    if not isinstance(found, Measure):
        told = f"{text!r}: {found.name} is counted over all that was retrieved; use --depth N (depth=N)"
        raise MeasureError("bad-cutoff", told)
    if found.definition.at:
        if found.definition.at in dict(found.settings):
            raise MeasureError("measure-syntax", f"{text!r}: {found.definition.at} is given twice")
        if at == "":
            domain = found.definition.parameters[found.definition.at].domain()
            raise MeasureError("bad-parameter", f"{text!r}: after @ stands the {found.definition.at}, {domain}")
        return found(**{found.definition.at: _value(text, str(at))})
    number = f"{at:g}" if isinstance(at, float) else str(at)
    if not number.isdecimal() or not int(number):
        late = re.fullmatch(r"(\d+)(\(.*\))", number)
        remedy = f"parameters stand before the cutoff: {found.name}{late[2]}@{late[1]}" if late else _apart(text)
        raise MeasureError("bad-cutoff", f"{text!r}: a cutoff is a whole number from 1, not {number!r}", remedy=remedy)
    return found @ int(number)


def _named(name: str) -> Quantity | None:
    """The quantity of a name, by any of our own spellings, or by what another tool calls it."""
    if name in CATALOGUE or name in FACTS:
        return find(name)
    means = next((names[name] for names in spellings.TOOLS.values() if name in names), None)
    if means is None or _folded(means) == _folded(name):
        found, means = find(name), _elsewhere().get(_folded(name))
        if found is not None or means is None or _folded(means) == _folded(name):
            return found
    return _one(means)


def _printed(quantity: Quantity, rel: float | None) -> str:
    """What trec_eval calls one of several measures that a name of it stands for."""
    known = trec_name(quantity, rel)
    return known[1] if known is not None else str(quantity)


def _from(quantity: Quantity, rel: float | None, text: str) -> Quantity:
    """The same from a grade on, unless it says its own, or has gains between 0 and 1 by a scale of grades."""
    if rel is None or "rel" not in quantity.parameters or quantity.parameters.get("max_grade") is not None:
        return quantity
    says = "rel" in dict(quantity.settings) or re.search(r"\brel\s*=|-l\d", text) is not None
    return quantity if says else quantity(rel=rel)


def _expected(text: object) -> str:
    if isinstance(text, str):
        return text
    if type(text).__module__.partition(".")[0] == _OBJECTS:
        return str(text)
    raise MeasureError("measure-syntax", f"{text!r} is {type(text).__name__}; measures are texts or measure objects")


def _catalogue() -> tuple[int, ...]:
    """Tells one state of the catalogue from another, for what is remembered of it."""
    return tuple(map(id, (*CATALOGUE.values(), *FACTS.values())))


@lru_cache(maxsize=1024)
def _parsed(text: str, besides: frozenset[str], _state: tuple[int, ...]) -> tuple[Quantity, ...]:
    return _several(text, besides)


@lru_cache(maxsize=8)
def _spellings(_state: tuple[int, ...]) -> dict[str, Quantity]:
    """Names before aliases, so that no alias takes a name away."""
    quantities: list[Quantity] = [*CATALOGUE.values(), *FACTS.values()]
    table: dict[str, Quantity] = {}
    for one in quantities:
        table.setdefault(_folded(one.name), one)
    for one in quantities:
        for alias in one.definition.aliases:
            table.setdefault(_folded(alias), one)
    return table


@lru_cache(maxsize=1)
def _elsewhere() -> dict[str, str]:
    table: dict[str, str] = {}
    for names in spellings.TOOLS.values():
        for name, means in names.items():
            table.setdefault(_folded(name), means)
    return table


def _folded(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")


def _unknown(name: str) -> str:
    import difflib  # noqa: PLC0415 - only for a message

    if (said := spellings.UNMEASURED.get(_folded(name))) is not None:
        return f"no measure is called {name!r}; {said}"
    if (misspelt := _misspelt(name)) is not None:
        return f"no measure is called {name!r}; did you mean {misspelt}?"
    known = [spelling for one in (CATALOGUE | FACTS).values() for spelling in (one.name, *one.definition.aliases)]
    known += [*spellings.NICKNAMES, *(spelling for names in spellings.TOOLS.values() for spelling in names)]

    def like(spelling: str) -> float:
        """Between 0 and 1; letters in another order are as good as the word."""
        ours, theirs = _folded(spelling), _folded(name)
        return 1.0 if sorted(ours) == sorted(theirs) else difflib.SequenceMatcher(None, theirs, ours).ratio()

    meant = max(known, key=like)
    if like(meant) < _LIKE:
        return f"no measure is called {name!r}; there are {', '.join(CATALOGUE)}"
    canonical = meant if meant in spellings.NICKNAMES else str(_named(meant))
    return f"no measure is called {name!r}; did you mean {meant}?" + (f" ({canonical})" if meant != canonical else "")


def _misspelt(name: str) -> Measure | None:
    """A name that is right but for the way in which a cutoff or a geometric mean is written."""
    cut = re.fullmatch(r"(.*?\D)(\d+)", name)
    mean = re.fullmatch(r"gm_(.*)", name)
    written = cut or mean
    found = _named(written[1]) if written else None
    if not isinstance(found, Measure):
        return None
    try:
        return _cut(name, found, cut[2]) if cut else gmean(found)
    except MeasureError:
        return None


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
            gains = [(float(grade), float(gain)) for grade, _, gain in pairs]
        except ValueError:
            raise MeasureError("measure-syntax", f"{text!r}: gains by grade are written {{1: 1, 2: 3}}") from None
        if len(dict(gains)) < len(gains):
            raise MeasureError("measure-syntax", f"{text!r}: a grade is given twice")
        return dict(gains)
    if value.startswith("[") and value.endswith("]"):
        inside = value[1:-1].strip()
        return [_value(text, part.strip() or "nothing") for part in _split(inside, ",")] if inside else []
    if value[0] in "'\"" and value[-1] == value[0] and len(value) > 1:
        return value[1:-1]
    if value in _WORDS:
        return _WORDS[value]
    try:
        return value if "_" in value else float(value)
    except ValueError:
        return value


_WORDS: Final = {"None": None, "True": True, "False": False}


def _split(text: str, separator: str) -> Iterator[str]:
    """Parts between separators that are not inside brackets."""
    depth = start = 0
    for place, character in enumerate(text):
        depth += (character in _OPEN) - (character in _CLOSE)
        if character == separator and not depth:
            yield text[start:place]
            start = place + 1
    yield text[start:]
