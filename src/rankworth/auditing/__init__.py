"""`audit`: which conventions reproduce a number, and why the numbers of two profiles differ."""

from rankworth.auditing.auditing import Audit as Audit
from rankworth.auditing.auditing import audit as audit
