"""Which settings of an evaluation are options that users choose, and which are quirks of few tools."""

from collections.abc import Mapping
from typing import Any, Final

from rankworth.errors import UsageError

OPTIONS: Final = (
    *("order", "score_type", "ties", "duplicates", "depth", "unjudged", "duplicate_judgements", "exclude"),
    *("grades", "negative", "missing", "extra", "no_relevant", "undefined", "round_values", "weights", "macro"),
)
QUIRKS: Final = (
    *("exclude_from", "blocks", "pairing", "query_ids"),  # which rows and which queries meet
    *("judgements", "pool", "unretrieved", "scored", "highest", "above"),  # what is known of a query
    *("empty", "relevant_by", "neither", "all_negative", "no_hit", "fewest"),  # which queries have a value
    *("nan", "divisor", "logarithms", "round_means", "halves", "no_queries"),  # how values become a mean
)
"""Settings that one or two tools need: `quirks={"blocks": "separate"}`, `--set blocks=separate`."""


def with_quirks(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of an evaluation, with those of `quirks` among them.

    Raises:
        UsageError: `unknown-setting`, where a quirk is given as an option, or an option as a quirk.

    >>> with_quirks({"depth": 10, "quirks": {"fewest": 3}})
    {'depth': 10, 'fewest': 3}
    """
    quirks = settings.get("quirks") or {}
    options = {name: value for name, value in settings.items() if name != "quirks"}
    if not isinstance(quirks, Mapping):
        raise UsageError("unknown-setting", f"quirks={quirks!r} is no dict", remedy='as in quirks={"fewest": 3}')
    for name, value in options.items():
        if name in QUIRKS and value is not None:
            text = f"{name}={value!r}: {name} is a quirk of few tools, and no option"
            raise UsageError("unknown-setting", text, remedy=f"quirks={{{name!r}: {value!r}}}, or --set {name}={value}")
    for name in quirks:
        if name in OPTIONS:
            text = f"quirks={{{name!r}: {quirks[name]!r}}}: {name} is an option, and no quirk"
            remedy = f"{name}={quirks[name]!r}, or --{name.replace('_', '-')} {quirks[name]}"
            raise UsageError("unknown-setting", text, remedy=remedy)
        if name not in QUIRKS:
            raise UsageError("unknown-setting", f"there is no quirk {name!r}; there are {', '.join(QUIRKS)}")
    return options | dict(quirks)
