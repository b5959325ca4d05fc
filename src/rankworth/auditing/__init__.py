"""`audit`: which conventions reproduce a number, and why the numbers of two profiles differ."""

from rankworth.auditing.auditing import Audit, audit

__all__ = ["Audit", "audit"]
