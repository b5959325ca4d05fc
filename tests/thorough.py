"""How much is tested: everything in a thorough run, a share at each commit, a smaller one in a quick run."""

import os
from typing import Final

from hypothesis import settings

PROFILE: Final = os.environ.get("HYPOTHESIS_PROFILE", "commit")
"""`commit`, or what `scripts/test --quick` or `--thorough` sets"""
SHARE: Final = 10 if PROFILE == "quick" else 3
"""of the examples that a test asks for, a run that is not thorough makes one in so many"""


def is_thorough() -> bool:
    """Whether all that there is to test is tested."""
    return settings.default is settings.get_profile("thorough")
