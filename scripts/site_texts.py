"""The documentation for programs that read it: `llms.txt`, `llms-full.txt` and a Markdown twin of every page."""

import re
from collections.abc import Iterator
from pathlib import Path

LIMIT = 200_000
"""bytes that llms-full.txt may have"""
ENOUGH = 80
"""characters of a summary after which no further sentence is added"""

GROUPS = ("tutorials/README", "howto/README", "reference", "explanation")
"""the pages that the navigation begins with: each lists the pages of its group"""
LEADING = ("README", "reference", "explanation", "api")
"""the names of pages that lead to others; a README leads to all pages of its folder"""
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
LISTED = re.compile(r"^- \[[^\]]*\]\(([^)#:]+\.md)\)", re.MULTILINE)
FRONT_MATTER = re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n+", re.MULTILINE)
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


def write(docs: Path, site: Path) -> None:
    """Write all texts into the folder of the site, the twin of `page.html` as `page.md`."""
    pages = [docs / "index.md", *(page for _, members in sections(docs) for page in members)]
    for page in pages:
        twin = site / page.relative_to(docs)
        twin.parent.mkdir(parents=True, exist_ok=True)
        twin.write_text(page.read_text("utf-8"), "utf-8")
    (site / "llms.txt").write_text(overview(docs), "utf-8")
    (site / "llms-full.txt").write_text(full_text(docs), "utf-8")


def overview(docs: Path) -> str:
    """What rankworth is, what to type for each task, then each page with its first sentences."""
    introduction = parts_of(docs / "index.md")[1].partition("\n## ")[0]
    by_task = (docs / "howto" / "by-task.md").read_text("utf-8").removeprefix("# ").strip()
    parts = [
        f"# rankworth\n\n{PICTURE.sub('', introduction).rstrip()}",
        f"## {by_task}",
        "Every page is Markdown; llms-full.txt holds most of them in one file.",
    ]
    for section, pages in sections(docs):
        lines = (f"- [{title(page)}]({page.relative_to(docs)}): {summary(page)}" for page in pages)
        parts.append("\n".join([f"## {section}\n", *lines]))
    return "\n\n".join(parts) + "\n"


def full_text(docs: Path, limit: int = LIMIT) -> str:
    """The pages that the index names, whole and in its order; notebooks and what exceeds the limit are left out."""
    text = ""
    for _, pages in sections(docs, folders=False):
        for page in (page for page in pages if page.parent.name != "notebooks"):
            part = f"<!-- {page.relative_to(docs)} -->\n\n{FRONT_MATTER.sub('', page.read_text('utf-8')).strip()}\n\n"
            if len((text + part).encode()) <= limit:
                text += part
    return text


def sections(docs: Path, *, folders: bool = True) -> Iterator[tuple[str, list[Path]]]:
    """Yield the groups, each with its page and those that it lists; with `folders`, also those that these lead to."""
    for group in GROUPS:
        page = docs / f"{group}.md"
        listed = [page, *members(page)]
        if folders:
            listed += [below for member in listed[1:] for below in members(member) if below not in listed]
        yield title(page), listed


def lists(page: Path) -> dict[str, list[Path]]:
    """Return the pages that a page leads to, by the heading above its list; of a folder, those not listed come last."""
    if page.stem not in LEADING:
        return {}
    first, *parts = SECTION.split(page.read_text("utf-8"))
    bodies = {"": first} | dict(zip(parts[::2], parts[1::2], strict=True))
    targets = {heading: LISTED.findall(body) for heading, body in bodies.items()}
    pages = {heading: [(page.parent / each).resolve() for each in listed] for heading, listed in targets.items()}
    pages = {heading: listed for heading, listed in pages.items() if listed} or {"": []}
    if page.stem == "README":
        listed = [page, *(member for members in pages.values() for member in members)]
        pages[[*pages][-1]] += sorted(other for other in page.parent.glob("*.md") if other not in listed)
    return pages


def members(page: Path) -> list[Path]:
    """Return the pages that a page leads to, in order."""
    return [member for listed in lists(page).values() for member in listed]


def title(page: Path) -> str:
    """The first heading."""
    return parts_of(page)[0]


def summary(page: Path) -> str:
    """The first sentences below the heading, `ENOUGH` characters or a little more, without links and code."""
    paragraphs = re.split(r"\n\s*\n", CODE.sub("", parts_of(page)[1]))
    first = next((part for part in paragraphs if part.strip() and part[0] not in "#|<!"), "")
    sentences = re.split(r"(?<=[.?!])\s", " ".join(LINK.sub(r"\1", first).split()))
    text = ""
    for sentence in sentences:
        if len(text) < ENOUGH:
            text += f" {sentence}"
    return text.strip()


def parts_of(page: Path) -> tuple[str, str]:
    """The title of a page, and what follows it."""
    _, _, text = f"\n{page.read_text('utf-8')}".partition("\n# ")
    heading, _, body = text.partition("\n")
    return heading, body.strip()
