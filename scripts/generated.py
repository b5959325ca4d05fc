"""Generated pages of a folder: compared with what is there, or written."""

import sys
from collections.abc import Collection, Mapping
from pathlib import Path


def update(folder: Path, pages: Mapping[str, str], script: str, by_hand: Collection[str] = ()) -> None:
    """Write the pages of a folder and remove those left over; with `--check`, exit with a message if any is wrong.

    Args:
        folder: where they belong, in docs.
        pages: their texts by file name.
        script: the name of the script that writes them.
        by_hand: files of the folder that nobody generates.

    """
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*") if path.name not in by_hand}
    wrong = [f"{name} differs" for name in pages if name in there and there[name] != pages[name]]
    wrong += [f"{name} is missing" for name in pages if name not in there]
    wrong += [f"{name} is left over" for name in there if name not in pages]
    if sys.argv[1:] == ["--check"]:
        if wrong:
            sys.exit(f"docs/{folder.name}: {', '.join(wrong)}; to write them: scripts/{script}")
    elif sys.argv[1:]:
        sys.exit(f"usage: scripts/{script} [--check]")
    else:
        folder.mkdir(exist_ok=True)
        for name in there.keys() - pages.keys():
            (folder / name).unlink()
        for name, text in pages.items():
            (folder / name).write_text(text, encoding="utf-8")


def update_file(target: Path, text: str, script: str) -> None:
    """Write one file; with `--check`, exit with a message if it differs.

    Args:
        target: the file.
        text: what it is to hold.
        script: the name of the script that writes it.

    """
    if sys.argv[1:] != ["--check"]:
        target.write_text(text, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != text:
        sys.exit(f"{target.name} differs; to write it: scripts/{script}")
