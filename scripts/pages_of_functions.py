"""The generated pages of docs/functions: an index, and a page for each public function with its signature."""

import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

import site_texts
from rankworth.reference import code, escaped, page, table

_DOCS: Final = Path(__file__).resolve().parent.parent / "docs"
_LISTED: Final = re.compile(r"^\.\. auto(function|module):: (rankworth[\w.]*)$", re.MULTILINE)
_SECTION: Final = re.compile(r"^(Args|Returns|Raises|Warns):(?:\n|\Z)")
_ENTRY: Final = re.compile(r"^(?P<name>\*{0,2}\w[\w, ]*): ")
_WIDE: Final = 100
"""characters that a signature in one line may have"""


def pages() -> dict[str, str]:
    """All pages of `docs/functions`, by file name, with their index."""
    functions = listed()
    texts = {f"{name}.md": _page(name, function) for name, function in functions.items()}
    rows = [(f"[{name}]({name}.md)", escaped(_sentence(function))) for name, function in functions.items()]
    introduction = (
        "One page for each public function: its signature, what it takes and gives, what it refuses, and an example. "
        "[All classes and functions](../api.md), by subject."
    )
    generated = "The pages are generated: `scripts/function-pages` writes them from the docstrings."
    index = page(["# Functions", introduction, generated, table(("function", "what it does"), rows, "|:--|:--|")])
    return {"README.md": index} | texts


def listed() -> dict[str, Callable[..., Any]]:
    """The functions of docs/api, and those of the modules that it has whole, by their names below `rankworth`."""
    functions = {}
    text = "".join(member.read_text("utf-8") for member in site_texts.members(_DOCS / "api.md"))
    for kind, path in _LISTED.findall(text):
        if kind == "module":
            members = vars(import_module(path)).items()
            functions |= {
                f"{path}.{name}": each
                for name, each in members
                if inspect.isfunction(each) and each.__module__.startswith(path) and not name.startswith("_")
            }
        else:
            module, _, name = path.rpartition(".")
            functions[path] = getattr(import_module(module), name)
    once = {each: path.removeprefix("rankworth.") for path, each in reversed(functions.items())}
    return {path: each for each, path in reversed(once.items()) if inspect.isfunction(each)}


def _page(name: str, function: Callable[..., Any]) -> str:
    """The page of a function."""
    return page([f"# {name}", code(signature(f"rankworth.{name}", function).split("\n"), "py"), *_body(function)])


def _sentence(function: Callable[..., Any]) -> str:
    """The first sentence of a docstring."""
    return inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0].replace("\n", " ")


def signature(name: str, function: Callable[..., Any]) -> str:
    """A call of a function with its parameters, their types and defaults, in a line each where they need several.

    >>> from rankworth import score
    >>> print(signature("score", score).partition(",")[0])
    score(
        grades: Iterable[float | Sequence[float | None] | None]
    """
    shown, before = [], inspect.Parameter.POSITIONAL_ONLY
    parameters = inspect.signature(function).parameters.values()
    for each in parameters:
        if before is each.POSITIONAL_ONLY and shown and each.kind is not before:
            shown.append("/")
        if each.kind is each.KEYWORD_ONLY and before not in (each.KEYWORD_ONLY, each.VAR_POSITIONAL):
            shown.append("*")
        star = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        kind = "" if each.annotation is each.empty else f": {written(each.annotation)}"
        default = "" if each.default is each.empty else f" = {each.default!r}" if kind else f"={each.default!r}"
        shown.append(f"{star}{each.name}{kind}{default}")
        before = each.kind
    result = inspect.signature(function).return_annotation
    end = "" if result is inspect.Signature.empty else f" -> {written(result)}"
    line = f"{name}({', '.join(shown)}){end}"
    return line if len(line) <= _WIDE else "\n".join([f"{name}(", *(f"    {each}," for each in shown), f"){end}"])


def written(annotation: Any) -> str:  # noqa: ANN401 - any type
    """A type as it is written, without the modules of its parts.

    >>> written(Callable[[int], str | None]), written(Literal["a", 1])
    ('Callable[[int], str | None]', "Literal['a', 1]")
    """
    origin, parts = get_origin(annotation), get_args(annotation)
    kind = origin or annotation
    if isinstance(annotation, list):
        text = f"[{', '.join(map(written, annotation))}]"
    elif origin in (Union, UnionType):
        text = " | ".join(map(written, parts))
    elif origin is Literal:
        text = f"Literal[{', '.join(map(repr, parts))}]"
    elif isinstance(annotation, str) or annotation in (None, NoneType, Ellipsis):
        text = annotation if isinstance(annotation, str) else "..." if annotation is Ellipsis else "None"
    else:
        name = getattr(kind, "__forward_arg__", "") or getattr(kind, "__name__", "") or str(kind).rpartition(".")[2]
        text = f"{name}[{', '.join(map(written, parts))}]" if parts else name
    return text


def _body(function: Callable[..., Any]) -> Iterator[str]:
    """A docstring as Markdown: sections under headings, entries as items, the example as code."""
    section, example = "", []
    for block in inspect.cleandoc(function.__doc__ or "").split("\n\n"):
        if block.startswith(">>>"):
            example += ["", *block.split("\n")] if example else block.split("\n")
            continue
        match = _SECTION.match(block)
        section = match[1] if match else section if block.startswith(" ") else ""
        text = block[match.end() :] if match else block
        if match:
            yield f"## {section.replace('Args', 'Arguments')}"
        entries = re.split(r"\n(?=\S)", inspect.cleandoc(text)) if section in ("Args", "Raises") else [text]
        lines = [escaped(" ".join(entry.split())) for entry in entries]
        named = [_ENTRY.sub(lambda found: f"- `{found['name']}`: ", line.replace(r"\*", "*", 2)) for line in lines]
        yield "\n".join(named if section in ("Args", "Raises") else lines)
    if example:
        yield "## Example"
        yield code(example, "pycon")
