"""How much is tested: everything in a thorough run, a share at each commit."""

from typing import Final

from hypothesis import settings

SHARE: Final = 3
"""of the examples that a test asks for, a run that is not thorough makes one in so many"""


def is_thorough() -> bool:
    """Whether all that there is to test is tested."""
    return settings.default is settings.get_profile("thorough")
