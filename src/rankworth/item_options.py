"""Accepted values of parameters of measures of items, and the names of data on items."""

from typing import Final, Literal

Source = Literal["history", "items", "expected_run", "forbidden", "spans"]
"""Data about items: who had which before, what they are like, what users expect to see, what nobody may show them; and
judgements that are spans of sources."""
SOUGHT: Final = "--sources FOLDER, in Python sources={id: text}"
"""how a user names the sources in which judgements that are texts become spans"""
Distance = Literal["", "cosine", "euclidean", "hamming", "jaccard"]
"""How far two items are apart; where empty, as the column has it."""
Norm = Literal["n", "k"]
"""What a sum over a list is divided by: how many items it has, or the cutoff."""
Cold = Literal["one-user", "zero", "dropped"]
"""What an item counts that is not in the history: as one that a single user had, 0, or not at all."""
Users = Literal["judged", "history"]
"""Whose lists count: those of judged users, or of all who have a history."""
Of = Literal["known", "items", "history"]
"""The items of a catalogue: those of the table, or those of the history; `known`: of the table where there is one."""
Beyond = Literal["dropped", "counted"]
"""What becomes of items that are shown, and are none of the catalogue."""
Attention = Literal["log", "dcg", "rbp", "even"]
"""How much attention a rank gets: 1/log2(rank + 1), 1/log2(rank) but at most 1, p^(rank - 1), or 1."""
