"""Conventions as data: named, versioned bundles of settings, and the signature that says which were used."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, TypeVar

from rankworth.averaging import Averaging, Missing
from rankworth.errors import UsageError
from rankworth.io.duplicates import DuplicateJudgements, Duplicates
from rankworth.judging.exclusion import Exclusion
from rankworth.judging.settings import Judging, Unjudged


@dataclass(frozen=True)
class Profile:
    """How to judge and how to average, under one name.

    Attributes:
        name: the name with its version, such as `standard-1`.
        judging: settings of the judging.
        averaging: settings of the averaging.

    """

    name: str
    judging: Judging = field(default_factory=Judging)
    averaging: Averaging = field(default_factory=Averaging)

    def derive(
        self,
        *,
        missing: Missing | None = None,
        depth: int | None = None,
        unjudged: Unjudged | None = None,
        duplicates: Duplicates | None = None,
        duplicate_judgements: DuplicateJudgements | None = None,
        exclude: object = None,
    ) -> "Profile":
        """The same profile with settings changed; the signature names what differs.

        Args:
            missing: see `Averaging`.
            depth: see `Judging`.
            unjudged: see `Judging`.
            duplicates: see `Judging`.
            duplicate_judgements: see `Judging`.
            exclude: anything that `Exclusion.of` reads.

        Raises:
            UsageError: `unknown-setting`.
            InputError: where what is to be excluded cannot be read.

        """
        judging = _changed(
            self.judging,
            depth=depth,
            unjudged=unjudged,
            duplicates=duplicates,
            duplicate_judgements=duplicate_judgements,
            exclude=None if exclude is None else Exclusion.of(exclude),
        )
        averaging = _changed(self.averaging, missing=missing)
        same = judging is self.judging and averaging is self.averaging
        return self if same else replace(self, judging=judging, averaging=averaging)


Settings = TypeVar("Settings", Judging, Averaging)


def _changed(settings: Settings, **changes: Any) -> Settings:  # noqa: ANN401 - values of settings
    changed = {name: value for name, value in changes.items() if value is not None}
    return replace(settings, **changed) if changed else settings


STANDARD: Final = Profile("standard-1")
"""The arithmetic of trec_eval 10 with `-c`: a judged query that the run does not answer counts 0."""

PROFILES: Final = {"standard": STANDARD, STANDARD.name: STANDARD}


def profile_of(name: str | Profile) -> Profile:
    """The profile of a name.

    Raises:
        UsageError: `unknown-setting`.

    """
    if isinstance(name, Profile):
        return name
    if name not in PROFILES:
        raise UsageError("unknown-setting", f"there is no profile {name!r}; there is {', '.join(PROFILES)}")
    return PROFILES[name]


def signature(profile: Profile, queries: Sequence[str], version: str) -> str:
    """One line that says how values came about: `profile:standard-1|missing:skip|queries:43-1f2a...|rankworth:0.1.0`.

    Settings appear where they differ from the profile of that name. The query set is given by its size and the first
    digits of the SHA-256 of its ids. The version is recorded; it does not make values incomparable.

    >>> signature(STANDARD.derive(missing="skip"), ["q1"], "0.1.0")
    'profile:standard-1|missing:skip|queries:1-c75de8c1|rankworth:0.1.0'
    """
    base = PROFILES[profile.name]
    said = {"profile": profile.name}
    for ours, theirs in ((profile.judging, base.judging), (profile.averaging, base.averaging)):
        names = (setting.name for setting in fields(ours))
        said |= {name: str(getattr(ours, name)) for name in names if getattr(ours, name) != getattr(theirs, name)}
    digest = hashlib.sha256("\n".join(queries).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    said["queries"] = f"{len(queries)}-{digest}"
    said["rankworth"] = version
    return "|".join(f"{name}:{value}" for name, value in said.items())
