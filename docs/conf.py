"""How Sphinx makes a site of the pages in this folder, which are also read as they lie; `scripts/docs` builds it."""  # noqa: INP001 - no package

import os
import re
import sys
import tomllib
from ast import literal_eval
from base64 import b64encode
from html import escape
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

import rankworth
from rankworth.plots.canvas import rendered

sys.path.append(str(Path(__file__).parent.parent / "scripts"))
import page_of_design
import site_texts

project = "rankworth"
author = "The rankworth developers"
version = release = rankworth.__version__
language = "en"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
NOT_HERE = ("decisions", "functions")
"""folders for those who read the repository: how it came about, and signatures, which the pages of the API have here"""
exclude_patterns = ["example", *NOT_HERE]
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 80
nitpick_ignore_regex = [("py:.*", r"(?!rankworth\.).*"), ("py:.*", r"rankworth\.\w+\..*")]  # libraries, and the rooms

html_theme = "pydata_sphinx_theme"
html_title = f"rankworth {release}"
html_static_path = ["theme"]
html_css_files = ["design.css", "site.css"]
html_favicon = "theme/icon.svg"
html_search_scorer = str(Path(__file__).parent / "theme" / "search-scorer.js")
html_sidebars = {"index": [], "notebooks/*": []}  # tables and code need the width
html_show_copyright = False
html_show_sourcelink = False  # the Markdown of a page lies beside it
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "rankworth"},
    "navigation_with_keys": False,
    "collapse_navigation": True,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_end": [],
}

VARIABLES = re.compile(r"^:root.*?\}$", re.DOTALL | re.MULTILINE)
"""the rules of the design that name sizes and colours"""
LOGGED = re.compile(r"console\.(?:log|debug|info)\((?=.)")
PICTURE = re.compile(r"^!\[(.+)\]\((\S+)-light\.png\)$", re.MULTILINE)
"""a picture of which there is another one for dark pages"""
LISTED = re.compile(rf"^- \[[^\]]+\]\((?:\.\./)?(?:{'|'.join(NOT_HERE)})/[^)]*\).*\n", re.MULTILINE)
"""a line of a list that leads to a page that is not here"""
ABSENT = re.compile(rf"\[([^\]]+)\]\((?:\.\./)?(?:{'|'.join(NOT_HERE)})/[^)]*\)")
LINK = re.compile(r"\[([^\]]+)\]\((\.\.[^)#]+)\)")
CODE = re.compile(r"(?<![`:])`([^`]+)`(?!`)(?P<letters>\w*)")
EXAMPLE = re.compile(r'^>>> ranking = (.+)\n>>> rankworth\.score\(ranking, "([^"]+)", missing=(.+)\)$', re.MULTILINE)
"""the grades of a worked example, its measure, and the grades of documents that were not retrieved"""
THEMES = ("light", "dark")
WORDS = tomllib.loads((Path(__file__).parent / "theme" / "search-words.toml").read_text("utf-8"))
"""what readers call the subject of a page"""
TITLE = re.compile(r"^# .+$", re.MULTILINE)
ATTRIBUTES = ("attribute", "data", "property")


def setup(app: Sphinx) -> None:
    """Read the pages and the docstrings as they are written."""
    app.add_html_math_renderer("mathml", (show_math, None), (show_math, None))
    app.connect("source-read", read_page)
    app.connect("autodoc-process-docstring", read_docstring, priority=400)  # before napoleon, which has 500
    app.connect("build-finished", finish)


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Write the variables of the design, and have the theme say nothing in the console."""
    if exception is None:
        static = Path(app.outdir, "_static")
        design = (Path(rankworth.__file__).parent / "pages" / "design.css").read_text("utf-8")
        (static / "design.css").write_text("\n".join(VARIABLES.findall(design)), "utf-8")
        for script in (static / "scripts" / "pydata-sphinx-theme.js", Path(app.outdir, "search.html")):
            script.write_text(LOGGED.sub("void(", script.read_text("utf-8")), "utf-8")


def show_math(translator: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    """Write a formula as MathML, which browsers show without a script; a wide one is scrolled."""
    if isinstance(node, nodes.math_block):
        formula = convert(node.astext(), display="block")
        translator.body.append(f'<div style="overflow-x: auto" tabindex="0">{formula}</div>')
    else:
        translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def read_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Add what GitHub needs not: trees of pages, and files from outside this folder, which become downloads."""
    folder = Path(app.srcdir, page).parent

    def bring_along(link: re.Match[str]) -> str:
        file = (folder / link[2]).resolve()
        outside = file.is_file() and not file.is_relative_to(app.srcdir)
        return f"{{download}}`{' '.join(link[1].split())} <{link[2]}>`" if outside else link[0]

    source[0] = ABSENT.sub(r"\1", LISTED.sub("", source[0]))
    source[0] = PICTURE.sub(for_light_and_dark, LINK.sub(bring_along, source[0]))
    if example := EXAMPLE.search(source[0]):
        source[0] = source[0].replace("\n## In Python\n", f"\n{picture(*example.groups())}\n\n## In Python\n")
    if page in WORDS:
        entries = ", ".join(f"! {word}" for word in WORDS[page])
        source[0] = TITLE.sub(lambda title: f"{title[0]}\n\n```{{index}} {entries}\n```", source[0], count=1)
    file = Path(app.srcdir, f"{page}.md")
    trees = (
        {"": [Path(app.srcdir, f"{group}.md") for group in site_texts.GROUPS]}
        if page == "index"
        else site_texts.lists(file)
    )
    source[0] += "".join(tree(heading, members, file.parent) for heading, members in trees.items())


def for_light_and_dark(picture: re.Match[str]) -> str:
    """Show the picture that fits the page's colours."""
    return "\n\n".join(
        f"```{{image}} {picture[2]}-{theme}.png\n:alt: {picture[1]}\n:class: only-{theme}\n```" for theme in THEMES
    )


def tree(heading: str, members: list[Path], folder: Path) -> str:
    """The part of the navigation that a list of pages becomes."""
    caption = f":caption: {heading}\n" if heading else ""
    here = (member for member in members if member.parent.name not in NOT_HERE)
    entries = "\n".join(os.path.relpath(member.with_suffix(""), folder) for member in here)
    return f"\n```{{toctree}}\n:hidden:\n{caption}\n{entries}\n```\n"


def picture(grades: str, measure: str, missing: str) -> str:
    """The chart of a worked example, inside the page; nothing of a count, or where no rank adds anything by itself."""
    if not isinstance(rankworth.parse(measure), rankworth.Measure):
        return ""
    explanation = rankworth.explain(grades=literal_eval(grades), missing=literal_eval(missing), measure=measure)
    if not explanation.terms:
        return ""
    page = page_of_design.colors()["page"]
    return "```{raw} html\n" + "".join(chart(explanation, *each) for each in zip(THEMES, page[1:], strict=True)) + "```"


def chart(explanation: rankworth.Explanation, theme: str, background: str) -> str:
    """What each rank adds, as a picture for pages of one theme."""
    with plt.rc_context({"figure.facecolor": background, "axes.facecolor": background}):
        data = b64encode(rendered(rankworth.plots.contributions(explanation), "svg")).decode()
        plt.close("all")
    return f'<img class="only-{theme}" alt="{escape(explanation.sentence)}" src="data:image/svg+xml;base64,{data}">\n'


def read_docstring(_: Sphinx, kind: str, *others: Any) -> None:  # noqa: ANN401 - the name, the object, its options
    """Take single backticks for code, and the first words of an attribute, colon or not, for no type."""
    lines: list[str] = others[-1]
    lines[:] = CODE.sub(mark, "\n".join(lines)).split("\n")
    if kind in ATTRIBUTES:
        lines.insert(0, "")


def mark(code: re.Match[str]) -> str:
    """Write code as reStructuredText does, which has to be told where letters follow: `Run`s."""
    return f"``{code[1]}``" + (f"\\ {code['letters']}" if code["letters"] else "")
