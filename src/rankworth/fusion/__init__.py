"""Fusion of runs: definitions, what tools do, and `fuse`."""

from rankworth.fusion.definition import METHODS as METHODS
from rankworth.fusion.definition import Fusion as Fusion
from rankworth.fusion.fusing import FusedRun as FusedRun
from rankworth.fusion.fusing import fuse as fuse
from rankworth.fusion.norms import NORMS as NORMS
from rankworth.fusion.tools import TOOLS as TOOLS
from rankworth.fusion.tools import like as like
