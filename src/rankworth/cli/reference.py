"""The commands `measures` and `profiles`: pages of measures and of conventions."""

from typing import Annotated, Final

from cyclopts import Parameter

from rankworth.cli import configuration
from rankworth.cli.options import MEASURED, SHOWN
from rankworth.cli.output import put, width
from rankworth.errors import UsageError

MEASURES: Final = "Usage: rankworth measures [NAME] [OPTIONS]"
PROFILES: Final = "Usage: rankworth profiles [NAME]"
_READABLE: Final = 100


def measures(
    name: str | None = None,
    /,
    *,
    everything: Annotated[bool, Parameter(name="--all", alias="-a", group=SHOWN)] = False,
    profile: Annotated[str | None, Parameter(metavar="NAME", group=MEASURED)] = None,
    plugin: Annotated[list[str] | None, Parameter(metavar="MODULE", group=MEASURED)] = None,
) -> None:
    """List the measures, or explain one of them.

    Args:
        name: A measure, in any of its spellings. Default: those to start with.
        everything: List all of them.
        profile: List the names of a tool and what they mean here.
        plugin: Module or .py file that defines measures. Repeatable.

    Examples:
        rankworth measures --all
        rankworth measures 'nDCG(gain=exp2)@10'
        rankworth measures --profile ranx-0.3

    """
    if name is not None and everything:
        raise UsageError("conflicting-options", f"--all lists the measures, and {name} names one; give one of the two")
    if profile is not None and (name is not None or everything):
        raise UsageError("conflicting-options", "--profile lists the names of a tool; give it alone")
    configuration.find(plugin)
    from rankworth import reference  # noqa: PLC0415 - not needed for help

    if profile is not None:
        from rankworth.reference.profiles import names_page  # noqa: PLC0415 - brings NumPy

        _put_page(names_page(profile))
    else:
        _put_page(reference.catalogue(everything=everything) if name is None else reference.measure_page(name))


def profiles(name: str | None = None, /) -> None:
    """List the profiles, each with the conventions of one tool, or explain one.

    Args:
        name: A profile; without its version, the newest. Default: all of them.

    Examples:
        rankworth profiles
        rankworth profiles beir-2.2
        rankworth evaluate qrels.txt bm25.run -m nDCG@10 --profile all

    """
    from rankworth.reference import profiles  # noqa: PLC0415 - not needed for help

    _put_page(profiles.profile_list() if name is None else profiles.profile_page(name))


def _put_page(page: str) -> None:
    """Print a page of Markdown as text that can be read on the terminal."""
    from rankworth.reference import in_terminal  # noqa: PLC0415 - not needed for help

    put(in_terminal(page, min(width(), _READABLE)).encode())
