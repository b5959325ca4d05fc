"""What a row is that workers get."""

from typing import Final

JUDGED: Final = 0
"""a judgement, or a query with a list of them"""
RANKED: Final = 1
"""a document of the run"""
LISTED: Final = 2
"""a query with a list of documents"""
GIVEN: Final = 3
"""how many documents a query had before some were left out"""
ASKED: Final = 4
"""a query that is to be evaluated"""
TWICE: Final = 5
"""a document that a query ranks several times, which is an error"""
PLACED: Final = 6
"""a position that several documents of a query have, which is one where positions decide"""
PARTED: Final = 7
"""a query with several lists, which is one where their order decides"""
