"""Conventions as data: named, versioned bundles of settings, and what tools call measures under each.

A profile is a file of `data`; `signature` says in one line which settings made a number.
"""

from rankworth.profiles.call_data import NO_DATA as NO_DATA
from rankworth.profiles.call_data import CallData as CallData
from rankworth.profiles.profile import ALL as ALL
from rankworth.profiles.profile import DEFAULT as DEFAULT
from rankworth.profiles.profile import PROFILES as PROFILES
from rankworth.profiles.profile import STANDARD as STANDARD
from rankworth.profiles.profile import Profile as Profile
from rankworth.profiles.profile import ReadSettings as ReadSettings
from rankworth.profiles.profile import ResolvedMeasure as ResolvedMeasure
from rankworth.profiles.profile import profile_of as profile_of
from rankworth.profiles.profile import profiles_of as profiles_of
from rankworth.profiles.rules import Rule as Rule
from rankworth.profiles.signature import Signature as Signature
from rankworth.profiles.signature import combined as combined
from rankworth.profiles.signature import refuse_differences as refuse_differences
from rankworth.profiles.signature import signature as signature
