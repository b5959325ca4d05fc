"""Conventions as data: named, versioned bundles of settings, and what tools call measures under each.

A profile is a file of `data`, which `loading` reads; `signing` says in one line which settings made a number.
"""

from rankworth.profiles.loading import ALL, DEFAULT, PROFILES, STANDARD, chosen_of, profile_of
from rankworth.profiles.profile import Asked, Profile, ReadSettings
from rankworth.profiles.rules import Rule
from rankworth.profiles.signing import Signature, in_one_line, refuse_differences, signature

__all__ = [
    "ALL",
    "DEFAULT",
    "PROFILES",
    "STANDARD",
    "Asked",
    "Profile",
    "ReadSettings",
    "Rule",
    "Signature",
    "chosen_of",
    "in_one_line",
    "profile_of",
    "refuse_differences",
    "signature",
]
