"""What a row is that workers get."""

from typing import Final

JUDGED: Final = 0
"""a judgement, or a query with a list of them"""
RANKED: Final = 1
"""a document of the run"""
GIVEN: Final = 2
"""how many documents a query had before some were left out"""
TWICE: Final = 5
"""a document that a query ranks several times, which is an error"""
LISTED: Final = 3
"""a query with a list of documents"""
EXCLUDED: Final = 4
"""a query with a list of documents that do not count"""
