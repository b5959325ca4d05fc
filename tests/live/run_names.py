"""Lists the public names of modules: reads a JSON list of modules, writes `{module: [name]}`, without those missing."""

import importlib
import json
import sys
from typing import Any


def public(module: Any) -> list[str]:
    """The names that a module exports, or all that have no underscore in front."""
    exported = getattr(module, "__all__", None)
    return list(exported) if exported else [name for name in vars(module) if not name.startswith("_")]


if __name__ == "__main__":
    json.dump({name: public(importlib.import_module(name)) for name in json.load(sys.stdin)}, sys.stdout)
