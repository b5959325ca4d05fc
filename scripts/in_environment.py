"""Runs a script again in the environment that scripts/set-up makes, where this Python lacks the package."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

if find_spec("rankworth") is None:
    launcher = Path(__file__).with_name("in-environment")
    os.execv(launcher, [str(launcher), "python", *sys.argv])  # noqa: S606 - the same script, without a shell
