"""The command as a process: `rankworth` and `python -m rankworth`."""

import os
import sys

_WRONG, _INTERRUPTED = 2, 130


def main() -> int:
    """Run the command line; Ctrl-C ends it without a traceback while its modules are loaded, too.

    What goes wrong in rankworth itself does not end with Python's exit status, 1, which is that of gates that fail.
    """
    try:
        from rankworth.cli import main as run  # noqa: PLC0415 - loading takes a tenth of a second

        return run()
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)
    except Exception:  # noqa: BLE001 - whatever it is
        sys.excepthook(*sys.exc_info())
        return _WRONG


if __name__ == "__main__":
    sys.exit(main())
