"""`audit`: which conventions reproduce a number, why those of two profiles differ, and which fusion made a run."""

from rankworth.auditing.auditing import Audit as Audit
from rankworth.auditing.auditing import audit as audit
from rankworth.auditing.fusions import FusionAudit as FusionAudit
from rankworth.auditing.fusions import audit_fusion as audit_fusion
