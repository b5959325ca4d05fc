"""What an explanation comes to, in words: the last steps as numbers, and the sentence that sums it up."""

import math
from typing import TYPE_CHECKING, Final

from rankworth import columns
from rankworth.errors import MeasureError
from rankworth.explanation import conventions
from rankworth.explanation.numbers import apart, number, same

if TYPE_CHECKING:
    from rankworth.explanation.result import Explanation

_GAINS: Final = {"linear": "exp2", "exp2": "linear"}
"""the two usual gains, each with the other one"""
_ROUNDING: Final = ("round_values", "halves")


def arithmetic(told: "Explanation") -> str:
    """The last steps as numbers: `3.6309 / 5.3928 = 0.6733`."""
    trace = told.trace
    text = number(trace.total)
    if trace.rest:
        text = f"{text} {'-' if trace.rest < 0 else '+'} {number(abs(trace.rest))}"
        text = f"({text})" if trace.norm != 1 else text
    if trace.norm != 1:
        text = f"{text} / {number(trace.norm)}"
    ratio = trace.raw if trace.link is None else trace.link[0]
    if text != number(ratio):
        text = f"{text} = {number(ratio)}"
    if _stepped(told):
        text = f"{text}, which the last step makes {number(trace.raw)}"
    return text


def sentence(told: "Explanation") -> str:
    """What it comes to, in words."""
    if told.value is None:
        changed = conventions.differing(told.scene.asked, conventions.VALUE)
        return f"{told.id} has no value by {told.measure}: the settings leave the query out{_in_brackets(changed)}"
    if not told.answered:
        run = told.run or "the run"
        return f"{run} has no document for {told.id}, so that {told.measure} is {number(told.value)}"
    if math.isnan(told.trace.raw):
        because: dict[str, object] = {"undefined": told.scene.asked.averaging.undefined}
        why = "since the divisor is 0" if told.norm == 0 else "since its last step is not"
        return (
            f"{told.measure} is not defined for {told.id}, {why}; it counts as {number(told.value)}"
            f"{_in_brackets(because)}"
        )
    text = f"{told.measure} of {told.id} is {number(told.value)}: {_sum(told)}"
    if same(told.trace.raw, told.value):
        return text
    raw, value = apart(told.trace.raw, told.value)
    changed = conventions.differing(told.scene.asked, conventions.VALUE)
    rounded: dict[str, object] = {name: changed.pop(name) for name in _ROUNDING if name in changed}
    changed.pop("undefined", None)
    averaging = told.scene.asked.averaging
    if rounded and columns.rounded(told.trace.raw, averaging.round_values, averaging) == told.value:
        return f"{text}; that is {raw}, rounded to {value}{_in_brackets(rounded)}"
    return f"{text}; that is {raw}, and the settings make it {value}{_in_brackets(changed | rounded)}"


def other_gain(told: "Explanation") -> str:
    """A line on the other usual gain, where it changes the value."""
    scene = told.scene
    gain = scene.measure.parameters.get("gain")
    if not isinstance(gain, str) or gain not in _GAINS or told.value is None or math.isnan(told.value):
        return ""
    other = _GAINS[gain]
    ranking = scene.alternatives(told.id)
    try:
        [now] = scene.values(ranking, [ranking.as_it_is])
        [value] = scene.values(ranking, [ranking.as_it_is], scene.measure(gain=other))
    except MeasureError:
        return ""
    if value is None or now is None or math.isnan(value) or math.isclose(value, now, rel_tol=1e-12, abs_tol=1e-15):
        return ""
    whose = scene.measure.definition.gains.get(other)
    return f"{gain} {number(told.value)}; with gain={other}{f', {whose},' if whose else ''} {number(value)}"


def _sum(told: "Explanation") -> str:
    """What is added up, and what becomes of the sum."""
    trace = told.trace
    adding = len({term.rank for term in trace.terms if term.contribution})
    parts = ["no rank adds anything"]
    if adding:
        parts = [f"{adding} {'rank adds' if adding == 1 else 'ranks add'} {number(trace.total)}"]
    if trace.rest:
        parts.append(f"the rest adds {number(trace.rest)}")
    if trace.ideal and (adding or trace.rest):
        parts.append(f"and the ideal ranking would have {number(trace.norm)}")
    elif trace.norm != 1 and (adding or trace.rest):
        parts.append(f"divided by {number(trace.norm)}")
    if _stepped(told):
        parts.append(f"and the last step makes {number(trace.raw)} of it")
    return ", ".join(parts)


def _stepped(told: "Explanation") -> bool:
    """Whether the last step of the formula makes another number."""
    link = told.trace.link
    return link is not None and not any(map(math.isnan, link)) and not math.isclose(*link, rel_tol=1e-15)


def _in_brackets(changed: dict[str, object]) -> str:
    return f" ({conventions.said(changed)})" if changed else ""
