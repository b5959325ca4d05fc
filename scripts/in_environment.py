"""Runs a script again in the environment that scripts/set-up makes, where this Python lacks the package.

Asked for help, a script prints its docstring and does nothing else.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import __main__

if {"-h", "--help"} & set(sys.argv[1:]) and Path(sys.argv[0]).resolve().parent == Path(__file__).resolve().parent:
    sys.stdout.write(__main__.__doc__ or "")
    sys.exit()
if find_spec("rankworth") is None:
    launcher = Path(__file__).with_name("in-environment")
    os.execv(launcher, [str(launcher), "python", *sys.argv])  # noqa: S606 - the same script, without a shell
