"""Signatures: one line that says how a number came about, and whether two numbers may be compared.

    nDCG@10|profile:ranx-0.3|ties:given|missing:error|queries:43-1f2a97c4|rankworth:0.3.0

Settings stand there where they differ from `standard-1`. Measure, settings and query set make the identity of a number;
the profile's name, the version, seed and digits are recorded beside it, `ranked_by:list` where the order of lists
decided, `run_ids:#` where documents were renamed by a rule, `cost:tokens` where a column says what documents cost, and
`judges:mean(label)` where one grade was made of those of several judges.
Of weights and groups the line tells the name and a digest over the queries that have values:
`weights:traffic-1a2b3c4d`.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from rankworth.errors import UsageError
from rankworth.groups import Groups, Weights
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.item_data import ExpectedRun, Forbidden, History, Items
from rankworth.profiles.call_data import AVERAGING, JUDGING, conventions_by_name
from rankworth.profiles.profile import PROFILES, STANDARD, Profile, ResolvedMeasure
from rankworth.settings import as_typed, parsed

_RECORDED: Final = (
    *("profile", "derived", "ranked_by", "judges", "ids", "qrels_ids", "run_ids", "cost", "exact", "rankworth", "seed"),
    "digits",
)
"""what is told of a number and does not make it another"""
_BARE: Final[Mapping[str, Callable[[str], Any]]] = {
    "exclude": Exclusion,
    "weights": Weights.bare,
    "macro": Groups.bare,
    "history": History,
    "items": Items,
    "expected_run": ExpectedRun,
    "forbidden": Forbidden,
}
"""data of which a line tells what tells them apart, and not what they are"""
_KNOWN: Final = (*JUDGING, *AVERAGING, *_RECORDED, "queries")
_PAIR: Final = re.compile(r"(?P<name>[a-z_]+):(?P<value>.*)", re.DOTALL)


@dataclass(frozen=True)
class Signature:
    """What one line says.

    Attributes:
        settings: what differs from `standard-1`, as text.
        queries: the number of queries and the first digits of the SHA-256 over their ids.
        measure: the measure, in our spelling; empty where a line is about several.
        recorded: the profile, what was derived from it, whether the order of lists decided, and the version, seed and
            digits, as far as they are told.

    """

    settings: Mapping[str, str]
    queries: str
    measure: str = ""
    recorded: Mapping[str, str] = field(default_factory=dict, compare=False)

    @classmethod
    def parse(cls, text: str) -> "Signature":
        """Read a line.

        Raises:
            UsageError: `bad-signature`.

        >>> Signature.parse("RR@10|profile:standard-1|missing:skip|queries:1-c75de8c1|rankworth:0.3.0").settings
        {'missing': 'skip'}
        """
        if not isinstance(text, str):
            raise UsageError("bad-signature", f"{type(text).__name__} is no signature: a signature is a line of text")
        first, *further = text.strip().split("|")
        parts = further if (measure := "" if first.startswith("profile:") else first) else [first, *further]
        pairs = {match["name"]: match["value"] for match in map(_PAIR.fullmatch, parts) if match}
        unknown = [part for part in parts if not _PAIR.fullmatch(part) or part.partition(":")[0] not in _KNOWN]
        missing = [name for name in ("profile", "queries") if name not in pairs]
        problem = f"{unknown[0]!r} is nothing that a signature says" if unknown else ""
        problem = problem or (f"it does not tell the {missing[0]}" if missing else "")
        recorded = {name: pairs.pop(name) for name in _RECORDED if name in pairs}
        signature = cls(pairs, pairs.pop("queries", ""), measure, recorded)
        try:
            if not problem:
                signature.profile()
        except (UsageError, ValueError) as error:
            problem = str(error)
        if problem:
            raise UsageError(
                "bad-signature",
                f"{text.strip()[:200]!r} is no signature: {problem}",
                remedy="a signature is a line such as nDCG@10|profile:standard-1|queries:43-1f2a97c4|rankworth:0.3.0",
            )
        return signature

    def __str__(self) -> str:
        """Write the line."""
        ahead = {name: self.recorded[name] for name in ("profile", "derived") if name in self.recorded}
        pairs = {**ahead, **self.settings, "queries": self.queries, **self.recorded}
        line = "|".join(f"{name}:{value}" for name, value in pairs.items())
        return f"{self.measure}|{line}" if self.measure else line

    @property
    def size(self) -> int:
        """The number of queries that have values."""
        return int(self.queries.partition("-")[0])

    def profile(self) -> Profile:
        """Return the settings as a profile: `standard-1` with what differs.

        Raises:
            UsageError: `unknown-setting`.

        """
        return STANDARD.derive(
            **{name: _BARE[name](text) if name in _BARE else parsed(name, text) for name, text in self.settings.items()}
        )

    def options(self, *, excluded: bool = False) -> list[str] | None:
        """Return the options of a command for these settings, without weights and groups; None if no words say them.

        Args:
            excluded: whether what is excluded is said beside them.

        >>> Signature.parse("RR|profile:standard-1|missing:skip|queries:1-c75de8c1|rankworth:0.3.0").options()
        ['--missing', 'skip']
        """
        profile = self.recorded["profile"]
        derived = self.recorded.get("derived", "").split(",") if profile != STANDARD.name else self.settings
        settings = {name: value for name, value in self.settings.items() if name in derived}
        if profile not in PROFILES or ("exclude" in settings and not excluded):
            return None
        words = ["--profile", profile] if profile != STANDARD.name else []
        for name, value in settings.items():
            if name not in _BARE:
                words += as_typed(name, value)
        return words

    def differences(self, other: "Signature") -> list[str]:
        """List in words the differences that make two numbers not comparable; empty if they are comparable.

        >>> one, other = (Signature({"missing": way}, "1-c75de8c1", "RR") for way in ("skip", "error"))
        >>> one.differences(other)
        ['missing is skip and error']
        """
        differences = []
        if self.measure != other.measure:
            differences.append(f"the measure is {self.measure or 'not told'} and {other.measure or 'not told'}")
        for name in dict.fromkeys((*self.settings, *other.settings)):
            mine, theirs = (part.settings.get(name, _shown(STANDARD.setting(name))) for part in (self, other))
            if mine != theirs:
                differences.append(f"{name} is {mine} and {theirs}")
        if self.queries != other.queries:
            sizes = [self.size, other.size]
            fact = "other queries" if sizes[0] == sizes[1] else f"{sizes[0]:,} and {sizes[1]:,} queries"
            differences.append(f"the query sets differ: {fact}")
        return differences


def refuse_differences(first: "Signature | str", second: "Signature | str") -> None:
    """Refuse to compare numbers that were not made alike.

    Args:
        first: the signature of a number, or its line.
        second: that of another number.

    Raises:
        UsageError: `not-comparable`, which names what differs; `bad-signature`.

    """
    signatures = [each if isinstance(each, Signature) else Signature.parse(each) for each in (first, second)]
    differences = signatures[0].differences(signatures[1])
    if differences:
        raise UsageError(
            "not-comparable",
            f"these numbers were not made alike: {'; '.join(differences)}",
            remedy="measure both with one profile, the same settings and the same queries",
        )


def signature(
    profile: Profile,
    queries: Sequence[str],
    version: str,
    *,
    measure: ResolvedMeasure | None = None,
    lists: bool | None = None,
    **recorded: object,
) -> Signature:
    """Record how values came about.

    Args:
        profile: the conventions.
        queries: the ids of the queries that have values.
        version: of this library.
        measure: the measure, where the line is about one.
        lists: whether the run came as lists, whose order decides where nothing else is asked for, which the line tells;
            that scores decide it does not. None where there is no run.
        recorded: `seed` and `digits`, where there are some.

    >>> str(signature(STANDARD.derive(missing="skip"), ["q1"], "0.3.0"))
    'profile:standard-1|missing:skip|queries:1-c75de8c1|rankworth:0.3.0'
    """
    source = profile if measure is None else measure
    judging = source.judging
    if lists is not None and judging.order == "score":
        judging = replace(judging, order=STANDARD.judging.order)
    elif lists and judging.order == "auto":
        recorded = {"ranked_by": "list", **recorded}
    shown = {"profile": profile.name}
    if profile.derived and profile.name != STANDARD.name:
        shown["derived"] = ",".join(profile.derived)
    digest = hashlib.sha256("\n".join(queries).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    settings, standard = {}, STANDARD.conventions
    for name, value in conventions_by_name(judging, source.averaging, source.data).items():
        if value != standard[name]:
            settings[name] = value.label_for(queries) if isinstance(value, Weights | Groups) else _shown(value)
    return Signature(
        settings,
        f"{len(queries)}-{digest}",
        "" if measure is None else str(measure.quantity),
        shown | {"rankworth": version} | {name: str(value) for name, value in recorded.items()},
    )


def combined(lines: Iterable[str]) -> str:
    """Join signatures of several measures: measures that share the rest of the line stand together.

    >>> combined(["AP|profile:standard-1", "RR|profile:standard-1"])
    'AP RR|profile:standard-1'
    """
    groups: dict[str, list[str]] = {}
    for line in dict.fromkeys(lines):
        measure, _, rest = line.partition("|")
        groups.setdefault(rest, []).append(measure)
    return " ; ".join(f"{' '.join(measures)}|{rest}" for rest, measures in groups.items())


def _shown(value: object) -> str:
    """Write a setting: whole numbers without a point, others in full."""
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)
