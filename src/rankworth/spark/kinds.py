"""What a row is that workers get."""

from typing import Final

MET: Final = 0
"""a document of the run, a judgement, or both in one"""
JUDGED: Final = 1
"""a query with a list of judgements"""
LISTED: Final = 2
"""a query with a list of documents"""
GIVEN: Final = 3
"""how many documents a query had before some were left out"""
ASKED: Final = 4
"""a query that is to be evaluated"""
PLACED: Final = 5
"""a position that several documents of a query have, which is an error where positions decide"""
RISING: Final = 7
"""a query with a list whose scores contradict its order"""
BLANK: Final = 8
"""how many judgements of a query have no grade"""
PARTED: Final = 6
"""a query with several lists, which is one where their order decides"""
