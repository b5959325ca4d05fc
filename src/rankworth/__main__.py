"""`python -m rankworth` is `rankworth`."""

import sys

from rankworth.cli import main

if __name__ == "__main__":
    sys.exit(main())
