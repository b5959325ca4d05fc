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

from rankworth.errors import counted
from rankworth.pages import SHARED
from rankworth.report import dates, first_screen, pipeline
from rankworth.report.first_screen import escaped
from rankworth.tables.look import visible

_PAGE: Final = files("rankworth.report") / "page"
_MODULES: Final = (SHARED["dom.js"], SHARED["charts.js"], _PAGE / "charts.js", _PAGE / "report.js")
_STYLES: Final = (SHARED["design.css"], SHARED["rankings.css"], _PAGE / "report.css")
_NOTES: Final = 3
"""how many notes are shown; the rest is folded"""
_RUNS: Final = 3
"""how many runs are named above the page"""
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
<header><p id="about">{about}</p><nav id="tools" aria-label="Page"></nav></header>
<main id="main" tabindex="-1">
<section id="verdict" aria-label="Verdict">{verdict}</section>
<section id="measures" aria-label="Measures">{measures}</section>
<section id="extremes" aria-label="Queries that matter most">{extremes}</section>
<section id="groups" aria-label="Groups">{groups}</section>
<section id="pipeline" aria-label="Pipeline">{pipeline}</section>
<section id="notes" aria-label="Notes">{notes}</section>
<noscript><p class="note">Rankings, the table of queries and further charts need a script.</p></noscript>
<section id="query" aria-label="One query"></section>
<section id="queries" aria-label="Queries"></section>
<section id="chances" aria-label="What to do next"></section>
<details id="details"><summary><h2>Details</h2></summary>
<section id="scores" aria-label="Scores and differences"><h2>Scores and differences</h2>
<div id="forest"></div>{details}
<details><summary>Tables with p values</summary><div id="copies"></div>{scores}</details></section>
<section id="tradeoff" aria-label="Accuracy and catalogue">{tradeoff}</section>
<section id="curves" aria-label="Cutoffs and recall"></section>
<section id="profiles" aria-label="Profiles"></section>
<section id="health" aria-label="Data health">{health}</section>
<section id="method" aria-label="Method"><h2>How this was made</h2>{method}</section>
</details>
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
    sources = {name: tables[name] for name in ("markdown", "latex")} | {"cards": first_screen.cards(record)}
    return _HTML.format(
        digest=digest,
        title=escape(": ".join(filter(None, (visible(record["title"]), record["conclusion"]["sentence"])))),
        about=_about(record),
        style=_style(),
        verdict=first_screen.verdict(record) + pipeline.verdict(record),
        measures=first_screen.measures(record),
        extremes=first_screen.extremes(record),
        groups=first_screen.groups(record),
        pipeline=pipeline.section(record),
        notes=_notes(record),
        details=_paragraphs(record["conclusion"]["details"], "small"),
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


def _deflated(part: object) -> str:
    """Write JSON, deflated, in letters; no text of a user can end the element that holds it."""
    text = json.dumps(part, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode()


def _script() -> str:
    """Join the modules: a page that is mailed has no files to import them from."""
    text = "\n".join(module.read_text("utf-8") for module in _MODULES)
    text = re.sub(r"^import .*\n|^ *//.*\n|/\*\*(?s:.*?)\*/\n|^ +", "", text, flags=re.MULTILINE)
    return re.sub(r"^export ", "", text, flags=re.MULTILINE).replace("</", "<\\/")


def _style() -> str:
    return "\n".join(style.read_text("utf-8") for style in _STYLES)


def _paragraphs(sentences: Iterable[str], kind: str = "") -> str:
    return "".join(f'<p class="{kind}">{escaped(sentence)}</p>' for sentence in sentences)


def _about(record: Mapping[str, Any]) -> str:
    """Say what the page is about: the data, the runs, how many queries, and the day."""
    runs = [f"<bdi>{escape(visible(name))}</bdi>" for name in record["runs"]]
    named = (
        " → ".join(runs) if len(runs) < _RUNS else f"{', '.join(runs[:_RUNS])}{', ...' if len(runs) > _RUNS else ''}"
    )
    many = [f"{len(runs)} runs"] if len(runs) > _RUNS else []
    date = f'<time datetime="{record["date"]}">{dates.in_words(record["date"])}</time>' if record["date"] else ""
    parts = [*many, counted(len(record["queries"])), date]
    title = escape(visible(record["title"])) or "Report"
    details = f'<span class="runs">{named} · </span>{" · ".join(filter(None, parts))}'
    return f'<b dir="auto">{title}</b> <span class="muted">{details}</span>'


def _notes(record: Mapping[str, Any]) -> str:
    """Write the notes on the data, one line each that opens; the rest is folded after the first few."""
    findings = [each["text"] for each in record["findings"] if each["severity"] != "note"]
    if not record["findings"] and record["comparison"]:
        findings = [each["text"] for each in record["comparison"]["warnings"]]
    texts = [*findings, *record["lacks"]]
    notes = [_note(text) for text in texts]
    shown, rest = "".join(notes[:_NOTES]), notes[_NOTES:]
    if rest:
        shown += f"<details><summary>{len(rest)} more</summary>{''.join(rest)}</details>"
    return shown


def _note(text: str) -> str:
    """Write the first sentence of a note, and the rest of it folded."""
    first, stop, rest = text.partition(". ")
    if not rest:
        return f'<p class="note">{escaped(text)}</p>'
    return f'<details class="note"><summary>{escaped(first + stop.strip())}</summary><p>{escaped(rest)}</p></details>'


def _tradeoff(record: Mapping[str, Any]) -> str:
    """Write the sentence on accuracy and catalogue, above the chart; empty where there is none."""
    shown = record["tradeoff"]
    return f"<h2>Accuracy and catalogue</h2>{_paragraphs([shown['sentence']])}<div id=plane></div>" if shown else ""


def _health(record: Mapping[str, Any]) -> str:
    """Write what is wrong or risky in judgements and runs, a paragraph each; empty if they were measured elsewhere."""
    if not record["findings"]:
        return ""
    count = len(record["findings"])
    findings = (f"{each['severity']}: {each['text']} [{each['slug']}]" for each in record["findings"])
    heading = f"<h2>Data health</h2><details><summary>{count} {'note' if count == 1 else 'notes'}</summary>"
    return f"{heading}{_paragraphs(findings)}</details>"


def _method(record: Mapping[str, Any], tables: Mapping[str, str]) -> str:
    """Say how the numbers were made, for those who want to check them and to cite it."""
    text = re.sub(r"~\\cite\{[^}]*\}", "", tables["method"]).replace("\\", "")
    signatures = _paragraphs((f"{label} {line}" for label, line in record["signatures"].items()), "small")
    parts = [f"<p>Command</p><pre>{escape(visible(record['command']))}</pre>"] if record["command"] else []
    parts.append(
        f"<details><summary>Tests and intervals</summary>{_paragraphs([text] if text else [])}{signatures}</details>"
    )
    if tables["formulas"]:
        parts.append(f"<details><summary>Formulas</summary><pre>{escape(tables['formulas'])}</pre></details>")
    if record["digests"]:
        lines = "\n".join(f"{digest}  {name}" for name, digest in record["digests"].items())
        parts.append(f"<details><summary>SHA-256 of the files</summary><pre>{escape(lines)}</pre></details>")
    if tables["bibtex"]:
        parts.append(f"<details><summary>BibTeX</summary><pre>{escape(tables['bibtex'])}</pre></details>")
    parts.append(f"<p class=small>rankworth {escape(record['rankworth'])}</p>")
    return "\n".join(parts)
