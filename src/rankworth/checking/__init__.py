"""What is wrong or risky in judgements and runs: `check`, its findings, and the rules that make them."""

from rankworth.checking.checking import check
from rankworth.checking.findings import Check, Finding

__all__ = ["Check", "Finding", "check"]
