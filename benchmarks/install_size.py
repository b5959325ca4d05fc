"""How much disk rankworth takes with all it depends on, in a fresh virtual environment."""

import argparse
import subprocess
import sys
import tempfile
import venv
from importlib import metadata
from pathlib import Path
from typing import Final

import measuring

_ROOT: Final = Path(__file__).resolve().parent.parent
_TOOLS: Final = ("pip", "setuptools")


def main() -> None:
    """Install into a folder that is removed at the end, or look into one that is there, and add up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--venv", type=Path, help="an environment with nothing but rankworth; made where not said")
    options = parser.parse_args()
    if options.venv:
        _report(options.venv)
        return
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        pip = [str(Path(folder) / "bin" / "python"), "-m", "pip", "install", "--quiet", str(_ROOT)]
        subprocess.run(pip, check=True, stdout=sys.stderr)
        _report(Path(folder))


def _report(environment: Path) -> None:
    site = next(environment.glob("lib/python*/site-packages"))
    sizes = {one.name: (one.version, _size(one)) for one in metadata.distributions(path=[str(site)])}
    kept = {name: size for name, size in sizes.items() if name not in _TOOLS}
    total = sum(size for _, size in kept.values())
    rows = [
        [name, version, f"{size / 1e6:,.1f}", f"{size / total:.1%}"]
        for name, (version, size) in sorted(kept.items(), key=lambda one: -one[1][1])
    ]
    print(measuring.grid(["distribution", "version", "MB", "share"], [*rows, ["all", "", f"{total / 1e6:,.1f}", ""]]))
    print(f"{total / 1e6:,.0f} MB, which du counts as {total / 2**20:,.0f} MiB; without {' and '.join(_TOOLS)}")


def _size(distribution: metadata.Distribution) -> int:
    """The blocks that its files take, as du counts them, compiled modules included."""
    places = {Path(str(file.locate())) for file in distribution.files or ()}
    return sum(place.stat().st_blocks * 512 for place in places if place.is_file())


if __name__ == "__main__":
    main()
