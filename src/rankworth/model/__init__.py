"""What comes in over the public border: judgements and runs; never written to by anybody.

`Qrels` and `Run` say what was read, checked and put in order; how they meet is the business of `judging`.
"""

from rankworth.model.digest import Changes, Digest, QueryDigest
from rankworth.model.qrels import Qrels
from rankworth.model.run import Run, stem

__all__ = ["Changes", "Digest", "Qrels", "QueryDigest", "Run", "stem"]
