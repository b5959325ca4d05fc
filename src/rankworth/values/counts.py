"""How many queries, documents and judgements stand behind the values, in numbers and in words."""

from typing import Final, NamedTuple

from rankworth.profiles import Profile


class Counts(NamedTuple):
    """How many queries stand behind a mean, and how many do not."""

    judged: int
    """queries with judgements, after `queries=` has named the set"""
    scored: int
    """queries that the mean is taken over"""
    unanswered: int
    """judged queries for which the run has no document"""
    no_relevant: int
    """judged queries without a single grade above 0"""
    ignored: int
    """queries of the run that nobody judged"""
    duplicates_removed: int = 0
    """documents of the run, ranked again by a judged query, that `duplicates=` left out"""
    duplicate_judgements_removed: int = 0
    """judgements that `duplicate_judgements=` left out"""
    excluded: int = 0
    """documents of the run, ranked by a judged query, that `exclude=` took out"""
    excluded_judgements: int = 0
    """judgements that `exclude=` took out"""

    def __repr__(self) -> str:
        """The counts by name; of what was left out only where there is something."""
        always = len(self._fields) - len(self._field_defaults)
        said = [(name, count) for place, (name, count) in enumerate(self._asdict().items()) if count or place < always]
        return f"Counts({', '.join(f'{name}={count}' for name, count in said)})"


_FATES: Final = {
    "zero": "counted as empty rankings",
    "nought": "counted as 0",
    "absent": "counted as 0 in the means",
    "nan": "without a number",
    "skip": "left out",
    "error": "left out",
}


def in_words(counts: Counts, profile: Profile) -> str:
    """A sentence on what was scored and what became of the rest."""
    parts = [f"{counts.scored:,} of {counts.judged:,} judged queries scored"]
    if counts.unanswered:
        fate = _FATES[profile.averaging.missing]
        parts.append(f"{counts.unanswered:,} without results, {fate}")
    if counts.no_relevant:
        parts.append(f"{counts.no_relevant:,} without a relevant document")
    if counts.ignored:
        noun = "query" if counts.ignored == 1 else "queries"
        fate = "counted as rankings of unjudged documents" if profile.averaging.extra == "zero" else "ignored"
        parts.append(f"{counts.ignored:,} {noun} of the run not judged, {fate}")
    parts += _left_out(counts, profile)
    if profile.averaging.weights is not None:
        parts.append(f"means weighted by {profile.averaging.weights.called}")
    if profile.averaging.macro is not None:
        parts.append(f"macro means by {profile.averaging.macro.called}")
    return "; ".join(parts)


def _left_out(counts: Counts, profile: Profile) -> list[str]:
    """What settings of the judging took out of run and judgements."""
    judging = profile.judging
    parts = [
        (counts.excluded, counts.excluded_judgements, f"excluded ({judging.exclude})"),
        (counts.duplicates_removed, 0, f"left out as duplicates (duplicates:{judging.duplicates})"),
        (
            0,
            counts.duplicate_judgements_removed,
            f"left out as duplicates (duplicate_judgements:{judging.duplicate_judgements})",
        ),
    ]
    told = []
    for documents, judgements, fate in parts:
        nouns = ((documents, "retrieved document"), (judgements, "judgement"))
        which = [f"{count:,} {noun}{'' if count == 1 else 's'}" for count, noun in nouns if count]
        if which:
            told.append(f"{' and '.join(which)} {fate}")
    return told
