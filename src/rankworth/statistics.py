"""`rankworth.stats` under its first name, which keeps working."""

import sys

from rankworth import stats

sys.modules[__name__] = stats
