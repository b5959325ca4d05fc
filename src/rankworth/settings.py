"""Which settings of an evaluation are options that users choose, and which are quirks of few tools."""

from collections.abc import Mapping
from difflib import get_close_matches
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


def as_typed(name: str, value: object) -> list[str]:
    """A setting as it is typed on the command line.

    >>> as_typed("no_hit", "skip"), as_typed("no_relevant", "skip")
    (['--set', 'no_hit=skip'], ['--no-relevant', 'skip'])
    """
    return ["--set", f"{name}={value}"] if name in QUIRKS else [f"--{name.replace('_', '-')}", str(value)]


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
            remedy = f"quirks={{{name!r}: {value!r}}}, or {' '.join(as_typed(name, value))}"
            raise UsageError("unknown-setting", text, remedy=remedy)
    for name, value in quirks.items():
        if name in OPTIONS:
            text = f"quirks={{{name!r}: {value!r}}}: {name} is an option, and no quirk"
            remedy = f"{name}={value!r}, or {' '.join(as_typed(name, value))}"
            raise UsageError("unknown-setting", text, remedy=remedy)
        if name not in QUIRKS:
            near = get_close_matches(str(name), QUIRKS, 1)
            text = f"there is no quirk {name!r}; there are {', '.join(QUIRKS)}"
            raise UsageError("unknown-setting", text, remedy=f"did you mean {near[0]}?" if near else "")
    return options | dict(quirks)
