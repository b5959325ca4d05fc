"""Links to a state of the playground: JSON, deflated, in the letters of URLs, behind the # of an address."""

import base64
import json
import zlib

from rankworth.errors import RankworthError, UsageError
from rankworth.explorer.playground import Playground

_LONGEST = 4 << 20
"""how many bytes a state may have"""


def fragment(link: str) -> str:
    """Check a link and return its part from the # on, or an empty text.

    Raises:
        UsageError: `bad-request`, where it holds no ranking.

    """
    if not link:
        return ""
    text = link.rpartition("#")[2]
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        Playground.of(json.loads(zlib.decompressobj(-15).decompress(packed, _LONGEST)))
    except (ValueError, RecursionError, zlib.error, RankworthError) as error:
        why = f": {error.problems[0]}" if isinstance(error, RankworthError) else ""
        remedy = "copy it with Copy link on the page"
        raise UsageError("bad-request", f"--open: the link holds no ranking{why}", remedy=remedy) from None
    return f"#{text}"
