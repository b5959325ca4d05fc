"""Gates: whether a change may ship, by what it does to values."""

from rankworth.gates.advice import advice, refuse_older, renewal
from rankworth.gates.checks import Verdict, against, floors
from rankworth.gates.forms import annotation, annotations, headline, junit, lines, record, sheet
from rankworth.gates.rules import KINDS, WHEN, Gate, Kind, When, read

__all__ = [
    "KINDS",
    "WHEN",
    "Gate",
    "Kind",
    "Verdict",
    "When",
    "advice",
    "against",
    "annotation",
    "annotations",
    "floors",
    "headline",
    "junit",
    "lines",
    "read",
    "record",
    "refuse_older",
    "renewal",
    "sheet",
]
