"""The step of the GitHub Action that compares (action.yml): from its inputs to `rankworth compare` and the comment."""

import os
import shlex
import subprocess
import sys
from pathlib import Path


def main() -> int:
    """Compare, and name the file of the comment where there is one; return the status of the gate."""
    files = [os.environ[name].strip() for name in ("QRELS", "BASELINE", "RUN")]
    limits, options = (shlex.split(os.environ.get(name, "")) for name in ("MAX_DROP", "OPTIONS"))
    comment = Path(os.environ["RUNNER_TEMP"]) / "rankworth-gate.md"
    comment.unlink(missing_ok=True)
    words = [*files, *(["--max-drop", *limits] if limits else []), *options, "-f", "github", "-o", str(comment)]
    command = [sys.executable, "-m", "rankworth", "compare", *words]
    status = subprocess.run(command, check=False).returncode
    if comment.exists() and (outputs := os.environ.get("GITHUB_OUTPUT")):
        with Path(outputs).open("a", encoding="utf-8") as file:
            file.write(f"comment={comment}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
