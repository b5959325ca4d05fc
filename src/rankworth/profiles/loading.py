"""Profiles as they stand in files: found by name, read when asked for."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from importlib.resources import files
from typing import Any, Final

from rankworth.errors import UsageError
from rankworth.judging.exclusion import Exclusion
from rankworth.profiles.profile import Profile
from rankworth.profiles.rules import Rule
from rankworth.settings import Averaging, Judging

DEFAULT: Final = "standard"
ALL: Final = "all"
_STANDARD: Final = "standard-1"
_SUFFIX: Final = ".toml"
_VERSION: Final = "0123456789."


class UnknownProfileError(UsageError, KeyError):
    """There is no such profile; a `KeyError`, as mappings raise it."""

    __str__ = ValueError.__str__

    @classmethod
    def of(cls, name: object) -> "UnknownProfileError":
        """The error with the names that are like it.

        Args:
            name: what was looked for.

        """
        close = _of_tool(name) if isinstance(name, str) else []
        close = close or get_close_matches(str(name).casefold(), PROFILES, 3, 0.4)
        meant = f"was {' or '.join(close)} meant?" if close else ""
        remedy = "\n".join(filter(None, (meant, "all of them: rankworth profiles, in Python rankworth.PROFILES")))
        return cls("unknown-setting", f"there is no profile {name!r}", remedy=remedy)


class Profiles(Mapping[str, Profile]):
    """All profiles by name; a name without its version stands for the newest one."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._read: dict[str, Profile] = {_STANDARD: Profile(_STANDARD, sentence=_SENTENCE)}
        self._found: dict[str, str | None] = {}

    def __iter__(self) -> Iterator[str]:
        """The names, the standard first."""
        return iter(self._names)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        """Whether there is such a profile."""
        return isinstance(name, str) and self._versioned(name) is not None

    def __getitem__(self, name: str) -> Profile:
        """The profile of a name, in whatever case."""
        versioned = self._versioned(name) if isinstance(name, str) else None
        if versioned is None:
            raise UnknownProfileError.of(name)
        if versioned not in self._read:
            text = (files("rankworth.profiles") / "data" / f"{versioned}{_SUFFIX}").read_text("utf-8")
            self._read[versioned] = self._profile(tomllib.loads(text))
        return self._read[versioned]

    def __repr__(self) -> str:
        """The names."""
        return f"PROFILES({', '.join(self)})"

    @cached_property
    def _names(self) -> list[str]:
        found = (place.name for place in (files("rankworth.profiles") / "data").iterdir())
        return [_STANDARD, *sorted(name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX))]

    def _versioned(self, name: str) -> str | None:
        """The name as the file has it: in whatever case, with `-` or `_`, without version or with a part of it."""
        if name not in self._found:
            folded = _folded(name)
            names = {_folded(known): known for known in self._names}
            newest = [known for one, known in names.items() if _is_version(one.removeprefix(f"{folded}-"))]
            newest += [known for one, known in names.items() if _is_version(one.removeprefix(f"{folded}."))]
            self._found[name] = names.get(folded, max(newest, key=_version, default=None))
        return self._found[name]

    def _profile(self, read: dict[str, Any]) -> Profile:
        base = self[read["extends"]] if read.get("extends") else Profile("")
        return Profile(
            name=read["name"],
            judging=Judging(**vars(base.judging) | _excluding(read.get("judging", {}))),
            averaging=Averaging(**vars(base.averaging) | read.get("averaging", {})),
            tool=read["tool"],
            version=read["version"],
            basis=read["basis"],
            sentence=read["sentence"],
            sources=tuple(read.get("sources", ())) or base.sources,
            why={**base.why, **read.get("why", {})},
            refuses={**base.refuses, **read.get("refuses", {})},
            rel=read.get("rel", base.rel),
            complete=read.get("complete", ""),
            cures={**base.cures, **read.get("cures", {})},
            differs=(*base.differs, *read.get("differs", ())),
            rowless=read.get("rowless", base.rowless),
            lacks=tuple(read.get("lacks", base.lacks)),
            rules=(*(_rule(one, read.get("unspecified", "")) for one in read.get("measures", ())), *base.rules),
        )


def _rule(read: dict[str, Any], unspecified: str) -> Rule:
    """A rule; what the tool leaves open is that of the whole profile where the rule does not say it."""
    return Rule(**{"unspecified": unspecified} | read | {"judging": _excluding(read.get("judging", {}))})


def _excluding(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings with what they exclude, which stands there as text: `self`, or `none`."""
    if "exclude" not in settings:
        return settings
    return settings | {"exclude": None if settings["exclude"] == "none" else Exclusion.of(settings["exclude"])}


def _folded(name: str) -> str:
    return name.casefold().replace("_", "-")


def _is_version(text: str) -> bool:
    return bool(text) and not text.strip(_VERSION)


def _version(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.rpartition("-")[2].split(".") if part)


_SENTENCE: Final = "trec_eval 10 with -c: a judged query that the run does not answer counts 0"
PROFILES: Final = Profiles()
"""Every profile there is."""
STANDARD: Final = PROFILES[_STANDARD]
"""The arithmetic of trec_eval 10 with `-c`: a judged query that the run does not answer counts 0."""


def profile_of(name: str | Profile) -> Profile:
    """The profile of a name.

    Raises:
        UsageError: `unknown-setting`.

    """
    if isinstance(name, Profile):
        return name
    if not isinstance(name, str):
        raise UsageError("unknown-setting", f"profile={name!r}: a profile is a name or a Profile")
    if name == ALL:
        text = "profile='all' stands for several; evaluate_profiles takes them"
        raise UsageError("unknown-setting", text)
    return PROFILES[name]


def _of_tool(name: str) -> list[str]:
    """The first profiles of a tool that has another name, too."""
    aliases = tomllib.loads(files("rankworth.profiles").joinpath("aliases.toml").read_text(encoding="utf-8"))
    called = name.casefold().replace("_", "-")
    known = next((known for known, others in aliases.items() if called in others), name)
    return [one for one in PROFILES if one.startswith(known)][:3]


def profiles_of(names: Sequence[str], *, complete: bool = False) -> list[Profile]:
    """The profiles of some names, the standard where there are none.

    Args:
        names: those of profiles; `all` stands for every one.
        complete: whether the tools would be called with `-c`, for which some have a profile of its own.

    Raises:
        UsageError: `unknown-setting`.

    """
    named = [one for name in names or (DEFAULT,) for one in (PROFILES if name == ALL else (name,))]
    chosen = {profile.name: profile for profile in map(profile_of, named)}
    if complete:
        return [
            _complete(one) for one in chosen.values() if one.name not in {other.complete for other in chosen.values()}
        ]
    return list(chosen.values())


def _complete(profile: Profile) -> Profile:
    """The profile as the tool's `-c` makes it: judged queries without results count."""
    if profile.complete:
        return profile_of(profile.complete)
    counts = profile.averaging.missing in ("zero", "nought", "absent")
    return profile if counts else profile.derive(missing="zero")
