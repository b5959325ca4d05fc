"""Conventions as data: named, versioned bundles of settings, and what tools call measures under each.

A profile is a file of `data`; `signature` says in one line which settings made a number.
"""

from rankworth.profiles.profile import (
    ALL,
    DEFAULT,
    PROFILES,
    STANDARD,
    Profile,
    ReadSettings,
    ResolvedMeasure,
    Rule,
    profile_of,
    profiles_of,
)
from rankworth.profiles.signature import Signature, combined, refuse_differences, signature

__all__ = [
    "ALL",
    "DEFAULT",
    "PROFILES",
    "STANDARD",
    "Profile",
    "ReadSettings",
    "ResolvedMeasure",
    "Rule",
    "Signature",
    "combined",
    "profile_of",
    "profiles_of",
    "refuse_differences",
    "signature",
]
