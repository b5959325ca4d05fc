"""The page of a report: one file with its data, its style and its script, which loads nothing from elsewhere."""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from typing import Any, Final

from rankworth.pages import SHARED

_PAGE: Final = files("rankworth.report") / "page"
_MODULES: Final = (SHARED["dom.js"], SHARED["charts.js"], _PAGE / "charts.js", _PAGE / "report.js")
_STYLES: Final = (SHARED["design.css"], SHARED["rankings.css"], _PAGE / "report.css")
_FRAME: Final = 2_500
"""how many bytes the elements of the page and its sentences have"""
_HTML: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body class="report">
<a class="skip" href="#main">Skip to the content</a>
<header><h1>{heading}</h1><nav id="tools" aria-label="Page"></nav></header>
<main id="main" tabindex="-1">
<section id="verdict" aria-label="Verdict">{verdict}</section>
<noscript><p class="note">Without a script the page has tables only: no charts, queries and rankings.</p></noscript>
<section id="scores" aria-label="Scores and differences"><h2>Scores and differences</h2>
<div id="forest"></div>{scores}</section>
<section id="tradeoff" aria-label="Accuracy and catalogue">{tradeoff}</section>
<section id="queries" aria-label="Queries"></section>
<section id="query" aria-label="One query"></section>
<section id="curves" aria-label="Cutoffs and recall"></section>
<section id="chances" aria-label="What to do next"></section>
<section id="profiles" aria-label="Profiles"></section>
<section id="health" aria-label="Data health">{health}</section>
<section id="method" aria-label="Method"><h2>Method</h2>{method}</section>
</main>
<p id="status" role="status"></p>
<script type="application/octet-stream" id="data">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def html(record: Mapping[str, Any], tables: Mapping[str, str]) -> str:
    """Write the page.

    Args:
        record: what the report says, as JSON holds it.
        tables: the sections that need no script, and their sources for papers.

    """
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    sources = {name: tables[name] for name in ("markdown", "latex")}
    names = [*map(escape, record["runs"][:3]), *(["..."] if len(record["runs"]) > 3 else [])]  # noqa: PLR2004
    return _HTML.format(
        digest=digest,
        title=" vs ".join(names),
        heading=" vs ".join(f"<bdi>{name}</bdi>" for name in names),
        style=_style(),
        verdict=_paragraphs(record["verdict"]) + _paragraphs(record["lacks"], "note"),
        scores=tables["html"],
        tradeoff=_tradeoff(record),
        health=_health(record),
        method=_method(record, tables),
        data=_deflated({**record, "sources": sources}),
        script=script,
    )


def size(part: object) -> int:
    """Count the bytes that a part of the record takes on the page."""
    return len(_deflated(part))


def bytes_left(record: Mapping[str, Any], most: int) -> int:
    """Count the bytes that are left for rankings on a page that may have so many."""
    return most - size(record) - len(_script()) - len(_style()) - len(_sections(record).encode()) - _FRAME


def _deflated(part: object) -> str:
    """Write JSON, deflated, in letters; no text of a user can end the element that holds it."""
    text = json.dumps(part, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"))).decode()


def _script() -> str:
    """Join the modules: a page that is mailed has no files to import them from."""
    text = "\n".join(module.read_text("utf-8") for module in _MODULES)
    text = re.sub(r"^import .*$", "", text, flags=re.MULTILINE)
    return re.sub(r"^export ", "", text, flags=re.MULTILINE).replace("</", "<\\/")


def _style() -> str:
    return "\n".join(style.read_text("utf-8") for style in _STYLES)


def _paragraphs(sentences: Iterable[str], kind: str = "") -> str:
    return "".join(f'<p class="{kind}">{escape(sentence)}</p>' for sentence in sentences)


def _sections(record: Mapping[str, Any]) -> str:
    """Write the sections whose size depends on the record."""
    return _tradeoff(record) + _health(record)


def _tradeoff(record: Mapping[str, Any]) -> str:
    """Write the sentence on accuracy and catalogue, above the chart; empty where there is none."""
    shown = record["tradeoff"]
    return f"<h2>Accuracy and catalogue</h2>{_paragraphs([shown['sentence']])}<div id=plane></div>" if shown else ""


def _health(record: Mapping[str, Any]) -> str:
    """Write what is wrong or risky in judgements and runs, a paragraph each; empty if they were measured elsewhere."""
    if not record["findings"]:
        return ""
    findings = (f"{each['severity']}: {each['text']} [{each['slug']}]" for each in record["findings"])
    return "<h2>Data health</h2>" + _paragraphs(findings)


def _method(record: Mapping[str, Any], tables: Mapping[str, str]) -> str:
    """Say how the numbers were made, for those who want to check them and to cite it."""
    text = re.sub(r"~\\cite\{[^}]*\}", "", tables["method"]).replace("\\", "")
    parts = [_paragraphs([text] if text else [])]
    parts.append(_paragraphs((f"{label} {line}" for label, line in record["signatures"].items()), "small"))
    if tables["formulas"]:
        parts.append(f"<details><summary>Formulas</summary><pre>{escape(tables['formulas'])}</pre></details>")
    if record["command"]:
        parts.append(f"<p>Made by</p><pre>{escape(record['command'])}</pre>")
    if record["digests"]:
        lines = "\n".join(f"{digest}  {name}" for name, digest in record["digests"].items())
        parts.append(f"<details><summary>SHA-256 of the files</summary><pre>{escape(lines)}</pre></details>")
    if tables["bibtex"]:
        parts.append(f"<details><summary>BibTeX</summary><pre>{escape(tables['bibtex'])}</pre></details>")
    parts.append(f"<p class=small>rankworth {escape(record['rankworth'])}</p>")
    return "\n".join(parts)
