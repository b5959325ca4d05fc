"""What is wrong or risky in judgements and runs: `check`, its findings, and the rules that make them."""

from rankworth.checking.checking import check as check
from rankworth.checking.findings import Check as Check
from rankworth.checking.findings import Finding as Finding
