"""Links to a state of the playground: JSON, deflated, in the letters of URLs, behind the # of an address."""

import base64
import binascii
import json
import zlib

from rankworth.errors import UsageError

_LONGEST = 4 << 20
"""how many bytes a state may have"""


def fragment(link: str) -> str:
    """What a link has from its # on; empty where there is no link.

    Raises:
        UsageError: `bad-request`, where it holds no ranking.

    """
    if not link:
        return ""
    text = link.rpartition("#")[2]
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        state = json.loads(zlib.decompressobj(-15).decompress(packed, _LONGEST))
        held = isinstance(state["documents"], list) and isinstance(state["rankings"], list)
    except (ValueError, KeyError, TypeError, RecursionError, zlib.error, binascii.Error):
        held = False
    if not held:
        raise UsageError(
            "bad-request", "--open: the link holds no ranking", remedy="copy it with Copy link on the page"
        )
    return f"#{text}"
