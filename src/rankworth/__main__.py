"""The command as a process: `rankworth` and `python -m rankworth`."""

import os
import sys

_INTERRUPTED = 130


def main() -> int:
    """Run the command line; Ctrl-C ends it without a traceback while its modules are loaded, too."""
    try:
        from rankworth.cli import main as run  # noqa: PLC0415 - loading takes a tenth of a second

        return run()
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
