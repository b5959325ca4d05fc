"""From text to measures and facts and back: `nDCG(gain=exp2)@10`, other spellings of it, and what was probably meant.

    measure   = name [ "(" parameter { "," parameter } ")" ] [ "@" cutoff ]  |  ( "gmean" | "micro" ) "(" measure ")"
    parameter = word "=" ( number | word | "[" number { "," number } "]" | "{" grade ":" gain { "," ... } "}" )

Every measure has one canonical spelling, `str(measure)`; `parse(str(measure)) == measure`. What other tools call
measures stands in `profiles/spellings.toml`; a name that means something else here is in no table (`P` alone is the
precision of all that was retrieved here, and at nine cutoffs in trec_eval).
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from rankworth.errors import MeasureError, shortened
from rankworth.measures import CATALOGUE, FACTS, ITEM_MEASURES, Fact, Measure, gmean, micro, registered
from rankworth.measures.budget import UNITS, Budget
from rankworth.spellings import (
    AMBIGUOUS,
    MEANT,
    NICKNAMES,
    NOT_HERE,
    PARAMETERS,
    TOOLS,
    TREC_EVAL,
    UNMEASURED,
    TrecName,
    folded,
    translate,
    trec_values,
    undefined_here,
)
from rankworth.tables.columns import Kind

Quantity = Measure | Fact
"""What can be asked of a run: a measure, or a fact that is counted."""


_NAME: Final = re.compile(
    r"\s*(?P<name>[^\W\d][\w-]*?)(?:_(?P<suffix>\d+))?\s*(?:\((?P<inside>.*)\))?\s*(?:@\s*(?P<k>.*?))?\s*"
)
_CUTOFF: Final = rf"\s*[\d.]+(?:{'|'.join(UNITS)})?\s*"
_CUTOFFS: Final = re.compile(rf"(?P<measure>[^@]+)@(?P<cutoffs>{_CUTOFF}(?:,{_CUTOFF})+)")
_ZERO_WIDTH: Final = "\u200b"
"""what Markdown has within `R(rel=2)@100`, so that it calls nobody, and what is copied out of it, therefore"""
_WRAPPED: Final = re.compile(r"\s*(?P<mean>gmean|micro)\s*\((?P<of>.*)\)\s*")
_CALLED: Final = {"gmean": "a geometric mean", "micro": "a pooled mean"}
_MEANS: Final = {"gmean": gmean, "micro": micro}
_FORMS: Final = {"log2": "linear", "exp-log2": "exp2"}
"""what ir_measures calls the forms of DCG, and which gains they have here"""
_OBJECTS: Final = "ir_measures"
"""the package whose measure objects are read by their `str()`"""
_LONGEST_WORD: Final = 200


def parse(text: str) -> Quantity:
    """Parse the measure or fact of a name, in any known spelling.

    Raises:
        MeasureError: `unknown-measure`, `measure-syntax`, `unknown-parameter`, `bad-parameter`, `bad-cutoff`.

    >>> parse("ndcg_cut_10"), parse("MAP"), parse("nDCG( gain = {1:1, 2:3} )@5")
    (nDCG@10, AP, nDCG(gain={1: 1, 2: 3})@5)
    """
    quantities = [quantity for spelling in _at_each_cutoff(_text(text)) for quantity in _quantities(spelling)]
    if len(quantities) > 1:
        shown = f"{', '.join(map(str, quantities[:3]))}{', ...' if quantities[3:] else ''}"
        text = f"{text!r} stands for {len(quantities)} measures: {shown}; name one of them"
        raise MeasureError("measure-syntax", text)
    return quantities[0]


def measure_of(text: str) -> Measure | None:
    """Return the measure of a name; None for facts and for names that only a profile knows.

    >>> measure_of("MAP"), measure_of("NumRel")
    (AP, None)
    """
    with suppress(MeasureError):
        quantity = parse(text)
        return quantity if isinstance(quantity, Measure) else None
    return None


def several(measures: object) -> list[Any]:
    """Return what is asked for as a list; a single measure, or whatever is none, as a list of one.

    Args:
        measures: one, or several.

    """
    is_single = isinstance(measures, str) or not isinstance(measures, Iterable)
    return [measures] if is_single else list(measures)  # type: ignore[call-overload]


def parse_all(texts: Iterable[object], *, rel: float | None = None) -> list[Quantity]:
    """Parse all measures of a list, each once; raise one error that names every mistake in it.

    Args:
        texts: as for `parse_named`.
        rel: as for `parse_named`.

    Raises:
        MeasureError: as `parse`; `no-measures`.

    """
    return list(dict.fromkeys(quantity for _, quantity in parse_named(texts, rel=rel)))


def parse_named(texts: Iterable[object], *, rel: float | None = None) -> list[tuple[str, Quantity]]:
    """Parse all measures of a list with the names that they were asked for by, each pair once.

    A name that stands for several of trec_eval's measures, such as `official` or `P.5,10`, gives each under the name
    that trec_eval prints; `R@1,10` gives `R@1` and `R@10`; a measure goes by its canonical name, and a measure object
    of ir_measures by what it prints.

    Args:
        texts: names, measures, facts, or measure objects of ir_measures.
        rel: the grade from which documents count as relevant, for measures that do not say it themselves.

    Raises:
        MeasureError: as `parse`; `no-measures`.

    >>> parse_named(["MRR", "P.5,10"])
    [('MRR', RR), ('P_5', P@5), ('P_10', P@10)]
    >>> parse_named("R@1,10")
    [('R@1', R@1), ('R@10', R@10)]
    """
    named: dict[tuple[str, Quantity], None] = {}
    errors: list[MeasureError] = []
    single: list[Any] = [spelling for text in several(texts) for spelling in _at_each_cutoff(text)]
    dotted = (text.partition(".")[0] for text in single if isinstance(text, str) and trec_values(text)[0])
    besides = frozenset(name for name in dotted if name in TREC_EVAL)
    for text in single:
        try:
            is_quantity = isinstance(text, Measure | Fact)
            name = str(text) if is_quantity else _text(text).strip()
            quantities = (text,) if is_quantity else _quantities(name, besides)
            for quantity in (_from(each, rel, name) for each in quantities):
                printed = trec_name(quantity, rel) if len(quantities) > 1 else None
                label = name if len(quantities) == 1 else printed[1] if printed else str(quantity)
                named[label, quantity] = None
        except MeasureError as error:
            errors.append(error)
    if errors:
        raise MeasureError.together(errors)
    if not named:
        raise MeasureError("no-measures", "the list of measures is empty", remedy="for example: nDCG@10 RR AP")
    return list(named)


def column_of(wanted: object, labels: Sequence[str], measures: Sequence[str]) -> int | None:
    """Find the column of a measure by any of its names, or return None.

    Args:
        wanted: the name that the column was asked for by, or another one of its measure, or the measure itself.
        labels: the names that the columns were asked for by.
        measures: their canonical names.

    Raises:
        MeasureError: as `parse`.

    >>> column_of("mrr", ["ndcg_cut_10", "RR"], ["nDCG@10", "RR"]), column_of("AP", ["MAP"], ["AP(rel=2)"])
    (1, 0)
    """
    name = (str(wanted) if isinstance(wanted, Measure | Fact) else _text(wanted)).strip()
    if name in labels or name in measures:
        return labels.index(name) if name in labels else measures.index(name)
    quantity = parse(name)
    if str(quantity) in measures:
        return measures.index(str(quantity))
    for column, (label, measure) in enumerate(zip(labels, measures, strict=True)):
        if (rel := raised(label, measure)) is not None and str(_from(quantity, rel, name)) == measure:
            return column
    return None


def raised(label: str, measure: str) -> float | None:
    """Return the grade from which documents are relevant to a measure, if its name does not say it; else None.

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
    """Classify a fact: a count stays a number, a value between 0 and 1 is a share and may be shown in percent."""
    return "count" if isinstance(quantity, Fact) else "share" if quantity.definition.range == (0, 1) else "value"


def separated(text: str) -> list[str]:
    """Split several measures with blanks between them, one by one.

    >>> separated("P@5 AP(rel=2, norm=found)@10")
    ['P@5', 'AP(rel=2, norm=found)@10']
    """
    return [part for part in _split(text, " ") if part]


def written_for_trec(texts: Iterable[str], rel: float | None = None) -> dict[Quantity, str]:
    """Name measures whose values trec_eval prints as they were typed: `utility_2,-1,0,0`.

    Args:
        texts: as they were typed.
        rel: as for `parse_all`.

    """
    typed = ((text, *trec_values(text)) for text in texts)
    return {
        _from(parse(text), rel, text): f"{name}_{values}"
        for text, name, values in typed
        if name and TREC_EVAL[name].takes in ("numbers", "pairs")
    }


def trec_name(quantity: Quantity, rel: float | None = None) -> tuple[int, str] | None:
    """Return the position of a measure in trec_eval's output, and its name there; None if it prints none.

    Args:
        quantity: the measure.
        rel: the grade from which trec_eval would be told that documents are relevant, which it does not print.

    >>> trec_name(parse("nDCG@10")), trec_name(parse("IPrec@0.1")), trec_name(parse("AP"))
    ((26, 'ndcg_cut_10'), (10, 'iprec_at_recall_0.10'), (5, 'map'))
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
        at = quantity.definition.at
        base = quantity.name if at else str(replace(bare, cutoff=None))
        if at or quantity.cutoff is not None:
            changed[at or "@"] = quantity.parameters[at] if at else quantity.cutoff
    for position, (name, entry) in enumerate(TREC_EVAL.items()):
        if entry.means != base or name == "rbp":  # trec_eval's own has no value that can be told
            continue
        if not changed and entry.takes not in ("cutoffs", "levels"):
            return position, name
        if changed and set(changed) <= set(entry.sets) and str not in map(type, changed.values()):
            return position, f"{name}_{_printed(entry, {**quantity.parameters, **changed})}"
    return None


def _printed(entry: TrecName, values: Mapping[str, Any]) -> str:
    """Write the values of parameters as trec_eval prints them behind a name."""
    value = values[entry.sets[0]]
    if entry.takes == "levels":
        return f"{float(value):3.2f}"
    if entry.sets == ["gain"]:
        return ",".join(f"{grade:g}={gain:g}" for grade, gain in value)
    if entry.sets == ["p"]:
        return f"p={value:g}"
    numbers = value if isinstance(value, tuple) else [values[name] for name in entry.sets]
    return ",".join(f"{number:g}" for number in numbers)


def _of_ir_measures(name: str, settings: dict[str, Any]) -> tuple[str, dict[str, Any], Any]:
    """Translate from ir_measures into our own name and parameters, and what stands for the cutoff.

    Raises:
        MeasureError: `measure-syntax`.

    >>> _of_ir_measures("nDCG", {"dcg": "exp-log2", "cutoff": 10})
    ('nDCG', {'gain': 'exp2'}, 10)
    """
    renamed = {PARAMETERS.get(parameter, parameter): value for parameter, value in settings.items()}
    cutoff = renamed.pop("cutoff", None)
    if name == "SetP" and renamed.get("relative") in (True, False):
        name = "SetRelP" if renamed.pop("relative") else name
    if name == "NumRet" and "rel" in renamed:
        name = "NumRelRet"
    gain = _FORMS.get(str(renamed.get("dcg"))) if name in ("DCG", "nDCG", "SDCG") else None
    doubled = [here for their_name, here in PARAMETERS.items() if {their_name, here} <= settings.keys()]
    if doubled or (gain is not None and "gain" in renamed):
        raise MeasureError("measure-syntax", f"{name}: {(*doubled, 'gain')[0]} is given twice")
    if gain is not None:
        del renamed["dcg"]
        renamed |= {"gain": gain} if gain != "linear" else {}
    return name, renamed, cutoff


def _at_each_cutoff(measure: Any) -> list[Any]:  # noqa: ANN401 - whatever was given as a measure
    """Expand a text with several cutoffs, `R@1,10`, to one for each; return all else as it is."""
    match = _CUTOFFS.fullmatch(measure) if isinstance(measure, str) else None
    return [f"{match['measure']}@{cutoff.strip()}" for cutoff in match["cutoffs"].split(",")] if match else [measure]


def _quantities(text: str, besides: frozenset[str] = frozenset()) -> tuple[Quantity, ...]:
    """Parse all quantities of a text, and the names of trec_eval in `besides`."""
    return _remembered(text.replace(_ZERO_WIDTH, ""), besides, registered_ids())


@lru_cache(maxsize=1024)
def _remembered(text: str, besides: frozenset[str], _: tuple[int, ...]) -> tuple[Quantity, ...]:
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped is not None:
        return (_MEANS[wrapped["mean"]](parse(_within_mean(text, wrapped))),)
    text = text.strip()
    if text in NOT_HERE:
        message = f"{text!r} stands for measures of trec_eval that need preferences or several assessors"
        raise MeasureError("unknown-measure", f"{message}; rankworth does not have them")
    translated = translate(text, besides)
    if translated is None:
        return (_single(text),)
    try:
        return tuple(map(_single, translated))
    except MeasureError as error:
        problems = (f"{text!r}: {problem}" for problem in error.problems)
        raise MeasureError(error.slug, *problems, remedy=error.remedy) from None


def _single(text: str) -> Quantity:
    """Parse a single quantity in our own syntax, or in that of ir_measures."""
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped is not None:
        return _MEANS[wrapped["mean"]](_single(_within_mean(text, wrapped)))
    match = _NAME.fullmatch(text)
    if match is None:
        raise _misspelt(text, f"{text!r} is not written as a measure, like nDCG@10 or P(rel=2)@5")
    settings = _parameters(text, match["inside"]) if match["inside"] else {}
    name, settings, cutoff = _of_ir_measures(match["name"], settings)
    if folded(name) in AMBIGUOUS and name not in CATALOGUE:
        raise _ambiguous(name, re.sub(r"^_(?=\d)", "@", text[match.end("name") :].strip()))
    suffix = match["suffix"]
    quantity = _named(name)
    if quantity is None and suffix is not None:
        quantity, suffix = _named(f"{match['name']}_{suffix}"), None
    if quantity is None:
        raise MeasureError("unknown-measure", _unknown(match["name"], match["k"] or match["suffix"] or ""))
    if settings:
        quantity = quantity(**settings)
    cutoffs = [each for each in (match["k"], suffix, cutoff) if each is not None]
    if len(cutoffs) > 1:
        raise MeasureError("measure-syntax", f"{text!r}: the cutoff is given twice")
    return _cut(text, quantity, cutoffs[0]) if cutoffs else quantity


def _within_mean(text: str, wrapped: re.Match[str]) -> str:
    """Return what a geometric or a pooled mean is taken of.

    Raises:
        MeasureError: `measure-syntax`, where that is such a mean again.

    """
    if (again := _WRAPPED.fullmatch(wrapped["of"])) is not None:
        mean, other = wrapped["mean"], again["mean"]
        instead = f"{_CALLED[other]} again" if mean == other else _CALLED[other]
        problem = f"{shortened(text)!r}: {mean} takes a measure whose mean is the plain one, and not {instead}"
        remedy = "as in gmean(AP)" if wrapped["mean"] == "gmean" else "as in micro(R@20)"
        raise MeasureError("measure-syntax", problem, remedy=remedy)
    return wrapped["of"]


def _cut(text: str, quantity: Quantity, cutoff: Any) -> Measure:  # noqa: ANN401 - text or number
    """Apply what stands behind the `@` to a measure."""
    if not isinstance(quantity, Measure):
        problem = f"{text!r}: {quantity.name} is counted over all that was retrieved; use --depth N (depth=N)"
        raise MeasureError("bad-cutoff", problem)
    at, number = quantity.definition.at, f"{cutoff:g}" if isinstance(cutoff, float) else str(cutoff)
    if at and at in dict(quantity.settings):
        raise MeasureError("measure-syntax", f"{text!r}: {at} is given twice")
    if at and not number:
        domain = quantity.definition.parameters[at].domain()
        raise MeasureError("bad-parameter", f"{text!r}: after @ stands the {at}, {domain}")
    if at:
        return quantity(**_parameters(text, f"{at}={number}"))
    if not number.isdecimal() and Budget.of(number) is not None:
        return quantity @ number
    if not number.isdecimal() or not int(number):
        raise _misspelt(text, f"{text!r}: a cutoff is a whole number from 1, not {number!r}", "bad-cutoff")
    return quantity @ int(number)


def _misspelt(text: str, problem: str, slug: str = "measure-syntax") -> MeasureError:
    """Build the error for a text that is not written as a measure."""
    several = "several measures stand apart: -m nDCG@10 AP, in Python ['nDCG@10', 'AP']"
    return MeasureError(slug, problem, remedy=several if re.search(r"[,;](?![^()]*\))|\d\s+[A-Za-z]", text) else "")


def _parameters(text: str, inside: str) -> dict[str, Any]:
    """Parse the parameters between brackets; values are written as in Python, but for words, which have no quotes.

    Raises:
        MeasureError: `measure-syntax`.

    """
    settings: dict[str, Any] = {}
    for part in _split(inside, ","):
        name, value = (piece.strip() for piece in part.partition("=")[::2])
        if not name.isidentifier() or not value:
            raise MeasureError("measure-syntax", f"{text!r}: a parameter is written name=value, not {part.strip()!r}")
        if name in settings:
            raise MeasureError("measure-syntax", f"{text!r}: a parameter is given twice")
        try:
            settings[name] = value if "_" in value else ast.literal_eval(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            if len(value) > _LONGEST_WORD:  # how deep an expression may be nested depends on the version of Python
                problem = f"{shortened(text)!r}: {name} is {len(value):,} characters, no number and no word"
                raise MeasureError("measure-syntax", problem) from None
            settings[name] = value
        if isinstance(settings[name], dict) and len(settings[name]) < value.count(":"):
            raise MeasureError("measure-syntax", f"{text!r}: a grade is given twice")
    return settings


def _split(text: str, separator: str) -> Iterator[str]:
    """Yield the parts between separators that are not inside brackets."""
    depth = start = 0
    for position, character in enumerate(text):
        depth += (character in "({[") - (character in "]})")
        if character == separator and not depth:
            yield text[start:position]
            start = position + 1
    yield text[start:]


def _from(quantity: Quantity, rel: float | None, text: str) -> Quantity:
    """Set the grade from which documents count, unless a measure says its own or scales its gains by the grades."""
    if rel is None or "rel" not in quantity.parameters or quantity.parameters.get("max_grade") is not None:
        return quantity
    says = "rel" in dict(quantity.settings) or re.search(r"\brel\s*=|-l\d", text) is not None
    return quantity if says else quantity(rel=rel)


def _text(measure: object) -> str:
    """Return the text of a name or of a measure object."""
    if isinstance(measure, str) or type(measure).__module__.partition(".")[0] == _OBJECTS:
        return str(measure)
    problem = f"{measure!r} is {type(measure).__name__}; measures are texts or measure objects"
    raise MeasureError("measure-syntax", problem, remedy="a list among them has a star: [*rw.nDCG @ [5, 10], rw.MRR]")


def _named(name: str) -> Quantity | None:
    """Look up the quantity of a name: of ours, of a tool's, or of one of them in another case."""
    if (exact := registered().get(name)) is not None:
        return exact
    ours, theirs = _spellings(registered_ids())
    means = next((names[name] for names in TOOLS.values() if name in names), None)
    if means is None or folded(means) == folded(name):
        if folded(name) in ours:
            return ours[folded(name)]
        means = theirs.get(folded(name))
    return None if means is None or folded(means) == folded(name) else _single(means)


@lru_cache(maxsize=8)
def _spellings(_: tuple[int, ...]) -> tuple[dict[str, Quantity], dict[str, str]]:
    """Return our quantities by folded name, names before aliases; and what folded names of tools mean."""
    quantities = registered().values()
    named = [(quantity.name, quantity) for quantity in quantities]
    named += [(alias, quantity) for quantity in quantities for alias in quantity.definition.aliases]
    theirs = [pair for names in TOOLS.values() for pair in names.items()]
    return (
        {folded(name): quantity for name, quantity in reversed(named)},
        {folded(name): means for name, means in reversed(theirs)},
    )


def registered_ids() -> tuple[int, ...]:
    """Tell one state of the catalogue from another, for what is remembered of it."""
    return tuple(map(id, (*CATALOGUE.values(), *FACTS.values(), *ITEM_MEASURES.values())))


def _ambiguous(name: str, rest: str) -> MeasureError:
    """Return the error for a name of two measures.

    Args:
        name: the name.
        rest: the parameters and the cutoff that follow it.

    """
    meanings = "; or ".join(f"{measure}{rest}, {text}" for measure, text in AMBIGUOUS[folded(name)].items())
    problem = f"{name!r} is the name of two measures: {meanings}; name one of them"
    return MeasureError("ambiguous-measure", problem)


def refuse_several(text: object, measures: Sequence[str], use: str) -> None:
    """Refuse a name of several measures if a single measure is needed.

    Args:
        text: the name.
        measures: what it stands for.
        use: what needs a single measure, as the end of a sentence.

    Raises:
        MeasureError: `ambiguous-measure`.

    """
    if len(measures) > 1:
        problem = f"{text} is {len(measures)} measures, and {use}"
        raise MeasureError("ambiguous-measure", problem, remedy=f"choose: {', '.join(measures)}")


def _unknown(name: str, k: str = "") -> str:
    """Explain a name that means nothing: say what it is elsewhere, or which name is like it.

    Args:
        name: the name.
        k: what was asked for as its cutoff.

    """
    from difflib import get_close_matches  # noqa: PLC0415 - only for a message

    wanted = folded(name)
    bare = wanted if wanted in MEANT else wanted.rstrip("0123456789")
    at = next((bare.removesuffix(end) for end in ("atk", "at") if bare.endswith(end)), "")
    base = _named(at) if at and bare not in MEANT and at not in AMBIGUOUS else None
    if base is not None or bare in MEANT:
        measure, text = (str(base), "") if base is not None else MEANT[bare]
        number = k or wanted[len(bare) :]
        meant = str(_cut(name, _single(measure), number) if number.isdecimal() else measure)
        return f"no measure is called {name!r}; {text.replace('{}', meant) or f'did you mean {meant}?'}"
    for text, elsewhere in UNMEASURED.items():
        if wanted in elsewhere:
            return f"no measure is called {name!r}; {text}"
    if wanted in undefined_here():
        tool, why = undefined_here()[wanted]
        return f"{name} of {tool} has no definition here: {why}"
    spellings = [name for each in registered().values() for name in (each.name, *each.definition.aliases)]
    spellings += [*NICKNAMES, *(spelling for names in TOOLS.values() for spelling in names)]
    by_folded = {folded(spelling): spelling for spelling in reversed(spellings)}
    without = wanted.rstrip("0123456789")
    cutoff = f"@{wanted[len(without) :]}" if without in by_folded and without != wanted else ""
    wanted = without if cutoff else wanted
    swapped = [name for name in by_folded if sorted(name) == sorted(wanted)]
    if not (close := swapped or get_close_matches(wanted, by_folded, 1, 0.5)):
        return f"no measure is called {name!r}; there are {', '.join(CATALOGUE)}"
    meant = by_folded[close[0]]
    canonical = meant if meant in NICKNAMES else str(_named(meant))
    here = f" ({canonical}{cutoff})" if meant != canonical else ""
    return f"no measure is called {name!r}; did you mean {meant}{cutoff}?{here}"
