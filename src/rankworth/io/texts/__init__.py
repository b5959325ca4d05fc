"""Texts: what queries say, with what else is known of them, and the documents somebody asks for."""

from rankworth.io.texts.doors import documents, queries
from rankworth.io.texts.table import QueryTable, Value

__all__ = ["QueryTable", "Value", "documents", "queries"]
