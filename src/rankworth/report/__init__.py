"""Reports: one page that can be mailed, from the verdict to the ranking of one query."""

from rankworth.report.content import Report as Report
from rankworth.report.content import make as make
