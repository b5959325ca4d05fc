"""Makes the environments of tools whose versions clash with those of the tests, and says where they are.

Rankworth stands in them, too, with the lowest versions of what it needs.

`scripts/set-up` runs this file with the Python of its own environment; the others are made inside that one's folder,
and again only when the groups of pyproject.toml that they are made from, or the Python, have changed. Arguments name
the environments that are wanted.
"""

import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import Final

PROJECT: Final = Path(__file__).resolve().parents[2]
OWN: Final = ""
"""stands for the environment of the tests themselves"""
OLDEST: Final = ("--resolution", "lowest-direct", "--editable", ".[duckdb,plot]")
"""options of the installer for rankworth with the lowest versions that pyproject.toml allows"""
GROUPS: Final = {
    "recommending": (("recommending", *OLDEST), ("bare", "--no-deps")),
    "rankers": (("rankers", "--editable", "."),),
    "integrations": (("integrations", "--editable", "."),),
}
"""the dependency groups of each environment, with options of the installer for them"""
HEAVY: Final = ("integrations",)
"""environments of 2 GB, which are made where they are named"""


def folder_of(environment: str) -> Path:
    """Where an environment is, whether it has been made or not."""
    return Path(sys.prefix) / "tools" / environment if environment else Path(sys.prefix)


def python_of(environment: str) -> Path:
    """The interpreter of an environment."""
    inside = Path("Scripts", "python.exe") if sys.platform == "win32" else Path("bin", "python")
    return folder_of(environment) / inside if environment else Path(sys.executable)


def wanted(environment: str) -> str:
    """What an environment is made from, to be held against what it was made from."""
    declared = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = [
        f"{' '.join(group)}: {', '.join(declared['dependency-groups'][group[0]])}" for group in GROUPS[environment]
    ]
    project = declared["project"]
    own = [*project["dependencies"], *(item for extra in project["optional-dependencies"].values() for item in extra)]
    return "\n".join([f"Python {sys.version}", *groups, f"rankworth: {', '.join(own)}", ""])


def missing(environment: str) -> str | None:
    """Why tools cannot be run in an environment, as a sentence, or None if they can."""
    if not environment or (made_from(environment) == wanted(environment) and python_of(environment).exists()):
        return None
    state = "is not there" if made_from(environment) is None else "was made from other versions"
    command = f"./scripts/test{' --thorough' if environment in HEAVY else ''}"
    return f"the environment {folder_of(environment)} of tools to compare with {state}: {command} makes it"


def made_from(environment: str) -> str | None:
    """What an environment was made from, or None if it is not there."""
    note = folder_of(environment) / "made-from.txt"
    return note.read_text(encoding="utf-8") if note.is_file() else None


def make(environment: str) -> None:
    """Make an environment anew; the note that says what from comes last, so that half of one does not count."""
    folder = folder_of(environment)
    venv.create(folder, clear=True, with_pip=False)
    for group, *options in GROUPS[environment]:
        install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", str(python_of(environment))]
        subprocess.run([*install, *options, "--group", group], cwd=PROJECT, check=True)
    (folder / "made-from.txt").write_text(wanted(environment), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or [name for name in GROUPS if name not in HEAVY]:
        if missing(name):
            make(name)
