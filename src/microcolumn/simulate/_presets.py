"""Simulated counterparts of the three recordings of Köster et al. (2014)."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from ._microcolumn import Microcolumn, microcolumn


class Preset(NamedTuple):
    """Settings of :func:`microcolumn` that match one recording in size."""

    n_units: int
    multiunit: bool
    minutes: float


#: The recordings by their names in the paper (docs/method.md, section 7).
PRESETS = MappingProxyType(
    {
        "B4": Preset(n_units=23, multiunit=False, minutes=60.0),
        "T6": Preset(n_units=36, multiunit=False, minutes=60.0),
        "B4MU": Preset(n_units=28, multiunit=True, minutes=60.0),
    }
)


def preset(name: str, seed: int = 0) -> Microcolumn:
    """Simulate a recording of the size of one of the paper's.

    Sizes and the shares of active bins are the paper's; the rest is as in :func:`microcolumn`.

    Parameters
    ----------
    name : str
        ``"B4"`` (23 single units), ``"T6"`` (36 single units) or ``"B4MU"`` (28 multiunits); 60
        minutes each.
    seed : int
        The same seed gives the same recording, bit for bit.

    Examples
    --------
    >>> PRESETS["T6"]
    Preset(n_units=36, multiunit=False, minutes=60.0)
    """
    if name not in PRESETS:
        raise ValueError(f"there is no preset {name!r}; choose one of {', '.join(PRESETS)}")
    return microcolumn(seed=seed, **PRESETS[name]._asdict())
