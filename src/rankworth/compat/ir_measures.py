"""rankworth as a provider of ir_measures: `install()`, and `ir_measures.calc` or PyTerrier's `Experiment` use it.

Values are by default those that ir_measures 0.4 itself gives (profile `ir_measures-0.4`), or follow the conventions of
any other profile. Nothing changes by importing this module.
"""

from typing import TYPE_CHECKING, Any

from rankworth.errors import UsageError

if TYPE_CHECKING:
    from rankworth.compat.ir_measures_provider import Provider
    from rankworth.profiles import Profile

__all__ = ["Provider", "install", "uninstall"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever has the name
    """Give the class `Provider`, for which ir_measures is imported.

    Raises:
        UsageError: `missing-library`.
        AttributeError: where nothing has the name.

    """
    if name == "Provider":
        return _provider_class()
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def install(profile: "str | Profile | None" = None) -> "Provider":
    """Let rankworth compute the measures of ir_measures, also within PyTerrier, until `uninstall`.

    The provider becomes the first of `ir_measures.DefaultPipeline`: `ir_measures.calc`, `calc_aggregate`, `iter_calc`,
    `evaluator` and PyTerrier's `Experiment` ask it first, and the providers of ir_measures for measures that it does
    not have. A second call replaces it. `rankworth.compat.ir_measures.Provider` says where values depart.

    Args:
        profile: the conventions, by name (`rankworth.PROFILES`); those of ir_measures 0.4 where None.

    Returns:
        The provider.

    Raises:
        UsageError: `missing-library`; `unknown-setting`.

    >>> import ir_measures
    >>> qrels, run = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 1.0, "d2": 1.0}}
    >>> ir_measures.calc_aggregate([ir_measures.RR], qrels, run)
    {RR: 0.5}
    >>> provider = install(profile="ranx")
    >>> ir_measures.calc_aggregate([ir_measures.RR], qrels, run)
    {RR: 1.0}
    >>> uninstall()
    """
    provider = _provider_class()(profile)
    uninstall()
    _providers().insert(0, provider)
    return provider


def uninstall() -> None:
    """Leave the measures of ir_measures to its own providers again; no error where nothing was installed.

    Raises:
        UsageError: `missing-library`.

    >>> import ir_measures
    >>> provider = install()
    >>> ir_measures.DefaultPipeline.providers[0] is provider
    True
    >>> uninstall()
    >>> provider in ir_measures.DefaultPipeline.providers
    False
    """
    kind, providers = _provider_class(), _providers()
    providers[:] = [provider for provider in providers if not isinstance(provider, kind)]


def _providers() -> list[Any]:
    """Return the list of the providers that ir_measures asks, in this order."""
    import ir_measures  # noqa: PLC0415 - an optional library

    providers: list[Any] = ir_measures.DefaultPipeline.providers
    return providers


def _provider_class() -> "type[Provider]":
    """Return the class of the provider.

    Raises:
        UsageError: `missing-library`.

    """
    try:
        import ir_measures  # noqa: F401, PLC0415 - an optional library
    except ImportError:
        remedy = "pip install 'ir_measures>=0.4.3'"
        raise UsageError("missing-library", "ir_measures is not installed", remedy=remedy) from None
    from rankworth.compat.ir_measures_provider import Provider  # noqa: PLC0415 - needs ir_measures

    return Provider
