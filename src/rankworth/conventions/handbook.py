"""The pages of `docs/conventions`: how to choose, what all settings do, a page for each profile, measure by measure."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

from rankworth.averaging import Averaging
from rankworth.conventions import comparing
from rankworth.conventions.telling import SHELVES, parts, version
from rankworth.conventions.wording import deviating, example, explained, marked, shown, table, value_of
from rankworth.judging.settings import Judging
from rankworth.profiles import PROFILES, STANDARD
from rankworth.profiles.profile import AVERAGING, JUDGING
from rankworth.prose import as_markdown
from rankworth.slices import Groups, Weights

_OPENING: Final = """# Conventions

Tools agree on what a measure is called, and not on what it is worth: they order ties in many ways, leave queries out or
count them 0, cut the ideal ranking or do not. A profile is all that one tool does, under one name:

```text
rankworth evaluate qrels.txt old.run --profile {name} -m {measure}
```

- [Five queries](five-queries.md): one input, and the numbers that the tools give for it.
- [Measure by measure](measures.md): who differs where, and which settings make the difference.
- [Reproduced](reproduced.md): what was compared with the tools, and what is not reproduced.

The pages are generated: `scripts/convention-pages` writes them from the profiles.

## Which one to choose

- **For numbers of your own**: none. `standard-1` holds, which is trec_eval 10 with `-c`: a judged query that the run
  does not answer counts 0, so that no system gains by not answering, and the order of ties depends on ids alone.
- **To compare with a published number**: the profile of the tool that made it, in the version that made it, and its
  name for the measure. Where nobody says which tool it was, `--profile all` shows what each of them gives.
- **To continue a series of your own**: the profile of the tool that you come from. Measure once with both, and change
  over.
- **Where no profile fits**: take the nearest one and change what differs: every setting below is an option, and a
  keyword in Python. The signature beside the numbers tells what was changed.

Numbers that were made under different conventions are not comparable; signatures say so, and
`rankworth.refuse_differences` checks it. A name without its version stands for the newest one: write the version down
where the number is to last."""
_PROFILES: Final = """## Profiles

`rankworth profiles` lists them, `rankworth profiles NAME` prints the page of one, and
`rankworth measures --profile NAME` the names of its tool."""
_SETTINGS: Final = """## Settings

All settings of judging and of averaging. The first value is that of `standard-1`; in brackets stand profiles that have
another value for some of their measures only. Options have hyphens for `_`: `--no-relevant skip`."""
_KINDS: Final[dict[Any, str]] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "`none`",
    Weights: "a number for each query",
    Groups: "a group for each query",
}


def pages(folder: Path) -> dict[str, str]:
    """All generated pages of `docs/conventions`, by file name.

    Args:
        folder: that of the five queries.

    """
    told = {f"{name}.md": as_markdown(parts(profile)) for name, profile in PROFILES.items()}
    return {"README.md": "\n".join(_index()) + "\n", "measures.md": comparing.page(folder)} | told


def _index() -> Iterator[str]:
    first = next(profile for profile in PROFILES.values() if profile.tool)
    yield _OPENING.format(name=first.name, measure=example(first))
    yield from ("", _PROFILES)
    for basis, heading in SHELVES.items():
        yield from ("", f"{heading}:", "")
        some = (profile for profile in PROFILES.values() if profile.basis == basis)
        yield from table(
            ("profile", "tool", "what it is"),
            ((f"[{one.name}]({one.name}.md)", version(one), marked(one.sentence)) for one in some),
        )
    yield from ("", _SETTINGS, "")
    rows = (
        (f"`{name}`", _values(kind, room, name), marked(explained()[name]), _otherwise(room, name))
        for room, kind, some in (("judging", Judging, JUDGING), ("averaging", Averaging, AVERAGING))
        for name in some
    )
    yield from table(("setting", "values", "what it does", "set otherwise by"), rows)


def _values(kind: type, room: str, name: str) -> str:
    """The values that a setting takes, that of the standard first."""
    hint = get_type_hints(kind)[name]
    words = [word for part in get_args(hint) or (hint,) for word in _words(part)]
    return ", ".join(dict.fromkeys((f"`{shown(value_of(STANDARD, room, name))}`", *words)))


def _words(part: Any) -> list[str]:  # noqa: ANN401 - a type, or a word of a literal one
    """What a part of a type takes."""
    literal = [part] if isinstance(part, str) else get_args(part)
    return [f"`{word}`" for word in literal] or [_KINDS.get(part, "pairs of ids, `self`")]


def _otherwise(room: str, name: str) -> str:
    """Who has which other value."""
    standard = shown(value_of(STANDARD, room, name))
    found: dict[str, list[str]] = {}
    for profile in PROFILES.values():
        general = shown(value_of(profile, room, name))
        if general != standard:
            found.setdefault(general, []).append(f"[{profile.name}]({profile.name}.md)")
        others = dict.fromkeys(shown(one[name]) for rule in profile.rules if name in (one := deviating(profile, rule)))
        for value in others:
            if value != standard:
                found.setdefault(value, []).append(f"([{profile.name}]({profile.name}.md))")
    return "; ".join(f"`{value}`: {', '.join(who)}" for value, who in found.items())
