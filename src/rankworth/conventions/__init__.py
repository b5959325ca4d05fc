"""The conventions in words: which profiles there are, what one of them says, and who differs in which measure.

Everything is read from the profiles and from the settings; `docs/conventions` holds the same as pages.
"""

from rankworth.conventions.handbook import pages
from rankworth.conventions.telling import listing, names, page

__all__ = ["listing", "names", "page", "pages"]
